/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when a Send or Immediate Data is delivered (RFC 5040 s5.3, RFC 7306
 * s6.3). */
#ifndef HARNESS_REFDUT_RDMAP_SEND_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_SEND_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether this type of Send carries an Invalidate STag; all other types ignore
 * the field (RFC 5040 s4.1). */
#define DECISION_carries_invalidate_stag bool, (unsigned opcode), (opcode)
DECISION(carries_invalidate_stag)

/* Invalidate the STag that a Send carries (RFC 5040 s5.3). False: it may not
 * be invalidated, and the stream has ended. */
#define DECISION_invalidate_stag                                               \
	bool, (struct conn * c, const uint8_t *ulpdu, uint32_t len),           \
		(c, ulpdu, len)
DECISION(invalidate_stag)

/* Whether an STag belongs to the Protection Domain of the stream. */
#define DECISION_stag_in_domain                                                \
	bool, (const struct conn *c, const struct region *region), (c, region)
DECISION(stag_in_domain)

/* Whether an STag that is bound to a stream is bound to this one. */
#define DECISION_stag_on_stream                                                \
	bool, (const struct conn *c, const struct region *region), (c, region)
DECISION(stag_on_stream)

/* Whether a peer may invalidate the STag: not if it is shared (RFC 5040
 * s8.1.1). */
#define DECISION_remote_invalidation_allowed                                   \
	bool, (const struct region *region), (region)
DECISION(remote_invalidation_allowed)

/* The error for an STag that this stream may not invalidate (RFC 5040 s7.2). */
#define DECISION_barred_invalidation_code                                      \
	unsigned, (const struct region *region), (region)
DECISION(barred_invalidation_code)

/* The RDMA header that is returned for a refused Send with Invalidate: none
 * (RFC 5040 s4.8). */
#define DECISION_rdma_header_of_send                                           \
	const uint8_t *, (const uint8_t *ulpdu), (ulpdu)
DECISION(rdma_header_of_send)

/* Whether an Event is raised (RFC 5040 s5.3). */
#define DECISION_event_raised bool, (bool solicited), (solicited)
DECISION(event_raised)

/* The length of a Send that is reported to the ULP. */
#define DECISION_received_length                                               \
	uint32_t, (const struct conn *c, uint32_t message_len), (c, message_len)
DECISION(received_length)

/* Complete the oldest receive with a Send (RFC 5040 s5.3). NULL: there is no
 * receive. */
#define DECISION_complete_send                                                 \
	struct event *,                                                        \
		(struct conn * c, const uint8_t *ulpdu, uint32_t message_len), \
		(c, ulpdu, message_len)
DECISION(complete_send)

/* Complete the oldest receive with Immediate Data (RFC 7306 s6.3). NULL: there
 * is no receive. */
#define DECISION_complete_immediate                                            \
	struct event *, (struct conn * c, const uint8_t *ulpdu, uint32_t len), \
		(c, ulpdu, len)
DECISION(complete_immediate)

#endif
