/* SPDX-License-Identifier: BSD-2-Clause */
#include "reports/compare/diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "reports/compare/choice.h"
#include "reports/text/plain.h"

struct differ {
	struct diff *d;
	bool failed; /* no memory */
};

static void *grown(struct differ *x, void *list, size_t n, size_t size)
{
	/* Powers of two, so that it is not done for each. */
	if (n & (n - 1))
		return list;

	void *more = realloc(list, (n ? 2 * n : 1) * size);

	x->failed |= !more;
	return more;
}

static char *copy(struct differ *x, const char *text)
{
	char *mine = strdup(text);

	x->failed |= !mine;
	return mine;
}

__attribute__((format(printf, 2, 3))) static char *say(struct differ *x,
						       const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	x->failed |= !text;
	return text;
}

/* --- the runs ---------------------------------------------------------------- */

static void add_fact(struct differ *x, struct diff_fact **list, size_t *n,
		     const char *what, const char *was, const char *is)
{
	struct diff_fact *more;

	if (x->failed || strcmp(was, is) == 0)
		return;
	more = grown(x, *list, *n, sizeof(**list));
	if (!more)
		return;
	*list = more;
	more[(*n)++] = (struct diff_fact){what, copy(x, was), copy(x, is)};
}

static void fact(struct differ *x, const char *what, const char *was,
		 const char *is)
{
	add_fact(x, &x->d->facts, &x->d->fact_count, what, was, is);
}

static void number_fact(struct differ *x, const char *what, uint64_t was,
			uint64_t is)
{
	char a[24], b[24];

	snprintf(a, sizeof(a), "%llu", (unsigned long long)was);
	snprintf(b, sizeof(b), "%llu", (unsigned long long)is);
	fact(x, what, was || is ? a : "", was || is ? b : "");
}

static const char *identity_of(const struct run_result *run, const char *name)
{
	for (size_t i = 0; i < run->identity_count; i++)
		if (strcmp(run->identity[i].name, name) == 0)
			return run->identity[i].value;
	return "";
}

static void identity_facts(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;

	fact(x, "device", was->device_name, is->device_name);
	fact(x, "implementation", was->device_impl, is->device_impl);
	for (size_t i = 0; i < was->identity_count; i++)
		fact(x, was->identity[i].name, was->identity[i].value,
		     identity_of(is, was->identity[i].name));
	for (size_t i = 0; i < is->identity_count; i++)
		if (!*identity_of(was, is->identity[i].name))
			fact(x, is->identity[i].name, "",
			     is->identity[i].value);
}

static char *selectors_of(struct differ *x, const struct run_result *run)
{
	struct memstream m;
	FILE *out = memstream_open(&m);

	for (size_t i = 0; out && i < run->selector_count; i++)
		fprintf(out, "%s%s", i ? " " : "", run->selectors[i]);
	char *text = memstream_finish(&m, NULL);

	x->failed |= !text;
	return text;
}

static void selection_facts(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;
	char *a = selectors_of(x, was), *b = selectors_of(x, is);
	char shard_a[32] = "", shard_b[32] = "";
	size_t before;

	if (was->shards)
		snprintf(shard_a, sizeof(shard_a), "%u of %u", was->shard,
			 was->shards);
	if (is->shards)
		snprintf(shard_b, sizeof(shard_b), "%u of %u", is->shard,
			 is->shards);
	before = x->d->fact_count;
	fact(x, "link", was->link, is->link);
	fact(x, "specification", was->spec, is->spec);
	if (a && b)
		fact(x, "selectors", a, b);
	fact(x, "rerun of the failures in", was->rerun ? was->rerun : "",
	     is->rerun ? is->rerun : "");
	fact(x, "shard", shard_a, shard_b);
	x->d->alike = x->d->fact_count == before;
	fact(x, "--strict", was->strict ? "yes" : "no",
	     is->strict ? "yes" : "no");
	free(a);
	free(b);
}

static void run_facts(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;

	fact(x, "suite", was->suite_name, is->suite_name);
	fact(x, "suite's version", was->suite_version, is->suite_version);
	fact(x, "suite's build", was->suite_build, is->suite_build);
	number_fact(x, "suite's mutants", was->mutants, is->mutants);
	number_fact(x, "suite's variants", was->variants, is->variants);
	identity_facts(x);
	selection_facts(x);
	number_fact(x, "exit status", (uint64_t)was->exit_status,
		    (uint64_t)is->exit_status);
	fact(x, "note", was->note, is->note);
	fact(x, "link's note", was->link_note, is->link_note);
}

