/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/diff_write.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

static const char *const headings[DIFF_KINDS] = {
	[DIFF_REGRESSION] = "regression",
	[DIFF_FIXED] = "fixed",
	[DIFF_FAILURE] = "failing differently",
	[DIFF_NEW] = "new",
	[DIFF_GONE] = "gone",
	[DIFF_VERDICT] = "with another verdict",
	[DIFF_CHOICE] = "with another choice",
};

/* "2 regressions", "1 case fixed". */
static void say_count(char *line, size_t cap, enum diff_kind kind, size_t n)
{
	if (kind == DIFF_REGRESSION)
		snprintf(line, cap, "%zu regression%s", n, n == 1 ? "" : "s");
	else
		snprintf(line, cap, "%zu case%s %s", n, n == 1 ? "" : "s",
			 headings[kind]);
}

static void put_run(struct document *d, const char *which,
		    const struct run_result *run)
{
	char started[REPORT_TIME_SIZE];
	char *line;

	report_time(started, &run->started);
	if (!text_made(asprintf(&line, "%s: %s (%s), %s, %zu cases", which,
				run->device_name, run->device_impl, started,
				run->count)))
		return;
	document_point(d, line);
	free(line);
}

static const char *or_nothing(const char *text)
{
	return *text ? text : "(none)";
}

static void put_facts(struct document *d, const char *heading,
		      const struct diff_fact *facts, size_t n)
{
	if (n)
		document_heading(d, heading);
	for (size_t i = 0; i < n; i++) {
		char *line;

		if (!text_made(asprintf(&line, "%s: %s -> %s", facts[i].what,
					or_nothing(facts[i].was),
					or_nothing(facts[i].is))))
			continue;
		document_point(d, line);
		free(line);
	}
}

/* --- which requirements ------------------------------------------------------ */

