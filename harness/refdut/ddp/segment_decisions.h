/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about all incoming segments (RFC 5041 s4.1). */
#ifndef HARNESS_REFDUT_DDP_SEGMENT_DECISIONS_H
#define HARNESS_REFDUT_DDP_SEGMENT_DECISIONS_H

#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/decision.h"

/* Process a segment, in the order of arrival. */
#define DECISION_segment_in_turn                                               \
	void, (struct conn * c, const uint8_t *u, uint32_t len), (c, u, len)
DECISION(segment_in_turn)

/* What happens to a segment that is too short for its header (RFC 5041
 * s4.4). */
#define DECISION_too_short void, (struct conn * c, uint32_t len), (c, len)
DECISION(too_short)

/* Is this DDP version supported (RFC 5041 s4.1)? */
#define DECISION_dv_accepted bool, (const uint8_t *u, uint32_t len), (u, len)
DECISION(dv_accepted)

/* Are the reserved bits of the control octet accepted as they are (RFC 5041
 * s4.1)? */
#define DECISION_reserved_bits_accepted bool, (const uint8_t *u), (u)
DECISION(reserved_bits_accepted)

/* Does RDMAP accept the segment, in a device where RDMAP checks before DDP?
 * False: it has ended the stream. */
#define DECISION_rdmap_takes_it_first                                          \
	bool, (struct conn * c, const uint8_t *u, uint32_t len), (c, u, len)
DECISION(rdmap_takes_it_first)

/* What happens to an untagged segment. `first`: it is the first of its stream.
 */
#define DECISION_untagged_taken                                                \
	void, (struct conn * c, const uint8_t *u, uint32_t len, bool first),   \
		(c, u, len, first)
DECISION(untagged_taken)

#endif
