/* SPDX-License-Identifier: BSD-2-Clause */
/* What the arithmetic of atomics decides (RFC 7306 s5.1), in host order. */
#ifndef HARNESS_REFDUT_RDMAP_ATOMICS_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_ATOMICS_DECISIONS_H

#include "harness/refdut/decision/decision.h"

/* What a FetchAdd leaves (s5.1.1). A 1 in the mask is the top bit of a field:
 * no carry leaves it. */
#define DECISION_fetchadd_sum                                                  \
	uint64_t, (uint64_t original, uint64_t add, uint64_t mask),            \
		(original, add, mask)
DECISION(fetchadd_sum)

/* Whether all bits that are compared are the same (s5.1.2). */
#define DECISION_cmpswap_matches                                               \
	bool, (uint64_t original, uint64_t compare, uint64_t compare_mask),    \
		(original, compare, compare_mask)
DECISION(cmpswap_matches)

/* What stands there after bits were swapped (s5.1.2). */
#define DECISION_cmpswap_swapped                                               \
	uint64_t, (uint64_t original, uint64_t swap, uint64_t swap_mask),      \
		(original, swap, swap_mask)
DECISION(cmpswap_swapped)

/* What a CmpSwap leaves (s5.1.2). */
#define DECISION_cmpswap_result                                                \
	uint64_t,                                                              \
		(uint64_t original, uint64_t compare, uint64_t compare_mask,   \
		 uint64_t swap, uint64_t swap_mask),                           \
		(original, compare, compare_mask, swap, swap_mask)
DECISION(cmpswap_result)

#endif
