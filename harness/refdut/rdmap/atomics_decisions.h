/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions in the arithmetic of atomics (RFC 7306 s5.1), on values in host
 * order. */
#ifndef HARNESS_REFDUT_RDMAP_ATOMICS_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_ATOMICS_DECISIONS_H

#include "harness/refdut/decision/decision.h"

/* The result of a FetchAdd (s5.1.1). A 1 in the mask marks the top bit of a
 * field: no carry leaves it. */
#define DECISION_fetchadd_sum                                                  \
	uint64_t, (uint64_t original, uint64_t add, uint64_t mask),            \
		(original, add, mask)
DECISION(fetchadd_sum)

/* Whether all compared bits are equal (s5.1.2). */
#define DECISION_cmpswap_matches                                               \
	bool, (uint64_t original, uint64_t compare, uint64_t compare_mask),    \
		(original, compare, compare_mask)
DECISION(cmpswap_matches)

/* The value after bits were swapped (s5.1.2). */
#define DECISION_cmpswap_swapped                                               \
	uint64_t, (uint64_t original, uint64_t swap, uint64_t swap_mask),      \
		(original, swap, swap_mask)
DECISION(cmpswap_swapped)

/* The result of a CmpSwap (s5.1.2). */
#define DECISION_cmpswap_result                                                \
	uint64_t,                                                              \
		(uint64_t original, uint64_t compare, uint64_t compare_mask,   \
		 uint64_t swap, uint64_t swap_mask),                           \
		(original, compare, compare_mask, swap, swap_mask)
DECISION(cmpswap_result)

#endif
