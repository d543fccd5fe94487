/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.2, s8; RFC 5041 s6.2; RFC 5040 s6.2, s6.2.1, s7: how a stream
 * ends, in order or by an error, and what both ULPs learn of it.
 */
#include "case.h"

#define LARGE (8u << 20) /* octets: more than the buffers on the way hold */

/* --- the device closes --------------------------------------------------- */

CASE(close_follows_a_whole_fpdu,
     .title = "a device that closes ends TCP after a whole FPDU, and sends "
	      "nothing more",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device that has sent a Send, and has another to send, */
	connects(t);
	dut_posts(t, POST_SEND("one"));
	awaits_given(t, RDMAP_SEND);
	dut_posts(t, POST_SEND_N(pattern(t, 4000, 1), 4000));

	/* when its ULP closes, */
	dut_closes(t);

	/* then its messages are complete, and its half ends there. How much of
	 * its work is sent before is a SHOULD (RFC 5041 s6.2.1), and RFC 5044
	 * s7.2 does not require that a FIN ends it. */
	while (next_frame(t))
		continue;
	must(t, MPA_7_2_02, end_after_whole_fpdu());
}

CASE(all_is_sent_before_the_close,
     .title = "100 Sends posted before a close all arrive before FIN",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given 100 Sends posted, more than TCP takes from the device now, */
	struct region r = dut_registers(t, .len = 65536);
	connects(t, .rcvbuf = 4096);
	for (unsigned i = 0; i < 100; i++)
		dut_posts(t, POST_SEND_FROM(r, 0, 65536));

	/* when the ULP closes, */
	dut_closes(t);
	peer_makes_room(t);

	/* then all of them arrive before FIN. */
	unsigned sends = 0;
	const struct frame *f;
	while ((f = next_frame(t)))
		sends += f->seg.ddp.opcode == RDMAP_SEND && f->seg.ddp.last;
	should(t, DDP_6_2_1_01, is("Sends before the end", sends, 100));
}

CASE(close_by_the_ulp_is_graceful,
     .title = "after a graceful end by the ULP, TCP may be closed, by FIN",
     .role = EITHER)
{
	/* Given a stream that works, when the device's ULP closes, */
	connects(t);
	dut_closes(t);

	/* then FIN may come, and no Terminate. */
	may(t, RDMAP_6_2_01, tcp_closed_by_fin());
	may(t, RDMAP_6_2_01, no_terminate());
}

CASE(nothing_is_taken_after_the_close,
     .title = "work posted after a close fails, and is not sent",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a stream that the device's ULP has closed, */
	connects(t);
	dut_closes(t);

	/* when a Send and a Write are posted, */
	unsigned send = dut_posts(t, POST_SEND("late", .if_taken = true));
	unsigned write =
		dut_posts(t, POST_WRITE_N("late", 4, PEER_SINK_STAG,
					  PEER_SINK_TO, .if_taken = true));

	/* then both fail, at once or later, and neither is sent. The RFCs do
	 * not say when TCP ends then. */
	must(t, DDP_6_2_1_04, completed_in_error(send));
	must(t, DDP_6_2_1_04, completed_in_error(write));
	must(t, DDP_6_2_1_04,
	     holds("no message behind the close", !next_frame(t)));
}

CASE(reception_goes_on_after_a_half_close,
     .title = "after the ULP's half-close, the peer's messages are delivered",
     .needs = NEED_SEND | NEED_HALF_CLOSE, .role = EITHER)
{
	/* Given ten receives posted, */
	struct sink sinks = dut_posts_recvs(t, 10, 64);
	connects(t);

	/* when the ULP closes the sending half, and ten Sends arrive after
	 * that, */
	dut_half_closes(t);
	should(t, DDP_6_2_1_06, tcp_closed_by_fin());
	for (unsigned i = 0; i < 10; i++)
		peer_sends(t, SEND_N(pattern(t, 20, i), 20));

	/* then all are delivered. */
	for (unsigned i = 0; i < 10; i++)
		should(t, DDP_6_2_1_06,
		       delivered(sink_at(sinks, i), pattern(t, 20, i), 20));
}

