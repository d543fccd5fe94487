/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s3, s4.3, s6, s7.1.5, s8, A.5.2: FPDUs whose TCP segments arrive
 * late, duplicated, reordered, or with other octets.
 */
#include "case.h"

/* --- framing ---------------------------------------------------------------- */

struct cutting {
	CASE_ROW;
	size_t every;
};

static const struct cutting cuttings[] = {
	{.id = "every_7", .every = 7},
	{.id = "every_20", .every = 20},
	{.id = "every_33", .every = 33},
	{.id = "every_100", .every = 100},
};

CASE_EACH(segments_out_of_order_do_not_break_framing, struct cutting, cuttings,
	  .title =
		  "FPDUs whose TCP segments come out of order are delivered in "
		  "order",
	  .needs = NEED_SEND | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a buffer for a Write and two for Sends, */
	struct region r = dut_registers(t, .len = 512, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	const uint8_t *data = pattern(t, 512, 1);
	connects(t);

	/* when each two segments change places, unaligned, */
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, WRITE(r, 0, data, 512), .hold = true);
	peer_sends(t, SEND("second"), .cuts = CUT_EVERY(row->every),
		   .order = ORDER_SWAPPED);

	/* then all arrives, in the order sent. */
	must(t, MPA_6_04, delivered_text(sink_at(sinks, 0), "first"));
	must(t, MPA_6_04, delivered_text(sink_at(sinks, 1), "second"));
	must(t, MPA_6_04, memory_is(r, 0, data, 512));
	must(t, MPA_6_04, stream_works());
}

CASE(other_boundaries_change_nothing,
     .title = "octets that arrive again in TCP segments with other boundaries "
	      "are delivered once",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given three receives, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	connects(t);

	/* when the middle one of three segments arrives within a larger one,
	 * with octets before and after it that have already arrived, */
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, SEND("second"), .cuts = CUT_EVERY(22),
		   .order = ORDER(1, 3));
	peer_resends(t, 64 - 11, 44);
	peer_releases(t);

	/* then each message is delivered once. */
	must(t, MPA_6_06, delivered_text(sink_at(sinks, 0), "first"));
	must(t, MPA_6_06, delivered_text(sink_at(sinks, 1), "second"));
	must(t, MPA_6_06, not_delivered(sink_at(sinks, 2)));
	must(t, MPA_6_06, stream_works());
}

CASE(other_octets_in_place_of_old_ones,
     .title = "acknowledged octets stay as they are when other octets arrive "
	      "in their place",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write that has been taken, and another one across its place, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 8, "early", 5));
	must(t, MPA_6_05, memory_is(r, 8, "early", 5));
	peer_sends(t, WRITE(r, 4, "all of it", 9));
	must(t, MPA_6_05, memory_is(r, 4, "all of it", 9));

	/* when all that was sent comes again, full of other octets, */
	uint32_t all = peer_offset(t);
	peer_resends_others(t, all, octets_of(t, all, 0x55), all);

	/* then the memory is unchanged, and the stream continues. */
	must(t, MPA_6_05, memory_is(r, 4, "all of it", 9));
	must(t, MPA_6_05, stream_works());
}

CASE(other_octets_make_no_other_message,
     .title = "a delivered Send is not delivered again when its TCP segment "
	      "arrives again with another payload",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given a Send that has been delivered, and one more receive, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);
	peer_sends(t, SEND("hello"));
	must(t, MPA_6_05, delivered_text(sink_at(sinks, 0), "hello"));

	/* when its segment comes again, with one letter changed, */
	uint8_t *again = octets_sent(t, 32);
	again[20] = 'j';
	peer_resends_others(t, 32, again, 32);

	/* then there is no other completion. */
	must(t, MPA_6_05, not_delivered(sink_at(sinks, 1)));
	must(t, MPA_6_05, stream_works());
}

/* --- a hole ------------------------------------------------------------------- */

