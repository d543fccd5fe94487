/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5040 s5.2.2, s5.5, RFC 7306 s5.2.2, RFC 5041 s7.1: what one stream awaits
 * is taken on that stream only, and the end of another one changes nothing.
 */
#include "case.h"

CASE(a_response_is_taken_on_its_stream,
     .title = "a Read Response on another stream than that of its Request is "
	      "invalid, and the Read completes with its own",
     .needs = NEED_READ | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a Read on stream a, and stream b of the same domain, */
	struct region sink =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	unsigned a = connects(t);
	unsigned b = connects(t);
	on_stream(t, a);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response comes on b, */
	on_stream(t, b);
	peer_breaks(t, RDMAP_5_2_01);
	peer_sends(t, READ_RESPONSE(f, "astray..", 8));

	/* then b ends; a placement is not judged; */
	must(t, RDMAP_5_2_2_08, ends_unanswered());
	must(t, RDMAP_5_2_2_08, agent_sees_end());

	/* and the Read still waits for the one on a. */
	on_stream(t, a);
	must(t, RDMAP_5_2_2_08, not_completed(id));
	peer_sends(t, READ_RESPONSE(f, "expected", 8));
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, RDMAP_5_2_2_03, memory_is(sink, 0, "expected", 8));
}

CASE(an_atomic_response_is_taken_on_its_stream,
     .title = "an Atomic Response on another stream than that of its Request "
	      "is invalid, and the atomic completes with its own",
     .needs = NEED_FETCHADD | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a FetchAdd on stream a, and stream b of the same domain, */
	struct region result =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	unsigned a = connects(t);
	unsigned b = connects(t);
	on_stream(t, a);
	unsigned id = dut_posts(
		t, POST_FETCHADD(result, 0, PEER_SINK_STAG, PEER_SINK_TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response comes on b, */
	on_stream(t, b);
	peer_breaks(t, RDMAPX_5_2_1_25);
	peer_sends(t, ATOMIC_RESPONSE(f, 0x0666));

	/* then b ends, or holds it back for lack of an Atomic Request, */
	must(t, RDMAPX_5_2_2_07, any_of(t, ends_unanswered(), held_back()));

	/* and the atomic completes with the one on a. */
	on_stream(t, a);
	must(t, RDMAPX_5_2_2_07, not_completed(id));
	peer_sends(t, ATOMIC_RESPONSE(f, 5));
	must(t, RDMAPX_5_2_2_06, completed_with_value(id, 5));
}

CASE(a_receive_is_taken_on_its_stream,
     .title = "a Send on a stream without a receive takes none of another "
	      "stream",
     .needs = NEED_SEND | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given stream a without a receive, and b with one, */
	unsigned b = connects(t);
	struct sink sink = dut_posts_recv(t, 64);
	unsigned a = connects(t);

	/* when a Send comes on a, and then one on b, */
	on_stream(t, a);
	peer_sends(t, SEND("astray"));
	must(t, DDP_7_1_04, any_of(t, refuses_without_buffer(t), held_back()));
	on_stream(t, b);
	peer_sends(t, SEND("expected"));

	/* then the receive is completed by that on b. */
	must(t, DDP_7_1_04, delivered_text(sink, "expected"));
	on_stream(t, a);
}

CASE(a_write_goes_on_in_its_own_region,
     .title = "each segment of a Write is placed by its own STag if a Write to "
	      "another zero-based region, on another stream, comes between",
     .needs = NEED_WRITE | NEED_MULTI_STREAM | NEED_ZERO_BASED,
     .role = INITIATOR)
{
	/* Given two streams, a zero-based region for each, and half a Write on
	 * the first, */
	enum { HALF = 64, LEN = 4 * HALF };
	const uint8_t *p = pattern(t, LEN, 1), *q = pattern(t, LEN, 2);
	struct region mine = dut_registers(t, .len = LEN, .zero_based = true,
					   .access = FOR_WRITES);
	struct region theirs = dut_registers(t, .len = LEN, .zero_based = true,
					     .access = FOR_WRITES);
	unsigned a = connects(t);
	unsigned b = connects(t);
	on_stream(t, a);
	peer_sends(t, WRITE(mine, 0, p, HALF, .l = IS(0)));
	dut_has_its_turn(t);

	/* when a Write comes on the second, and then the other half, */
	on_stream(t, b);
	peer_sends(t, WRITE(theirs, 2 * HALF, q, HALF));
	insists(t, DDP_4_1_01, memory_is(theirs, 2 * HALF, q, HALF));
	on_stream(t, a);
	peer_sends(t, WRITE(mine, HALF, p + HALF, HALF));

	/* then both regions have what was sent to them, and nothing else. */
	must(t, DDP_5_2_04, memory_is(mine, 0, p, 2 * HALF));
	must(t, DDP_5_2_04,
	     memory_is(theirs, 0, octets_of(t, 2 * HALF, 0), 2 * HALF));
	must(t, DDP_5_2_04, memory_is(theirs, 2 * HALF, q, HALF));
}

/* The octets of the FPDU with the last octets of an untagged message. */
#define UNTAGGED_FPDU(octets) (((2 + 18 + (octets)) + 3) / 4 * 4 + 4)

CASE(immediate_data_goes_on_on_its_stream,
     .title = "Immediate Data in two segments, if it is taken, is delivered as "
	      "it was sent if half of another comes on another stream between "
	      "them",
     .needs = NEED_IMM | NEED_MULTI_STREAM | NEED_MPA, .role = INITIATOR)
{
	/* Given two streams, and a device that takes Immediate Data in two
	 * segments, as it need not, */
	unsigned a = connects(t);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	unsigned b = connects(t);
	struct sink theirs = dut_posts_recv(t, 64);
	on_stream(t, a);
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, IMM("in parts", .segment = 4));
	if (!dut_receives(t, sink_at(sinks, 0)).ok)
		not_applicable(t, "the device takes Immediate Data in one "
				  "segment only");

	/* when the halves of two come by turns, */
	peer_sends(t, IMM("mine too", .segment = 4),
		   .keep_last = UNTAGGED_FPDU(4));
	dut_has_its_turn(t);
	on_stream(t, b);
	peer_sends(t, IMM("theirs, ", .segment = 4),
		   .keep_last = UNTAGGED_FPDU(4));
	dut_has_its_turn(t);
	on_stream(t, a);
	peer_goes_on(t);

	/* then each is delivered as it was sent. */
	must(t, DDP_4_3_13, delivered_imm(sink_at(sinks, 1), "mine too"));
	on_stream(t, b);
	peer_goes_on(t);
	must(t, DDP_4_3_13, delivered_imm(theirs, "theirs, "));
}

CASE(a_reset_leaves_the_reads_of_other_streams,
     .title = "a Read completes although another stream of the device was "
	      "reset while it was under way",
     .needs = NEED_READ | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a Read on stream a, and stream b, */
	struct region sink =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	unsigned a = connects(t);
	unsigned b = connects(t);
	on_stream(t, a);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer resets b, and then answers the Read, */
	on_stream(t, b);
	peer_resets(t);
	dut_ends(t);
	on_stream(t, a);
	peer_sends(t, READ_RESPONSE(f, "expected", 8));

	/* then the Read completes. */
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, RDMAP_5_2_2_03, memory_is(sink, 0, "expected", 8));
}
