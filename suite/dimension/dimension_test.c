/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/dimension/dimension.h"

#include <string.h>

#include "harness/unit.h"

static bool has(const uint64_t *v, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] == value)
			return true;
	return false;
}

static void names_are_their_own(void)
{
	enum dimension d;

	for (unsigned i = 0; i < DIMENSION_COUNT; i++) {
		const struct dimension_info *info =
			dimension_info((enum dimension)i);

		CU_ASSERT_TRUE(dimension_named(info->name, &d));
		CU_ASSERT_EQUAL((unsigned)d, i);
		CU_ASSERT_TRUE(info->low < info->high && info->step);
		CU_ASSERT_TRUE(info->what[0] && info->unit[0]);
	}
	CU_ASSERT_FALSE(dimension_named("", &d));
	CU_ASSERT_FALSE(dimension_named("peer-sen", &d));
}

static void bounds_are_edges(void)
{
	uint64_t v[DIMENSION_VALUES];

	for (unsigned i = 0; i < DIMENSION_COUNT; i++) {
		enum dimension d = (enum dimension)i;
		const struct dimension_info *info = dimension_info(d);
		size_t n = dimension_values(d, info->low, info->high, v,
					    DIMENSION_VALUES);

		CU_ASSERT_TRUE_FATAL(n >= 2 && n <= DIMENSION_VALUES);
		CU_ASSERT_EQUAL(v[0], info->low);
		CU_ASSERT_EQUAL(v[n - 1], info->high);
		CU_ASSERT_TRUE(has(v, n, info->low + info->step));
		CU_ASSERT_TRUE(has(v, n, info->high - info->step));
		for (size_t k = 0; k < n; k++) {
			CU_ASSERT_EQUAL(v[k] % info->step, 0);
			CU_ASSERT_TRUE(!k || v[k - 1] < v[k]);
		}
	}
}

static void families_have_their_edges(void)
{
	static const struct {
		enum dimension d;
		uint64_t value;
	} due[] = {
		{DIM_PEER_SEND, 3},
		{DIM_PEER_SEND, 4095},
		{DIM_PEER_SEND, 4097},
		{DIM_PEER_SEND, 12289},
		{DIM_PEER_SEND, 1424},
		{DIM_PEER_SEND, 2849},
		{DIM_PEER_WRITE, 1428},
		{DIM_PEER_WRITE, 1u << 20},
		{DIM_PEER_PRIVATE, 508},
		{DIM_PEER_PRIVATE, 511},
		{DIM_PEER_IRD, 17},
		{DIM_PEER_IRD, 0x3ffe},
		{DIM_PEER_PAD, 2},
		{DIM_PEER_PHASE, 20},
		{DIM_PEER_MSN, UINT32_MAX},
		{DIM_PEER_MSN, 0x80000000u},
		{DIM_PEER_SINK_TO, 0xffffffffull},
		{DIM_PEER_SINK_TO, 0x100000000ull},
		{DIM_PEER_SINK_TO, 0xfffffffffffff000ull},
		{DIM_PEER_SINK_TO, UINT64_MAX},
		{DIM_PEER_CUT, 20},
		{DIM_DUT_FENCED, 0},
	};
	uint64_t v[DIMENSION_VALUES];

	for (size_t i = 0; i < UNIT_COUNT(due); i++) {
		size_t n = dimension_values(due[i].d, 0, UINT64_MAX, v,
					    DIMENSION_VALUES);

		CU_ASSERT_TRUE(has(v, n, due[i].value));
	}
	/* Not what is none. */
	size_t n = dimension_values(DIM_PEER_SEND, 0, 10000, v, sizeof(v) / 8);

	CU_ASSERT_FALSE(has(v, n, 100));
	n = dimension_values(DIM_PEER_PHASE, 0, 508, v, sizeof(v) / 8);
	CU_ASSERT_EQUAL(n, 128);
}

static void given_bounds_count(void)
{
	uint64_t v[DIMENSION_VALUES];
	static const uint64_t within[] = {100, 101, 127, 128, 129, 199, 200};
	size_t n =
		dimension_values(DIM_PEER_SEND, 100, 200, v, DIMENSION_VALUES);

	CU_ASSERT_EQUAL_FATAL(n, UNIT_COUNT(within));
	CU_ASSERT_EQUAL(memcmp(v, within, sizeof(within)), 0);
	/* One beyond what is declared is the edge of what is illegal. */
	n = dimension_values(DIM_PEER_PRIVATE, 510, 600, v, DIMENSION_VALUES);
	CU_ASSERT_TRUE(has(v, n, 513));
	CU_ASSERT_TRUE(has(v, n, 600));
	/* One value, none, and less room than values. */
	CU_ASSERT_EQUAL(dimension_values(DIM_PEER_SEND, 77, 77, v, 1), 1);
	CU_ASSERT_EQUAL(v[0], 77);
	CU_ASSERT_EQUAL(dimension_values(DIM_PEER_SEND, 2, 1, v, 1), 0);
	v[2] = 99;
	CU_ASSERT_EQUAL(dimension_values(DIM_PEER_PAD, 0, 3, v, 2), 4);
	CU_ASSERT_EQUAL(v[2], 99);
}

