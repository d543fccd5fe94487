/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections of a session: how they are established, and how they end.
 */
#ifndef HARNESS_RNIC_STREAM_H
#define HARNESS_RNIC_STREAM_H

#include "harness/rnic/request.h"

/* listen accept connect state close provoke */
extern const struct verb verbs_of_streams[];

/* Release ports, listens, and connections with all their objects. */
void verbs_release_streams(struct verbs_session *s);

/* Called by the device: see struct verbs_consumer. */
void verbs_request_came(struct verbs_port *port, void *request,
			const struct verbs_frame *frame);
void verbs_conn_is(struct verbs_conn *c, enum agent_stream state,
		   const struct verbs_frame *frame);

#endif
