/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a device that keeps the state of an STag in several places, and
 * invalidates it only in some of them (RFC 5040 s5.3, s8.1.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/verbs/memory_decisions.h"

/* The region that was invalidated last: a reference is held. */
static struct region *gone;

static void goes(struct region *region)
{
	region_put(gone);
	gone = region_get(region);
}

/* It is used as if it were still valid. */
static enum memory_flaw valid_still(enum memory_flaw flaw, uint32_t stag,
				    uint64_t to, uint32_t n,
				    struct region **region)
{
	if (flaw != MEMORY_NO_STAG || !gone || gone->stag != stag)
		return flaw;
	*region = gone;
	return memory_range(gone, to, n);
}

static enum memory_flaw target_still(const struct request *request,
				     enum memory_flaw flaw,
				     struct region **region)
{
	return valid_still(flaw, atomic_stag(request->header),
			   atomic_to(request->header), 8, region);
}

MUTANT(atomics_outlive_a_remote_invalidate, "RDMAPX-5.2.1-12",
       "performs atomics by an STag that a Send has invalidated",
       atomic_target_flaw)
{
	return target_still(request, OTHERWISE(atomic_target_flaw), region);
}

ALSO(atomics_outlive_a_remote_invalidate, invalidate_stag)
{
	struct region *region =
		region_get(region_of_stag(rdmap_invalidate_stag(ulpdu)));
	bool done = OTHERWISE(invalidate_stag);

	if (done)
		goes(region);
	region_put(region);
	return done;
}

MUTANT(atomics_outlive_a_local_invalidate, "RDMAPX-5.2.1-12",
       "performs atomics by an STag that its ULP has invalidated",
       atomic_target_flaw)
{
	return target_still(request, OTHERWISE(atomic_target_flaw), region);
}

ALSO(atomics_outlive_a_local_invalidate, invalidate_for_ulp)
{
	goes(region);
	OTHERWISE(invalidate_for_ulp);
}
