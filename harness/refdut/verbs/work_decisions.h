/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided as work is posted and completes (RFC 5040 s5.5, s6.2.1). */
#ifndef HARNESS_REFDUT_VERBS_WORK_DECISIONS_H
#define HARNESS_REFDUT_VERBS_WORK_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Put a work request into the stream: work goes in the order in which it was
 * posted (RFC 5041 s5.3, RFC 5040 s5.5). */
#define DECISION_work_enters                                                   \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(work_enters)

/* Append a work request to those that are unfinished. */
#define DECISION_work_queued                                                   \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(work_queued)

/* With which status work completes at once that is posted to a stream that
 * is closing or over, or none (RFC 5041 s6.2.1). */
#define DECISION_status_when_posted enum status, (struct conn * c), (c)
DECISION(status_when_posted)

/* Whether work is done: a Send or Write when the LLP has it, what is answered
 * when it was answered (RFC 5040 s5.5, RFC 7306 s5.4). */
#define DECISION_work_is_done                                                  \
	bool, (const struct conn *c, const struct work *work), (c, work)
DECISION(work_is_done)

/* Complete what is done: work completes in the order in which it was posted
 * (RFC 5040 s5.5). */
#define DECISION_complete_done void, (struct conn * c), (c)
DECISION(complete_done)

/* Whether the ULP learns of a completion (RFC 5040 s5.2.2). */
#define DECISION_completion_is_reported                                        \
	bool, (struct conn * c, const struct work *work), (c, work)
DECISION(completion_is_reported)

/* Append a completion to those that the ULP has not taken (RFC 5040 s5.5). */
#define DECISION_event_queued                                                  \
	void, (struct conn * c, struct event * event), (c, event)
DECISION(event_queued)

/* Complete all work there is: the stream is over (RFC 5040 s6.2.1). */
#define DECISION_work_flushed void, (struct conn * c), (c)
DECISION(work_flushed)

/* With which status what is not done completes, where the stream is over; a
 * receive buffer is OP_RECV (RFC 5040 s5.4, s6.2.1). */
#define DECISION_flushed_status                                                \
	enum status, (struct conn * c, enum op op), (c, op)
DECISION(flushed_status)

/* Whether the ULP gets back the receive buffers that are left when the stream
 * is over (RFC 5041 s6.2.2, RFC 5040 s6.2.1). */
#define DECISION_receives_come_back bool, (struct conn * c), (c)
DECISION(receives_come_back)

/* Append a receive buffer: they are used in the order in which they were
 * posted (RFC 5040 s5.3). */
#define DECISION_receive_queued                                                \
	void, (struct conn * c, struct receive * receive), (c, receive)
DECISION(receive_queued)

/* The region in which a Send is placed, or NULL: a buffer of the device's own
 * (RFC 5041 s4.1). */
#define DECISION_placed_in                                                     \
	struct region *, (struct conn * c, const struct receive *receive),     \
		(c, receive)
DECISION(placed_in)

#endif
