/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting, for a connection, for what it says, or for what others do. */
#ifndef HARNESS_LINK_RAW_WAIT_H
#define HARNESS_LINK_RAW_WAIT_H

#include "harness/link/raw/connections.h"

/* Until something has come, a timer or this time; it is processed. */
void raw_idle(struct raw_link *r, uint64_t until);
/* Why nothing came: LINK_TIMEOUT, or LINK_ERROR because nothing can. */
int raw_timeout_status(struct raw_link *r);

/* The operation of provider.h. */
int raw_wait(struct link *link, struct link_wait *waits, size_t n,
	     uint64_t deadline);

#endif
