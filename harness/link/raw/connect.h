/* SPDX-License-Identifier: BSD-2-Clause */
/* How connections are made: operations of provider.h. */
#ifndef HARNESS_LINK_RAW_CONNECT_H
#define HARNESS_LINK_RAW_CONNECT_H

#include "harness/link/provider.h"

int raw_connect(struct link *link, const struct link_end *to, uint64_t deadline,
		struct link_conn **conn);
int raw_listen(struct link *link, const struct link_end *at,
	       struct link_listener **listener);
int raw_accept_now(struct link_listener *listener, struct link_conn **conn);
void raw_listener_close(struct link_listener *listener);

#endif
