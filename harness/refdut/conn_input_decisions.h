/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when FPDUs arrive (RFC 5044 s4 to s8). */
#ifndef HARNESS_REFDUT_CONN_INPUT_DECISIONS_H
#define HARNESS_REFDUT_CONN_INPUT_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether input is read from TCP, or left there for now. */
#define DECISION_reads_from_tcp bool, (const struct conn *c), (c)
DECISION(reads_from_tcp)

/* The offset in the stream, counted from full operation on, at which the next
 * read begins (RFC 5044 s4.3). */
#define DECISION_position_in_stream uint64_t, (const struct conn *c), (c)
DECISION(position_in_stream)

/* Whether the n octets just read are dropped, as if TCP had lost them
 * (RFC 5044 s8). */
#define DECISION_segment_is_dropped bool, (struct conn * c, size_t n), (c, n)
DECISION(segment_is_dropped)

/* How many octets of an incomplete FPDU are kept (RFC 5044 s5.1). */
#define DECISION_octets_kept size_t, (struct conn * c), (c)
DECISION(octets_kept)

/* How many of the octets after the n-th FPDU of a read are kept (RFC 5044
 * s5.1). */
#define DECISION_octets_kept_behind                                            \
	size_t, (struct conn * c, unsigned n), (c, n)
DECISION(octets_kept_behind)

/* Whether a ULPDU is accepted now, or has to wait: RFC 5041 s7.1 item 2 permits
 * that TCP holds back data for which there is no buffer. */
#define DECISION_ulpdu_is_taken_now                                            \
	bool, (struct conn * c, const struct ulpdu *ulpdu), (c, ulpdu)
DECISION(ulpdu_is_taken_now)

/* What happens to an FPDU whose CRC is wrong (RFC 5044 s4.4, s8). */
#define DECISION_bad_crc                                                       \
	void, (struct conn * c, const struct ulpdu *ulpdu), (c, ulpdu)
DECISION(bad_crc)

/* The MPA error code for a framing error (RFC 5044 s8). */
#define DECISION_mpa_error_code unsigned, (enum framing_result result), (result)
DECISION(mpa_error_code)

/* Whether this may be the first FPDU of an initiator (RFC 6581 s9.2). */
#define DECISION_first_fpdu_is_right                                           \
	bool, (struct conn * c, const struct ulpdu *ulpdu), (c, ulpdu)
DECISION(first_fpdu_is_right)

/* Whether an FPDU allows the responder to send its own (RFC 5044 s7.1.2 rule
 * 4). NULL: it is not complete yet. */
#define DECISION_fpdu_releases                                                 \
	bool, (struct conn * c, const struct ulpdu *ulpdu), (c, ulpdu)
DECISION(fpdu_releases)

/* Whether a ULPDU is refused because of its length (RFC 5044 s3). */
#define DECISION_ulpdu_is_too_long                                             \
	bool, (struct conn * c, const struct ulpdu *ulpdu), (c, ulpdu)
DECISION(ulpdu_is_too_long)

/* Pass a ULPDU to DDP (RFC 5044 s6). */
#define DECISION_deliver_ulpdu                                                 \
	void, (struct conn * c, const struct ulpdu *ulpdu, bool first),        \
		(c, ulpdu, first)
DECISION(deliver_ulpdu)

/* Whether Responses are made as soon as Requests are read (RFC 5040 s5.5). */
#define DECISION_answers_at_once bool, (struct conn * c), (c)
DECISION(answers_at_once)

#endif