/* --- claims and readings ----------------------------------------------------- */

/* NULL: it does not claim that. */
static const char *claim_of(const struct run_result *run, const char *name)
{
	for (size_t i = 0; i < run->claim_count; i++)
		if (strcmp(run->claims[i].name, name) == 0)
			return *run->claims[i].value ? run->claims[i].value
						     : "claimed";
	return "";
}

static bool has_reading(const struct run_result *run, const char *name)
{
	for (size_t i = 0; i < run->reading_count; i++)
		if (strcmp(run->readings[i].name, name) == 0)
			return true;
	return false;
}

static void claim_facts(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;
	struct diff *d = x->d;

	/* An older report, or a run without a device, does not say. */
	if (!was->claim_count || !is->claim_count)
		return;
	for (size_t i = 0; i < was->claim_count; i++) {
		const char *name = was->claims[i].name;

		add_fact(x, &d->claims, &d->claim_count, name,
			 claim_of(was, name), claim_of(is, name));
	}
	for (size_t i = 0; i < is->claim_count; i++) {
		const char *name = is->claims[i].name;

		if (!*claim_of(was, name))
			add_fact(x, &d->claims, &d->claim_count, name, "",
				 claim_of(is, name));
	}
}

static void reading_facts(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;
	struct diff *d = x->d;

	for (size_t i = 0; i < was->reading_count; i++)
		if (!has_reading(is, was->readings[i].name))
			add_fact(x, &d->claims, &d->claim_count,
				 was->readings[i].name, "a reading in force",
				 "");
	for (size_t i = 0; i < is->reading_count; i++)
		if (!has_reading(was, is->readings[i].name))
			add_fact(x, &d->claims, &d->claim_count,
				 is->readings[i].name, "",
				 "a reading in force");
}

/* --- a case ------------------------------------------------------------------ */

static bool fails(const struct diff *d, const struct result *r)
{
	switch (r->verdict) {
	case VERDICT_FAIL:
	case VERDICT_ERROR:
		return true;
	case VERDICT_BLOCKED:
		return !r->block_known;
	case VERDICT_WARN:
		return d->is->strict;
	default:
		return false;
	}
}

/* It was judged, or observed, and nothing is wrong. */
static bool stands(const struct diff *d, const struct result *r)
{
	return r->verdict == VERDICT_PASS || r->verdict == VERDICT_INFO ||
	       (r->verdict == VERDICT_WARN && !d->is->strict);
}

static bool breaks(const struct result *r, const char *requirement)
{
	for (size_t i = 0; i < r->broken_count; i++)
		if (strcmp(r->broken[i].requirement, requirement) == 0)
			return true;
	return false;
}

/* The requirements that one breaks and the other does not, with a blank between
 * them; "" if there is none. */
static char *broken_besides(struct differ *x, const struct result *r,
			    const struct result *other)
{
	struct memstream m;
	bool first = true;
	FILE *out = memstream_open(&m);

	for (size_t i = 0; out && i < r->broken_count; i++) {
		const char *id = r->broken[i].requirement;
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= strcmp(r->broken[k].requirement, id) == 0;
		if (told || (other && breaks(other, id)))
			continue;
		fprintf(out, "%s%s", first ? "" : " ", id);
		first = false;
	}
	char *text = memstream_finish(&m, NULL);

	x->failed |= !text;
	return text;
}

static void add_case(struct differ *x, enum diff_kind kind,
		     const struct result *was, const struct result *is,
		     char *why)
{
	struct diff *d = x->d;
	struct diff_case *more =
		grown(x, d->cases, d->case_count, sizeof(*d->cases));

	if (!more) {
		free(why);
		return;
	}
	d->cases = more;
	more[d->case_count++] = (struct diff_case){kind, was, is, why};
	d->counts[kind]++;
}

static const char *known(const struct result *r)
{
	return r->verdict == VERDICT_BLOCKED && r->block_known
		       ? ", by a known deviation"
		       : "";
}

