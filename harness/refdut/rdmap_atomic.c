/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic operations of RDMAP, RFC 7306 s5: their targets and what is done to
 * them, and the Responses to the device's own.
 */
#include "harness/refdut/atomics.h"
#include "harness/refdut/conn.h"
#include "harness/refdut/features.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/shared_word.h"
#include "harness/refdut/variants.h"

#include <string.h>

static bool matches(const uint8_t *h, struct region *region, uint64_t to)
{
	uint64_t value;

	memcpy(&value, region_at(region, to), sizeof(value));
	return !((value ^ be64(h + 36)) & be64(h + 44));
}

bool rdmap_check_atomic(struct conn *c, const struct request *request,
			struct region **region)
{
	const uint8_t *h = request->header;
	unsigned need = ACCESS_REMOTE_ATOMIC;
	uint64_t to = be64(h + 12);
	uintptr_t address;
	enum memory_flaw flaw;

	if (mutant(MUTANT_atomic_access_unchecked))
		need = 0;
	flaw = memory_check(&c->domain, c, be32(h + 8), to, 8, need, region);
	if (flaw == MEMORY_BOUNDS && mutant(MUTANT_atomic_end_unchecked)) {
		struct region *found = region_of_stag(be32(h + 8));

		/* Checks the first octet only; uses what is there. */
		if (to - found->to < found->len) {
			*region = found;
			return true;
		}
	}
	if (flaw == MEMORY_FINE && mutant(MUTANT_atomic_last_word_refused) &&
	    to - (*region)->to + 8 == (*region)->len)
		flaw = MEMORY_BOUNDS;
	if (flaw == MEMORY_NOT_ASSOCIATED && mutant(MUTANT_atomic_any_domain)) {
		*region = region_of_stag(be32(h + 8));
		return true;
	}
	if (flaw != MEMORY_FINE) {
		fault(c, ERR_RDMA_PROTECTION, rdmap_protection_code(flaw),
		      request->ddp, request->segment_len, NULL);
		return false;
	}
	address = mutant(MUTANT_atomic_alignment_by_to)
			  ? (uintptr_t)to
			  : (uintptr_t)region_at(*region, to);
	if (address % 8 == 0 || mutant(MUTANT_unaligned_atomic_performed))
		return true;
	if (mutant(MUTANT_unaligned_cmpswap_performed) &&
	    (h[3] & 15) == ATOMIC_CMP_SWAP)
		return true;
	if (mutant(MUTANT_unmatched_cmpswap_unaligned_answered) &&
	    (h[3] & 15) == ATOMIC_CMP_SWAP && !matches(h, *region, to))
		return true;
	if (mutant(MUTANT_unaligned_atomic_adds_first))
		rdmap_atomic(c, request, *region);
	fault(c, ERR_RDMA_OPERATION,
	      mutant(MUTANT_unaligned_atomic_wrong_code) ? 6 : 7, request->ddp,
	      request->segment_len, NULL);
	return false;
}

bool rdmap_aopcode_known(unsigned aopcode)
{
	if (aopcode == ATOMIC_SWAP)
		return feature(FEATURE_SWAP) ||
		       mutant(MUTANT_aopcode_one_taken_as_cmpswap);
	if (mutant(MUTANT_aopcode_high_bits_ignored))
		return !(aopcode & 1);
	return (aopcode == ATOMIC_FETCH_ADD && feature(FEATURE_FETCHADD)) ||
	       (aopcode == ATOMIC_CMP_SWAP && feature(FEATURE_CMPSWAP) &&
		!mutant(MUTANT_cmpswap_missing));
}

/* The older drafts' operation: no mask, no comparison. */
static uint64_t swap(uint64_t original, const uint8_t *h)
{
	if (mutant(MUTANT_swap_heeds_masks))
		return atomic_cmp_swap(original, be64(h + 36), be64(h + 44),
				       be64(h + 20), be64(h + 28));
	return be64(h + 20);
}

/* What an atomic of a mutant has left and not stored so far. */
static struct {
	struct conn *by;
	struct region *region;
	uint8_t *at;
	uint64_t value;
} late;

void rdmap_store_late(void)
{
	if (late.region)
		memcpy(late.at, &late.value, sizeof(late.value));
	region_put(late.region);
	late.region = NULL;
}

static void stored_late(struct conn *c, struct region *region, uint8_t *at,
			uint64_t value)
{
	rdmap_store_late();
	late.by = c;
	late.region = region_get(region);
	late.at = at;
	late.value = value;
}

static bool left_unstored(unsigned aopcode)
{
	switch (aopcode) {
	case ATOMIC_FETCH_ADD:
		return mutant(MUTANT_fetchadd_not_stored);
	case ATOMIC_SWAP:
		return mutant(MUTANT_swap_not_stored);
	default:
		return mutant(MUTANT_cmpswap_not_stored);
	}
}

bool rdmap_changed_by_another(const struct conn *c, const struct region *region,
			      const struct request *request)
{
	return shared_word_of_another(
		c, region_at(region, be64(request->header + 12)));
}

/* May eight octets there be had of this region? */
static bool is_word_of(const struct region *region, const uint8_t *at)
{
	uint64_t off = (uint64_t)at - (uint64_t)region->octets;

	return off < region->len && region->len - off >= 8;
}

