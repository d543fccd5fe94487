/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about an untagged segment before it is placed (RFC 5041 s7.1). */
#ifndef HARNESS_REFDUT_DDP_UNTAGGED_DECISIONS_H
#define HARNESS_REFDUT_DDP_UNTAGGED_DECISIONS_H

#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/decision.h"

/* Is this the MSN that the queue expects (RFC 5041 s7.1 item 5)? */
#define DECISION_msn_is_due                                                    \
	bool, (const struct conn *c, uint32_t qn, uint32_t msn), (c, qn, msn)
DECISION(msn_is_due)

/* Is there a buffer for a message that begins on this queue (RFC 5041 s7.1
 * item 2)? `first`: it is the first of its stream. */
#define DECISION_buffer_posted                                                 \
	bool, (const struct conn *c, uint32_t qn, bool first), (c, qn, first)
DECISION(buffer_posted)

/* The size of the buffer for this segment, in octets. */
#define DECISION_buffer_size                                                   \
	uint64_t, (const struct conn *c, const uint8_t *u), (c, u)
DECISION(buffer_size)

/* The flaw of n octets at this MO of a buffer of this size (RFC 5041 s7.1 items
 * 3 and 4). */
#define DECISION_mo_flaw                                                       \
	enum untagged_error, (uint64_t mo, uint64_t n, uint64_t size),         \
		(mo, n, size)
DECISION(mo_flaw)

/* The flaw in the range of a segment with n octets, in a buffer of this
 * size. */
#define DECISION_untagged_range_flaw                                           \
	enum untagged_error,                                                   \
		(const struct conn *c, const uint8_t *u, uint32_t n,           \
		 uint64_t size),                                               \
		(c, u, n, size)
DECISION(untagged_range_flaw)

/* What happens to a segment with this error (RFC 5041 s7.1). */
#define DECISION_untagged_refused                                              \
	void,                                                                  \
		(struct conn * c, enum untagged_error error, const uint8_t *u, \
		 uint32_t len),                                                \
		(c, error, u, len)
DECISION(untagged_refused)

/* The error code in the error report (RFC 5041 s7.2). */
#define DECISION_untagged_error_code                                           \
	unsigned,                                                              \
		(const struct conn *c, enum untagged_error error,              \
		 const uint8_t *u),                                            \
		(c, error, u)
DECISION(untagged_error_code)

/* May the segment continue its message? False: it is refused with a remote
 * operation error. */
#define DECISION_segments_agree                                                \
	bool, (const struct conn *c, const uint8_t *u, uint32_t len),          \
		(c, u, len)
DECISION(segments_agree)

#endif
