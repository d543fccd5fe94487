/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortest program that still shows a fault: removes steps, then streams
 * and regions, then reduces the remaining numbers.
 */
#ifndef SUITE_EXPLORE_SHRINK_H
#define SUITE_EXPLORE_SHRINK_H

#include "suite/explore/program.h"

/* True if this program still shows the fault. */
typedef bool shows_fn(void *user, const struct program *p);

/*
 * Make *p smaller, as long as `shows` confirms the fault. Calls `shows` at most
 * `most` times, and returns the number of calls.
 */
unsigned shrink(struct program *p, shows_fn *shows, void *user, unsigned most);

#endif
