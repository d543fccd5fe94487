/* SPDX-License-Identifier: BSD-2-Clause */
/* What has come, and what time has brought. */
#ifndef HARNESS_LINK_RAW_INPUT_H
#define HARNESS_LINK_RAW_INPUT_H

#include "harness/link/raw/connections.h"

/* Hand each frame that has come to whom it concerns, and run the timers. */
void raw_process(struct raw_link *r);
/* Before any wait: send the ACKs that are due. When to process again. */
uint64_t raw_flush(struct raw_link *r);

#endif
