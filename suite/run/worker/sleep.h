/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out from /proc whether a process uses the processor, so that a worker
 * need not report that it waits.
 */
#ifndef SUITE_RUN_SLEEP_H
#define SUITE_RUN_SLEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long a process has slept. */
struct sleeper {
	bool seen;
	uint64_t pauses; /* how often it has gone to sleep */
	uint64_t since;  /* first look that found it asleep; clock_now_ns() */
};

/* Look at the process. Returns for how many ns it has slept without a break; 0
 * if it runs, or if that is unknown. */
uint64_t sleep_look(struct sleeper *s, pid_t pid, uint64_t now);

#endif
