/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the running cases wait, so that others may use the processor. */
#include "suite/run/pool/pool.h"

#include <sys/eventfd.h>

/*
 * A case waits if it has slept for one QUIET_PART-th of the time for an answer
 * (longer than a known-answer exchange at calibration) while another case
 * started and ended: then the device is not the reason. If no other case did,
 * it has to sleep for one DEAF_PART-th.
 */
#define QUIET_PART 100
#define DEAF_PART  40

static bool is_waiting(const struct run *run, struct pool_worker *w,
		       uint64_t now)
{
	if (process_waiting(run, w) && process_waiting(run, w)->at_ease)
		return true;
	uint64_t slept = sleep_look(&w->sleeper, w->pid, now);
	/* Single octets that arrive wake it again and again. */
	if (run->slow)
		return w->sleeper.seen;
	bool overtaken = run->overtaker >= w->sleeper.since;

	return slept >= run->wo.wait_ns / (overtaken ? QUIET_PART : DEAF_PART);
}

uint64_t idle_look_around(struct run *run, uint64_t now)
{
	uint64_t every = run->wo.wait_ns / QUIET_PART / 2;

	if (now < run->looked + every)
		return run->looked + every;
	/* If this process was kept from running, the others were, too. */
	bool late = now > run->looked + run->wo.wait_ns / DEAF_PART;

	run->looked = now;
	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (!process_is_busy(w) ||
		    registry()->instances[w->index].desc->waits)
			continue;
		w->sleeper.seen &= !late;
		w->waits = is_waiting(run, w, now);
	}
	return now + every;
}

void idle_hear_bell(struct run *run)
{
	eventfd_t rung;

	if (run->wo.bell < 0 || eventfd_read(run->wo.bell, &rung) < 0)
		return;
	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (process_is_busy(w) && process_waiting(run, w) &&
		    process_waiting(run, w)->at_ease)
			w->waits = true;
	}
}
