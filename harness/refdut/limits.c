/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/limits.h"

#include "harness/refdut/conn.h"
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
