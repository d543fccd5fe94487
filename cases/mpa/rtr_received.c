/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s5, s9.2: a device as responder receives the RTR, and what it may do
 * before.
 */
#include "case.h"

CASE(responder_awaits_the_rtr,
     .title = "a responder in the peer-to-peer model is silent until the RTR",
     .needs = NEED_MPA | NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a stream on which the RTR is still to come, */
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);

	/* when Sends are queued at the responder, */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_SEND("two"));

	/* then no octet arrives before the RTR, and both may after it. */
	must(t, EMPA_5_04, nothing_more());
	peer_sends(t, WRITE_TO(0, 0, "", 0));
	awaits(t, EMPA_9_2_17, RDMAP_SEND);
	const struct frame *f = next_frame(t);
	may(t, EMPA_5_03,
	    holds_of(f, "the second posted Send",
		     f && f->seg.ddp.opcode == RDMAP_SEND, NULL));
	must(t, EMPA_9_2_17, stream_works());
}

CASE(peer_leaves_before_its_rtr,
     .title = "a reset of TCP before the peer's RTR is reported to the ULP",
     .needs = NEED_P2P, .destructive = true)
{
	/* Given a stream in the peer-to-peer model that was accepted, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t,
			   request_offering(RTR_SEND | RTR_WRITE | RTR_READ));
	awaits_reply(t);
	if (strcmp(dut_accepts(t).state, "rejected") == 0)
		not_applicable(t, "the device has rejected the Request");

	/* when the peer resets before its first FPDU, */
	peer_resets(t);

	/* then the loss is reported to the ULP, and the device keeps working. */
	must(t, MPA_8_01, agent_sees_fatal_end());
	dut_works(t);
}

struct stag_row {
	CASE_ROW;
	uint32_t stag;
};
static const struct stag_row rtr_stags[] = {
	{.id = "0", .stag = 0},
	{.id = "1", .stag = 1},
	{.id = "ffffffff", .stag = 0xffffffff},
};

CASE_EACH(
	write_rtr_is_accepted, struct stag_row, rtr_stags,
	.title = "a zero-length Write is accepted as RTR, whatever its STag is",
	.needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a responder with a Send queued, */
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the Write that was agreed on comes, */
	peer_sends(t, WRITE_TO(row->stag, 0x1000, "", 0));

	/* then the Send follows, and no Terminate. */
	awaits(t, EMPA_9_2_17, RDMAP_SEND);
	must(t, EMPA_9_2_17, stream_works());
	must(t, EMPA_9_2_17, no_terminate());
}

CASE(read_rtr_is_answered,
     .title = "a zero-length Read as RTR is answered, and uses up an MSN",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_SEND)
{
	/* Given a responder with a Send of one segment queued, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	peer_connects(t, .rtr = RTR_READ, .unproven = true);
	dut_posts(t, POST_SEND("q"));

	/* when the Read that was agreed on comes, */
	peer_sends(t, READ_FROM(0, 0, 0));

	/* then a Read Response without payload and the Send come, */
	const struct frame *f = next_frame(t), *g = next_frame(t);
	bool swapped = f && f->seg.ddp.opcode == RDMAP_SEND;
	const struct frame *response = swapped ? g : f;
	const struct frame *send = swapped ? f : g;
	must(t, EMPA_9_2_18,
	     holds_of(response, "a Read Response without payload",
		      response &&
			      response->seg.ddp.opcode == RDMAP_READ_RESPONSE &&
			      response->seg.payload_octets == 0,
		      NULL));
	must(t, EMPA_9_2_18,
	     holds_of(send, "the device's Send",
		      send && send->seg.ddp.opcode == RDMAP_SEND, NULL));
	/* and the next Read has the next MSN. */
	peer_sends(t, READ(r, 0, 8));
	struct message next =
		awaits_message(t, EMPA_9_2_20, RDMAP_READ_RESPONSE);
	must(t, EMPA_9_2_20, is("octets read", next.n, 8));
	must(t, EMPA_9_2_20, stream_works());
}

CASE(read_rtr_needs_no_stag,
     .title = "a zero-length Read is accepted as RTR, whatever source it names",
     .needs = NEED_P2P | NEED_RTR_READ)
{
	/* Given a stream on which a Read is to be the RTR, */
	peer_connects(t, .rtr = RTR_READ, .unproven = true);

	/* when the Read names an STag that does not exist, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0x1000, 0));

	/* then it is answered, and the stream continues. */
	const struct frame *f = awaits(t, RDMAP_5_2_1_12, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_12, is("payload octets", f->seg.payload_octets, 0));
	must(t, EMPA_9_2_20, stream_works());
}

CASE(read_rtr_leaves_own_msns_alone,
     .title = "behind a Read RTR of the peer, the device's own first Read has "
	      "MSN 1",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_READ)
{
	/* Given a stream whose RTR was a Read of the peer, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	peer_connects(t, .rtr = RTR_READ, .unproven = true,
		      .counts_reads = true);
	peer_sends(t, READ_FROM(0, 0, 0));
	awaits(t, EMPA_9_2_18, RDMAP_READ_RESPONSE);

	/* when the device reads for the first time, */
	dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* then it counts its own messages only. */
	must(t, DDP_4_3_05, is("MSN on queue 1", f->seg.ddp.msn, 1));
}

