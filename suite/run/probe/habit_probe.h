/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The habits of a device (testbed.h): it shows them on every stream of its own
 * accord. The suite probes them once, before the cases.
 */
#ifndef SUITE_RUN_HABIT_PROBE_H
#define SUITE_RUN_HABIT_PROBE_H

#include <stdint.h>

#include "suite/language/execution/testbed.h"

/* Fill in bed->habits; needs: those of all cases of the run together. */
void habit_probe(struct testbed *bed, uint64_t needs);

#endif
