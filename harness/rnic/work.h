/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work of a connection: posted by the client, given to the device when the
 * stream is there, flushed when it has ended.
 */
#ifndef HARNESS_RNIC_WORK_H
#define HARNESS_RNIC_WORK_H

#include "harness/rnic/request.h"

/* recv post */
extern const struct verb verbs_of_work[];

/* Post so many receives of len octets each. False: refused. */
bool verbs_receives(struct verbs_session *s, struct verbs_conn *c,
		    uint64_t count, uint64_t len);
/* Whether the device has something to send for which no answer of the peer is
 * needed: a Send or a Write, with nothing unanswered before it. */
bool verbs_has_to_send(const struct verbs_conn *c);

/* The stream is there, or has ended: give what waited for it to the device,
 * or flush it. */
void verbs_work_go_on(struct verbs_conn *c);
/* Forget all work of a connection that the device has released. */
void verbs_work_drop(struct verbs_conn *c);

/* Called by the device: see struct verbs_consumer. */
void verbs_work_done(struct verbs_work *w, const struct verbs_done *done);

#endif
