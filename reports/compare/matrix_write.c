/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/matrix_write.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/text/plain.h"
#include "suite/judge/background.h"

/* So many devices have their verdicts as words on a terminal, and more as
 * letters. */
#define WORDS_MOST 6

struct writer {
	struct document d;
	const struct matrix *m;
	const struct background *b; /* or NULL */
	char *names[MATRIX_RUNS + 1];
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

/* "2007 passed, 44 failed, 837 blocked": every verdict that there is. */
static void add_totals(const struct run_result *run, FILE *out)
{
	const char *join = "";

	for (int v = 0; v < VERDICT_COUNT; v++) {
		if (!run->totals[v])
			continue;
		fprintf(out, "%s%zu %s", join, run->totals[v],
			plain_looks[v].counted);
		join = ", ";
	}
}

static void put_device(struct writer *w, size_t i)
{
	const struct run_result *run = w->m->runs[i];
	char started[REPORT_TIME_SIZE], *line;
	struct memstream m;
	FILE *out;

	report_time(started, &run->started);
	if (!text_made(asprintf(&line, "%s: %s (%s)%s", letter(i),
				run->device_name, run->device_impl,
				i == 0 && w->m->reference ? ", the reference"
							  : "")))
		return;
	document_point(&w->d, line);
	free(line);
	out = memstream_open(&m);
	for (size_t k = 0; out && k < run->identity_count; k++)
		fprintf(out, "%s%s %s%s", k ? "; " : "", run->identity[k].name,
			run->identity[k].value,
			k + 1 == run->identity_count ? "\n" : "");
	if (out) {
		fprintf(out, "%zu cases: ", run->count);
		add_totals(run, out);
		fprintf(out, "\n%s; %s; link %s; %s %s\n%s%s", started,
			run->spec, run->link, run->suite_name,
			run->suite_version, run->note, *run->note ? "\n" : "");
	}
	char *text = memstream_finish(&m, NULL);

	if (text)
		document_under(&w->d, text);
	free(text);
}

/* --- tables ------------------------------------------------------------------ */

static void begin_table(struct writer *w, const char *caption, const char *of,
			size_t each)
{
	static size_t widths[MATRIX_RUNS + 1];
	const char *heads[MATRIX_RUNS + 1] = {of};
	size_t n = w->m->count;

	if (n > WORDS_MOST && each > 3)
		each = 3;
	widths[0] = PLAIN_WIDTH - n * (each + 1);
	if (widths[0] > PLAIN_WIDTH)
		widths[0] = 1;
	for (size_t i = 0; i < n; i++) {
		heads[i + 1] = letter(i);
		widths[i + 1] = each;
	}
	document_table(&w->d, caption, heads, widths, n + 1);
}

static size_t verdict_width(const struct writer *w)
{
	return w->m->count > WORDS_MOST ? 1 : 5;
}

/* A verdict of a device; VERDICT_COUNT: none. A letter if there are many. */
static struct document_cell cell_of(const struct writer *w, enum verdict v)
{
	static const char letters[VERDICT_COUNT][2] = {
		[VERDICT_PASS] = "P",  [VERDICT_FAIL] = "F",
		[VERDICT_WARN] = "W",  [VERDICT_INFO] = "I",
		[VERDICT_SKIP] = "-",  [VERDICT_XFAIL] = "X",
		[VERDICT_ERROR] = "E", [VERDICT_BLOCKED] = "B"};
	bool many = w->m->count > WORDS_MOST;

