/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For people, after a run: first the failures; then the cases that could not be
 * judged, warnings and known deviations; the blocked cases, in short, by cause.
 * A case that shows nothing new is only named. The rest only on request. At the
 * end the command that reruns the failures, and the counts.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/text/closing.h"
#include "reports/text/dimensions.h"
#include "reports/text/plain.h"
#include "reports/format/formats.h"

#define INDENT 7 /* what belongs to a case stands below its id */

static void put_word(enum verdict v, const struct report_options *options,
		     FILE *out)
{
	const struct plain_look *look = &plain_looks[v];

	fprintf(out, "%s%-5s%s  ", options->colour ? look->colour : "",
		look->word, options->colour ? "\033[0m" : "");
}

/* Which requirements were judged, and how the stream ended. */
static void put_grounds(const struct result *r, FILE *out)
{
	struct plain_line line = plain_begin(out, INDENT);
	const char *join = "";

	if (*r->level) {
		plain_add(&line, r->level);
		join = " ";
	}
	for (size_t i = 0; i < r->requirement_count; i++) {
		plain_add(&line, join);
		plain_add(&line, r->requirements[i]);
		join = ", ";
	}
	plain_add(&line, *join ? "; stream: " : "stream: ");
	plain_add(&line, plain_teardown(r->teardown));
	if (*r->role) {
		plain_add(&line, "; device is ");
		plain_add(&line, r->role);
	}
	plain_end(&line);
}

static void put_line(FILE *out, const char *what, const char *text)
{
	struct plain_line line = plain_begin(out, INDENT);

	plain_add(&line, what);
	plain_add(&line, text);
	plain_end(&line);
}

static bool is_worth_evidence(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_WARN || v == VERDICT_XFAIL ||
	       v == VERDICT_ERROR;
}

static void put_case(const struct result *r,
		     const struct report_options *options, FILE *out)
{
	/* A skip did nothing that its title could describe. */
	bool skip = r->verdict == VERDICT_SKIP && *r->reason;

	if (is_worth_evidence(r->verdict))
		fputc('\n', out);
	put_word(r->verdict, options, out);

	struct plain_line line = plain_go_on(out, INDENT, INDENT);

	plain_add(&line, r->id);
	plain_add(&line, ": ");
	plain_add(&line, skip ? r->reason : r->title);
	plain_end(&line);
	if (is_worth_evidence(r->verdict))
		put_grounds(r, out);
	if (r->reading && *r->reading)
		put_line(out, "judged under reading ", r->reading);
	if (*r->reason && !skip)
		put_line(out, "", r->reason);
	if (r->retried)
		put_line(out, "run again, alone: ", r->retried);
	plain_lines(out, r->detail, INDENT);
	if (r->capture && is_worth_evidence(r->verdict))
		put_line(out, "capture ", r->capture);
}

/* --- already reported ----------------------------------------------------- */

enum { TOLD = 3 }; /* cases that are printed in full for a requirement */

static bool shows(const struct result *r, const struct result_broken *b)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (r->broken[i].by_model == b->by_model &&
		    strcmp(r->broken[i].requirement, b->requirement) == 0)
			return true;
	return false;
}

static bool is_told_of(const struct run_result *run, size_t at,
		       const struct result_broken *b)
{
	size_t n = 0;

	for (size_t i = 0; i < at && n < TOLD; i++)
		n += run->results[i].verdict == run->results[at].verdict &&
		     shows(&run->results[i], b);
	return n == TOLD;
}

/* All that it breaks, others before it have broken. */
static bool is_told(const struct run_result *run, size_t at)
{
	const struct result *r = &run->results[at];

	for (size_t i = 0; i < r->broken_count; i++)
		if (!is_told_of(run, at, &r->broken[i]))
			return false;
	return r->broken_count;
}

static void put_short(const struct result *r,
		      const struct report_options *options, FILE *out)
{
	const char *join = ": ";

	put_word(r->verdict, options, out);

	struct plain_line line = plain_go_on(out, INDENT, INDENT);

	plain_add(&line, r->id);
	for (size_t i = 0; i < r->broken_count; i++) {
		plain_add(&line, join);
		plain_add(&line, r->broken[i].requirement);
		join = ", ";
	}
	plain_add(&line, ", as before");
	plain_end(&line);
}

