/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of the arithmetic of atomics (RFC 7306 s5.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/atomics_decisions.h"

/* FetchAdd */

MUTANT(fetchadd_mask_ignored,
       "RDMAPX-5.1.1-03 RDMAPX-5.1.1-04 RDMAPX-5.1.1-05 RDMAPX-5.1.1-08",
       "adds 64 bits wide whatever the mask is", fetchadd_sum)
{
	return original + add;
}

MUTANT(fetchadd_mask_selects, "RDMAPX-5.1.1-03 RDMAPX-5.1.1-06",
       "uses the Add Mask to select the bits that change", fetchadd_sum)
{
	return mask ? (original & ~mask) | ((original + add) & mask)
		    : original + add;
}

MUTANT(fetchadd_32_bit, "RDMAPX-5.1.1-01", "adds only in the low 32 bits",
       fetchadd_sum)
{
	return (original & ~(uint64_t)UINT32_MAX) | (uint32_t)(original + add);
}

MUTANT(fetchadd_stores_the_addend, "RDMAPX-5.1.1-01",
       "stores Add Data instead of the sum", fetchadd_sum)
{
	return add;
}

MUTANT(fetchadd_of_zero_stores_half, "RDMAPX-5.1.1-01",
       "clears the upper half of a word to which zero is added", fetchadd_sum)
{
	return add ? OTHERWISE(fetchadd_sum) : (uint32_t)original;
}

/* It treats the mask bit as the lowest bit of the next field. */
MUTANT(fetchadd_boundary_below,
       "RDMAPX-5.1.1-04 RDMAPX-5.1.1-05 RDMAPX-5.1.1-07",
       "ends a field one bit below its mask bit", fetchadd_sum)
{
	mask >>= 1;
	return OTHERWISE(fetchadd_sum);
}

MUTANT(fetchadd_saturates, "RDMAPX-5.1.1-02",
       "stops at all ones instead of wrapping", fetchadd_sum)
{
	return original + add < add ? UINT64_MAX : OTHERWISE(fetchadd_sum);
}

MUTANT(fetchadd_top_bit_or, "RDMAPX-5.1.1-06 RDMAPX-5.1.1-04",
       "ors the operands at a field's top bit", fetchadd_sum)
{
	uint64_t sum = (original & ~mask) + (add & ~mask);

	return sum | ((original | add) & mask);
}

/* CmpSwap */

MUTANT(cmpswap_compare_mask_ignored, "RDMAPX-5.1.2-03 RDMAPX-5.1.2-04",
       "compares all 64 bits whatever the mask is", cmpswap_matches)
{
	compare_mask = UINT64_MAX;
	return OTHERWISE(cmpswap_matches);
}

MUTANT(cmpswap_low_half_compared, "RDMAPX-5.1.2-02",
       "compares only the low 32 bits", cmpswap_matches)
{
	compare_mask &= UINT32_MAX;
	return OTHERWISE(cmpswap_matches);
}

MUTANT(cmpswap_compare_data_not_masked, "RDMAPX-5.1.2-07",
       "masks the memory but not the Compare Data", cmpswap_matches)
{
	return (original & compare_mask) == compare;
}

MUTANT(cmpswap_always_swaps, "RDMAPX-5.1.2-02",
       "swaps even if the comparison fails", cmpswap_matches)
{
	return true;
}

MUTANT(cmpswap_swap_mask_ignored, "RDMAPX-5.1.2-05 RDMAPX-5.1.2-06",
       "writes all 64 bits whatever the mask is", cmpswap_swapped)
{
	swap_mask = UINT64_MAX;
	return OTHERWISE(cmpswap_swapped);
}

MUTANT(cmpswap_clears_unmasked, "RDMAPX-5.1.2-06",
       "clears the bits outside the Swap Mask", cmpswap_swapped)
{
	return swap & swap_mask;
}

MUTANT(cmpswap_masks_exchanged, "RDMAPX-5.1.2-03",
       "exchanges Compare Mask and Swap Mask", cmpswap_result)
{
	return cmpswap_result_otherwise(self, original, compare, swap_mask,
					swap, compare_mask);
}