CASE(a_receive_posted_after_a_half_close_is_filled,
     .title =
	     "after the ULP's half-close, a Send is delivered to a buffer that "
	     "is posted then",
     .needs = NEED_SEND | NEED_HALF_CLOSE, .role = INITIATOR)
{
	/* Given a device that goes on receiving after its half-close, */
	struct sink before = dut_posts_recv(t, 64);
	connects(t);
	dut_half_closes(t);
	peer_sends(t, SEND("before"));
	if (!dut_receives(t, before).ok)
		not_applicable(t, "the device receives nothing after its ULP's "
				  "half-close");

	/* when its ULP posts another receive, and a Send comes, */
	struct sink sink = dut_posts_recv(t, 64);
	peer_sends(t, SEND("behind"));

	/* then it is delivered. */
	should(t, DDP_6_2_1_06, delivered_text(sink, "behind"));
	should(t, DDP_6_2_1_06, tcp_closed_by_fin());
}

CASE(a_read_goes_on_after_a_half_close,
     .title = "a Read that was outstanding at the ULP's half-close completes "
	      "with its Response",
     .needs = NEED_READ | NEED_HALF_CLOSE, .role = EITHER)
{
	/* Given a Read whose Request the peer has, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 16, 1);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 16, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the ULP closes the sending half, and the Response comes after
	 * that, */
	dut_half_closes(t);
	should(t, DDP_6_2_1_06, tcp_closed_by_fin());
	peer_sends(t, READ_RESPONSE(f, p, 16));

	/* then the Read completes. */
	should(t, DDP_6_2_1_06, completed(id));
	should(t, DDP_6_2_1_06, memory_is(sink, 0, p, 16));
}

/* --- the peer closes ------------------------------------------------------- */

CASE(close_of_the_peer_is_told,
     .title = "a FIN after whole FPDUs is reported to the ULP, after their "
	      "messages",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given three receives posted, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	connects(t);

	/* when two Sends and a FIN come, */
	peer_sends(t, SEND("one"));
	peer_sends(t, SEND("two"));
	peer_closes(t);

	/* then both are delivered, and the ULP learns of the close. */
	should(t, MPA_7_2_01, delivered_text(sink_at(sinks, 0), "one"));
	should(t, MPA_7_2_01, delivered_text(sink_at(sinks, 1), "two"));
	should(t, MPA_7_2_01, agent_sees_end());
}

CASE(close_behind_an_empty_last_segment_is_orderly,
     .title = "a FIN behind a Write whose last segment is empty is reported "
	      "to the ULP as a close in order",
     .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when a Write ends with an empty segment, and then a FIN comes, */
	peer_sends(t, WRITE(r, 0, "complete", 8, .l = IS(0)));
	peer_sends(t, WRITE(r, 8, "", 0));
	peer_closes(t);

	/* then the ULP learns of a close, and of no error. */
	should(t, MPA_7_2_01, agent_sees_orderly_end());
}

CASE(messages_along_with_the_fin_count,
     .title = "a Write and a Send that arrive in the TCP segment of a FIN are "
	      "placed and delivered",
     .needs = NEED_SEND | NEED_WRITE, .segments = true, .role = EITHER)
{
	/* Given a buffer for a Write and one for a Send, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the peer's last segment has the end of a Write, a Send and
	 * FIN, */
	peer_sends(t, WRITE(r, 0, "placed", 6), .hold = true);
	peer_sends(t, SEND("done"), .cuts = CUT_AFTER(8), .order = ORDER(1, 2),
		   .fin = true);

	/* then both have their effect, as they were complete before the FIN. */
	must(t, DDP_5_4_01, delivered_text(sink, "done"));
	must(t, RDMAP_5_5_03, memory_is(r, 0, "placed", 6));
}

CASE(read_along_with_the_fin_is_answered,
     .title =
	     "a Read Request that arrives in the TCP segment of a FIN is still "
	     "answered",
     .needs = NEED_READ | NEED_HALF_CLOSE, .segments = true, .role = EITHER)
{
	/* Given a buffer to read from, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t);

	/* when the peer's last segment has a Read Request and FIN, */
	peer_sends(t, READ(r, 0, 16), .order = ORDER(1), .fin = true);

	/* then the Response comes. */
	const struct frame *f = next_frame(t);
	should(t, DDP_6_2_1_03,
	       holds_of(f, "a Read Response after the FIN",
			f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE, NULL));
}

CASE(response_along_with_the_fin_completes,
     .title = "a Read whose Response arrives in the TCP segment of a FIN "
	      "completes",
     .needs = NEED_READ, .segments = true, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, 16, 1);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 16, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer's last segment has the Response and FIN, */
	peer_sends(t, READ_RESPONSE(f, p, 16), .order = ORDER(1), .fin = true);

	/* then the Read has succeeded, as all of it was there before the
	 * FIN. */
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, DDP_5_4_01, memory_is(sink, 0, p, 16));
}

