/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7.1 item 5: the range of legal Message Sequence Numbers. */
#include "case.h"

struct number {
	CASE_ROW;
	uint32_t msn;
};

static const struct number first[] = {
	{.id = "0", .must = &DDP_7_1_13, .msn = 0},
	{.id = "1000", .must = &DDP_7_1_15, .msn = 1000},
};

CASE_EACH(a_first_msn_out_of_range_is_refused, struct number, first,
	  .title = "a first Send whose MSN belongs to no buffer is not "
		   "delivered, and its Terminate says so",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given four receive buffers, which take MSN 1 to 4, */
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	connects(t);

	/* when the first Send has another, */
	peer_sends(t, SEND("hello", .msn = IS(row->msn)));

	/* then it is not delivered; both checks of the MSN fail. */
	must_row(t, row, refuses_msn(t, row->msn > 4));
	must_row(t, row, not_delivered(sinks));
	should(t, RDMAP_6_2_1_01,
	       row->msn > 4 ? any_of(t, terminate_any(), held_back())
			    : terminate_any());
}

struct again {
	CASE_ROW;
	uint8_t opcode; /* of the second Send */
	uint32_t msn;
	uint64_t needs;
};

static const struct again seconds[] = {
	{.id = "used",
	 .must = &DDP_7_1_14,
	 .opcode = RDMAP_SEND,
	 .msn = 1,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "used_with_se",
	 .must = &DDP_7_2_09,
	 .opcode = RDMAP_SEND_SE,
	 .msn = 1,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "behind_the_last_buffer",
	 .must = &DDP_7_1_17,
	 .opcode = RDMAP_SEND,
	 .msn = 5,
	 .needs = 1ull << NEED_BIT_SEND},
};

CASE_EACH(a_next_msn_out_of_range_is_refused, struct again, seconds,
	  .title = "a Send whose MSN was used, or is beyond the last buffer, "
		   "is not delivered, and its Terminate says so",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given four receive buffers, and a Send that has used MSN 1, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	struct awaited once = {.opcode = RDMAP_SEND, .sinks = sinks};
	connects(t);
	peer_sends(t, message_awaited(t, &once, 4));
	awaits_effect(t, &once, 4);

	/* when the next one has an MSN that is not in range, */
	peer_sends(t, SEND_KIND(row->opcode, "twice", 5, .msn = IS(row->msn)));

	/* then it is not delivered; both checks of the MSN fail. */
	must_row(t, row, refuses_msn(t, row->msn > 4));
	must_row(t, row, not_delivered(sink_at(sinks, 1)));
	must_row(t, row, not_delivered(sink_at(sinks, 2)));
	must_row(t, row, not_delivered(sink_at(sinks, 3)));
	should(t, RDMAP_6_2_1_01,
	       row->msn > 4 ? any_of(t, terminate_any(), held_back())
			    : terminate_any());
}

CASE(a_used_msn_is_refused_on_queue_1,
     .title = "a Read Request with the MSN of an earlier one is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read that was answered, the second of the stream, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);
	peer_sends(t, READ(r, 0, 8));
	awaits(t, DDP_7_1_39, RDMAP_READ_RESPONSE);

	/* when its MSN is used again, */
	peer_sends(t, READ(r, 0, 8, .msn = IS(2)));

	/* then there is no Response; both checks of the MSN fail. */
	must(t, DDP_7_1_39, is("Responses", responses_until_the_end(t), 0));
	must(t, DDP_7_1_39, refuses_msn(t, false));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_skipped_msn_on_queue_0,
     .title = "a first Send with MSN 2 is not delivered before MSN 1",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given four receive buffers, which take MSN 1 to 4, */
	struct sink sinks = dut_posts_recvs(t, 4, 16);
	connects(t);

	/* when MSN 2 arrives first, */
	peer_sends(t, SEND("second", .msn = IS(2)));

	/* then it may be placed, but is not delivered: its turn has not come. */
	const char *how = known_answer(t) ? "waits for MSN 1" : how_it_ended(t);
	must(t, DDP_5_4_01, not_delivered(sinks));
	observe(t, DDP_7_1_16, "a first Send with MSN 2: %s", how);
}

CASE(a_skipped_msn_on_queue_1,
     .title = "a Read Request that skips an MSN is not answered",
     .needs = NEED_READ, .role = EITHER,
     .waits = true /* a fence would use the queue that may have to wait */)
{
	/* Given a stream on which one Read was answered, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when the next Read Request has MSN 3, */
	peer_sends(t, READ(r, 0, 8, .msn = IS(3)));

	/* then it may have to wait for MSN 2, or be refused; it is not
	 * delivered out of turn, and hence not answered. */
	must(t, DDP_5_4_01, is("Responses", responses_until_the_end(t), 0));
	observe(t, DDP_7_1_18, "a Read Request that skips an MSN: %s",
		how_it_ended(t));
}

CASE(a_skipped_msn_on_queue_2,
     .title = "a Terminate with MSN 2 is not delivered",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when the peer ends it with a Terminate that has MSN 2, */
	peer_sends(t, TERMINATE(TERM_RDMA, 1, 0x00, .msn = IS(2)));
	peer_closes(t);

	/* then it may have to wait for MSN 1, or be refused; it is not delivered
	 * out of turn. */
	must(t, DDP_5_4_01, agent_sees_no_terminate(TERM_RDMA, 1, 0x00));
	observe(t, DDP_7_1_19, "a Terminate with MSN 2: %s; the agent says %s",
		how_it_ended(t), dut_ends(t).state);
}