CASE(many_reads_follow_the_rtr,
     .title = "behind the RTR, Reads are answered one after the other, "
	      "however many they are",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_READ)
{
	/* Given a stream of the peer-to-peer model, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	peer_connects(t, .rtr = RTR_READ, .unproven = true);

	/* when the RTR is a Read, and 40 more follow one by one, */
	peer_sends(t, READ_FROM(0, 0, 0));
	awaits(t, EMPA_9_2_18, RDMAP_READ_RESPONSE);
	peer_sends(t, READ(r, 0, 8));
	awaits(t, EMPA_9_2_20, RDMAP_READ_RESPONSE);
	for (unsigned i = 1; i < 40; i++) {
		peer_sends(t, READ(r, 0, 8));

		/* then each of them is answered. */
		struct message m =
			awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
		must(t, RDMAP_5_2_1_09, is("octets read", m.n, 8));
	}
	must(t, RDMAP_5_2_1_09, stream_works());
}

CASE(what_comes_along_with_the_rtr_counts,
     .title = "a Send that arrives together with the RTR is delivered",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_SEND)
{
	/* Given a responder of the peer-to-peer model, */
	struct sink sink = dut_posts_recv(t, 64);
	peer_connects(t, .rtr = RTR_READ, .unproven = true);

	/* when the RTR and a Send come in one burst, */
	peer_sends(t, READ_FROM(0, 0, 0), .hold = true);
	peer_sends(t, SEND("along"));

	/* then both have their effect. */
	awaits(t, EMPA_9_2_18, RDMAP_READ_RESPONSE);
	must(t, DDP_5_4_01, delivered_text(sink, "along"));
}

CASE(send_rtr_is_accepted, .title = "a zero-length Send is accepted as RTR",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND)
{
	/* Given a responder with a receive posted and a Send queued, */
	dut_posts_recv(t, 64);
	peer_connects(t, .rtr = RTR_SEND, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the Send that was agreed on comes, */
	peer_sends(t, SEND(""));

	/* then the device's own follows, and no Terminate. */
	awaits(t, EMPA_9_2_19, RDMAP_SEND);
	must(t, EMPA_9_2_19, stream_works());
	must(t, EMPA_9_2_19, no_terminate());
}

CASE(send_rtr_takes_an_msn, .title = "the Send after a Send RTR has MSN 2",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND)
{
	/* Given a responder with two receives posted; the RTR may take one, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	peer_connects(t, .rtr = RTR_SEND, .unproven = true);

	/* when a Send follows the RTR, */
	peer_sends(t, SEND(""));
	insists(t, EMPA_9_2_19, stream_works());
	peer_sends(t, SEND("second", .msn = IS(2)));

	/* then it is delivered, into the first receive or the second. */
	must(t, EMPA_9_2_21,
	     any_of(t, delivered_text(sink_at(sinks, 0), "second"),
		    delivered_text(sink_at(sinks, 1), "second")));
}

CASE(a_later_empty_send_is_no_rtr,
     .title = "after a Send RTR, an empty Send takes a receive like any other",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND)
{
	/* Given a responder with three receives posted; the RTR may take one, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	peer_connects(t, .rtr = RTR_SEND, .unproven = true);

	/* when an empty Send and another one follow the RTR, */
	peer_sends(t, SEND(""));
	insists(t, EMPA_9_2_19, stream_works());
	bool taken = dut_has_received(t, sink_at(sinks, 0)).came;
	peer_sends(t, SEND(""));
	peer_sends(t, SEND("last"));

	/* then the first one is the next of its queue, and the empty one has
	 * taken a receive before the last one. */
	insists(t, EMPA_9_2_21,
		holds("a Send behind the RTR completes the first receive",
		      dut_receives(t, sink_at(sinks, 0)).ok));
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), ""));
	if (!taken) /* or its completion is reported late */
		must(t, RDMAP_5_3_02,
		     any_of(t, delivered_text(sink_at(sinks, 1), "last"),
			    delivered_text(sink_at(sinks, 2), "last")));
	else
		must(t, RDMAP_5_3_02,
		     delivered_text(sink_at(sinks, 2), "last"));
}

CASE(other_message_in_place_of_the_rtr,
     .title = "a responder's reaction to a Send as RTR where a Write was "
	      "agreed on is recorded",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a stream on which a Write is to be the RTR, */
	dut_works(t);
	struct sink sink = dut_posts_recv(t, 64);
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);

	/* when the first message is a Send, */
	peer_breaks(t, EMPA_5_01);
	peer_sends(t, SEND("first"), .early = true);

	/* then it is delivered, or a Terminate comes. */
	struct completion c = dut_receives(t, sink);
	observe(t, EMPA_9_2_22, "the Send is %s",
		c.came && c.ok ? "delivered" : "not delivered");
}
