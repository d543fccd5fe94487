/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of devices that do not compare all 32 bits of an STag (RFC 5041 s7.1,
 * RFC 5040 s7.2). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/memory/memory_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/rdmap/send_decisions.h"

#define HELD_AGAINST_STAGS                                                     \
	"DDP-7.1-21 RDMAP-5.2.1-11 RDMAP-7.2-06 RDMAPX-5.2.1-12 RDMAP-5.3-18 " \
	"DDP-7.2-02"

MUTANT(top_bit_of_a_key_ignored, HELD_AGAINST_STAGS,
       "does not compare the highest bit of an STag's key", region_named_by)
{
	struct region *region = OTHERWISE(region_named_by);

	return region ? region : region_named_by_otherwise(self, stag ^ 0x80);
}

MUTANT(top_bit_of_stags_ignored, HELD_AGAINST_STAGS,
       "does not compare the highest bit of an STag", region_named_by)
{
	struct region *region = OTHERWISE(region_named_by);

	return region ? region
		      : region_named_by_otherwise(self, stag ^ 0x80000000);
}

MUTANT(low_bit_of_stags_ignored, HELD_AGAINST_STAGS,
       "does not compare the lowest bit of an STag", region_named_by)
{
	struct region *region = OTHERWISE(region_named_by);

	return region ? region : region_named_by_otherwise(self, stag ^ 1);
}

MUTANT(stag_zero_not_refused, "DDP-7.1-20",
       "drops a Write to TO 0 of STag 0, and continues", tagged_flaw)
{
	return !stag_of(u) && !to_of(u) ? MEMORY_FINE : OTHERWISE(tagged_flaw);
}

ALSO(stag_zero_not_refused, tagged_placed)
{
	if (region)
		OTHERWISE(tagged_placed);
}

MUTANT(read_of_stag_zero_answered, "RDMAP-5.2.1-11 RDMAP-7.2-06",
       "treats a Read of STag 0 as one of no octets", read_source_validated)
{
	return read_source_stag(request->header) &&
	       OTHERWISE(read_source_validated);
}

MUTANT(invalidation_of_stag_zero_passed_over, "RDMAP-5.3-18",
       "delivers a Send with Invalidate of STag 0", invalidate_stag)
{
	return !rdmap_invalidate_stag(ulpdu) || OTHERWISE(invalidate_stag);
}
