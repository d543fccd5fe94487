/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.3, s7.1 item 5: a Message Sequence Number is 32 bits, and each of
 * them counts, on every queue. A message whose MSN is ahead by one of these
 * powers of two has the low bits of the MSN that is due.
 */
#include "case.h"

struct ahead {
	CASE_ROW;
	uint32_t by; /* of the MSN that is due */
};

static const struct ahead ahead[] = {
	{.id = "bit_8", .by = 1u << 8},   {.id = "bit_12", .by = 1u << 12},
	{.id = "bit_16", .by = 1u << 16}, {.id = "bit_24", .by = 1u << 24},
	{.id = "bit_31", .by = 1u << 31},
};

CASE_EACH(of_a_send, struct ahead, ahead,
	  .title = "a Send whose MSN is ahead by a power of two is not "
		   "delivered, and its Terminate says so",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given four receive buffers, of which a Send has used the first, */
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	connects(t);
	peer_sends(t, SEND("one"));
	insists(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), "one"));

	/* when the next has an MSN so far ahead of 2, */
	peer_sends(t, SEND("two", .msn = IS(2 + row->by)));

	/* then it is not delivered; both checks of the MSN fail. */
	must(t, DDP_7_1_15, refuses_msn(t, true));
	must(t, DDP_7_1_15, not_delivered(sink_at(sinks, 1)));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
}

CASE_EACH(of_immediate_data, struct ahead, ahead,
	  .title = "Immediate Data whose MSN is ahead by a power of two is not "
		   "delivered",
	  .needs = NEED_IMM, .role = EITHER)
{
	/* Given four receive buffers, */
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	connects(t);

	/* when Immediate Data has an MSN so far ahead of 1, */
	peer_sends(t, IMM("12345678", .msn = IS(1 + row->by)));

	/* then it is not delivered, and the stream ends, or the
	 * message waits for a buffer. */
	must(t, RDMAPX_8_2_02, any_of(t, stream_ends(), held_back()));
	must(t, RDMAPX_8_2_02, not_delivered(sinks));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
}

CASE_EACH(of_a_read_request, struct ahead, ahead,
	  .title = "a Read Request whose MSN is ahead by a power of two is not "
		   "answered",
	  .needs = NEED_READ, .role = EITHER,
	  .waits = true /* a fence would use the queue that may have to wait */)
{
	/* Given a stream on which one Read was answered, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when the next Request has an MSN so far ahead of 2, */
	peer_sends(t, READ(r, 0, 8, .msn = IS(2 + row->by)));

	/* then it is out of turn, and not answered: a device with room for so
	 * many may wait for those before it, another refuses it. */
	must(t, DDP_5_4_01, is("Responses", responses_until_the_end(t), 0));
	observe(t, DDP_7_1_18, "a Read Request that is ahead by %lu: %s",
		(unsigned long)row->by, how_it_ended(t));
}

CASE_EACH(of_a_terminate, struct ahead, ahead,
	  .title = "a Terminate whose MSN is ahead by a power of two is not "
		   "delivered",
	  .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when the peer ends it with a Terminate so far ahead of 1, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00, .msn = IS(1 + row->by)));
	peer_closes(t);

	/* then it is not delivered. */
	must(t, DDP_5_4_01, agent_sees_no_terminate(TERM_RDMA, 1, 0x00));
}

CASE(inside_a_send,
     .title = "a segment with the next MSN does not complete the Send before "
	      "it, whose last segment is missing",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given two receive buffers, and the first half of a Send, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);
	peer_sends(t, SEND_N(pattern(t, 32, 1), 32, .l = IS(0)));

	/* when its second half has the next MSN, */
	peer_sends(t,
		   SEND_N(pattern(t, 32, 2), 32, .msn = IS(2), .mo = IS(32)));

	/* then neither Send is delivered: the first has no end, and the second
	 * follows it. */
	known_answer(t);
	must(t, DDP_5_4_01, not_delivered(sink_at(sinks, 0)));
	must(t, DDP_5_4_01, not_delivered(sink_at(sinks, 1)));
}
