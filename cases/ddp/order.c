/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s3, s5.3, s5.4, s6.2.1, s7.1: placement and delivery when TCP loses
 * segments, repeats them or changes their order; a window that is shut.
 */
#include "case.h"

/* --- placement --------------------------------------------------------------- */

CASE(a_duplicate_is_not_placed,
     .title = "a Write that was placed is not placed again when its TCP "
	      "segment arrives again",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write that has been placed, and other octets put there since
	 * by the device itself, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 0, "peer", 4));
	must(t, DDP_3_02, memory_is(r, 0, "peer", 4));
	uint32_t back = peer_offset(t);
	dut_fills(t, r, 0, "self", 4);

	/* when the segment comes again, with all that was sent, */
	peer_resends(t, back, back);

	/* then the memory keeps what the device put there. */
	must(t, DDP_3_02, stream_works());
	must(t, DDP_3_02, memory_is(r, 0, "self", 4));
}

CASE(writes_may_overtake_each_other,
     .title = "two Writes whose TCP segments change places are both placed "
	      "before the Send after them completes",
     .needs = NEED_WRITE | NEED_SEND | NEED_MARKERS_RX, .segments = true,
     .role = EITHER)
{
	/* Given a device that wants markers, and a missing segment, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .dut_markers = true);
	peer_sends(t, WRITE(r, 0, "one", 3), .hold = true);
	peer_sends(t, WRITE(r, 32, "two", 3), .hold = true);

	/* when the first Write arrives after the second and a Send, */
	peer_sends(t, SEND("end"), .order = ORDER(2, 3));
	bool second_first = memcmp(dut_memory(t, r, 32, 3), "two", 3) == 0;
	peer_releases(t);
	bool sent = dut_receives(t, sink).ok;
	insists(t, MPA_4_3_25, stream_works());
	bool both = memcmp(dut_memory(t, r, 0, 3), "one", 3) == 0 &&
		    memcmp(dut_memory(t, r, 32, 3), "two", 3) == 0;

	/* then either may be placed first, and the Send covers both. */
	may(t, DDP_3_03,
	    any_of(t,
		   holds("the second Write is placed first, and both before "
			 "the Send completes",
			 second_first && sent && both),
		   holds("both Writes are placed in order before the Send "
			 "completes",
			 !second_first && sent && both)));
}

CASE(half_a_send_may_be_placed_early,
     .title = "the second segment of a Send may be placed before the first has "
	      "arrived; the Send is delivered with both",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .segments = true, .role = EITHER)
{
	/* Given a receive buffer whose contents can be read, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, 0, 64);
	connects(t);

	/* when the second of two DDP segments arrives first, */
	peer_sends(t, SEND("halfhalf", .segment = 4), .order = ORDER(2));
	bool early = memcmp(dut_memory(t, r, 4, 4), "half", 4) == 0;
	bool told = dut_has_received(t, sink).came;
	peer_releases(t);
	struct completion c = dut_receives(t, sink);
	bool whole = dut_received(t, c, "halfhalf", 8) &&
		     memcmp(dut_memory(t, r, 0, 8), "halfhalf", 8) == 0;

	/* then only placement may have been early. */
	may(t, DDP_5_3_04,
	    any_of(t,
		   holds("the second segment is placed early, and the Send is "
			 "delivered with the first",
			 early && !told && whole),
		   holds("the second segment is placed, and the Send "
			 "delivered, with the first",
			 !early && !told && whole)));
}

/* --- delivery ------------------------------------------------------------------ */

CASE(segments_twice_are_delivered_once,
     .title = "a Send whose TCP segments all arrive twice is delivered once",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given two receives, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when each segment of a Send comes twice, */
	peer_sends(t, SEND("hello"), .cuts = CUT_EVERY(16),
		   .order = ORDER(1, 1, 2, 2));

	/* then one receive completes, and the other is still there. */
	must(t, DDP_5_3_06, delivered_text(sink_at(sinks, 0), "hello"));
	must(t, DDP_5_3_06, not_delivered(sink_at(sinks, 1)));
	must(t, DDP_5_3_06, stream_works());
}

enum { ROUNDS = 20, AT_ONCE = 50 };

/* Sends of a round, in segments of their own, each pair exchanged. Returns how
 * many did not complete in their turn, but after the one that completed
 * before. */
static unsigned out_of_turn(struct test *t, uint32_t first, unsigned *order)
{
	struct sink sinks = dut_posts_recvs(t, AT_ONCE, 16);
	unsigned wrong = 0;

	for (uint32_t i = 0; i < AT_ONCE; i++) {
		uint32_t number = first + i;

		peer_sends(t, SEND_N(&number, 4), .order = ORDER_SWAPPED,
			   .hold = i + 1 < AT_ONCE);
	}
	for (uint32_t i = 0; i < AT_ONCE; i++) {
		struct completion c = dut_receives(t, sink_at(sinks, i));
		uint32_t number = first + i;

		wrong += !dut_received(t, c, &number, 4) || c.order < *order;
		*order = c.order;
		if (!c.came)
			break;
	}
	return wrong;
}

