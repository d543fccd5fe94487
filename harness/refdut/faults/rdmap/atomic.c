/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of atomics that are validated and performed (RFC 7306 s5). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/agent/features.h"
#include "harness/refdut/faults/former_stream.h"
#include "harness/refdut/rdmap/atomics.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"

#include <string.h>

static unsigned aopcode_of(const struct request *request)
{
	return atomic_aopcode(request->header);
}

static uint64_t compare_and_swap(const uint8_t *header, uint64_t original)
{
	return atomic_cmp_swap(original, atomic_compare_data(header),
			       atomic_compare_mask(header), atomic_data(header),
			       atomic_mask(header));
}

static bool compares_equal(const uint8_t *header, uint64_t original)
{
	return !((original ^ atomic_compare_data(header)) &
		 atomic_compare_mask(header));
}

/* AOpCodes (RFC 7306 s5.2.1) */

MUTANT(aopcode_one_taken_as_cmpswap, "RDMAPX-5.2.1-07",
       "performs AOpCode 1 as CmpSwap", aopcode_known)
{
	return aopcode == ATOMIC_SWAP || OTHERWISE(aopcode_known);
}

ALSO(aopcode_one_taken_as_cmpswap, atomic_result)
{
	if (aopcode_of(request) == ATOMIC_SWAP && !feature(FEATURE_SWAP))
		return compare_and_swap(request->header, original);
	return OTHERWISE(atomic_result);
}

MUTANT(aopcode_high_bits_ignored, "RDMAPX-5.2.1-09",
       "looks at only some bits of the AOpCode", aopcode_known)
{
	return aopcode == ATOMIC_SWAP ? OTHERWISE(aopcode_known)
				      : !(aopcode & 1);
}

MUTANT(cmpswap_missing, "RDMAPX-5-01",
       "claims CmpSwap but does not implement it", aopcode_known)
{
	return aopcode != ATOMIC_CMP_SWAP && OTHERWISE(aopcode_known);
}

/* The target (RFC 7306 s5.2.1) */

MUTANT(atomic_access_unchecked, "RDMAPX-5.2.1-15",
       "performs atomics on buffers without the access rights for them",
       atomic_target_flaw)
{
	const uint8_t *header = request->header;
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);

	if (flaw != MEMORY_ACCESS)
		return flaw;
	return memory_check(&c->domain, c, atomic_stag(header),
			    atomic_to(header), 8, 0, region);
}

MUTANT(atomic_by_the_right_to_write, "RDMAPX-5.2.1-15",
       "performs atomics on buffers that allow only remote writes",
       atomic_target_flaw)
{
	const uint8_t *header = request->header;
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);

	if (flaw != MEMORY_ACCESS)
		return flaw;
	return memory_check(&c->domain, c, atomic_stag(header),
			    atomic_to(header), 8, ACCESS_REMOTE_WRITE, region);
}

MUTANT(atomic_any_domain, "RDMAPX-5.2.1-13",
       "performs atomics with STags of any Protection Domain",
       atomic_target_flaw)
{
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);

	if (flaw != MEMORY_NOT_ASSOCIATED)
		return flaw;
	*region = region_of_stag(atomic_stag(request->header));
	return MEMORY_FINE;
}

MUTANT(atomic_last_word_refused, "RDMAPX-5.2.1-14",
       "treats the last word of a buffer as out of bounds", atomic_target_flaw)
{
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);
	uint64_t to = atomic_to(request->header);

	if (flaw == MEMORY_FINE && to - (*region)->to + 8 == (*region)->len)
		return MEMORY_BOUNDS;
	return flaw;
}

/* It uses as many octets as are left of the buffer. */
static size_t octets_left(const struct region *region, const uint8_t *at)
{
	uint64_t left = region->len - (uint64_t)(at - region->octets);

	return left < 8 ? (size_t)left : 8;
}

MUTANT(atomic_end_unchecked, "RDMAPX-5.2.1-14",
       "checks only the first octet of an atomic's target", atomic_target_flaw)
{
	enum memory_flaw flaw = OTHERWISE(atomic_target_flaw);
	struct region *found = region_of_stag(atomic_stag(request->header));

	if (flaw != MEMORY_BOUNDS ||
	    atomic_to(request->header) - found->to >= found->len)
		return flaw;
	*region = found;
	return MEMORY_FINE;
}