static bool breaks(const struct result *r, const char *requirement)
{
	for (size_t i = 0; r && i < r->broken_count; i++)
		if (strcmp(r->broken[i].requirement, requirement) == 0)
			return true;
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The requirements that regressions break and nothing broke before, one for
 * each case; *n of them. */
static const char **broken_now(const struct diff *diff, size_t *n)
{
	const char **ids;

	*n = 0;
	for (size_t i = 0; i < diff->case_count; i++)
		*n += diff->cases[i].is ? diff->cases[i].is->broken_count : 0;
	ids = text_held(calloc(*n + 1, sizeof(*ids)));
	*n = 0;
	for (size_t i = 0; ids && i < diff->counts[DIFF_REGRESSION]; i++) {
		const struct result *is = diff->cases[i].is;

		for (size_t k = 0; is && k < is->broken_count; k++) {
			const char *id = is->broken[k].requirement;
			bool told = breaks(diff->cases[i].was, id);

			for (size_t j = 0; j < k; j++)
				told |= strcmp(is->broken[j].requirement, id) ==
					0;
			if (!told)
				ids[(*n)++] = id;
		}
	}
	if (*n)
		qsort(ids, *n, sizeof(*ids), by_text);
	return ids;
}

/* "By requirement: MPA-4.4-14 (60), MPA-8-02 (20)". */
static void put_requirements(struct document *d, const struct diff *diff)
{
	size_t n;
	const char **ids = broken_now(diff, &n);
	struct memstream m;
	FILE *out = ids && n ? memstream_open(&m) : NULL;

	for (size_t i = 0, next; out && i < n; i = next) {
		for (next = i; next < n && strcmp(ids[i], ids[next]) == 0;)
			next++;
		fprintf(out, "%s%s (%zu)",
			i ? ", " : "By requirement: ", ids[i], next - i);
	}
	char *text = ids && n ? memstream_finish(&m, NULL) : NULL;

	if (text)
		document_say(d, text);
	free(text);
	free(ids);
}

static void put_cases(struct document *d, const struct diff *diff,
		      enum diff_kind kind)
{
	char line[128];

	if (!diff->counts[kind])
		return;
	say_count(line, sizeof(line), kind, diff->counts[kind]);
	document_heading(d, line);
	if (kind == DIFF_REGRESSION)
		put_requirements(d, diff);
	for (size_t i = 0; i < diff->case_count; i++) {
		const struct diff_case *c = &diff->cases[i];
		const struct result *r = c->is ? c->is : c->was;

		if (c->kind != kind)
			continue;
		document_case(d, r->verdict, r->id, r->title);
		document_under(d, c->why);
	}
}

static void put_findings(struct document *d, const struct diff *diff)
{
	if (!diff->finding_count)
		return;
	document_heading(d, "New findings without a case");
	for (size_t i = 0; i < diff->finding_count; i++) {
		const char *text = diff->findings[i];
		size_t n = strcspn(text, "\n");
		char *first = text_held(strndup(text, n));

		document_point(d, first ? first : "");
		document_under(d, text[n] ? text + n + 1 : "");
		free(first);
	}
}

/* The duration, which is not a regression. */
static void put_durations(struct document *d, const struct diff *diff)
{
	enum { SHOWN = 10 };
	const double s = 1e9, ms = 1e6;
	char line[256];

	document_heading(d, "Durations");
	int n = snprintf(line, sizeof(line),
			 "%.3f s (jobs: %u) -> %.3f s (jobs: %u)",
			 (double)diff->was->duration_ns / s, diff->was->jobs,
			 (double)diff->is->duration_ns / s, diff->is->jobs);

	if (diff->slower_count)
		snprintf(line + n, sizeof(line) - (size_t)n,
			 "; %zu case%s took at least twice as long, and 100 ms "
			 "longer",
			 diff->slower_count,
			 diff->slower_count == 1 ? "" : "s");
	document_say(d, line);
	for (size_t i = 0; i < diff->slower_count && i < SHOWN; i++) {
		const struct diff_slower *c = &diff->slower[i];

		snprintf(line, sizeof(line), "%s: %.1f ms -> %.1f ms",
			 c->is->id, (double)c->was->duration_ns / ms,
			 (double)c->is->duration_ns / ms);
		document_point(d, line);
	}
	if (diff->slower_count > SHOWN) {
		snprintf(line, sizeof(line), "and %zu more",
			 diff->slower_count - SHOWN);
		document_point(d, line);
	}
}

/* The last line: the number of each kind. */
static void put_counts(struct document *d, const struct diff *diff)
{
	char line[512];
	size_t at = 0;

	for (int kind = 0; kind < DIFF_KINDS; kind++) {
		size_t n = diff->counts[kind];

		if (kind == DIFF_REGRESSION)
			n += diff->finding_count;
		if (!n && kind != DIFF_REGRESSION)
			continue;
		if (at)
			at += (size_t)snprintf(line + at, sizeof(line) - at,
					       ", ");
		say_count(line + at, sizeof(line) - at, (enum diff_kind)kind,
			  n);
		at += strlen(line + at);
	}
	snprintf(line + at, sizeof(line) - at, ", %zu the same", diff->same);
	document_say(d, line);
}

int diff_write(const void *what, const struct report_options *options,
	       FILE *out)
{
	const struct diff_report *r = what;
	const struct diff *diff = r->diff;
	struct document d = {
		.format = r->format, .out = out, .colour = options->colour};

	document_begin(&d, "diff", "What has changed between two runs",
		       diff->is->suite_name);
	put_run(&d, "old", diff->was);
	put_run(&d, "new", diff->is);
	/* On a terminal it is the end that stays in sight. */
	if (d.format != DOCUMENT_TEXT)
		put_counts(&d, diff);
	put_facts(&d, "What differs in the runs", diff->facts,
		  diff->fact_count);
	put_facts(&d, "What the device claims, and how it is read",
		  diff->claims, diff->claim_count);
	for (int kind = 0; kind < DIFF_KINDS; kind++) {
		put_cases(&d, diff, (enum diff_kind)kind);
		if (kind == DIFF_REGRESSION)
			put_findings(&d, diff);
	}
	put_durations(&d, diff);
	if (d.format == DOCUMENT_TEXT)
		put_counts(&d, diff);
	document_end(&d);
	return ferror(out) ? -1 : 0;
}
