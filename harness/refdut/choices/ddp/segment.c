/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about any segment that arrives (RFC 5041 s4.4, RFC 5040 s5.5). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/late_segment.h"

VARIANT(empty_fpdu, empty_fpdu_ignored, "DDP-4.4-03",
	"ignores an FPDU without a ULPDU", too_short)
{
	if (len)
		OTHERWISE(too_short);
	else
		chosen(self);
}

VARIANT(order_of_checks, rdmap_checked_first, "RDMAP-7.2-02 RDMAP-7.2-03",
	"checks RDMAP's version and opcode before everything of DDP except DV",
	rdmap_takes_it_first)
{
	if (!rdmap_knows(c, u, len)) {
		chosen(self);
		return false;
	}
	return OTHERWISE(rdmap_takes_it_first);
}

/* Whether the next segment has arrived, has no markers, and is a Write. */
static bool write_follows(const struct conn *c, uint32_t len)
{
	size_t raw = (2 + len + 3) / 4 * 4 + 4;

	return !c->rx.markers && buf_len(&c->in) > raw + 4 &&
	       buf_head(&c->in)[raw + 3] == (0x40 | OPCODE_WRITE);
}

static bool is_whole_send(const uint8_t *u, uint32_t len)
{
	return len > 1 && !(u[0] & T_FLAG) && (u[0] & L_FLAG) &&
	       (opcode_of(u) == OPCODE_SEND ||
		opcode_of(u) == OPCODE_IMMEDIATE);
}

VARIANT(overtaking, writes_overtake_sends, "RDMAP-B-05 RDMAPX-7-15",
	"places a Write that has arrived before processing the Send or "
	"Immediate Data ahead of it",
	segment_in_turn)
{
	struct late_segment *late =
		remember(&c->remembered, self, sizeof(*late));
	bool more = buf_len(&c->in) > len + 16;

	if (more && is_whole_send(u, len) && write_follows(c, len)) {
		chosen(self);
		late_segment_hold(late, u, len);
		return;
	}
	OTHERWISE(segment_in_turn);
	late_segment_taken(self, c, late);
}
