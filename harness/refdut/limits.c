/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/limits.h"

#include "harness/refdut/mutants.h"
#include "harness/refdut/startup.h"
#include "harness/refdut/variants.h"

static uint32_t depth(void)
{
	return variant(VARIANT_depths_of_one)   ? 1
	       : variant(VARIANT_depths_of_two) ? 2
						: DEPTH_MAX;
}

uint32_t limit_ird(void)
{
	return depth();
}

uint32_t limit_ord(void)
{
	return depth();
}

uint32_t limit_private(void)
{
	if (variant(VARIANT_least_private_data))
		return 0;
	if (variant(VARIANT_private_data_of_56))
		return 56;
	/* There is always enhanced data before it. */
	if (variant(VARIANT_always_p2p) || variant(VARIANT_always_p2p_blind) ||
	    variant(VARIANT_always_p2p_untold) ||
	    variant(VARIANT_always_enhanced_untold))
		return STARTUP_PRIVATE_MAX - ENHANCED_SIZE;
	if (mutant(MUTANT_private_data_cut_to_buffer))
		return 256;
	return STARTUP_PRIVATE_MAX;
}
