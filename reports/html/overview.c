/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/text/dimensions.h"
#include "reports/html/detail.h"
#include "reports/html/page.h"
#include "reports/html/parts.h"
#include "reports/text/plain.h"
#include "reports/report.h"
#include "reports/ranking.h"

enum { LISTED_IN_SHORT = 4 };

#define REGION "<div class=wide tabindex=0 role=region aria-label="

/* --- head ------------------------------------------------------------------ */

static void put_counts(const struct run_result *run, FILE *out)
{
	static const char *const where[VERDICT_COUNT] = {
		[VERDICT_FAIL] = "broken",
		[VERDICT_WARN] = "broken",
		[VERDICT_XFAIL] = "broken",
		[VERDICT_INFO] = "choices",
		[VERDICT_SKIP] = "not-applicable",
		[VERDICT_BLOCKED] = "blocked",
	};

	fputs("<ul class=tiles>", out);
	for (int v = 0; v < VERDICT_COUNT; v++) {
		bool always = v == VERDICT_PASS || v == VERDICT_FAIL;

		if (!run->totals[v] && !always)
			continue;
		page_put(out, "<li><a href=\"#%m\"><strong>%z</strong>",
			 run->totals[v] && where[v] ? where[v] : "all-cases",
			 run->totals[v]);
		page_verdict(out, v);
		fputs("</a>", out);
	}
	fputs("</ul>\n", out);
}

static void put_term(FILE *out, const char *name, const char *text)
{
	if (*text)
		page_put(out, "<dt>%s<dd>%s", name, text);
}

/* The device, and the suite that judged it. */
static void put_identity(const struct run_result *run, FILE *out)
{
	char started[REPORT_TIME_SIZE];

	report_time(started, &run->started);
	fputs("<dl>", out);
	put_term(out, "Device", run->device_name);
	for (size_t i = 0; i < run->identity_count; i++)
		put_term(out, run->identity[i].name, run->identity[i].value);
	put_term(out, "Implementation", run->device_impl);
	put_term(out, "Specification", run->spec);
	page_put(out, "<dt>Suite<dd>%s %s%m%s%m", run->suite_name,
		 run->suite_version, *run->suite_build ? " (" : "",
		 run->suite_build, *run->suite_build ? ")" : "");
	page_put(out, "<dt>Begun<dd>%s", started);
	fputs("</dl>\n", out);
}

static void put_state(const struct run_result *run, const struct ranked *worst,
		      size_t broken, FILE *out)
{
	size_t not_run = report_not_run(run), known = 0;
	char levels[RANKING_LEVELS];

	for (size_t i = 0; i < broken; i++)
		known += worst[i].known == worst[i].cases;

	fputs("<p><strong>", out);
	if (broken) {
		report_levels(levels, worst, broken);
		page_put(out, "Requirements broken: %m", levels);
		if (known == broken)
			fputs(", as known", out);
		else if (known)
			page_put(out, ", %z of them known", known);
	} else if (!run->totals[VERDICT_PASS] && !run->totals[VERDICT_FAIL]) {
		fputs("Nothing could be judged", out);
	} else if (run->totals[VERDICT_FAIL] || run->totals[VERDICT_ERROR] ||
		   run->totals[VERDICT_BLOCKED]) {
		fputs("Not everything could be judged", out);
	} else {
		fputs("No requirement was found broken", out);
	}
	fprintf(out,
		".</strong> %zu of %zu applicable cases ran, in %.1f s; exit "
		"status %d",
		report_ran(run), report_applicable(run),
		(double)run->duration_ns / 1e9, run->exit_status);
	page_put(out, *run->note ? ". Note: %s" : "%s", run->note);
	fputs(".</p>\n", out);
	if (not_run) {
		fputs("<p class=no>", out);
		page_count(out, not_run, "case");
		fputs(" did not run: the run ended early.</p>\n", out);
	}
}

/* --- broken requirements -------------------------------------------------- */