/* Where a fault of coincidence stores what an atomic leaves, or NULL. */
static uint8_t *stored_at(const struct conn *c, const struct region *region,
			  uint8_t *at, bool add, bool masked)
{
	const struct before_of_all *b = &before_of_all;

	if (add && c->after_write && (uintptr_t)at % 64 == 56 &&
	    mutant(COINCIDENCE_fetchadd_behind_write_unstored))
		return NULL;
	if (masked && add && b->atomic_by == c && b->unmatched &&
	    is_word_of(region, b->at) &&
	    mutant(COINCIDENCE_fetchadd_stored_at_unmatched_cmpswap))
		return region->octets + (b->at - region->octets);
	return at;
}

uint64_t rdmap_atomic(struct conn *c, const struct request *request,
		      struct region *region)
{
	const uint8_t *h = request->header;
	unsigned aopcode = h[3] & 15;
	uint8_t *at =
		region_at(region, mutant(MUTANT_atomic_at_base) ? region->to
								: be64(h + 12));
	uint64_t room = region->len - (uint64_t)(at - region->octets);
	uint64_t original = 0;
	uint64_t value, told;
	uint8_t *stored;
	bool masked =
		aopcode == ATOMIC_FETCH_ADD ? be64(h + 28) : ~be64(h + 44);

	room = room < 8 ? room : 8;
	if (late.by == c)
		rdmap_store_late();
	memcpy(&original, at, (size_t)room);
	if (mutant(MUTANT_atomic_memory_big_endian) ||
	    variant(VARIANT_big_endian))
		original = __builtin_bswap64(original);
	if (aopcode == ATOMIC_FETCH_ADD)
		value = atomic_fetch_add(original, be64(h + 20), be64(h + 28));
	else if (aopcode == ATOMIC_SWAP && feature(FEATURE_SWAP))
		value = swap(original, h);
	else
		value = atomic_cmp_swap(original, be64(h + 36), be64(h + 44),
					be64(h + 20), be64(h + 28));
	if (mutant(MUTANT_fetchadd_heeds_compare) &&
	    aopcode == ATOMIC_FETCH_ADD &&
	    (original ^ be64(h + 36)) & be64(h + 44))
		value = original;
	if (mutant(MUTANT_fetchadd_returns_sum) && aopcode == ATOMIC_FETCH_ADD)
		original = value;
	told = shared_word_told(c, at, aopcode == ATOMIC_FETCH_ADD, original,
				value);
	if (masked && conn_is_beside(c, before_of_all.atomic_by) &&
	    (uintptr_t)before_of_all.at / 64 == (uintptr_t)at / 64 &&
	    is_word_of(region, before_of_all.at) &&
	    mutant(COINCIDENCE_atomic_answered_from_another_streams_word))
		memcpy(&told, before_of_all.at, sizeof(told));
	stored = stored_at(c, region, at, aopcode == ATOMIC_FETCH_ADD, masked);
	before_of_all.atomic_by = c;
	before_of_all.at = at;
	before_of_all.unmatched =
		aopcode == ATOMIC_CMP_SWAP && value == original;
	if (mutant(MUTANT_cmpswap_returns_new) && aopcode == ATOMIC_CMP_SWAP) {
		memcpy(at, &value, (size_t)room);
		return value;
	}
	if (mutant(MUTANT_atomic_memory_big_endian) ||
	    variant(VARIANT_big_endian))
		value = __builtin_bswap64(value);
	if (mutant(MUTANT_atomics_stored_late))
		stored_late(c, region, at, value);
	else if (stored && !left_unstored(aopcode))
		memcpy(stored, &value, (size_t)room);
	return told;
}

static struct work *atomic_awaited(const struct conn *c)
{
	struct work *work = work_awaited(c);
	struct work *newest = work;

	if (!mutant(MUTANT_atomic_response_for_the_newest))
		return work;
	while (work && work != c->unsent) {
		if (work_needs_answer(work) && !work->answered)
			newest = work;
		work = work->next;
	}
	return newest;
}

void rdmap_deliver_atomic_response(struct conn *c, const uint8_t *u,
				   uint32_t len, uint32_t message_len)
{
	const struct untagged *queue = &c->queue[3];
	struct work *work = atomic_awaited(c);
	uint32_t want = ATOMIC_RESPONSE_HEADER;
	uint64_t value;

	if (!work && mutant(MUTANT_unasked_atomic_response_dropped))
		return;
	if (!work || work->op == OP_READ) {
		fault(c, ERR_RDMA_OPERATION, 6, u, len, NULL);
		return;
	}
	if ((message_len != want || queue->placed != want) &&
	    !(mutant(MUTANT_short_atomic_response_taken) &&
	      message_len < want)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return;
	}
	if (be32(queue->own) != work->msn &&
	    variant(VARIANT_atomic_identifier_compared)) {
		fault(c, ERR_RDMA_OPERATION, 0xff, u, len, NULL);
		return;
	}
	if (c->outstanding == 8 && mutant(MUTANT_atomic_response_lost_of_eight))
		return;
	work->value = be64(queue->own + 4);
	if (mutant(MUTANT_atomic_value_told_byte_swapped))
		work->value = __builtin_bswap64(work->value);
	if (work->local) {
		if (!work->local->valid ||
		    !(work->local->access & ACCESS_LOCAL_WRITE)) {
			work->status = STATUS_LOCAL_ERROR;
			fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
			return;
		}
		value = work->value;
		if (variant(VARIANT_big_endian))
			value = __builtin_bswap64(value);
		memcpy(work->local->octets + work->off, &value, 8);
	}
	work->answered = true;
	c->outstanding--;
	work_complete_done(c);
	conn_kick(c);
}
