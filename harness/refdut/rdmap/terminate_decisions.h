/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about errors and Terminate messages (RFC 5040 s4.8, s6.2.1, s7; RFC
 * 7306 s8). */
#ifndef HARNESS_REFDUT_RDMAP_TERMINATE_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TERMINATE_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* An error that ends a stream: its numbers, the segment that contains it (NULL:
 * no segment is returned), and the Read Request header to return, or NULL. */
struct stream_error {
	unsigned type; /* layer and error type, as on the wire: ERR_x */
	unsigned code;
	const uint8_t *ulpdu;
	uint32_t len;
	const uint8_t *request;
};

/* An error was found: it ends the stream (RFC 5040 s7.1). Only the first error
 * counts. */
#define DECISION_error_found                                                   \
	void, (struct conn * c, const struct stream_error *e), (c, e)
DECISION(error_found)

/* End the stream by its first error. */
#define DECISION_end_by_error                                                  \
	void, (struct conn * c, const struct stream_error *e), (c, e)
DECISION(end_by_error)

/* Whether the error is sent in a Terminate, instead of closing the stream
 * without one (RFC 5040 s6.2.1, s7.1). */
#define DECISION_terminate_is_sent                                             \
	bool, (const struct conn *c, const struct stream_error *e), (c, e)
DECISION(terminate_is_sent)

/* Make the Terminate, report it to the ULP, and send it (RFC 5040 s5.4). */
#define DECISION_send_terminate                                                \
	void, (struct conn * c, const struct stream_error *e), (c, e)
DECISION(send_terminate)

/* End the stream after our Terminate: nothing follows it (RFC 5040 s5.4). */
#define DECISION_end_behind_terminate                                          \
	void, (struct conn * c, const struct stream_error *e), (c, e)
DECISION(end_behind_terminate)

/* The error's layer, type and code, as sent (RFC 5040 s4.8, RFC 5041 s7.2, RFC
 * 5044 s8). */
#define DECISION_error_numbers struct stream_error, (struct stream_error e), (e)
DECISION(error_numbers)

/* Write the parts after the control word at `t`: DDP Segment Length, terminated
 * DDP header, terminated RDMA header. Set M, D and R for them (RFC 5040 s4.8).
 * Returns the length of the whole message. */
#define DECISION_terminated_headers                                            \
	uint32_t, (uint8_t * t, const struct stream_error *e), (t, e)
DECISION(terminated_headers)

/* How many octets of the segment belong to its DDP header. */
#define DECISION_terminated_ddp_header_size                                    \
	uint32_t, (const struct stream_error *e), (e)
DECISION(terminated_ddp_header_size)

/* A header of `len` octets, whose place is t + n, is not returned. Returns the
 * offset at which the message continues (according to RFC 5040 s7.1, the header
 * is "set to zero"). */
#define DECISION_header_not_returned                                           \
	uint32_t, (uint8_t * t, uint32_t n, uint32_t len), (t, n, len)
DECISION(header_not_returned)

/* Process a valid Terminate, from its control word on (RFC 5040 s5.4). */
#define DECISION_take_terminate                                                \
	void, (struct conn * c, const uint8_t *octets, uint32_t len),          \
		(c, octets, len)
DECISION(take_terminate)

/* Report the peer's Terminate to the ULP (RFC 5040 s5.4). */
#define DECISION_report_terminate                                              \
	void, (struct conn * c, struct terminate * t), (c, t)
DECISION(report_terminate)

/* End the stream because of the peer's Terminate (RFC 5040 s6.2.1). */
#define DECISION_end_by_terminate void, (struct conn * c), (c)
DECISION(end_by_terminate)

#endif
