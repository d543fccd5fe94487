/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that entries explain, and entries that no longer hold. */
#include "suite/judge/deviations/entries.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/req/req.h"

#define PROGRAMS "explore/" /* ids of what programs find */

void deviations_forget_stale(struct deviations *d)
{
	for (size_t i = 0; i < d->stale_count; i++)
		free((void *)(uintptr_t)d->stale[i].text);
	free(d->stale);
	d->stale = NULL;
	d->stale_count = 0;
}

static void __attribute__((format(printf, 4, 5)))
is_stale(struct deviations *d, const char *name, const char *id,
	 const char *fmt, ...)
{
	struct result_stale *more =
		realloc(d->stale, (d->stale_count + 1) * sizeof(*more));
	va_list ap;
	char *text;

	if (!more)
		return;
	d->stale = more;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);

	va_end(ap);
	if (n < 0)
		return;
	more[d->stale_count++] =
		(struct result_stale){.entry = name, .id = id, .text = text};
}

/* The case ran, and the entry does not hold. */
static bool is_at_odds(const struct entry *e, const struct result *r)
{
	return !e->sometimes && result_speaks_of(r, e) &&
	       entry_matches(e, r->id) && !entry_still_holds(e, r);
}

/* "it fails", "3 of its cases fail (the first is ID)": the first case
 * identifies the entry. */
static const char *cases_do(char *text, size_t cap, const struct entry *e,
			    const char *first, size_t n, const char *one,
			    const char *many)
{
	bool is_named = strcmp(entry_name(e), first) == 0;
	size_t at;

	if (n == 1)
		snprintf(text, cap, "%s %s", is_named ? "it" : first, one);
	else
		snprintf(text, cap, "%zu of its cases %s", n, many);
	at = strlen(text);
	if (n > 1 && !is_named)
		snprintf(text + at, cap - at, " (the first is %s)", first);
	return text;
}

/* One line for each entry that does not hold, however many cases show it. */
static void look_at_entry(struct deviations *d, const struct entry *e,
			  const struct result *results, size_t n, time_t now)
{
	if (entry_has_expired(e, now)) {
		is_stale(d, entry_name(e), "", "has expired");
		return;
	}
	for (size_t i = 0; i < e->glob_count; i++)
		if (!deviations_know_case(d, e->globs[i])) {
			is_stale(d, e->globs[i], "", "matches no case");
			return;
		}
	const struct result *fixed = NULL, *otherwise = NULL;
	size_t mended_count = 0, otherwise_count = 0;
	char what[512];

	for (size_t i = 0; i < n; i++) {
		const struct result *r = &results[i];

		if (!is_at_odds(e, r))
			continue;
		if (result_is_failure(r)) {
			otherwise = otherwise ? otherwise : r;
			otherwise_count++;
		} else {
			fixed = fixed ? fixed : r;
			mended_count++;
		}
	}
	if (fixed)
		is_stale(d, entry_name(e), fixed->id,
			 "%s: %s; --update-deviations corrects the entry",
			 e->signature,
			 cases_do(what, sizeof(what), e, fixed->id,
				  mended_count, "does not fail",
				  "do not fail"));
	if (otherwise)
		is_stale(d, entry_name(e), otherwise->id, "%s: %s: %s",
			 e->signature,
			 cases_do(what, sizeof(what), e, otherwise->id,
				  otherwise_count, "fails in a new way",
				  "fail in a new way"),
			 otherwise->signature);
}

/* Explained by an entry, and no entry contradicts this result. */
static bool is_listed(const struct deviations *d, const struct result *r,
		      time_t now)
{
	bool listed = false;

	for (const struct entry *e = d->first; e; e = e->next) {
		if (entry_has_expired(e, now) || !entry_matches(e, r->id))
			continue;
		if (is_at_odds(e, r))
			return false;
		listed = true;
	}
	return listed;
}

