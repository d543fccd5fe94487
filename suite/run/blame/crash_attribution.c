/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether the device survived a case. If it crashed, every running case is a
 * suspect, and so is every case that ended just before: a device may go down a
 * moment after the cause. The device is reset, and each suspect runs again,
 * alone and several times in a row, so that the case still runs when its effect
 * shows. In this way the same case is blamed at any number of jobs.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/run/blame/device_log.h"
#include "suite/run/blame/health.h"
#include "suite/run/probe/preflight.h"

#define UNSTARTED_MAX 4   /* in a row: it is not really back */
#define TRIES         3   /* of a suspect */
#define VAIN_MAX      16u /* cases in a row that were not judged */

static enum health look(struct run *run, struct hook_result *seen)
{
	return health_look(run->o->hooks, seen);
}

static struct patient patient_of(struct run *run)
{
	return (struct patient){.hooks = run->o->hooks,
				.bed = run->bed,
				.timeout_scale = run->o->timeout_scale,
				.ended = &run_signalled};
}

static void end_early(struct run *run, const char *why)
{
	run_note(run, why);
	run->ended_early = true;
	run->device_died = true;
}

static bool can_reset(const struct run *run)
{
	return health_can_reset(run->o->hooks);
}

/* By the reset hook. False: the run is over. */
static bool bring_back(struct run *run)
{
	const struct patient p = patient_of(run);
	char why[1024];

	run_says(run, "resetting the device");
	if (health_bring_back(&p, why, sizeof(why))) {
		pool_renew(run);
		return true;
	}
	if (why[0])
		end_early(run, why);
	return false;
}

/* --- suspects --------------------------------------------------------------- */

/* The case runs alone, and is blamed for any crash meanwhile. */
static void suspect(struct run *run, size_t index)
{
	struct crash_attribution *q = &run->attribution;

	/* Cases that wait run long enough anyway. */
	q->tries[index] = registry()->instances[index].desc->waits ? 1 : TRIES;
	q->left++;
	pool_queue_alone(run, index);
}

bool crash_queue_last(struct run *run)
{
	if (run->last_queued || run->stopped)
		return false;
	run->last_queued = true;
	for (size_t i = 0; i < run->plan.count; i++) {
		size_t index = run->plan.order[i];
		const struct instance *in = &registry()->instances[index];

		if (!plan_is_alone(run->o, in) || run->done[index])
			continue;
		if (plan_knows_crash(run->o, in))
			suspect(run, index);
		else
			pool_queue_alone(run, index);
	}
	return pool_has_more(run);
}

/* Whether this is a suspect that has to run once more after this. */
static bool tried_again(struct run *run, size_t index)
{
	struct crash_attribution *q = &run->attribution;

	if (q->tries[index] < 2 || run->stopped)
		return false;
	q->tries[index]--;
	pool_queue_again(run, index);
	return true;
}

/* A suspect has been tried. */
static void tried(struct run *run, size_t index, bool did_it)
{
	struct crash_attribution *q = &run->attribution;

	if (!q->tries[index])
		return;
	q->tries[index] = 0;
	q->solved |= did_it;
	if (--q->left)
		return;
	if (q->crashed && !q->solved)
		run_finds(run,
			  "the device crashed, but none of the cases that ran "
			  "then brings it down alone\n",
			  q->suspects, q->suspect_count, &q->seen);
	q->suspect_count = 0;
	q->crashed = q->solved = false;
}

/* Blame the only possible case. */
static void convict(struct run *run, struct pending *p, enum health h,
		    const struct hook_result *seen)
{
	const char *id = registry()->instances[p->index].id;

	if (h == HEALTH_CRASHED) {
		run_says(run, "%s: the device crashed", id);
		device_log_of_crash(run, &p->record);
		run_crashed(run, p, seen);
	} else {
		run_says(run, "%s: %s", id, seen->line);
		run_settle(run, p->index, VERDICT_ERROR, CAUSE_DEVICE,
			   strdup(seen->line));
	}
	tried(run, p->index, true);
}

static int by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Run each of them again, together with the cases that ended just before; the
 * results of the latter are dropped. */
