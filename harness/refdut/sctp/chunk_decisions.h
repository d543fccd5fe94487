/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when chunks arrive (RFC 5043 s5.2.3, s6, s10). */
#ifndef HARNESS_REFDUT_SCTP_CHUNK_DECISIONS_H
#define HARNESS_REFDUT_SCTP_CHUNK_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/assoc_internal.h"

/* Put a chunk at the place that its DDP-SSN determines (RFC 5043 s10). */
#define DECISION_put_in_order                                                  \
	enum ssn_place,                                                        \
		(struct ddp_stream * s, const struct stack_message *m), (s, m)
DECISION(put_in_order)

/* Whether a DDP-SSN that was already received, or is far ahead, ends the
 * session (RFC 5043 s10). */
#define DECISION_past_ssn_counts bool, (struct ddp_stream * s), (s)
DECISION(past_ssn_counts)

/* Whether a chunk outside a legal sequence ends the session (RFC 5043 s6.1). If
 * the chunk is not a control message, the message has no private data. */
#define DECISION_stray_counts                                                  \
	bool, (struct ddp_stream * s, const struct control_message *m), (s, m)
DECISION(stray_counts)

/* Whether such a chunk is answered if there is no session. */
#define DECISION_stray_is_answered bool, (struct ddp_stream * s), (s)
DECISION(stray_is_answered)

/* Refuse a session for which there is no listen (RFC 5043 s6.4). */
#define DECISION_refuse_session void, (struct ddp_stream * s), (s)
DECISION(refuse_session)

/* What happens if there are more than 512 octets of private data (RFC 5043
 * s5.2.3). */
enum long_data {
	LONG_DATA_REFUSED, /* the session is refused */
	LONG_DATA_CUT,
	LONG_DATA_ENDS_ASSOCIATION,
};
#define DECISION_long_data_is enum long_data, (struct ddp_stream * s), (s)
DECISION(long_data_is)

/* The peer has answered our Initiate with a Terminate (RFC 5043 s6.4). */
#define DECISION_session_refused                                               \
	void, (struct ddp_stream * s, const struct control_message *m), (s, m)
DECISION(session_refused)

#endif
