/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about a work request (RFC 5040 s5, RFC 7306 s5, s6). */
#ifndef HARNESS_REFDUT_RDMAP_TX_REQUEST_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TX_REQUEST_DECISIONS_H

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/decision/decision.h"

/* The next work request: work requests are sent in the order in which they were
 * posted (RFC 5041 s5.3, RFC 5040 s5.5). */
#define DECISION_next_work struct work *, (struct conn * c), (c)
DECISION(next_work)

/* How many Reads and atomics may be outstanding (RFC 5040 s6.1). */
#define DECISION_outbound_depth uint32_t, (struct conn * c), (c)
DECISION(outbound_depth)

/* Whether there is room for one more Read or atomic (RFC 5040 s6.1,
 * RFC 7306 s5.2). */
#define DECISION_outbound_room                                                 \
	bool, (struct conn * c, const struct work *work), (c, work)
DECISION(outbound_room)

/* Whether a work request waits until all Reads and atomics before it are
 * answered: if its ULP requests a fence (RFC 5040 s5.5). */
#define DECISION_waits_at_a_fence                                              \
	bool, (const struct conn *c, const struct work *work), (c, work)
DECISION(waits_at_a_fence)

/* Whether the ULP may use the region that its work request names
 * (RFC 5040 s7.1, RFC 7306 s8.1). */
#define DECISION_local_region_is_its_own                                       \
	bool, (const struct conn *c, const struct work *work), (c, work)
DECISION(local_region_is_its_own)

/* Whether a work request is sent as a message: always, even if it is empty (RFC
 * 5040 s1.2, RFC 5041 s5.2). */
#define DECISION_work_makes_message                                            \
	bool, (struct conn * c, const struct work *work), (c, work)
DECISION(work_makes_message)

/* The queue of the message (RFC 5040 s4.1, RFC 7306 s4.1). */
#define DECISION_request_queue uint32_t, (const struct work *work), (work)
DECISION(request_queue)

/* The MSN of the next message of a queue: one more than that of the message
 * before, modulo 2^32 (RFC 5041 s4.3). */
#define DECISION_next_msn uint32_t, (struct conn * c, uint32_t qn), (c, qn)
DECISION(next_msn)

/* The MSN in a segment of the message: all its segments have the same MSN (RFC
 * 5041 s4.3). */
#define DECISION_request_msn                                                   \
	uint32_t, (struct conn * c, const struct work *work), (c, work)
DECISION(request_msn)

/* Whether the peer's ULP is asked for an event (RFC 5040 s5.3,
 * RFC 7306 s6.1). */
#define DECISION_is_solicited                                                  \
	bool, (struct conn * c, const struct work *work), (c, work)
DECISION(is_solicited)

/* The messages */
#define OF_A_WORK_REQUEST                                                      \
	struct message, (struct conn * c, const struct work *work), (c, work)

/* A Send (RFC 5040 s5.3). */
#define DECISION_send_message OF_A_WORK_REQUEST
DECISION(send_message)

/* An RDMA Write (RFC 5040 s5.1). */
#define DECISION_write_message OF_A_WORK_REQUEST
DECISION(write_message)

/* Immediate Data (RFC 7306 s6.2, s6.3). */
#define DECISION_immediate_message OF_A_WORK_REQUEST
DECISION(immediate_message)

/* An RDMA Read Request (RFC 5040 s4.4). */
#define DECISION_read_request OF_A_WORK_REQUEST
DECISION(read_request)

/* An Atomic Request (RFC 7306 s5.2.1). */
#define DECISION_atomic_request OF_A_WORK_REQUEST
DECISION(atomic_request)

/* What happens after the last segment of the message was queued. */
#define DECISION_work_is_issued                                                \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(work_is_issued)

/* The RTR of an initiator in the peer-to-peer model: an empty message (RFC 6581
 * s9.2). */
#define DECISION_rtr_message                                                   \
	struct message, (struct conn * c, enum rtr rtr), (c, rtr)
DECISION(rtr_message)

#endif
