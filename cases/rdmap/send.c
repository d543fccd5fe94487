/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.3: Send in its four kinds; s7.2: its checks. */
#include "case.h"

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "send_with_se_and_invalidate", .opcode = RDMAP_SEND_SE_INV},
};

#define NEED_ALL_SENDS (NEED_SEND_INV | NEED_SEND_SE | NEED_SEND_SE_INV)

/* If this kind has an STag to invalidate, it is this one. */
static uint32_t named_by(const struct kind *k, struct region r)
{
	return k->opcode == RDMAP_SEND_SE ? 0 : r.stag;
}

CASE(each_send_uses_one_receive,
     .title = "each Send uses up one receive buffer, the oldest",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given three buffers waiting for Sends, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	connects(t, .crc = true);

	/* when the peer sends three Sends, */
	peer_sends(t, SEND("first"));
	peer_sends(t, SEND("the second"));
	peer_sends(t, SEND("3rd"));

	/* then each completes the receive whose turn it is. */
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), "first"));
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 1), "the second"));
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 2), "3rd"));
}

CASE(receives_of_both_kinds_are_used_in_turn,
     .title = "receives in a region and receives without one are used in the "
	      "order posted",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive in a region between two others, */
	struct region buffer =
		dut_registers(t, .len = 64, .access = FOR_RESULTS);
	struct sink first = dut_posts_recv(t, 64);
	struct sink second = dut_posts_recv_in(t, buffer, 0, 64);
	struct sink third = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends three Sends, */
	peer_sends(t, SEND("first"));
	peer_sends(t, SEND("the second"));
	peer_sends(t, SEND("3rd"));

	/* then each completes the receive whose turn it is. */
	must(t, RDMAP_5_3_02, delivered_text(first, "first"));
	must(t, RDMAP_5_3_02, delivered_text(second, "the second"));
	must(t, RDMAP_5_3_02, delivered_text(third, "3rd"));
}

CASE(a_send_may_be_smaller_than_its_buffer,
     .title = "a Send of 10 octets is delivered into a buffer of 100",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive buffer of 100 octets, */
	struct region buffer =
		dut_registers(t, .len = 100, .access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, buffer, 0, 100);
	connects(t, .crc = true);

	/* when the peer sends 10 octets, */
	peer_sends(t, SEND("0123456789"));

	/* then the completion reports 10; no rule is about the other 90. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "0123456789"));
	must(t, DDP_4_1_02, memory_is(buffer, 0, "0123456789", 10));
	may(t, RDMAP_5_3_03, delivered_text(sink, "0123456789"));
}

CASE_EACH(a_send_longer_than_its_buffer_is_refused, struct kind, kinds,
	  .title = "a Send one octet longer than its buffer is not delivered, "
		   "and nothing is invalidated",
	  .needs = NEED_SEND | NEED_READ | NEED_ALL_SENDS, .role = EITHER)
{
	/* Given a buffer of 100 octets and an STag, */
	struct sink sink = dut_posts_recv(t, 100);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer sends 101 octets, naming the STag if it can, */
	peer_sends(t, SEND_KIND(row->opcode, pattern(t, 101, 1), 101,
				.inval = named_by(row, region)));

	/* then the receive does not complete, the stream ends, */
	must(t, RDMAP_5_3_04, not_delivered(sink));
	must(t, RDMAP_5_3_04, terminate_if_any(TERM_DDP, 2, 0x05));
	should(t, RDMAP_6_2_1_01, terminate_any());

	/* and on the next stream the STag is still good. */
	connects(t, .crc = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_3_04, RDMAP_READ_RESPONSE);
}

CASE(sends_are_delivered_in_order,
     .title = "a hundred Sends in one burst are delivered in the order sent",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given as many buffers, */
	struct sink sinks = dut_posts_recvs(t, 100, 16);
	connects(t, .crc = true);

	/* when the peer sends a hundred Sends, each with its number, */
	for (unsigned i = 0; i < 100; i++)
		peer_sends(t, SEND_N(octets_of(t, 4, i), 4), .hold = i < 99);

	/* then each is in the buffer of that number, and is reported like
	 * that. */
	for (unsigned i = 0; i < 100; i++)
		must(t, RDMAP_5_3_05,
		     delivered(sink_at(sinks, i), octets_of(t, 4, i), 4));
	unsigned in_order = 1;
	while (in_order < 100 &&
	       dut_receives(t, sink_at(sinks, in_order)).place ==
		       dut_receives(t, sink_at(sinks, in_order - 1)).place + 1)
		in_order++;
	must(t, RDMAP_5_3_05,
	     is("receives reported in the order of the Sends", in_order, 100));
}