static void put_worst(const struct site *s, const struct ranked *w, size_t nth,
		      FILE *out)
{
	const struct result_broken *b = w->example;

	page_put(out, "<article class=\"card bad%m\" id=b%z><h3>",
		 report_is_must(b) && w->known < w->cases ? "" : " soft", nth);
	site_link_requirement(s, "", b->requirement, out);
	page_put(out, " %s <small class=dim>", b->level);
	page_section(out, b->section);
	page_put(out, "</small></h3><p>%s</p>\n", site_sentence(s, b));
	page_lines(out, b->text);
	fputs("<p>", out);
	page_count(out, w->cases, "case");
	if (w->known)
		page_put(out, ", %z known", w->known);
	fputs(w->cases == 1 ? ": " : ", among them ", out);
	site_link_case(s, "", (size_t)(w->in - s->run->results), out);
	fputs("</p>", out);
	if (w->blocks) {
		fputs("<p><strong>", out);
		page_count(out, w->blocks, "case");
		fprintf(out,
			" %s on it and %s BLOCKED: fix this "
			"first.</strong></p>",
			w->blocks == 1 ? "rests" : "rest",
			w->blocks == 1 ? "is" : "are");
	}
	if (*b->known)
		page_put(out, "<p>Known: %s</p>", b->known);
	fputs("</article>\n", out);
}

/* A column of numbers that are all 0 says nothing. */
static void put_count(bool there, const char *of, size_t n, FILE *out)
{
	if (there)
		page_put(out, "<td class=n data-of=%m>%z", of, n);
}

/* Many cards are too long for a first look. */
static void put_list(const struct site *s, const struct ranked *w, size_t n,
		     FILE *out)
{
	bool known = false, blocks = false;

	for (size_t i = 0; i < n; i++) {
		known |= w[i].known != 0;
		blocks |= w[i].blocks != 0;
	}
	page_put(out,
		 REGION
		 "\"Broken requirements, in short\"><table><thead><tr><th "
		 "scope=col>Requirement<th scope=col>Level<th "
		 "scope=col>Section<th scope=col class=n>Cases%m%m<th "
		 "scope=col>What has to hold<tbody>\n",
		 known ? "<th scope=col class=n>Known" : "",
		 blocks ? "<th scope=col class=n>Blocks" : "");
	for (size_t i = 0; i < n; i++) {
		const struct result_broken *b = w[i].example;

		page_put(out,
			 "<tr><th scope=row><a href=\"#b%z\">%s</a><td>%s"
			 "<td>",
			 i + 1, b->requirement, b->level);
		page_section(out, b->section);
		put_count(true, "Cases", w[i].cases, out);
		put_count(known, "Known", w[i].known, out);
		put_count(blocks, "Blocks", w[i].blocks, out);
		page_put(out, "<td>%s\n", site_sentence(s, b));
	}
	fputs("</table></div>\n", out);
}

/* Failures without a broken requirement: a crash, an error. */
static bool is_other(const struct result *r)
{
	return !r->broken_count && !r->not_run &&
	       (r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL ||
		r->verdict == VERDICT_ERROR);
}

static void put_other(const struct site *s, size_t i, FILE *out)
{
	const struct result *r = &s->run->results[i];

	fputs("<article class=\"card bad\"><h3>", out);
	page_verdict(out, r->verdict);
	fputc(' ', out);
	site_link_case(s, "", i, out);
	page_put(out, "</h3><p>%s</p>\n", r->reason);
	if (*r->detail)
		page_lines(out, r->detail);
	fputs("</article>\n", out);
}

static void put_texts(const char *title, const char *const *list, size_t n,
		      FILE *out)
{
	if (!n)
		return;
	fprintf(out, "<h3>%s</h3>\n", title);
	for (size_t i = 0; i < n; i++)
		page_lines(out, list[i]);
}

static void put_broken(const struct site *s, const struct ranked *w, size_t n,
		       FILE *out)
{
	const struct run_result *run = s->run;
	bool any = n || run->finding_count || run->known_count;

	for (size_t i = 0; i < run->count; i++)
		any |= is_other(&run->results[i]);
	if (!any)
		return;
	fputs("<h2 id=broken>Broken requirements, worst first</h2>\n", out);
	if (n >= LISTED_IN_SHORT)
		put_list(s, w, n, out);
	for (size_t i = 0; i < n; i++)
		put_worst(s, &w[i], i + 1, out);
	for (size_t i = 0; i < run->count; i++)
		if (is_other(&run->results[i]))
			put_other(s, i, out);
	put_texts("Findings without a case", run->findings, run->finding_count,
		  out);
	put_texts("Known findings without a case", run->known, run->known_count,
		  out);
}

/* The first result that is BLOCKED by the same case. */
static bool is_first_blocked(const struct run_result *run, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (run->results[i].blocked_by &&
		    strcmp(run->results[i].blocked_by,
			   run->results[at].blocked_by) == 0)
			return false;
	return true;
}

