/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided as chunks arrive (RFC 5043 s5.2.3, s6, s10). */
#ifndef HARNESS_REFDUT_SCTP_CHUNK_DECISIONS_H
#define HARNESS_REFDUT_SCTP_CHUNK_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/assoc_internal.h"

/* Put a chunk where its DDP-SSN says (RFC 5043 s10). */
#define DECISION_put_in_order                                                  \
	enum ssn_place,                                                        \
		(struct ddp_stream * s, const struct stack_message *m), (s, m)
DECISION(put_in_order)

/* Whether a DDP-SSN that has been, or is far ahead, ends the session
 * (RFC 5043 s10). */
#define DECISION_past_ssn_counts bool, (struct ddp_stream * s), (s)
DECISION(past_ssn_counts)

/* Whether a chunk of no legal sequence ends the session (RFC 5043 s6.1). The
 * message has no private data where it is no control message. */
#define DECISION_stray_counts                                                  \
	bool, (struct ddp_stream * s, const struct control_message *m), (s, m)
DECISION(stray_counts)

/* Whether such a chunk is answered where there is no session. */
#define DECISION_stray_is_answered bool, (struct ddp_stream * s), (s)
DECISION(stray_is_answered)

/* Refuse a session that nobody waits for (RFC 5043 s6.4). */
#define DECISION_refuse_session void, (struct ddp_stream * s), (s)
DECISION(refuse_session)

/* What more than 512 octets of private data come to (RFC 5043 s5.2.3). */
enum long_data {
	LONG_DATA_REFUSED, /* the session is */
	LONG_DATA_CUT,
	LONG_DATA_ENDS_ASSOCIATION,
};
#define DECISION_long_data_is enum long_data, (struct ddp_stream * s), (s)
DECISION(long_data_is)

/* Their Terminate answers our Initiate (RFC 5043 s6.4). */
#define DECISION_session_refused                                               \
	void, (struct ddp_stream * s, const struct control_message *m), (s, m)
DECISION(session_refused)

#endif
