/* SPDX-License-Identifier: BSD-2-Clause */
/* The contents of the DDP and RDMAP headers (RFC 5041 s4, RFC 5040 s4). */
#ifndef HARNESS_REFDUT_DDP_TX_HEADER_DECISIONS_H
#define HARNESS_REFDUT_DDP_TX_HEADER_DECISIONS_H

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/decision/decision.h"

/* The parameters of most of these decisions: a message, and a segment of it. */
#define OF_A_SEGMENT                                                           \
	(struct conn * c, const struct message *m, const struct segment *s),   \
		(c, m, s)

/* The DDP control field: T, L, reserved bits, DV (RFC 5041 s4.1). */
#define DECISION_ddp_control unsigned, OF_A_SEGMENT
DECISION(ddp_control)

/* The RDMAP control field: RV, reserved bits, opcode (RFC 5040 s4.1). */
#define DECISION_rdmap_control unsigned, OF_A_SEGMENT
DECISION(rdmap_control)

/* The STag of a tagged segment (RFC 5041 s4.2). */
#define DECISION_segment_stag uint32_t, OF_A_SEGMENT
DECISION(segment_stag)

/* The TO of a tagged segment (RFC 5041 s4.2, s5.2). */
#define DECISION_segment_to uint64_t, OF_A_SEGMENT
DECISION(segment_to)

/* The Invalidate STag of an untagged segment, which DDP calls RsvdULP: zero
 * except in a Send with Invalidate (RFC 5040 s4.1). */
#define DECISION_segment_invalidate_stag uint32_t, OF_A_SEGMENT
DECISION(segment_invalidate_stag)

/* The QN of an untagged segment (RFC 5041 s4.3). */
#define DECISION_segment_qn uint32_t, OF_A_SEGMENT
DECISION(segment_qn)

/* The MO of an untagged segment (RFC 5041 s4.3, s5.2). */
#define DECISION_segment_mo uint32_t, OF_A_SEGMENT
DECISION(segment_mo)

/* Write the whole header of a segment to h. Returns the length of the header;
 * the payload follows directly (RFC 5041 s4.2, s4.3). */
#define DECISION_segment_header                                                \
	size_t,                                                                \
		(struct conn * c, const struct message *m,                     \
		 const struct segment *s, uint8_t *h),                         \
		(c, m, s, h)
DECISION(segment_header)

#endif
