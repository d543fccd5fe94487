/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How late this host is: the time that the processes of a case waited for a
 * processor, as /proc reports it for each (schedstat). Such a delay may explain
 * a failure of the case.
 */
#ifndef SUITE_RUN_LATENESS_H
#define SUITE_RUN_LATENESS_H

#include <stdint.h>
#include <sys/types.h>

/* The two processes of a case, and their counters at some time. */
struct lateness {
	pid_t who[2];       /* the suite's process; the device's, 0: unknown */
	uint64_t waited[2]; /* for a processor so far, in ns */
	uint64_t overslept; /* see lateness_overslept() */
};

/* Start measuring. */
struct lateness lateness_from_now(pid_t suite, pid_t device);
/* The larger delay of the two since then, in ns; 0 if unknown. */
uint64_t lateness_since(const struct lateness *from);

/*
 * The same for any span of time in which a deadline may have passed: many small
 * delays in a long case do not make a deadline pass. Two spans in a row count
 * together.
 */
struct late_spans {
	uint64_t span;        /* ns */
	struct lateness from; /* counters at the start of the current span */
	uint64_t since;       /* clock_now_ns() at that time */
	uint64_t before, worst;
};

struct late_spans late_spans_from_now(pid_t suite, pid_t device, uint64_t span);
/* Call it about once per span. If a call is late, the span is longer, and
 * counts as a whole. */
void late_spans_look(struct late_spans *s, uint64_t now);
uint64_t late_spans_worst(const struct late_spans *s);

/* This process woke up too late, by this time: all processes may have been
 * stopped, which schedstat does not show. */
void lateness_overslept(uint64_t ns);

#endif
