/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reports/text/escape.h"

/* Characters that are markup, or start a mention or a link, within a line. */
#define MARKS "&<>\"'`*_[]|~#@\\:!$"

/* Write the octets of `marks` as entities, which are not markup. */
static void put(FILE *out, const char *text, size_t cap, const char *marks)
{
	size_t used = 0;

	for (const char *p = text; *p;) {
		/* Addresses become links without any mark. */
		bool www = *p == '.' && p - text >= 3 &&
			   strncasecmp(p - 3, "www", 3) == 0;
		/* Within a word it is not markup. */
		bool inner = *p == '_' && p > text &&
			     isalnum((unsigned char)p[-1]) &&
			     isalnum((unsigned char)p[1]);
		bool marked = www || (!inner && strchr(marks, *p));
		size_t octets = 1;

		while (((unsigned char)p[octets] & 0xc0) == 0x80)
			octets++;
		used += marked ? strlen("&#00;") + 1 : octets;
		if (used > cap) {
			fputs("...", out);
			return;
		}
		if (marked)
			fprintf(out, "&#%d;", *p);
		else
			fwrite(p, 1, octets, out);
		p += octets;
	}
}

void markdown_put(FILE *out, const char *text, size_t cap)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_NONE);

	if (clean)
		put(out, clean, cap, MARKS);
	free(clean);
}

/* The mark of text that would begin a list or underline a heading. */
static const char *put_begin_of_line(FILE *out, const char *line)
{
	size_t blank = strspn(line, " ");
	size_t digits = strspn(line + blank, "0123456789");
	const char *mark = line + blank + digits;

	fwrite(line, 1, blank + digits, out);
	if (!*mark || !strchr(digits ? ".)" : "+-=", *mark))
		return mark;
	fprintf(out, "&#%d;", *mark);
	return mark + 1;
}

void markdown_lines(FILE *out, const char *text, const char *newline)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_LINES);

	for (char *line = clean, *end; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		put(out, put_begin_of_line(out, line), SIZE_MAX, MARKS);
		if (end)
			fputs(newline, out);
	}
	free(clean);
}

void markdown_block(FILE *out, const char *text, size_t cap)
{
	char *clean = escape_dup(text, ESCAPE_KEEP_LINES);

	fputs("<pre>\n", out);
	if (clean)
		put(out, clean, cap, "&<>\"'@");
	fputs("\n</pre>\n", out);
	free(clean);
}
