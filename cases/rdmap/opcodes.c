/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.1 and s4.2: opcodes that are not known, or come with the wrong
 * T flag or on the wrong queue. */
#include "case.h"

#define OTHER_STAG 0xabcd1234u /* of the peer */
#define OTHER_TO   0x1000u

/* --- opcodes without a meaning ------------------------------------------- */

struct opcode {
	CASE_ROW;
	uint8_t opcode;
};

static const struct opcode unassigned[] = {
	{.id = "12", .must = &RDMAP_4_2_05, .opcode = 12},
	{.id = "13", .must = &RDMAP_4_2_06, .opcode = 13},
	{.id = "14", .must = &RDMAP_4_2_07, .opcode = 14},
	{.id = "15", .must = &RDMAP_4_2_08, .opcode = 15},
};

CASE_EACH(an_unassigned_opcode_is_refused, struct opcode, unassigned,
	  .title = "a message with opcode 12 to 15 is not delivered, and "
		   "its Terminate says unexpected opcode",
	  .role = EITHER)
{
	/* Given a receive buffer, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a message for it has an opcode that has no meaning, */
	peer_sends(t, OPCODE(row->opcode, "8 octets", 8));

	/* then it is not delivered, and the cause is named. */
	must_row(t, row, terminate(TERM_RDMA, 2, 0x06));
	must_row(t, row, not_delivered(sink));
}

CASE_EACH(an_unassigned_opcode_is_refused_with_t, struct opcode, unassigned,
	  .title = "a tagged message with opcode 12 to 15 ends the stream "
		   "as an unexpected opcode",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	connects(t);

	/* when a tagged message for it has an opcode without a meaning, */
	peer_sends(t,
		   WRITE(r, 0, "8 octets", 8, .opcode_field = IS(row->opcode)));

	/* then the cause is named; DDP may have placed the octets. */
	must(t, RDMAP_4_2_09, terminate(TERM_RDMA, 2, 0x06));
}

static const struct opcode immediate[] = {
	{.id = "8", .must = &RDMAP_4_2_01, .opcode = RDMAP_IMM},
	{.id = "9", .must = &RDMAP_4_2_02, .opcode = RDMAP_IMM_SE},
};

CASE_EACH(immediate_data_is_refused_where_unknown, struct opcode, immediate,
	  .title = "a device without Immediate Data refuses it as an "
		   "unexpected opcode",
	  .lacks = NEED_IMM | NEED_IMM_SE, .role = EITHER)
{
	/* Given a receive buffer, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when Immediate Data comes, which the device does not know, */
	peer_sends(t, IMM("8 octets", .opcode_field = IS(row->opcode)));

	/* then it is not delivered, and the cause is named. */
	must_row(t, row, terminate(TERM_RDMA, 2, 0x06));
	must_row(t, row, not_delivered(sink));
}

