/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.4, s6.2, s7: how a stream ends, and how the end is reported. */
#include "case.h"

#define MIB (1u << 20)

/* Skip everything before the Terminate: false if none arrives. */
static bool terminate_reached(struct test *t)
{
	const struct frame *f;

	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE)
		continue;
	return f;
}

struct fault {
	CASE_ROW;
	bool tagged;
};

static const struct fault ddp_faults[] = {
	{.id = "tagged", .tagged = true},
	{.id = "untagged"},
};

CASE_EACH(an_error_of_ddp_is_terminated, struct fault, ddp_faults,
	  .title = "an error that DDP finds ends the stream, with a Terminate "
		   "before the close",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes to nothing, or sends to a queue unknown, */
	if (row->tagged)
		peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "hello", 5));
	else
		peer_sends(t, SEND("hello", .qn = IS(7)));

	/* then a Terminate comes, then a FIN, and the connection is gone. */
	if (dut_overlooks_it(t))
		not_applicable(t, "the device overlooks the error, which other "
				  "cases judge");
	should(t, RDMAP_6_2_1_01, terminate_any());
	peer_closes_behind_terminate(t);
	should(t, RDMAP_6_2_1_03, tcp_closed_by_fin());
	must(t, RDMAP_7_01, tcp_closed());
}

CASE(an_error_of_the_llp_is_terminated,
     .title = "a CRC error that is not dropped silently is answered by a "
	      "Terminate",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends an FPDU whose CRC is wrong, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then a Terminate comes; MPA-8-02 is about what it names. */
	should(t, RDMAP_6_2_1_02,
	       any_of(t, terminate_any(), segment_dropped()));
}

CASE(a_fin_follows_a_terminate,
     .title = "a device that has sent a Terminate closes TCP with a FIN",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag never issued, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0, 1));

	/* then the Terminate is followed by a FIN. */
	must(t, RDMAP_7_2_06, terminate(TERM_RDMA, 1, 0x00));
	peer_closes_behind_terminate(t);
	should(t, RDMAP_6_2_1_03, tcp_closed_by_fin());
}

CASE(a_consumer_may_end_the_stream_in_order,
     .title = "a stream that the ULP closes ends with a FIN and without a "
	      "Terminate",
     .needs = NEED_AGENT, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer closes it, */
	dut_closes(t);

	/* then the device closes TCP in order, and complains of nothing. */
	may(t, RDMAP_6_2_01, any_of(t, tcp_closed_by_fin()));
	may(t, RDMAP_6_2_01, any_of(t, no_terminate()));
}

CASE(nothing_follows_a_terminate,
     .title = "a device that has sent a Terminate sends nothing more, whatever "
	      "is posted",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with a large Write in progress, followed by Sends, */
	struct region region = dut_registers(t, .len = MIB);
	dut_posts_recv(t, 64);
	connects(t, .rcvbuf = 16384);
	dut_posts(t, POST_WRITE_FROM(region, 0, MIB, PEER_SINK_STAG, 0));
	for (unsigned i = 0; i < 8; i++)
		dut_posts(t, POST_SEND("behind it"));

	/* when the peer sends an opcode that is not assigned, */
	peer_sends(t, OPCODE(12, "hello", 5));
	bool terminated = terminate_reached(t);
	dut_posts(t, POST_SEND("even later"));

	/* then the Terminate is the last message to arrive, at an FPDU
	 * boundary. */
	bool reset = strcmp(how_tcp_stands(t), "RST") == 0;
	bool open = !terminated && *how_tcp_stands(t) == 'o';
	bool goes_on = open && strcmp(dut_state(t).state, "established") == 0;
	must(t, RDMAP_4_2_05,
	     holds_else(t, "the opcode is refused", !goes_on,
			"TCP is open, and the agent reports: established"));
	must(t, RDMAP_7_1_07,
	     holds_else(t, "a Terminate is not held back", goes_on || !open,
			"the agent reports the end, and TCP is open without a "
			"Terminate"));
	must(t, RDMAP_7_1_08,
	     holds_else(t, "a Terminate, or a reset that may have discarded it",
			terminated || reset || open,
			"a FIN without a Terminate"));
	should(t, RDMAP_6_2_1_03,
	       holds_else(t, "no reset that discards the Terminate",
			  terminated || !reset, "a reset without a Terminate"));
	if (terminated)
		must(t, RDMAP_4_2_05, terminate(TERM_RDMA, 2, 0x06));
	must(t, RDMAP_5_4_07, nothing_more());
}

