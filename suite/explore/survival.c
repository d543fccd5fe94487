/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the device survives what is done to it. Programs are many and short:
 * it is looked at after a round of them. Where it is down, those that may have
 * done it are performed again, alone and in their order, with a look after
 * each; so the same one is told at any number of jobs.
 */
#include "suite/explore/exploration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SUSPECTS = 32,   /* the last so many may have done it */
	UNEXPLAINED = 3, /* times that none of them has, alone */
};

static struct patient patient_of(struct exploration *e)
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
	snprintf(why, cap, "%s before anything was done%s%.200s", seen.line,
		 seen.output[0] ? ": " : "",
		 seen.output[0] ? hook_last_line(&seen) : "");
	return false;
}

bool survival_so_far(struct exploration *e, struct hook_result *seen)
{
	return health_look(e->o->run->hooks, seen) == HEALTH_WELL;
}

/* False: the exploration is over. */
static bool bring_back(struct exploration *e)
{
	const struct patient p = patient_of(e);
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

/* Its agent has ended the session, or told that it cannot: which may be so for
 * once. Performed again, it does it each time. */
static bool loses_it_again(struct exploration *e, const struct program *p,
			   struct result *result, struct outcome *out,
			   struct hook_result *seen)
{
	const struct patient patient = patient_of(e);
	char why[512] = "";

	for (unsigned i = 1; i < CONFIRM && !explore_ended; i++) {
		*out = explore_perform(e, p, result);
		if (!out->device_gone)
			return false;
		if (health_await(&patient, seen, why, sizeof(why)) !=
		    HEALTH_WELL)
			return bring_back(e), true;
	}
	*seen = (struct hook_result){.end = HOOK_UNCLEAR};
	snprintf(seen->line, sizeof(seen->line), "%.150s", out->reason);
	return !explore_ended;
}

static bool fails_once(struct exploration *e, const struct program *p,
		       struct result *result, struct outcome *out,
		       struct hook_result *seen)
{
	const struct patient patient = patient_of(e);
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
	bring_back(e);
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

/* Nothing is known but that one of several did it. */
static void cannot_tell(struct exploration *e, uint64_t from, unsigned n,
			const struct hook_result *down)
{
	const char *what = down->output[0] ? hook_last_line(down) : down->line;

	snprintf(e->unexplained_text, sizeof(e->unexplained_text),
		 "the device went down in programs %" PRIu64 " to %" PRIu64
		 " of this seed, and none was seen to take it down alone: "
		 "%.100s",
		 from, from + n - 1, what);
	explore_says(e, "%s", e->unexplained_text);
	/* That it crashed nobody has said then. */
	e->refused |= down->end != HOOK_ILL;
	if (++e->unexplained < UNEXPLAINED)
		return;
	e->device_gone = true;
	explore_note(e, e->unexplained_text);
}

/* It stays down: the one that may have done it is told, or that it is one of
 * several. */
static void end_without_reset(struct exploration *e, uint64_t from, unsigned n,
			      const struct hook_result *seen)
{
	static struct program p;

	if (n == 1) {
		generate(&e->how, from, &p);
		finding_crash(e, &p, seen);
	} else {
		cannot_tell(e, from, n, seen);
	}
	bring_back(e);
}

/* Each in turn, alone. */
static void try_each(struct exploration *e, uint64_t from, unsigned n,
		     const struct hook_result *down, bool was_down)
{
	static struct program p;
	static struct hook_result seen;
	struct result result;
	struct outcome out;

	for (unsigned i = 0; i < n && !e->device_gone; i++) {
		e->bed.brief = true;
		generate(&e->how, from + i, &p);
		bool did_it = survival_fails(e, &p, SURVIVAL_TRIES, &result,
					     &out, &seen);

		if (explore_ended && !did_it)
			return;
		if (did_it)
			finding_crash(e, &p, &seen);
		else if (out.verdict == VERDICT_FAIL &&
			 !finding_look_at(e, &out))
			return;
		else if (out.refused)
			finding_refused(e, &out);
		e->programs = from + i + 1;
		e->operations += out.operations;
		resume_save(e, true);
		/* What comes behind it is made in another way. */
		if (did_it || out.verdict == VERDICT_FAIL || out.refused)
			return;
	}
	/* An agent that was slow for once says nothing. */
	e->again += !was_down;
	if (was_down && !e->device_gone)
		cannot_tell(e, from, n, down);
}

void survival_review(struct exploration *e, const struct outcome *out,
		     unsigned sound, unsigned n, const struct hook_result *seen)
{
	static struct hook_result down;
	const struct patient patient = patient_of(e);
	uint64_t from = e->programs;
	bool back = false;
	char why[256] = "";

	if (seen) {
		down = *seen;
	} else {
		enum health h = health_await(&patient, &down, why, sizeof(why));

		back = h == HEALTH_WELL;
		if (back || h == HEALTH_GONE) {
			down = (struct hook_result){.end = HOOK_UNCLEAR};
			snprintf(down.line, sizeof(down.line), "%.150s",
				 back ? out[sound].reason : why);
		}
	}
	if (explore_ended)
		return;
	/* What was seen through may have done it later, but not long ago. */
	unsigned first = !seen && !health_can_reset(patient.hooks) ? sound
			 : n > SUSPECTS ? n - SUSPECTS
					: 0;

	first = first < sound ? first : sound;

	for (unsigned i = 0; i < first; i++, from++)
		e->operations += out[i].operations;
	e->programs = from;
	n -= first;
	if (!back)
		explore_says(e, "the device is down: %s", down.line);
	if (!back && !health_can_reset(patient.hooks)) {
		end_without_reset(e, from, n, &down);
		return;
	}
	crew_renew();
	if (!back && !bring_back(e))
		return;
	if (!back)
		explore_says(e, "each of %u programs is tried alone", n);
	try_each(e, from, n, &down, !back);
}
