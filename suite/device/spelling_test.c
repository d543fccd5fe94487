/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/device/spelling.h"

#include <string.h>

#include "harness/unit.h"

static void distances(void)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} rows[] = {
		{"", "", 0},           {"", "abc", 3},
		{"abc", "", 3},        {"abc", "abc", 0},
		{"abc", "abd", 1},     {"abc", "acb", 1},
		{"abc", "ab", 1},      {"ab", "abc", 1},
		{"agnet", "agent", 1}, {"kitten", "sitting", 3},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		CU_ASSERT_EQUAL(spelling_distance(rows[i].a, rows[i].b),
				rows[i].distance);
}

static const char *meant(const char *word)
{
	static const char *const names[] = {"device",  "refdut",  "report",
					    "resume",  "journal", "imm",
					    "control", "jobs"};
	struct spelling s = spelling_of(word);

	for (size_t i = 0; i < UNIT_COUNT(names); i++)
		spelling_offer(&s, names[i]);
	return s.nearest ? s.nearest : "";
}

static void what_is_near_is_meant(void)
{
	CU_ASSERT_STRING_EQUAL(meant("divice"), "device");
	CU_ASSERT_STRING_EQUAL(meant("reprot"), "report");
	CU_ASSERT_STRING_EQUAL(meant("reports"), "report");
	CU_ASSERT_STRING_EQUAL(meant("im"), "imm");
	CU_ASSERT_STRING_EQUAL(meant("job"), "jobs");
	CU_ASSERT_STRING_EQUAL(meant("frobnicate"), "");
	CU_ASSERT_STRING_EQUAL(meant(""), "");
	CU_ASSERT_STRING_EQUAL(meant("xyz"), "");
}

static void a_word_of_any_length(void)
{
	char word[300], line[32] = "no such thing";
	struct spelling s;

	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	s = spelling_of(word);
	spelling_offer(&s, "aa");
	spelling_offer(&s, word);
	CU_ASSERT_PTR_NULL(s.nearest);
	spelling_say(&s, line, sizeof(line));
	CU_ASSERT_STRING_EQUAL(line, "no such thing");
	s = spelling_of("agnet");
	spelling_offer(&s, "agent");
	spelling_say(&s, line, sizeof(line));
	CU_ASSERT_STRING_EQUAL(line, "no such thing; did you mean age");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"distances", distances},
		{"what is near is meant", what_is_near_is_meant},
		{"a word of any length", a_word_of_any_length},
	};

	return unit_run("spelling", tests, UNIT_COUNT(tests));
}