/* Its result: the reason, or the broken requirements and how. */
static char *account(struct differ *x, const struct result *r)
{
	const struct result_broken *b = r->broken_count ? r->broken : NULL;
	char *ids = broken_besides(x, r, NULL), *text;
	char *lines = choice_without_octets(b            ? b->text
					    : *r->reason ? r->reason
							 : r->detail);

	if (b && ids)
		text = say(x, "breaks %s\n%s", ids, lines ? lines : "");
	else
		text = copy(x, lines ? lines : "");
	free(lines);
	free(ids);
	return text;
}

static char *from_to(struct differ *x, const struct result *was,
		     const struct result *is)
{
	char *what = account(x, is), *text;

	text = say(x, "was %s%s\n%s", plain_looks[was->verdict].word,
		   known(was), what ? what : "");
	free(what);
	return text;
}

/* Both fail. */
static void both_fail(struct differ *x, const struct result *was,
		      const struct result *is)
{
	char *more = broken_besides(x, is, was);
	char *fewer = broken_besides(x, was, is), *why = NULL;
	bool comparable = was->verdict == is->verdict;

	if (!more || !fewer) {
		free(more);
		free(fewer);
		return;
	}
	if (comparable && !*more && !*fewer)
		x->d->same++;
	else if (comparable)
		why = say(x, "%s%s%s%s%s", *more ? "also breaks: " : "", more,
			  *more && *fewer ? "\n" : "",
			  *fewer ? "no longer breaks: " : "", fewer);
	else
		why = from_to(x, was, is);
	if (why)
		add_case(x,
			 comparable && *more ? DIFF_REGRESSION : DIFF_FAILURE,
			 was, is, why);
	free(more);
	free(fewer);
}

static void choices(struct differ *x, const struct result *was,
		    const struct result *is)
{
	char *a = choice_of(was), *b = choice_of(is);

	if (!a || !b)
		x->failed = true;
	else if (strcmp(a, b) == 0 && was->verdict == is->verdict)
		x->d->same++;
	else if (was->verdict != is->verdict)
		add_case(x, DIFF_VERDICT, was, is, from_to(x, was, is));
	else
		add_case(x, DIFF_CHOICE, was, is,
			 say(x, "was:\n%sis:\n%s",
			     *a ? a : "nothing reported\n",
			     *b ? b : "nothing reported\n"));
	free(a);
	free(b);
}

static void both_there(struct differ *x, const struct result *was,
		       const struct result *is)
{
	const struct diff *d = x->d;
	bool lost = is->verdict == VERDICT_SKIP &&
		    was->verdict == VERDICT_PASS && d->alike;

	if (fails(d, was) && fails(d, is))
		both_fail(x, was, is);
	else if (lost || (fails(d, is) &&
			  (stands(d, was) || was->verdict == VERDICT_XFAIL ||
			   was->verdict == VERDICT_BLOCKED)))
		add_case(x, DIFF_REGRESSION, was, is, from_to(x, was, is));
	else if (stands(d, is) &&
		 (fails(d, was) || was->verdict == VERDICT_XFAIL))
		add_case(x, DIFF_FIXED, was, is,
			 say(x, "was %s", plain_looks[was->verdict].word));
	else if (stands(d, is) && stands(d, was))
		choices(x, was, is);
	else if (was->verdict != is->verdict ||
		 was->block_known != is->block_known)
		add_case(x, DIFF_VERDICT, was, is, from_to(x, was, is));
	else
		x->d->same++;
}

static void new_case(struct differ *x, const struct result *is)
{
	add_case(x, DIFF_NEW, NULL, is,
		 fails(x->d, is) ? account(x, is) : copy(x, ""));
}

static void gone_case(struct differ *x, const struct result *was)
{
	bool lost = was->verdict == VERDICT_PASS && x->d->alike;

	add_case(x, lost ? DIFF_REGRESSION : DIFF_GONE, was, NULL,
		 say(x, "was %s, and is now missing",
		     plain_looks[was->verdict].word));
}

/* --- how long it took --------------------------------------------------------- */

/* Less is what any host makes of it. */
#define SLOWER_NS     100000000u
#define SLOWER_FACTOR 2u