CASE(a_send_cut_off_by_an_error_does_not_complete,
     .title = "a Send that ends before its last segment, because the device "
	      "finds an error, does not complete with success",
     .needs = NEED_SEND | NEED_WRITE | NEED_MPA, .role = INITIATOR)
{
	/* Given a peer with little room, and a Send larger than all buffers on
	 * the way, */
	struct region region = dut_registers(t, .len = 8 * MIB);
	connects(t, .rcvbuf = 65536);
	unsigned id = dut_posts(t, POST_SEND_FROM(region, 0, 8 * MIB));
	bool whole = awaits_given(t, RDMAP_SEND)->seg.ddp.last;

	/* when the peer causes an error, and then takes what comes, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "lost", 4));
	dut_has_its_turn(t);
	peer_makes_room(t);
	const struct frame *f;
	while ((f = next_frame(t)) && f->seg.ddp.opcode == RDMAP_SEND)
		whole |= f->seg.ddp.last;
	peer_closes_behind_terminate(t);
	while ((f = next_frame(t)))
		whole |= f->seg.ddp.opcode == RDMAP_SEND && f->seg.ddp.last;
	if (whole)
		not_applicable(t, "the device sends all of the Send");
	if (strcmp(how_tcp_stands(t), "FIN") != 0)
		not_applicable(t, "the last segment may be lost: %s",
			       how_it_ended(t));

	/* then a Send whose last segment was not sent is not complete. */
	must(t, RDMAP_5_5_18, not_completed(id));
}

CASE(an_error_is_told_to_the_consumer,
     .title = "an unassigned opcode ends the stream for the ULP, too",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends an opcode that is not assigned, */
	peer_sends(t, OPCODE(12, "hello", 5));

	/* then the consumer learns of it. */
	must(t, RDMAP_7_1_01, agent_sees_end());
	must(t, RDMAP_7_1_01, not_delivered(sink));
	must(t, RDMAP_7_1_08, terminate_any());
}

CASE(a_local_error_is_terminated_without_headers,
     .title = "a Write whose local buffer is no longer valid is not sent; a "
	      "Terminate without headers is sent instead",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the consumer has invalidated, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = true);
	dut_invalidates(t, region);

	/* when it posts a Write from there, */
	unsigned id =
		dut_posts(t, POST_WRITE_FROM(region, 0, 64, PEER_SINK_STAG, 0,
					     .may_refuse = true));

	/* then a Terminate arrives instead, of layer 0, with no header or with
	 * zeros for one. */
	const struct frame *f = next_frame(t);
	if (f && f->seg.ddp.opcode == RDMAP_WRITE)
		not_applicable(t, "the device sends from a buffer whatever its "
				  "STag is: RFC 5040 s5.1 leaves that to it");
	must(t, RDMAP_7_1_02, terminate_any());
	if (!f || f->seg.ddp.opcode != RDMAP_TERMINATE)
		return;
	struct rdmap_terminate term = case_terminate_of(f);
	size_t n = f->seg.payload_octets < 4 ? 0 : f->seg.payload_octets - 4;
	must(t, RDMAP_7_1_02, is("layer", term.layer, TERM_RDMA));
	must(t, RDMAP_7_1_02,
	     any_of(t, holds("no header", !term.m && !term.d && !term.r),
		    octets_are(t, "zeros for headers", f->seg.payload + 4, n,
			       octets_of(t, n, 0), n)));
	must(t, RDMAP_7_1_02, not_completed(id));
}

/* --- the returned parts of the message at fault --------------------------- */

struct version {
	CASE_ROW;
	uint8_t opcode;
};

static const struct version versions[] = {
	{.id = "write", .opcode = RDMAP_WRITE},
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE},
};

CASE_EACH(
	an_error_found_by_rdmap_returns_the_ddp_header, struct version,
	versions,
	.title = "the Terminate for a wrong RDMAP version returns code, length "
		 "and DDP header",
	.needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given room for a Send and a Write, and a Read under way, */
	dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t, .crc = true);
	dut_posts(t, POST_READ(region, 0, 8, PEER_SINK_STAG, 0));
	struct rdmap_read_request read =
		case_read_of(awaits_given(t, RDMAP_READ_REQUEST));

	/* when the peer's message has RV 2, a Response to the Read's sink, */
	bool response = row->opcode == RDMAP_READ_RESPONSE;
	peer_sends(t, OPCODE(row->opcode, "ABCDEFGH", 8,
			     .stag = response ? read.sink_stag : region.stag,
			     .to = response ? read.sink_to : region.to,
			     .rv = IS(2)));

	/* then M and D are set, and R is not. */
	must(t, RDMAP_7_2_03, terminate(TERM_RDMA, 2, 0x05));
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_7_1_03, header_bits(&term, TERM_M | TERM_D));
}

