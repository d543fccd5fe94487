/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about registered memory (RFC 5040 s7.2, s8.1.1). */
#ifndef HARNESS_REFDUT_MEMORY_DECISIONS_H
#define HARNESS_REFDUT_MEMORY_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/memory/memory.h"

/* The STag of a new region of this owner (RFC 5040 s8.1.1). False: there is no
 * randomness. */
#define DECISION_stag_issued                                                   \
	bool, (const void *owner, uint32_t *stag), (owner, stag)
DECISION(stag_issued)

/* 32 random bits for an STag (RFC 5040 s8.1.1). False: there is no
 * randomness. */
#define DECISION_stag_drawn bool, (uint32_t * stag), (stag)
DECISION(stag_drawn)

/* The TO of the first octet of a new region (RFC 5041 s5.1.1). */
#define DECISION_first_to uint64_t, (const struct region *region), (region)
DECISION(first_to)

/* The region with this STag, or NULL (RFC 5041 s7.1). */
#define DECISION_region_named_by struct region *, (uint32_t stag), (stag)
DECISION(region_named_by)

/* May a stream of this domain use the region (RFC 5041 s7.1)? */
#define DECISION_stag_associated                                               \
	bool,                                                                  \
		(const struct domain *domain, const void *stream,              \
		 const struct region *region),                                 \
		(domain, stream, region)
DECISION(stag_associated)

#endif
