/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/merge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/judge/reasons.h"
#include "suite/judge/whole.h"

struct merge {
	struct run_result run; /* first: this part is public */
	const struct run_result *const *of;
	const char *const *names;
	size_t n;
	char *why;
	size_t cap;
	bool failed;
	void **owned;
	size_t owned_count;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct merge *m,
							 const char *format,
							 ...)
{
	va_list ap;

	if (m->failed)
		return;
	m->failed = true;
	va_start(ap, format);
	vsnprintf(m->why, m->cap, format, ap);
	va_end(ap);
}

static void *keep(struct merge *m, void *block)
{
	void **owned =
		realloc(m->owned, (m->owned_count + 1) * sizeof(*m->owned));

	if (owned)
		m->owned = owned;
	if (!owned || !block) {
		free(block);
		refuse(m, "out of memory");
		return NULL;
	}
	owned[m->owned_count++] = block;
	return block;
}

static void *room(struct merge *m, size_t n, size_t size)
{
	return keep(m, calloc(n + 1, size));
}

/* --- whether the shards belong together ----------------------------------- */

static void same(struct merge *m, size_t i, const char *what, const char *a,
		 const char *b)
{
	if (strcmp(a, b) != 0)
		refuse(m, "%s and %s: %s: '%s' and '%s'", m->names[0],
		       m->names[i], what, a, b);
}

static void same_number(struct merge *m, size_t i, const char *what, uint64_t a,
			uint64_t b)
{
	if (a != b)
		refuse(m, "%s and %s: %s: %llu and %llu", m->names[0],
		       m->names[i], what, (unsigned long long)a,
		       (unsigned long long)b);
}

static void same_suite(struct merge *m, size_t i)
{
	const struct run_result *a = m->of[0], *b = m->of[i];

	same(m, i, "different suites", a->suite_name, b->suite_name);
	same(m, i, "different versions of the suite", a->suite_version,
	     b->suite_version);
	same(m, i, "different builds of the suite", a->suite_build,
	     b->suite_build);
	same_number(m, i, "different suites; mutants", a->mutants, b->mutants);
	same_number(m, i, "different suites; variants", a->variants,
		    b->variants);
}

static void same_device(struct merge *m, size_t i)
{
	const struct run_result *a = m->of[0], *b = m->of[i];

	same(m, i, "different devices", a->device_name, b->device_name);
	same(m, i, "different devices", a->device_impl, b->device_impl);
	same_number(m, i, "different devices; number of identity keys",
		    a->identity_count, b->identity_count);
	for (size_t k = 0; !m->failed && k < a->identity_count; k++) {
		same(m, i, "different devices", a->identity[k].name,
		     b->identity[k].name);
		same(m, i, "different devices", a->identity[k].value,
		     b->identity[k].value);
	}
	same_number(m, i, "different devices; number of claims", a->claim_count,
		    b->claim_count);
	for (size_t k = 0; !m->failed && k < a->claim_count; k++) {
		same(m, i, "different claims", a->claims[k].name,
		     b->claims[k].name);
		same(m, i, a->claims[k].name, a->claims[k].value,
		     b->claims[k].value);
	}
}

static void same_selection(struct merge *m, size_t i)
{
	const struct run_result *a = m->of[0], *b = m->of[i];

	same(m, i, "different links", a->link, b->link);
	same(m, i, "different specs", a->spec, b->spec);
	same_number(m, i, "different seeds", a->seed, b->seed);
	same(m, i, "--rerun of different reports", a->rerun ? a->rerun : "",
	     b->rerun ? b->rerun : "");
	same_number(m, i, "--strict", a->strict, b->strict);
	same_number(m, i, "different selections; number of selectors",
		    a->selector_count, b->selector_count);
	for (size_t k = 0; !m->failed && k < a->selector_count; k++)
		same(m, i, "different selectors", a->selectors[k],
		     b->selectors[k]);
}

