/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare/choice.h"

/* --- which there are --------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, each once. */
static size_t each_once(const char **texts, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(texts[kept - 1], texts[i]) != 0)
			texts[kept++] = texts[i];
	return kept;
}

static int requirement_by_id(const void *id, const void *row)
{
	return strcmp(id, ((const struct matrix_requirement *)row)->id);
}

static int case_by_id(const void *id, const void *row)
{
	return strcmp(id, ((const struct matrix_case *)row)->id);
}

/* --- requirements ------------------------------------------------------------ */

static bool list_requirements(struct matrix *m)
{
	size_t n = 0;
	const char **ids;

	for (size_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < m->runs[i]->count; k++)
			n += m->runs[i]->results[k].requirement_count +
			     m->runs[i]->results[k].broken_count;
	ids = calloc(n + 1, sizeof(*ids));
	if (!ids)
		return false;
	n = 0;
	for (size_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < m->runs[i]->count; k++) {
			const struct result *r = &m->runs[i]->results[k];

			for (size_t j = 0; j < r->requirement_count; j++)
				ids[n++] = r->requirements[j];
			for (size_t j = 0; j < r->broken_count; j++)
				ids[n++] = r->broken[j].requirement;
		}
	m->requirement_count = each_once(ids, n);
	m->requirements =
		calloc(m->requirement_count + 1, sizeof(*m->requirements));
	for (size_t i = 0; m->requirements && i < m->requirement_count; i++) {
		m->requirements[i].id = ids[i];
		for (size_t k = 0; k < MATRIX_RUNS; k++)
			m->requirements[i].of[k] = VERDICT_COUNT;
	}
	free(ids);
	return m->requirements;
}

/* The worse of two; a judged result outweighs one that was not judged. */
static enum verdict worse(enum verdict a, enum verdict b)
{
	static const enum verdict order[] = {
		VERDICT_FAIL, VERDICT_XFAIL,   VERDICT_WARN,  VERDICT_PASS,
		VERDICT_INFO, VERDICT_BLOCKED, VERDICT_ERROR, VERDICT_SKIP};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return VERDICT_COUNT;
}

static bool is_broken(enum verdict v)
{
	return v == VERDICT_FAIL || v == VERDICT_WARN || v == VERDICT_XFAIL;
}

static struct matrix_requirement *row_of(struct matrix *m, const char *id)
{
	return bsearch(id, m->requirements, m->requirement_count,
		       sizeof(*m->requirements), requirement_by_id);
}

/* Of several cases, the first with a capture. */
static void show_by(struct matrix_requirement *row, size_t run,
		    const struct result *r)
{
	const struct result *by = row->by[run];

	if (!by || (r->capture && !by->capture))
		row->by[run] = r;
}

static void tell(struct matrix *m, size_t run, const char *id, enum verdict v,
		 const struct result *r)
{
	struct matrix_requirement *row = row_of(m, id);

	if (!row)
		return;
	if (worse(row->of[run], v) != row->of[run])
		row->by[run] = NULL;
	row->of[run] = worse(row->of[run], v);
	if (is_broken(v) && row->of[run] == v)
		show_by(row, run, r);
}

static void judge_requirements(struct matrix *m, size_t run)
{
	for (size_t i = 0; i < m->runs[run]->count; i++) {
		const struct result *r = &m->runs[run]->results[i];

		for (size_t k = 0; k < r->broken_count; k++) {
			const struct result_broken *b = &r->broken[k];
			bool should = strncmp(b->level, "SHOULD", 6) == 0;

			tell(m, run, b->requirement,
			     should      ? VERDICT_WARN
			     : *b->known ? VERDICT_XFAIL
					 : VERDICT_FAIL,
			     r);
		}
		/* For a failed case, its other requirements are not
		 * reported. */
		if (is_broken(r->verdict))
			continue;
		for (size_t k = 0; k < r->requirement_count; k++)
			tell(m, run, r->requirements[k], r->verdict, r);
	}
}

static bool is_unsaid(const struct result *r)
{
	return r && (is_broken(r->verdict) || r->verdict == VERDICT_BLOCKED ||
		     r->verdict == VERDICT_ERROR);
}

/* A case that ended early does not name all of its requirements: the result on
 * any device counts. */
static void leave_unsaid(struct matrix *m, const struct matrix_case *c,
			 const struct result *r)
{
	for (size_t i = 0; r && i < r->requirement_count; i++) {
		struct matrix_requirement *row = row_of(m, r->requirements[i]);

		for (size_t k = 0; row && k < m->count; k++)
			row->unsaid[k] |= is_unsaid(c->of[k]);
	}
}

static void tie_requirements(struct matrix *m)
{
	for (size_t i = 0; i < m->case_count; i++)
		for (size_t k = 0; k < m->count; k++)
			leave_unsaid(m, &m->cases[i], m->cases[i].of[k]);
	for (size_t i = 0; i < m->requirement_count; i++)
		for (size_t k = 0; k < m->count; k++) {
			const struct result *by = m->requirements[i].by[k];
			struct matrix_case *c =
				by ? matrix_find_case(m, by->id) : NULL;

			if (c)
				c->evidence[k] = true;
		}
}

/* --- cases ------------------------------------------------------------------- */