/* It was carried out, and not cut short by something else. */
static bool has_run(const struct result *r)
{
	return r->verdict != VERDICT_SKIP && r->verdict != VERDICT_BLOCKED &&
	       r->verdict != VERDICT_ERROR;
}

static void durations(struct differ *x, const struct result *was,
		      const struct result *is)
{
	struct diff *d = x->d;
	struct diff_slower *more;

	if (!has_run(was) || !has_run(is) ||
	    is->duration_ns < was->duration_ns + SLOWER_NS ||
	    is->duration_ns / SLOWER_FACTOR < was->duration_ns)
		return;
	more = grown(x, d->slower, d->slower_count, sizeof(*d->slower));
	if (!more)
		return;
	d->slower = more;
	more[d->slower_count++] = (struct diff_slower){was, is};
}

static int by_excess(const void *a, const void *b)
{
	const struct diff_slower *x = a, *y = b;
	uint64_t m = x->is->duration_ns - x->was->duration_ns;
	uint64_t n = y->is->duration_ns - y->was->duration_ns;

	return m != n ? (m > n ? -1 : 1) : strcmp(x->is->id, y->is->id);
}

/* Both are in the order of their ids. */
static void walk(struct differ *x)
{
	const struct run_result *was = x->d->was, *is = x->d->is;
	size_t i = 0, k = 0;

	while (!x->failed && (i < was->count || k < is->count)) {
		int order = i == was->count  ? 1
			    : k == is->count ? -1
					     : strcmp(was->results[i].id,
						      is->results[k].id);

		if (order < 0)
			gone_case(x, &was->results[i++]);
		else if (order > 0)
			new_case(x, &is->results[k++]);
		else {
			durations(x, &was->results[i], &is->results[k]);
			both_there(x, &was->results[i++], &is->results[k++]);
		}
	}
}

static const char *id_of(const struct diff_case *c)
{
	return c->is ? c->is->id : c->was->id;
}

static int by_kind(const void *a, const void *b)
{
	const struct diff_case *x = a, *y = b;

	return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
				  : strcmp(id_of(x), id_of(y));
}

/* --- findings ---------------------------------------------------------------- */

static bool is_first_line(const char *line, const char *text)
{
	size_t n = strcspn(text, "\n");

	return strncmp(line, text, n) == 0 && (line[n] == '\n' || !line[n]);
}

static bool had_finding(const struct run_result *run, const char *text)
{
	for (size_t i = 0; i < run->finding_count; i++)
		if (is_first_line(run->findings[i], text))
			return true;
	for (size_t i = 0; i < run->known_count; i++)
		if (is_first_line(run->known[i], text))
			return true;
	return false;
}

static void findings(struct differ *x)
{
	struct diff *d = x->d;

	d->findings = calloc(d->is->finding_count + 1, sizeof(*d->findings));
	x->failed |= !d->findings;
	for (size_t i = 0; d->findings && i < d->is->finding_count; i++)
		if (!had_finding(d->was, d->is->findings[i]))
			d->findings[d->finding_count++] = d->is->findings[i];
}

bool diff_runs(const struct run_result *was, const struct run_result *is,
	       struct diff *out)
{
	struct differ x = {out, false};

	*out = (struct diff){.was = was, .is = is};
	run_facts(&x);
	claim_facts(&x);
	reading_facts(&x);
	walk(&x);
	findings(&x);
	if (x.failed) {
		diff_free(out);
		return false;
	}
	if (out->case_count)
		qsort(out->cases, out->case_count, sizeof(*out->cases),
		      by_kind);
	if (out->slower_count)
		qsort(out->slower, out->slower_count, sizeof(*out->slower),
		      by_excess);
	return true;
}

static void free_facts(struct diff_fact *facts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(facts[i].was);
		free(facts[i].is);
	}
	free(facts);
}

void diff_free(struct diff *d)
{
	free_facts(d->facts, d->fact_count);
	free_facts(d->claims, d->claim_count);
	for (size_t i = 0; i < d->case_count; i++)
		free(d->cases[i].why);
	free(d->cases);
	free(d->slower);
	free(d->findings);
	*d = (struct diff){0};
}

bool diff_regresses(const struct diff *d)
{
	return d->counts[DIFF_REGRESSION] || d->finding_count;
}
