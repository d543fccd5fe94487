/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/reasons.h"

#include <stdlib.h>

#include "harness/unit.h"

#define SKIPPED(why)                                                           \
	{                                                                      \
		.verdict = VERDICT_SKIP, .reason = (why)                       \
	}

static struct result_reason *reasons;
static size_t n;

static void group(const struct result *r, size_t count)
{
	free(reasons);
	reasons = reasons_of(r, count, &n);
}

static void is(size_t i, size_t cases, const char *text)
{
	CU_ASSERT_FATAL(i < n);
	CU_ASSERT_EQUAL(reasons[i].cases, cases);
	CU_ASSERT_STRING_EQUAL(reasons[i].text, text);
}

static void none(void)
{
	static const struct result r[] = {
		{.verdict = VERDICT_PASS, .reason = ""},
		{.verdict = VERDICT_ERROR, .reason = "the agent is gone"},
		SKIPPED(""),
	};

	group(r, UNIT_COUNT(r));
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_PTR_NULL(reasons);
	group(r, 0);
	CU_ASSERT_EQUAL(n, 0);
}

static void most_first_then_by_name(void)
{
	static const struct result r[] = {SKIPPED("b"), SKIPPED("c"),
					  SKIPPED("a"), SKIPPED("c")};

	group(r, UNIT_COUNT(r));
	CU_ASSERT_EQUAL(n, 3);
	is(0, 2, "c");
	is(1, 1, "a");
	is(2, 1, "b");
}

static void several_features_count_for_the_commonest(void)
{
	static const struct result r[] = {
		SKIPPED("the device does not claim imm, read"),
		SKIPPED("the device does not claim read"),
		SKIPPED("the device does not claim imm"),
		SKIPPED("the device does not claim rtr-read, read"),
		SKIPPED("the device does not claim sctp"),
	};

	group(r, UNIT_COUNT(r));
	CU_ASSERT_EQUAL(n, 3);
	is(0, 3, "the device does not claim read");
	is(1, 1, "the device does not claim imm");
	is(2, 1, "the device does not claim sctp");
}

static void a_sentence_is_no_list(void)
{
	static const struct result r[] = {
		SKIPPED("the device does not claim read, and that is all"),
		SKIPPED("the device does not claim read"),
		SKIPPED("the device does not claim "),
	};

	group(r, UNIT_COUNT(r));
	CU_ASSERT_EQUAL(n, 3);
	is(0, 1, "the device does not claim ");
	is(1, 1, "the device does not claim read");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"no SKIP, no reason", none},
		{"most cases first, then by name", most_first_then_by_name},
		{"a list of features counts for the commonest of them",
		 several_features_count_for_the_commonest},
		{"a sentence is no list", a_sentence_is_no_list},
	};

	return unit_run("reasons", tests, UNIT_COUNT(tests));
}
