/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/dimension/axes.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "suite/dimension/dimension.h"

/* Edges of what a field, or common hardware, holds in so many bits. */
#define BITS(k) "2^" #k "-1", "2^" #k, "2^" #k "+1"

static const char *const quantity[] = {
	"0",      "1",      BITS(8),    BITS(12), BITS(16),   BITS(24),
	BITS(31), BITS(32), "mulpdu-1", "mulpdu", "mulpdu+1",
};
static const unsigned bits[] = {8, 12, 16, 24, 31, 32};

enum {
	QUANTITIES = sizeof(quantity) / sizeof(quantity[0]),
	WIDTHS = sizeof(bits) / sizeof(bits[0]),
	AT_BITS = 2,
	AT_MULPDU = AT_BITS + 3 * WIDTHS,
};

static const char *const opcodes[AXIS_OPCODES] = {
	"write",
	"read-request",
	"read-response",
	"send",
	"send-invalidate",
	"send-se",
	"send-se-invalidate",
	"terminate",
	"immediate",
	"immediate-se",
	"atomic-request",
	"atomic-response",
	"unassigned",
};

#define WORDS(...)                                                             \
	(const char *const[]){__VA_ARGS__},                                    \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)
#define OPCODES  opcodes, AXIS_OPCODES
#define QUANTITY quantity, QUANTITIES

static const struct {
	const char *name;
	const char *const *point;
	size_t points;
} axes[] = {
#define AXIS(ident, name, ...) [AXIS_##ident] = {name, __VA_ARGS__},
#include "suite/dimension/axes.def"
#undef AXIS
};

const char *axis_name(enum axis a)
{
	assert(a < AXIS_COUNT);
	return axes[a].name;
}

size_t axis_points(enum axis a)
{
	assert(a < AXIS_COUNT);
	return axes[a].points;
}

const char *axis_point(enum axis a, size_t point)
{
	assert(point < axis_points(a));
	return axes[a].point[point];
}

static size_t number_of(enum axis a, size_t point)
{
	size_t n = point;

	assert(point < axis_points(a));
	for (unsigned before = 0; before < a; before++)
		n += axes[before].points;
	assert(n < AXES_POINTS_MOST);
	return n;
}

void axes_add(struct axes *s, enum axis a, size_t point)
{
	size_t n = number_of(a, point);

	s->bits[n / 64] |= 1ull << n % 64;
}

bool axes_has(const struct axes *s, enum axis a, size_t point)
{
	size_t n = number_of(a, point);

	return s->bits[n / 64] >> n % 64 & 1;
}

void axes_merge(struct axes *into, const struct axes *from)
{
	for (size_t i = 0; i < sizeof(into->bits) / sizeof(into->bits[0]); i++)
		into->bits[i] |= from->bits[i];
}

void axes_add_value(struct axes *s, enum axis a, uint64_t value)
{
	if (value <= 1)
		axes_add(s, a, value);
	for (unsigned k = 0; k < WIDTHS; k++) {
		uint64_t below = (1ull << bits[k]) - 1;

		if (value >= below && value - below < 3)
			axes_add(s, a, AT_BITS + 3 * k + (value - below));
	}
}

void axes_add_length(struct axes *s, enum axis a, uint64_t octets,
		     size_t header)
{
	uint64_t below = DIMENSION_MULPDU - header - 1;

	axes_add_value(s, a, octets);
	if (octets >= below && octets - below < 3)
		axes_add(s, a, AT_MULPDU + (octets - below));
}

void axes_add_count(struct axes *s, enum axis a, uint64_t n)
{
	static const uint64_t counts[] = {257, 1025, 4097};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (n >= counts[i])
			axes_add(s, a, i);
}

void axes_add_opcode(struct axes *s, enum axis a, unsigned opcode)
{
	axes_add(s, a, opcode < AXIS_OPCODES ? opcode : AXIS_OPCODES - 1);
}

/* --- as text ------------------------------------------------------------ */

struct line {
	char *out;
	size_t n, cap;
};

/* False: it does not fit. */
static bool put(struct line *l, const char *before, const char *text)
{
	size_t n = strlen(before), m = strlen(text);

	if (n + m >= l->cap - l->n)
		return false;
	memcpy(l->out + l->n, before, n);
	memcpy(l->out + l->n + n, text, m + 1);
	l->n += n + m;
	return true;
}

size_t axes_format(const struct axes *s, char *out, size_t cap)
{
	struct line l = {.out = out, .cap = cap};

	out[0] = '\0';
	for (unsigned a = 0; a < AXIS_COUNT; a++) {
		const char *before = ":";

		for (size_t p = 0; p < axes[a].points; p++) {
			if (!axes_has(s, (enum axis)a, p))
				continue;
			if (*before == ':' &&
			    !put(&l, l.n ? " " : "", axes[a].name))
				return l.n;
			if (!put(&l, before, axes[a].point[p]))
				return l.n;
			before = ",";
		}
	}
	return l.n;
}

static bool is_word(const char *text, size_t n, const char *word)
{
	return strlen(word) == n && strncmp(text, word, n) == 0;
}

static void add_named(struct axes *s, unsigned a, const char *text, size_t n)
{
	for (size_t p = 0; a < AXIS_COUNT && p < axes[a].points; p++)
		if (is_word(text, n, axes[a].point[p]))
			axes_add(s, (enum axis)a, p);
}

bool axes_parse(struct axes *s, const char *line)
{
	while (*line) {
		size_t n = strcspn(line, ": ");
		unsigned a = 0;

		if (!n || line[n] != ':')
			return false;
		while (a < AXIS_COUNT && !is_word(line, n, axes[a].name))
			a++;
		line += n;
		do {
			n = strcspn(++line, ", ");
			if (!n)
				return false;
			add_named(s, a, line, n);
			line += n;
		} while (*line == ',');
		if (*line == ' ' && !*++line)
			return false;
	}
	return true;
}