CASE(a_write_behind_a_hole,
     .title = "a Write after a missing TCP segment may be placed at once; "
	      "Sends wait",
     .needs = NEED_WRITE | NEED_SEND | NEED_MARKERS_RX, .segments = true,
     .role = EITHER)
{
	/* Given a device that wants markers, and a missing segment, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .dut_markers = true);
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, WRITE(r, 0, "data", 4), .hold = true);
	peer_withholds(t, 1);

	/* when the octets after it are complete, and then the hole is
	 * filled, */
	peer_sends(t, SEND("second"));
	bool early = dut_has_received(t, sink_at(sinks, 0)).came ||
		     dut_has_received(t, sink_at(sinks, 1)).came;
	const uint8_t *seen = dut_memory(t, r, 0, 4);
	bool placed = memcmp(seen, "data", 4) == 0;
	bool nothing = memcmp(seen, "\0\0\0\0", 4) == 0;
	peer_releases(t);

	/* then the Write came whole, before or after, and the Sends after. */
	should(t, MPA_3_09,
	       any_of(t,
		      holds("the Write is placed before the hole is filled",
			    placed),
		      holds("the Write is placed only after the hole is filled",
			    nothing)));
	must(t, DDP_5_4_01,
	     holds("no Send completes before the hole is filled", !early));
	must(t, MPA_4_3_25, delivered_text(sink_at(sinks, 0), "first"));
	must(t, MPA_4_3_25, delivered_text(sink_at(sinks, 1), "second"));
	must(t, RDMAP_5_5_03, memory_is(r, 0, "data", 4));
}

CASE(a_hole_among_marked_fpdus,
     .title = "with markers, FPDUs around a missing TCP segment are delivered "
	      "in order once it has arrived",
     .needs = NEED_WRITE | NEED_SEND | NEED_MARKERS_RX, .segments = true,
     .role = EITHER)
{
	/* Given a device that strips a marker inside an FPDU, */
	struct sink first = dut_posts_recv(t, 1024);
	connects(t, .dut_markers = true);
	peer_sends(t, SEND_N(pattern(t, 600, 3), 600));
	insists(t, MPA_4_3_17, delivered(first, pattern(t, 600, 3), 600));
	peer_closes(t);

	/* and many in a stream, */
	struct region r = dut_registers(t, .len = 2048, .access = FOR_WRITES);
	const uint8_t *data = pattern(t, 2048, 1);
	connects(t, .dut_markers = true);
	struct sink sinks = dut_posts_recvs(t, 2, 1024);

	/* when one of many segments, unaligned, arrives after all others, */
	peer_sends(t, SEND_N(data, 400), .hold = true);
	peer_sends(t, WRITE(r, 0, data, 2048, .segment = 300), .hold = true);
	peer_withholds(t, 2);
	peer_sends(t, SEND_N(data + 700, 400), .cuts = CUT_EVERY(310));
	bool early = dut_has_received(t, sink_at(sinks, 0)).came ||
		     dut_has_received(t, sink_at(sinks, 1)).came;
	peer_releases(t);

	/* then nothing was delivered before, and all is after. */
	must(t, MPA_4_3_25,
	     holds("nothing is delivered before the hole is filled", !early));
	must(t, MPA_4_3_25, delivered(sink_at(sinks, 0), data, 400));
	must(t, MPA_4_3_25, delivered(sink_at(sinks, 1), data + 700, 400));
	must(t, MPA_4_3_25, memory_is(r, 0, data, 2048));
	must(t, MPA_4_3_25, stream_works());
}