ALSO(atomic_end_unchecked, atomic_is_aligned)
{
	const uint8_t *at = region_at(region, atomic_to(request->header));

	return octets_left(region, at) < 8 || OTHERWISE(atomic_is_aligned);
}

ALSO(atomic_end_unchecked, atomic_load)
{
	size_t left = octets_left(atomic->region, atomic->at);
	uint64_t word = 0;

	if (left == 8)
		return OTHERWISE(atomic_load);
	memcpy(&word, atomic->at, left);
	return word;
}

ALSO(atomic_end_unchecked, atomic_store)
{
	size_t left = octets_left(atomic->region, atomic->at);

	if (left == 8)
		OTHERWISE(atomic_store);
	else
		memcpy(atomic->at, &word, left);
}

MUTANT(atomic_at_base, "RDMAPX-5-06",
       "performs atomics on the first word of the buffer", atomic_target)
{
	return region_at(region, region->to);
}

/* Alignment (RFC 7306 s5.1) */

MUTANT(atomic_alignment_by_to, "RDMAPX-5.1.1-12",
       "judges alignment by TO instead of the address", atomic_is_aligned)
{
	return atomic_to(request->header) % 8 == 0;
}

MUTANT(unaligned_atomic_performed,
       "RDMAPX-5.1.1-11 RDMAPX-5.1.2-10 RDMAPX03-5.1.2-03 RDMAPX01-5.1.1-01",
       "performs atomics at unaligned addresses", atomic_is_aligned)
{
	return true;
}

MUTANT(unaligned_cmpswap_performed, "RDMAPX-5.1.2-10 RDMAPX-5.1.2-12",
       "checks only the alignment of FetchAdd", atomic_is_aligned)
{
	return aopcode_of(request) == ATOMIC_CMP_SWAP ||
	       OTHERWISE(atomic_is_aligned);
}

MUTANT(unmatched_cmpswap_unaligned_answered, "RDMAPX-5.1.2-13",
       "checks the alignment of a CmpSwap only if the comparison matches",
       atomic_is_aligned)
{
	uint64_t word;

	memcpy(&word, region_at(region, atomic_to(request->header)),
	       sizeof(word));
	return (aopcode_of(request) == ATOMIC_CMP_SWAP &&
		!compares_equal(request->header, word)) ||
	       OTHERWISE(atomic_is_aligned);
}

MUTANT(unaligned_atomic_adds_first, "RDMAPX-5.1.1-13 RDMAPX-5.1.2-11",
       "performs an unaligned atomic and then refuses it",
       refuse_unaligned_atomic)
{
	rdmap_atomic(c, request, region);
	OTHERWISE(refuse_unaligned_atomic);
}

MUTANT(unaligned_atomic_wrong_code, "RDMAPX-5.1.1-11 RDMAPX-5.1.2-12",
       "reports an unaligned atomic as an unexpected opcode",
       refuse_unaligned_atomic)
{
	fault(c, ERR_RDMA_OPERATION, UNEXPECTED_OPCODE, request->ddp,
	      request->segment_len, NULL);
}

/* The operations (RFC 7306 s5.1) */

MUTANT(atomic_memory_big_endian, "RDMAPX-5.1.1-10 RDMAPX-5.1.2-09",
       "operates on memory in network order although it claims its own order",
       word_in_memory)
{
	return __builtin_bswap64(number);
}

MUTANT(fetchadd_heeds_compare, "RDMAPX-5.2.1-29",
       "adds only if the compare fields match", atomic_result)
{
	if (aopcode_of(request) == ATOMIC_FETCH_ADD &&
	    !compares_equal(request->header, original))
		return original;
	return OTHERWISE(atomic_result);
}

MUTANT(swap_heeds_masks, "RDMAPX03-5.2.1-03",
       "swaps only the bits of the Swap Mask, if those of the Compare Mask are "
       "equal",
       atomic_result)
{
	if (aopcode_of(request) == ATOMIC_SWAP)
		return compare_and_swap(request->header, original);
	return OTHERWISE(atomic_result);
}

