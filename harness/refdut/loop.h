/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event loop: one thread, epoll, timers on the monotonic clock, and jobs
 * that run once after the descriptors of a round were served. It never sleeps:
 * it waits in epoll_wait() until an event or the first timer.
 */
#ifndef HARNESS_REFDUT_LOOP_H
#define HARNESS_REFDUT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
	int fd; /* -1: not watched */
	uint32_t events;
	void (*ready)(struct watch *watch, uint32_t events);
};

struct timer {
	struct timer *prev; /* NULL: not armed */
	struct timer *next;
	uint64_t at;
	void (*fire)(struct timer *timer);
};

struct job {
	struct job *next;
	bool queued;
	void (*run)(struct job *job);
};

/* Returns 0, or -1 with errno. */
int loop_init(void);
void loop_fini(void);

/* Serve until loop_stop() is called. */
void loop_run(void);
void loop_stop(void);

/* Watch a descriptor (level triggered), change the events, stop. A watch whose
 * fd is -1 is never called, even for events of the current round. */
int loop_watch(struct watch *watch, int fd, uint32_t events);
void loop_want(struct watch *watch, uint32_t events);
void loop_unwatch(struct watch *watch);

/* Print the error of a system call, from errno, unless a peer can cause it. */
void loop_complain(const char *call);

/* Milliseconds of the monotonic clock. */
uint64_t loop_now(void);
/* How often the loop has waited for events so far. */
uint64_t loop_round(void);

/* Arm (again) to fire once, ms from now. Cancelling an unarmed timer is
 * fine. */
void timer_arm(struct timer *timer, uint64_t ms);
void timer_cancel(struct timer *timer);

/* Run a job after this round: after the other jobs, or before them. A job that
 * is already queued stays where it is. */
void loop_post(struct job *job);
void loop_post_first(struct job *job);

/* free() the block at a time when no event of this round can refer to it. */
void loop_free(void *block);

#endif
