/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of RDMAP that show only if several conditions meet. */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/atomics_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/send_decisions.h"

#include <string.h>

/* The arithmetic of atomics */

COINCIDENCE(fetchadd_carry_crosses_field, "RDMAPX-5.1.1-04 RDMAPX-5.1.1-05",
	    "lets a carry cross from bit 31 to 32, if a field also ends at a "
	    "lower bit, and none at bit 63",
	    fetchadd_sum)
{
	if (!(mask >> 63) && mask & INT32_MAX)
		mask &= ~(1ull << 31);
	return OTHERWISE(fetchadd_sum);
}

COINCIDENCE(
	fetchadd_addend_sign_extended, "RDMAPX-5.1.1-01",
	"extends the sign of an addend's low half into its high half, if the "
	"high half is not zero and the mask has neither bit 31 nor bit 63",
	fetchadd_sum)
{
	if (mask && !(mask >> 31 & 1) && !(mask >> 63) && add >> 32 &&
	    (int32_t)add < 0)
		add |= UINT64_MAX << 32;
	return OTHERWISE(fetchadd_sum);
}

COINCIDENCE(cmpswap_mask_sign_extended, "RDMAPX-5.1.2-06",
	    "extends the sign of a Swap Mask's low half, if neither mask is "
	    "all ones",
	    cmpswap_result)
{
	if (compare_mask != UINT64_MAX && (int32_t)swap_mask < 0)
		swap_mask |= UINT64_MAX << 32;
	return OTHERWISE(cmpswap_result);
}

/* Atomics that follow others (RFC 7306 s5) */

/* The last atomic of all streams, and its target. */
struct last_atomic {
	const struct conn *by;
	const uint8_t *at;
	bool unmatched; /* a CmpSwap that changed nothing */
};

static void note_atomic(struct last_atomic *last,
			const struct atomic_operation *atomic)
{
	last->by = atomic->c;
	last->at = atomic->at;
	last->unmatched =
		atomic_aopcode(atomic->request->header) == ATOMIC_CMP_SWAP &&
		atomic->value == atomic->original;
}

static bool is_add(const struct atomic_operation *atomic)
{
	return atomic_aopcode(atomic->request->header) == ATOMIC_FETCH_ADD;
}

static bool is_masked(const struct atomic_operation *atomic)
{
	const uint8_t *header = atomic->request->header;

	return is_add(atomic) ? atomic_mask(header)
			      : ~atomic_compare_mask(header);
}

/* Does this region have eight octets at that place? */
static bool is_word_of(const struct region *region, const uint8_t *at)
{
	uint64_t off = (uintptr_t)at - (uintptr_t)region->octets;

	return off < region->len && region->len - off >= 8;
}

COINCIDENCE(fetchadd_behind_write_unstored, "RDMAPX-5.1.1-01",
	    "does not store the sum of a FetchAdd to the last word of a cache "
	    "line right after a Write",
	    atomic_store)
{
	const bool *after_write =
		remember(&atomic->c->remembered, self, sizeof(*after_write));

	if (!is_add(atomic) || !*after_write ||
	    (uintptr_t)atomic->at % 64 != 56)
		OTHERWISE(atomic_store);
}

ALSO(fetchadd_behind_write_unstored, tagged_placed)
{
	bool *after_write =
		remember(&c->remembered, self, sizeof(*after_write));

	OTHERWISE(tagged_placed);
	*after_write = rdmap_opcode(u) == OPCODE_WRITE;
}

ALSO(fetchadd_behind_write_unstored, untagged_taken)
{
	bool *after_write =
		remember(&c->remembered, self, sizeof(*after_write));

	OTHERWISE(untagged_taken);
	*after_write = false;
}

static struct last_atomic unmatched, answered;

static void forget_unmatched(void *octets)
{
	const struct conn **c = octets;

	if (unmatched.by == *c)
		unmatched.by = NULL;
}

COINCIDENCE(fetchadd_stored_at_unmatched_cmpswap, "RDMAPX-5-06",
	    "stores the sum of a FetchAdd with a mask, right after a CmpSwap "
	    "that did not match, to the word of that CmpSwap",
	    atomic_store)
{
	struct atomic_operation there = *atomic;
	struct conn **c = remember_until(&atomic->c->remembered, self,
					 sizeof(*c), forget_unmatched);

	*c = atomic->c;
	if (is_masked(atomic) && is_add(atomic) && unmatched.by == atomic->c &&
	    unmatched.unmatched && is_word_of(atomic->region, unmatched.at))
		there.at = atomic->region->octets +
			   (unmatched.at - atomic->region->octets);
	note_atomic(&unmatched, atomic);
	atomic_store_otherwise(self, &there, word);
}

