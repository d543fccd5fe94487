/* SPDX-License-Identifier: BSD-2-Clause */
/* What an entry says about a result. */
#include "suite/judge/deviations/entries.h"

#include <fnmatch.h>
#include <string.h>

const char *entry_name(const struct entry *e)
{
	return e->glob_count ? e->globs[0] : "";
}

bool entry_matches(const struct entry *e, const char *id)
{
	for (size_t i = 0; i < e->glob_count; i++)
		if (fnmatch(e->globs[i], id, 0) == 0)
			return true;
	return false;
}

size_t signature_word(const char *at)
{
	return strcspn(at, " ");
}

const char *signature_next(const char *at)
{
	at += signature_word(at);
	return at + strspn(at, " ");
}

bool signature_has(const char *words, const char *w)
{
	for (; *words; words = signature_next(words))
		if (signature_word(words) == signature_word(w) &&
		    strncmp(words, w, signature_word(w)) == 0)
			return true;
	return false;
}

bool result_is_failure(const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_XFAIL;
}

bool result_speaks_of(const struct result *r, const struct entry *e)
{
	return r->verdict != VERDICT_SKIP && r->verdict != VERDICT_ERROR &&
	       r->verdict != VERDICT_BLOCKED &&
	       (!signature_has(r->signature, RESULT_CRASHED) ||
		signature_has(e->signature, RESULT_CRASHED));
}

bool entry_still_holds(const struct entry *e, const struct result *r)
{
	if (!result_is_failure(r) || !entry_matches(e, r->id))
		return false;
	for (const char *w = e->signature; *w; w = signature_next(w))
		if (!signature_has(r->signature, w))
			return false;
	return true;
}

bool entry_has_expired(const struct entry *e, time_t now)
{
	char today[16];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(today, sizeof(today), "%Y-%m-%d", &tm);
	return e->expires[0] && strcmp(e->expires, today) < 0;
}

const struct entry *deviations_explain(const struct deviations *d,
				       const struct result *r, const char *w,
				       time_t now)
{
	for (const struct entry *e = d->first; e; e = e->next)
		if (signature_has(e->signature, w) &&
		    !entry_has_expired(e, now) && entry_still_holds(e, r))
			return e;
	return NULL;
}

bool deviations_know_case(const struct deviations *d, const char *glob)
{
	for (size_t i = 0; i < d->id_count; i++)
		if (fnmatch(glob, d->ids[i], 0) == 0)
			return true;
	return false;
}
