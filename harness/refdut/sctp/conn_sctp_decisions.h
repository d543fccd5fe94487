/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions of a connection about its session (RFC 5043 s5.2, s6; RFC 6581
 * s7). */
#ifndef HARNESS_REFDUT_SCTP_CONN_SCTP_DECISIONS_H
#define HARNESS_REFDUT_SCTP_CONN_SCTP_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/conn_sctp.h"

/* --- outgoing control messages ------------------------------------------ */

/* How many octets of the ULP's private data a message carries (RFC 5043
 * s5.2.3). */
#define DECISION_private_data_sent                                             \
	size_t, (const struct conn *c, unsigned code), (c, code)
DECISION(private_data_sent)

/* The function code, as sent (RFC 5043 s5.2.3, RFC 6581 s7). */
#define DECISION_function_code                                                 \
	unsigned, (const struct conn *c, unsigned code, size_t private_len),   \
		(c, code, private_len)
DECISION(function_code)

/* The distance from the function code to the enhanced data (RFC 6581 s7). */
#define DECISION_enhanced_data_at size_t, (size_t private_len), (private_len)
DECISION(enhanced_data_at)

/* Queue a control message (RFC 5043 s6.5). */
#define DECISION_queue_control                                                 \
	void,                                                                  \
		(struct conn * c, unsigned code, const uint8_t *octets,        \
		 size_t n),                                                    \
		(c, code, octets, n)
DECISION(queue_control)

/* Whether the answer to an Initiate is enhanced (RFC 6581 s7). */
#define DECISION_session_answer_is_enhanced bool, (const struct conn *c), (c)
DECISION(session_answer_is_enhanced)

/* Whether an Enhanced Reject has enhanced data (RFC 6581 s7). */
#define DECISION_reject_has_enhanced_data bool, (const struct conn *c), (c)
DECISION(reject_has_enhanced_data)

/* --- outgoing chunks ---------------------------------------------------- */

/* Pass a chunk to its stream; the result is that of stream_put(). */
#define DECISION_hand_over_chunk                                               \
	int,                                                                   \
		(struct conn * c, uint32_t ppid, const uint8_t *octets,        \
		 size_t n),                                                    \
		(c, ppid, octets, n)
DECISION(hand_over_chunk)

/* Whether a segment waits for others to be sent with it (RFC 5043 s10, s11.2).
 * NULL: it is a control message. `alone`: no chunk is queued after it. */
#define DECISION_waits_for_others                                              \
	bool, (struct conn * c, const uint8_t *segment, size_t n, bool alone), \
		(c, segment, n, alone)
DECISION(waits_for_others)

/* Whether the control message that was sent answers an Initiate, and the answer
 * is complete. */
#define DECISION_initiate_is_answered bool, (const struct conn *c), (c)
DECISION(initiate_is_answered)

/* Whether the session is open after our answer was sent (RFC 5043 s6.3). */
#define DECISION_answer_opens_session bool, (const struct conn *c), (c)
DECISION(answer_opens_session)

/* --- incoming control messages ------------------------------------------ */

/* The offset of the ULP's private data (RFC 6581 s7). */
#define DECISION_session_private_data_at                                       \
	size_t, (bool enhanced, size_t n), (enhanced, n)
DECISION(session_private_data_at)

/* How many of n octets of private data the ULP gets (RFC 5043 s5.2.3). */
#define DECISION_private_data_given size_t, (struct conn * c, size_t n), (c, n)
DECISION(private_data_given)

/* End the session because of the peer's Terminate (RFC 5043 s6.2). */
#define DECISION_session_terminated void, (struct conn * c), (c)
DECISION(session_terminated)

#endif