CASE(a_send_with_se_may_raise_an_event,
     .title = "a Send with Solicited Event is delivered, and may raise an "
	      "Event",
     .needs = NEED_SEND | NEED_SEND_SE, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends a Send with Solicited Event, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE, "wake up", 7));

	/* then it is delivered, and may raise an Event at the consumer. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "wake up"));
	may(t, RDMAP_5_3_06,
	    tells_se(sink, true, "the completion reports a Solicited Event"));
}

CASE(receives_alike_in_several_regions_have_their_own_send,
     .title =
	     "of Sends to receives at the same offset of several regions, each "
	     "is in its own region",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	enum { REGIONS = 4, LEN = 32, WHERE = 16 };
	struct region r[REGIONS];
	struct sink sink[REGIONS];

	/* Given receives that differ in their region only, */
	for (unsigned i = 0; i < REGIONS; i++) {
		r[i] = dut_registers(t, .len = 64, .access = FOR_RESULTS);
		sink[i] = dut_posts_recv_in(t, r[i], WHERE, LEN);
	}
	connects(t);

	/* when as many Sends come, */
	for (unsigned i = 0; i < REGIONS; i++)
		peer_sends(t, SEND_N(pattern(t, LEN, i), LEN));

	/* then each is in the region of its receive. */
	for (unsigned i = 0; i < REGIONS; i++)
		must(t, DDP_4_1_02,
		     delivered(sink[i], pattern(t, LEN, i), LEN));
	for (unsigned i = 0; i < REGIONS; i++)
		must(t, DDP_4_1_02,
		     memory_is(r[i], WHERE, pattern(t, LEN, i), LEN));
}

CASE(a_send_with_se_and_invalidate_may_raise_an_event,
     .title = "a Send with Solicited Event and Invalidate is delivered, and "
	      "may raise an Event",
     .needs = NEED_SEND | NEED_SEND_SE_INV, .role = EITHER)
{
	/* Given a buffer waiting and an STag to give up, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer sends a Send with SE and Invalidate, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE_INV, "wake up", 7,
				.inval = region.stag));

	/* then it is delivered, and may raise an Event at the consumer. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "wake up"));
	may(t, RDMAP_5_3_08,
	    tells_se(sink, true, "the completion reports a Solicited Event"));
}

CASE(a_plain_send_need_not_raise_an_event,
     .title = "a Send without Solicited Event need not raise an Event",
     .needs = NEED_SEND | NEED_SEND_SE, .role = EITHER)
{
	/* Given two buffers waiting, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);

	/* when a plain Send is followed by one with Solicited Event, */
	peer_sends(t, SEND("sleep on"));
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE, "wake up", 7));

	/* then both are delivered, and the first may ask for no Event. */
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), "sleep on"));
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 1), "wake up"));
	may(t, RDMAP_5_3_07,
	    tells_se(sink_at(sinks, 0), false,
		     "the first reports no Solicited Event"));
}

CASE(a_zero_length_send_uses_a_receive,
     .title = "a zero-length Send uses up a receive buffer", .needs = NEED_SEND,
     .role = EITHER)
{
	/* Given two buffers waiting, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);

	/* when a Send without a payload arrives before one that has it, */
	peer_sends(t, SEND(""));
	peer_sends(t, SEND("next"));

	/* then it completes the first, and the next uses the second. */
	must(t, RDMAP_5_3_12, delivered_text(sink_at(sinks, 0), ""));
	must(t, RDMAP_5_3_12, delivered_text(sink_at(sinks, 1), "next"));
}

