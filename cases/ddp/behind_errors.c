/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s7.1: what follows an error in the same burst, and what the error
 * interrupts, has no effect. A Write behind an untagged message is not judged:
 * it may be placed before the message ahead of it is processed (RFC 5040 s5.5).
 */
#include "case.h"

#define OCTETS 10u

struct behind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct behind kinds[] = {
	KIND_RECEIVED("", .must = NULL),
	KIND_REQUESTS("", .must = NULL),
	KIND_ROW("send", SEND, .must = NULL),
	KIND_ROW("read_response", READ_RESPONSE, .must = NULL),
};

CASE_EACH(nothing_takes_effect_behind_a_bad_write, struct behind, kinds,
	  .title = "a message of any kind right after a Write outside its "
		   "buffer has no effect",
	  .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a device that expects a message of this kind, */
	struct region small = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes in one burst with a Write outside a buffer, */
	peer_sends(t, WRITE(small, 20, "bad", 3), .hold = true);
	peer_sends(t, message_awaited(t, &a, OCTETS));

	/* then it is lost. */
	dut_has_its_turn(t);
	must(t, DDP_7_1_35, had_no_effect(&a));
	if (row->opcode == RDMAP_READ_RESPONSE)
		must(t, DDP_7_1_35,
		     memory_lacks(a.r, 0, AWAITED_OCTETS,
				  pattern(t, AWAITED_OCTETS, 1),
				  AWAITED_OCTETS));
}

enum refusal { BEHIND_A_BAD_WRITE, OUT_OF_RANGE, TOO_LONG, OUTSIDE, NO_BUFFER };

struct refused {
	CASE_ROW;
	enum refusal why;
};

static const struct refused refused[] = {
	{.id = "behind_a_bad_write",
	 .must = &DDP_7_1_35,
	 .why = BEHIND_A_BAD_WRITE},
	{.id = "msn_out_of_range", .must = &DDP_7_1_15, .why = OUT_OF_RANGE},
	{.id = "too_long", .must = &DDP_7_1_09, .why = TOO_LONG},
	{.id = "mo_out_of_range", .must = &DDP_7_1_07, .why = OUTSIDE},
	{.id = "without_a_buffer", .must = &DDP_7_1_05, .why = NO_BUFFER},
};

static struct msg invalidates(struct test *t, struct region r, enum refusal why)
{
	size_t n = why == TOO_LONG ? 65 : OCTETS;
	struct msg m = SEND_KIND(RDMAP_SEND_INV, octets_of(t, n, 'x'), n,
				 .inval = r.stag);

	if (why == OUT_OF_RANGE)
		m.msn = IS(77);
	if (why == OUTSIDE)
		m.mo = IS(64);
	return m;
}

CASE_EACH(a_refused_send_invalidates_nothing, struct refused, refused,
	  .title = "a Send with Invalidate that is not delivered leaves its "
		   "STag valid for another stream",
	  .needs = NEED_WRITE | NEED_SEND_INV | NEED_MULTI_STREAM,
	  .role = INITIATOR)
{
	/* Given an STag that two streams may use, */
	struct region small = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	unsigned other = connects(t);
	peer_sends(t, WRITE(r, 0, "first", 5));
	known_answer(t);
	connects(t);
	if (row->why != NO_BUFFER)
		dut_posts_recv(t, 64);

	/* when a Send on one of them names it that the device has to refuse, or
	 * that comes too late, */
	if (row->why == BEHIND_A_BAD_WRITE)
		peer_sends(t, WRITE(small, 20, "bad", 3), .hold = true);
	peer_sends(t, invalidates(t, r, row->why));
	dut_has_its_turn(t);
	peer_closes(t); /* a device may wait for a buffer */

	/* then the other still takes a Write to it. */
	on_stream(t, other);
	insists(t, DDP_7_1_24, stream_works());
	peer_sends(t, WRITE(r, 32, "again", 5));
	must_row(t, row, stream_works());
	must_row(t, row, memory_is(r, 32, "again", 5));
}

enum interruption { BAD_WRITE, BAD_READ, TERMINATE_COMES };

struct interrupted {
	CASE_ROW;
	enum interruption by;
};

static const struct interrupted interrupted[] = {
	{.id = "a_write_outside_its_buffer",
	 .must = &DDP_4_1_09,
	 .by = BAD_WRITE},
	{.id = "a_read_without_the_right", .must = &DDP_4_1_09, .by = BAD_READ},
	{.id = "the_peers_terminate",
	 .must = &DDP_4_1_09,
	 .by = TERMINATE_COMES},
};

CASE_EACH(half_a_send_is_not_delivered, struct interrupted, interrupted,
	  .title = "a Send whose stream ends before its last segment is not "
		   "delivered",
	  .needs = NEED_SEND | NEED_WRITE, .role = INITIATOR)
{
	/* Given a device that has the first segment of a Send, */
	struct region small = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	if (row->by == BAD_READ)
		dut_claims_kind(t, RDMAP_READ_REQUEST);
	connects(t);
	peer_sends(t, SEND_N(octets_of(t, OCTETS, 'x'), OCTETS, .l = IS(0)));
	dut_has_its_turn(t);

	/* when the stream ends before the next, */
	switch (row->by) {
	case BAD_WRITE:
		peer_breaks(t, DDP_5_3_01);
		peer_sends(t, WRITE(small, 20, "bad", 3));
		break;
	case BAD_READ:
		peer_breaks(t, DDP_5_3_01);
		peer_sends(t, READ(small, 0, 8));
		break;
	case TERMINATE_COMES:
		peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x01));
		peer_closes(t);
		break;
	}

	/* then nothing of it is delivered. */
	dut_has_its_turn(t);
	must_row(t, row, not_delivered(sink));
}
