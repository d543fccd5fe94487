/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes behind readings (suite/reading/reading.h): short exchanges that
 * make the device send each group of fields with a content that is known,
 * before the cases. A device that does what the RFCs say shows so by the first exchange
 * of a group; only one that does not is asked again.
 */
#ifndef SUITE_RUN_READING_PROBE_H
#define SUITE_RUN_READING_PROBE_H

#include <stdint.h>

#include "suite/language/execution/testbed.h"

/*
 * Find the readings for this device and put them in force in `bed`. `needs` is
 * what the cases of the run need of a device, all together: what none of them
 * makes it send is not probed.
 */
void reading_probe(struct testbed *bed, uint64_t needs);

#endif