MUTANT(fetchadd_returns_sum, "RDMAPX-5.1.1-09",
       "returns the sum instead of the original value", original_returned)
{
	return aopcode_of(atomic->request) == ATOMIC_FETCH_ADD
		       ? atomic->value
		       : OTHERWISE(original_returned);
}

MUTANT(cmpswap_returns_new, "RDMAPX-5.1.2-08",
       "returns the value after the operation", original_returned)
{
	return aopcode_of(atomic->request) == ATOMIC_CMP_SWAP
		       ? atomic->value
		       : OTHERWISE(original_returned);
}

MUTANT(fetchadd_not_stored, "RDMAPX-5.1.1-01",
       "returns the original value and stores nothing", atomic_store)
{
	if (aopcode_of(atomic->request) != ATOMIC_FETCH_ADD)
		OTHERWISE(atomic_store);
}

MUTANT(swap_not_stored, "RDMAPX03-5.1.2-01 RDMAPX01-5.1.2-01",
       "returns the original value of a Swap and stores nothing", atomic_store)
{
	if (aopcode_of(atomic->request) != ATOMIC_SWAP)
		OTHERWISE(atomic_store);
}

MUTANT(cmpswap_not_stored, "RDMAPX-5.1.2-01",
       "returns the original value of a CmpSwap and stores nothing",
       atomic_store)
{
	if (aopcode_of(atomic->request) == ATOMIC_FETCH_ADD ||
	    aopcode_of(atomic->request) == ATOMIC_SWAP)
		OTHERWISE(atomic_store);
}

/* The result of an atomic that is not stored yet. */
static struct {
	const struct conn *by;
	struct region *region;
	uint8_t *at;
	uint64_t word;
} late;

static void store_late(void)
{
	if (late.region)
		memcpy(late.at, &late.word, sizeof(late.word));
	region_put(late.region);
	late.region = NULL;
}

MUTANT(atomics_stored_late, "RDMAPX-5-02 RDMAPX-5.3-01 RDMAPX-5.4-02",
       "stores the result of an atomic only after another stream has read the "
       "word for its own atomic",
       atomic_store)
{
	store_late();
	late.by = atomic->c;
	late.region = region_get(atomic->region);
	late.at = atomic->at;
	late.word = word;
}

ALSO(atomics_stored_late, atomic_load)
{
	if (late.by == atomic->c)
		store_late();
	return OTHERWISE(atomic_load);
}

ALSO(atomics_stored_late, atomics_done)
{
	store_late();
}

MUTANT(atomics_by_stags_of_ended_streams, "RDMAP-8.1.1-02",
       "performs an atomic by an STag that is bound to an ended stream",
       atomic_target_flaw)
{
	const uint8_t *header = request->header;

	return memory_check(&c->domain, stream_of_stag(c, atomic_stag(header)),
			    atomic_stag(header), atomic_to(header), 8,
			    ACCESS_REMOTE_ATOMIC, region);
}

/* A line of the cache, with what the stream's last atomic on it has left. */
enum { LINE = 64 };

struct line {
	const uint8_t *at;
	uint8_t octets[LINE];
};

MUTANT(atomic_stores_its_cache_line, "RDMAPX-5-06",
       "stores the 64 octets around the word of an atomic as its last atomic "
       "there has left them",
       atomic_store)
{
	const struct region *region = atomic->region;
	uint64_t word_at = (uint64_t)(atomic->at - region->octets);
	uint64_t line_at = word_at / LINE * LINE;
	uint8_t *at = region->octets + line_at;
	struct line *kept;

	OTHERWISE(atomic_store);
	if (region->len - line_at < LINE)
		return;
	kept = remember(&atomic->c->remembered, self, sizeof(*kept));
	if (kept->at == at) {
		memcpy(kept->octets + word_at - line_at, atomic->at, 8);
		memcpy(at, kept->octets, LINE);
	}
	kept->at = at;
	memcpy(kept->octets, at, LINE);
}
