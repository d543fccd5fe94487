/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

/*
 * The character at s, of at most n octets: its length, or 0 if no well-formed
 * UTF-8 sequence starts there (RFC 3629 s4: no overlong form, no surrogate,
 * nothing above U+10FFFF).
 */
static size_t character(const unsigned char *s, size_t n, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length;

	if (s[0] < 0x80) {
		*c = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > n)
		return 0;
	*c = s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3fu);
	}
	if (*c < least[length] || *c > 0x10ffff ||
	    (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return length;
}

/* It changes the display order of its neighbours (UAX 9 s2). */
static bool is_bidi_control(uint32_t c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool kept(uint32_t c, enum escape_keep keep)
{
	if (keep == ESCAPE_KEEP_CONTROLS)
		return true;
	if (c == '\t' || c == '\n')
		return keep == ESCAPE_KEEP_LINES;
	/* U+FFFE and U+FFFF are not characters of XML. */
	return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && c != 0xfffe &&
	       c != 0xffff && !is_bidi_control(c);
}

void escape_put(FILE *out, const char *s, size_t n, enum escape_keep keep)
{
	const unsigned char *p = (const unsigned char *)s;

	for (size_t i = 0; i < n;) {
		uint32_t c = 0;
		size_t length = character(p + i, n - i, &c);

		if (length && kept(c, keep))
			fwrite(p + i, 1, length, out);
		else if (length <= 1)
			fprintf(out, "\\x%02x", p[i]);
		else
			fprintf(out, "\\u%04x", (unsigned)c);
		i += length ? length : 1;
	}
}

void escape_put_lines(FILE *out, const char *s, const char *indent)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		if (n) {
			fputs(indent, out);
			escape_put(out, s, n, ESCAPE_KEEP_LINES);
		}
		fputc('\n', out);
		s += n + (s[n] == '\n');
	}
}

char *escape_dup(const char *s, enum escape_keep keep)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out)
		escape_put(out, s, strlen(s), keep);
	return memstream_finish(&m, NULL);
}
