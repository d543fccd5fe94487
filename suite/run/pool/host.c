/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether this host keeps up: whether the suite or the device waited for a
 * processor long enough to miss a deadline or to let a timer of the device run
 * out. As long as the host is late, fewer cases run at once.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/link/clock.h"
#include "suite/device/builtin.h"

/* Parts of what an answer, or a startup, may take: */
#define LATE_PART  4u  /* a smaller part changes no verdict */
#define CLOSE_PART 40u /* a host within this part keeps up */

#define TRIES    2u  /* of a step of the run's own */
#define GIVEN_UP 32u /* cases; then the run ends */

static const char too_busy[] =
	"this host is too busy to judge a device: the remaining cases were not "
	"run";

void host_open(struct run *run)
{
	run->host.room = RUN_WORKERS;
	packets_open(&run->host.packets);
}

void host_close(struct run *run)
{
	packets_close(&run->host.packets);
}

void host_looks_at_packets(struct run *run)
{
	uint64_t late = packets_look(&run->host.packets);

	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (late > run->worker[i].packets_late)
			run->worker[i].packets_late = late;
}

const char *host_gave_up(const struct run *run)
{
	return run->host.given_up >= GIVEN_UP ? too_busy : NULL;
}

struct lateness host_from_now(pid_t suite)
{
	return lateness_from_now(suite, builtin_pid());
}

/* Half of the time of host_most(). */
uint64_t host_span(const struct run *run)
{
	return host_most(run) * LATE_PART / 2;
}

void host_sees_begin(const struct run *run, struct pool_worker *w)
{
	w->late = late_spans_from_now(w->pid, builtin_pid(), host_span(run));
	w->lateness = w->late.from;
	w->packets_late = 0;
}

uint64_t host_most(const struct run *run)
{
	uint64_t timer = run->bed->hello.startup_timeout_ms * CLOCK_NS_PER_MS;
	uint64_t wait = run->bed->wait_ns;

	return (timer && timer < wait ? timer : wait) / LATE_PART;
}

/* A long case, which waits, sees all that the device does for others: it
 * counts by how late they are at worst while a deadline may pass. */
static void make_room(struct run *run, uint64_t late, uint64_t worst,
		      uint64_t took, unsigned busy)
{
	bool is_long = took > run->bed->wait_ns / CLOSE_PART;

	if (is_long ? worst > host_most(run) / 2
		    : late > run->bed->wait_ns / CLOSE_PART) {
		run->host.room = busy > 1 ? busy * 3 / 4 : 1;
		run->host.in_time = 0;
	} else if (++run->host.in_time >= run->host.room) {
		run->host.room += run->host.room < RUN_WORKERS;
		run->host.in_time = 0;
	}
}

char *host_says(uint64_t late)
{
	char *why;

	return asprintf(&why,
			"this host was %u ms late, because its processors "
			"were busy or processes were stopped, which may be the "
			"cause of the failure: use a less busy host, or fewer "
			"--jobs",
			(unsigned)(late / CLOCK_NS_PER_MS)) < 0
		       ? NULL
		       : why;
}

bool host_tries(struct run *run, bool (*step)(struct run *, char *, size_t),
		char *why, size_t cap)
{
	for (unsigned i = 0;; i++) {
		struct lateness begin = host_from_now(getpid());
		bool ok = step(run, why, cap);
		uint64_t late = lateness_since(&begin);

		if (ok || late < host_most(run))
			return ok;
		if (i < TRIES)
			continue;
		char *says = host_says(late);

		snprintf(why, cap, "%s", says ? says : "out of memory");
		free(says);
		run->host.given_up = GIVEN_UP;
		return false;
	}
}

void host_probes(struct run *run, void (*probe)(struct testbed *, uint64_t),
		 uint64_t needs)
{
	uint64_t most = run->bed->wait_ns / WAIT_BRIEF_PART / LATE_PART;

	for (unsigned i = 0; i <= TRIES; i++) {
		struct lateness begin = host_from_now(getpid());

		probe(run->bed, needs);
		if (lateness_since(&begin) < most)
			return;
	}
	run_says(run, "this host is late: probes may have missed how the "
		      "device differs from the RFCs");
}

uint64_t host_was_late(struct run *run, const struct pool_worker *w,
		       unsigned busy)
{
	uint64_t worst = late_spans_worst(&w->late);

	make_room(run, lateness_since(&w->lateness), worst,
		  clock_now_ns() - w->started, busy);
	return worst < host_most(run) ? 0 : worst;
}

void host_was_late_again(struct run *run)
{
	if (++run->host.given_up < GIVEN_UP)
		return;
	run->ended_early = true;
	run_note(run, too_busy);
}
