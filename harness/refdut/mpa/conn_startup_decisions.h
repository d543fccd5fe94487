/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decisions of a connection during its startup: the frames that it sends, their
 * time, and the end of the startup (RFC 5044 s7.1.2, RFC 6581 s7, s9.2).
 */
#ifndef HARNESS_REFDUT_MPA_CONN_STARTUP_DECISIONS_H
#define HARNESS_REFDUT_MPA_CONN_STARTUP_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* The Request */

/* Whether the initiator sends its Request (RFC 5044 s7.1.2 rule 1,
 * RFC 5043 s5.2.3). */
#define DECISION_request_is_sent bool, (const struct conn *c), (c)
DECISION(request_is_sent)

/* Send something after the Request, before the Reply has arrived: nothing (RFC
 * 5044 s7.1.2 rule 1, RFC 5043 s6.6). */
#define DECISION_request_is_followed void, (struct conn * c), (c)
DECISION(request_is_followed)

/* How many of the n octets of a startup frame go to TCP first; the rest follows
 * at once. TCP may split the frame anywhere (RFC 5044 s7.1.2). */
#define DECISION_startup_first_piece size_t, (struct conn * c, size_t n), (c, n)
DECISION(startup_first_piece)

/* Whether this many octets may follow an incoming startup frame: FPDUs may
 * follow a Reply, but nothing may follow a Request (RFC 5044 s7.1.2). */
#define DECISION_startup_tail_accepted                                         \
	bool, (struct conn * c, size_t tail), (c, tail)
DECISION(startup_tail_accepted)

/* Answer a frame that is not a Request (or Reply): there is no answer (RFC 5044
 * s7.1.2). */
#define DECISION_bad_frame_is_answered                                         \
	void, (struct conn * c, bool reply), (c, reply)
DECISION(bad_frame_is_answered)

/* Whether a failed startup closes TCP at once (RFC 5044 s7.1.2 rules 3, 5 and
 * 6, s8). */
#define DECISION_startup_failure_closes                                        \
	bool, (struct conn * c, const char *why), (c, why)
DECISION(startup_failure_closes)

/* The Reply */

/* Whether a complete Request is answered now, or later (RFC 5044 s7.1.2). */
#define DECISION_request_answered_now bool, (struct conn * c), (c)
DECISION(request_answered_now)

enum request_answer { ANSWER_ACCEPT, ANSWER_REJECT, ANSWER_CLOSE };

/* How a Request is answered, according to c->agreed (RFC 5044 s7.1.2, RFC 6581
 * s7). */
#define DECISION_request_answer enum request_answer, (struct conn * c), (c)
DECISION(request_answer)

/* Whether the ULP's private data fits into the Reply: enhanced data needs four
 * octets of the private data (RFC 6581 s6, s7). */
#define DECISION_reply_has_room bool, (const struct conn *c), (c)
DECISION(reply_has_room)

/* Whether the Reply is sent when its Request has arrived (RFC 5044 s7.1.2 rule
 * 2). */
#define DECISION_reply_is_sent bool, (const struct conn *c), (c)
DECISION(reply_is_sent)

/* Whether the Reply has the form of the Request: over SCTP, the control codes
 * of the two forms must not be mixed (RFC 6581 s7). */
#define DECISION_reply_form_fits bool, (const struct conn *c), (c)
DECISION(reply_form_fits)

/* Whether a Reply that rejects prevents full operation (RFC 5044 s7.1.2).
 * Parameters: the lengths of the two startup frames. */
#define DECISION_reject_ends_startup                                           \
	bool, (struct conn * c, size_t our_frame, size_t their_frame),         \
		(c, our_frame, their_frame)
DECISION(reject_ends_startup)

/* Whether TCP is closed after a Reply that rejects, or left to the ULP (RFC
 * 5044 s7.1.2). */
#define DECISION_reject_closes bool, (struct conn * c), (c)
DECISION(reject_closes)

/* Full operation */

/* Whether markers are sent, and expected (RFC 5044 s4.3). */
#define DECISION_tx_markers_used bool, (const struct conn *c), (c)
DECISION(tx_markers_used)
#define DECISION_rx_markers_used bool, (const struct conn *c), (c)
DECISION(rx_markers_used)

/* The stream offset, as markers count it, after our or the peer's startup
 * frame: the first octet of the first FPDU has offset 0 (RFC 5044 s4.3). */
#define DECISION_tx_origin                                                     \
	uint64_t, (const struct conn *c, size_t our_frame), (c, our_frame)
DECISION(tx_origin)
#define DECISION_rx_origin                                                     \
	uint64_t, (const struct conn *c, size_t their_frame), (c, their_frame)
DECISION(rx_origin)

/* Whether CRCs are sent, and checked: if either side requested them (RFC 5044
 * s4.4, s7.1.1). */
#define DECISION_tx_crc_used bool, (const struct conn *c), (c)
DECISION(tx_crc_used)
#define DECISION_rx_crc_used bool, (const struct conn *c), (c)
DECISION(rx_crc_used)

/* Whether the responder may send before an FPDU has arrived: not over TCP (RFC
 * 5044 s7.1.2, RFC 6581 s7). */
#define DECISION_responder_may_speak bool, (struct conn * c), (c)
DECISION(responder_may_speak)

/* Whether the initiator may send after the Reply has arrived (RFC 5044
 * s7.1.2). */
#define DECISION_initiator_may_speak bool, (struct conn * c), (c)
DECISION(initiator_may_speak)

/* The RTR message that the initiator sends first in the peer-to-peer model. 0:
 * none, in the other model or after a Reply that rejects (RFC 6581 s5,
 * s9.2). */
#define DECISION_opening_message unsigned, (struct conn * c), (c)
DECISION(opening_message)

/* The RTR type that is used, from the types that both sides list (RFC 6581
 * s9.2). */
#define DECISION_rtr_type                                                      \
	enum rtr, (const struct agreement *agreement), (agreement)
DECISION(rtr_type)

#endif
