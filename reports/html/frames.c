/* SPDX-License-Identifier: BSD-2-Clause */
/* Each event of a case in words, its octets, and their meaning. */
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/fields.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"

/* The octets that the suite objects to, and the line that does. */
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

/* Its place: "4-7", or "2, bits 0-3". */
static void put_place(const struct field *f, FILE *out)
{
	if (f->span > 1)
		fprintf(out, "%zu\xe2\x80\x93%zu", f->at, f->at + f->span - 1);
	else
		fprintf(out, "%zu", f->at);
	if (f->bits == 1)
		fprintf(out, ", bit %u", f->first_bit);
	else if (f->bits)
		fprintf(out, ", bits %u\xe2\x80\x93%u", f->first_bit,
			f->first_bit + f->bits - 1);
}

static bool is_accused(const struct result_event *e, const struct field *f)
{
	for (size_t i = 0; i < e->mark_count; i++)
		if (f->at < e->marks[i].from + e->marks[i].octets &&
		    e->marks[i].from < f->at + f->span)
			return true;
	return false;
}

static void put_value(const struct field *f, FILE *out)
{
	char text[FIELD_TEXT], due[FIELD_TEXT];
	struct field as_due = *f;

	field_value_text(f, text);
	page_put(out, "<td><code>%s</code>%m", text,
		 f->cut ? " (cut short)" : "");
	if (!f->is_wrong)
		return;
	as_due.value = f->due;
	field_value_text(&as_due, due);
	page_put(out, " <span class=no>not %s</span>", due);
}

static void put_fields(const struct result_event *e, size_t i, FILE *out)
{
	static struct field list[FIELDS_MAX];
	const struct fields_framing how = {.markers = e->markers,
					   .marker_count = e->marker_count,
					   .crc_off = e->crc_off,
					   .crc = crc32c};
	size_t n = e->ppid ? fields_of_chunk(list, FIELDS_MAX, e->octets,
					     e->kept, e->ppid)
		   : e->kind == EVENT_STARTUP
			   ? fields_of_startup(list, FIELDS_MAX, e->octets,
					       e->kept)
		   : e->kind == EVENT_FRAME
			   ? fields_of_fpdu(list, FIELDS_MAX, e->octets,
					    e->kept, &how)
			   : 0;

	if (!n)
		return;
	if (n > FIELDS_MAX)
		n = FIELDS_MAX;
	page_put(
		out,
		"<div class=wide tabindex=0 role=region aria-label=\"Fields of "
		"event %z\"><table><caption>Fields</caption><thead><tr>"
		"<th scope=col>Of<th scope=col>Octets<th scope=col>Field"
		"<th scope=col>Value<th scope=col>Means<th scope=col>Section"
		"<tbody>\n",
		i + 1);
	for (size_t k = 0; k < n; k++) {
		const struct field *f = &list[k];
		bool accused = is_accused(e, f);

		page_put(out, "<tr%m><td>%m<td>", accused ? " class=bad" : "",
			 k && list[k - 1].part == f->part
				 ? ""
				 : field_part_name(f->part));
		put_place(f, out);
		page_put(out, "<th scope=row>%m%s",
			 accused ? "\xe2\x9c\x97 " : "", f->name);
		put_value(f, out);
		page_put(out, "<td>%s<td>%s\n", f->means, f->section);
	}
	fputs("</table></div>\n", out);
}

static void put_event(const struct site *s, const struct result *r, size_t i,
		      FILE *out)
{
	const struct result_event *e = &r->events[i];

	/* A line is not a section. */
	if (!e->kept) {
		page_put(out, "<p id=e%z>%z. %m%m: <code>%s</code></p>\n",
			 i + 1, i + 1,
			 event_is_accused(r, i) ? "\xe2\x9c\x97 " : "",
			 event_way(e), e->text);
		put_marks(s, r, e, out);
		return;
	}
	page_put(out, "<section id=e%z><h3>%z. %m%m: %s</h3>\n", i + 1, i + 1,
		 event_is_accused(r, i) ? "\xe2\x9c\x97 " : "", event_way(e),
		 e->text);
	if (e->kept)
		hex_put(e->octets, e->kept, e->n, e->marks, e->mark_count, out);
	put_marks(s, r, e, out);
	put_fields(e, i, out);
	fputs("</section>\n", out);
}

void frames_put(const struct site *s, const struct result *r, FILE *out)
{
	for (size_t i = 0; i < r->event_count; i++)
		put_event(s, r, i, out);
}
