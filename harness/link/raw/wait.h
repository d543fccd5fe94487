/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a connection, for its input, or for other connections. */
#ifndef HARNESS_LINK_RAW_WAIT_H
#define HARNESS_LINK_RAW_WAIT_H

#include "harness/link/raw/connections.h"

/* Wait until frames have arrived, a timer is due, or this time has come; then
 * process frames and timers. */
void raw_idle(struct raw_link *r, uint64_t until);
/* The status of a wait without a result: LINK_TIMEOUT, or LINK_ERROR because
 * the link is down. */
int raw_timeout_status(struct raw_link *r);

/* The operation of provider.h. */
int raw_wait(struct link *link, struct link_wait *waits, size_t n,
	     uint64_t deadline);

#endif
