/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/segmentation.h"

#include <string.h>

#include "harness/unit.h"

#define CAP 2048

static struct segmentation named(const char *text)
{
	struct segmentation s;

	CU_ASSERT_TRUE_FATAL(segmentation_parse(&s, text));
	return s;
}

static void names_are_read(void)
{
	struct segmentation s;

	CU_ASSERT_EQUAL(named("whole").kind, SEGMENT_WHOLE);
	CU_ASSERT_EQUAL(named("octets").kind, SEGMENT_OCTETS);
	CU_ASSERT_EQUAL(named("random:0x10").seed, 16);
	CU_ASSERT_EQUAL(named("reordered").kind, SEGMENT_REORDERED);
	CU_ASSERT_EQUAL(named("duplicated").kind, SEGMENT_DUPLICATED);
	CU_ASSERT_FALSE(segmentation_parse(&s, "random"));
	CU_ASSERT_FALSE(segmentation_parse(&s, "random:"));
	CU_ASSERT_FALSE(segmentation_parse(&s, "random:x"));
	CU_ASSERT_FALSE(segmentation_parse(&s, "random:1x"));
	CU_ASSERT_FALSE(segmentation_parse(&s, ""));
}

/* Every octet is sent; how often, and where the first segment starts. */
static void every_octet_is_sent(void)
{
	static const struct {
		const char *name;
		unsigned times;
	} kinds[] = {{"whole", 1},    {"octets", 1},    {"random:1", 1},
		     {"random:2", 1}, {"reordered", 1}, {"duplicated", 2}};
	static const size_t lengths[] = {1, 2, 3, 20, 52, 76, 1448, 70000};

	for (size_t k = 0; k < UNIT_COUNT(kinds); k++)
		for (size_t l = 0; l < UNIT_COUNT(lengths); l++) {
			struct segmentation s = named(kinds[k].name);
			static unsigned char seen[70000];
			struct link_segment plan[CAP];
			size_t cuts[CAP], n = lengths[l];
			size_t c = segmentation_cuts(&s, n, 3, cuts, CAP);
			size_t p = segmentation_plan(&s, n, cuts, c, plan, CAP);
			bool all = true;

			memset(seen, 0, n);
			for (size_t i = 0; i < p; i++) {
				CU_ASSERT_TRUE(plan[i].from < plan[i].to);
				for (size_t x = plan[i].from; x < plan[i].to;
				     x++)
					seen[x]++;
			}
			for (size_t x = 0; x < n; x++)
				all &= seen[x] == kinds[k].times;
			CU_ASSERT_TRUE(all);
			for (size_t i = 1; i < c; i++)
				CU_ASSERT_TRUE(cuts[i] > cuts[i - 1]);
		}
}

static void the_order_is_the_kinds_own(void)
{
	struct segmentation s = named("reordered");
	struct link_segment plan[CAP];
	size_t cuts[CAP];
	size_t c = segmentation_cuts(&s, 52, 0, cuts, CAP);

	CU_ASSERT_EQUAL(c, 4);
	CU_ASSERT_EQUAL(segmentation_plan(&s, 52, cuts, c, plan, CAP), 5);
	CU_ASSERT_EQUAL(plan[0].from, 11);
	CU_ASSERT_EQUAL(plan[1].from, 0);
	CU_ASSERT_EQUAL(plan[4].from, 44);
	s = named("octets");
	CU_ASSERT_EQUAL(segmentation_cuts(&s, 52, 0, cuts, CAP), 51);
	s = named("whole");
	CU_ASSERT_EQUAL(segmentation_cuts(&s, 52, 0, cuts, CAP), 0);
}

static void a_seed_is_a_seed(void)
{
	struct segmentation a = named("random:7"), b = named("random:8");
	size_t x[CAP], y[CAP];
	size_t n = segmentation_cuts(&a, 1448, 1, x, CAP);

	CU_ASSERT_EQUAL(segmentation_cuts(&a, 1448, 1, y, CAP), n);
	CU_ASSERT_EQUAL(memcmp(x, y, n * sizeof(x[0])), 0);
	size_t m = segmentation_cuts(&b, 1448, 1, y, CAP);

	CU_ASSERT_TRUE(m != n || memcmp(x, y, n * sizeof(x[0])) != 0);
	m = segmentation_cuts(&a, 1448, 2, y, CAP);
	CU_ASSERT_TRUE(m != n || memcmp(x, y, n * sizeof(x[0])) != 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"names are read", names_are_read},
		{"every octet is sent", every_octet_is_sent},
		{"the order is the kind's own", the_order_is_the_kinds_own},
		{"a seed is a seed", a_seed_is_a_seed},
	};

	return unit_run("segmentation", tests, UNIT_COUNT(tests));
}
