/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions at the end of a stream (RFC 5040 s6.2, RFC 5041 s6.2, RFC 5044
 * s7.2). */
#ifndef HARNESS_REFDUT_CONN_CLOSE_DECISIONS_H
#define HARNESS_REFDUT_CONN_CLOSE_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

enum stream_end {
	END_IN_ORDER, /* by a FIN, or a Terminate of the session */
	END_AT_ONCE,  /* as END_IN_ORDER, but no more input is read */
	END_BY_RESET,
	END_NOT_AT_ALL,
};

/* How the stream ends when all queued octets were sent. */
#define DECISION_stream_ends_by enum stream_end, (struct conn * c), (c)
DECISION(stream_ends_by)

/* Close the sending half of TCP (RFC 5044 s7.2). */
#define DECISION_send_fin void, (struct conn * c), (c)
DECISION(send_fin)

/* Whether the ULP learns of the end when our FIN is sent (RFC 5044 s7.2). */
#define DECISION_fin_ends_stream bool, (struct conn * c), (c)
DECISION(fin_ends_stream)

/* Whether queued work is sent before our FIN when the ULP closes, or when the
 * peer has closed (RFC 5041 s6.2.1). */
#define DECISION_queued_work_is_sent                                           \
	bool, (struct conn * c, bool peer_closed), (c, peer_closed)
DECISION(queued_work_is_sent)

/* Whether input is dropped after the ULP's close (RFC 5041 s6.2.1). */
#define DECISION_close_ends_input bool, (struct conn * c, bool half), (c, half)
DECISION(close_ends_input)

/* Whether the peer's FIN also closes our half (RFC 5041 s6.2.1). */
#define DECISION_peer_fin_counts bool, (struct conn * c), (c)
DECISION(peer_fin_counts)

/* Whether the peer's FIN arrived at a legal place: not inside an FPDU or a
 * message (RFC 5044 s8). */
#define DECISION_peer_fin_is_orderly bool, (struct conn * c), (c)
DECISION(peer_fin_is_orderly)

/* Whether startup continues if the peer closes instead of sending its Reply
 * (RFC 6581 s10). */
#define DECISION_startup_survives_fin bool, (struct conn * c), (c)
DECISION(startup_survives_fin)

#endif
