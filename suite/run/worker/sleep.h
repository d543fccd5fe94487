/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a process wants the processor: seen from outside, as proc(5) tells
 * it, so that nobody has to say of himself that he waits.
 */
#ifndef SUITE_RUN_SLEEP_H
#define SUITE_RUN_SLEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long a process has slept, from look to look. */
struct sleeper {
	bool seen;
	uint64_t pauses; /* how often it has gone to sleep so far */
	uint64_t since;  /* the first look that found it so; clock_now_ns() */
};

/* Look at it, now. Returns for how many ns it is known to have slept without
 * being woken: 0 if it runs, or cannot be seen. */
uint64_t sleep_look(struct sleeper *s, pid_t pid, uint64_t now);

#endif