CASE(messages_are_delivered_in_order,
     .title = "1000 Sends whose TCP segments arrive out of order are delivered "
	      "in the order sent",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given a stream, */
	unsigned order = 0, wrong = 0;
	connects(t);

	/* when the segments of 1000 Sends come, each two exchanged, */
	for (uint32_t i = 0; i < ROUNDS && !wrong; i++)
		wrong = out_of_turn(t, i * AT_ONCE, &order);

	/* then they complete by their numbers. */
	must(t, DDP_5_3_07, is("completions out of turn", wrong, 0));
	must(t, DDP_5_3_07, stream_works());
}

CASE(nothing_completes_across_a_hole,
     .title = "a Send after a missing TCP segment does not complete before "
	      "that segment has arrived",
     .needs = NEED_SEND, .segments = true, .role = EITHER)
{
	/* Given two receives, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when a TCP segment of the first of two Sends is missing, */
	peer_withholds(t, 2);
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, SEND("second"), .cuts = CUT_EVERY(16));
	dut_has_its_turn(t);
	bool early = dut_has_received(t, sink_at(sinks, 0)).came ||
		     dut_has_received(t, sink_at(sinks, 1)).came;
	peer_releases(t);

	/* then neither completes until it is there, and then both, in order. */
	struct completion first = dut_receives(t, sink_at(sinks, 0));
	struct completion second = dut_receives(t, sink_at(sinks, 1));
	must(t, DDP_5_4_01,
	     holds("no Send completes before the missing segment arrives",
		   !early));
	must(t, DDP_5_4_01, delivered_text(sink_at(sinks, 0), "first"));
	must(t, DDP_5_4_01, delivered_text(sink_at(sinks, 1), "second"));
	must(t, DDP_5_4_01,
	     holds("the Sends complete in the order sent",
		   first.order < second.order));
}

/* --- what the device sends -------------------------------------------------------- */

#define LONG (512u * 1024)

CASE(what_tcp_loses_comes_again,
     .title = "a Write that loses a TCP segment arrives whole",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	const uint8_t *data = pattern(t, LONG, 1);
	dut_fills(t, r, 0, data, LONG);
	connects(t, .mss = 1460);

	/* when a segment of it is lost, and others are not, */
	peer_loses(t, 1);
	unsigned id = dut_posts(t, POST_WRITE_FROM(r, 0, LONG, 0x1234, 0x1000));
	struct message m = awaits_message(t, DDP_3_05, RDMAP_WRITE);

	/* then the same octets arrive, and the stream continues. */
	must(t, DDP_3_05, octets_are(t, "payload", m.octets, m.n, data, LONG));
	must(t, DDP_3_05, completed(id));
	must(t, DDP_3_05, stream_works());
}

static unsigned terminates_until_the_end(struct test *t)
{
	unsigned n = 0;

	for (const struct frame *f; (f = next_frame(t));)
		n += f->seg.ddp.opcode == RDMAP_TERMINATE;
	return n;
}

CASE(a_terminate_waits_for_the_window,
     .title = "an error found while the peer's window is closed is reported "
	      "when the window opens",
     .needs = NEED_WRITE | NEED_READ, .segments = true, .role = EITHER)
{
	/* Given a peer that reads no octet, and has requested many, */
	struct region r =
		dut_registers(t, .len = 4096, .access = FOR_READS | FOR_WRITES);
	connects(t);
	peer_offers_window(t, 0);
	peer_sends(t, READ(r, 0, 4096), .hold = true);

	/* when a bad Write comes, and later the window opens, */
	peer_sends(t, WRITE(r, 4096, "bad", 3));
	dut_state(t);
	dut_state(t);
	peer_offers_window(t, -1);

	/* then a Terminate comes. */
	should(t, DDP_7_1_36,
	       at_least("Terminates", terminates_until_the_end(t), 1));
}

/* --- after a close -------------------------------------------------------- */

/* Four octets of payload in one: its length, the header of DDP, its CRC. */
#define WRITE_FPDU (2u + 14 + 4 + 4)

CASE(octets_beyond_a_fin_are_lost,
     .title = "octets after the peer's FIN are neither placed nor delivered",
     .needs = NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a Write that has been placed, octets put there since by the
	 * device itself, and a peer that has closed, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);
	peer_sends(t, WRITE(r, 0, "peer", 4));
	uint8_t *fpdu = octets_sent(t, WRITE_FPDU);
	must(t, DDP_6_2_1_02, not_delivered(sink));
	must(t, DDP_6_2_1_02, memory_is(r, 0, "peer", 4));
	dut_fills(t, r, 0, "self", 4);
	peer_closes(t);

	/* when the same FPDU follows the FIN, and the ULP closes, too (a device
	 * may keep its half until then, RFC 5041 s6.2.1), */
	peer_sends_beyond(t, fpdu, WRITE_FPDU);
	dut_closes(t);

	/* then the stream comes to its end, and nothing else happens. */
	must(t, DDP_6_2_1_02, tcp_closed());
	must(t, DDP_6_2_1_02, memory_is(r, 0, "self", 4));
}
