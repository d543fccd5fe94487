/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions of a connection when it begins, and when it breaks. */
#ifndef HARNESS_REFDUT_CONN_DECISIONS_H
#define HARNESS_REFDUT_CONN_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* The MSN of the first message that is sent on a queue (RFC 5041 s4.3). */
#define DECISION_first_msn_sent                                                \
	uint32_t, (const struct params *params), (params)
DECISION(first_msn_sent)

/* Set options of a TCP socket before its handshake: there are none. */
#define DECISION_tcp_is_prepared void, (int fd), (fd)
DECISION(tcp_is_prepared)

/* What the responder does when TCP opens (RFC 5044 s7.1.2 rule 2). */
#define DECISION_responder_begins void, (struct conn * c), (c)
DECISION(responder_begins)

/* Whether a missing startup frame ends the startup (RFC 5044 s7.1.2 rules 8 and
 * 10). */
#define DECISION_startup_times_out bool, (struct conn * c), (c)
DECISION(startup_times_out)

/* The state that the agent reports after TCP has broken (RFC 5041 s6.2.2,
 * RFC 5044 s8). */
#define DECISION_state_when_lost enum conn_state, (struct conn * c), (c)
DECISION(state_when_lost)

/* Whether the ULP learns that a stream has reached its final state. */
#define DECISION_ulp_hears_of                                                  \
	bool, (struct conn * c, enum conn_state state), (c, state)
DECISION(ulp_hears_of)

/* Whether this connection is served before those that have waited longer: the
 * order of streams is open (RFC 5040 s5.5). */
#define DECISION_goes_first bool, (struct conn * c), (c)
DECISION(goes_first)

#endif