/* There has to be one of each shard. */
static void all_of_them(struct merge *m)
{
	unsigned shards = m->of[0]->shards;
	const char **by = room(m, shards, sizeof(*by));

	for (size_t i = 0; by && !m->failed && i < m->n; i++) {
		const struct run_result *run = m->of[i];

		if (!run->shards) {
			refuse(m, "%s: a whole run, not a shard", m->names[i]);
			return;
		}
		same_number(m, i, "number of shards", shards, run->shards);
		if (m->failed)
			return;
		if (by[run->shard])
			refuse(m,
			       "an overlap: %s and %s are both shard %u of %u",
			       by[run->shard], m->names[i], run->shard, shards);
		by[run->shard] = m->names[i];
	}
	for (unsigned k = 1; by && !m->failed && k <= shards; k++)
		if (!by[k])
			refuse(m, "a gap: shard %u of %u is missing", k,
			       shards);
}

/* --- the whole ---------------------------------------------------------- */

typedef const char *text_of(const struct run_result *run);

static const char *note_of(const struct run_result *run)
{
	return run->note;
}
static const char *link_note_of(const struct run_result *run)
{
	return run->link_note;
}
static const char *journal_of(const struct run_result *run)
{
	return run->journal;
}
static const char *agent_of(const struct run_result *run)
{
	return run->device_agent;
}
static const char *host_of(const struct run_result *run)
{
	return run->host_name;
}
static const char *release_of(const struct run_result *run)
{
	return run->host_release;
}
static const char *machine_of(const struct run_result *run)
{
	return run->host_machine;
}

static bool is_told(const struct merge *m, size_t i, text_of *of)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(of(m->of[k]), of(m->of[i])) == 0)
			return true;
	return !*of(m->of[i]);
}

/* Each text once. */
static const char *joined(struct merge *m, text_of *of, const char *join)
{
	char *text = strdup("");

	for (size_t i = 0; text && i < m->n; i++) {
		char *longer;

		if (is_told(m, i, of))
			continue;
		if (asprintf(&longer, "%s%s%s", text, *text ? join : "",
			     of(m->of[i])) < 0)
			longer = NULL;
		free(text);
		text = longer;
	}
	text = keep(m, text);
	return text ? text : "";
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec
				      : a->tv_nsec < b->tv_nsec;
}

static void tell_where_and_when(struct merge *m)
{
	struct run_result *out = &m->run;

	out->device_agent = joined(m, agent_of, ", ");
	out->host_name = joined(m, host_of, ", ");
	out->host_release = joined(m, release_of, ", ");
	out->host_machine = joined(m, machine_of, ", ");
	out->link_note = joined(m, link_note_of, "; ");
	out->journal = joined(m, journal_of, ", ");
	out->note = joined(m, note_of, "; ");
	out->shard = out->shards = 0;
	out->duration_ns = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct run_result *run = m->of[i];

		if (is_before(&run->started, &out->started))
			out->started = run->started;
		if (is_before(&out->finished, &run->finished))
			out->finished = run->finished;
		if (run->jobs > out->jobs)
			out->jobs = run->jobs;
		if (!run->again || !out->again ||
		    strcmp(run->again, out->again) != 0)
			out->again = NULL;
		out->duration_ns += run->duration_ns;
	}
}

static int by_id(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	return strcmp(x->id, y->id);
}

/* The shard that a case belongs to. */
static const char *shard_with(const struct merge *m, const char *id, size_t nth)
{
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->of[i]->count; k++)
			if (strcmp(m->of[i]->results[k].id, id) == 0 && !nth--)
				return m->names[i];
	return "";
}

