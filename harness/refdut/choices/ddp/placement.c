/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of when Writes are placed (RFC 5040 s5.5). */
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/decision/override.h"

#include <stdlib.h>
#include <string.h>

/* Writes that have come and are not placed yet, the next one first. */
static struct waiting {
	struct waiting *next;
	struct region *region;
	uint64_t to;
	uint32_t n;
	uint8_t octets[];
} * waiting, **waiting_end = &waiting;

static struct waiting *waiting_write(const uint8_t *u, struct region *region,
				     uint64_t to, uint32_t n)
{
	struct waiting *w = alloc_zeroed(sizeof(*w) + n);

	w->region = region_get(region);
	w->to = to;
	w->n = n;
	memcpy(w->octets, u + TAGGED_HEADER, n);
	return w;
}

/* Unless it is one more Write with a payload that comes. */
static void place_waiting(const uint8_t *u, uint32_t len)
{
	if (u && len > TAGGED_HEADER && (u[0] & T_FLAG) &&
	    u[1] == (0x40 | OPCODE_WRITE))
		return;
	while (waiting) {
		struct waiting *w = waiting;

		waiting = w->next;
		memcpy(region_at(w->region, w->to), w->octets, w->n);
		region_put(w->region);
		free(w);
	}
	waiting_end = &waiting;
}

VARIANT(placing, writes_wait, "RDMAP-5.5-01 RDMAP-5.5-03",
	"places Writes when a message of another kind follows", tagged_placed)
{
	struct waiting *w;

	if (!region || !n || opcode_of(u) != OPCODE_WRITE) {
		OTHERWISE(tagged_placed);
		return;
	}
	chosen(self);
	w = waiting_write(u, region, to, n);
	*waiting_end = w;
	waiting_end = &w->next;
}

ALSO(writes_wait, all_placed)
{
	place_waiting(u, len);
}

VARIANT(placing, writes_placed_from_the_last, "RDMAP-B-07",
	"places Writes that follow each other from the last one on",
	tagged_placed)
{
	struct waiting *w;

	if (!region || !n || opcode_of(u) != OPCODE_WRITE) {
		OTHERWISE(tagged_placed);
		return;
	}
	chosen(self);
	w = waiting_write(u, region, to, n);
	w->next = waiting;
	waiting = w;
}

ALSO(writes_placed_from_the_last, all_placed)
{
	place_waiting(u, len);
}
