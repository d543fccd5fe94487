/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7.1 items 1 and 2, RFC 7306 s10.2: the queue that an untagged
 * segment names, and a buffer on it. */
#include "case.h"

/* --- queue numbers ------------------------------------------------------- */

struct queue {
	CASE_ROW;
	uint32_t qn;
};

static const struct queue unassigned[] = {
	{.id = "4", .must = &DDP_7_1_01, .qn = 4},
	{.id = "5", .must = &IANA_7306_10_2_01, .qn = 5},
	{.id = "256", .must = &IANA_7306_10_2_01, .qn = 256},
	{.id = "0x80000000", .must = &IANA_7306_10_2_01, .qn = 0x80000000},
	{.id = "0xffffffff", .must = &DDP_7_1_02, .qn = 0xffffffff},
};

CASE_EACH(an_unassigned_queue_is_refused, struct queue, unassigned,
	  .title = "a Send on a queue above 3 is not delivered, and its "
		   "Terminate says invalid QN",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when one comes on a queue that has no use, */
	peer_sends(t, SEND("ten octets", .qn = IS(row->qn)));

	/* then it is not delivered, and the stream ends for that reason. */
	must_row(t, row, refuses_queue(t));
	must_row(t, row, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(queue_3_is_refused_without_atomics,
     .title = "a device without atomics has no queue 3", .needs = NEED_SEND,
     .lacks = NEED_ATOMICS, .role = EITHER)
{
	/* Given a device that knows no Atomic Response, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a segment comes on its queue, */
	peer_sends(t, SEND("ten octets", .qn = IS(3), .msn = IS(1)));

	/* then it is not delivered, and the stream ends for that reason. */
	must(t, DDP_7_1_03, refuses_queue(t));
	must(t, DDP_7_1_03, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_read_request_on_an_unassigned_queue_is_refused,
     .title = "a Read Request on queue 5 is not answered, and its "
	      "Terminate says invalid QN",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when its Read Request comes on a queue that has no use, */
	peer_sends(t, READ(r, 0, 8, .qn = IS(5), .msn = IS(1)));

	/* then there is no Response, and the stream ends for that reason. */
	must(t, DDP_7_2_07, is("Responses", responses_until_the_end(t), 0));
	must(t, DDP_7_2_07, refuses_queue(t));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_read_request_on_an_unassigned_queue_is_not_one_of_queue_1,
     .title = "a Read Request on queue 5 with the MSN that is next on "
	      "queue 1 is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, and queue 1 at MSN 2, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when a Read Request that would be right there comes on queue 5, */
	peer_sends(t, READ(r, 0, 8, .qn = IS(5), .msn = IS(2)));

	/* then the peer learns nothing of the buffer, and the stream ends for
	 * that reason. */
	const struct frame *f = next_frame(t);
	bool answered = f && f->seg.ddp.opcode != RDMAP_TERMINATE;
	must(t, DDP_7_2_07, holds("no Read Response", !answered));
	if (answered)
		return;
	must(t, DDP_7_2_07, stream_ends());
	must(t, DDP_7_2_07, refuses_queue(t));
}

CASE(an_empty_send_on_an_unassigned_queue,
     .title = "a zero-length Send on queue 4 is not delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when an empty one comes on a queue that has no use, */
	peer_sends(t, SEND("", .qn = IS(4)));

	/* then it is not delivered: RFC 5040 s7.2 has DDP validate all fields,
	 * where RFC 5041 s7.1 lists those of segments with a payload. */
	bool alive = known_answer(t);
	must(t, RDMAP_7_2_18, not_delivered(sink));
	observe(t, DDP_7_1_37, "an empty Send on queue 4: %s",
		alive ? "ignored" : how_it_ended(t));
}

/* --- no buffer ----------------------------------------------------------- */

CASE(a_send_without_a_buffer_is_refused,
     .title = "a Send without a receive buffer ends the stream, or waits for a "
	      "buffer",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream on which no receive was posted, */
	connects(t);

	/* when the peer sends a Send, */
	peer_sends(t, SEND("ten octets"));

	/* then the cause is reported, or the message waits in the LLP until
	 * there is a buffer; it is not lost on a stream that continues. */
	must(t, DDP_7_1_04, any_of(t, refuses_without_buffer(t), held_back()));
	may(t, DDP_7_1_06, held_back());
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
	struct sink late = dut_posts_recv(t, 16);
	must(t, DDP_7_1_04,
	     any_of(t, stream_ends(), delivered_text(late, "ten octets")));
}

/* The DDP header that the Terminate returns; its MSN is 0 if none arrived. */
static struct ddp returned_header(struct test *t)
{
	struct rdmap_terminate h = terminate_seen(t);
	struct ddp_segment s = {0};

	if (h.ddp_header)
		ddp_decode(&s, h.ddp_header, h.ddp_header_octets);
	return s.ddp;
}

CASE(one_send_more_than_there_are_buffers_is_refused,
     .title = "three Sends are delivered to three buffers, and a fourth is "
	      "refused or waits",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given three receive buffers, */
	struct sink sinks = dut_posts_recvs(t, 3, 16);
	connects(t);

	/* when the peer sends four Sends, */
	for (unsigned i = 0; i < 4; i++)
		peer_sends(t, SEND_N(pattern(t, 10, i), 10));

	/* then three are delivered, and the fourth is the one refused. */
	must(t, DDP_7_1_05,
	     delivered(sink_at(sinks, 0), pattern(t, 10, 0), 10));
	must(t, DDP_7_1_05,
	     delivered(sink_at(sinks, 1), pattern(t, 10, 1), 10));
	must(t, DDP_7_1_05,
	     delivered(sink_at(sinks, 2), pattern(t, 10, 2), 10));
	must(t, DDP_7_1_05, any_of(t, refuses_without_buffer(t), held_back()));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
	must(t, DDP_7_1_05,
	     any_of(t,
		    is("MSN of the header that came back",
		       returned_header(t).msn, 4),
		    is("a header that came back", returned_header(t).dv, 0)));
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
};

static const struct kind kinds[] = {
	{.id = "invalidate",
	 .opcode = RDMAP_SEND_INV,
	 .needs = 1ull << NEED_BIT_SEND_INV},
	{.id = "se",
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV},
};

CASE_EACH(no_kind_of_send_goes_without_a_buffer, struct kind, kinds,
	  .title = "a Send of any kind without a receive buffer ends the "
		   "stream, or waits, and invalidates nothing",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, and no receive, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when a Send of this kind names it, or could name it, */
	peer_sends(t, SEND_KIND(row->opcode, "hello", 5, .inval = r.stag));

	/* then the cause is named, or the message waits, */
	must(t, DDP_7_2_08, any_of(t, refuses_without_buffer(t), held_back()));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));

	/* and its STag is valid as before, on another stream. */
	connects(t);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, DDP_7_2_08, memory_is(r, 0, "valid", 5));
}

