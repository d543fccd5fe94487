/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes behind readings (suite/reading/reading.h): short exchanges that
 * make the device send each group of fields with known contents, before the
 * cases. A device that follows the RFCs shows this in the first exchange of a
 * group; only other devices are probed further.
 */
#ifndef SUITE_RUN_READING_PROBE_H
#define SUITE_RUN_READING_PROBE_H

#include <stdint.h>

#include "suite/language/execution/testbed.h"

/*
 * Find the readings for this device and put them in force in `bed`. `needs` are
 * the features that all cases of the run together need: fields that none of
 * them makes the device send are not probed.
 */
void reading_probe(struct testbed *bed, uint64_t needs);

#endif