CASE(an_atomic_response_is_refused_where_unknown,
     .title = "a device without atomics refuses an Atomic Response "
	      "for its opcode, or for its queue",
     .lacks = NEED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when an Atomic Response comes, */
	peer_breaks(t, RDMAPX_5_2_1_25);
	peer_sends(t, (struct msg){.opcode = RDMAP_ATOMIC_RESPONSE,
				   .atomic_response = {.id = 1, .value = 2}});

	/* then the cause is named; opcode and queue both are unknown. */
	must(t, RDMAP_4_2_04,
	     any_of(t, terminate(TERM_RDMA, 2, 0x06), refuses_queue(t)));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct opcode extensions[] = {
	{.id = "8", .opcode = RDMAP_IMM},
	{.id = "9", .opcode = RDMAP_IMM_SE},
	{.id = "10", .opcode = RDMAP_ATOMIC_REQUEST},
	{.id = "11", .opcode = RDMAP_ATOMIC_RESPONSE},
};

CASE_EACH(an_extension_is_refused_with_t_where_unknown, struct opcode,
	  extensions,
	  .title = "a device without RFC 7306 refuses its opcodes with "
		   "T=1, too",
	  .needs = NEED_WRITE,
	  .lacks = NEED_IMM | NEED_IMM_SE | NEED_FETCHADD | NEED_CMPSWAP,
	  .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	connects(t);

	/* when a tagged message for it has an opcode of RFC 7306, */
	peer_sends(t,
		   WRITE(r, 0, "8 octets", 8, .opcode_field = IS(row->opcode)));

	/* then the cause is named; DDP may have placed the octets. */
	must(t, RDMAP_4_2_09, terminate(TERM_RDMA, 2, 0x06));
}

/* --- the wrong T flag ---------------------------------------------------- */

CASE(a_tagged_send_is_refused,
     .title = "a Send with T=1 is not delivered, and ends the stream",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a receive, and a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a Send is a tagged message, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .opcode_field = IS(RDMAP_SEND)));

	/* then it is not delivered; DDP may have placed the octets. */
	must(t, RDMAP_4_1_29, stream_ends());
	must(t, RDMAP_4_1_29, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_untagged_write_is_refused,
     .title = "a Write with T=0 on queue 0 is not delivered, and ends "
	      "the stream",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a receive buffer, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a Write is an untagged message, */
	peer_sends(t, OPCODE(RDMAP_WRITE, "hello", 5, .t = IS(0)));

	/* then it is not delivered. */
	must(t, RDMAP_4_1_30, stream_ends());
	must(t, RDMAP_4_1_30, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_write_that_has_lost_its_t_flag_is_refused,
     .title = "a Write in which only the T flag is wrong is neither placed nor "
	      "delivered, and ends the stream",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a receive, and a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the control octet of a Write to it has T=0: its STag is in the
	 * place of the Invalidate STag, its TO in the place of QN and MSN, */
	peer_sends(t,
		   OPCODE(RDMAP_WRITE, octets_of(t, 8, 0), 8, .t = IS(0),
			  .inval = r.stag, .qn = IS(r.to >> 32),
			  .msn = IS(r.to & 0xffffffff), .mo = IS(0x68656c6c)));

	/* then it is nothing that could be placed or delivered. A TO below 2^34
	 * names a queue that exists: there the device may wait for a buffer
	 * with that MSN (RFC 5041 s7.1). */
	bool may_wait = r.to >> 32 <= DDP_QN_ATOMIC_RESPONSE;
	must(t, RDMAP_4_1_30,
	     may_wait ? any_of(t, stream_ends(), held_back()) : stream_ends());
	must(t, RDMAP_4_1_30, memory_unchanged(r));
	must(t, RDMAP_4_1_30, not_delivered(sink));
}

/* A Read Request header, as payload. */
static const uint8_t *read_header(struct test *t, struct region r)
{
	struct rdmap_read_request h = {.sink_stag = PEER_SINK_STAG,
				       .sink_to = PEER_SINK_TO,
				       .size = 8,
				       .source_stag = r.stag,
				       .source_to = r.to};
	uint8_t *p = (uint8_t *)(uintptr_t)octets_of(
		t, RDMAP_READ_REQUEST_OCTETS, 0);

	rdmap_read_request_encode(&h, p, RDMAP_READ_REQUEST_OCTETS);
	return p;
}

CASE(a_tagged_read_request_is_refused,
     .title = "a Read Request with T=1 is not answered, and ends the "
	      "stream",
     .needs = NEED_READ | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may read and write, */
	struct region r = dut_registers(t, .len = 64, .raced = true,
					.access = FOR_READS | FOR_WRITES);
	connects(t);

	/* when a Read Request for it is a tagged message, */
	peer_sends(t, WRITE(r, 8, read_header(t, r), RDMAP_READ_REQUEST_OCTETS,
			    .opcode_field = IS(RDMAP_READ_REQUEST)));

	/* then there is no Response. */
	must(t, RDMAP_4_1_31, is("Responses", responses_until_the_end(t), 0));
	must(t, RDMAP_4_1_31, stream_ends());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_untagged_read_response_is_refused,
     .title = "a Read Response with T=0 on queue 0 completes neither "
	      "the Read nor a receive, and ends the stream",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a device that reads, and has a receive buffer, */
	struct region sink =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	struct sink recv = dut_posts_recv(t, 16);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, OTHER_STAG, OTHER_TO));
	awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response is an untagged message, */
	peer_sends(t, OPCODE(RDMAP_READ_RESPONSE, "8 octets", 8, .t = IS(0),
			     .qn = IS(0), .msn = IS(1)));

	/* then neither of them takes it. */
	must(t, RDMAP_4_1_32, stream_ends());
	must(t, RDMAP_4_1_32, not_completed(id));
	must(t, RDMAP_4_1_32, not_delivered(recv));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_tagged_terminate_ends_the_stream,
     .title = "a Terminate with T=1 ends the stream, and the ULP gets an "
	      "error",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	connects(t);

	/* when a Terminate is a tagged message, */
	peer_sends(t, WRITE(r, 0, "\x02\xff\0\0", 4,
			    .opcode_field = IS(RDMAP_TERMINATE)));

	/* then the ULP gets it, and the stream is over when the peer has closed
	 * at the latest; an answer is not due. */
	must(t, RDMAP_4_1_33, agent_sees_end());
	the_terminate(t);
	peer_closes(t);
	must(t, RDMAP_4_1_33, stream_ends());
}