static void draws_stay_within(void)
{
	static const struct {
		uint64_t low, high;
	} bounds[] = {{0, 0},
		      {0, 1},
		      {5, 5},
		      {100, 1000},
		      {0, UINT64_MAX},
		      {UINT64_MAX, UINT64_MAX},
		      {UINT64_MAX - 3, UINT64_MAX},
		      {1ull << 32, 1ull << 33}};
	uint64_t state = 0;

	for (unsigned d = 0; d < DIMENSION_COUNT; d++)
		for (size_t b = 0; b < UNIT_COUNT(bounds); b++)
			for (unsigned i = 0; i < 200; i++) {
				uint64_t v = dimension_draw(
					(enum dimension)d, bounds[b].low,
					bounds[b].high, &state);

				CU_ASSERT_TRUE(v >= bounds[b].low &&
					       v <= bounds[b].high);
			}
}

static void draws_favour_edges(void)
{
	uint64_t state = 1, again = 1, edges = 0, v[DIMENSION_VALUES];
	size_t n = dimension_values(DIM_PEER_SINK_TO, 0, UINT64_MAX, v,
				    DIMENSION_VALUES);

	for (unsigned i = 0; i < 10000; i++) {
		uint64_t value =
			dimension_draw(DIM_PEER_SINK_TO, 0, UINT64_MAX, &state);

		CU_ASSERT_EQUAL(value, dimension_draw(DIM_PEER_SINK_TO, 0,
						      UINT64_MAX, &again));
		edges += has(v, n, value);
		CU_ASSERT_EQUAL(
			dimension_draw(DIM_PEER_PHASE, 0, 508, &state) % 4, 0);
		dimension_draw(DIM_PEER_PHASE, 0, 508, &again);
	}
	CU_ASSERT_TRUE(edges > 4500 && edges < 6500);
}

/* Each interesting value is drawn, and so is what lies between. */
static void draws_reach_all(void)
{
	struct dimensions_met met = {{0}};
	uint64_t state = 7;

	for (unsigned i = 0; i < 100000; i++)
		dimension_met(&met, DIM_PEER_WRITE,
			      dimension_draw(DIM_PEER_WRITE, 0, 20000, &state));
	for (size_t c = 0; c < dimension_classes(DIM_PEER_WRITE); c++) {
		struct dimension_class k = dimension_class(DIM_PEER_WRITE, c);

		if (!k.empty && k.high <= 20000)
			CU_ASSERT_TRUE(
				dimension_class_met(&met, DIM_PEER_WRITE, c));
		if (k.low > 20000)
			CU_ASSERT_FALSE(
				dimension_class_met(&met, DIM_PEER_WRITE, c));
	}
}

static void limits_bound(void)
{
	struct dimension_limits l = {{0}};

	CU_ASSERT_EQUAL(dimension_high(DIM_DUT_IRD, NULL), 0x3fff);
	CU_ASSERT_EQUAL(dimension_high(DIM_DUT_IRD, &l), 0x3fff);
	l.most[DIMENSION_LIMIT_IRD] = 128;
	l.most[DIMENSION_LIMIT_NONE] = 1;
	CU_ASSERT_EQUAL(dimension_high(DIM_DUT_IRD, &l), 128);
	CU_ASSERT_EQUAL(dimension_high(DIM_PEER_IRD, &l), 0x3fff);
	l.most[DIMENSION_LIMIT_IRD] = 1u << 20;
	CU_ASSERT_EQUAL(dimension_high(DIM_DUT_IRD, &l), 0x3fff);
}

/* The classes follow on one another, and each value falls into its own. */
static void classes_cover_everything(void)
{
	for (unsigned i = 0; i < DIMENSION_COUNT; i++) {
		enum dimension d = (enum dimension)i;
		size_t n = dimension_classes(d);
		uint64_t next = 0;
		bool through = false;

		for (size_t c = 0; c < n; c++) {
			struct dimensions_met met = {{0}};
			struct dimension_class k = dimension_class(d, c);

			if (k.empty && !k.interesting)
				continue;
			CU_ASSERT_TRUE(dimension_info(d)->step > 1 ||
				       (!through && k.low == next));
			next = k.high + 1;
			through = k.high == UINT64_MAX;
			CU_ASSERT_TRUE(k.low <= k.high);
			CU_ASSERT_EQUAL(k.interesting, c % 2);
			dimension_met(&met, d, k.low);
			dimension_met(&met, d, k.high);
			CU_ASSERT_EQUAL(dimension_class_met(&met, d, c), 2);
		}
		CU_ASSERT_TRUE(through);
	}
}