/* --- many with one cause ----------------------------------------------------- */

static void put_group(const struct run_result *run, size_t at, size_t n,
		      const struct report_options *options, FILE *out)
{
	const struct result *r = &run->results[at];
	char count[64];

	fputc('\n', out);
	put_word(r->verdict, options, out);

	struct plain_line line = plain_go_on(out, INDENT, INDENT);

	snprintf(count, sizeof(count), "%zu cases", n);
	plain_add(&line, n == 1 ? r->id : count);
	if (r->blocked_by && !strstr(r->reason, r->blocked_by)) {
		plain_add(&line, " by ");
		plain_add(&line, r->blocked_by);
	}
	plain_add(&line, ": ");
	plain_add(&line, r->reason);
	plain_end(&line);
	if (r->block_known)
		put_line(out, "", "which is a known deviation");
	for (size_t i = at; options->verbose && i < run->count; i++)
		if (report_is_like(r, &run->results[i]))
			put_line(out, "", run->results[i].id);
}

static void put_verdict(const struct run_result *run, enum verdict v,
			const struct report_options *options, FILE *out)
{
	for (size_t i = 0; i < run->count; i++) {
		if (run->results[i].verdict != v)
			continue;
		/* Said at once, of all of them (plain_not_run). */
		if (run->results[i].not_run && !options->verbose)
			continue;

		size_t n = report_alike(run, i);

		if (n == 1 && v != VERDICT_BLOCKED && !options->verbose &&
		    is_told(run, i))
			put_short(&run->results[i], options, out);
		else if (n == 1 && v != VERDICT_BLOCKED)
			put_case(&run->results[i], options, out);
		else if (n)
			put_group(run, i, n, options, out);
	}
}

/* --- the rest, and the end --------------------------------------------------- */

static void put_others(const struct run_result *run,
		       const struct report_options *options, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (is_worth_evidence(r->verdict) ||
		    r->verdict == VERDICT_BLOCKED)
			continue;
		if (!any)
			fputc('\n', out);
		any = true;
		put_case(r, options, out);
	}
}

static void put_again(const struct run_result *run, FILE *out)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++)
		n += report_is_again(run, &run->results[i]);
	if (!n || (run->again && !*run->again))
		return;
	char *by_report = report_rerun(run, n);

	if (by_report) {
		fputs("\nTo rerun what failed, is blocked or has no verdict:\n"
		      "\n  ",
		      out);
		plain_put(out, by_report);
		fputc('\n', out);
		free(by_report);
		return;
	}
	if (n > REPORT_NAMED && run->again) {
		fprintf(out,
			"\nTo rerun %zu cases, add --report json=FILE to the "
			"command;\n  --rerun=FILE then runs only what failed, "
			"is blocked or has no verdict.\n",
			n);
		return;
	}
	fprintf(out, "\nTo rerun %zu case%s:\n", n, n == 1 ? "" : "s");
	if (run->again) {
		fputs("\n  ", out);
		plain_put(out, run->again);
	}
	for (size_t i = 0; i < run->count; i++) {
		if (!report_is_again(run, &run->results[i]))
			continue;
		fputs(run->again ? " \\\n    " : "\n    ", out);
		plain_put(out, run->results[i].id);
	}
	fputc('\n', out);
}

int report_text(const struct run_result *run,
		const struct report_options *options, FILE *out)
{
	static const enum verdict told[] = {VERDICT_FAIL, VERDICT_ERROR,
					    VERDICT_WARN, VERDICT_XFAIL,
					    VERDICT_BLOCKED};

	plain_head(run, out);
	plain_readings(run, out);
	plain_not_run(run, out);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		put_verdict(run, told[i], options, out);
	if (options->verbose)
		put_others(run, options, out);
	if (options->verbose)
		dimensions_put(run, out);
	plain_totals(run, out);
	closing_put(run, options, out);
	put_again(run, out);
	closing_grade(run, options, out);
	plain_counts(run, out);
	return ferror(out) ? -1 : 0;
}
