/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdint.h>
#include <string.h>

#include "reports/html/page.h"
#include "reports/html/parts.h"

enum { PER_LINE = 16 };

static bool is_marked(size_t at, const struct result_mark *marks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (at >= marks[i].from && at - marks[i].from < marks[i].octets)
			return true;
	return false;
}

/* In a line, adjacent octets share one mark. */
static void put_octets(const uint8_t *octets, size_t from, size_t to,
		       const struct result_mark *marks, size_t mark_count,
		       FILE *out)
{
	bool open = false;

	for (size_t i = from; i < from + PER_LINE; i++) {
		bool marked = i < to && is_marked(i, marks, mark_count);

		if (open && !marked)
			fputs("</mark>", out);
		if (i > from)
			fputs(i % 8 ? " " : "  ", out);
		if (marked && !open)
			fputs("<mark>", out);
		open = marked;
		if (i < to)
			fprintf(out, "%02x", octets[i]);
		else
			fputs("  ", out);
	}
	if (open)
		fputs("</mark>", out);
}

void hex_put(const uint8_t *octets, size_t kept, size_t n,
	     const struct result_mark *marks, size_t mark_count, FILE *out)
{
	fputs("<div class=hex tabindex=0 role=group aria-label=\"Octets\">",
	      out);
	for (size_t at = 0; at < kept; at += PER_LINE) {
		size_t to = at + PER_LINE < kept ? at + PER_LINE : kept;
		char text[PER_LINE + 1];

		fprintf(out, "<span class=off>%04zx</span>  ", at);
		put_octets(octets, at, to, marks, mark_count, out);
		for (size_t i = at; i < to; i++)
			text[i - at] = octets[i] >= 0x20 && octets[i] < 0x7f
					       ? (char)octets[i]
					       : '.';
		text[to - at] = '\0';
		page_put(out, "  <span class=off>%s</span>\n", text);
	}
	fputs("</div>\n", out);
	if (kept < n)
		fprintf(out,
			"<p class=dim>The first %zu of %zu octets are "
			"kept.</p>\n",
			kept, n);
}
