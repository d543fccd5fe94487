/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.1: RDMA Write. */
#include "case.h"

#define MIB (1u << 20)

CASE(a_write_is_not_told_to_the_consumer,
     .title = "an RDMA Write of 1 MiB completes no receive and uses no buffer",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given two buffers waiting for Sends, and room for a Write, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region =
		dut_registers(t, .len = MIB, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the peer writes 1 MiB, and then sends, */
	const uint8_t *octets = pattern(t, MIB, 1);
	peer_sends(t, WRITE(region, 0, octets, MIB));
	peer_sends(t, SEND("after"));
	insists(t, RDMAP_4_8_31, no_terminate());

	/* then only the Send completes, with the first buffer. */
	must(t, RDMAP_5_1_02, delivered_text(sink_at(sinks, 0), "after"));
	must(t, RDMAP_5_1_02, not_delivered(sink_at(sinks, 1)));
	must(t, DDP_4_1_01,
	     memory_is(region, MIB - 4096, octets + MIB - 4096, 4096));
}

CASE(an_invalid_write_surfaces_an_error,
     .title = "an RDMA Write to an STag never issued ends the stream for the "
	      "ULP, too",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes by an STag that no buffer ever had, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "hello", 5));

	/* then the consumer learns of it. */
	must(t, RDMAP_5_1_03, agent_sees_end());
	must(t, DDP_7_1_20, terminate_if_any(TERM_DDP, 1, 0x00));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_buffer_may_begin_at_any_to,
     .title = "a Write is placed in a buffer whose first TO is neither zero "
	      "nor aligned",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer whose TO is odd, */
	struct region region =
		dut_registers(t, .len = 16, .skew = 3, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the peer writes to its first octets, and to its last, */
	peer_sends(t, WRITE(region, 0, "first", 5));
	peer_sends(t, WRITE(region, 12, "last", 4));

	/* then they are in their places. */
	may(t, RDMAP_5_1_04, is_not("its first TO", region.to, 0));
	must(t, DDP_4_2_07,
	     memory_is(region, 0, "first\0\0\0\0\0\0\0last", 16));
}

CASE(a_write_may_cover_part_of_a_buffer,
     .title = "a Write of one octet changes that octet and no other",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	struct region region = dut_registers(t, .len = 5, .access = FOR_WRITES);
	dut_fills(t, region, 0, "abcde", 5);
	connects(t, .crc = true);

	/* when the peer writes one octet in its middle, */
	peer_sends(t, WRITE(region, 2, "X", 1));

	/* then it has changed, and its neighbours have not. */
	may(t, RDMAP_5_1_05, memory_is(region, 2, "X", 1));
	must(t, DDP_4_1_01, memory_is(region, 0, "abXde", 5));
}

CASE(writes_go_out_in_posting_order,
     .title = "RDMA Writes are sent in the order they were posted",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer posts twenty, each with its number, */
	for (unsigned i = 0; i < 20; i++)
		dut_posts(t, POST_WRITE_N(octets_of(t, 4, i), 4, PEER_SINK_STAG,
					  PEER_SINK_TO));

	/* then they are seen in that order. */
	for (unsigned i = 0; i < 20; i++) {
		struct message m = awaits_given_message(t, RDMAP_WRITE);

		must(t, RDMAP_5_1_06,
		     octets_are(t, "the Write whose turn it is", m.octets, m.n,
				octets_of(t, 4, i), 4));
	}
}

CASE(each_write_has_one_target,
     .title = "Writes to two STags are two messages, each for its own buffer",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer writes to two buffers of the peer, end to end, */
	dut_posts(t, POST_WRITE_N("first", 5, 0x11111100, 0x1000));
	dut_posts(t, POST_WRITE_N("second", 6, 0x22222200, 0x1005));

	/* then each is a message of its own, and names its own. */
	struct message m = awaits_message(t, RDMAP_1_2_01, RDMAP_WRITE);
	must(t, RDMAP_5_1_08,
	     octets_are(t, "the first", m.octets, m.n, "first", 5));
	must(t, RDMAP_5_1_08,
	     is("its STag", m.frames[0]->seg.ddp.stag, 0x11111100));
	must(t, RDMAP_5_1_08, is("its TO", m.frames[0]->seg.ddp.to, 0x1000));
	m = awaits_message(t, RDMAP_1_2_01, RDMAP_WRITE);
	must(t, RDMAP_5_1_08,
	     octets_are(t, "the second", m.octets, m.n, "second", 6));
	must(t, RDMAP_5_1_08,
	     is("its STag", m.frames[0]->seg.ddp.stag, 0x22222200));
	must(t, RDMAP_5_1_08, is("its TO", m.frames[0]->seg.ddp.to, 0x1005));
}

CASE(a_zero_length_write_may_be_posted,
     .title = "a zero-length RDMA Write is one segment without a payload",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the consumer posts a Write of no octets and one of four, */
	dut_posts(t, POST_WRITE_N("", 0, PEER_SINK_STAG, PEER_SINK_TO));
	dut_posts(t, POST_WRITE_N("next", 4, PEER_SINK_STAG, PEER_SINK_TO));

	/* then the first is only a header, and the last of its message. */
	const struct frame *f = awaits(t, RDMAP_1_2_01, RDMAP_WRITE);
	may(t, RDMAP_5_1_09, is("payload octets", f->seg.payload_octets, 0));
	must(t, DDP_5_2_09, is("payload octets", f->seg.payload_octets, 0));
	must(t, DDP_5_2_09, is("L", f->seg.ddp.last, 1));
	must(t, RDMAP_1_2_01,
	     is("payload octets of the next",
		awaits_message(t, RDMAP_1_2_01, RDMAP_WRITE).n, 4));
}

CASE(a_zero_length_write_is_not_told_to_the_consumer,
     .title = "a hundred zero-length Writes complete no receive",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given two buffers waiting for Sends, and one to write, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);

	/* when a hundred empty Writes arrive before a Send, */
	for (unsigned i = 0; i < 100; i++)
		peer_sends(t, WRITE(r, i % 8, "", 0), .hold = true);
	peer_sends(t, SEND("after"));

	/* then there is one completion: the Send's. */
	insists(t, RDMAP_5_3_02,
		holds("the Send after the Writes completes its receive",
		      dut_receives(t, sink_at(sinks, 0)).ok));
	must(t, RDMAP_5_1_10, delivered_text(sink_at(sinks, 0), "after"));
	must(t, RDMAP_5_1_10, not_delivered(sink_at(sinks, 1)));
}
