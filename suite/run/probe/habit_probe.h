/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Habits: what the device does on every stream without being asked. They are
 * probed once, before the cases.
 */
#ifndef SUITE_RUN_HABIT_PROBE_H
#define SUITE_RUN_HABIT_PROBE_H

#include <stdint.h>

#include "suite/language/execution/testbed.h"

/* Fill bed->habits; needs: of all cases of the run together. */
void habit_probe(struct testbed *bed, uint64_t needs);

#endif