static void put_blocked(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;

	if (!run->totals[VERDICT_BLOCKED])
		return;
	fputs("<h2 id=blocked>Cases that could not be judged as a "
	      "consequence</h2>\n<ul>",
	      out);
	for (size_t i = 0; i < run->count; i++) {
		const char *by = run->results[i].blocked_by;

		if (!by || !is_first_blocked(run, i))
			continue;
		fputs("<li>", out);
		page_count(out, report_blocked_by(run, by), "case");
		fputs(" by ", out);
		site_link_id(s, "", by, out);
		if (run->results[i].block_known)
			fputs(", a known deviation", out);
		else if (site_case(s, by) == run->count)
			fputs(", which is not among the cases selected", out);
	}
	fputs("</ul>\n", out);
}

/* --- verdicts by subject -------------------------------------------------- */

struct tally {
	char name[64];
	size_t n[VERDICT_COUNT];
};

enum { TALLIES = 64 };

static struct tally *tally_of(struct tally *list, size_t *n, const char *name,
			      size_t length)
{
	for (size_t i = 0; i < *n; i++)
		if (strlen(list[i].name) == length &&
		    memcmp(list[i].name, name, length) == 0)
			return &list[i];
	if (*n == TALLIES || length >= sizeof(list->name))
		return NULL;
	memcpy(list[*n].name, name, length);
	return &list[(*n)++];
}

static bool is_empty(const struct tally *t)
{
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (t->n[v])
			return false;
	return true;
}

static void put_tallies(const struct run_result *run, const char *title,
			const char *what, const struct tally *list, size_t n,
			FILE *out)
{
	if (!n)
		return;
	page_put(out,
		 REGION "\"%m\"><table><caption>%m</caption><thead><tr>"
			"<th scope=col>%m",
		 title, title, what);
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (run->totals[v])
			fprintf(out, "<th scope=col class=n>%s",
				plain_looks[v].counted);
	fputs("<tbody>\n", out);
	for (size_t i = 0; i < n; i++) {
		if (is_empty(&list[i]))
			continue;
		page_put(out, "<tr><th scope=row>%s", list[i].name);
		for (int v = 0; v < VERDICT_COUNT; v++)
			if (run->totals[v])
				page_put(out, "<td class=n>%z", list[i].n[v]);
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

static void put_layers(const struct run_result *run, FILE *out)
{
	static struct tally list[TALLIES];
	size_t n = 0;

	memset(list, 0, sizeof(list));
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];
		struct tally *t =
			tally_of(list, &n, r->id, strcspn(r->id, "/"));

		if (t)
			t->n[r->verdict]++;
	}
	put_tallies(run, "Verdicts by layer", "Layer", list, n, out);
}

/* A case about requirements of several specifications counts for each. They are
 * in the order of the catalogue. */
static void put_specs(const struct site *s, FILE *out)
{
	static struct tally list[TALLIES];
	const struct background *b = s->run->background;
	size_t n = 0;

	memset(list, 0, sizeof(list));
	for (size_t i = 0; b && i < b->requirement_count; i++)
		tally_of(list, &n, b->requirements[i].spec,
			 strlen(b->requirements[i].spec));
	for (size_t i = 0; i < s->run->count; i++) {
		const struct result *r = &s->run->results[i];
		const struct tally *counted[TALLIES] = {0};

		for (size_t k = 0; k < r->requirement_count; k++) {
			const struct site_requirement *q =
				site_requirement(s, r->requirements[k]);
			const char *spec = q->known ? q->known->spec : "other";
			struct tally *t =
				tally_of(list, &n, spec, strlen(spec));

			if (!t || counted[t - list])
				continue;
			counted[t - list] = t;
			t->n[r->verdict]++;
		}
	}
	put_tallies(s->run, "Verdicts by specification", "Specification", list,
		    n, out);
}

/* --- other results -------------------------------------------------------- */