CASE(a_wrong_marker_behind_a_hole,
     .title = "a marker that disagrees is detected when the hole before it is "
	      "filled",
     .needs = NEED_SEND | NEED_MARKERS_RX, .segments = true, .role = EITHER)
{
	/* Given a device that wants markers, 72 octets before one, */
	struct sink sinks = dut_posts_recvs(t, 3, 1024);
	connects(t, .dut_markers = true);
	size_t n = send_payload_up_to(t, 512 - 72);
	peer_sends(t, SEND_N(pattern(t, n, 1), n));

	/* when an FPDU arrives before its predecessor, and its marker points to
	 * another place, under a correct CRC, */
	const uint8_t *payload = pattern(t, 100, 2);
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, SEND_N(payload, 100, .marker_pointer_add = IS(4)),
		   .order = ORDER(2, 1));

	/* then that is an error of its own; a receiver to which TCP shows
	 * everything in order may not notice. */
	should(t, MPA_8_04,
	       any_of(t, delivered(sink_at(sinks, 2), payload, 100),
		      terminate_if_any(TERM_LLP, 0, 0x03),
		      terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
}

/* --- a bad segment, and a good one instead -------------------------------- */

CASE(a_segment_with_a_wrong_crc_and_then_a_right_one,
     .title = "an FPDU with a wrong CRC that arrives again without the fault "
	      "is accepted then, or has ended the stream",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given a stream with CRCs, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON);

	/* when an FPDU has one bit wrong, and then its segment comes again as
	 * it should have been, */
	peer_sends(t, SEND("hello", .flip = IS(8 * 20)));
	uint8_t *right = octets_sent(t, 32);
	right[20] ^= 0x80;
	peer_resends_others(t, 32, right, 32);

	/* then what TCP acknowledged the first time counts, or nothing. */
	may(t, MPA_8_08,
	    any_of(t, terminate_if_any(TERM_LLP, 0, 0x02),
		   terminate_if_any(TERM_RDMA, 0, 0x00),
		   delivered_text(sink, "hello")));
}

/* --- startup -------------------------------------------------------------------- */

CASE(a_startup_frame_that_comes_again,
     .title = "the peer's startup frame is not treated as FPDUs when TCP sends "
	      "it again",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given a startup that both ends have completed, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .unproven = true);

	/* when the peer's frame of 20 octets comes again, */
	peer_resends(t, 20, 20);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);
	peer_sends(t, SEND("hello"));

	/* then the first FPDU is the one after it. */
	must(t, MPA_7_1_5_01, delivered_text(sink, "hello"));
	must(t, MPA_7_1_5_01, stream_works());
}

CASE(a_startup_frame_that_is_not_acknowledged,
     .title = "the device's startup frame is not treated as an FPDU when TCP "
	      "sends it again",
     .needs = NEED_SEND, .segments = true, .waits = true)
{
	/* Given a peer that does not acknowledge, */
	struct sink sink = dut_posts_recv(t, 64);
	dut_listens(t);
	peer_opens_tcp(t);
	peer_acknowledges(t, false);

	/* when the Reply comes, and comes again (only time makes TCP do so),
	 * before the first FPDU, */
	peer_sends_startup(t, REQUEST());
	awaits_startup(t, MPA_7_1_5_01);
	if (!dut_sends_again(t)) /* TCP chooses when */
		not_applicable(t,
			       "the device's TCP has not sent the Reply "
			       "again so far: a larger --timeout-scale waits "
			       "longer");
	peer_acknowledges(t, true);
	full_operation(t);
	peer_sends(t, SEND("hello"));

	/* then it is accepted, and answers begin after one Reply. */
	must(t, MPA_7_1_5_01, delivered_text(sink, "hello"));
	must(t, MPA_7_1_5_01, stream_works());
}

/* --- many small segments ---------------------------------------------------------- */

CASE(fpdus_in_segments_of_8_octets,
     .title = "FPDUs of the local MTU's size are reassembled from TCP segments "
	      "of 8 octets",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a path of 1460 octets, */
	struct sink sinks = dut_posts_recvs(t, 2, 2048);
	connects(t, .mss = 1460);
	size_t n = peer_mulpdu(t) - 18;
	const uint8_t *payload = pattern(t, 2 * n, 1);

	/* when FPDUs that fill it arrive in pieces, the last one held back
	 * until the device has seen the others, */
	peer_sends(t, SEND_N(payload, n, .segment = n), .cuts = CUT_EVERY(8));
	should(t, MPA_A_5_2_01, delivered(sink_at(sinks, 0), payload, n));
	peer_sends(t, SEND_N(payload + n, n, .segment = n),
		   .cuts = CUT_EVERY(8), .keep_last = 8);
	should(t, MPA_A_5_2_01, nothing_more());
	peer_goes_on(t);

	/* then both are delivered. */
	should(t, MPA_A_5_2_01, delivered(sink_at(sinks, 1), payload + n, n));
	should(t, MPA_A_5_2_01, stream_works());
}