static void counts_are_merged(void)
{
	struct dimensions_met a = {{0}}, b = {{0}};

	dimension_met(&a, DIM_PEER_PAD, 3);
	dimension_met(&b, DIM_PEER_PAD, 3);
	dimension_met(&b, DIM_PEER_PAD, 4);
	dimensions_merge(&a, &b);
	for (size_t c = 0; c < dimension_classes(DIM_PEER_PAD); c++) {
		struct dimension_class k = dimension_class(DIM_PEER_PAD, c);
		unsigned due = !k.interesting || k.low < 3 ? 0
			       : k.low == 3                ? 2
							   : 1;

		CU_ASSERT_EQUAL(dimension_class_met(&a, DIM_PEER_PAD, c), due);
	}
	/* They stop where there is no room for more. */
	dimension_class_add(&a, DIM_PEER_PAD, 1, UINT32_MAX);
	dimension_class_add(&a, DIM_PEER_PAD, 1, UINT32_MAX);
	CU_ASSERT_EQUAL(dimension_class_met(&a, DIM_PEER_PAD, 1), UINT32_MAX);
	dimensions_merge(&a, &a);
	CU_ASSERT_EQUAL(dimension_class_met(&a, DIM_PEER_PAD, 1), UINT32_MAX);
}

static void what_was_met_is_a_line(void)
{
	struct dimensions_met a = {{0}}, b = {{0}};
	static char all[1 << 18];
	char line[256];

	dimension_met(&a, DIM_PEER_SEND, 64);
	dimension_met(&a, DIM_PEER_SEND, 100);
	dimension_met(&a, DIM_PEER_SEND, 101);
	dimension_met(&a, DIM_PEER_PAD, 0);
	CU_ASSERT_EQUAL(dimensions_format(&a, line, sizeof(line)), 28);
	CU_ASSERT_STRING_EQUAL(line, "peer-send=64,66*2;peer-pad=0");
	CU_ASSERT_TRUE(dimensions_add(&b, line));
	CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof(a)), 0);
	/* An empty one, of all, and where there is no room. */
	b = (struct dimensions_met){{0}};
	dimensions_format(&b, line, sizeof(line));
	CU_ASSERT_STRING_EQUAL(line, "");
	CU_ASSERT_TRUE(dimensions_add(&b, line));
	for (unsigned d = 0; d < DIMENSION_COUNT; d++)
		for (size_t c = 0; c < dimension_classes((enum dimension)d);
		     c++)
			if (!dimension_class((enum dimension)d, c).empty)
				dimension_class_add(&a, (enum dimension)d, c,
						    7);
	dimensions_format(&a, all, sizeof(all));
	CU_ASSERT_TRUE(dimensions_add(&b, all));
	CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof(a)), 0);
	for (size_t cap = 1; cap < sizeof(line); cap++) {
		size_t n = dimensions_format(&a, line, cap);

		CU_ASSERT_TRUE(n < cap && strlen(line) == n);
		CU_ASSERT_TRUE(dimensions_add(&b, line));
	}
}

static void no_line_is_found_out(void)
{
	static const char *const bad[] = {"x",
					  "peer-pad",
					  "peer-pad=",
					  "peer-pad=x",
					  "peer-pad=-1",
					  "peer-pad=1*",
					  "peer-pad=1*4294967296",
					  "peer-pad=1,",
					  "peer-pad=1;",
					  "peer-pad=1;;peer-pad=1",
					  "=1x",
					  "peer-pad=1 2",
					  "peer-pad=1;x"};
	struct dimensions_met m = {{0}};

	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		CU_ASSERT_FALSE(dimensions_add(&m, bad[i]));
	/* A name that is none any more is passed over. */
	CU_ASSERT_TRUE(dimensions_add(&m, "gone=1,2*3;peer-pad=3"));
	CU_ASSERT_EQUAL(
		dimension_class_met(&m, DIM_PEER_PAD,
				    dimension_classes(DIM_PEER_PAD) - 4),
		1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"names are their own", names_are_their_own},
		{"bounds are edges", bounds_are_edges},
		{"families have their edges", families_have_their_edges},
		{"given bounds count", given_bounds_count},
		{"draws stay within", draws_stay_within},
		{"draws favour edges", draws_favour_edges},
		{"draws reach all", draws_reach_all},
		{"limits bound", limits_bound},
		{"classes cover everything", classes_cover_everything},
		{"counts are merged", counts_are_merged},
		{"what was met is a line", what_was_met_is_a_line},
		{"no line is found out", no_line_is_found_out},
	};

	return unit_run("dimension", tests, UNIT_COUNT(tests));
}
