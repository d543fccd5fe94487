/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/limits.h"

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
