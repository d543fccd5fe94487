/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of the kinds and shapes that operations.c leaves out, as plain as
 * possible: with SE, Immediate Data twice, long or at an odd TO, and Read
 * Responses of several segments. A rule that is tested with such a message
 * proves nothing on a device that does not take it at all.
 */
#include "case.h"

#define LEN  100u /* octets of a Response, in segments of */
#define PART 40u
#define OFF  8u    /* and its place in the buffer */
#define LONG 4096u /* octets of a Write, */
#define FULL 1440u /* and those that an Ethernet frame has room for */

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

CASE(sends_with_se_come_in_their_order, .founds = FOUNDATION_SE_SENDS_TAKEN,
     .title = "Sends with SE each complete a receive, in the order sent",
     .needs = NEED_SEND | NEED_SEND_SE | NEED_READ, .role = EITHER)
{
	/* Given receives, when a Send with SE and a Read go out in one burst, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	connects(t);
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE, "one", 3), .hold = true);
	peer_sends(t, READ_FROM(0, 0, 0));
	awaits_given(t, RDMAP_READ_RESPONSE);

	/* then the Send is delivered, and not after the answer to the Read; */
	bool in_time = dut_has_received(t, sink_at(sinks, 0)).ok;
	if (!in_time)
		known_answer(t);
	bool delivered_at_all = dut_receives(t, sink_at(sinks, 0)).ok;
	insists(t, RDMAP_B_02,
		holds_else(t,
			   "the Send completes before the Read behind it is "
			   "answered",
			   in_time || !delivered_at_all,
			   "the Send completes only after that"));
	insists(t, RDMAP_5_3_02,
		holds("the receive completes with success", delivered_at_all));

	/* and so is the next one. */
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE, "two", 3));
	must(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 1), "two"));
}

CASE(immediate_data_comes_in_its_order, .founds = FOUNDATION_IMMS_TAKEN,
     .title = "Immediate Data uses a receive of its own, and so does the "
	      "message behind it",
     .needs = NEED_IMM | NEED_SEND, .role = EITHER)
{
	/* Given receives, when the peer sends Immediate Data, and a Send, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	connects(t);
	peer_sends(t, IMM(EIGHT));
	dut_receives(t, sink_at(sinks, 0));
	peer_sends(t, SEND("hello"));
	struct completion first = dut_receives(t, sink_at(sinks, 0));
	struct completion second = dut_receives(t, sink_at(sinks, 1));
	bool refused =
		!second.ok && (the_terminate(t) || *how_tcp_stands(t) != 'o');

	/* then the MSN of the Send is the next one, and each completes one. */
	insists(t, RDMAPX_6_3_13,
		holds_else(t, "the Send is not refused", !first.ok || !refused,
			   "the first receive has completed, and the Send ends "
			   "the stream"));
	must(t, RDMAPX_6_3_02,
	     holds_else(
		     t,
		     "the Send completes the second receive if the Immediate "
		     "Data has completed the first",
		     !first.ok || second.ok,
		     "the first receive has completed, and the second has "
		     "not"));
}

CASE(a_write_may_begin_anywhere, .founds = FOUNDATION_WRITES_ANYWHERE,
     .title = "an RDMA Write is placed at its TO, be that odd or even",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, when the peer writes at an odd TO, it is there. */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 11, EIGHT, 8));
	known_answer(t);
	known_answer(t);
	must(t, DDP_4_2_07, memory_is(r, 11, EIGHT, 8));
}

CASE(a_long_write_is_placed, .founds = FOUNDATION_LONG_WRITES_TAKEN,
     .title = "an RDMA Write of 4096 octets is placed, in segments of 1440 "
	      "octets and in the longest that the path has",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, when the peer writes much in several segments, */
	const uint8_t *octets = pattern(t, 2 * LONG, 1);
	struct region r =
		dut_registers(t, .len = 2 * LONG, .access = FOR_WRITES);
	connects(t);
	bool fits = peer_mulpdu(t) >= FULL + DDP_TAGGED_OCTETS;
	peer_sends(t, WRITE(r, 0, octets, LONG, .segment = fits ? FULL : 0));
	known_answer(t);
	known_answer(t);
	insists(t, MPA_3_05, memory_is(r, 0, octets, LONG));

	/* or in one, then all octets are there. */
	peer_sends(t, WRITE(r, 1000, octets + 1000, LONG));
	known_answer(t);
	known_answer(t);
	must(t, MPA_3_05, memory_is(r, 1000, octets + 1000, LONG));
}

CASE(a_response_of_several_segments_is_taken,
     .founds = FOUNDATION_RESPONSES_TAKEN,
     .title = "a Read of the device completes with the last segment of its "
	      "Response, and not before",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads, */
	const uint8_t *octets = pattern(t, LEN, 1);
	struct region r =
		dut_registers(t, .len = LEN + 8, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(
		t, POST_READ(r, 0, LEN, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response comes without its last segment, it waits; */
	struct msg m = READ_RESPONSE(f, octets, PART, .l = IS(0));
	peer_sends(t, m);
	dut_has_its_turn(t);
	insists(t, RDMAP_5_5_15,
		holds("no completion before the last segment",
		      !dut_has_completed(t, id).came));

	/* when that comes, too, it is complete. */
	m.octets = octets + PART;
	m.n = LEN - PART;
	m.to_field = IS(m.to + PART);
	m.l = IS(1);
	peer_sends(t, m);
	must(t, RDMAP_5_2_2_03, completed(id));
}

CASE(a_read_into_the_middle_of_a_buffer_completes,
     .founds = FOUNDATION_READS_INSIDE,
     .title = "a Read of the device names the place in its buffer that the "
	      "ULP asked for, and its Response completes it",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, when the ULP reads into its middle, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(
		t, POST_READ(r, OFF, 5, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* then the octets go there, and complete it. */
	peer_sends(t, READ_RESPONSE(f, "hello", 5));
	insists(t, RDMAP_4_4_01, names_sink(f, r, OFF));
	must(t, RDMAP_5_2_2_03, completed(id));
}
