/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/matrix_write.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/compare/groups.h"
#include "reports/compare/names.h"
#include "reports/text/plain.h"
#include "suite/judge/background.h"

/* So many devices have their verdicts as words, and more as letters. */
#define WORDS_MOST 6
#define ANCHOR     32

struct writer {
	struct document d;
	const struct matrix *m;
	const struct background *b; /* or NULL */
	struct names names;
	const char *whole[MATRIX_RUNS + 1], *brief[MATRIX_RUNS + 1];
	struct group *groups;
	size_t group_count;
};

static void anchor_of_device(char anchor[ANCHOR], size_t run)
{
	snprintf(anchor, ANCHOR, "device-%s", names_letter(run));
}

static void anchor_of_case(char anchor[ANCHOR], const struct matrix *m,
			   const struct matrix_case *c)
{
	snprintf(anchor, ANCHOR, "case-%zu", (size_t)(c - m->cases));
}

/* --- the devices ------------------------------------------------------------- */

/* "A: Frobnitz 100 (libfrob 1.2), the reference"; to be freed, or NULL. */
static char *device_line(const struct writer *w, size_t i)
{
	char *line;

	return text_made(asprintf(&line, "%s: %s (%s)%s", names_letter(i),
				  w->names.of[i], w->m->runs[i]->device_impl,
				  i == 0 && w->m->reference ? ", the reference"
							    : ""))
		       ? line
		       : NULL;
}

/* First of all, because the tables refer to devices by their letters. */
static void put_devices(struct writer *w)
{
	document_heading(&w->d, "The devices");
	for (size_t i = 0; i < w->m->count; i++) {
		char anchor[ANCHOR], *line = device_line(w, i);

		anchor_of_device(anchor, i);
		if (line)
			document_point_to(&w->d, anchor, line);
		free(line);
	}
}

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

