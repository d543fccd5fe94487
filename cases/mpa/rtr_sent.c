/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s5, s9.2: the message by which the device as initiator says that it
 * is ready to receive (RTR).
 */
#include "case.h"

CASE(send_is_the_rtr, .title = "the Send RTR is a zero-length Send",
     .needs = NEED_P2P | NEED_RTR_SEND, .role = INITIATOR)
{
	/* Given a device that offers a Send as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_SEND);
	awaits_request(t);
	peer_sends_startup(t, reply_listing(RTR_SEND));
	full_operation(t);

	/* then the first FPDU is a Send without payload, MSN 1. */
	const struct frame *f = awaits(t, EMPA_9_2_11, RDMAP_SEND);
	must(t, EMPA_9_2_11, is("ULPDU_Length", f->fpdu->ulpdu_length, 18));
	must(t, EMPA_9_2_11, is("T", f->seg.ddp.tagged, 0));
	must(t, EMPA_9_2_11, is("L", f->seg.ddp.last, 1));
	must(t, EMPA_9_2_11, is("QN", f->seg.ddp.qn, 0));
	must(t, EMPA_9_2_11, is("MSN", f->seg.ddp.msn, 1));
	must(t, EMPA_9_2_11, is("MO", f->seg.ddp.mo, 0));
	must(t, EMPA_9_2_11, stream_works());
}

CASE(a_send_rtr_uses_an_msn,
     .title = "the first Send that a ULP posts has MSN 2 if a Send was the RTR",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND, .role = INITIATOR)
{
	/* Given a device whose RTR was a Send, */
	dut_dials(t, .dut_rtr = RTR_SEND);
	awaits_request(t);
	peer_sends_startup(t, reply_listing(RTR_SEND));
	full_operation(t);
	awaits(t, EMPA_5_02, RDMAP_SEND);

	/* when its ULP posts a Send, */
	dut_posts(t, POST_SEND("hello"));

	/* then that is the second message of the queue. */
	const struct frame *f = awaits_given(t, RDMAP_SEND);
	must(t, DDP_4_3_06, is("MSN", f->seg.ddp.msn, 2));
	must(t, DDP_4_3_06, stream_works());
}

CASE(write_is_the_rtr, .title = "the Write RTR is a zero-length RDMA Write",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then the first FPDU is an RDMA Write without payload. */
	const struct frame *f = awaits(t, EMPA_9_2_12, RDMAP_WRITE);
	must(t, EMPA_9_2_12, is("ULPDU_Length", f->fpdu->ulpdu_length, 14));
	must(t, EMPA_9_2_12, is("T", f->seg.ddp.tagged, 1));
	must(t, EMPA_9_2_12, is("L", f->seg.ddp.last, 1));
	must(t, EMPA_9_2_12, stream_works());
}

CASE(read_is_the_rtr,
     .title = "the Read RTR is a zero-length RDMA Read Request",
     .needs = NEED_P2P | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Read as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_READ);
	awaits_request(t);
	peer_sends_startup(t, reply_listing(RTR_READ));
	full_operation(t);

	/* then the first FPDU is a Read Request of size 0, MSN 1. */
	const struct frame *f = awaits(t, EMPA_9_2_13, RDMAP_READ_REQUEST);
	must(t, EMPA_9_2_13, is("ULPDU_Length", f->fpdu->ulpdu_length, 46));
	must(t, EMPA_9_2_13, is("QN", f->seg.ddp.qn, 1));
	must(t, EMPA_9_2_13, is("MSN", f->seg.ddp.msn, 1));
	must(t, EMPA_9_2_13, is("size", case_read_of(f).size, 0));
	peer_sends(t, READ_RESPONSE(f, "", 0));
	must(t, DDP_5_2_11, stream_works());
}

CASE(send_ahead_of_the_response_is_delivered,
     .title = "a Send that comes before the Response to a Read RTR is "
	      "delivered",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a receive that has sent a Read as RTR, */
	struct sink sink = dut_posts_recv(t, 64);
	dut_dials(t, .dut_rtr = RTR_READ);
	awaits_request(t);
	peer_sends_startup(t, reply_listing(RTR_READ));
	full_operation(t);
	const struct frame *f = awaits(t, EMPA_5_02, RDMAP_READ_REQUEST);

	/* when a Send of the peer is ahead of the Response, as RFC 5040 s5.5
	 * allows, */
	peer_sends(t, SEND("ahead"));
	peer_sends(t, READ_RESPONSE(f, "", 0));

	/* then it is delivered, and the stream continues. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "ahead"));
	must(t, RDMAP_5_3_02, stream_works());
}

CASE(rtr_comes_by_itself,
     .title = "the RTR follows the Reply even if the ULP posts nothing",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given an initiator whose ULP posts nothing, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);

	/* when the Reply accepts, then the RTR comes. */
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);
	awaits(t, EMPA_5_02, RDMAP_WRITE);
	must(t, EMPA_5_02, stream_works());
}

