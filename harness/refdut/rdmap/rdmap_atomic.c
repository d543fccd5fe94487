/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic operations of RDMAP (RFC 7306 s5): their targets, and their execution.
 */
#include "harness/refdut/control.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/atomics.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/agent/features.h"

#include <string.h>

RULE(aopcode_known)
{
	switch (aopcode) {
	case ATOMIC_FETCH_ADD:
		return feature(FEATURE_FETCHADD);
	case ATOMIC_SWAP:
		return feature(FEATURE_SWAP);
	case ATOMIC_CMP_SWAP:
		return feature(FEATURE_CMPSWAP);
	default:
		return false;
	}
}

RULE(atomic_target_flaw)
{
	const uint8_t *header = request->header;

	return memory_check(&c->domain, c, atomic_stag(header),
			    atomic_to(header), 8, ACCESS_REMOTE_ATOMIC, region);
}

/* RFC 7306 s5.1: the address has to be aligned, not the TO. */
RULE(atomic_is_aligned)
{
	return (uintptr_t)region_at(region, atomic_to(request->header)) % 8 ==
	       0;
}

/* RFC 7306 s8.2 defines the code. */
RULE(refuse_unaligned_atomic)
{
	fault(c, ERR_RDMA_OPERATION, CATASTROPHIC_STREAM, request->ddp,
	      request->segment_len, NULL);
}

bool rdmap_check_atomic(struct conn *c, const struct request *request,
			struct region **region)
{
	enum memory_flaw flaw = atomic_target_flaw(c, request, region);

	if (flaw != MEMORY_FINE) {
		fault(c, ERR_RDMA_PROTECTION, protection_code(flaw),
		      request->ddp, request->segment_len, NULL);
		return false;
	}
	if (!atomic_is_aligned(c, request, *region)) {
		refuse_unaligned_atomic(c, request, *region);
		return false;
	}
	return true;
}

RULE(atomic_target)
{
	return region_at(region, atomic_to(request->header));
}

RULE(atomic_load)
{
	uint64_t word;

	memcpy(&word, atomic->at, sizeof(word));
	return word;
}

RULE(word_in_memory)
{
	return number;
}

RULE(atomic_result)
{
	const uint8_t *header = request->header;

	switch (atomic_aopcode(header)) {
	case ATOMIC_FETCH_ADD:
		return atomic_fetch_add(original, atomic_data(header),
					atomic_mask(header));
	case ATOMIC_SWAP: /* as in the older drafts: no mask, no comparison */
		return atomic_data(header);
	default:
		return atomic_cmp_swap(original, atomic_compare_data(header),
				       atomic_compare_mask(header),
				       atomic_data(header),
				       atomic_mask(header));
	}
}

RULE(original_returned)
{
	return atomic->original;
}

RULE(atomic_store)
{
	if (!control_places_nothing())
		memcpy(atomic->at, &word, sizeof(word));
}

/* Each atomic is performed when it is answered. */
RULE(atomics_done) {}

uint64_t rdmap_atomic(struct conn *c, const struct request *request,
		      struct region *region)
{
	struct atomic_operation atomic = {
		.c = c,
		.request = request,
		.region = region,
		.at = atomic_target(request, region),
	};
	uint64_t returned;

	atomic.original = word_in_memory(atomic_load(&atomic));
	atomic.value = atomic_result(request, atomic.original);
	returned = original_returned(&atomic);
	atomic_store(&atomic, word_in_memory(atomic.value));
	return returned;
}
