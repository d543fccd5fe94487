/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/matrix_write.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/text/plain.h"

/* So many devices have their verdicts as words on a terminal, and more as
 * letters. */
#define WORDS_MOST 6

struct writer {
	struct document d;
	const struct matrix *m;
	bool all; /* not only what differs */
};

static const char *letter(size_t run)
{
	static const char letters[MATRIX_RUNS][2] = {
		"A", "B", "C", "D", "E", "F", "G", "H", "I",
		"J", "K", "L", "M", "N", "O", "P", "Q", "R",
		"S", "T", "U", "V", "W", "X", "Y", "Z"};

	return letters[run];
}

/* --- the devices ------------------------------------------------------------- */

static void put_device(struct writer *w, size_t i)
{
	const struct run_result *run = w->m->runs[i];
	char started[REPORT_TIME_SIZE], *line, *counts;

	report_time(started, &run->started);
	if (!text_made(asprintf(&line, "%s: %s (%s)%s", letter(i),
				run->device_name, run->device_impl,
				i == 0 && w->m->reference ? ", the reference"
							  : "")))
		return;
	document_point(&w->d, line);
	free(line);
	if (!text_made(asprintf(
		    &counts,
		    "%s; %s; link %s; %s %s\n%zu cases: %zu passed, %zu "
		    "failed, %zu known, %zu warned, %zu not applicable%s%s\n",
		    started, run->spec, run->link, run->suite_name,
		    run->suite_version, run->count, run->totals[VERDICT_PASS],
		    run->totals[VERDICT_FAIL], run->totals[VERDICT_XFAIL],
		    run->totals[VERDICT_WARN], run->totals[VERDICT_SKIP],
		    *run->note ? "\n" : "", run->note)))
		return;
	document_under(&w->d, counts);
	free(counts);
}

/* --- pairs ------------------------------------------------------------------- */

static void put_side(struct writer *w, size_t run, bool initiates,
		     const char *does, const struct result *shows)
{
	char *line;

	if (!text_made(asprintf(&line, "%s, as %s, %s:\n  %s %s%s%s\n",
				letter(run),
				initiates ? "initiator" : "responder", does,
				plain_looks[shows->verdict].word, shows->id,
				*shows->reason ? ": " : "", shows->reason)))
		return;
	document_under(&w->d, line);
	free(line);
}

static void put_pairs(struct writer *w)
{
	document_heading(&w->d, "Devices that would not understand each other");
	if (!w->m->pair_count)
		document_say(&w->d,
			     "None that two cases have shown, which says "
			     "nothing of what no case has tried.");
	for (size_t i = 0; i < w->m->pair_count; i++) {
		const struct pair *p = &w->m->pairs[i];
		char *line;

		if (!text_made(asprintf(&line, "%s and %s: %s", letter(p->one),
					letter(p->other), p->about)))
			continue;
		document_point(&w->d, line);
		free(line);
		put_side(w, p->one, p->one_initiates, p->insists, p->shows);
		put_side(w, p->other, !p->one_initiates, p->refuses,
			 p->other_shows);
	}
}

/* --- tables ------------------------------------------------------------------ */

static void begin_table(struct writer *w, const char *caption, const char *of)
{
	static size_t widths[MATRIX_RUNS + 1];
	const char *heads[MATRIX_RUNS + 1] = {of};
	size_t n = w->m->count, each = n > WORDS_MOST ? 1 : 5;

	widths[0] = PLAIN_WIDTH - n * (each + 1);
	for (size_t i = 0; i < n; i++) {
		heads[i + 1] = letter(i);
		widths[i + 1] = each;
	}
	document_table(&w->d, caption, heads, widths, n + 1);
}

/* A verdict of a device; VERDICT_COUNT: none. */
static struct document_cell cell_of(enum verdict v)
{
	if (v == VERDICT_COUNT)
		return (struct document_cell){.text = "-"};
	return (struct document_cell){
		.text = plain_looks[v].word, .has_verdict = true, .verdict = v};
}

static void put_requirements(struct writer *w)
{
	const struct matrix *m = w->m;
	struct document_cell cells[MATRIX_RUNS + 1];
	size_t differ = 0;
	char caption[160];

	for (size_t i = 0; i < m->requirement_count; i++)
		differ += matrix_requirement_differs(m, &m->requirements[i]);
	document_heading(&w->d, "Requirements");
	snprintf(caption, sizeof(caption),
		 "%zu of %zu requirements came to something else on another "
		 "device%s.",
		 differ, m->requirement_count,
		 w->all ? "; the worst that a case told, of all" : "");
	document_say(&w->d, caption);
	if (!differ && !w->all)
		return;
	begin_table(w, w->all ? "Requirements" : "", "requirement");
	for (size_t i = 0; i < m->requirement_count; i++) {
		const struct matrix_requirement *r = &m->requirements[i];

		if (!w->all && !matrix_requirement_differs(m, r))
			continue;
		cells[0] = (struct document_cell){.text = r->id};
		for (size_t k = 0; k < m->count; k++)
			cells[k + 1] = cell_of(r->of[k]);
		document_row(&w->d, cells);
	}
}

