/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the device does by itself on every stream: found out once, before any
 * case runs.
 */
#ifndef SUITE_RUN_HABIT_PROBE_H
#define SUITE_RUN_HABIT_PROBE_H

#include <stdint.h>

#include "suite/language/execution/testbed.h"

/* Fill bed->habits; needs: of all cases that are to run. */
void habit_probe(struct testbed *bed, uint64_t needs);

#endif
