/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when chunks are sent on a stream (RFC 5043 s5.2, s6, s8 to s10). */
#ifndef HARNESS_REFDUT_SCTP_STREAM_DECISIONS_H
#define HARNESS_REFDUT_SCTP_STREAM_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/assoc_internal.h"

/* --- a chunk ------------------------------------------------------------ */

/* The maximum length of a chunk with a segment (RFC 5043 s9). */
#define DECISION_segment_chunk_most uint32_t, (const struct ddp_stream *s), (s)
DECISION(segment_chunk_most)

/* The DDP-SSN, as sent (RFC 5043 s5.2.1). */
#define DECISION_ssn_sent uint16_t, (uint16_t ssn), (ssn)
DECISION(ssn_sent)

/* The DDP-SSN of the chunk after this one (RFC 5043 s5.2.1). */
#define DECISION_ssn_behind                                                    \
	uint16_t, (const struct ddp_stream *s, bool control), (s, control)
DECISION(ssn_behind)

/* The first DDP-SSN of a session (RFC 5043 s6.1). */
#define DECISION_first_ssn uint16_t, (const struct ddp_stream *s), (s)
DECISION(first_ssn)

/* Write the octets after the DDP-SSN; returns their number (RFC 5043
 * s5.2.2). */
#define DECISION_put_behind_ssn                                                \
	size_t,                                                                \
		(uint8_t * chunk, bool control, const uint8_t *octets,         \
		 size_t n),                                                    \
		(chunk, control, octets, n)
DECISION(put_behind_ssn)

/* How a control message or segment is sent: its stream, PPID and order (RFC
 * 5043 s5.1, s8, s10). */
#define DECISION_chunk_goes                                                    \
	struct stack_message,                                                  \
		(const struct ddp_stream *s, uint32_t ppid,                    \
		 const uint8_t *octets, size_t n),                             \
		(s, ppid, octets, n)
DECISION(chunk_goes)

/* Whether one more chunk may be unacknowledged (RFC 5043 s10). */
#define DECISION_chunk_may_go bool, (const struct ddp_stream *s), (s)
DECISION(chunk_may_go)

/* --- a session ---------------------------------------------------------- */

/* Whether a session may begin on a stream that has none (RFC 5043 s6.6). */
#define DECISION_stream_may_begin bool, (const struct ddp_stream *s), (s)
DECISION(stream_may_begin)

/* Whether a Terminate may be sent now: it must not overtake a chunk (RFC 5043
 * s6.6). */
#define DECISION_terminate_may_go bool, (const struct ddp_stream *s), (s)
DECISION(terminate_may_go)

/* Write a Terminate, from its function code on; returns its length (RFC 5043
 * s5.2.3). */
#define DECISION_write_terminate                                               \
	size_t, (const struct ddp_stream *s, uint8_t *octets), (s, octets)
DECISION(write_terminate)

/* Send the Terminate. False: there is no room now (RFC 5043 s6.2). */
#define DECISION_send_session_terminate bool, (struct ddp_stream * s), (s)
DECISION(send_session_terminate)

/* End the association of a stream at once (RFC 5043 s11.3). */
#define DECISION_abort_association void, (struct assoc * a), (a)
DECISION(abort_association)

#endif
