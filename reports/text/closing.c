/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/text/closing.h"

#include <stdlib.h>
#include <string.h>

#include "reports/ranking.h"
#include "reports/text/layers.h"
#include "reports/text/plain.h"

enum { WORST = 3, NAME = 14 };

static void put_colour(const struct report_options *o, const char *colour,
		       FILE *out)
{
	fputs(o->colour ? colour : "", out);
}

/* --- by layer ---------------------------------------------------------------- */

static void put_row(const struct run_result *run, const struct layer *l,
		    const struct report_options *o, FILE *out)
{
	fprintf(out, "%-*s", NAME, l->name);
	for (int v = 0; v < VERDICT_COUNT; v++) {
		if (!run->totals[v])
			continue;
		put_colour(o, l->n[v] ? plain_looks[v].colour : "\033[2m", out);
		fprintf(out, " %7zu", l->n[v]);
		put_colour(o, "\033[0m", out);
	}
	fputc('\n', out);
}

static void put_layers(const struct run_result *run,
		       const struct report_options *o, FILE *out)
{
	struct layer layers[LAYERS_MOST];
	size_t n = layers_of(run, layers);

	if (n < 2 || !report_ran(run))
		return;
	fprintf(out, "\n%-*s", NAME, "Layer");
	for (int v = 0; v < VERDICT_COUNT; v++)
		if (run->totals[v])
			fprintf(out, " %7s", plain_looks[v].counted);
	fputc('\n', out);
	for (size_t i = 0; i < n; i++)
		put_row(run, &layers[i], o, out);
}

/* --- the worst --------------------------------------------------------------- */

static void put_command(const struct run_result *run, const char *id, FILE *out)
{
	const char *command = run->again && *run->again ? run->again : "in";
	bool fits = strlen(command) + strlen(id) + 7 <= PLAIN_WIDTH;

	fputs("      ", out);
	plain_put(out, command);
	fputs(fits ? " " : " \\\n        ", out);
	plain_put(out, id);
	fputc('\n', out);
}

static void put_finding(const struct run_result *run, const struct ranked *w,
			FILE *out)
{
	const struct result_broken *b = w->example;
	struct plain_line line = plain_begin(out, 2);
	char cases[80];

	snprintf(cases, sizeof(cases), " (%zu case%s): ", w->cases,
		 w->cases == 1 ? "" : "s");
	line.indent = 6;
	plain_add(&line, b->requirement);
	plain_add(&line, " ");
	plain_add(&line, b->level);
	plain_add(&line, ", ");
	plain_add(&line, b->section);
	plain_add(&line, cases);
	plain_add(&line, b->statement);
	plain_end(&line);
	put_command(run, w->in->id, out);
}

/* The unknown ones. */
static void put_worst(const struct run_result *run, FILE *out)
{
	size_t n, told = 0, news = 0;
	struct ranked *of = report_ranking(run, &n);

	for (size_t i = 0; of && i < n; i++)
		news += of[i].cases > of[i].known;
	if (news)
		fputs("\nThe worst findings, and how to reproduce each:\n",
		      out);
	for (size_t i = 0; of && i < n && told < WORST; i++)
		if (of[i].cases > of[i].known) {
			put_finding(run, &of[i], out);
			told++;
		}
	if (news > told)
		fprintf(out, "  and %zu more requirement%s: --report summary\n",
			news - told, news - told == 1 ? "" : "s");
	free(of);
}

/* --- the grade --------------------------------------------------------------- */

/* The broken requirements that are not all known; "none". */
static void broken_levels(const struct run_result *run,
			  char text[RANKING_LEVELS])
{
	size_t n, news = 0;
	struct ranked *of = report_ranking(run, &n);

	for (size_t i = 0; of && i < n; i++)
		if (of[i].cases > of[i].known)
			of[news++] = of[i];
	report_levels(text, of, of ? news : 0);
	free(of);
}

enum { WHY = RANKING_LEVELS + 64 };

static const char *why_failed(const struct run_result *run, char text[WHY])
{
	char levels[RANKING_LEVELS];
	bool early = report_ran(run) + run->totals[VERDICT_BLOCKED] <
		     report_applicable(run);

	broken_levels(run, levels);
	if (run->totals[VERDICT_FAIL] && strcmp(levels, "none") != 0) {
		snprintf(text, WHY, "broken: %s%s", levels,
			 early ? "; the run ended early" : "");
		return text;
	}
	return run->totals[VERDICT_FAIL] ? "cases failed"
	       : run->stale_count
		       ? "no case failed, but the deviations file is stale"
	       : plain_contradictions(run)
		       ? "no case failed, but the statement is contradicted"
	       : run->finding_count
		       ? "no case failed, but there are findings without a case"
	       : run->totals[VERDICT_BLOCKED]
		       ? "cases are blocked"
		       : "a SHOULD is not followed (--strict)";
}

static const char *why_lost(const struct run_result *run)
{
	size_t left = report_not_run(run);

	return left == run->count ? "no case ran"
	       : left ? "the device or its agent was lost before the end"
		      : "the device or its agent was lost meanwhile";
}

void closing_grade(const struct run_result *run, const struct report_options *o,
		   FILE *out)
{
	char text[WHY];
	const char *grade = "NONE", *why;
	enum verdict look = VERDICT_ERROR;

	switch (run->exit_status) {
	case 0:
		grade = "PASS";
		look = VERDICT_PASS;
		why = run->totals[VERDICT_XFAIL]
			      ? "every MUST that was judged is met, but for "
				"known deviations"
			      : "every MUST that was judged is met";
		break;
	case 1:
		grade = "FAIL";
		look = VERDICT_FAIL;
		why = why_failed(run, text);
		break;
	case 3:
		why = why_lost(run);
		break;
	case 4:
		why = "the suite could not judge all cases";
		break;
	default:
		why = "fewer cases ran than requested";
	}
	fputs("\nGrade: ", out);
	put_colour(o, plain_looks[look].colour, out);
	fputs(grade, out);
	put_colour(o, "\033[0m", out);
	fprintf(out, ", %s\n", why);
}

static size_t again(const struct run_result *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->count; i++)
		n += report_is_again(run, &run->results[i]);
	return n;
}

/* A single failed case is printed in full, with its command. */
void closing_put(const struct run_result *run,
		 const struct report_options *options, FILE *out)
{
	put_layers(run, options, out);
	if (again(run) != 1)
		put_worst(run, out);
}

void closing_alone(const struct run_result *run,
		   const struct report_options *options, FILE *out)
{
	plain_not_run(run, out);
	plain_brief(run, out);
	put_layers(run, options, out);
	put_worst(run, out);
	closing_grade(run, options, out);
	plain_counts(run, out);
}
