/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the device survives the programs. They are many and short: it is
 * checked after a round of them (review.c handles a failure).
 */
#include "suite/explore/exploration.h"

#include <stdio.h>

struct patient survival_patient(struct exploration *e)
{
	return (struct patient){.hooks = e->o->run->hooks,
				.bed = &e->bed,
				.timeout_scale = e->o->run->timeout_scale,
				.ended = &explore_ended};
}

bool survival_at_first(struct exploration *e, char *why, size_t cap)
{
	static struct hook_result seen;

	if (health_look(e->o->run->hooks, &seen) == HEALTH_WELL)
		return true;
	snprintf(why, cap, "%s before any program ran%s%.200s", seen.line,
		 seen.output[0] ? ": " : "",
		 seen.output[0] ? hook_last_line(&seen) : "");
	return false;
}

bool survival_so_far(struct exploration *e, struct hook_result *seen)
{
	return health_look(e->o->run->hooks, seen) == HEALTH_WELL;
}

bool survival_bring_back(struct exploration *e)
{
	const struct patient p = survival_patient(e);
	char why[1024];

	testbed_leave_agent(&e->bed);
	if (!health_can_reset(p.hooks)) {
		e->device_gone = true;
		explore_note(e, "the device went down, and there is no reset "
				"hook to bring it back");
		return false;
	}
	explore_says(e, "resetting the device");
	if (health_bring_back(&p, why, sizeof(why))) {
		crew_renew();
		return true;
	}
	e->device_gone = true;
	explore_note(e, why);
	return false;
}

/* Its agent has ended the session, or reported that it cannot do something,
 * which may happen once. If the program is performed again, it happens each
 * time. */
static bool loses_it_again(struct exploration *e, const struct program *p,
			   struct result *result, struct outcome *out,
			   struct hook_result *seen)
{
	const struct patient patient = survival_patient(e);
	char why[512] = "";

	for (unsigned i = 1; i < CONFIRM && !explore_ended; i++) {
		*out = explore_perform(e, p, result);
		if (!out->device_gone)
			return false;
		if (health_await(&patient, seen, why, sizeof(why)) !=
		    HEALTH_WELL)
			return survival_bring_back(e), true;
	}
	*seen = (struct hook_result){.end = HOOK_UNCLEAR};
	snprintf(seen->line, sizeof(seen->line), "%.150s", out->reason);
	return !explore_ended;
}

static bool fails_once(struct exploration *e, const struct program *p,
		       struct result *result, struct outcome *out,
		       struct hook_result *seen)
{
	const struct patient patient = survival_patient(e);
	char why[512] = "";

	*out = explore_perform(e, p, result);
	enum health h = health_look(patient.hooks, seen);

	if (explore_ended && explore_ended != SIGALRM)
		return false;
	if (h == HEALTH_WELL && out->device_gone) {
		h = health_await(&patient, seen, why, sizeof(why));
		if (h == HEALTH_WELL)
			return loses_it_again(e, p, result, out, seen);
	}
	if (h == HEALTH_WELL)
		return false;
	if (h == HEALTH_GONE) {
		*seen = (struct hook_result){.end = HOOK_UNCLEAR};
		snprintf(seen->line, sizeof(seen->line),
			 "its agent is gone: %.100s", why);
	}
	survival_bring_back(e);
	return true;
}

bool survival_fails(struct exploration *e, const struct program *p,
		    unsigned times, struct result *result, struct outcome *out,
		    struct hook_result *seen)
{
	for (unsigned i = 0; i < times; i++)
		if (fails_once(e, p, result, out, seen))
			return true;
		else if (explore_ended && explore_ended != SIGALRM)
			return false;
	return false;
}
