/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that takes the device down, or its agent. */
#include "suite/explore/finding/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool takes_it_down(void *user, const struct program *p)
{
	struct showing *s = user;

	static struct hook_result seen;

	if (explore_ended || s->e->device_gone || s->crashes == CRASHES_MOST ||
	    !survival_fails(s->e, p, SURVIVAL_TRIES, s->result, &s->last,
			    &seen))
		return false;
	showing_take_evidence(s, s->result);
	*s->seen = seen;
	s->crashes++;
	return true;
}

static struct result crash_result(const struct program *p,
				  const struct hook_result *seen)
{
	/* If only its agent is gone, no crash is reported. */
	bool crashed = seen->end == HOOK_ILL;

	return (struct result){
		.id = id_by_essence(crashed ? RESULT_CRASHED : "agent-lost", p),
		.title = "",
		.verdict = crashed ? VERDICT_FAIL : VERDICT_ERROR,
		.level = crashed ? "MUST" : "",
		.role = "",
		.signature = crashed ? RESULT_CRASHED : "",
		.consequences = "",
		.detail = crashed ? seen->output : "",
		.reason = crashed ? "" : seen->line};
}

void finding_replayed_crash(struct exploration *e, struct program *p,
			    const struct hook_result *seen)
{
	struct result r = crash_result(p, seen);

	e->refused |= r.verdict == VERDICT_ERROR;
	finding_replayed(e, p, &r);
}

void finding_crash(struct exploration *e, struct program *p,
		   const struct hook_result *seen)
{
	static struct hook_result last_seen;
	struct finding *f = &e->finding[e->findings];
	struct result result = {.verdict = VERDICT_FAIL};
	struct showing s = {.e = e, .result = &result, .seen = &last_seen};

	if (e->findings == FINDINGS_MOST)
		return;
	*f = (struct finding){.number = p->number};
	f->program = malloc(sizeof(*f->program));
	if (!f->program) {
		explore_note(e, "out of memory");
		return;
	}
	memcpy(f->program, p, sizeof(*p));
	explore_says(e, "program %" PRIu64 " takes the device down", p->number);
	last_seen = *seen;
	e->bed.brief = false;
	if (health_can_reset(e->o->run->hooks))
		shrink(f->program, takes_it_down, &s, SHRINK_MOST);
	snprintf(f->signature, sizeof(f->signature), RESULT_CRASHED);
	result = crash_result(f->program, &last_seen);
	e->refused |= result.verdict == VERDICT_ERROR;
	conclude_and_avoid(f, &result, takes_it_down, &s);
}