/* Either about cases, and so about any program; or about this program. */
static bool is_of_cases(const struct entry *e, const char *id)
{
	for (size_t i = 0; i < e->glob_count; i++)
		if (strncmp(e->globs[i], PROGRAMS, sizeof(PROGRAMS) - 1) != 0 ||
		    fnmatch(e->globs[i], id, 0) == 0)
			return true;
	return false;
}

/* The same for any case. */
static const struct entry *names(const struct deviations *d,
				 const struct result *r, const char *w,
				 time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (signature_has(e->signature, w) &&
		    !entry_has_expired(e, now) && is_of_cases(e, r->id))
			return e;
	return NULL;
}

/* Only failures have to be known. */
static bool is_must(const char *w)
{
	for (unsigned short i = 0; i < REQ_COUNT; i++)
		if (strlen(req_table[i].id) == signature_word(w) &&
		    strncmp(req_table[i].id, w, signature_word(w)) == 0)
			return req_table[i].kind == REQ_KIND_must;
	return true;
}

typedef const struct entry *explains_fn(const struct deviations *d,
					const struct result *r, const char *w,
					time_t now);

/* The reasons of the entries that explain a failure, each once; NULL: no entry
 * explains one of the broken requirements. */
static const char *explanation(struct deviations *d, const struct result *r,
			       explains_fn *explained, time_t now)
{
	struct kept *k = calloc(1, sizeof(*k));
	const char *w = r->signature;

	if (!k)
		return NULL;
	k->next = d->kept;
	d->kept = k;
	for (; *w; w = signature_next(w)) {
		const struct entry *e = explained(d, r, w, now);
		char *longer;

		if (!e && explained == names && !is_must(w))
			continue;
		if (!e)
			return NULL;
		if (k->text && strstr(k->text, e->reason))
			continue;
		if (asprintf(&longer, "%s%s%s", k->text ? k->text : "",
			     k->text ? "; " : "", e->reason) < 0)
			return NULL;
		free(k->text);
		k->text = longer;
	}
	return k->text;
}

/* Give each broken requirement the reason of the entry that explains it. */
static void tell_broken(const struct deviations *d, struct result *r,
			explains_fn *explained, time_t now)
{
	for (size_t i = 0; i < r->broken_count; i++) {
		const struct entry *e =
			explained(d, r, r->broken[i].requirement, now);

		r->broken[i].known = e ? e->reason : "";
	}
}

size_t deviations_apply(struct deviations *d, struct result *results, size_t n,
			time_t now, const struct result_stale **stale)
{
	deviations_forget_stale(d);
	for (const struct entry *e = d->first; e; e = e->next)
		look_at_entry(d, e, results, n, now);
	for (size_t i = 0; i < n; i++) {
		struct result *r = &results[i];

		if (r->verdict != VERDICT_FAIL)
			continue;
		const char *reason = deviations_reason(d, r, now);

		if (reason) {
			r->verdict = VERDICT_XFAIL;
			r->reason = reason;
			tell_broken(d, r, deviations_explain, now);
		} else if (is_listed(d, r, now)) {
			is_stale(d, r->id, r->id, "%s fails in a new way: %s",
				 r->id, r->signature);
		}
	}
	*stale = d->stale;
	return d->stale_count;
}

const char *deviations_reason(struct deviations *d, const struct result *r,
			      time_t now)
{
	return r->verdict == VERDICT_FAIL
		       ? explanation(d, r, deviations_explain, now)
		       : NULL;
}

const char *deviations_requirements(struct deviations *d, struct result *r,
				    time_t now)
{
	const char *reason = explanation(d, r, names, now);

	if (reason)
		tell_broken(d, r, names, now);
	return reason;
}

const char *deviations_avoid(const struct deviations *d, size_t n, time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next) {
		if (entry_has_expired(e, now))
			continue;
		if (n < e->avoids)
			return e->avoid[n];
		n -= e->avoids;
	}
	return NULL;
}

const char *deviations_crash(const struct deviations *d, const char *id,
			     time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (signature_has(e->signature, RESULT_CRASHED) &&
		    !entry_has_expired(e, now) && entry_matches(e, id))
			return e->reason;
	return NULL;
}
