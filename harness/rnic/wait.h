/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The waits of a session. They serve the device meanwhile, and notice if the
 * client disconnects.
 */
#ifndef HARNESS_RNIC_WAIT_H
#define HARNESS_RNIC_WAIT_H

#include "harness/rnic/session_state.h"

/*
 * A request waits until done(arg) returns true, or the time is over. False: the
 * client is gone, so there is no reply.
 */
bool verbs_wait(struct verbs_session *s, bool (*done)(void *arg), void *arg,
		uint64_t timeout_ms);

/* Between requests: wait once, for the client, the device or the deadline. */
void verbs_wait_for_input(struct verbs_session *s, uint64_t deadline);

#endif
