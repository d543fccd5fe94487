/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults about any segment that arrives: header, DV, order (RFC 5041 s4.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/late_segment.h"

/* Headers */

MUTANT(runt_segments_dropped, "DDP-4.4-02 DDP-6.2.2-02",
       "ignores segments shorter than their header", too_short)
{
}

MUTANT(ddp_reserved_bits_checked, "DDP-4.1-12 RDMAPX-4.1-11",
       "refuses segments with a reserved DDP bit set", reserved_bits_accepted)
{
	return !(u[0] & 0x3c);
}

/* DV */

MUTANT(dv_unchecked_in_tagged, "DDP-4.1-16 DDP-4.1-17 DDP-4.1-15 DDP-7.2-06",
       "accepts tagged segments with any DV", dv_accepted)
{
	return (u[0] & T_FLAG) || OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_in_untagged,
       "DDP-4.1-19 DDP-4.1-20 RDMAPX-8.2-01 RDMAPX-8.2-02 RDMAPX-8.2-05 "
       "DDP-7.2-12",
       "accepts untagged segments with any DV", dv_accepted)
{
	return !(u[0] & T_FLAG) || OTHERWISE(dv_accepted);
}

MUTANT(dv_zero_taken, "DDP-4.1-18 DDP-4.1-21",
       "accepts untagged segments with DV 0", dv_accepted)
{
	if (!(u[0] & T_FLAG) && (u[0] & 3) == 0)
		return true;
	return OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_when_empty, "DDP-5.2-10",
       "does not check DV in empty tagged segments", dv_accepted)
{
	if ((u[0] & T_FLAG) && len == TAGGED_HEADER)
		return true;
	return OTHERWISE(dv_accepted);
}

/* Order */

/* Only if the next one has already arrived. */
static void overtaken(struct override *self, struct conn *c, const uint8_t *u,
		      uint32_t len, bool of_this_kind)
{
	struct late_segment *late =
		remember(&c->remembered, self, sizeof(*late));
	bool held_back = of_this_kind && buf_len(&c->in) > len + 16;

	if (late->passed || held_back)
		late_segment_taken(self, c, late);
	if (held_back) {
		late_segment_hold(late, u, len);
		return;
	}
	OTHERWISE(segment_in_turn);
	late->passed = late->held;
}

MUTANT(sends_overtaken,
       "RDMAP-5.5-08 RDMAP-B-02 RDMAPX-6.3-04 RDMAPX-6.3-13 RDMAPX-7-01 "
       "RDMAPX-7-02 RDMAPX-7-03 RDMAPX-7-04 RDMAPX-7-12 DDP-5.3-07 DDP-5.4-01 "
       "RDMAP-5.5-02",
       "processes a Send only after the message that follows it",
       segment_in_turn)
{
	unsigned opcode = len > 1 ? opcode_of(u) : OPCODE_TERMINATE;

	overtaken(self, c, u, len,
		  opcode >= OPCODE_SEND && opcode <= OPCODE_IMMEDIATE_SE &&
			  opcode != OPCODE_TERMINATE);
}

MUTANT(sends_with_se_overtaken,
       "RDMAP-B-02 RDMAPX-6.3-13 RDMAPX-7-04 RDMAPX-7-12",
       "processes a Send with SE only after the message that follows it",
       segment_in_turn)
{
	overtaken(self, c, u, len, len > 1 && opcode_of(u) == OPCODE_SEND_SE);
}

MUTANT(writes_overtaken,
       "RDMAP-5.5-03 RDMAP-5.5-07 RDMAP-5.5-13 RDMAP-B-03 RDMAPX-7-13 "
       "RDMAPX-5.4-05 RDMAPX-7-05 DDP-3-03 RDMAPX-6.4-01",
       "places a Write only after the message that follows it", segment_in_turn)
{
	overtaken(self, c, u, len, len > 1 && opcode_of(u) == OPCODE_WRITE);
}