CASE(rtr_follows_a_reply_with_private_data,
     .title = "the RTR follows a Reply that has private data, too",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	/* Given an initiator whose ULP posts nothing, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);

	/* when a Reply with private data accepts, then the RTR comes. */
	struct startup reply = reply_listing(RTR_WRITE);
	reply.private_data = "hello";
	reply.private_octets = 5;
	peer_sends_startup(t, reply);
	full_operation(t);
	awaits(t, EMPA_5_02, RDMAP_WRITE);
	must(t, EMPA_5_02, stream_works());
}

CASE(rtr_comes_first, .title = "no FPDU precedes the RTR",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND, .role = INITIATOR)
{
	/* Given an initiator with a Send queued, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	dut_posts(t, POST_SEND("after"));
	awaits_request(t);

	/* when the Reply accepts, */
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then the RTR arrives first, the Send after it. */
	const struct frame *f = awaits(t, EMPA_5_01, RDMAP_WRITE);
	must(t, EMPA_5_01, is("octets of the RTR", f->seg.payload_octets, 0));
	awaits(t, EMPA_5_01, RDMAP_SEND);
	must(t, EMPA_5_01, stream_works());
}

CASE(rtr_is_one_of_those_listed,
     .title = "the RTR is one that the responder listed",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Write and a Read, */
	dut_dials(t, .dut_rtr = RTR_WRITE | RTR_READ);
	awaits_request(t);

	/* when the Reply lists only the Read, then the Read is the RTR. */
	peer_sends_startup(t, reply_listing(RTR_READ));
	full_operation(t);
	const struct frame *f = next_frame(t);
	insists(t, EMPA_5_02, holds("an RTR message", f));
	insists(t, EMPA_9_2_14,
		is("opcode", f->seg.ddp.opcode, RDMAP_READ_REQUEST));
	peer_sends(t, READ_RESPONSE(f, "", 0));
	must(t, DDP_5_2_11, stream_works());
}

CASE(initiator_picks_one_of_several,
     .title = "of several common RTRs the initiator picks one",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Write and a Read, */
	dut_dials(t, .dut_rtr = RTR_WRITE | RTR_READ);
	awaits_request(t);

	/* when the Reply lists both, then the RTR is either. */
	peer_sends_startup(t, reply_listing(RTR_WRITE | RTR_READ));
	full_operation(t);
	const struct frame *f = next_frame(t);
	may(t, EMPA_9_2_15,
	    any_of(t,
		   holds_of(f, "a Write", f && f->seg.ddp.opcode == RDMAP_WRITE,
			    NULL),
		   holds_of(f, "a Read Request",
			    f && f->seg.ddp.opcode == RDMAP_READ_REQUEST,
			    NULL)));
}

CASE(what_comes_before_the_ulp_posts,
     .title = "the FPDU that an initiator sends of its own accord without an "
	      "agreed RTR is recorded",
     .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a stream in the client-server model, */
	dut_dials(t, .exact = true, .sees_opening = true);
	struct startup_seen request = awaits_startup(t, MPA_7_1_2_01);
	if (request.enhanced.a)
		not_applicable(t, "the device's Requests are all of the "
				  "peer-to-peer model");
	peer_sends_startup(t, REPLY());
	full_operation(t);

	/* when a Write is posted, */
	dut_posts(t, POST_WRITE_N("posted", 6, PEER_SINK_STAG, PEER_SINK_TO));

	/* then it arrives first, or after a message without payload. */
	const struct frame *f = next_frame(t);
	bool own = f && is_empty_opening(f);
	if (own && f->seg.ddp.opcode == RDMAP_READ_REQUEST)
		peer_sends(t, READ_RESPONSE(f, "", 0));
	observe(t, EMPA_9_2_33, "%s comes first",
		!own                ? "what its ULP posted"
		: f->seg.ddp.tagged ? "a zero-length Write that nobody posted"
				    : "a zero-length Read that nobody posted");
	const struct frame *write = own ? next_frame(t) : f;
	must(t, RDMAP_1_2_01,
	     holds_of(write, "the posted Write",
		      write && write->seg.ddp.opcode == RDMAP_WRITE &&
			      message_begun(t).n == 6,
		      NULL));
	must(t, RDMAP_1_2_01, nothing_more());
	must(t, RDMAP_1_2_01, stream_works());
}

CASE(no_rtr_after_a_reject, .title = "no RTR follows a Reply that rejects",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);

	/* when a Reply that lists it rejects, */
	peer_sends_startup(t, REPLY(.enhanced = true, .r = true, .a = true,
				    .c = true, .ird = 16, .ord = 1));

	/* then the ULP has no stream, and no octet follows. */
	must(t, EMPA_9_2_32, agent_sees_no_stream());
	must(t, EMPA_9_2_32, nothing_more());
}
