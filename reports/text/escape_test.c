/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"
#include "reports/text/escape.h"

/* The limits of RFC 3629 s4, and of the allowed contents of a line. */
static const struct {
	const char *text, *controls, *lines, *none;
} rows[] = {
	{"", "", "", ""},
	{"plain ~", "plain ~", "plain ~", "plain ~"},
	{"a\tb\nc", "a\tb\nc", "a\tb\nc", "a\\x09b\\x0ac"},
	{"\x01\x1f\x7f", "\x01\x1f\x7f", "\\x01\\x1f\\x7f", "\\x01\\x1f\\x7f"},
	{"\xc2\x80\xc2\x9f\xc2\xa0", "\xc2\x80\xc2\x9f\xc2\xa0",
	 "\\u0080\\u009f\xc2\xa0", "\\u0080\\u009f\xc2\xa0"},
	/* What turns the order of a line round: U+202E, U+2066. */
	{"\xe2\x80\xae\xe2\x81\xa6x", "\xe2\x80\xae\xe2\x81\xa6x",
	 "\\u202e\\u2066x", "\\u202e\\u2066x"},
	{"\xc1\xbf", "\\xc1\\xbf", "\\xc1\\xbf", "\\xc1\\xbf"},
	{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf", "\\xe0\\x9f\\xbf",
	 "\\xe0\\x9f\\xbf"},
	{"\xe0\xa0\x80", "\xe0\xa0\x80", "\xe0\xa0\x80", "\xe0\xa0\x80"},
	{"\xed\x9f\xbf", "\xed\x9f\xbf", "\xed\x9f\xbf", "\xed\x9f\xbf"},
	{"\xed\xbf\xbf", "\\xed\\xbf\\xbf", "\\xed\\xbf\\xbf",
	 "\\xed\\xbf\\xbf"},
	{"\xef\xbf\xbd\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbf",
	 "\xef\xbf\xbd\\uffff", "\xef\xbf\xbd\\uffff"},
	{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf", "\\xf0\\x8f\\xbf\\xbf",
	 "\\xf0\\x8f\\xbf\\xbf"},
	{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf",
	 "\xf4\x8f\xbf\xbf"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80",
	 "\\xf4\\x90\\x80\\x80"},
	/* A sequence that the text's end, or another, cuts. */
	{"\xe2\x82", "\\xe2\\x82", "\\xe2\\x82", "\\xe2\\x82"},
	{"\xe2\x82\xc3\xa9", "\\xe2\\x82\xc3\xa9", "\\xe2\\x82\xc3\xa9",
	 "\\xe2\\x82\xc3\xa9"},
};

static void escaped_as(const char *text, enum escape_keep keep, const char *due)
{
	char *seen = escape_dup(text, keep);

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	if (strcmp(seen, due) != 0)
		fprintf(stderr, "seen '%s', due '%s'\n", seen, due);
	CU_ASSERT_STRING_EQUAL(seen, due);
	free(seen);
}

static void each_keeps_what_it_says(void)
{
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		escaped_as(rows[i].text, ESCAPE_KEEP_CONTROLS,
			   rows[i].controls);
		escaped_as(rows[i].text, ESCAPE_KEEP_LINES, rows[i].lines);
		escaped_as(rows[i].text, ESCAPE_KEEP_NONE, rows[i].none);
	}
}

static void lines_are_indented(void)
{
	static const char *const texts[][2] = {
		{"", ""},         {"a", "> a\n"},
		{"a\n", "> a\n"}, {"a\n\n b", "> a\n\n>  b\n"},
		{"\n", "\n"},     {"\r", "> \\x0d\n"},
	};

	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		escape_put_lines(out, texts[i][0], "> ");
		fclose(out);
		CU_ASSERT_STRING_EQUAL(text, texts[i][1]);
		free(text);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"each keeps what it says", each_keeps_what_it_says},
		{"lines are indented", lines_are_indented},
	};

	return unit_run("escape", tests, UNIT_COUNT(tests));
}