/* --- the wrong queue ----------------------------------------------------- */

struct queue {
	CASE_ROW;
	uint32_t qn;
};

static const struct queue not_for_sends[] = {
	{.id = "1", .must = &RDMAP_4_1_34, .qn = 1},
	{.id = "2", .must = &RDMAP_4_1_35, .qn = 2},
};

CASE_EACH(a_send_on_another_queue_is_refused, struct queue, not_for_sends,
	  .title = "a Send on queue 1 or 2 is not delivered, and ends the "
		   "stream",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive buffer, and all queues at their first MSN, so that
	 * nothing but the queue is wrong, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .unproven = true);
	initiator_speaks(t);

	/* when a Send comes on a queue that is not for Sends, */
	peer_sends(t, SEND("hello", .qn = IS(row->qn)));

	/* then it is not delivered. */
	must_row(t, row, stream_ends());
	must_row(t, row, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct queue not_for_reads[] = {
	{.id = "0", .must = &RDMAP_4_1_36, .qn = 0},
	{.id = "2", .must = &RDMAP_4_1_39, .qn = 2},
};

CASE_EACH(a_read_request_on_another_queue_is_refused, struct queue,
	  not_for_reads,
	  .title = "a Read Request on queue 0 or 2 is neither answered nor "
		   "delivered, and ends the stream",
	  .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a buffer that the peer may read, a receive, and all queues at
	 * their first MSN, so that nothing but the queue is wrong, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .unproven = true);
	initiator_speaks(t);

	/* when a Read Request comes on a queue that is not for them, */
	peer_sends(t, READ(r, 0, 8, .qn = IS(row->qn)));

	/* then it is nothing. */
	must_row(t, row, is("Responses", responses_until_the_end(t), 0));
	must_row(t, row, stream_ends());
	must_row(t, row, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct queue not_for_terminates[] = {
	{.id = "0", .must = &RDMAP_4_1_37, .qn = 0},
	{.id = "1", .must = &RDMAP_4_1_38, .qn = 1},
};

CASE_EACH(a_terminate_on_another_queue_ends_the_stream, struct queue,
	  not_for_terminates,
	  .title = "a Terminate on queue 0 or 1 is not delivered as a "
		   "Send, and ends the stream",
	  .role = EITHER)
{
	/* Given a receive buffer, and all queues at their first MSN, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .unproven = true);
	initiator_speaks(t);

	/* when a Terminate comes on a queue that is not for it, */
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0xff, .qn = IS(row->qn)));

	/* then the ULP knows, and the stream is over when the peer has closed at
	 * the latest; no answer is due. */
	must_row(t, row, agent_sees_end());
	the_terminate(t);
	peer_closes(t);
	must_row(t, row, stream_ends());
	must_row(t, row, not_delivered(sink));
}
