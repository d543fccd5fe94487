/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the order and meaning of chunks (RFC 5043 s6, s10; RFC 6581
 * s7). */
#ifndef HARNESS_REFDUT_SCTP_SESSION_DECISIONS_H
#define HARNESS_REFDUT_SCTP_SESSION_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/sctp_session.h"

/* The distance from the next DDP-SSN to this one (RFC 5043 s10). */
#define DECISION_ssn_ahead                                                     \
	uint16_t, (const struct ssn_order *order, uint16_t ssn), (order, ssn)
DECISION(ssn_ahead)

/* The meaning of a segment (RFC 5043 s6.1). */
#define DECISION_segment_means                                                 \
	enum session_news, (enum session_phase phase), (phase)
DECISION(segment_means)

/* The meaning of a chunk that is neither a segment nor a complete session
 * control message (RFC 5043 s6.1). */
#define DECISION_other_chunk_means                                             \
	enum session_news, (enum session_phase phase), (phase)
DECISION(other_chunk_means)

/* Whether a function code accepts the session that we requested (RFC 5043
 * s5.2.3, RFC 6581 s7). */
#define DECISION_code_accepts                                                  \
	bool, (bool enhanced, unsigned code), (enhanced, code)
DECISION(code_accepts)

#endif
