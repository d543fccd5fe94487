/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the placement of payload (RFC 5041 s4.2, s4.3). */
#ifndef HARNESS_REFDUT_DDP_PLACEMENT_DECISIONS_H
#define HARNESS_REFDUT_DDP_PLACEMENT_DECISIONS_H

#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/decision.h"

/* Place the n payload octets of a tagged segment at this TO of its buffer (RFC
 * 5041 s4.2). The buffer is NULL if n is 0. */
#define DECISION_tagged_placed                                                 \
	void,                                                                  \
		(struct conn * c, const uint8_t *u, struct region *region,     \
		 uint64_t to, uint32_t n),                                     \
		(c, u, region, to, n)
DECISION(tagged_placed)

/* Place the payload of an untagged segment at this MO of its buffer (RFC 5041
 * s4.3). False: the buffer was not usable, and the stream has ended. */
#define DECISION_untagged_placed                                               \
	bool,                                                                  \
		(struct conn * c, uint32_t qn, const uint8_t *u, uint64_t mo,  \
		 uint32_t n),                                                  \
		(c, qn, u, mo, n)
DECISION(untagged_placed)

/* Place all earlier payload, because the ULP or this segment is going to read
 * the memory (RFC 5040 s5.5). */
#define DECISION_all_placed void, (const uint8_t *u, uint32_t len), (u, len)
DECISION(all_placed)

#endif
