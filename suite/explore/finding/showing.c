/* SPDX-License-Identifier: BSD-2-Clause */
/* A program performed again: whether it shows the fault, and the evidence. */
#include "suite/explore/finding/finding.h"

#include <stdlib.h>
#include <string.h>

#include "suite/judge/evidence.h"
#include "suite/run/journal/record.h"

size_t finding_first(const char *signature)
{
	return strcspn(signature, " ,");
}

bool showing_has_requirement(const char *signature, const char *first)
{
	size_t n = finding_first(first);

	for (const char *at = signature; *at;) {
		size_t len = finding_first(at);

		if (len == n && strncmp(at, first, n) == 0)
			return true;
		at += len + strspn(at + len, " ,");
	}
	return false;
}

void showing_take_evidence(struct showing *s, const struct result *r)
{
	struct evidence_bounds room;
	struct result with = *r;

	/* Without words on it, it was not performed. */
	if (s->e->o->run->evidence == EVIDENCE_OF_NONE || !r->detail)
		return;
	room = record_room(r);
	testbed_evidence(&s->e->bed, &room, &with);
	json_decref(s->evidence);
	s->evidence = evidence_is_there(&with) ? evidence_json(&with) : NULL;
}

void showing_drop_evidence(struct showing *s)
{
	json_decref(s->evidence);
	s->evidence = NULL;
}

void showing_give_evidence(struct showing *s, struct result *r)
{
	const char *why;
	void *owned;

	if (s->evidence)
		evidence_parse(r, s->evidence, &owned, &why);
	showing_drop_evidence(s);
}

bool showing_performs(struct showing *s, const struct program *p,
		      struct result *result)
{
	static struct hook_result seen;
	struct exploration *e = s->e;

	if (e->device_gone || s->crashes == CRASHES_MOST)
		return false;
	explore_progress(e, false);
	if (!survival_fails(e, p, 1, result, &s->last, &seen))
		return true;
	s->crashes++;
	if (!e->culprit && (e->culprit = malloc(sizeof(*p))))
		memcpy(e->culprit, p, sizeof(*p));
	return false;
}

bool showing_performs_so(struct showing *s, const struct program *p)
{
	struct result result;

	if (!showing_performs(s, p, &result) ||
	    s->last.verdict != VERDICT_FAIL ||
	    !showing_has_requirement(s->last.signature, s->signature))
		return false;
	showing_take_evidence(s, &result);
	return true;
}
