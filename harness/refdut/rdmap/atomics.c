/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/rdmap/atomics.h"
#include "harness/refdut/rdmap/atomics_decisions.h"

/*
 * RFC 7306 s5.1.1. The top bit of each field is removed from both operands
 * before the sum, so that a carry into it stays there. That bit of the result
 * is then the exclusive or of the two operands' bits and the carry.
 */
RULE(fetchadd_sum)
{
	uint64_t sum = (original & ~mask) + (add & ~mask);

	return sum ^ ((original ^ add) & mask);
}

/* RFC 7306 s5.1.2. */
RULE(cmpswap_matches)
{
	return !((compare ^ original) & compare_mask);
}

RULE(cmpswap_swapped)
{
	return (original & ~swap_mask) | (swap & swap_mask);
}

RULE(cmpswap_result)
{
	if (!cmpswap_matches(original, compare, compare_mask))
		return original;
	return cmpswap_swapped(original, swap, swap_mask);
}

uint64_t atomic_fetch_add(uint64_t original, uint64_t add, uint64_t mask)
{
	return fetchadd_sum(original, add, mask);
}

uint64_t atomic_cmp_swap(uint64_t original, uint64_t compare,
			 uint64_t compare_mask, uint64_t swap,
			 uint64_t swap_mask)
{
	return cmpswap_result(original, compare, compare_mask, swap, swap_mask);
}
