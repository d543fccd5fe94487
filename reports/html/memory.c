/* SPDX-License-Identifier: BSD-2-Clause */
/* Octets of the device's memory: before, as due, and after, side by side. */
#include <inttypes.h>

#include "reports/html/page.h"
#include "reports/html/parts.h"

enum { PER_ROW = 8 };

/* Whether the final value of an octet differs from the one due; if that is
 * unknown, from the earlier one. */
static bool differs(const struct result_memory *m, size_t i)
{
	const uint8_t *should = m->due ? m->due : m->before;

	return m->after && should && m->after[i] != should[i];
}

static void put_cell(const struct result_memory *m, const uint8_t *octets,
		     size_t at, FILE *out)
{
	size_t to = at + PER_ROW < m->octets ? at + PER_ROW : m->octets;

	if (!octets)
		return;
	fputs("<td><code>", out);
	for (size_t i = at; i < to; i++) {
		bool mark = octets == m->after && differs(m, i);

		fprintf(out, "%s%s%02x%s", i > at ? " " : "",
			mark ? "<mark>" : "", octets[i], mark ? "</mark>" : "");
	}
	fputs("</code>", out);
}

static void put_head(const char *name, const uint8_t *octets, FILE *out)
{
	if (octets)
		fprintf(out, "<th scope=col>%s", name);
}

static void put_one(const struct site *s, const struct result *r,
		    const struct result_memory *m, FILE *out)
{
	size_t wrong = 0;

	for (size_t i = 0; i < m->octets; i++)
		wrong += differs(m, i);
	page_put(out, "<p>%s", m->region);
	if (m->line < r->line_count) {
		fputs("; compared by ", out);
		site_link_requirement(s, "../", r->lines[m->line].requirement,
				      out);
	}
	fputs("; ", out);
	page_count(out, wrong, "octet");
	page_put(out,
		 " %m%m</p>\n<div class=wide tabindex=0 role=region "
		 "aria-label=\"%s\"><table><thead><tr><th scope=col>offset",
		 m->due ? "different from due" : "changed",
		 wrong ? ", marked" : "", m->region);
	put_head("before", m->before, out);
	put_head("due", m->due, out);
	put_head("after", m->after, out);
	fputs("<tbody>\n", out);
	for (size_t at = 0; at < m->octets; at += PER_ROW) {
		fprintf(out, "<tr><th scope=row><code>%" PRIu64 "</code>",
			m->offset + at);
		put_cell(m, m->before, at, out);
		put_cell(m, m->due, at, out);
		put_cell(m, m->after, at, out);
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

void memory_put(const struct site *s, const struct result *r, FILE *out)
{
	for (size_t i = 0; i < r->memory_count; i++)
		put_one(s, r, &r->memory[i], out);
}
