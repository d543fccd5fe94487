/* SPDX-License-Identifier: BSD-2-Clause */
/* Processing of received frames, and of timers. */
#ifndef HARNESS_LINK_RAW_INPUT_H
#define HARNESS_LINK_RAW_INPUT_H

#include "harness/link/raw/connections.h"

/* Pass each received frame to its connection, and run the timers. */
void raw_process(struct raw_link *r);
/* Before any wait: send the ACKs that are due. When to process again. */
uint64_t raw_flush(struct raw_link *r);

#endif