static void try_suspects(struct run *run, size_t *index, size_t n,
			 const struct hook_result *seen)
{
	for (size_t i = 0; i < run->latest_count; i++) {
		run_forget(run, run->latest[i]);
		index[n++] = run->latest[i];
	}
	if (n == 0) {
		run_finds(run, "the device crashed, and no case had run\n",
			  NULL, 0, seen);
		return;
	}
	run_says(run, "running each of %zu suspected cases alone", n);
	qsort(index, n, sizeof(*index), by_number);
	run->attribution.seen = *seen;
	run->attribution.crashed = true;
	for (size_t i = 0; i < n; i++) {
		run->attribution.suspects[run->attribution.suspect_count++] =
			index[i];
		suspect(run, index[i]);
	}
}

static void crashed(struct run *run, enum health h,
		    const struct hook_result *seen)
{
	size_t index[3 * RUN_WORKERS];
	size_t flying = pool_recall(run, index), n = flying;
	struct pending *sole = NULL;

	for (size_t i = 0; i < run->pending_count; i++)
		if (!run->pending[i].record.unstarted) {
			sole = &run->pending[i];
			index[n++] = sole->index;
		}
	if (n != 1 || flying)
		sole = NULL;
	bool on_trial = sole && run->attribution.tries[sole->index];

	if (on_trial)
		convict(run, sole, h, seen);
	else
		run_says(run, "%s",
			 h == HEALTH_CRASHED ? "the device crashed"
					     : seen->line);
	bool back = can_reset(run) && bring_back(run);

	if (back && !on_trial)
		try_suspects(run, index, n, seen);
	else if (sole && !on_trial)
		/* The device cannot be reset, and no other case ran at the same
		 * time. */
		convict(run, sole, h, seen);
	for (size_t i = 0; !back && !sole && i < n; i++)
		run_settle(run, index[i], VERDICT_ERROR, CAUSE_DEVICE,
			   "the device crashed while this case and others "
			   "ran; to find which one did it, add a reset hook or "
			   "run with --jobs 1");
	for (size_t i = 0; i < run->pending_count; i++) {
		struct pending *p = &run->pending[i];

		if (p->record.unstarted)
			pool_queue_alone(run, p->index);
		record_release(&p->record);
	}
	run->latest_count = 0;
	if (!can_reset(run))
		end_early(run, "the device crashed, and there is no reset "
			       "hook to bring it back");
}

/* --- what has ended -------------------------------------------------------- */

/* The case learned nothing about the device. */
static bool is_in_vain(const struct record *r)
{
	return r->unanswered || r->unstarted ||
	       (r->result.verdict == VERDICT_ERROR && r->cause == CAUSE_DEVICE);
}

static void count_vain(struct run *run, const struct record *r)
{
	if (run->trying)
		return;
	if (is_in_vain(r))
		run->in_vain++;
	else if (r->result.verdict != VERDICT_SKIP &&
		 r->result.verdict != VERDICT_BLOCKED)
		run->in_vain = 0;
}

/*
 * Many cases in a row could not be judged. A plain exchange shows whether the
 * cases or the device are the reason. If it is not answered either, the run
 * ends.
 */
static void look_for_life(struct run *run)
{
	char why[512], line[1024];

	if (run->in_vain < VAIN_MAX || run->ended_early || run_signalled)
		return;
	run->in_vain = 0;
	if (testbed_reach_agent(run->bed, why, sizeof(why)) &&
	    preflight_exchange(run->bed, why, sizeof(why))) {
		testbed_leave_agent(run->bed);
		return;
	}
	testbed_leave_agent(run->bed);
	snprintf(line, sizeof(line),
		 "run ended: %u cases in a row could not be judged, and a "
		 "plain exchange is no longer answered: %s",
		 VAIN_MAX, why);
	if (!run_signalled)
		end_early(run, line);
}

/* The agent was silent or gone, and the case runs again. */
static bool asked_again(struct run *run, const struct pending *p)
{
	if (!retry_without_agent(run, p->index, &p->record))
		return false;
	if (run->trying || run->stopped)
		pool_queue_alone(run, p->index);
	else
		pool_queue_calm(run, p->index);
	return true;
}