CASE(a_zero_length_send_fits_a_receive_without_room,
     .title = "a zero-length Send uses up a receive buffer of length zero",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive without room, and another behind it, */
	struct sink empty = dut_posts_recv(t, 0);
	struct sink other = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when a Send without a payload arrives before one that has it, */
	peer_sends(t, SEND(""));
	peer_sends(t, SEND("next"));

	/* then it completes the first, and the next uses the second. */
	must(t, RDMAP_5_3_12, delivered_text(empty, ""));
	must(t, RDMAP_5_3_12, delivered_text(other, "next"));
}

CASE(sends_go_out_in_posting_order,
     .title = "Sends are sent in the order they were posted",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer posts a hundred Sends, each with its number, */
	for (unsigned i = 0; i < 100; i++)
		dut_posts(t, POST_SEND_N(octets_of(t, 4, i), 4));

	/* then they are seen in that order. */
	for (unsigned i = 0; i < 100; i++) {
		struct message m = awaits_message(t, RDMAP_5_3_10, RDMAP_SEND);

		must(t, RDMAP_5_3_10,
		     octets_are(t, "the Send whose turn it is", m.octets, m.n,
				octets_of(t, 4, i), 4));
	}
}

CASE(a_zero_length_send_may_be_posted,
     .title = "a zero-length Send is one segment without a payload",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer posts a Send of no octets and one of four, */
	dut_posts(t, POST_SEND(""));
	dut_posts(t, POST_SEND("next"));

	/* then the first is only a header, and the last of its message. */
	const struct frame *f = awaits(t, RDMAP_5_3_10, RDMAP_SEND);
	may(t, RDMAP_5_3_11, is("payload octets", f->seg.payload_octets, 0));
	must(t, DDP_5_2_09, is("payload octets", f->seg.payload_octets, 0));
	must(t, DDP_5_2_09, is("L", f->seg.ddp.last, 1));
	must(t, RDMAP_5_3_10,
	     is("payload octets of the next",
		awaits_message(t, RDMAP_5_3_10, RDMAP_SEND).n, 4));
}

CASE_EACH(the_queue_of_a_send_is_validated, struct kind, kinds,
	  .title = "a Send on a queue that does not exist is not delivered, "
		   "and nothing is invalidated",
	  .needs = NEED_SEND | NEED_READ | NEED_ALL_SENDS, .role = EITHER)
{
	/* Given a buffer waiting and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer sends to Queue Number 7, */
	peer_sends(t, SEND_KIND(row->opcode, "hello", 5, .qn = IS(7),
				.inval = named_by(row, region)));

	/* then nothing is delivered, the stream ends for that reason, */
	must(t, RDMAP_7_2_01, not_delivered(sink));
	must(t, RDMAP_7_2_01, refuses_queue(t));
	should(t, RDMAP_6_2_1_01, terminate_any());

	/* and on the next stream the STag is still good. */
	connects(t, .crc = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_7_2_01, RDMAP_READ_RESPONSE);
}

CASE_EACH(the_version_of_a_send_is_validated, struct kind, kinds,
	  .title = "a Send with RDMAP version 2 is not delivered, and the "
		   "Terminate says so",
	  .needs = NEED_SEND | NEED_ALL_SENDS, .role = EITHER)
{
	/* Given a buffer waiting and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer sends a Send whose only fault is its RV, */
	peer_sends(t, SEND_KIND(row->opcode, "hello", 5, .rv = IS(2),
				.inval = named_by(row, region)));

	/* then it is not delivered, and the version is named. */
	must(t, RDMAP_7_2_03, not_delivered(sink));
	must(t, RDMAP_7_2_03, terminate(TERM_RDMA, 2, 0x05));
}

CASE(half_a_send_ends_with_its_stream,
     .title = "the first Send of a stream is delivered behind a stream that "
	      "ended inside a Send",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream that has ended behind the first half of a Send, */
	connects(t);
	dut_posts_recv(t, 64);
	peer_sends(t, SEND("half", .l = IS(0)));
	peer_closes(t);
	dut_ends(t);

	/* when the next is up, and its first message is a Send, */
	connects(t, .unproven = true);
	struct sink sink = dut_posts_recv(t, 64);
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		awaits_given(t, RDMAP_WRITE);
	}
	peer_sends(t, SEND("whole"));

	/* then it is delivered as it is. */
	must(t, RDMAP_5_3_02, delivered_text(sink, "whole"));
	must(t, RDMAP_5_3_02, stream_works());
}
