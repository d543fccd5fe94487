/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults that lose the upper bits of an offset: octets far from the first one
 * of their region or message are taken from, or placed, closer to it (RFC 5041
 * s4.2, s4.3, RFC 5040 s5.2.1, RFC 7306 s5). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"
#include "harness/refdut/rdmap/request_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"

static uint64_t low_bits(uint64_t value, unsigned bits)
{
	return value & ((UINT64_C(1) << bits) - 1);
}

MUTANT(write_offset_in_20_bits, "DDP-4.1-01",
       "places a Write or Read Response by the low 20 bits of its offset in "
       "the buffer",
       tagged_placed)
{
	if (region)
		to = region->to + low_bits(to - region->to, 20);
	OTHERWISE(tagged_placed);
}

MUTANT(mo_placed_in_18_bits, "DDP-4.1-02",
       "places a Send's segment by the low 18 bits of its MO", untagged_placed)
{
	mo = low_bits(mo, 18);
	return OTHERWISE(untagged_placed);
}

MUTANT(receive_offset_in_16_bits, "DDP-4.1-02",
       "keeps the low 16 bits of a receive buffer's offset in its region",
       receive_queued)
{
	receive->off = low_bits(receive->off, 16);
	OTHERWISE(receive_queued);
}

MUTANT(read_offset_in_16_bits, "RDMAP-5.2.1-09",
       "answers a Read from the low 16 bits of its offset in the buffer",
       accept_request)
{
	uint8_t *h = request->header;
	const struct region *r =
		request->atomic ? NULL : region_of_stag(read_source_stag(h));

	if (r &&
	    memory_range(r, read_source_to(h), read_size(h)) == MEMORY_FINE)
		be64_put(h + 20,
			 r->to + low_bits(read_source_to(h) - r->to, 16));
	OTHERWISE(accept_request);
}

MUTANT(atomic_offset_in_12_bits, "RDMAPX-5-06",
       "performs atomics on the word at the low 12 bits of their offset in the "
       "buffer",
       atomic_target)
{
	const uint8_t *target = OTHERWISE(atomic_target);

	return region->octets +
	       low_bits((uint64_t)(target - region->octets), 12);
}

MUTANT(source_offset_in_16_bits, "DDP-5.2-03",
       "sends from the low 16 bits of a work request's offset in its region",
       work_enters)
{
	if (work->op == OP_SEND || work->op == OP_WRITE)
		work->off = low_bits(work->off, 16);
	OTHERWISE(work_enters);
}
