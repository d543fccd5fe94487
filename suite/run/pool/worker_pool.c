/* SPDX-License-Identifier: BSD-2-Clause */
/* Which worker runs which case, and when. */
#include "suite/run/pool/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/clock.h"

#define SHOW_NS 500000000u /* on a terminal: between two looks */

/* A waiting case does not want the processor: for each running case, this many
 * may wait at the same time. */
#define WAITING_BESIDE 8u

/*
 * The host cannot start another process. An existing worker runs the case
 * later; without any worker it cannot be judged.
 */
static void cannot_start(struct run *run, struct pool_worker *w, size_t index)
{
	int error = errno;
	unsigned others = process_count_others(run, w);
	char *why;

	if (others) {
		queue_add(run, &run->again, index);
		limits_lower(run, others);
		return;
	}
	if (asprintf(&why, "no worker could be started: %s", strerror(error)) <
	    0)
		why = "no worker could be started: out of memory";
	answer_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/* Its worker does not learn of the case. */
static void cannot_ask(struct run *run, struct pool_worker *w)
{
	size_t index = (size_t)w->index;
	char *why;

	if (asprintf(&why, "no worker could be given the case: %s",
		     strerror(errno)) < 0)
		why = "no worker could be given the case: out of memory";
	process_end(w, true);
	w->index = -1;
	answer_pending(run, index)->record = record_unjudged(
		&registry()->instances[index], VERDICT_ERROR, CAUSE_SUITE, why);
}

/* False: the case has no worker. */
static bool give(struct run *run, struct pool_worker *w, size_t index)
{
	uint32_t octets = (uint32_t)index;

	if (!w->pid && !process_start(run, w)) {
		cannot_start(run, w, index);
		return false;
	}
	w->index = (long)index;
	w->started = clock_now_ns();
	w->waits = registry()->instances[index].desc->waits;
	w->sleeper.seen = false;
	w->beside = false;
	host_sees_begin(run, w);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (&run->worker[i] != w && process_is_busy(&run->worker[i]))
			w->beside = run->worker[i].beside = true;
	if (process_waiting(run, w))
		*process_waiting(run, w) = (struct waiting){0};
	ssize_t sent;

	do
		sent = send(w->fd, &octets, sizeof(octets), MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	/* If a worker died meanwhile, reading its answer shows that. */
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET) {
		cannot_ask(run, w);
		return false;
	}
	return true;
}

static const struct instance *case_at(const struct run *run, size_t at)
{
	return &registry()->instances[run->plan.order[at]];
}

void pool_open(struct run *run)
{
	void *told =
		mmap(NULL, RUN_WORKERS * sizeof(*run->waiting),
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	run->waiting = told == MAP_FAILED ? NULL : told;
	told = mmap(NULL, sizeof(*run->wo.patience), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run->wo.patience = told == MAP_FAILED ? NULL : told;
	/* A stack of SCTP wants the processor while it waits, too: there cases
	 * are added one by one, as idle_look_around() finds room. */
	run->wo.bell = run->bed->link->caps & LINK_CAP_MESSAGES
			       ? -1
			       : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		run->worker[i] = (struct pool_worker){.index = -1};
	limits_set(run);
}

void pool_close(struct run *run)
{
	/* All workers are told at once, so that they end in parallel. */
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid)
			shutdown(run->worker[i].fd, SHUT_RDWR);
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		process_end(&run->worker[i], run->worker[i].index >= 0);
	if (run->wo.bell >= 0)
		close(run->wo.bell);
	run->wo.bell = -1;
}

bool pool_is_busy(const struct run *run)
{
	return process_count_busy(run, false) > 0;
}

/* The next of the plan that is not done; the cases that run alone come last,
 * and are not included. */
static bool plan_has_next(struct run *run)
{
	while (run->next < run->plan.count &&
	       run->done[run->plan.order[run->next]])
		run->next++;
	return !run->trying && run->next < run->plan.count &&
	       !plan_is_alone(run->o, case_at(run, run->next));
}

/* The remaining cases run again, perhaps because of the cases that ran at the
 * same time. */
static bool only_calm_ones_are_left(struct run *run)
{
	return queue_is_empty(&run->again) && !plan_has_next(run);
}

/* So many cases may want the processor at once before this host is late. */
static unsigned most_at_work(struct run *run)
{
	if (only_calm_ones_are_left(run))
		return 1;
	return run->jobs < run->host.room ? run->jobs : run->host.room;
}

/* Whether another case may start, if the running ones wait. */
static bool may_start(struct run *run)
{
	unsigned busy = process_count_busy(run, false), room = run->host.room;
	bool calm = only_calm_ones_are_left(run);

	return !run->stopped && !run->running_alone &&
	       queue_is_empty(&run->alone) && busy < run->most &&
	       busy < (calm ? room : room * WAITING_BESIDE) &&
	       busy < (calm ? WAITING_BESIDE : RUN_WORKERS) &&
	       !(calm && queue_is_empty(&run->calm));
}

static size_t next_case(struct run *run)
{
	if (!queue_is_empty(&run->again))
		return queue_take(&run->again);
	return plan_has_next(run) ? run->plan.order[run->next++]
				  : queue_take(&run->calm);
}

static struct pool_worker *free_worker(struct run *run)
{
	struct pool_worker *none = NULL;

	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (w->pid && w->index < 0)
			return w;
		if (!w->pid && !none)
			none = w;
	}
	return none;
}

void pool_dispatch(struct run *run)
{
	if (run->stopped || run->running_alone)
		return;
	while (may_start(run) &&
	       process_count_busy(run, true) < most_at_work(run))
		if (!give(run, free_worker(run), next_case(run)))
			break;
	if (pool_is_busy(run) || run->pending_count)
		return;
	if (!pool_has_more(run) && !queue_is_empty(&run->later))
		pool_queue_alone(run, queue_take(&run->later));
	if (pool_has_more(run)) {
		run->running_alone = true;
		give(run, free_worker(run), queue_take(&run->alone));
	}
}

static void wait_until(struct run *run, uint64_t first)
{
	struct pollfd fds[RUN_WORKERS + 1];
	struct pool_worker *of[RUN_WORKERS];
	uint64_t now = clock_now_ns();
	nfds_t n = 0;

	for (unsigned i = 0; i < RUN_WORKERS; i++) {
		struct pool_worker *w = &run->worker[i];

		if (!process_is_busy(w))
			continue;
		fds[n] = (struct pollfd){.fd = w->fd, .events = POLLIN};
		of[n++] = w;
		uint64_t at = answer_hangs_at(run, w);

		late_spans_look(&w->late, now);
		uint64_t look = w->late.since + w->late.span;

		first = at < first ? at : first;
		first = look < first ? look : first;
	}
	int ms = first > now ? (int)((first - now) / 1000000) + 1 : 0;

	/* poll() ignores one that is -1. */
	fds[n] = (struct pollfd){.fd = run->wo.bell, .events = POLLIN};
	int ready = poll(fds, n + 1, ms);

	if (ready < 0 && errno == EINTR)
		return; /* a signal: the caller looks */
	if (ready < 0) {
		answer_lose_all(run, of, n);
		return;
	}
	uint64_t due = now + (uint64_t)ms * CLOCK_NS_PER_MS;

	host_looks_at_packets(run);
	now = clock_now_ns();
	/* Also if something came meanwhile. */
	if (now > due)
		lateness_overslept(now - due);
	if (fds[n].revents)
		idle_hear_bell(run);
	for (nfds_t i = 0; i < n; i++) {
		if (fds[i].revents)
			answer_take(run, of[i]);
		else if (now >= answer_hangs_at(run, of[i]))
			answer_is_lost(run, of[i], true);
	}
}

void pool_wait(struct run *run)
{
	uint64_t look = UINT64_MAX;

	if (may_start(run)) {
		look = idle_look_around(run, clock_now_ns());
		if (process_count_busy(run, true) < most_at_work(run))
			return; /* for others to be started */
	}
	/* The progress on the terminal becomes outdated meanwhile. */
	uint64_t show = clock_now_ns() + SHOW_NS;

	wait_until(run, run->progress && show < look ? show : look);
}

size_t pool_recall(struct run *run, size_t *index)
{
	size_t n = 0, kept = run->pending_count;

	while (pool_is_busy(run) && !run_signalled) {
		wait_until(run, UINT64_MAX);
		while (run->pending_count > kept) {
			struct pending *p = &run->pending[--run->pending_count];

			index[n++] = p->index;
			record_release(&p->record);
		}
	}
	return n;
}

void pool_renew(struct run *run)
{
	uint32_t anew = WORKER_ANEW;

	limits_set(run); /* the agent may accept more sessions now */
	for (unsigned i = 0; i < RUN_WORKERS; i++)
		if (run->worker[i].pid && run->worker[i].index < 0)
			(void)!send(run->worker[i].fd, &anew, sizeof(anew),
				    MSG_NOSIGNAL);
}
