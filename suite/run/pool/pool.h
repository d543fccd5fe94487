/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the pool of workers, for each other alone; run.h has what others
 * call. Each file calls only those below it:
 *
 *   worker_pool.c  which worker runs which case, and when
 *   answer.c       what becomes of a case that a worker was given
 *   idle.c         which of the running cases wait
 *   queue.c        cases that run at another time than planned
 *   limits.c       how many cases may run at once
 *   process.c      a worker as a process of this host
 */
#ifndef SUITE_RUN_POOL_POOL_H
#define SUITE_RUN_POOL_POOL_H

#include <poll.h>

#include "suite/run/run.h"

/* --- answer.c --------------------------------------------------------- */

/* Adds the case to the pending ones; the caller fills in its record. */
struct pending *answer_pending(struct run *run, size_t index);
/* Reads the message of this busy worker: its case is pending, or is queued
 * again. If there is no message, the case is lost. */
void answer_take(struct run *run, struct pool_worker *w);
/* The worker of this case crashed, or is ended because the case hung: the case
 * is pending as an ERROR. */
void answer_is_lost(struct run *run, struct pool_worker *w, bool hung);
/* The same for these n busy workers: this process cannot wait for them; errno
 * says why. */
void answer_lose_all(struct run *run, struct pool_worker *const *of, nfds_t n);
/* The time at which the case counts as hung, in ns of clock_now_ns(), as known
 * so far. */
uint64_t answer_hangs_at(const struct run *run, const struct pool_worker *w);

/* --- idle.c ----------------------------------------------------------- */

/* Find out which cases wait. Returns when to look again, in ns. */
uint64_t idle_look_around(struct run *run, uint64_t now);
/* Cases have begun to wait at ease: others may start at once. */
void idle_hear_bell(struct run *run);

/* --- queue.c ---------------------------------------------------------- */

bool queue_is_empty(const struct case_queue *q);
/* Without memory, the case is settled as an ERROR. */
void queue_add(struct run *run, struct case_queue *q, size_t index);
/* The first one. The queue must not be empty. */
size_t queue_take(struct case_queue *q);

/* --- limits.c --------------------------------------------------------- */

/* From the options, the device file and the ULP; the agent may lower it. */
void limits_set(struct run *run);
void limits_lower(struct run *run, unsigned most);

/* --- process.c -------------------------------------------------------- */

/* False: errno says why, and there is no process. */
bool process_start(struct run *run, struct pool_worker *w);
/* Waits for its end; `force` kills it first. Returns its exit status of
 * waitpid; 0: there was none. */
int process_end(struct pool_worker *w, bool force);
/* It runs a case. */
bool process_is_busy(const struct pool_worker *w);
/* The number of busy ones; at_work: without those that wait. */
unsigned process_count_busy(const struct run *run, bool at_work);
/* The number of processes beside this one, busy or not. */
unsigned process_count_others(const struct run *run,
			      const struct pool_worker *w);
/* What the worker tells of its waits, in shared memory; NULL: there is none. */
struct waiting *process_waiting(const struct run *run,
				const struct pool_worker *w);

#endif
