/* SPDX-License-Identifier: BSD-2-Clause */
/* Processing of received frames, and of timers. */
#ifndef HARNESS_LINK_RAW_INPUT_H
#define HARNESS_LINK_RAW_INPUT_H

#include "harness/link/raw/connections.h"

/* Pass each received frame to its connection, and run the timers. */
void raw_process(struct raw_link *r);
/* Send the ACKs that are due. To be called before any wait. Returns the time at
 * which the timers have to be run again. */
uint64_t raw_flush(struct raw_link *r);

#endif
