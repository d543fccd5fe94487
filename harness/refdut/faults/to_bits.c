/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a device whose addresses have 48 bits: it does not compare the
 * upper bits of a TO with the bounds of the buffer (RFC 5041 s4.2, RFC 5040
 * s7.2, RFC 7306 s5.2.1). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/request_decisions.h"

#include <string.h>

/* The TO in the region that has the same low bits; this TO if there is none. */
static uint64_t by_low_bits(uint32_t stag, uint64_t to, uint64_t n)
{
	const struct region *region = region_of_stag(stag);
	uint64_t off = region ? (to - region->to) & (UINT64_MAX >> 16) : 0;

	return region && memory_range(region, region->to + off, n) ==
				       MEMORY_FINE
		       ? region->to + off
		       : to;
}

static void shortened(uint8_t *changed, const uint8_t *u, uint32_t n)
{
	memcpy(changed, u, TAGGED_HEADER);
	be64_put(changed + 6, by_low_bits(stag_of(u), to_of(u), n));
}

/* All that is placed is a Write's, or a Read Response's. */
MUTANT(write_to_in_48_bits, "DDP-4.2-07",
       "compares and uses only the low 48 bits of the TO of a Write",
       tagged_flaw)
{
	uint8_t changed[TAGGED_HEADER];

	if (opcode_of(u) != OPCODE_WRITE)
		return OTHERWISE(tagged_flaw);
	shortened(changed, u, len - TAGGED_HEADER);
	u = changed;
	return OTHERWISE(tagged_flaw);
}

ALSO(write_to_in_48_bits, tagged_placed)
{
	if (opcode_of(u) == OPCODE_WRITE)
		to = by_low_bits(stag_of(u), to, n);
	OTHERWISE(tagged_placed);
}

MUTANT(response_to_in_48_bits, "DDP-4.2-07",
       "compares and uses only the low 48 bits of the TO of a Read Response",
       tagged_flaw)
{
	uint8_t changed[TAGGED_HEADER];

	if (opcode_of(u) != OPCODE_READ_RESPONSE)
		return OTHERWISE(tagged_flaw);
	shortened(changed, u, len - TAGGED_HEADER);
	u = changed;
	return OTHERWISE(tagged_flaw);
}

ALSO(response_to_in_48_bits, response_in_sink)
{
	uint8_t changed[TAGGED_HEADER];

	shortened(changed, u, n);
	u = changed;
	return OTHERWISE(response_in_sink);
}

ALSO(response_to_in_48_bits, tagged_placed)
{
	if (opcode_of(u) == OPCODE_READ_RESPONSE)
		to = by_low_bits(stag_of(u), to, n);
	OTHERWISE(tagged_placed);
}

MUTANT(read_to_in_48_bits, "RDMAP-7.2-10",
       "compares and uses only the low 48 bits of the source TO of a Read "
       "Request",
       accept_request)
{
	uint8_t *h = request->header;

	if (!request->atomic)
		be64_put(h + 20, by_low_bits(read_source_stag(h),
					     read_source_to(h), read_size(h)));
	OTHERWISE(accept_request);
}

MUTANT(atomic_to_in_48_bits, "RDMAPX-5.2.1-14",
       "compares and uses only the low 48 bits of the TO of an Atomic Request",
       accept_request)
{
	uint8_t *h = request->header;

	if (request->atomic)
		be64_put(h + 12, by_low_bits(atomic_stag(h), atomic_to(h), 8));
	OTHERWISE(accept_request);
}
