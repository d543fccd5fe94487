/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of placement that show only if several conditions meet. */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"

enum { BURST = 256 };

COINCIDENCE(later_send_segment_loses_its_tail, "DDP-4.1-02",
	    "loses the last octet of a Send's segment at an odd MO whose "
	    "length is 1 modulo 8",
	    untagged_placed)
{
	if (qn == 0 && !is_immediate(u) && mo % 2 && n % 8 == 1)
		n--;
	return OTHERWISE(untagged_placed);
}

COINCIDENCE(
	write_segments_meet_in_word, "DDP-4.1-01",
	"clears the first octet of a Write's segment of 2 modulo 4 octets that "
	"starts at the last octet of a word, where the segment before ended",
	tagged_placed)
{
	/* Where the segment before ended. */
	uint64_t *end = remember(&c->remembered, self, sizeof(*end));

	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_WRITE && c->tagged_open &&
	    to == *end && to % 8 == 7 && n % 4 == 2)
		*region_at(region, to) = 0;
	*end = to + n;
}

COINCIDENCE(write_across_burst_loses_octet, "DDP-4.1-01",
	    "clears the octet after the 256-octet boundary that a Write "
	    "crosses, if its TO is 3 and its length 1 modulo 4 and the last "
	    "answer was a Response of an odd length",
	    tagged_placed)
{
	uint8_t *at = region ? region_at(region, to) : NULL;
	uint32_t burst = BURST - (uint32_t)((uintptr_t)at % BURST);
	/* The length of the last answer. */
	const uint32_t *len = remember(&c->remembered, self, sizeof(*len));

	OTHERWISE(tagged_placed);
	if (region && opcode_of(u) == OPCODE_WRITE && *len % 2 && burst < n &&
	    to % 4 == 3 && n % 4 == 1)
		at[burst] = 0;
}

ALSO(write_across_burst_loses_octet, response_is_issued)
{
	uint32_t *len = remember(&c->remembered, self, sizeof(*len));

	*len = request->atomic ? 0 : be32(request->header + 12);
	OTHERWISE(response_is_issued);
}