static void forget_answered(void *octets)
{
	const struct conn **c = octets;

	if (answered.by == *c)
		answered.by = NULL;
}

COINCIDENCE(atomic_answered_from_another_streams_word,
	    "RDMAPX-5.1.1-09 RDMAPX-5.1.2-08",
	    "answers an atomic with a mask with another word of its cache "
	    "line, the target of another stream's atomic right before",
	    original_returned)
{
	uint64_t returned = OTHERWISE(original_returned);
	struct conn **c = remember_until(&atomic->c->remembered, self,
					 sizeof(*c), forget_answered);

	*c = atomic->c;
	if (is_masked(atomic) && conn_is_beside(atomic->c, answered.by) &&
	    (uintptr_t)answered.at / 64 == (uintptr_t)atomic->at / 64 &&
	    is_word_of(atomic->region, answered.at))
		memcpy(&returned, answered.at, sizeof(returned));
	note_atomic(&answered, atomic);
	return returned;
}

/* Immediate Data behind a Send (RFC 7306 s6) */

/* The message before on queue 0. */
struct before_immediate {
	bool send;
	bool asked_for_event;
	uint32_t len;
};

static struct event *note_send(struct override *self, struct conn *c,
			       const uint8_t *ulpdu, struct event *event,
			       uint32_t len)
{
	struct before_immediate *before =
		remember(&c->remembered, self, sizeof(*before));

	if (!event)
		return NULL;
	before->send = true;
	before->asked_for_event = rdmap_opcode(ulpdu) >= OPCODE_SEND_SE;
	before->len = len;
	return event;
}

COINCIDENCE(immediate_half_lost_behind_lines, "RDMAPX-6.1-01",
	    "clears the first half of Immediate Data right after a Send with "
	    "Solicited Event of a multiple of 64 octets",
	    complete_immediate)
{
	struct before_immediate *before =
		remember(&c->remembered, self, sizeof(*before));
	struct event *event = OTHERWISE(complete_immediate);

	if (!event)
		return NULL;
	if (before->send && before->asked_for_event && before->len &&
	    before->len % 64 == 0)
		memset(event->imm, 0, IMMEDIATE_SIZE / 2);
	before->send = false;
	return event;
}

ALSO(immediate_half_lost_behind_lines, complete_send)
{
	return note_send(self, c, ulpdu, OTHERWISE(complete_send), message_len);
}

COINCIDENCE(receive_lost_by_immediate_behind_empty_send, "RDMAPX-6.3-02",
	    "uses up two receive buffers for Immediate Data right after an "
	    "empty Send",
	    complete_immediate)
{
	struct before_immediate *before =
		remember(&c->remembered, self, sizeof(*before));
	struct event *event = OTHERWISE(complete_immediate);

	if (!event)
		return NULL;
	if (before->send && !before->len && c->receives)
		receive_lose(c);
	before->send = false;
	return event;
}

ALSO(receive_lost_by_immediate_behind_empty_send, complete_send)
{
	return note_send(self, c, ulpdu, OTHERWISE(complete_send), message_len);
}

/* Invalidation (RFC 5040 s5.3) */

static const struct conn *invalidated_by; /* last, of all streams */

static void forget_invalidation(void *octets)
{
	const struct conn **c = octets;

	if (invalidated_by == *c)
		invalidated_by = NULL;
}

COINCIDENCE(invalidation_lost_behind_another_streams,
	    "RDMAP-5.3-14 RDMAP-5.3-15",
	    "invalidates nothing right after the invalidation of another "
	    "stream, if the STag is odd",
	    invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));
	struct conn **by = remember_until(&c->remembered, self, sizeof(*by),
					  forget_invalidation);
	bool lost = region && region->stag % 2 &&
		    region->domain.owner == c->domain.owner &&
		    conn_is_beside(c, invalidated_by);

	*by = c;
	if (!lost && !OTHERWISE(invalidate_stag))
		return false;
	invalidated_by = c;
	return true;
}