static const struct kind immediate[] = {
	{.id = "plain", .opcode = RDMAP_IMM},
	{.id = "se", .opcode = RDMAP_IMM_SE},
};

CASE_EACH(no_immediate_data_goes_without_a_buffer, struct kind, immediate,
	  .title = "Immediate Data without a receive buffer ends the stream, "
		   "or waits for a buffer",
	  .needs = NEED_IMM | NEED_IMM_SE, .role = EITHER)
{
	/* Given a stream on which no receive was posted, */
	connects(t);

	/* when the peer sends Immediate Data, */
	peer_sends(t, SEND_KIND(row->opcode, "8 octets", 8));

	/* then the cause is reported, or the message waits in the LLP until
	 * there is a buffer; it is not lost on a stream that continues. */
	must(t, DDP_7_1_04, any_of(t, refuses_without_buffer(t), held_back()));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
	struct sink late = dut_posts_recv(t, 16);
	must(t, DDP_7_1_04,
	     any_of(t, stream_ends(), delivered_imm(late, "8 octets")));
}

CASE(an_empty_send_without_a_buffer,
     .title = "the reaction to a zero-length Send without a receive buffer is "
	      "recorded",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream on which no receive was posted, */
	connects(t);

	/* when the peer sends an empty Send, */
	peer_sends(t, SEND(""));

	/* then it may be refused, or wait for a buffer. */
	observe(t, DDP_7_1_38, "an empty Send without a buffer: %s",
		known_answer(t) ? "taken" : how_it_ended(t));
}
