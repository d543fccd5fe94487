/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided where a stream ends (RFC 5040 s6.2, RFC 5041 s6.2, RFC 5044
 * s7.2). */
#ifndef HARNESS_REFDUT_CONN_CLOSE_DECISIONS_H
#define HARNESS_REFDUT_CONN_CLOSE_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

enum stream_end {
	END_IN_ORDER, /* by a FIN, or a Terminate of the session */
	END_AT_ONCE,  /* as END_IN_ORDER, and nothing is read any more */
	END_BY_RESET,
	END_NOT_AT_ALL,
};

/* How the stream ends when all that was to be sent is out. */
#define DECISION_stream_ends_by enum stream_end, (struct conn * c), (c)
DECISION(stream_ends_by)

/* Close the sending half of TCP (RFC 5044 s7.2). */
#define DECISION_send_fin void, (struct conn * c), (c)
DECISION(send_fin)

/* Whether the ULP learns of the end as our FIN goes (RFC 5044 s7.2). */
#define DECISION_fin_ends_stream bool, (struct conn * c), (c)
DECISION(fin_ends_stream)

/* Whether queued work is sent before our FIN, where the ULP closes or the
 * peer has (RFC 5041 s6.2.1). */
#define DECISION_queued_work_is_sent                                           \
	bool, (struct conn * c, bool peer_closed), (c, peer_closed)
DECISION(queued_work_is_sent)

/* Whether input is dropped from the ULP's close on (RFC 5041 s6.2.1). */
#define DECISION_close_ends_input bool, (struct conn * c, bool half), (c, half)
DECISION(close_ends_input)

/* Whether the peer's FIN closes our half, too (RFC 5041 s6.2.1). */
#define DECISION_peer_fin_counts bool, (struct conn * c), (c)
DECISION(peer_fin_counts)

/* Whether the peer's FIN came where it may: not inside an FPDU or a message
 * (RFC 5044 s8). */
#define DECISION_peer_fin_is_orderly bool, (struct conn * c), (c)
DECISION(peer_fin_is_orderly)

/* Whether startup goes on where the peer closes instead of its Reply
 * (RFC 6581 s10). */
#define DECISION_startup_survives_fin bool, (struct conn * c), (c)
DECISION(startup_survives_fin)

#endif
