/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when octets are passed to TCP. */
#ifndef HARNESS_REFDUT_CONN_OUTPUT_DECISIONS_H
#define HARNESS_REFDUT_CONN_OUTPUT_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* How many of n octets go to TCP in one call (RFC 5044 s5.1); 0: none until
 * conn_kick() is called. */
#define DECISION_octets_handed_over size_t, (struct conn * c, size_t n), (c, n)
DECISION(octets_handed_over)

/* How many octets are dropped from the queue when TCP has accepted `taken` of
 * n: the rest is kept (RFC 5041 s3 item 5: the LLP is reliable). */
#define DECISION_octets_done_with                                              \
	size_t, (struct conn * c, size_t n, size_t taken), (c, n, taken)
DECISION(octets_done_with)

/* Whether the buffer of an inbound Request is free for another Request when TCP
 * has the Response (RFC 5040 s5.2.1, RFC 7306 s5.2.1). */
#define DECISION_request_buffer_is_free                                        \
	bool, (struct conn * c, const struct request *request), (c, request)
DECISION(request_buffer_is_free)

/* Whether the initiator sends segments before the Reply arrives (RFC 5044
 * s7.1.2 rule 1, RFC 5043 s6.6). */
#define DECISION_sends_unanswered bool, (struct conn * c), (c)
DECISION(sends_unanswered)

#endif
