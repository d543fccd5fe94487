/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The completions of a connection, in order, until the client requests them.
 */
#ifndef HARNESS_RNIC_EVENTS_H
#define HARNESS_RNIC_EVENTS_H

#include "harness/rnic/request.h"

/* events */
extern const struct verb verbs_of_events[];

/* Work is complete: keep the contents of its event, including its octets. */
void verbs_event_add(const struct verbs_work *w, const struct verbs_done *done);
void verbs_events_drop(struct verbs_conn *c);

#endif
