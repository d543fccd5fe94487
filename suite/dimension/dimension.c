/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/dimension/dimension.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/wire/ddp.h"
#include "suite/dimension/edges.h"

#define NONE    DIMENSION_LIMIT_NONE
#define PRIVATE DIMENSION_LIMIT_PRIVATE
#define IRD     DIMENSION_LIMIT_IRD
#define ORD     DIMENSION_LIMIT_ORD
#define MESSAGE DIMENSION_LIMIT_MESSAGE
#define REGION  DIMENSION_LIMIT_REGION
#define RECVS   DIMENSION_LIMIT_RECVS
#define POSTS   DIMENSION_LIMIT_POSTS

#define EVERY    DIMENSION_EVERY
#define SMALL    DIMENSION_SMALL
#define POWERS   DIMENSION_POWERS
#define PAGE     DIMENSION_PAGE
#define SEGMENT  DIMENSION_SEGMENT
#define WRAP     DIMENSION_WRAP
#define ENHANCED DIMENSION_ENHANCED
#define HEADER   DIMENSION_HEADER
#define DEVICE   DIMENSION_DEVICE

static const struct dimension_info dimensions[] = {
#define DIMENSION(ident, name_, unit_, low_, high_, step_, limit_, families_,  \
		  what_)                                                       \
	[DIM_##ident] = {.name = name_,                                        \
			 .unit = unit_,                                        \
			 .what = what_,                                        \
			 .low = low_,                                          \
			 .high = high_,                                        \
			 .step = step_,                                        \
			 .limit = limit_,                                      \
			 .families = families_},
#include "suite/dimension/dimensions.def"
#undef DIMENSION
};

const struct dimension_info *dimension_info(enum dimension d)
{
	assert(d < DIMENSION_COUNT);
	return &dimensions[d];
}

bool dimension_named(const char *name, enum dimension *d)
{
	for (unsigned i = 0; i < DIMENSION_COUNT; i++)
		if (strcmp(dimensions[i].name, name) == 0) {
			*d = (enum dimension)i;
			return true;
		}
	return false;
}

uint64_t dimension_high(enum dimension d, const struct dimension_limits *l)
{
	const struct dimension_info *i = dimension_info(d);
	uint64_t most = l ? l->most[i->limit] : 0;

	return most && i->limit != NONE && most < i->high ? most : i->high;
}

/* --- edges ------------------------------------------------------------ */

struct values {
	uint64_t value[DIMENSION_VALUES];
	size_t n;
};

/* base + by, unless that number does not exist. */
static void put(struct values *v, uint64_t base, int64_t by)
{
	uint64_t value = base + (uint64_t)by;

	if (by < 0 ? value > base : value < base)
		return;
	assert(v->n < DIMENSION_VALUES);
	v->value[v->n++] = value;
}

static void put_around(struct values *v, uint64_t base)
{
	for (int64_t by = -1; by <= 1; by++)
		put(v, base, by);
}

/* The lengths of segments with a payload of so many octets. */
static void put_segments(struct values *v, uint64_t payload)
{
	for (uint64_t n = 1; n <= 3; n++)
		put_around(v, n * payload);
}

