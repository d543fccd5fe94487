/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completions of a connection, in order, until the client asks for them.
 */
#ifndef HARNESS_RNIC_EVENTS_H
#define HARNESS_RNIC_EVENTS_H

#include "harness/rnic/request.h"

/* events */
extern const struct verb verbs_of_events[];

/* Work is done: keep what its event reports, its octets included. */
void verbs_event_add(const struct verbs_work *w, const struct verbs_done *done);
void verbs_events_drop(struct verbs_conn *c);

#endif
