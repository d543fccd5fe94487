/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How late this host is: for how long those who take part in a case wanted the
 * processor and did not get it, as proc(5) tells it of each (schedstat). What
 * a case says then may be the host's doing, and not the device's.
 */
#ifndef SUITE_RUN_LATENESS_H
#define SUITE_RUN_LATENESS_H

#include <stdint.h>
#include <sys/types.h>

/* Two that take part, and what was known of them at some time. */
struct lateness {
	pid_t who[2];       /* the suite's process; the device's, 0: unknown */
	uint64_t waited[2]; /* for a processor so far, in ns */
	uint64_t overslept; /* see lateness_overslept() */
};

/* From now on. */
struct lateness lateness_from_now(pid_t suite, pid_t device);
/* How late the later of them has been since, in ns; 0 where nobody tells. */
uint64_t lateness_since(const struct lateness *from);

/*
 * The same of any time in which a deadline may have passed: many a small delay
 * in a long case lets none pass. Two spans in a row are such a time.
 */
struct late_spans {
	uint64_t span;        /* ns */
	struct lateness from; /* the span that is on, */
	uint64_t since;       /* clock_now_ns() at its begin */
	uint64_t before, worst;
};

struct late_spans late_spans_from_now(pid_t suite, pid_t device, uint64_t span);
/* To be called about that often. A span that was looked at too late is a long
 * one, and counts as a whole. */
void late_spans_look(struct late_spans *s, uint64_t now);
uint64_t late_spans_worst(const struct late_spans *s);

/* This process wanted to wake up so long ago: all of them may have been
 * stopped, which no schedstat tells. */
void lateness_overslept(uint64_t ns);

#endif
