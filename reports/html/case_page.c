/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/html/detail.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"
#include "reports/report.h"
#include "reports/text/plain.h"

#define UP "../"

/* The most important facts first. */
/* `copied`: its capture is among the pages. */
static void put_facts(const struct site *s, size_t i, bool copied, FILE *out)
{
	const struct result *r = &s->run->results[i];

	fputs("<dl><dt>Verdict<dd>", out);
	page_verdict(out, r->verdict);
	page_put(out, *r->reason ? " %s" : "%s", r->reason);
	if (r->retried)
		page_put(out, "<dt>Run again, alone<dd>%s", r->retried);
	if (r->blocked_by) {
		fputs("<dt>Blocked by<dd>", out);
		site_link_id(s, UP, r->blocked_by, out);
		if (r->block_known)
			fputs(" (a known deviation)", out);
	}
	fputs("<dt>Case<dd><code>", out);
	page_id(out, r->id);
	fputs("</code>", out);
	if (*r->role)
		page_put(out, "<dt>The device is<dd>%s", r->role);
	if (*r->level)
		page_put(out, "<dt>Strongest level judged<dd>%s", r->level);
	if (r->requirement_count)
		fputs("<dt>Judges<dd>", out);
	for (size_t k = 0; k < r->requirement_count; k++) {
		fputs(k ? ", " : "", out);
		site_link_requirement(s, UP, r->requirements[k], out);
	}
	page_put(out, "<dt>How the stream ended<dd>%m",
		 plain_teardown(r->teardown));
	if (r->reading && *r->reading)
		page_put(out, "<dt>Judged under reading<dd>%s", r->reading);
	fprintf(out, "<dt>Took<dd>%.1f ms", (double)r->duration_ns / 1e6);
	if (r->capture) {
		char *link = copied ? site_capture(s, i)
				    : report_tree_link(s->tree, r->capture);

		if (link)
			page_put(out, "<dt>Capture<dd><a href=\"%m%m\">%s</a>",
				 copied ? UP : "", link, r->capture);
		else
			page_put(out,
				 "<dt>Capture<dd><code>%s</code>, which was "
				 "missing when this page was written",
				 r->capture);
		free(link);
	}
	fputs("</dl>\n", out);
}

static void put_broken(const struct site *s, const struct result *r, FILE *out)
{
	if (!r->broken_count)
		return;
	fputs("<h2>Broken requirements</h2>\n", out);
	for (size_t i = 0; i < r->broken_count; i++) {
		const struct result_broken *b = &r->broken[i];

		page_put(out, "<article class=\"card bad\" id=b%z><h3>", i + 1);
		site_link_requirement(s, UP, b->requirement, out);
		page_put(out, " %s <small class=dim>", b->level);
		page_section(out, b->section);
		page_put(out, "%m</small></h3><p>%s</p>",
			 b->by_model ? "; the golden model objects" : "",
			 site_sentence(s, b));
		page_lines(out, b->text);
		if (*b->known)
			page_put(out, "<p>Known: %s</p>", b->known);
		fputs("</article>\n", out);
	}
}

/* Requirements that failed as a consequence: their ids, between blanks. */
static void put_consequences(const struct site *s, const struct result *r,
			     FILE *out)
{
	char *ids = r->consequences ? text_held(strdup(r->consequences)) : NULL;
	const char *join = "<h2>Consequences</h2>\n<p>Consequences of a broken "
			   "requirement, not blamed on the device: ";
	char *rest = NULL;

	for (char *id = ids ? strtok_r(ids, " \n", &rest) : NULL; id;
	     id = strtok_r(NULL, " \n", &rest)) {
		fputs(join, out);
		site_link_requirement(s, UP, id, out);
		join = ", ";
	}
	if (*join == ',')
		fputs(".</p>\n", out);
	free(ids);
}

/* What the cards and the table of lines do not have: choices, the meaning of
 * fields under a reading, the program of an exploration; and without that
 * table, consequences. */
static void put_detail(const struct result *r, FILE *out)
{
	detail_put(r,
		   r->broken_count ? "<h2 id=seen>What else was seen</h2>\n"
				   : "<h2 id=seen>What was seen</h2>\n",
		   out);
}

/* The stimulus and the expectation from the catalogue. */
static void put_sentences(const struct site *s, const struct result *r,
			  FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < r->requirement_count; i++) {
		const struct site_requirement *q =
			site_requirement(s, r->requirements[i]);

		if (!q || !q->known)
			continue;
		if (!any)
			fputs("<h2>Stimulus and expectation</h2>\n<dl>", out);
		any = true;
		fputs("<dt>", out);
		site_link_requirement(s, UP, q->id, out);
		page_put(out,
			 "<dd>%s<br><span class=dim>Sent:</span> %s<br>"
			 "<span class=dim>Due:</span> %s\n",
			 q->known->statement, q->known->stimulus,
			 q->known->expected);
	}
	if (any)
		fputs("</dl>\n", out);
}