static void put_cases(struct writer *w)
{
	const struct matrix *m = w->m;
	struct document_cell cells[MATRIX_RUNS + 1];
	size_t differ = 0;
	char caption[160];

	for (size_t i = 0; i < m->case_count; i++)
		differ += matrix_case_differs(m, &m->cases[i]);
	document_heading(&w->d, "Cases");
	snprintf(caption, sizeof(caption),
		 "%zu of %zu cases have another verdict on another device.",
		 differ, m->case_count);
	document_say(&w->d, caption);
	if (!differ && !w->all)
		return;
	begin_table(w, w->all ? "Cases" : "", "case");
	for (size_t i = 0; i < m->case_count; i++) {
		const struct matrix_case *c = &m->cases[i];

		if (!w->all && !matrix_case_differs(m, c))
			continue;
		cells[0] = (struct document_cell){.text = c->id};
		for (size_t k = 0; k < m->count; k++)
			cells[k + 1] = cell_of(c->of[k] ? c->of[k]->verdict
							: VERDICT_COUNT);
		document_row(&w->d, cells);
	}
}

/* --- choices ----------------------------------------------------------------- */

static bool has_choice(const struct matrix *m, const struct matrix_case *c)
{
	for (size_t i = 0; i < m->count; i++)
		if (c->choice[i] && *c->choice[i])
			return true;
	return false;
}

/* Those that chose alike, reported once, by the first of them. */
static bool is_told(const struct matrix_case *c, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (c->choice[i] && strcmp(c->choice[i], c->choice[run]) == 0)
			return true;
	return false;
}

static void put_choice(struct writer *w, const struct matrix_case *c,
		       size_t run)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (!out) {
		memstream_finish(&m, NULL);
		return;
	}
	fputs(letter(run), out);
	for (size_t i = run + 1; i < w->m->count; i++)
		if (c->choice[i] && strcmp(c->choice[i], c->choice[run]) == 0)
			fprintf(out, ", %s", letter(i));
	fputs(":\n", out);
	for (const char *p = c->choice[run]; *p;) {
		size_t line = strcspn(p, "\n");

		fprintf(out, "  %.*s\n", (int)line, p);
		p += line + (p[line] == '\n');
	}
	char *text = memstream_finish(&m, NULL);

	if (text)
		document_under(&w->d, text);
	free(text);
}

static void put_choices(struct writer *w)
{
	const struct matrix *m = w->m;
	size_t differ = 0, all = 0;
	char line[160];

	for (size_t i = 0; i < m->case_count; i++) {
		all += has_choice(m, &m->cases[i]);
		differ += matrix_choice_differs(m, &m->cases[i]);
	}
	document_heading(&w->d, "Choices, where there is one");
	snprintf(line, sizeof(line),
		 "In %zu of %zu cases a device was seen to choose otherwise "
		 "than another.",
		 differ, all);
	document_say(&w->d, line);
	for (size_t i = 0; i < m->case_count; i++) {
		const struct matrix_case *c = &m->cases[i];
		char *head;

		if (!(w->all ? has_choice(m, c) : matrix_choice_differs(m, c)))
			continue;
		if (!text_made(asprintf(&head, "%s: %s%s", c->id, c->title,
					w->all && matrix_choice_differs(m, c)
						? " (they differ)"
						: "")))
			continue;
		document_point(&w->d, head);
		free(head);
		for (size_t k = 0; k < m->count; k++)
			if (c->choice[k] && *c->choice[k] && !is_told(c, k))
				put_choice(w, c, k);
	}
}

int matrix_write(const void *what, const struct report_options *options,
		 FILE *out)
{
	const struct matrix_report *r = what;
	struct writer w = {
		.d = {.format = r->format,
		      .out = out,
		      .colour = options->colour},
		.m = r->matrix,
		.all = r->format == DOCUMENT_HTML,
	};

	document_begin(&w.d, MATRIX_KIND, "Devices side by side",
		       r->matrix->runs[0]->suite_name);
	for (size_t i = 0; i < r->matrix->count; i++)
		put_device(&w, i);
	put_pairs(&w);
	put_choices(&w);
	put_requirements(&w);
	put_cases(&w);
	document_end(&w.d);
	return ferror(out) ? -1 : 0;
}