CASE(atomic_along_with_the_fin_is_answered,
     .title = "an Atomic Request that arrives in the TCP segment of a FIN is "
	      "still answered",
     .needs = NEED_FETCHADD | NEED_HALF_CLOSE, .segments = true,
     .role = INITIATOR)
{
	/* Given a word, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t);

	/* when the peer's last segment has an Atomic Request and FIN, */
	peer_sends(t, FETCHADD(r, 0, 1, 0), .order = ORDER(1), .fin = true);

	/* then the Response comes. */
	const struct frame *f = next_frame(t);
	should(t, DDP_6_2_1_03,
	       holds_of(f, "an Atomic Response after the FIN",
			f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE, NULL));
}

CASE(an_atomic_outstanding_at_the_fin,
     .title = "an atomic that is not answered does not complete with success "
	      "when the peer closes",
     .needs = NEED_FETCHADD, .role = INITIATOR)
{
	/* Given an atomic whose Request the peer has, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t);
	unsigned id = dut_posts(
		t, POST_FETCHADD(r, 0, PEER_SINK_STAG, PEER_SINK_TO, 1));
	awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the peer closes instead of an answer, and the ULP closes, too, */
	peer_closes(t);
	dut_has_its_turn(t);
	dut_closes(t);

	/* then the atomic has not succeeded. */
	must(t, RDMAPX_5_4_07, not_completed(id));
}

enum end { BY_PEER, BY_ULP };

struct closing {
	CASE_ROW;
	enum end end;
};

static const struct closing closings[] = {
	{.id = "peers_fin", .should = &DDP_6_2_1_03, .end = BY_PEER},
	{.id = "half_close", .should = &DDP_6_2_1_01, .end = BY_ULP},
};

CASE_EACH(a_response_under_way_is_completed, struct closing, closings,
	  .title = "a Read Response that waits for room in the peer's window "
		   "is sent to its end, although one half of the connection is "
		   "closed",
	  .needs = NEED_READ | NEED_HALF_CLOSE, .role = INITIATOR)
{
	/* Given a Response that waits for room in the peer's window, */
	struct region r = dut_registers(t, .len = LARGE, .access = FOR_READS);
	connects(t, .rcvbuf = 65536);
	peer_sends(t, READ(r, 0, LARGE));
	const struct frame *f = awaits_given(t, RDMAP_READ_RESPONSE);
	if (f->seg.ddp.last)
		not_applicable(t, "the Response fits the window");

	/* when the peer, or the device's ULP, closes its half, */
	if (row->end == BY_PEER)
		peer_closes(t);
	else
		dut_half_closes(t);
	peer_makes_room(t);

	/* then the rest of it comes. */
	size_t n = f->seg.payload_octets;
	bool last = false;
	while (!last && (f = next_frame(t)) &&
	       f->seg.ddp.opcode == RDMAP_READ_RESPONSE) {
		n += f->seg.payload_octets;
		last = f->seg.ddp.last;
	}
	should_row(t, row, is("octets of the Response", n, LARGE));
	should_row(t, row, holds("the Response has a last segment", last));
	if (row->end == BY_ULP)
		should(t, DDP_6_2_1_06, tcp_closed_by_fin());
}

CASE(sending_goes_on_after_the_peers_fin,
     .title = "queued work is still sent after the peer's FIN",
     .needs = NEED_SEND | NEED_HALF_CLOSE, .role = EITHER)
{
	/* Given 100 Sends queued, more than TCP takes from the device now, */
	struct region r = dut_registers(t, .len = 65536);
	connects(t, .rcvbuf = 4096);
	for (unsigned i = 0; i < 100; i++)
		dut_posts(t, POST_SEND_FROM(r, 0, 65536));

	/* when the peer closes its half, */
	peer_closes(t);
	peer_makes_room(t);

	/* then all of them come. */
	unsigned sends = 0;
	const struct frame *f;
	while ((f = next_frame(t)))
		sends += f->seg.ddp.opcode == RDMAP_SEND && f->seg.ddp.last;
	should(t, DDP_6_2_1_03, is("Sends after the FIN", sends, 100));
}

CASE(other_half_is_closed_gracefully,
     .title = "after the peer's FIN, the device's own close is a FIN, too",
     .role = EITHER)
{
	/* Given a stream whose other half the peer has closed, */
	connects(t);
	peer_closes(t);

	/* when the ULP closes, then FIN comes, no RST. */
	dut_closes(t);
	should(t, DDP_6_2_1_05, tcp_closed_by_fin());
}

