/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of Responses to the device's own Requests (RFC 5040 s5.2.2, RFC 7306
 * s5.2.2). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/response_decisions.h"

#include <string.h>

ALSO(read_completes_on_first_segment, read_response_is_whole)
{
	return true;
}

MUTANT(ord_slot_lost, "RDMAP-6.1-03",
       "does not reuse the ORD slot of a completed Read", outstanding_behind)
{
	return work->op == OP_READ ? c->outstanding
				   : OTHERWISE(outstanding_behind);
}

MUTANT(atomic_keeps_its_ord_slot, "RDMAP-6.1-03",
       "does not reuse the ORD slot of an answered atomic", outstanding_behind)
{
	return work_is_atomic(work) ? c->outstanding
				    : OTHERWISE(outstanding_behind);
}

/* The answers to the others free nothing more. */
static unsigned none_below_zero(const struct conn *c, unsigned behind)
{
	return c->outstanding ? behind : 0;
}

MUTANT(atomic_frees_all_ord_slots, "RDMAP-6.1-02",
       "reuses the ORD slots of all its Requests when an atomic is answered",
       outstanding_behind)
{
	return work_is_atomic(work)
		       ? 0
		       : none_below_zero(c, OTHERWISE(outstanding_behind));
}

MUTANT(empty_read_frees_all_ord_slots, "RDMAP-6.1-02",
       "reuses the ORD slots of all its Requests when a Read of no octets is "
       "answered",
       outstanding_behind)
{
	return work->op == OP_READ && !work->len
		       ? 0
		       : none_below_zero(c, OTHERWISE(outstanding_behind));
}

MUTANT(rtr_read_keeps_its_ord_slot, "RDMAP-6.1-03",
       "does not reuse the ORD slot of the Read that was its RTR",
       outstanding_behind)
{
	return work->op == OP_READ && work->silent
		       ? c->outstanding
		       : OTHERWISE(outstanding_behind);
}

MUTANT(atomic_response_for_the_newest, "RDMAPX-5-04 RDMAPX-5.2.2-05",
       "completes its newest atomic with any Atomic Response",
       work_of_atomic_response)
{
	struct work *newest = OTHERWISE(work_of_atomic_response);

	for (struct work *work = newest; work && work != c->unsent;
	     work = work->next)
		if (work_needs_answer(work) && !work->answered)
			newest = work;
	return newest;
}

MUTANT(atomic_value_told_byte_swapped, "RDMAPX-5.2.2-06",
       "reports an original value to its ULP with the octets reversed",
       original_in_response)
{
	return __builtin_bswap64(OTHERWISE(original_in_response));
}

MUTANT(original_value_at_the_first_octet, "RDMAPX-5.2.2-06",
       "puts the original value of an atomic at the first octet of the region, "
       "wherever its ULP wants it",
       complete_atomic)
{
	work->off = 0;
	OTHERWISE(complete_atomic);
}

MUTANT(atomic_response_lost_of_eight, "RDMAPX-5.2.2-05",
       "drops an Atomic Response while eight are due", complete_atomic)
{
	if (c->outstanding != 8)
		OTHERWISE(complete_atomic);
}

MUTANT(original_value_of_16_octets, "RDMAPX-5.2.2-06",
       "clears the eight octets after the original value of an atomic",
       complete_atomic)
{
	struct region *local = work->local;

	if (local && local->valid && work->off + 16 <= local->len)
		memset(local->octets + work->off + 8, 0, 8);
	OTHERWISE(complete_atomic);
}

MUTANT(original_value_where_the_newest_goes, "RDMAPX-5.2.2-06",
       "puts the original value of an atomic where its newest atomic for the "
       "same region wants its own",
       complete_atomic)
{
	for (struct work *other = work->next; other && other->begun;
	     other = other->next)
		if (work_is_atomic(other) && other->local == work->local)
			work->off = other->off;
	OTHERWISE(complete_atomic);
}

MUTANT(original_value_in_an_invalid_buffer,
       "SEC-6.2.2-01 RDMAP-8.1.1-04 DDP-8.3.1-02",
       "puts the original value of an atomic into a buffer that was "
       "invalidated before the Response came",
       complete_atomic)
{
	struct region *local = region_get(work->local);
	bool is_invalid = local && !local->valid;

	if (is_invalid)
		local->valid = true;
	OTHERWISE(complete_atomic);
	if (is_invalid)
		local->valid = false;
	region_put(local);
}
