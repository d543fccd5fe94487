/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"

#define UP "../"

static void put_standing(const struct site_requirement *q, FILE *out)
{
	bool broken = q->standing == STANDING_BROKEN;

	page_put(out, "<p>In this run: <b%m>%m</b>", broken ? " class=no" : "",
		 standing_name(q->standing));
	site_put_extent(q, out);
	if (broken) {
		fputs(", as ", out);
		page_count(out, q->broken_cases, "case");
		fputs(q->broken_cases == 1 ? " shows" : " show", out);
	}
	fputs(".</p>\n", out);
}

static void put_known(const struct background_requirement *k, FILE *out)
{
	if (!k)
		return;
	page_put(out,
		 "<dl><dt>Layer<dd>%s<dt>Binds the<dd>%s"
		 "<dt>What is sent<dd>%s<dt>What is due<dd>%s",
		 k->layer, k->actor, k->stimulus, k->expected);
	if (k->open)
		fputs("<dt>Kind<dd>The RFCs leave this open: the device's "
		      "choice is reported, and never fails.",
		      out);
	if (*k->untestable)
		page_put(out, "<dt>Why no case judges it<dd>%s", k->untestable);
	fputs("</dl>\n", out);
}

static void put_cases(const struct site *s, const struct site_requirement *q,
		      FILE *out)
{
	fputs("<h2>Cases about it</h2>\n", out);
	if (!q->case_count) {
		fputs("<p>None of this run", out);
		if (q->known && q->known->cases) {
			fputs("; the suite has ", out);
			page_count(out, q->known->cases, "case");
		}
		fputs(".</p>\n", out);
		return;
	}
	fputs("<div class=wide tabindex=0 role=region aria-label=\"Cases\">"
	      "<table><thead><tr><th scope=col>Case<th scope=col>Verdict"
	      "<th scope=col>This requirement<th scope=col>Subject"
	      "<tbody>\n",
	      out);
	for (size_t i = 0; i < q->case_count; i++) {
		const struct result *r = &s->run->results[q->cases[i]];

		fputs("<tr><th scope=row>", out);
		site_link_case(s, UP, q->cases[i], out);
		fputs("<td>", out);
		page_verdict(out, r->verdict);
		fputs(site_breaks(r, q->id)
			      ? "<td><b class=no>\xe2\x9c\x97 broken</b>"
			      : "<td>",
		      out);
		page_put(out, "<td>%s\n", r->title);
	}
	fputs("</table></div>\n", out);
}

/* That its cases can fail: devices with a fault of it, which they find. */
static void put_faults(const struct background_requirement *k, FILE *out)
{
	if (!k)
		return;
	fputs("<h2>Faults that prove it</h2>\n", out);
	if (!k->fault_count) {
		page_put(out, "<p>%s</p>\n",
			 *k->unbroken ? k->unbroken
				      : "None of the built-in device's faults "
					"breaks it.");
		return;
	}
	fputs("<p class=dim>The suite has to report each of these faults of "
	      "the built-in device under this requirement.</p>\n<dl>",
	      out);
	for (size_t i = 0; i < k->fault_count; i++)
		page_put(out, "<dt><code>--refdut=%s</code><dd>%s\n",
			 k->faults[i].name, k->faults[i].text);
	fputs("</dl>\n", out);
}

void requirement_page_put(const struct site *s,
			  const struct site_requirement *q, FILE *out)
{
	const struct page_step way[] = {
		{"Overview", UP "index.html"},
		{"Requirements", UP "requirements.html"},
	};
	const struct page page = {.kind = "report",
				  .title = q->id,
				  .way = way,
				  .steps = 2,
				  .suite = s->run->suite_name};

	page_begin(&page, out);
	page_put(out, "<h1>%s %s</h1>\n<p class=dim>", q->id, site_level(q));
	page_section(out, site_section(q));
	page_put(out, "</p>\n<p>%s</p>\n", site_statement(q));
	put_standing(q, out);
	if (q->broken) {
		fputs("<div class=bad>", out);
		page_lines(out, q->broken->text);
		fputs("</div>", out);
	}
	put_known(q->known, out);
	put_cases(s, q, out);
	put_faults(q->known, out);
	page_end(&page, out);
}

/* --- all of them --------------------------------------------------------- */

static const char *spec_of(const struct site_requirement *q, size_t *n)
{
	const char *section = site_section(q);
	const char *end = strstr(section, " s");

	*n = end ? (size_t)(end - section) : strlen(section);
	return section;
}

static bool same_spec(const struct site_requirement *a,
		      const struct site_requirement *b)
{
	size_t n, m;
	const char *x = spec_of(a, &n), *y = spec_of(b, &m);

	return n == m && memcmp(x, y, n) == 0;
}

static int by_section(const void *a, const void *b)
{
	const struct site_requirement *x = *(void *const *)a,
				      *y = *(void *const *)b;
	int order;

	/* The catalogue is in the order of the sections. */
	if (x->known && y->known)
		return x->known < y->known ? -1 : x->known > y->known;
	if (!x->known != !y->known)
		return x->known ? -1 : 1;
	order = strcmp(site_section(x), site_section(y));
	return order ? order : strcmp(x->id, y->id);
}

static void put_rows(const struct site *s, const struct site_requirement **list,
		     FILE *out)
{
	size_t n;

	for (size_t i = 0; i < s->requirement_count; i++) {
		const struct site_requirement *q = list[i];

		if (!i || !same_spec(list[i - 1], q)) {
			char *spec;
			const char *text = spec_of(q, &n);

			spec = text_held(strndup(text, n));
			page_put(out,
				 "<tbody><tr><th scope=rowgroup colspan=5>"
				 "%s\n",
				 spec && *spec ? spec
					       : "From another catalogue");
			free(spec);
		}
		page_put(out,
			 "<tr><th scope=row><a href=\"requirements/%m\">%s</a>"
			 "<td>%s<td>%m%m%m",
			 q->page, q->id, site_level(q),
			 q->standing == STANDING_BROKEN
				 ? "<b class=no>\xe2\x9c\x97 "
				 : "",
			 standing_name(q->standing),
			 q->standing == STANDING_BROKEN ? "</b>" : "");
		site_put_extent(q, out);
		page_put(out, "<td class=n>%z<td>%s\n", q->case_count,
			 site_statement(q));
	}
}

void requirement_index_put(const struct site *s, FILE *out)
{
	const struct page_step way[] = {{"Overview", "index.html"}};
	const struct page page = {.kind = "report",
				  .title = "Requirements",
				  .way = way,
				  .steps = 1,
				  .suite = s->run->suite_name};
	const struct site_requirement **list =
		text_held(calloc(s->requirement_count + 1, sizeof(*list)));

	page_begin(&page, out);
	fputs("<h1>Requirements</h1>\n", out);
	coverage_put(s, out);
	fputs("<div class=wide tabindex=0 role=region "
	      "aria-label=\"Requirements\"><table><caption>In the order of the "
	      "specifications</caption><thead><tr><th scope=col>Requirement"
	      "<th scope=col>Level<th scope=col>In this run<th scope=col "
	      "class=n>Cases<th scope=col>What has to hold\n",
	      out);
	for (size_t i = 0; list && i < s->requirement_count; i++)
		list[i] = &s->requirements[i];
	if (list) {
		qsort(list, s->requirement_count, sizeof(*list), by_section);
		put_rows(s, list, out);
	}
	fputs("</table></div>\n", out);
	page_end(&page, out);
	free(list);
}