/* --- TCP is lost ------------------------------------------------------------- */

/* RFC 5041 s6.2.2: DDP MUST indicate a fatal error to the ULP, and SHOULD
 * complete outstanding work with an error. */
CASE(reset_is_fatal,
     .title =
	     "a reset of TCP is reported as an error, and receives are flushed",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given two receives posted, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when TCP is reset, */
	peer_resets(t);

	/* then the ULP gets an error, and both receives back. */
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	should(t, DDP_6_2_2_05, received_in_error(sinks));
}

CASE(a_reset_takes_back_no_send,
     .title = "a Send that was delivered before a reset of TCP is reported to "
	      "the ULP",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a Send, and the answer to a Read behind it, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);
	peer_sends(t, SEND("before"));
	insists(t, RDMAP_5_3_02, stream_works());

	/* when TCP is reset before the ULP asks, */
	peer_resets(t);
	insists(t, DDP_6_2_2_01, agent_sees_fatal_end());

	/* then it still gets the Send. */
	must(t, DDP_5_4_01, delivered_text(sink, "before"));
}

CASE(reset_inside_an_fpdu,
     .title = "a reset in the middle of an FPDU completes nothing with "
	      "success, and is an error",
     .needs = NEED_SEND | NEED_MPA, .role = EITHER)
{
	/* Given a receive posted, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when TCP is reset in the middle of a Send, */
	peer_sends(t, SEND("partial"), .keep_last = 6);
	peer_resets(t);

	/* then the ULP gets an error, and no Send. */
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	must(t, MPA_6_02, not_delivered(sink));
	should(t, DDP_6_2_2_05, received_in_error(sink));
}

CASE(fin_inside_an_fpdu,
     .title = "a FIN in the middle of an FPDU completes nothing with success, "
	      "and is an error",
     .needs = NEED_SEND | NEED_MPA, .role = EITHER)
{
	/* Given a receive posted, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when FIN arrives in the middle of a Send, */
	peer_sends(t, SEND("partial"), .keep_last = 6);
	peer_closes(t);

	/* then the ULP gets an error, and no Send. */
	must(t, MPA_8_01, agent_sees_fatal_end());
	must(t, MPA_6_02, not_delivered(sink));
	should(t, DDP_6_2_2_05, received_in_error(sink));
}

/* The FPDU with the FIN inside is the only one of its message, or the second. */
struct fin_row {
	CASE_ROW;
	size_t segment;
};
static const struct fin_row fins[] = {
	{.id = "in_the_only_fpdu"},
	{.id = "in_the_second_fpdu", .segment = 24},
};

CASE_EACH(fin_inside_a_write, struct fin_row, fins,
	  .title = "a FIN in the middle of an FPDU of a Write is an error",
	  .needs = NEED_WRITE | NEED_MPA, .role = EITHER)
{
	/* Given a buffer to write to, */
	struct region r = dut_registers(t, .len = 48, .access = FOR_WRITES);
	connects(t);

	/* when FIN arrives in the middle of the last FPDU of a Write, */
	peer_sends(t,
		   WRITE(r, 0, pattern(t, 48, 1), 48, .segment = row->segment),
		   .keep_last = 6);
	peer_closes(t);

	/* then the ULP gets an error. */
	must(t, MPA_8_01, agent_sees_fatal_end());
}

