/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a connection, for its input, or for other connections. */
#ifndef HARNESS_LINK_RAW_WAIT_H
#define HARNESS_LINK_RAW_WAIT_H

#include "harness/link/raw/connections.h"

/* Wait until something has arrived, for a timer or for this time; then process
 * it. */
void raw_idle(struct raw_link *r, uint64_t until);
/* Why nothing came: LINK_TIMEOUT, or LINK_ERROR because nothing can. */
int raw_timeout_status(struct raw_link *r);

/* The operation of provider.h. */
int raw_wait(struct link *link, struct link_wait *waits, size_t n,
	     uint64_t deadline);

#endif