CASE(what_an_error_of_a_read_request_returns,
     .title = "it is recorded whether the Terminate for a Read Request of a "
	      "wrong RDMAP version returns its RDMA header",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer's Read Request has RV 2, */
	peer_sends(t, READ(region, 0, 16, .rv = IS(2)));

	/* then two texts disagree about R. */
	struct rdmap_terminate term = terminate_seen(t);
	observe(t, RDMAP_7_1_04, "%s with M=%u D=%u R=%u", how_it_ended(t),
		term.m, term.d, term.r);
}

/* As in octet 0 of a Terminate. */
static unsigned layer_and_type(const struct frame *f)
{
	struct rdmap_terminate term = case_terminate_of(f);

	return term.layer << 4 | term.etype;
}

/* --- several errors --------------------------------------------------------- */

CASE(the_first_error_is_named,
     .title = "of two errors in one burst the Terminate describes the first, "
	      "and there is one Terminate",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Write to nothing and an unassigned opcode come together, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "hello", 5),
		   .hold = true);
	peer_sends(t, OPCODE(12, "hello", 5));

	/* then the Terminate is that of the Write, not the Remote Operation
	 * Error of an opcode. What code it has is for other cases. */
	const struct frame *f = next_frame(t);
	must(t, RDMAP_7_1_05, stream_ends());
	if (f && f->seg.ddp.opcode == RDMAP_TERMINATE)
		must(t, RDMAP_7_1_05,
		     is_not("layer and type", layer_and_type(f), 0x02));
	must(t, RDMAP_5_4_07, nothing_more());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(the_first_error_is_named_across_layers,
     .title = "a Send that is too long is reported, not the CRC error that "
	      "follows in a TCP segment of its own",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Send of 65 comes, and then an FPDU with a wrong CRC; in one TCP
	 * segment, MPA might find the CRC before DDP sees the Send, */
	peer_sends(t, SEND_N(pattern(t, 65, 1), 65));
	dut_has_its_turn(t);
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then the Terminate is that of the Send. */
	insists(t, DDP_7_1_09, not_delivered(sink));
	must(t, RDMAP_7_1_06, terminate_if_any(TERM_DDP, 2, 0x05));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(errors_of_one_tcp_segment,
     .title = "of a Send that is too long and a CRC error in the same TCP "
	      "segment, either is reported, or the TCP segment is dropped",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Send of 65 and an FPDU with a wrong CRC come together, */
	peer_sends(t, SEND_N(pattern(t, 65, 1), 65), .hold = true);
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then neither is delivered; MPA may look at both before DDP does. */
	must(t, DDP_7_1_09,
	     any_of(t, terminate_if_any(TERM_DDP, 2, 0x05),
		    terminate_if_any(TERM_LLP, 0, 0x02), segment_dropped()));
	must(t, DDP_7_1_09, not_delivered(sink));
	may(t, MPA_8_08, segment_dropped());
}

/* --- the checks of every message ------------------------------------------ */

/* The length of a message of the queue: a device may judge that first. */
struct queue {
	CASE_ROW;
	unsigned qn;
	size_t octets;
};

static const struct queue queues[] = {
	{.id = "queue_1",
	 .qn = DDP_QN_READ_REQUEST,
	 .octets = RDMAP_READ_REQUEST_OCTETS},
	{.id = "queue_2",
	 .qn = DDP_QN_TERMINATE,
	 .octets = RDMAP_TERMINATE_OCTETS},
};

CASE_EACH(the_opcode_is_validated_on_every_queue, struct queue, queues,
	  .title = "an unassigned opcode is refused on the queues of Read "
		   "Requests and of Terminates",
	  .needs = NEED_AGENT, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when opcode 12 comes on a queue of RDMAP's own, its MSN right, with
	 * the octets of an empty Read, or of a Terminate without headers, */
	static const uint8_t octets[RDMAP_READ_REQUEST_OCTETS] = {1};
	peer_sends(t, OPCODE(12, octets, row->octets, .qn = IS(row->qn)));

	/* then the Terminate names the opcode. */
	must(t, RDMAP_7_2_02, terminate(TERM_RDMA, 2, 0x06));
}
