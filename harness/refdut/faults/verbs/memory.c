/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of memory whose access the ULP revokes (RFC 5040 s8.1.1). */
#include "harness/refdut/verbs/memory_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(local_invalidate_ignored,
       "DDP-7.1-22 DDP-8.3.1-02 RDMAP-8.1.1-04 SEC-6.2.2-01",
       "keeps an STag valid after its ULP has invalidated it",
       invalidate_for_ulp)
{
}

MUTANT(rights_not_taken_back, "RDMAP-8.1.1-10 RDMAP-7.2-13 RDMAPX-5.2.1-15",
       "keeps access rights that its ULP has revoked", changed_rights)
{
	return region->access | OTHERWISE(changed_rights);
}

MUTANT(right_to_read_not_taken_back, "RDMAP-8.1.1-10",
       "keeps the right to read that its ULP has revoked", changed_rights)
{
	return (region->access & ACCESS_REMOTE_READ) |
	       OTHERWISE(changed_rights);
}

MUTANT(right_to_atomics_not_taken_back, "RDMAPX-5.2.1-15",
       "keeps the right to atomics that its ULP has revoked", changed_rights)
{
	return (region->access & ACCESS_REMOTE_ATOMIC) |
	       OTHERWISE(changed_rights);
}

/* The next entry of the table of regions changes, too. */

MUTANT(neighbour_invalidated, "DDP-5.2-04",
       "invalidates the STag that was registered before the one that its ULP "
       "invalidates, too",
       invalidate_for_ulp)
{
	struct region *next = region->next;

	OTHERWISE(invalidate_for_ulp);
	if (next)
		region_invalidate(next);
}

MUTANT(neighbour_gets_the_rights, "DDP-5.2-04",
       "changes the rights of the region that was registered before, too",
       changed_rights)
{
	unsigned changed = OTHERWISE(changed_rights);

	if (region->next)
		region->next->access = changed;
	return changed;
}

/* The device itself uses the region: a receive is posted in it, or work. */
static bool is_used(const struct region *region)
{
	return region->refs > 1;
}

MUTANT(used_region_not_invalidated, "DDP-7.1-22 RDMAP-8.1.1-04 SEC-6.2.2-01",
       "keeps the STag of a region valid after its ULP has invalidated it if a "
       "receive is posted there",
       invalidate_for_ulp)
{
	if (!is_used(region))
		OTHERWISE(invalidate_for_ulp);
}

MUTANT(used_region_not_deregistered, "DDP-7.1-23",
       "keeps the STag of a region valid after its ULP has deregistered it if "
       "a receive is posted there",
       invalidate_deregistered)
{
	if (!is_used(region))
		OTHERWISE(invalidate_deregistered);
}

MUTANT(rights_of_used_region_not_taken_back, "RDMAP-8.1.1-10",
       "keeps the rights to a region that its ULP has revoked if a receive is "
       "posted there",
       changed_rights)
{
	unsigned changed = OTHERWISE(changed_rights);

	return is_used(region) ? region->access | changed : changed;
}
