/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s3 and s5.3: damaged FPDUs, and TCP segments that arrive twice, with
 * messages of each kind.
 */
#include "case.h"

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "write", .opcode = RDMAP_WRITE},
	{.id = "read_request", .opcode = RDMAP_READ_REQUEST},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE},
	{.id = "send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "send_with_se_and_invalidate", .opcode = RDMAP_SEND_SE_INV},
	{.id = "immediate_data", .opcode = RDMAP_IMM},
	{.id = "immediate_data_with_se", .opcode = RDMAP_IMM_SE},
	{.id = "atomic_request", .opcode = RDMAP_ATOMIC_REQUEST},
	{.id = "atomic_response", .opcode = RDMAP_ATOMIC_RESPONSE},
};

#define OCTETS 90u

/* A reserved bit of DDP's control octet: everything else is right. */
#define RESERVED_BIT IS(2 * 8 + 2)

CASE_EACH(a_damaged_message_has_no_effect, struct kind, kinds,
	  .title = "a message of any kind has no effect if a bit of its DDP "
		   "header was flipped after its CRC was computed",
	  .needs = NEED_CRC | NEED_MPA, .role = EITHER)
{
	/* Given a CRC-protected stream and a device that expects a message of
	 * this kind, */
	struct awaited a = dut_awaits(t, row->opcode, .crc = ON);

	/* when a bit of it flips that means nothing, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.flip = RESERVED_BIT;
	peer_sends(t, m);

	/* then it is not answered and has no effect: the stream ends, or the TCP
	 * segment was dropped as if lost. */
	must(t, DDP_3_01, stream_ends_or_stalls());
	if (row->opcode == RDMAP_WRITE)
		must(t, MPA_6_01, had_no_effect(&a));
	else
		must(t, DDP_3_01, had_no_effect(&a));
	should(t, MPA_8_02, crc_error_reported(t));
}

struct part {
	CASE_ROW;
	unsigned at; /* the damaged segment, 1 to 3 */
};

static const struct part parts[] = {
	{.id = "first", .at = 1},
	{.id = "middle", .at = 2},
	{.id = "last", .at = 3},
};

CASE_EACH(a_damaged_segment_is_not_delivered, struct part, parts,
	  .title =
		  "a Send of three segments is not delivered if the CRC of one "
		  "of them is wrong",
	  .needs = NEED_CRC | NEED_SEND | NEED_MPA, .role = EITHER)
{
	/* Given a CRC-protected stream and receive buffers, */
	struct awaited a = dut_awaits(t, RDMAP_SEND, .crc = ON);
	struct msg whole = message_awaited(t, &a, OCTETS);

	/* when the CRC of one segment is wrong, */
	if (row->at < 3)
		peer_breaks(t, MPA_4_4_04);
	for (unsigned i = 1; i <= 3; i++) {
		struct msg m = whole;

		m.octets = (const uint8_t *)whole.octets + (i - 1) * 30;
		m.n = 30;
		m.mo = IS((i - 1) * 30);
		m.l = IS(i == 3);
		m.keeps_msn = i < 3;
		m.crc = i == row->at ? CRC_WRONG : CRC_RIGHT;
		peer_sends(t, m, .hold = i < 3);
	}

	/* then the Send is not delivered: after a Terminate nothing is. */
	must(t, DDP_3_01, stream_ends_or_stalls());
	if (row->at < 3 && frame_is_here(t))
		must(t, MPA_8_09, had_no_effect(&a));
	else
		must(t, DDP_3_01, had_no_effect(&a));
	should(t, MPA_8_02, crc_error_reported(t));
}

/* --- TCP segments that arrive twice --------------------------------------------- */

/* What the message did once, it has not done again: the device's ULP has put
 * other octets where a tagged message was placed. */
static struct expect had_one_effect(struct test *t, const struct awaited *a)
{
	if (a->opcode == RDMAP_WRITE || a->opcode == RDMAP_READ_RESPONSE)
		return memory_is(a->r, 0, octets_of(t, 8, 0x5a), 8);
	if (a->opcode == RDMAP_ATOMIC_REQUEST)
		return word_is(a->r, 0, a->word - 1);
	if (kind_is_received(a->opcode))
		return not_delivered(sink_at(a->sinks, 1));
	return nothing_more();
}

CASE_EACH(a_duplicate_has_no_effect, struct kind, kinds,
	  .title =
		  "a message of any kind that had its effect has none when its "
		  "TCP segment arrives again",
	  .segments = true, .role = EITHER)
{
	/* Given a message that had its effect, */
	struct awaited a = dut_awaits(t, row->opcode);
	uint32_t before = peer_offset(t);
	peer_sends(t, message_awaited(t, &a, OCTETS));
	awaits_effect(t, &a, OCTETS);
	if (row->opcode == RDMAP_ATOMIC_REQUEST)
		awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	if (row->opcode == RDMAP_WRITE || row->opcode == RDMAP_READ_RESPONSE)
		dut_fills(t, a.r, 0, octets_of(t, 8, 0x5a), 8);

	/* when its segment comes again, */
	uint32_t back = peer_offset(t) - before;
	peer_resends(t, back, back);

	/* then that has no effect. */
	must(t, DDP_3_02, stream_works());
	must(t, DDP_3_02, had_one_effect(t, &a));
}

static const struct kind sends[] = {
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "send_with_se_and_invalidate", .opcode = RDMAP_SEND_SE_INV},
};

CASE_EACH(segments_twice_are_delivered_once, struct kind, sends,
	  .title = "a Send of any kind in three DDP segments is delivered once "
		   "if all its TCP segments arrive twice",
	  .segments = true)
{
	/* Given four receives, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, OCTETS);
	m.segment = 30;

	/* when each segment of a Send comes twice, */
	peer_sends(t, m, .order = ORDER(1, 1, 2, 2, 3, 3));

	/* then one receive completes, and the others are still there. */
	must(t, DDP_5_3_06, had_its_effect(t, &a, OCTETS));
	must(t, DDP_5_3_06, not_delivered(sink_at(a.sinks, 1)));
	must(t, DDP_3_02, stream_works());
}

CASE_EACH(
	messages_are_delivered_in_order, struct kind, sends,
	.title = "two Sends of any kind in three DDP segments are delivered in "
		 "the order sent, in whatever order their TCP segments arrive",
	.segments = true)
{
	/* Given four receives, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct region other = dut_registers(t, .len = 8, .access = FOR_READS);
	struct msg m = message_awaited(t, &a, OCTETS);
	m.segment = 30;

	/* when the last segment of the second comes first, */
	peer_sends(t, m, .hold = true);
	m.inval = other.stag;
	peer_sends(t, m, .order = ORDER(6, 4, 2, 5, 3, 1));

	/* then both complete, and in turn. */
	must(t, DDP_5_3_07, had_its_effect(t, &a, OCTETS));
	a.turn = 1;
	must(t, DDP_5_3_07, had_its_effect(t, &a, OCTETS));
	must(t, DDP_5_4_01,
	     is("place after the one before it",
		dut_receives(t, sink_at(a.sinks, 1)).place -
			dut_receives(t, sink_at(a.sinks, 0)).place,
		1));
}
