/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/limits.h"

#include "harness/refdut/conn.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/session.h"
#include "harness/refdut/startup.h"
#include "harness/refdut/variants.h"

static uint32_t depth(void)
{
	return variant(VARIANT_depths_of_one)   ? 1
	       : variant(VARIANT_depths_of_two) ? 2
	       : variant(VARIANT_no_depths)     ? 0
						: DEPTH_MAX;
}

uint32_t limit_ird(void)
{
	return variant(VARIANT_no_inbound_depth) ? 0 : depth();
}

uint32_t limit_ord(void)
{
	return variant(VARIANT_no_outbound_depth) ? 0 : depth();
}

unsigned limit_regions(void)
{
	return variant(VARIANT_few_regions) ? 4 : REGIONS_MAX;
}

uint64_t limit_region_len(void)
{
	return variant(VARIANT_short_messages) ? 64 << 10 : REGION_LEN_MAX;
}

uint32_t limit_message(void)
{
	return variant(VARIANT_short_messages) ? 64 << 10 : MESSAGE_MAX;
}

unsigned limit_receives(void)
{
	return variant(VARIANT_few_receives) ? 8 : RECEIVES_MAX;
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
