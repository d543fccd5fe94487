/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/atomics.h"
#include "harness/refdut/mutants.h"

/*
 * The top bit of each field is taken out of both operands before the sum, so
 * that a carry reaching it stays there. That bit of the result is then the
 * exclusive or of three: the two operands' and the carry that arrived.
 */
uint64_t atomic_fetch_add(uint64_t original, uint64_t add, uint64_t mask)
{
	uint64_t sum;

	if (mutant(MUTANT_fetchadd_mask_ignored))
		return original + add;
	if (mutant(MUTANT_fetchadd_mask_selects))
		return mask ? (original & ~mask) | ((original + add) & mask)
			    : original + add;
	if (mutant(MUTANT_fetchadd_32_bit))
		return (original & ~(uint64_t)UINT32_MAX) |
		       (uint32_t)(original + add);
	if (mutant(MUTANT_fetchadd_of_zero_stores_half) && !add)
		return (uint32_t)original;
	if (mutant(MUTANT_fetchadd_boundary_below)) {
		/* Takes the mask bit for the lowest bit of the next field. */
		mask >>= 1;
	}
	if (mutant(MUTANT_fetchadd_saturates) && original + add < add)
		return UINT64_MAX;
	if (mutant(COINCIDENCE_fetchadd_carry_crosses_field) && !(mask >> 63) &&
	    mask & INT32_MAX)
		mask &= ~(1ull << 31);
	if (mutant(COINCIDENCE_fetchadd_addend_sign_extended) && mask &&
	    !(mask >> 31 & 1) && !(mask >> 63) && add >> 32 && (int32_t)add < 0)
		add |= UINT64_MAX << 32;
	sum = (original & ~mask) + (add & ~mask);
	if (mutant(MUTANT_fetchadd_top_bit_or))
		return sum | ((original | add) & mask);
	return sum ^ ((original ^ add) & mask);
}

uint64_t atomic_cmp_swap(uint64_t original, uint64_t compare,
			 uint64_t compare_mask, uint64_t swap,
			 uint64_t swap_mask)
{
	if (mutant(MUTANT_cmpswap_compare_mask_ignored))
		compare_mask = UINT64_MAX;
	if (mutant(MUTANT_cmpswap_swap_mask_ignored))
		swap_mask = UINT64_MAX;
	if (mutant(MUTANT_cmpswap_masks_exchanged)) {
		uint64_t mask = compare_mask;

		compare_mask = swap_mask;
		swap_mask = mask;
	}
	if (mutant(COINCIDENCE_cmpswap_mask_sign_extended) &&
	    compare_mask != UINT64_MAX && (int32_t)swap_mask < 0)
		swap_mask |= UINT64_MAX << 32;
	if (mutant(MUTANT_cmpswap_low_half_compared))
		compare_mask &= UINT32_MAX;
	if (mutant(MUTANT_cmpswap_compare_data_not_masked)) {
		if ((original & compare_mask) != compare)
			return original;
	} else if ((compare ^ original) & compare_mask &&
		   !mutant(MUTANT_cmpswap_always_swaps)) {
		return original;
	}
	if (mutant(MUTANT_cmpswap_clears_unmasked))
		return swap & swap_mask;
	return (original & ~swap_mask) | (swap & swap_mask);
}