/* As far from an end of the numbers as a message, a page or a word is long. */
static void put_wrap(struct values *v, uint64_t end)
{
	static const int64_t by[] = {-4096, -1024, -16, -8, -4, -2, -1};

	/* 2^64 itself cannot be represented: 0 stands for it. */
	for (unsigned i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (end)
			put(v, end, by[i]);
		else
			put(v, UINT64_MAX, by[i] + 1);
	for (int64_t b = 0; end && b <= 8; b += b ? b : 1)
		put(v, end, b);
}

static void put_families(struct values *v, const struct dimension_info *d)
{
	static const uint64_t header_ends[] = {2, 4, 8, 16, 20, 22, 44, 48};

	if (d->families & EVERY)
		for (uint64_t i = d->low; i <= d->high; i += d->step)
			put(v, i, 0);
	if (d->families & SMALL)
		for (uint64_t i = 0; i <= 9; i++)
			put(v, i, 0);
	for (unsigned i = 1; d->families & POWERS && i < 64; i++)
		if (1ull << i <= d->high)
			put_around(v, 1ull << i);
	for (uint64_t i = 1; d->families & PAGE && i <= 3; i++)
		put_around(v, i * DIMENSION_PAGE_OCTETS);
	if (d->families & SEGMENT) {
		put_segments(v, DIMENSION_MULPDU - DDP_TAGGED_OCTETS);
		put_segments(v, DIMENSION_MULPDU - DDP_UNTAGGED_OCTETS);
	}
	if (d->families & WRAP) {
		put_wrap(v, 1ull << 31);
		put_wrap(v, 1ull << 32);
		put_wrap(v, 1ull << 63);
		put_wrap(v, 0);
	}
	if (d->families & ENHANCED)
		put_around(v, d->high - 4);
	for (unsigned i = 0; d->families & HEADER && i < 8; i++)
		put_around(v, header_ends[i]);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* In order, without repetitions, and only what lies within; of those in the
 * dimension's steps. */
static void put_right(struct values *v, const struct dimension_info *d,
		      uint64_t low, uint64_t high)
{
	size_t n = 0;

	qsort(v->value, v->n, sizeof(v->value[0]), by_value);
	for (size_t i = 0; i < v->n; i++)
		if (v->value[i] >= low && v->value[i] <= high &&
		    v->value[i] % d->step == 0 &&
		    (!n || v->value[i] != v->value[n - 1]))
			v->value[n++] = v->value[i];
	v->n = n;
}

static void put_bounds(struct values *v, const struct dimension_info *d,
		       uint64_t low, uint64_t high)
{
	int64_t step = (int64_t)d->step;

	put(v, low, 0);
	put(v, low, step);
	put(v, high, 0);
	put(v, high, -step);
}

static struct {
	uint64_t value[DIMENSION_SLOTS / 2];
	struct edges of[DIMENSION_COUNT];
} all;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t search(const struct edges *e, uint64_t value)
{
	size_t from = 0, to = e->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (e->value[mid] < value)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void find_small(struct edges *e)
{
	for (uint64_t value = 0; value < EDGES_SMALL; value++)
		e->below[value] = (uint16_t)search(e, value);
}

static void find_edges(void)
{
	size_t at = 0, slots = 0;

	for (unsigned i = 0; i < DIMENSION_COUNT; i++) {
		const struct dimension_info *d = &dimensions[i];
		struct values v = {.n = 0};
		bool beyond = d->high <= UINT64_MAX - d->step;

		put_families(&v, d);
		put_bounds(&v, d, d->low, d->high);
		/* One step beyond is an edge, too: the first illegal value. */
		put(&v, d->high, (int64_t)d->step);
		put(&v, d->low, -(int64_t)d->step);
		put_right(&v, d, d->low < d->step ? d->low : d->low - d->step,
			  beyond ? d->high + d->step : d->high);
		assert(at + v.n <= DIMENSION_SLOTS / 2);
		memcpy(all.value + at, v.value, v.n * sizeof(v.value[0]));
		all.of[i] = (struct edges){
			.value = all.value + at, .n = v.n, .slot = slots};
		find_small(&all.of[i]);
		at += v.n;
		slots += edges_classes(&all.of[i]);
	}
	assert(slots <= DIMENSION_SLOTS);
}

const struct edges *edges_of(enum dimension d)
{
	assert(d < DIMENSION_COUNT);
	pthread_once(&once, find_edges);
	return &all.of[d];
}

size_t edges_below(const struct edges *e, uint64_t value)
{
	return value < EDGES_SMALL ? e->below[value] : search(e, value);
}

/* --- values ----------------------------------------------------------- */

size_t dimension_values(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *out, size_t cap)
{
	const struct edges *e = edges_of(d);
	struct values v = {.n = 0};

	if (low > high)
		return 0;
	for (size_t i = edges_below(e, low); i < e->n && e->value[i] <= high;
	     i++)
		put(&v, e->value[i], 0);
	put_bounds(&v, dimension_info(d), low, high);
	put_right(&v, dimension_info(d), low, high);
	memcpy(out, v.value, (v.n < cap ? v.n : cap) * sizeof(out[0]));
	return v.n;
}

/* Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators, 2014. */
uint64_t dimension_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t draw_within(uint64_t low, uint64_t high, uint64_t *state)
{
	uint64_t span = high - low;
	uint64_t r = dimension_random(state);

	return span == UINT64_MAX ? r : low + r % (span + 1);
}

/* An edge within the bounds, or one of these or its neighbour. */
static uint64_t draw_edge(enum dimension d, uint64_t low, uint64_t high,
			  uint64_t *state)
{
	const struct edges *e = edges_of(d);
	uint64_t step = dimensions[d].step;
	size_t from = edges_below(e, low);
	size_t to = edges_below(e, high);

	to += to < e->n && e->value[to] == high;
	uint64_t k = draw_within(0, to - from + 3, state);

	if (k < to - from)
		return e->value[from + k];
	switch (k - (to - from)) {
	case 0:
		return low;
	case 1:
		return high;
	case 2:
		return high - low < step ? low : low + step;
	default:
		return high - low < step ? high : high - step;
	}
}

/* The number of its bits is drawn, then the number. */
static uint64_t draw_size(uint64_t low, uint64_t high, uint64_t *state)
{
	uint64_t span = high - low;
	unsigned bits = span ? 64 - (unsigned)__builtin_clzll(span) : 0;
	uint64_t n = draw_within(0, bits, state);
	uint64_t most = n < 64 ? (1ull << n) - 1 : UINT64_MAX;

	return low + draw_within(0, most < span ? most : span, state);
}

uint64_t dimension_draw(enum dimension d, uint64_t low, uint64_t high,
			uint64_t *state)
{
	uint64_t step = dimension_info(d)->step, value;
	uint64_t way = dimension_random(state) & 3;

	assert(low <= high);
	if (way < 2)
		value = draw_edge(d, low, high, state);
	else if (way == 2)
		value = draw_size(low, high, state);
	else
		value = draw_within(low, high, state);
	/* To a step, if one lies within. */
	uint64_t past = value % step;

	if (past && value - past >= low)
		value -= past;
	else if (past && high - value >= step - past)
		value += step - past;
	return value;
}