static void merge_results(struct merge *m)
{
	struct run_result *out = &m->run;
	struct result *all;

	out->count = out->planned = out->from_journal = out->unknown_met = 0;
	for (size_t i = 0; i < m->n; i++) {
		out->count += m->of[i]->count;
		out->planned += m->of[i]->planned;
		out->from_journal += m->of[i]->from_journal;
		out->unknown_met += m->of[i]->unknown_met;
	}
	all = room(m, out->count, sizeof(*all));
	out->results = all;
	memset(out->totals, 0, sizeof(out->totals));
	if (!all)
		return;
	for (size_t i = 0, at = 0; i < m->n; at += m->of[i++]->count)
		if (m->of[i]->count)
			memcpy(all + at, m->of[i]->results,
			       m->of[i]->count * sizeof(*all));
	qsort(all, out->count, sizeof(*all), by_id);
	for (size_t i = 0; i < out->count; i++) {
		if (i && strcmp(all[i - 1].id, all[i].id) == 0)
			refuse(m, "an overlap: %s is in %s and in %s",
			       all[i].id, shard_with(m, all[i].id, 0),
			       shard_with(m, all[i].id, 1));
		out->totals[all[i].verdict]++;
	}
	whole_know_blocks(all, out->count);
	out->reasons = reasons_of(all, out->count, &out->reason_count);
	if (out->reason_count)
		keep(m, (void *)out->reasons);
}

/* --- lists ------------------------------------------------------------------- */

/* Findings and similar lists, in the order of the shards. */
static void merge_texts(struct merge *m)
{
	size_t findings = 0, known = 0;

	for (size_t i = 0; i < m->n; i++) {
		findings += m->of[i]->finding_count;
		known += m->of[i]->known_count;
	}
	const char **finding = room(m, findings, sizeof(*finding));
	const char **of_known = room(m, known, sizeof(*of_known));

	m->run.findings = finding;
	m->run.known = of_known;
	m->run.finding_count = findings;
	m->run.known_count = known;
	for (size_t i = 0; finding && of_known && i < m->n; i++) {
		for (size_t k = 0; k < m->of[i]->finding_count; k++)
			*finding++ = m->of[i]->findings[k];
		for (size_t k = 0; k < m->of[i]->known_count; k++)
			*of_known++ = m->of[i]->known[k];
	}
}

static void merge_stale(struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->of[i]->stale_count;
	struct result_stale *all = room(m, n, sizeof(*all));

	m->run.stale = all;
	m->run.stale_count = 0;
	for (size_t i = 0; all && i < m->n; i++)
		for (size_t k = 0; k < m->of[i]->stale_count; k++) {
			const struct result_stale *s = &m->of[i]->stale[k];
			size_t j = 0;

			while (j < m->run.stale_count &&
			       (strcmp(all[j].entry, s->entry) != 0 ||
				strcmp(all[j].id, s->id) != 0 ||
				strcmp(all[j].text, s->text) != 0))
				j++;
			if (j == m->run.stale_count)
				all[m->run.stale_count++] = *s;
		}
}

/* A reading that shows only in certain cases is missing from some shards. */
static void merge_readings(struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->of[i]->reading_count;
	struct result_reading *all = room(m, n, sizeof(*all));

	m->run.readings = all;
	m->run.reading_count = 0;
	for (size_t i = 0; all && i < m->n; i++)
		for (size_t k = 0; k < m->of[i]->reading_count; k++) {
			const struct result_reading *r = &m->of[i]->readings[k];
			size_t j = 0;

			while (j < m->run.reading_count &&
			       strcmp(all[j].name, r->name) != 0)
				j++;
			if (j == m->run.reading_count)
				all[m->run.reading_count++] = *r;
		}
}

/* --- dimensions -------------------------------------------------------------- */

static const struct result_dimension *dimension_of(const struct run_result *run,
						   const char *name)
{
	for (size_t i = 0; i < run->dimension_count; i++)
		if (strcmp(run->dimensions[i].name, name) == 0)
			return &run->dimensions[i];
	return NULL;
}

static int by_low(const void *a, const void *b)
{
	const struct result_values *x = a, *y = b;

	return x->low != y->low     ? (x->low < y->low ? -1 : 1)
	       : x->high != y->high ? (x->high < y->high ? -1 : 1)
				    : 0;
}

