/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shortest program that still shows what one has shown: steps, then
 * streams and regions, then the numbers of what is left.
 */
#ifndef SUITE_EXPLORE_SHRINK_H
#define SUITE_EXPLORE_SHRINK_H

#include "suite/explore/program.h"

/* Whether this one still shows it. */
typedef bool shows_fn(void *user, const struct program *p);

/*
 * Make *p smaller, as long as `shows` says so; it is asked `most` times at
 * most. Returns how often it was.
 */
unsigned shrink(struct program *p, shows_fn *shows, void *user, unsigned most);

#endif
