/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A round after which the device is down: the programs that may have caused it
 * are performed again, alone and in order, with a check after each; so the same
 * program is named with any number of jobs.
 */
#include "suite/explore/exploration.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	SUSPECTS = 32,   /* the last so many may have done it */
	UNEXPLAINED = 3, /* times that none of them causes it, alone */
};

/* Nothing is known but that one of several did it. */
static void cannot_tell(struct exploration *e, uint64_t from, unsigned n,
			const struct hook_result *down)
{
	const char *what = down->output[0] ? hook_last_line(down) : down->line;

	snprintf(e->unexplained_text, sizeof(e->unexplained_text),
		 "the device went down in programs %" PRIu64 " to %" PRIu64
		 " of this seed, and no single program takes it down: %.100s",
		 from, from + n - 1, what);
	explore_says(e, "%s", e->unexplained_text);
	/* No crash was reported then. */
	e->refused |= down->end != HOOK_ILL;
	if (++e->unexplained < UNEXPLAINED)
		return;
	e->device_gone = true;
	explore_note(e, e->unexplained_text);
}

/* It stays down: the one that may have done it is reported, or that it is one
 * of several. */
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
	survival_bring_back(e);
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
		/* Later programs are made differently. */
		if (did_it || out.verdict == VERDICT_FAIL || out.refused)
			return;
	}
	/* An agent that was slow for once says nothing. */
	e->again += !was_down;
	if (was_down && !e->device_gone)
		cannot_tell(e, from, n, down);
}

void review_round(struct exploration *e, const struct outcome *out,
		  unsigned sound, unsigned n, const struct hook_result *seen)
{
	static struct hook_result down;
	const struct patient patient = survival_patient(e);
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
	/* A program that ended well may have caused it later, but not long
	 * ago. */
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
	if (!back && !survival_bring_back(e))
		return;
	if (!back)
		explore_says(e, "running each of %u suspected programs alone",
			     n);
	try_each(e, from, n, &down, !back);
}