/* The values of both, each once. */
static void add_values(struct merge *m, struct result_dimension *d,
		       const struct result_dimension *more)
{
	struct result_values *all =
		room(m, d->count + more->count, sizeof(*all));
	size_t n = 0;

	if (!all)
		return;
	for (size_t i = 0; i < d->count; i++)
		all[n++] = d->values[i];
	for (size_t i = 0; i < more->count; i++)
		all[n++] = more->values[i];
	qsort(all, n, sizeof(*all), by_low);
	d->values = all;
	d->count = 0;
	for (size_t i = 0; i < n; i++) {
		struct result_values *last = all + d->count - 1;

		if (d->count && by_low(last, &all[i]) == 0)
			last->met |= all[i].met;
		else if (d->count && last->high >= all[i].low)
			refuse(m,
			       "dimension %s: %llu is an edge in some shards, "
			       "but not in others",
			       d->name, (unsigned long long)all[i].low);
		else
			all[d->count++] = all[i];
	}
}

/* A value that did not occur in one shard may have occurred in another. */
static void merge_dimensions(struct merge *m)
{
	struct result_dimension *all;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->of[i]->dimension_count;
	all = room(m, n, sizeof(*all));
	m->run.dimensions = all;
	m->run.dimension_count = 0;
	for (size_t i = 0; all && i < m->n; i++)
		for (size_t k = 0; k < m->of[i]->dimension_count; k++) {
			const struct result_dimension *d =
				&m->of[i]->dimensions[k];
			struct result_dimension *had =
				(struct result_dimension *)dimension_of(
					&m->run, d->name);

			if (!had)
				all[m->run.dimension_count++] = *d;
			else
				add_values(m, had, d);
		}
}

/* --- as one ------------------------------------------------------------------ */

/* A shard's exit status may be that of cases that could not be judged, while a
 * case of the whole run has failed. */
static bool is_told_by_a_failure(const struct merge *m, size_t i)
{
	const struct run_result *shard = m->of[i];

	return whole_is_told_by_a_failure(&m->run) &&
	       shard->totals[VERDICT_ERROR] && !*shard->note;
}

/* How the whole run would have ended; a shard without any case does not
 * determine this. */
static int status_of(const struct merge *m)
{
	bool partial = false;

	for (int status = 3; status <= 4; status++)
		for (size_t i = 0; i < m->n; i++)
			if (m->of[i]->exit_status == status &&
			    !is_told_by_a_failure(m, i))
				return status;
	for (size_t i = 0; i < m->n; i++)
		partial |= m->of[i]->exit_status == 5 &&
			   (whole_executed(m->of[i]) ||
			    m->of[i]->count < m->of[i]->planned);
	return partial                   ? 5
	       : whole_fails(&m->run)    ? 1
	       : whole_executed(&m->run) ? 0
					 : 5;
}

const struct run_result *merge_shards(const struct run_result *const *runs,
				      const char *const *names, size_t n,
				      char *why, size_t cap)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m || !n) {
		snprintf(why, cap, n ? "out of memory" : "no shards");
		free(m);
		return NULL;
	}
	*m = (struct merge){*runs[0], runs, names, n, why, cap, false, NULL, 0};
	for (size_t i = 1; i < n; i++) {
		same_suite(m, i);
		same_device(m, i);
		same_selection(m, i);
	}
	all_of_them(m);
	if (!m->failed) {
		tell_where_and_when(m);
		merge_results(m);
		merge_texts(m);
		merge_stale(m);
		merge_readings(m);
		merge_dimensions(m);
	}
	if (!m->failed) {
		m->run.exit_status = status_of(m);
		return &m->run;
	}
	merge_free(&m->run);
	return NULL;
}

void merge_free(const struct run_result *merged)
{
	struct merge *m = (struct merge *)merged;

	for (size_t i = 0; m && i < m->owned_count; i++)
		free(m->owned[i]);
	if (m)
		free(m->owned);
	free(m);
}