static void accept(struct run *run)
{
	bool unstarted = false, started = false;
	char why[512] = "";

	run->latest_count = 0;
	for (size_t i = 0; i < run->pending_count; i++) {
		struct pending *p = &run->pending[i];

		count_vain(run, &p->record);
		if (p->record.unstarted) {
			unstarted = true;
			snprintf(why, sizeof(why),
				 "the agent accepts no more sessions: %s",
				 p->record.result.reason);
			pool_queue_alone(run, p->index);
			record_release(&p->record);
			continue;
		}
		started = true;
		if (tried_again(run, p->index) || asked_again(run, p)) {
			record_release(&p->record);
			continue;
		}
		device_log_of_failure(run, &p->record);
		if (!trial_takes(run, p))
			run_accept(run, p);
		tried(run, p->index, false);
		run->latest[run->latest_count++] = p->index;
	}
	run->unstarted_in_a_row =
		started ? 0 : run->unstarted_in_a_row + unstarted;
	if (run->unstarted_in_a_row >= UNSTARTED_MAX)
		end_early(run, why);
}

/* The agent has not come back. The running cases cannot know it, and run again
 * after the reset. */
static void gone(struct run *run, const char *why)
{
	size_t index[RUN_WORKERS], n;

	accept(run);
	if (run_signalled)
		return;
	if (!can_reset(run)) {
		end_early(run, why);
		return;
	}
	run->pending_count = 0;
	n = pool_recall(run, index);
	for (size_t i = 0; i < n; i++)
		pool_queue_alone(run, index[i]);
	run->unstarted_in_a_row = 0;
	bring_back(run);
}

void crash_review(struct run *run)
{
	static struct hook_result seen;
	bool lost = false, is_down = false;
	/* The record, with its reason, is released before the end. */
	char why[512] = "", down[512] = "";

	for (size_t i = 0; i < run->pending_count; i++) {
		const struct record *r = &run->pending[i].record;

		lost |= r->agent_lost || r->unstarted;
		if (r->link_down) {
			is_down = true;
			snprintf(down, sizeof(down), "%s",
				 *r->result.reason
					 ? r->result.reason
					 : "the link to the device is down");
		}
	}
	if (!run->pending_count)
		return;
	enum health h = look(run, &seen);

	if (h == HEALTH_WELL && lost && !is_down) {
		const struct patient p = patient_of(run);

		h = health_await(&p, &seen, why, sizeof(why));
		if (h == HEALTH_WELL)
			pool_renew(run);
	}
	switch (h) {
	case HEALTH_WELL:
		accept(run);
		break;
	case HEALTH_GONE:
		gone(run, why);
		break;
	default:
		crashed(run, h, &seen);
		break;
	}
	if (is_down)
		end_early(run, down);
	run->pending_count = 0;
	look_for_life(run);
}

bool crash_first_look(struct run *run, bool *well, char *why, size_t cap)
{
	static struct hook_result seen;

	*well = look(run, &seen) == HEALTH_WELL;
	if (*well)
		return true;
	if (seen.end == HOOK_UNUSABLE) {
		snprintf(why, cap, "%s", seen.line);
		return false;
	}
	snprintf(why, cap, "%s before anything has run%s%.200s", seen.line,
		 seen.output[0] ? ": " : "",
		 seen.output[0] ? hook_last_line(&seen) : "");
	run_note(run, why);
	return true;
}

void crash_after_probes(struct run *run)
{
	static struct hook_result seen;

	if (look(run, &seen) != HEALTH_CRASHED)
		return;
	run_finds(run, "the device crashed while it was probed\n", NULL, 0,
		  &seen);
	testbed_leave_agent(run->bed);
	if (can_reset(run))
		bring_back(run);
	else
		end_early(run, "the device crashed while it was probed, and "
			       "there is no reset hook to bring it back");
}

void crash_last_look(struct run *run)
{
	static struct hook_result seen;

	if (look(run, &seen) == HEALTH_CRASHED)
		run_finds(run, "the device crashed after its last case\n", NULL,
			  0, &seen);
}
