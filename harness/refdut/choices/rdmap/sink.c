/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Choices of how a Read Request names its sink. By RFC 5040 s4.4 that is an
 * STag and a TO; they need not be those with which a peer may address the
 * memory.
 */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"

#include <string.h>

enum { SINK_STAG_AT = 0, SINK_TO_AT = 4 }; /* in a Read Request's header */

#define ALIAS_STAG 0x0f0f0f00u  /* exclusive or */
#define ALIAS_TO   (1ull << 60) /* added */

VARIANT(sink, sink_alias, "RDMAP-4.4-06",
	"names the sinks of its Reads by an STag and a TO other than those of "
	"the region",
	read_request)
{
	struct message m = OTHERWISE(read_request);
	uint8_t *stag = m.body + SINK_STAG_AT;
	uint8_t *to = m.body + SINK_TO_AT;

	if (work->local && chosen(self)) {
		be32_put(stag, be32(stag) ^ ALIAS_STAG);
		be64_put(to, be64(to) + ALIAS_TO);
	}
	return m;
}

/* The header of a segment as it would be without the alias. */
static const uint8_t *by_region(uint8_t *header, const uint8_t *u)
{
	memcpy(header, u, TAGGED_HEADER);
	be32_put(header + 2, stag_of(u) ^ ALIAS_STAG);
	be64_put(header + 6, to_of(u) - ALIAS_TO);
	return header;
}

ALSO(sink_alias, tagged_flaw)
{
	uint8_t header[TAGGED_HEADER];
	uint32_t n = len - TAGGED_HEADER;
	enum memory_flaw flaw;

	if (opcode_of(u) != OPCODE_READ_RESPONSE)
		return OTHERWISE(tagged_flaw);
	if (n && to_of(u) > UINT64_MAX - (n - 1))
		return MEMORY_WRAP;
	flaw = tagged_flaw_otherwise(self, c, by_region(header, u), len,
				     region);
	return flaw == MEMORY_WRAP ? MEMORY_BOUNDS : flaw;
}

ALSO(sink_alias, response_in_sink)
{
	uint8_t header[TAGGED_HEADER];

	return response_in_sink_otherwise(self, read, by_region(header, u), n);
}

ALSO(sink_alias, tagged_placed)
{
	bool response = opcode_of(u) == OPCODE_READ_RESPONSE;

	tagged_placed_otherwise(self, c, u, region,
				response ? to - ALIAS_TO : to, n);
}