	if (v == VERDICT_COUNT)
		return (struct document_cell){.text = many ? "" : "-"};
	return (struct document_cell){.text = many ? letters[v]
						   : plain_looks[v].word,
				      .has_verdict = true,
				      .verdict = v};
}

static void put_legend(struct writer *w)
{
	if (w->m->count > WORDS_MOST)
		document_say(&w->d,
			     "P passed, F failed, W a SHOULD not followed, I a "
			     "choice, - not applicable, X a known deviation, E "
			     "not judged, B blocked; empty: not run.");
}

/* --- pairs ------------------------------------------------------------------- */

#define ANCHOR 8

/* Of these two, whichever is first. */
static bool is_of(const struct pair *p, size_t a, size_t b)
{
	return (p->one == a && p->other == b) || (p->one == b && p->other == a);
}

static size_t reasons(const struct matrix *m, size_t a, size_t b)
{
	size_t n = 0;

	for (size_t i = 0; i < m->pair_count; i++)
		n += is_of(&m->pairs[i], a, b);
	return n;
}

static void anchor_of(char anchor[ANCHOR], size_t a, size_t b)
{
	snprintf(anchor, ANCHOR, "#%s-%s", letter(a < b ? a : b),
		 letter(a < b ? b : a));
}

static void put_pair_row(struct writer *w, size_t row)
{
	static char text[MATRIX_RUNS][8], href[MATRIX_RUNS][ANCHOR];
	struct document_cell cells[MATRIX_RUNS + 1];
	bool open = pairs_are_open(w->m->runs[row]);
	char *name = NULL;

	if (!text_made(asprintf(&name, "%s %s", letter(row),
				w->m->runs[row]->device_name)))
		return;
	cells[0] = (struct document_cell){.text = name};
	for (size_t k = 0; k < w->m->count; k++) {
		size_t n = k == row ? 0 : reasons(w->m, row, k);

		snprintf(text[k], sizeof(text[k]), "%zu", n);
		anchor_of(href[k], row, k);
		cells[k + 1] = (struct document_cell){
			.text = k == row ? ""
				: n      ? text[k]
				: open || pairs_are_open(w->m->runs[k]) ? "?"
									: "ok",
			.marked = n,
			.href = n ? href[k] : NULL};
	}
	document_row(&w->d, cells);
	free(name);
}

static void put_side(FILE *out, const char *of, bool initiates,
		     const char *does, const struct result *shows)
{
	fprintf(out, "  %s, as %s, %s: %s %s%s%s\n", of,
		initiates ? "initiator" : "responder", does,
		plain_looks[shows->verdict].word, shows->id,
		*shows->reason ? ": " : "", shows->reason);
}

static void put_reasons(struct writer *w, size_t a, size_t b)
{
	char anchor[ANCHOR], *line;
	struct memstream m;
	FILE *out;

	anchor_of(anchor, a, b);
	if (!text_made(asprintf(&line, "%s %s and %s %s", letter(a),
				w->m->runs[a]->device_name, letter(b),
				w->m->runs[b]->device_name)))
		return;
	document_point_at(&w->d, anchor + 1, line);
	free(line);
	out = memstream_open(&m);
	for (size_t i = 0; out && i < w->m->pair_count; i++) {
		const struct pair *p = &w->m->pairs[i];

		if (!is_of(p, a, b))
			continue;
		fprintf(out, "%s:\n", p->about);
		put_side(out, letter(p->one), p->one_initiates, p->insists,
			 p->shows);
		put_side(out, letter(p->other), !p->one_initiates, p->refuses,
			 p->other_shows);
	}
	char *text = memstream_finish(&m, NULL);

	if (text)
		document_under(&w->d, text);
	free(text);
}

static void put_pairs(struct writer *w)
{
	const struct matrix *m = w->m;

	document_heading(&w->d, "Interoperability of pairs");
	document_say(
		&w->d,
		"A number: for so many reasons the two devices would not "
		"interoperate, as their cases show. ok: no case shows such a "
		"reason; this does not prove that they interoperate. ?: cases "
		"that could show one were blocked, not judged, or not run.");
	begin_table(w, "Pairs of devices", "device", 3);
	for (size_t i = 0; i < m->count; i++)
		put_pair_row(w, i);
	for (size_t a = 0; a < m->count; a++)
		for (size_t b = a + 1; b < m->count; b++)
			if (reasons(m, a, b))
				put_reasons(w, a, b);
}

/* --- layers ------------------------------------------------------------------ */

static bool is_layer(const char *id, const char *layer)
{
	size_t n = strlen(layer);

	return strncmp(id, layer, n) == 0 && id[n] == '/';
}

static void put_layer(struct writer *w, const char *layer)
{
	static char text[MATRIX_RUNS][24];
	struct document_cell cells[MATRIX_RUNS + 1] = {{.text = layer}};
	bool many = w->m->count > WORDS_MOST;

	for (size_t k = 0; k < w->m->count; k++) {
		const struct run_result *run = w->m->runs[k];
		size_t failed = 0, judged = 0;

		for (size_t i = 0; i < run->count; i++) {
			enum verdict v = run->results[i].verdict;

			if (!is_layer(run->results[i].id, layer))
				continue;
			failed += v == VERDICT_FAIL || v == VERDICT_XFAIL;
			judged += v != VERDICT_SKIP && v != VERDICT_BLOCKED &&
				  v != VERDICT_ERROR;
		}
		snprintf(text[k], sizeof(text[k]), many ? "%zu" : "%zu/%zu",
			 failed, judged);
		cells[k + 1] = (struct document_cell){
			.text = judged ? text[k] : "-", .marked = failed};
	}
	document_row(&w->d, cells);
}

static void put_layers(struct writer *w)
{
	char layer[64] = "";

	document_heading(&w->d, "Layer by device");
	document_say(&w->d, w->m->count > WORDS_MOST
				    ? "Failed cases; -: no case was judged."
				    : "Failed cases of all judged cases; -: no "
				      "case was judged.");
	begin_table(w, "Layers", "layer", 9);
	for (size_t i = 0; i < w->m->case_count; i++) {
		const char *id = w->m->cases[i].id;

		if (*layer && is_layer(id, layer))
			continue;
		snprintf(layer, sizeof(layer), "%.*s", (int)strcspn(id, "/"),
			 id);
		put_layer(w, layer);
	}
}

/* --- requirements ------------------------------------------------------------ */

static bool is_bad(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_XFAIL || v == VERDICT_WARN ||
	       v == VERDICT_ERROR || v == VERDICT_BLOCKED;
}

/* It differs, or all devices break it. */
static bool is_shown(const struct matrix *m, const struct matrix_requirement *r)
{
	bool bad = false;

	for (size_t i = 0; i < m->count && !bad; i++)
		bad = r->of[i] != VERDICT_COUNT && is_bad(r->of[i]);
	return bad || matrix_requirement_differs(m, r);
}

static const struct background_requirement *known(const struct writer *w,
						  const char *id)
{
	for (size_t i = 0; w->b && i < w->b->requirement_count; i++)
		if (strcmp(w->b->requirements[i].id, id) == 0)
			return &w->b->requirements[i];
	return NULL;
}

static void put_requirement(struct writer *w,
			    const struct matrix_requirement *r)
{
	const struct background_requirement *q = known(w, r->id);
	struct document_cell cells[MATRIX_RUNS + 1];
	char *head = NULL;

	if (!text_made(asprintf(&head, "%s%s%s%s%s", r->id, q ? ", " : "",
				q ? q->section : "", q ? ": " : "",
				q ? q->statement : "")))
		return;
	cells[0] = (struct document_cell){.text = head};
	for (size_t k = 0; k < w->m->count; k++)
		cells[k + 1] = cell_of(w, r->of[k]);
	document_row(&w->d, cells);
	free(head);
}

static void put_requirements(struct writer *w)
{
	const struct matrix *m = w->m;
	size_t differ = 0, shown = 0;
	char text[200];

	for (size_t i = 0; i < m->requirement_count; i++) {
		differ += matrix_requirement_differs(m, &m->requirements[i]);
		shown += is_shown(m, &m->requirements[i]);
	}
	document_heading(&w->d, "Requirements");
	snprintf(text, sizeof(text),
		 "Devices differ in %zu of %zu requirements. For each, the "
		 "worst verdict of its cases; those that all devices meet are "
		 "left out.",
		 differ, m->requirement_count);
	document_say(&w->d, text);
	if (!shown)
		return;
	put_legend(w);
	begin_table(w, "Requirements", "requirement", verdict_width(w));
	for (size_t i = 0; i < m->requirement_count; i++)
		if (is_shown(m, &m->requirements[i]))
			put_requirement(w, &m->requirements[i]);
}

/* --- cases ------------------------------------------------------------------- */

static void put_case(struct writer *w, const struct matrix_case *c)
{
	static char href[MATRIX_RUNS][MATRIX_CAPTURE];
	struct document_cell cells[MATRIX_RUNS + 1] = {{.text = c->id}};

	for (size_t k = 0; k < w->m->count; k++) {
		cells[k + 1] = cell_of(w, c->of[k] ? c->of[k]->verdict
						   : VERDICT_COUNT);
		if (!c->captured[k])
			continue;
		matrix_capture(href[k], k, c->id);
		cells[k + 1].href = href[k];
	}
	document_row(&w->d, cells);
}

static void put_cases(struct writer *w)
{
	const struct matrix *m = w->m;
	size_t differ = 0;
	char caption[160];

	for (size_t i = 0; i < m->case_count; i++)
		differ += matrix_case_differs(m, &m->cases[i]);
	document_heading(&w->d, "Cases");
	snprintf(caption, sizeof(caption),
		 "%zu of %zu cases have another verdict on another device.%s",
		 differ, m->case_count,
		 w->d.format == DOCUMENT_HTML
			 ? " A verdict with a link leads to its capture."
			 : "");
	document_say(&w->d, caption);
	if (!differ)
		return;
	begin_table(w, "Cases", "case", verdict_width(w));
	for (size_t i = 0; i < m->case_count; i++)
		if (matrix_case_differs(m, &m->cases[i]))
			put_case(w, &m->cases[i]);
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
	document_heading(&w->d, "Choices in which devices differ");
	snprintf(line, sizeof(line),
		 "Devices chose differently in %zu of %zu cases.", differ, all);
	document_say(&w->d, line);
	for (size_t i = 0; i < m->case_count; i++) {
		const struct matrix_case *c = &m->cases[i];
		char *head;

		if (!matrix_choice_differs(m, c) ||
		    (i && matrix_choice_is_twin(m, c - 1, c)))
			continue;
		bool twins = i + 1 < m->case_count &&
			     matrix_choice_is_twin(m, c, c + 1);

		if (!text_made(asprintf(&head, "%s%s: %s", c->id,
					twins ? ", and @initiator" : "",
					c->title)))
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
		.b = r->background,
	};

	for (size_t i = 0; i < w.m->count; i++)
		if (!text_made(asprintf(&w.names[i + 1], "%s %.40s", letter(i),
					w.m->runs[i]->device_name)))
			w.names[i + 1] = NULL;
	if (!text_lost())
		w.d.names = (const char *const *)w.names;
	document_begin(&w.d, MATRIX_KIND, "Devices side by side",
		       r->matrix->runs[0]->suite_name);
	put_pairs(&w);
	put_layers(&w);
	document_heading(&w.d, "The devices");
	for (size_t i = 0; i < r->matrix->count; i++)
		put_device(&w, i);
	put_requirements(&w);
	put_choices(&w);
	put_cases(&w);
	document_end(&w.d);
	for (size_t i = 0; i < w.m->count; i++)
		free(w.names[i + 1]);
	return ferror(out) ? -1 : 0;
}
