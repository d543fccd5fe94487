/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions at the end of a message (RFC 5041 s5.4). */
#ifndef HARNESS_REFDUT_DDP_DELIVERY_DECISIONS_H
#define HARNESS_REFDUT_DDP_DELIVERY_DECISIONS_H

#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/decision.h"

/* Is this the last segment of its message (RFC 5041 s4.1)? */
#define DECISION_is_last_segment                                               \
	bool, (struct conn * c, const uint8_t *u), (c, u)
DECISION(is_last_segment)

/* Is a Send accepted even if its segments leave a hole or overlap? */
#define DECISION_send_adds_up                                                  \
	bool, (const struct conn *c, const uint8_t *u, uint32_t len),          \
		(c, u, len)
DECISION(send_adds_up)

/* Deliver a complete message to RDMAP (RFC 5041 s5.4). */
#define DECISION_message_delivered                                             \
	void, (struct conn * c, const uint8_t *u, uint32_t len, bool first),   \
		(c, u, len, first)
DECISION(message_delivered)

/* Expect the next MSN on the queue of a complete message (RFC 5041 s4.3). */
#define DECISION_msn_counted                                                   \
	void, (struct conn * c, const uint8_t *u, bool first), (c, u, first)
DECISION(msn_counted)

/* Whether a Send is only the ready-to-receive indication of the startup: the
 * first FPDU, if both sides have agreed on a Send as RTR (RFC 6581 s9.2). */
#define DECISION_is_rtr_send                                                   \
	bool,                                                                  \
		(const struct conn *c, const uint8_t *u, uint32_t len,         \
		 bool first),                                                  \
		(c, u, len, first)
DECISION(is_rtr_send)

/* What happens to the Send that is only an RTR. */
#define DECISION_rtr_send_taken                                                \
	void, (struct conn * c, const uint8_t *u, uint32_t len), (c, u, len)
DECISION(rtr_send_taken)

/* What happens at the end of a Write (RFC 5040 s5.1). */
#define DECISION_write_complete void, (struct conn * c), (c)
DECISION(write_complete)

/* Does this segment of a Read Response count for its Read (RFC 5040 s5.2.2)?
 */
#define DECISION_response_segment_counts                                       \
	bool, (const struct work *read, uint32_t n), (read, n)
DECISION(response_segment_counts)

#endif
