/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work of a connection: the client posts it, the device gets it when the stream
 * is established, and it is flushed when the stream has ended.
 */
#ifndef HARNESS_RNIC_WORK_H
#define HARNESS_RNIC_WORK_H

#include "harness/rnic/request.h"

/* recv post */
extern const struct verb verbs_of_work[];

/* Post `count` receives of len octets each. False: the request was refused. */
bool verbs_receives(struct verbs_session *s, struct verbs_conn *c,
		    uint64_t count, uint64_t len);
/* Whether the oldest outstanding work request is a Send or a Write: the device
 * has to send it, and waits for no answer. */
bool verbs_has_to_send(const struct verbs_conn *c);

/* The stream is established, or has ended: pass the waiting work to the device,
 * or flush it. */
void verbs_work_go_on(struct verbs_conn *c);
/* Forget all work of a connection that the device has released. */
void verbs_work_drop(struct verbs_conn *c);

/* Called by the device: see struct verbs_consumer. */
void verbs_work_done(struct verbs_work *w, const struct verbs_done *done);

#endif