static bool list_cases(struct matrix *m)
{
	size_t n = 0;
	const char **ids;

	for (size_t i = 0; i < m->count; i++)
		n += m->runs[i]->count;
	ids = calloc(n + 1, sizeof(*ids));
	if (!ids)
		return false;
	n = 0;
	for (size_t i = 0; i < m->count; i++)
		for (size_t k = 0; k < m->runs[i]->count; k++)
			ids[n++] = m->runs[i]->results[k].id;
	m->case_count = each_once(ids, n);
	m->cases = calloc(m->case_count + 1, sizeof(*m->cases));
	for (size_t i = 0; m->cases && i < m->case_count; i++)
		m->cases[i].id = ids[i];
	free(ids);
	return m->cases;
}

struct matrix_case *matrix_find_case(const struct matrix *m, const char *id)
{
	return bsearch(id, m->cases, m->case_count, sizeof(*m->cases),
		       case_by_id);
}

static bool fill_cases(struct matrix *m, size_t run)
{
	for (size_t i = 0; i < m->runs[run]->count; i++) {
		const struct result *r = &m->runs[run]->results[i];
		struct matrix_case *row = matrix_find_case(m, r->id);

		row->of[run] = r;
		if (!row->title)
			row->title = r->title;
		row->choice[run] = choice_of(r);
		if (!row->choice[run])
			return false;
	}
	return true;
}

/* --- as a whole -------------------------------------------------------------- */

/* The clean built-in device, before all others. */
static void find_reference(struct matrix *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct run_result *run = m->runs[i];

		if (strcmp(run->device_name, "built-in device") != 0)
			continue;
		memmove(m->runs + 1, m->runs, i * sizeof(*m->runs));
		m->runs[0] = run;
		m->reference = true;
		return;
	}
}

bool matrix_of(const struct run_result *const *runs, size_t n, bool reference,
	       struct matrix *out)
{
	bool ok;

	*out = (struct matrix){.count = n, .reference = reference};
	for (size_t i = 0; i < n; i++)
		out->runs[i] = runs[i];
	if (!reference)
		find_reference(out);
	ok = list_requirements(out) && list_cases(out);
	for (size_t i = 0; ok && i < n; i++) {
		judge_requirements(out, i);
		ok = fill_cases(out, i);
	}
	if (ok)
		tie_requirements(out);
	ok = ok && pairs_of(out->runs, n, &out->pairs, &out->pair_count);
	if (!ok)
		matrix_free(out);
	return ok;
}

void matrix_free(struct matrix *m)
{
	for (size_t i = 0; m->cases && i < m->case_count; i++)
		for (size_t k = 0; k < m->count; k++)
			free(m->cases[i].choice[k]);
	free(m->cases);
	free(m->requirements);
	free(m->pairs);
	*m = (struct matrix){0};
}

/* What a device has not run is no other verdict. */
bool matrix_requirement_differs(const struct matrix *m,
				const struct matrix_requirement *r)
{
	enum verdict first = VERDICT_COUNT;

	for (size_t i = 0; i < m->count; i++) {
		if (r->of[i] == VERDICT_COUNT)
			continue;
		if (first != VERDICT_COUNT && r->of[i] != first)
			return true;
		first = r->of[i];
	}
	return false;
}

bool matrix_case_differs(const struct matrix *m, const struct matrix_case *c)
{
	const struct result *first = NULL;

	for (size_t i = 0; i < m->count; i++) {
		if (!c->of[i])
			continue;
		if (first && c->of[i]->verdict != first->verdict)
			return true;
		first = c->of[i];
	}
	return false;
}

bool matrix_choice_differs(const struct matrix *m, const struct matrix_case *c)
{
	const char *first = NULL;

	for (size_t i = 0; i < m->count; i++) {
		if (!c->choice[i] || !*c->choice[i])
			continue;
		if (first && strcmp(first, c->choice[i]) != 0)
			return true;
		first = c->choice[i];
	}
	return false;
}

bool matrix_is_layer(const char *id, const char *layer)
{
	size_t n = strlen(layer);

	return strncmp(id, layer, n) == 0 && id[n] == '/';
}

struct matrix_tally matrix_tally(const struct run_result *run,
				 const char *layer)
{
	struct matrix_tally t = {0};

	for (size_t i = 0; i < run->count; i++) {
		enum verdict v = run->results[i].verdict;

		if (layer && !matrix_is_layer(run->results[i].id, layer))
			continue;
		t.failed += v == VERDICT_FAIL || v == VERDICT_XFAIL;
		t.unjudged += v == VERDICT_BLOCKED || v == VERDICT_ERROR;
		t.applicable += v != VERDICT_SKIP;
	}
	return t;
}

void matrix_capture(char name[MATRIX_CAPTURE], size_t run, const char *id)
{
	size_t n = (size_t)snprintf(name, MATRIX_CAPTURE, "captures/%c.",
				    (char)('A' + run));

	for (; *id && n + 8 < MATRIX_CAPTURE; id++)
		name[n++] = *id == '/' ? '.' : *id;
	strcpy(name + n, ".pcapng");
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool matrix_choice_is_twin(const struct matrix *m, const struct matrix_case *of,
			   const struct matrix_case *c)
{
	size_t n = strlen(of->id);

	if (strncmp(c->id, of->id, n) != 0 ||
	    strcmp(c->id + n, "@initiator") != 0)
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (!same_text(of->choice[i], c->choice[i]))
			return false;
	return true;
}