static void put_run(struct writer *w, size_t i)
{
	const struct run_result *run = w->m->runs[i];
	char started[REPORT_TIME_SIZE], *line;
	struct memstream m;
	FILE *out;

	report_time(started, &run->started);
	char anchor[ANCHOR];

	anchor_of_device(anchor, i);
	line = device_line(w, i);
	if (line)
		document_point_at(&w->d, anchor, line);
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

static void put_runs(struct writer *w)
{
	document_heading(&w->d, "The runs");
	for (size_t i = 0; i < w->m->count; i++)
		put_run(w, i);
}

/* --- tables ------------------------------------------------------------------ */

enum { TITLE_LEAST = 16 }; /* columns of a row's title on a terminal */

/* The devices that have room side by side. */
static size_t devices_beside(const struct writer *w, size_t each)
{
	size_t n = w->m->count, room = (PLAIN_WIDTH - TITLE_LEAST) / (each + 1);

	if (w->d.format != DOCUMENT_TEXT || n <= room)
		return n;
	if (!room)
		return 1;

	size_t parts = (n + room - 1) / room;

	return (n + parts - 1) / parts;
}

/* The devices of a table, or of a part of it: those from `from` to before
 * `to`. */
struct part {
	size_t from, to;
};

/* The first part has `to` 0. False: that was the last one. */
static bool next_part(const struct writer *w, struct part *p, size_t each)
{
	size_t n = devices_beside(w, each);

	p->from = p->to;
	p->to = p->from + n < w->m->count ? p->from + n : w->m->count;
	return p->from < w->m->count;
}

static void begin_table(struct writer *w, const char *caption, const char *of,
			const struct part *p, size_t each)
{
	static size_t widths[MATRIX_RUNS + 1];
	const char *heads[MATRIX_RUNS + 1] = {of};
	size_t n = p->to - p->from, taken = n * (each + 1);

	widths[0] = taken + TITLE_LEAST < PLAIN_WIDTH ? PLAIN_WIDTH - taken
						      : TITLE_LEAST;
	for (size_t i = 0; i < n; i++) {
		heads[i + 1] = names_letter(p->from + i);
		widths[i + 1] = each;
	}
	document_table(&w->d, caption, heads, widths, n + 1);
}

static struct part all_devices(const struct writer *w)
{
	return (struct part){0, w->m->count};
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

#define MANY_LEGEND                                                            \
	"P passed, F failed, W a SHOULD not followed, I a choice, - not "      \
	"applicable, X a known deviation, E not judged, B blocked, empty: "    \
	"not run."

static void put_legend(struct writer *w, const char *also)
{
	bool many = w->m->count > WORDS_MOST;
	char *text;

	if (!text_made(asprintf(&text, "%s%s%s",
				many ? MANY_LEGEND : "-: not run.",
				*also ? " " : "", also)))
		return;
	document_say(&w->d, text);
	free(text);
}

/* --- pairs ------------------------------------------------------------------- */

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

static void anchor_of_group(char anchor[ANCHOR], const struct group *g)
{
	size_t a = g->device, b = g->first;

	snprintf(anchor, ANCHOR, "%s-%s", names_letter(a < b ? a : b),
		 names_letter(a < b ? b : a));
}

/* A reference to the group's reasons; NULL: none. */
static const char *group_href(const struct writer *w, size_t a, size_t b,
			      char href[ANCHOR + 1])
{
	const struct group *g = group_find(w->groups, w->group_count, a, b);

	if (!g)
		return NULL;
	href[0] = '#';
	anchor_of_group(href + 1, g);
	return href;
}

static void put_pair_row(struct writer *w, const struct part *p, size_t row)
{
	static char text[MATRIX_RUNS][24], href[MATRIX_RUNS][ANCHOR + 1];
	struct document_cell cells[MATRIX_RUNS + 1] = {
		{.text = w->names.lettered[row]}};
	bool open = pairs_are_open(w->m->runs[row]);

	for (size_t k = p->from; k < p->to; k++) {
		size_t n = k == row ? 0 : reasons(w->m, row, k);
		bool unknown = !n && k != row &&
			       (open || pairs_are_open(w->m->runs[k]));

		snprintf(text[k], sizeof(text[k]), "%zu", n);
		cells[k - p->from + 1] = (struct document_cell){
			.text = k == row  ? ""
				: n       ? text[k]
				: unknown ? "?"
					  : "ok",
			.marked = n,
			.open = unknown,
			.href = n ? group_href(w, row, k, href[k]) : NULL};
	}
	document_row(&w->d, cells);
}

static void put_pairs(struct writer *w)
{
	const size_t each = w->m->count > WORDS_MOST ? 2 : 3;
	struct part p = {0};

	document_heading(&w->d, "Interoperability of pairs");
	document_say(
		&w->d,
		"A number: for so many reasons the two devices would not "
		"interoperate, as their cases show. ok: no case shows such a "
		"reason; this does not prove that they interoperate. ?: cases "
		"that could show one were blocked, not judged, or not run.");
	while (next_part(w, &p, each)) {
		begin_table(w, "Pairs of devices", "device", &p, each);
		for (size_t i = 0; i < w->m->count; i++)
			put_pair_row(w, &p, i);
	}
}

static void put_side(FILE *out, const char *of, bool initiates,
		     const char *does, const struct result *shows)
{
	fprintf(out, "  %s, as %s, %s: %s %s%s%s\n", of,
		initiates ? "initiator" : "responder", does,
		plain_looks[shows->verdict].word, shows->id,
		*shows->reason ? ": " : "", shows->reason);
}

/* "A Alpha and B Bravo"; "C Charlie with A, B, F to O". To be freed, or
 * NULL. */
static char *group_line(const struct writer *w, const struct group *g)
{
	char *const *names = w->names.lettered;
	size_t a = g->device, b = g->first;
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (out && g->others == 1)
		fprintf(out, "%s and %s", names[a < b ? a : b],
			names[a < b ? b : a]);
	if (out && g->others > 1) {
		fprintf(out, "%s with ", names[a]);
		names_put_letters(g->with, out);
	}
	return memstream_finish(&m, NULL);
}

static void put_group(struct writer *w, const struct group *g)
{
	const char *other =
		g->others > 1 ? "each of them" : names_letter(g->first);
	char anchor[ANCHOR], *line = group_line(w, g);
	struct memstream m;
	FILE *out = memstream_open(&m);

	anchor_of_group(anchor, g);
	if (line)
		document_point_at(&w->d, anchor, line);
	free(line);
	for (size_t i = 0; out && i < g->reason_count; i++) {
		const struct pair *p = g->reasons[i];
		bool insists = p->one == g->device;

		fprintf(out, "%s:\n", p->about);
		put_side(out, insists ? names_letter(g->device) : other,
			 p->one_initiates, p->insists, p->shows);
		put_side(out, insists ? other : names_letter(g->device),
			 !p->one_initiates, p->refuses, p->other_shows);
	}
	char *text = memstream_finish(&m, NULL);

	if (text)
		document_under(&w->d, text);
	free(text);
}

static void put_reasons(struct writer *w)
{
	if (!w->group_count)
		return;
	document_heading(&w->d, "Why pairs would not interoperate");
	for (size_t i = 0; i < w->group_count; i++)
		put_group(w, &w->groups[i]);
}

/* --- layers ------------------------------------------------------------------ */

/* The parts of "2+557?/854": none of the 854 is left out. */
struct tally_text {
	char failed[24], unjudged[24], applicable[24];
};

static struct tally_text tally_text(const struct matrix_tally *t)
{
	struct tally_text text = {"-", "", ""};

	if (!t->applicable)
		return text;
	snprintf(text.failed, sizeof(text.failed), "%zu", t->failed);
	if (t->unjudged)
		snprintf(text.unjudged, sizeof(text.unjudged), "+%zu?",
			 t->unjudged);
	snprintf(text.applicable, sizeof(text.applicable), "/%zu",
		 t->applicable);
	return text;
}

/* No layer of a device has longer numbers than all of them. */
static size_t tally_width(const struct writer *w)
{
	size_t width = 1;

	for (size_t i = 0; i < w->m->count; i++) {
		struct matrix_tally t = matrix_tally(w->m->runs[i], NULL);
		struct tally_text text = tally_text(&t);
		size_t n = strlen(text.failed) + strlen(text.unjudged) +
			   strlen(text.applicable);

		width = n > width ? n : width;
	}
	return width;
}

static bool is_bad(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_XFAIL || v == VERDICT_WARN ||
	       v == VERDICT_ERROR || v == VERDICT_BLOCKED;
}

/* The layer's first row in the table of cases that shows what the cell counts;
 * or NULL. */
static const char *layer_href(const struct matrix *m, const char *layer,
			      size_t run, char href[ANCHOR + 1])
{
	for (size_t i = 0; i < m->case_count; i++) {
		const struct matrix_case *c = &m->cases[i];

		if (!matrix_is_layer(c->id, layer) || !c->of[run] ||
		    c->of[run]->verdict == VERDICT_WARN ||
		    !is_bad(c->of[run]->verdict) || !matrix_case_differs(m, c))
			continue;
		href[0] = '#';
		anchor_of_case(href + 1, m, c);
		return href;
	}
	return NULL;
}

/* layer: NULL for all. */
static void put_layer(struct writer *w, const struct part *p, const char *layer)
{
	static struct tally_text text[MATRIX_RUNS];
	static char href[MATRIX_RUNS][ANCHOR + 1];
	struct document_cell cells[MATRIX_RUNS + 1] = {
		{.text = layer ? layer : "all"}};

	for (size_t k = p->from; k < p->to; k++) {
		struct matrix_tally t = matrix_tally(w->m->runs[k], layer);
		struct document_cell *c = &cells[k - p->from + 1];

		text[k] = tally_text(&t);
		*c = (struct document_cell){
			.text = text[k].failed,
			.under = {text[k].unjudged, text[k].applicable},
			.marked = t.failed,
			.open = t.unjudged};
		href[k][0] = '#';
		anchor_of_device(href[k] + 1, k);
		c->href = layer ? layer_href(w->m, layer, k, href[k]) : href[k];
	}
	document_row(&w->d, cells);
}

static void put_layers(struct writer *w)
{
	size_t each = tally_width(w);
	struct part p = {0};

	document_heading(&w->d, "Layer by device");
	document_say(&w->d,
		     "Failed cases of those that apply to the device: 2/854. "
		     "With ?, as in 2+557?/854: so many more were blocked or "
		     "not judged, and could have failed. -: no case applies, "
		     "or none was run.");
	while (next_part(w, &p, each)) {
		char layer[64] = "";

		w->d.figures = true;
		begin_table(w, "Layers", "layer", &p, each);
		for (size_t i = 0; i < w->m->case_count; i++) {
			const char *id = w->m->cases[i].id;

			if (*layer && matrix_is_layer(id, layer))
				continue;
			snprintf(layer, sizeof(layer), "%.*s",
				 (int)strcspn(id, "/"), id);
			put_layer(w, &p, layer);
		}
		put_layer(w, &p, NULL);
	}
}

/* --- requirements ------------------------------------------------------------ */

/* Its cases say nothing about it. */
static bool is_open(const struct matrix_requirement *r, size_t run)
{
	return r->unsaid[run] &&
	       (r->of[run] == VERDICT_COUNT || r->of[run] == VERDICT_SKIP);
}

/* It differs, or not every device meets it. */
static bool is_shown(const struct matrix *m, const struct matrix_requirement *r)
{
	bool bad = false;

	for (size_t i = 0; i < m->count && !bad; i++)
		bad = is_open(r, i) ||
		      (r->of[i] != VERDICT_COUNT && is_bad(r->of[i]));
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

/* The capture of a case that found it broken, or else that case's row; or
 * NULL. */
static const char *evidence_href(const struct matrix *m,
				 const struct matrix_requirement *r, size_t run,
				 char href[MATRIX_CAPTURE])
{
	const struct matrix_case *c =
		r->by[run] ? matrix_find_case(m, r->by[run]->id) : NULL;

	if (!c || (!c->captured[run] && !matrix_case_differs(m, c)))
		return NULL;
	if (c->captured[run]) {
		matrix_capture(href, run, c->id);
	} else {
		href[0] = '#';
		anchor_of_case(href + 1, m, c);
	}
	return href;
}

static void put_requirement(struct writer *w,
			    const struct matrix_requirement *r)
{
	const struct background_requirement *q = known(w, r->id);
	static char href[MATRIX_RUNS][MATRIX_CAPTURE];
	struct document_cell cells[MATRIX_RUNS + 1];
	char *head = NULL;

	if (!text_made(asprintf(&head, "%s%s%s%s%s", r->id, q ? ", " : "",
				q ? q->section : "", q ? ": " : "",
				q ? q->statement : "")))
		return;
	cells[0] = (struct document_cell){.text = head};
	for (size_t k = 0; k < w->m->count; k++) {
		cells[k + 1] = is_open(r, k)
				       ? (struct document_cell){.text = "?",
								.open = true}
				       : cell_of(w, r->of[k]);
		cells[k + 1].href = evidence_href(w->m, r, k, href[k]);
	}
	document_row(&w->d, cells);
	free(head);
}

static void put_requirements(struct writer *w)
{
	const struct matrix *m = w->m;
	size_t differ = 0, shown = 0;
	struct part p = all_devices(w);
	char text[320];

	for (size_t i = 0; i < m->requirement_count; i++) {
		differ += matrix_requirement_differs(m, &m->requirements[i]);
		shown += is_shown(m, &m->requirements[i]);
	}
	document_heading(&w->d, "Requirements");
	snprintf(text, sizeof(text),
		 "Devices differ in %zu of %zu requirements. For each, the "
		 "worst verdict of its cases; the %zu that no device breaks, "
		 "and about which verdicts agree, are left out.%s",
		 differ, m->requirement_count, m->requirement_count - shown,
		 w->d.format == DOCUMENT_HTML
			 ? " A verdict with a link leads to the capture of a "
			   "case, or to the row of the case."
			 : "");
	document_say(&w->d, text);
	if (!shown)
		return;
	put_legend(w, "?: cases about it ran, but they failed for another "
		      "reason, were blocked, or were not judged: they say "
		      "nothing about it.");
	begin_table(w, "Requirements", "requirement", &p, verdict_width(w));
	for (size_t i = 0; i < m->requirement_count; i++)
		if (is_shown(m, &m->requirements[i]))
			put_requirement(w, &m->requirements[i]);
}

/* --- cases ------------------------------------------------------------------- */

static void put_case(struct writer *w, const struct matrix_case *c)
{
	static char href[MATRIX_RUNS][MATRIX_CAPTURE];
	char anchor[ANCHOR];
	struct document_cell cells[MATRIX_RUNS + 1] = {
		{.text = c->id, .anchor = anchor}};

	anchor_of_case(anchor, w->m, c);
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

enum { UNFOLDED = 40 }; /* cases; more would hide what follows */

static void put_cases(struct writer *w)
{
	const struct matrix *m = w->m;
	struct part p = all_devices(w);
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
	snprintf(caption, sizeof(caption), "The table of %zu cases", differ);
	document_fold(&w->d, caption, differ <= UNFOLDED);
	put_legend(w, "");
	begin_table(w, "Cases", "case", &p, verdict_width(w));
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
	bool alike[MATRIX_RUNS] = {false};
	struct memstream m;
	FILE *out = memstream_open(&m);

	if (!out) {
		memstream_finish(&m, NULL);
		return;
	}
	for (size_t i = run; i < w->m->count; i++)
		alike[i] = c->choice[i] &&
			   strcmp(c->choice[i], c->choice[run]) == 0;
	names_put_letters(alike, out);
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

/* --- as a whole -------------------------------------------------------------- */

/* The questions of a reader in their order: who with whom, how much, which
 * sentences; then the details. */
static void put_all(struct writer *w)
{
	document_begin(&w->d, MATRIX_KIND, "Devices side by side",
		       w->m->runs[0]->suite_name);
	put_devices(w);
	put_pairs(w);
	put_layers(w);
	put_requirements(w);
	put_reasons(w);
	put_choices(w);
	put_cases(w);
	put_runs(w);
	document_end(&w->d);
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

	if (!names_of(w.m, &w.names))
		return -1;
	if (!groups_of(w.m, &w.groups, &w.group_count)) {
		names_free(&w.names);
		text_is_lost();
		return -1;
	}
	for (size_t i = 0; i < w.m->count; i++) {
		w.whole[i + 1] = w.names.lettered[i];
		w.brief[i + 1] = w.names.brief[i];
	}
	w.d.names = w.whole;
	w.d.brief = w.brief;
	put_all(&w);
	free(w.groups);
	names_free(&w.names);
	return ferror(out) ? -1 : 0;
}
