/* SPDX-License-Identifier: BSD-2-Clause */
/* Each event of a case in words, its octets, and what they are. */
#include <string.h>

#include "reports/html/page.h"
#include "reports/html/parts.h"

/* What is objected to, and by which line. */
static void put_marks(const struct site *s, const struct result *r,
		      const struct result_event *e, FILE *out)
{
	for (size_t i = 0; i < e->mark_count; i++) {
		const struct result_mark *m = &e->marks[i];

		fputs("<p class=no>\xe2\x9c\x97 ", out);
		if (m->octets == 1)
			fprintf(out, "Octet %zu", m->from);
		else
			fprintf(out, "Octets %zu to %zu", m->from,
				m->from + m->octets - 1);
		fputs(", marked: ", out);
		if (m->line < r->line_count) {
			site_link_requirement(
				s, "../", r->lines[m->line].requirement, out);
			fprintf(out, ", <a href=\"#l%zu\">line %zu</a>",
				m->line + 1, m->line + 1);
		}
		fputs("</p>\n", out);
	}
}

static void put_event(const struct site *s, const struct result *r, size_t i,
		      FILE *out)
{
	const struct result_event *e = &r->events[i];

	page_put(out, "<section id=e%z><h3>%z. %m%m: %s</h3>\n", i + 1, i + 1,
		 event_is_accused(r, i) ? "\xe2\x9c\x97 " : "", event_way(e),
		 e->text);
	if (e->kept)
		hex_put(e->octets, e->kept, e->n, e->marks, e->mark_count, out);
	put_marks(s, r, e, out);
	fputs("</section>\n", out);
}

void frames_put(const struct site *s, const struct result *r, FILE *out)
{
	for (size_t i = 0; i < r->event_count; i++)
		put_event(s, r, i, out);
}
