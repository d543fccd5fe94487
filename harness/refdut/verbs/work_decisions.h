/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when work is posted and completes (RFC 5040 s5.5, s6.2.1). */
#ifndef HARNESS_REFDUT_VERBS_WORK_DECISIONS_H
#define HARNESS_REFDUT_VERBS_WORK_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Queue a work request on the stream: work is sent in the order in which it was
 * posted (RFC 5041 s5.3, RFC 5040 s5.5). */
#define DECISION_work_enters                                                   \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(work_enters)

/* Append a work request to the unfinished ones. */
#define DECISION_work_queued                                                   \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(work_queued)

/* The status with which work completes at once if it is posted to a stream that
 * is closing or over, or STATUS_NONE (RFC 5041 s6.2.1). */
#define DECISION_status_when_posted enum status, (struct conn * c), (c)
DECISION(status_when_posted)

/* Whether work is done: a Send or Write when the LLP has it, other work when it
 * was answered (RFC 5040 s5.5, RFC 7306 s5.4). */
#define DECISION_work_is_done                                                  \
	bool, (const struct conn *c, const struct work *work), (c, work)
DECISION(work_is_done)

/* Complete finished work: it completes in the order in which it was posted (RFC
 * 5040 s5.5). */
#define DECISION_complete_done void, (struct conn * c), (c)
DECISION(complete_done)

/* Whether the ULP learns of a completion (RFC 5040 s5.2.2). */
#define DECISION_completion_is_reported                                        \
	bool, (struct conn * c, const struct work *work), (c, work)
DECISION(completion_is_reported)

/* Append a completion to those that the ULP has not fetched (RFC 5040 s5.5). */
#define DECISION_event_queued                                                  \
	void, (struct conn * c, struct event * event), (c, event)
DECISION(event_queued)

/* Complete all work: the stream is over (RFC 5040 s6.2.1). */
#define DECISION_work_flushed void, (struct conn * c), (c)
DECISION(work_flushed)

/* The status with which unfinished work completes when the stream is over; a
 * receive buffer is OP_RECV (RFC 5040 s5.4, s6.2.1). */
#define DECISION_flushed_status                                                \
	enum status, (struct conn * c, enum op op), (c, op)
DECISION(flushed_status)

/* Whether the ULP gets back the remaining receive buffers when the stream is
 * over (RFC 5041 s6.2.2, RFC 5040 s6.2.1). */
#define DECISION_receives_come_back bool, (struct conn * c), (c)
DECISION(receives_come_back)

/* Append a receive buffer: buffers are used in the order in which they were
 * posted (RFC 5040 s5.3). */
#define DECISION_receive_queued                                                \
	void, (struct conn * c, struct receive * receive), (c, receive)
DECISION(receive_queued)

/* The region in which a Send is placed. NULL: a buffer of the device's own (RFC
 * 5041 s4.1). */
#define DECISION_placed_in                                                     \
	struct region *, (struct conn * c, const struct receive *receive),     \
		(c, receive)
DECISION(placed_in)

#endif