CASE_EACH(fin_inside_a_response, struct fin_row, fins,
	  .title = "a FIN in the middle of an FPDU of a Read Response is an "
		   "error, and completes no Read",
	  .needs = NEED_READ | NEED_MPA, .role = EITHER)
{
	/* Given a Read of the device, */
	struct region r = dut_registers(t, .len = 48, .access = FOR_RESPONSES);
	connects(t);
	unsigned id =
		dut_posts(t, POST_READ(r, 0, 48, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when FIN arrives in the middle of the last FPDU of the Response, */
	peer_sends(t,
		   READ_RESPONSE(f, pattern(t, 48, 1), 48,
				 .segment = row->segment),
		   .keep_last = 6);
	peer_closes(t);

	/* then the ULP gets an error, and no Read. */
	must(t, MPA_8_01, agent_sees_fatal_end());
	must(t, RDMAP_5_5_15, not_completed(id));
}

/* --- an error ends the stream ------------------------------------------------- */

CASE(invalid_ddp_field_is_fatal,
     .title = "an invalid field in a DDP header is reported to the ULP as an "
	      "error",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive posted, when a Send has DV 3, */
	dut_posts_recv(t, 64);
	connects(t);
	peer_sends(t, SEND("bad version", .dv = IS(3)));

	/* then the ULP gets an error. */
	must(t, DDP_6_2_2_02, agent_sees_fatal_end());
}

CASE(error_after_a_half_close_is_fatal,
     .title = "after the ULP's half-close, an invalid field in a DDP header is "
	      "still reported to the ULP as an error",
     .needs = NEED_SEND | NEED_HALF_CLOSE, .role = EITHER)
{
	/* Given a device that goes on receiving after its half-close, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);
	dut_half_closes(t);
	peer_sends(t, SEND("before"));
	if (!dut_receives(t, sink_at(sinks, 0)).ok)
		not_applicable(t, "the device receives nothing after its ULP's "
				  "half-close");

	/* when a Send has DV 3, then the ULP gets an error. */
	peer_sends(t, SEND("bad version", .dv = IS(3)));
	must(t, DDP_6_2_2_02, agent_sees_fatal_end());
}

CASE(outgoing_half_survives_a_crc_error,
     .title = "after a CRC error the device's own half still carries a "
	      "Terminate",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device in the middle of a Write of 1 MiB, */
	struct region r = dut_registers(t, .len = 1 << 20);
	connects(t, .rcvbuf = 4096);
	dut_posts(t,
		  POST_WRITE_FROM(r, 0, 1 << 20, PEER_SINK_STAG, PEER_SINK_TO));
	awaits_given(t, RDMAP_WRITE);

	/* when an FPDU of the peer has a wrong CRC, */
	peer_sends(t, SEND("spoilt", .crc = CRC_WRONG));

	/* then its FPDUs are still complete, and a Terminate arrives. */
	should(t, DDP_6_2_2_03, any_of(t, terminate_any(), segment_dropped()));
}

CASE(outstanding_work_fails_after_a_crc_error,
     .title = "after a CRC error all outstanding receives and Reads fail",
     .needs = NEED_SEND | NEED_READ, .role = EITHER)
{
	/* Given five receives and two Reads, one at least under way, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	struct sink sinks = dut_posts_recvs(t, 5, 64);
	connects(t);
	unsigned one =
		dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	unsigned two =
		dut_posts(t, POST_READ(r, 8, 8, PEER_SINK_STAG, PEER_SINK_TO));
	awaits_given(t, RDMAP_READ_REQUEST);

	/* when an FPDU of the peer has a wrong CRC, */
	peer_sends(t, SEND("spoilt", .crc = CRC_WRONG));

	/* then it is not delivered, */
	insists(t, MPA_4_4_14, not_delivered(sinks));
	if (!the_terminate(t) && strcmp(how_tcp_stands(t), "open") == 0)
		not_applicable(t, "the device dropped the segment silently");

	/* and all end with an error, with a Terminate or without. */
	should(t, DDP_6_2_2_05, received_in_error(sinks));
	should(t, DDP_6_2_2_05, completed_in_error(one));
	should(t, DDP_6_2_2_05, completed_in_error(two));
}

CASE(fin_follows_a_terminate,
     .title = "a Terminate is followed by FIN, not by RST", .needs = NEED_WRITE,
     .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when the peer provokes a Terminate, and closes its own side then, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "lost", 4));
	if (!the_terminate(t))
		not_applicable(t, "the device sent no Terminate: %s",
			       how_it_ended(t));
	peer_closes_behind_terminate(t);

	/* then FIN follows. */
	should(t, RDMAP_6_2_1_03, tcp_closed_by_fin());
}

CASE(error_closes_tcp,
     .title = "a device whose stream has failed closes TCP, at the latest when "
	      "its Terminate is answered by FIN",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when the peer causes an error, and closes its own side only after a
	 * Terminate, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "lost", 4));
	if (dut_overlooks_it(t))
		not_applicable(t, "the device overlooks the error, which other "
				  "cases judge");
	peer_closes_behind_terminate(t);

	/* then the device closes TCP. */
	must(t, RDMAP_7_01, tcp_closed());
}

CASE(terminate_closes_tcp,
     .title = "a device that receives a Terminate may close TCP at once",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream that works, when a Terminate comes, */
	connects(t);
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0x07));

	/* then TCP may be closed. */
	may(t, RDMAP_6_2_1_04, tcp_closed());
}

CASE(fin_answers_a_terminate,
     .title = "a Terminate is answered by FIN, not by RST",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when a Terminate arrives and the peer closes after it, */
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0x07));
	peer_closes(t);

	/* then FIN comes. */
	should(t, RDMAP_6_2_1_06, tcp_closed_by_fin());
}
