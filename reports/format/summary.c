/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each requirement that the run found broken, once, in the order of ranking.h:
 * how many cases show it, and one of them with what was due and seen. A result
 * without a broken requirement (a crash, an error) has a line of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/text/closing.h"
#include "reports/text/plain.h"
#include "reports/ranking.h"
#include "reports/format/formats.h"

#define INDENT "    "

static void put_group(const struct ranked *g, FILE *out)
{
	const struct result_broken *b = g->example;

	struct plain_line line = plain_go_on(out, 0, 2);

	fputc('\n', out);
	plain_add(&line, b->section);
	plain_add(&line, ": ");
	plain_add(&line, b->requirement);
	plain_add(&line, " ");
	plain_add(&line, b->level);
	plain_add(&line, ": ");
	plain_add(&line, b->statement);
	plain_end(&line);
	plain_lines(out, b->text, strlen(INDENT));
	fprintf(out, INDENT "%zu case%s", g->cases, g->cases == 1 ? "" : "s");
	if (g->known)
		fprintf(out, ", %zu known", g->known);
	fputs(g->cases == 1 ? ": " : ", among them ", out);
	plain_put(out, g->in->id);
	fputc('\n', out);
	if (g->blocks)
		fprintf(out,
			INDENT
			"%zu case%s on it and %s BLOCKED: fix this first\n",
			g->blocks, g->blocks == 1 ? " rests" : "s rest",
			g->blocks == 1 ? "is" : "are");
	if (*b->known) {
		fputs(INDENT "known: ", out);
		plain_put(out, b->known);
		fputc('\n', out);
	}
}

/* One of `n` that are alike. */
static void put_other(const struct result *r, size_t n, FILE *out)
{
	char more[48] = "";

	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	fputc('\n', out);
	struct plain_line line = plain_go_on(out, 0, strlen(INDENT));

	plain_add(&line, plain_looks[r->verdict].word);
	plain_add(&line, ": ");
	plain_add(&line, r->id);
	plain_add(&line, more);
	plain_add(&line, ": ");
	plain_add(&line, r->reason);
	plain_end(&line);
	plain_lines(out, r->detail, strlen(INDENT));
}

static bool is_reported(const struct run_result *run, const char *id)
{
	for (size_t i = 0; i < run->count; i++)
		if (strcmp(run->results[i].id, id) == 0)
			return true;
	return false;
}

/* By an earlier result. */
static bool is_told(const struct run_result *run, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (run->results[i].blocked_by &&
		    strcmp(run->results[i].blocked_by,
			   run->results[at].blocked_by) == 0)
			return true;
	return false;
}

/* The cause of BLOCKED cases, if it is not among the selected cases. */
static void put_unselected(const struct run_result *run, FILE *out)
{
	for (size_t i = 0; i < run->count; i++) {
		const char *by = run->results[i].blocked_by;

		if (!by || is_reported(run, by) || is_told(run, i))
			continue;
		char count[64];
		struct plain_line line = plain_go_on(out, 0, strlen(INDENT));

		snprintf(count, sizeof(count), ": %zu",
			 report_blocked_by(run, by));
		fputc('\n', out);
		plain_add(&line, "BLOCKED by ");
		plain_add(&line, by);
		plain_add(&line, ", which is not among the cases selected");
		plain_add(&line, count);
		plain_end(&line);
	}
}

int report_summary(const struct run_result *run,
		   const struct report_options *options, FILE *out)
{
	size_t n;
	struct ranked *groups = report_ranking(run, &n);
	char levels[RANKING_LEVELS];

	if (!groups)
		return -1;
	plain_head(run, out);
	plain_readings(run, out);
	plain_not_run(run, out);
	put_unselected(run, out);
	for (size_t i = 0; i < n; i++)
		put_group(&groups[i], out);
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		size_t alike = report_alike(run, i);

		if (alike && !r->broken_count && !r->not_run &&
		    (r->verdict == VERDICT_FAIL ||
		     r->verdict == VERDICT_XFAIL ||
		     r->verdict == VERDICT_ERROR))
			put_other(r, alike, out);
	}
	report_levels(levels, groups, n);
	if (report_ran(run))
		fprintf(out, "\nRequirements broken: %s\n", levels);
	plain_totals(run, out);
	closing_grade(run, options, out);
	plain_counts(run, out);
	free(groups);
	return ferror(out) ? -1 : 0;
}
