/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/dimension/axes.h"

#include <stdio.h>
#include <string.h>

#include "harness/unit.h"
#include "suite/dimension/dimension.h"

static const char *text_of(const struct axes *s)
{
	static char line[AXES_TEXT];

	axes_format(s, line, sizeof(line));
	return line;
}

static void names_are_their_own(void)
{
	for (unsigned a = 0; a < AXIS_COUNT; a++) {
		size_t n = axis_points((enum axis)a);

		for (unsigned b = 0; b < a; b++)
			CU_ASSERT_STRING_NOT_EQUAL(axis_name((enum axis)a),
						   axis_name((enum axis)b));
		for (size_t p = 0; p < n; p++)
			for (size_t q = 0; q < p; q++)
				CU_ASSERT_STRING_NOT_EQUAL(
					axis_point((enum axis)a, p),
					axis_point((enum axis)a, q));
	}
}

static void values_have_edges(void)
{
	static const uint64_t between[] = {
		2, 254, 258, 300, 65534, 65538, (1ull << 32) + 2, UINT64_MAX};
	struct axes s = {{0}};

	for (size_t i = 0; i < UNIT_COUNT(between); i++)
		axes_add_value(&s, AXIS_PEER_TO, between[i]);
	CU_ASSERT_STRING_EQUAL(text_of(&s), "");
	axes_add_value(&s, AXIS_PEER_TO, 0);
	axes_add_value(&s, AXIS_PEER_TO, 1);
	axes_add_value(&s, AXIS_PEER_TO, 255);
	axes_add_value(&s, AXIS_PEER_TO, 1ull << 24);
	axes_add_value(&s, AXIS_PEER_TO, (1ull << 31) + 1);
	axes_add_value(&s, AXIS_PEER_TO, 1ull << 32);
	CU_ASSERT_STRING_EQUAL(text_of(&s),
			       "peer-to:0,1,2^8-1,2^24,2^31+1,2^32");
}

static void lengths_fill_segments(void)
{
	struct axes s = {{0}};

	axes_add_length(&s, AXIS_DUT_LENGTH, DIMENSION_MULPDU - 15, 14);
	CU_ASSERT_STRING_EQUAL(text_of(&s), "dut-length:mulpdu-1");
	axes_add_length(&s, AXIS_DUT_LENGTH, DIMENSION_MULPDU - 14, 14);
	axes_add_length(&s, AXIS_DUT_LENGTH, DIMENSION_MULPDU - 17, 18);
	CU_ASSERT_STRING_EQUAL(text_of(&s),
			       "dut-length:mulpdu-1,mulpdu,mulpdu+1");
}

static void counts_are_reached(void)
{
	struct axes s = {{0}};

	axes_add_count(&s, AXIS_PEER_COUNT, 256);
	CU_ASSERT_STRING_EQUAL(text_of(&s), "");
	axes_add_count(&s, AXIS_PEER_COUNT, 1025);
	CU_ASSERT_STRING_EQUAL(text_of(&s), "peer-count:257th,1025th");
}

static void opcodes_are_points(void)
{
	struct axes s = {{0}};

	axes_add_opcode(&s, AXIS_PEER_OPCODE, 0);
	axes_add_opcode(&s, AXIS_PEER_OPCODE, 11);
	axes_add_opcode(&s, AXIS_DUT_OPCODE, 12);
	axes_add_opcode(&s, AXIS_DUT_OPCODE, 15);
	CU_ASSERT_STRING_EQUAL(text_of(&s), "peer-opcode:write,atomic-response "
					    "dut-opcode:unassigned");
}

static void sets_are_merged(void)
{
	struct axes a = {{0}}, b = {{0}};

	axes_add(&a, AXIS_ROLE, ROLE_IS_INITIATOR);
	axes_add(&b, AXIS_PEER_PAGE, PAGE_CROSSED);
	axes_merge(&a, &b);
	CU_ASSERT_TRUE(axes_has(&a, AXIS_ROLE, ROLE_IS_INITIATOR));
	CU_ASSERT_FALSE(axes_has(&a, AXIS_ROLE, ROLE_IS_RESPONDER));
	CU_ASSERT_TRUE(axes_has(&a, AXIS_PEER_PAGE, PAGE_CROSSED));
}

static void all_points_are_a_line(void)
{
	struct axes all = {{0}}, back = {{0}};
	char line[AXES_TEXT];

	for (unsigned a = 0; a < AXIS_COUNT; a++)
		for (size_t p = 0; p < axis_points((enum axis)a); p++)
			axes_add(&all, (enum axis)a, p);
	size_t n = axes_format(&all, line, sizeof(line));

	CU_ASSERT_EQUAL(n, strlen(line));
	CU_ASSERT_TRUE(n + 256 < AXES_TEXT); /* so that nothing was left out */
	CU_ASSERT_TRUE(axes_parse(&back, line));
	CU_ASSERT_EQUAL(memcmp(&all, &back, sizeof(all)), 0);
	/* Whatever room there is: what is there is a line. */
	for (size_t cap = 1; cap < n; cap++) {
		n = axes_format(&all, line, cap);
		CU_ASSERT_TRUE(n < cap && n == strlen(line));
	}
}

static void other_programs_know_more(void)
{
	struct axes s = {{0}};

	CU_ASSERT_TRUE(axes_parse(
		&s, "role:responder,dreamer gone:a,b stream:second"));
	CU_ASSERT_STRING_EQUAL(text_of(&s), "role:responder stream:second");
}

static void no_line_is_found_out(void)
{
	static const char *const bad[] = {"role",
					  "role:",
					  ":responder",
					  " role:a",
					  "role:responder ",
					  "role:responder,",
					  "role:,next",
					  "role:a  stream:next"};
	struct axes s = {{0}};

	for (size_t i = 0; i < UNIT_COUNT(bad); i++)
		CU_ASSERT_FALSE(axes_parse(&s, bad[i]));
	CU_ASSERT_TRUE(axes_parse(&s, ""));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"names are their own", names_are_their_own},
		{"values have edges", values_have_edges},
		{"lengths fill segments", lengths_fill_segments},
		{"counts are reached", counts_are_reached},
		{"opcodes are points", opcodes_are_points},
		{"sets are merged", sets_are_merged},
		{"all points are a line", all_points_are_a_line},
		{"other programs know more", other_programs_know_more},
		{"no line is found out", no_line_is_found_out},
	};

	return unit_run("axes", tests, UNIT_COUNT(tests));
}
