/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/choice.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

/* Remarks that say nothing more than the line; earlier reports have others. */
static const char *const wording[] = {
	" (seen: as expected)",
	" (seen: not the case)",
	" (seen: so it is)",
	" (seen: it is not so)",
};

/* "[00 1f]", "[00 1f ... (96 octets)]": how long it is, or 0. */
static size_t octets_at(const char *s)
{
	if (s[0] != '[')
		return 0;

	size_t n = 1 + strspn(s + 1, "0123456789abcdef .");

	if (n > 2 && s[n] == '(')
		n += strspn(s + n, "(0123456789 octets)");
	return n > 2 && s[n] == ']' ? n + 1 : 0;
}

/* " (one of 2 outcomes allowed)", " (reading NAME)": the same. */
static size_t remark_at(const char *s)
{
	size_t n = strcspn(s, ")");

	if (!s[n])
		return 0;
	if (strncmp(s, " (one of ", 9) == 0 &&
	    strncmp(s + n - 8, " allowed", 8) == 0)
		return n + 1;
	if (strncmp(s, " (reading ", 10) == 0)
		return n + 1;
	for (size_t i = 0; i < sizeof(wording) / sizeof(wording[0]); i++)
		if (strncmp(s, wording[i], strlen(wording[i])) == 0)
			return strlen(wording[i]);
	return 0;
}

/* "94429927358467 (0x55e22e46c003)", "0x55e22e46c003": an address or a key,
 * which is not a choice. Smaller numbers are kept. */
static size_t address_at(const char *s)
{
	size_t n = strspn(s, "0123456789"), hex;

	if (n == 1 && strncmp(s, "0x", 2) == 0) {
		hex = strspn(s + 2, "0123456789abcdef");
		return hex > 4 ? hex + 2 : 0;
	}
	if (!n || strncmp(s + n, " (0x", 4) != 0)
		return 0;
	hex = strspn(s + n + 4, "0123456789abcdef");
	return hex > 4 && s[n + 4 + hex] == ')' ? n + hex + 5 : 0;
}

static void put_line(FILE *out, const char *s, size_t n)
{
	const char *end = s + n;
	char last = ' ';

	while (s < end) {
		size_t skip = octets_at(s);

		if (!skip)
			skip = remark_at(s);
		if (skip) {
			s += skip;
			continue;
		}
		skip = last < '0' || last > '9' ? address_at(s) : 0;
		if (skip) {
			fputs("(an address or key)", out);
			s += skip;
			last = ')';
			continue;
		}
		/* No blank before a part that was left out. */
		if (*s != ' ' || (s[1] && !octets_at(s + 1)))
			fputc(*s, out);
		last = *s++;
	}
	fputc('\n', out);
}

static bool is_choice(const struct result *r)
{
	return r->verdict == VERDICT_PASS || r->verdict == VERDICT_INFO;
}

/* The lines below each requirement's, which stand deeper. */
static void put_choice(FILE *out, const char *detail)
{
	while (*detail) {
		size_t n = strcspn(detail, "\n"), blanks = strspn(detail, " ");

		if (blanks && blanks < n) {
			char *line =
				text_held(strndup(detail + blanks, n - blanks));

			if (line)
				put_line(out, line, strlen(line));
			free(line);
		}
		detail += n + (detail[n] == '\n');
	}
}

/* The same line twice says no more than once. */
static void drop_twins(char *text)
{
	char *out = text;

	for (char *line = text; *line;) {
		size_t n = strcspn(line, "\n") + 1;
		bool twin = false;

		for (char *p = text; p < out; p += strcspn(p, "\n") + 1)
			twin |= strncmp(p, line, n) == 0;
		if (!twin) {
			memmove(out, line, n);
			out += n;
		}
		line += n;
	}
	*out = '\0';
}

char *choice_of(const struct result *r)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out && is_choice(r))
		put_choice(out, r->detail);
	char *text = memstream_finish(&m, NULL);

	if (text)
		drop_twins(text);
	return text;
}

char *choice_without_octets(const char *lines)
{
	char *text = text_held(strdup(lines)), *out = text;

	for (const char *p = text; p && *p;) {
		size_t skip = octets_at(p);

		if (skip && out > text && out[-1] == ' ')
			out--;
		if (skip)
			p += skip;
		else
			*out++ = *p++;
	}
	if (text)
		*out = '\0';
	return text;
}
