/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of the limits and features that a device announces. */
#include "harness/refdut/agent/limits_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/startup.h"

MUTANT(unclaimed_operations_taken,
       "RDMAP-4.2-01 RDMAP-4.2-02 RDMAP-4.2-03 RDMAP-4.2-04 RDMAP-4.2-09 "
       "DDP-7.1-03",
       "performs Immediate Data and atomics that it does not claim",
       feature_claimed)
{
	switch (f) {
	case FEATURE_FETCHADD:
	case FEATURE_CMPSWAP:
	case FEATURE_MASKED_ATOMICS:
	case FEATURE_IMM:
	case FEATURE_IMM_SE:
		return false;
	default:
		return OTHERWISE(feature_claimed);
	}
}

ALSO(private_data_cut_to_buffer, limit_of)
{
	uint64_t limit = OTHERWISE(limit_of);

	return what == LIMIT_PRIVATE_DATA && limit == STARTUP_PRIVATE_MAX
		       ? 256
		       : limit;
}