static void put_choices(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;

	if (!run->totals[VERDICT_INFO])
		return;
	fputs("<h2 id=choices>Choices of the device " FOLD(
		      "all choices") "</h2>\n" REGION
				     "Choices><table><thead><tr><th "
				     "scope=col>Case<th scope=col>"
				     "Left open by<th scope=col>What was "
				     "seen<tbody>\n",
	      out);
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (r->verdict != VERDICT_INFO)
			continue;
		fputs("<tr><th scope=row>", out);
		site_link_case(s, "", i, out);
		fputs("<td>", out);
		for (size_t k = 0; k < r->requirement_count; k++) {
			fputs(k ? ", " : "", out);
			site_link_requirement(s, "", r->requirements[k], out);
		}
		page_put(out, "<td>%s", r->title);
		detail_put(r, "", out);
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

static void put_readings(const struct run_result *run, FILE *out)
{
	size_t judged = 0;

	if (!run->reading_count)
		return;
	for (size_t i = 0; i < run->count; i++)
		judged += run->results[i].reading && *run->results[i].reading;
	fputs("<h2 id=readings>Fields that the device encodes differently"
	      "</h2>\n<p>",
	      out);
	page_count(out, judged, "case");
	fputs(judged == 1 ? " was" : " were", out);
	fputs(" judged by the meaning of these fields.</p>\n<ul>", out);
	for (size_t i = 0; i < run->reading_count; i++)
		page_put(out, "<li><code>%s</code>: the device %s (%s)\n",
			 run->readings[i].name, run->readings[i].note,
			 run->readings[i].section);
	fputs("</ul>\n", out);
}

static void put_deviations(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;

	if (!run->stale_count && !run->totals[VERDICT_XFAIL])
		return;
	fputs("<h2 id=deviations>Known deviations</h2>\n<ul>", out);
	for (size_t i = 0; i < run->count; i++) {
		if (run->results[i].verdict != VERDICT_XFAIL)
			continue;
		fputs("<li>", out);
		site_link_case(s, "", i, out);
		page_put(out, ": %s\n", run->results[i].reason);
	}
	fputs("</ul>\n", out);
	if (run->stale_count)
		fputs("<h3>Stale: listed, but no longer true</h3>\n<ul>", out);
	for (size_t i = 0; i < run->stale_count; i++) {
		page_put(out, "<li><code>%s</code>: %s", run->stale[i].entry,
			 run->stale[i].text);
		if (*run->stale[i].id) {
			fputs(", as ", out);
			site_link_id(s, "", run->stale[i].id, out);
			fputs(" shows", out);
		}
	}
	if (run->stale_count)
		fputs("</ul>\n", out);
}

static void put_not_applicable(const struct run_result *run, FILE *out)
{
	if (!run->reason_count)
		return;
	fputs("<h2 id=not-applicable>Not applicable</h2>\n" REGION
	      "\"Not applicable\"><table><thead><tr><th scope=col class=n>Cases"
	      "<th scope=col>Why<tbody>\n",
	      out);
	for (size_t i = 0; i < run->reason_count; i++)
		page_put(out, "<tr><td class=n>%z<td>%s\n",
			 run->reasons[i].cases, run->reasons[i].text);
	fputs("</table></div>\n", out);
}

static void put_ranges(const struct result_dimension *d, bool met, FILE *out)
{
	char text[DIMENSIONS_RANGE];
	const char *join = "";
	size_t at = 0;

	while (dimensions_next(d, met, &at, text)) {
		page_put(out, "%m%s", join, text);
		join = ", ";
	}
}

static void put_dimensions(const struct run_result *run, FILE *out)
{
	if (!run->dimension_count)
		return;
	fputs("<h2 id=dimensions>Values that occurred, of the quantities that "
	      "a peer or a ULP can choose " FOLD("all values") "</h2>\n",
	      out);
	if (run->unknown_met)
		page_put(out,
			 "<p>Without the values of %z cases from the journal, "
			 "which does not record them.</p>\n",
			 run->unknown_met);
	fputs(REGION "Dimensions><table><caption>The edges, and the values "
		     "between</caption><thead><tr><th scope=col>Quantity"
		     "<th scope=col class=n>Met<th scope=col>Values met"
		     "<th scope=col>Never met<tbody>\n",
	      out);
	for (size_t i = 0; i < run->dimension_count; i++) {
		const struct result_dimension *d = &run->dimensions[i];

		page_put(out,
			 "<tr><th scope=row>%s<br><small class=dim>%s, %s%m"
			 "</small><td class=n>%z of %z<td>",
			 d->name, d->unit, d->what,
			 d->device_chooses ? "; as the device chose" : "",
			 dimensions_met_of(d), d->count);
		put_ranges(d, true, out);
		fputs("<td>", out);
		put_ranges(d, false, out);
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

/* Most of them passed then: nothing else on this page shows them. */
static void put_retried(const struct site *s, FILE *out)
{
	const char *join = "<dt>Run again, alone<dd>";

	for (size_t i = 0; i < s->run->count; i++) {
		if (!s->run->results[i].retried)
			continue;
		fputs(join, out);
		site_link_case(s, "", i, out);
		join = ", ";
	}
}

static void put_teardowns(const struct run_result *run, FILE *out)
{
	size_t n[TEARDOWN_COUNT] = {0};
	const char *join = "";

	for (size_t i = 0; i < run->count; i++)
		n[run->results[i].teardown]++;
	fputs("<dt>How streams ended<dd>", out);
	for (int t = 0; t < TEARDOWN_COUNT; t++)
		if (n[t]) {
			page_put(out, "%m%z %m", join, n[t],
				 plain_teardown((enum teardown)t));
			join = ", ";
		}
}

static void put_run(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;

	fputs("<h2 id=run>The run</h2>\n<dl>", out);
	put_term(out, "Agent", run->device_agent);
	put_term(out, "Link", run->link);
	put_term(out, "On the link", run->link_note);
	page_put(out, "<dt>The suite's host<dd>%s %s %s", run->host_name,
		 run->host_release, run->host_machine);
	fprintf(out, "<dt>Seed<dd>%" PRIu64 "<dt>Jobs<dd>%u", run->seed,
		run->jobs);
	if (run->shards)
		fprintf(out, "<dt>Shard<dd>%u of %u", run->shard, run->shards);
	if (*run->journal)
		page_put(out, "<dt>From a journal<dd>%z cases, of %s",
			 run->from_journal, run->journal);
	fputs("<dt>Selected<dd>", out);
	for (size_t i = 0; i < run->selector_count; i++)
		page_put(out, "%m<code>%s</code>", i ? " " : "",
			 run->selectors[i]);
	if (!run->selector_count)
		fputs("all cases", out);
	if (run->again && *run->again)
		page_put(out, "<dt>Command<dd><code>%s</code>", run->again);
	put_teardowns(run, out);
	put_retried(s, out);
	page_put(out,
		 "<dt>The suite was tested with<dd>%z planted faults and %z "
		 "legal variants of "
		 "its built-in device",
		 run->mutants, run->variants);
	fputs("</dl>\n", out);
}

static void put_contents(const struct site *s, size_t broken, FILE *out)
{
	const struct run_result *run = s->run;
	const struct {
		bool there;
		const char *id, *text;
	} parts[] = {
		{broken, "broken", "Broken requirements"},
		{run->totals[VERDICT_BLOCKED], "blocked",
		 "What could not be judged"},
		{true, "verdicts", "Verdicts by layer and specification"},
		{run->background, "claims", "Claims, and what the wire showed"},
		{run->background, "coverage", "Coverage"},
		{run->totals[VERDICT_INFO], "choices", "Choices"},
		{run->reading_count, "readings", "Readings"},
		{run->stale_count || run->totals[VERDICT_XFAIL], "deviations",
		 "Known deviations"},
		{run->reason_count, "not-applicable", "Not applicable"},
		{run->dimension_count, "dimensions", "Values met"},
		{true, "run", "The run"},
		{true, "all-cases", "All cases"},
	};

	fputs("<nav aria-label=\"On this page\"><ul class=toc>", out);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].there)
			fprintf(out, "<li><a href=\"#%s\">%s</a>", parts[i].id,
				parts[i].text);
	fputs("<li><a href=\"requirements.html\">Requirements, one by one</a>"
	      "</ul></nav>\n",
	      out);
}

void overview_put(const struct site *s, FILE *out)
{
	const struct run_result *run = s->run;
	char *title = NULL;
	size_t n = 0;
	struct ranked *worst = report_ranking(run, &n);

	if (!text_made(asprintf(&title, "%s: conformance report of %s",
				run->device_name, run->suite_name)))
		title = NULL;
	const struct page page = {.kind = "report",
				  .title = title ? title : run->suite_name,
				  .script = run->count ? cases_table_script
						       : NULL,
				  .suite = run->suite_name};

	page_begin(&page, out);
	page_put(out, "<h1>%s: conformance report</h1>\n", run->device_name);
	put_state(run, worst, worst ? n : 0, out);
	put_counts(run, out);
	put_identity(run, out);
	put_contents(s, n, out);
	if (worst)
		put_broken(s, worst, n, out);
	put_blocked(s, out);
	fputs("<h2 id=verdicts>Verdicts</h2>\n<div class=beside>", out);
	put_layers(run, out);
	put_specs(s, out);
	fputs("</div>\n", out);
	claims_put(s, out);
	if (run->background)
		fputs("<h2 id=coverage>Coverage</h2>\n<p><a href=\""
		      "requirements.html\">Requirements, one by one</a></p>\n",
		      out);
	coverage_put(s, out);
	put_choices(s, out);
	put_readings(run, out);
	put_deviations(s, out);
	put_not_applicable(run, out);
	put_dimensions(run, out);
	put_run(s, out);
	cases_table_put(s, out);
	page_end(&page, out);
	free(worst);
	free(title);
}
