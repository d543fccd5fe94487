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

/* The sink of a Read under way, the buffer for the result of an atomic, or the
 * source of a Send. */
static bool work_uses(const struct session *s, const struct region *region,
		      bool (*is_such)(const struct work *))
{
	for (const struct conn *c = s->conns; c; c = c->next)
		for (const struct work *w = c->work; w; w = w->next)
			if (w->local == region && is_such(w))
				return true;
	return false;
}

static bool is_read(const struct work *work)
{
	return work->op == OP_READ;
}

static bool is_send(const struct work *work)
{
	return work->op == OP_SEND;
}

MUTANT(sink_of_a_read_not_deregistered, "DDP-7.1-23",
       "keeps the STag of the sink of a Read under way valid after its ULP has "
       "deregistered it",
       invalidate_deregistered)
{
	if (!work_uses(region->domain.owner, region, is_read))
		OTHERWISE(invalidate_deregistered);
}

MUTANT(rights_to_the_sink_of_a_read_not_taken_back, "RDMAP-8.1.1-10",
       "keeps the rights to the sink of a Read under way that its ULP has "
       "revoked",
       changed_rights)
{
	unsigned changed = OTHERWISE(changed_rights);

	return work_uses(region->domain.owner, region, is_read)
		       ? region->access | changed
		       : changed;
}

MUTANT(result_of_an_atomic_not_invalidated, "DDP-7.1-22 SEC-6.2.2-01",
       "keeps the STag of the buffer for the result of an atomic under way "
       "valid after its ULP has invalidated it",
       invalidate_for_ulp)
{
	if (!work_uses(region->domain.owner, region, work_is_atomic))
		OTHERWISE(invalidate_for_ulp);
}

MUTANT(source_of_a_send_not_invalidated, "DDP-7.1-22",
       "keeps the STag of the source of a Send under way valid after its ULP "
       "has invalidated it",
       invalidate_for_ulp)
{
	if (!work_uses(region->domain.owner, region, is_send))
		OTHERWISE(invalidate_for_ulp);
}