static const char *came_to(const struct result_line *l)
{
	return l->ok            ? "held"
	       : l->consequence ? "consequence"
				: "<b class=no>\xe2\x9c\x97 failed</b>";
}

/* What was due and seen; a reference, if the page has it above. */
static void put_due_and_seen(const struct result *r,
			     const struct result_line *l, FILE *out)
{
	size_t card = detail_card(r, l->requirement, l->text);

	if (!l->ok && card < r->broken_count)
		page_put(out, "<a href=\"#b%z\">as stated above</a>", card + 1);
	else if (detail_shows(r, l->requirement, l->text))
		fputs("<a href=\"#seen\">as seen above</a>", out);
	else
		page_lines(out, l->text);
}

static void put_lines(const struct site *s, const struct result *r, FILE *out)
{
	if (!r->line_count)
		return;
	fputs("<h2>The lines of the case</h2>\n"
	      "<div class=wide tabindex=0 role=region aria-label=\"Lines of "
	      "the case\"><table><thead><tr>"
	      "<th scope=col>Line<th scope=col>Requirement<th scope=col>"
	      "Result<th scope=col>Due and seen<th scope=col>Event<tbody>\n",
	      out);
	for (size_t i = 0; i < r->line_count; i++) {
		const struct result_line *l = &r->lines[i];

		page_put(out, "<tr id=l%z><th scope=row>%z<td>", i + 1, i + 1);
		site_link_requirement(s, UP, l->requirement, out);
		page_put(out, "<br><small class=dim>%s%m</small><td>%m<td>",
			 l->level, l->by_model ? ", golden model" : "",
			 came_to(l));
		put_due_and_seen(r, l, out);
		fputs("<td>", out);
		if (l->event && l->event <= r->event_count)
			fprintf(out, "<a href=\"#e%zu\">%zu</a>", l->event,
				l->event);
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

/* The case in the words of its file. */
static void put_procedure(const struct site *s, const struct result *r,
			  FILE *out)
{
	const struct background_case *c =
		s->run->background
			? background_case_of(s->run->background, r->id)
			: NULL;

	if (!c || !*c->procedure)
		return;
	page_put(out, "<h2>What the case does</h2>\n<p>%s</p>\n", c->procedure);
	if (*c->discussion)
		page_put(out, "<p class=dim>%s</p>\n", c->discussion);
}

static void put_again(const struct site *s, const struct result *r, FILE *out)
{
	if (!s->run->again || !*s->run->again)
		return;
	fputs("<h2>Run just this again</h2>\n<pre class=run>", out);
	page_put(out, "%s %s</pre>\n", s->run->again, r->id);
}

/* By the log hook of the device file. */
static void put_device_log(const struct result *r, FILE *out)
{
	if (!r->device_log)
		return;
	fputs("<h2>Log of the device</h2>\n<p class=dim>Output of the log hook "
	      "after the case had ended. Other cases may have run at the same "
	      "time.</p>\n",
	      out);
	page_lines(out, *r->device_log ? r->device_log : "(nothing)");
}

/* The events that were kept. */
static void put_evidence(const struct site *s, const struct result *r,
			 FILE *out)
{
	if (r->event_count) {
		fputs("<h2>Ladder</h2>\n", out);
		ladder_put(r, out);
	}
	if (r->memory_count) {
		fputs("<h2>Memory of the device</h2>\n", out);
		memory_put(s, r, out);
	}
	if (r->event_count) {
		fputs("<h2>What crossed the wire, and what the agent said"
		      "</h2>\n",
		      out);
		frames_put(s, r, out);
	}
	if (!r->event_count && r->verdict != VERDICT_SKIP && !r->not_run)
		fputs("<p class=dim>The events of this case were not "
		      "kept.</p>\n",
		      out);
}

void case_page_put(const struct site *s, size_t i, bool capture, FILE *out)
{
	const struct result *r = &s->run->results[i];
	char *file = text_held(strndup(r->id, report_file_length(r->id)));
	const struct page_step way[] = {
		{"Overview", UP "index.html"},
		{file && *file ? file : "Cases", UP "index.html#all-cases"},
	};
	const struct page page = {.kind = "report",
				  .title = r->title,
				  .way = way,
				  .steps = 2,
				  .suite = s->run->suite_name};

	page_begin(&page, out);
	page_put(out, "<h1>%s</h1>\n", r->title);
	put_facts(s, i, capture, out);
	put_broken(s, r, out);
	put_consequences(s, r, out);
	put_procedure(s, r, out);
	put_again(s, r, out);
	put_detail(r, out);
	put_sentences(s, r, out);
	put_lines(s, r, out);
	put_device_log(r, out);
	put_evidence(s, r, out);
	page_end(&page, out);
	free(file);
}
