/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of each operation, as plain as possible (RFC 5040 s5, RFC 7306 s5 and
 * s6), and markers (RFC 5044 s4.3). They run before the cases that depend on
 * them: the reaction to a faulty message proves something only if the device
 * accepts the same message without the fault.
 */
#include "case.h"

#define LONG        700u /* octets: there is one marker in it */
#define SHORT       100u /* there is none */
#define BOTH_HALVES 0x0000000200000002u
#define FULL_FRAME  (512 - MPA_HEADER_OCTETS)

/* Each bit of an octet, set and clear. */
#define FIVE "\x80\x7f\xa5\x5a\xff"

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* A message, and not the end of the stream. */
static bool is_answer(const struct frame *f)
{
	return f && !f->seg.short_header &&
	       (f->seg.ddp.tagged || f->seg.ddp.opcode != RDMAP_TERMINATE);
}

/* An error of RDMAP about an STag, which a plain Send has none of. */
static bool stag_is_refused(struct test *t)
{
	const struct frame *f = next_frame(t);
	struct rdmap_terminate term;

	if (!f || is_answer(f))
		return false;
	term = case_terminate_of(f);
	return term.layer == TERM_RDMA && (term.etype == 1 || term.code == 9);
}

/* If ULPDU_Length is too large, the payload has the octets due, followed by
 * others. */
static struct expect no_octets_behind(const struct frame *f, const void *octets,
				      size_t n)
{
	bool begins = f->seg.payload_octets >= n &&
		      memcmp(f->seg.payload, octets, n) == 0;

	return at_most("octets after those due",
		       begins ? f->seg.payload_octets - n : 0, 0);
}

/* One more Send, if the first has had no effect. */
static bool second_is_delivered(struct test *t, struct sink sink)
{
	if (*how_tcp_stands(t) != 'o')
		return false;
	peer_sends(t, SEND("again"));
	return dut_receives(t, sink).ok;
}

/* --- messages to the device ------------------------------------------- */

CASE(a_send_is_delivered, .founds = FOUNDATION_SEND_TAKEN,
     .title = "a Send completes a receive with its octets", .needs = NEED_SEND,
     .role = EITHER)
{
	/* Given receives, when the peer sends, then one has the octets. */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct sink sink = sink_at(sinks, 0);
	connects(t);
	insists(t, RDMAP_5_2_1_03,
		holds("no receive was completed by a Read",
		      !dut_has_received(t, sink).came));
	peer_sends(t, SEND_N(FIVE, 5));
	struct completion c = dut_receives(t, sink);
	insists(t, RDMAP_5_3_05,
		holds_else(
			t, "the Send completes the first receive, if any",
			c.ok || !dut_has_received(t, sink_at(sinks, 1)).ok,
			"it completes the second receive, and not the first"));
	insists(t, RDMAP_4_1_16,
		holds_else(t, "no Terminate about an STag",
			   c.ok || !stag_is_refused(t),
			   "the Send is not delivered, and a Terminate is "
			   "about an STag"));
	insists(t, DDP_4_3_11,
		holds_else(
			t, "the first Send is delivered if a second one is",
			c.ok || !second_is_delivered(t, sink),
			"the second Send is delivered, and the first is not"));
	insists(t, RDMAP_5_3_02,
		holds("the receive completes with success", c.ok));
	if (agent_tells_length(t))
		insists(t, DDP_5_4_02, is("reported length", c.len, 5));
	must(t, DDP_4_1_02, delivered(sink, FIVE, 5));
}

CASE(a_send_with_invalidate_is_delivered, .founds = FOUNDATION_INVALIDATE_TAKEN,
     .title = "a Send with Invalidate completes a receive with its octets",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a receive and an STag, when the peer sends and names it, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t);
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, FIVE, 5, .inval = region.stag));

	/* then the receive has the octets. */
	struct completion c = dut_receives(t, sink);
	insists(t, RDMAP_5_3_02,
		holds("the receive completes with success", c.ok));
	if (agent_tells_length(t))
		insists(t, DDP_5_4_02, is("reported length", c.len, 5));
	must(t, DDP_4_1_02, delivered(sink, FIVE, 5));
}

CASE(a_write_is_placed, .founds = FOUNDATION_WRITE_TAKEN,
     .title = "an RDMA Write is placed at its STag and TO", .needs = NEED_WRITE,
     .role = EITHER)
{
	/* Given a buffer, when the peer writes, then the octets are there. */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);
	insists(t, RDMAP_5_2_1_03,
		holds("no receive was completed by a Read",
		      !dut_has_received(t, sink).came));
	peer_sends(t, WRITE(region, 8, FIVE, 5));
	/* Other cases test whether it is there before the next message. */
	known_answer(t);
	known_answer(t);
	insists(t, RDMAP_5_1_02,
		holds("no receive was completed by the Write",
		      !dut_has_received(t, sink).came));
	must(t, DDP_4_1_01, memory_is(region, 8, FIVE, 5));
}

CASE(a_read_is_answered, .founds = FOUNDATION_READ_TAKEN,
     .title = "an RDMA Read is answered with the octets it asks for",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, when the peer reads, then the octets come. */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	dut_fills(t, region, 8, FIVE, 5);
	connects(t);
	peer_sends(t, READ(region, 8, 5));
	const struct frame *f = next_frame(t);
	insists(t, RDMAP_5_2_1_09,
		holds("an FPDU in answer to the Read Request", is_answer(f)));
	insists(t, RDMAP_4_1_23,
		is("opcode", f->seg.ddp.opcode, RDMAP_READ_RESPONSE));
	insists(t, MPA_4_1_02, no_octets_behind(f, FIVE, 5));
	struct message answer = message_begun(t);
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "payload", answer.octets, answer.n, FIVE, 5));
}

CASE(a_fetchadd_is_performed, .founds = FOUNDATION_FETCHADD_TAKEN,
     .title = "a FetchAdd adds, and returns the original value",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word that is zero, and one on another stream that is not, */
	struct region zero = dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	struct region word = dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_sets_word(t, word, 0, 40);

	/* when the peer adds to them, */
	connects(t);
	peer_sends(t, FETCHADD(zero, 0, BOTH_HALVES, 0));
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));
	insists(t, RDMAPX_5_1_1_01, word_is(zero, 0, BOTH_HALVES));
	connects(t);
	peer_sends(t, FETCHADD(word, 0, 2, 0));

	/* then both have the sum, whatever the compare fields contain, and the
	 * Response has the original value. */
	f = awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	insists(t, RDMAPX_5_2_1_29,
		any_of(t, word_is(word, 0, 42), word_is(word, 0, 2)));
	insists(t, RDMAPX_5_1_1_01, word_is(word, 0, 42));
	must(t, RDMAPX_5_1_1_09,
	     is("original value", case_atomic_response_of(f).value, 40));
}

CASE(a_cmpswap_is_performed, .founds = FOUNDATION_CMPSWAP_TAKEN,
     .title = "a CmpSwap that matches swaps, and returns the original value",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given a word, when the peer compares it to the same, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 40);
	connects(t);
	peer_sends(t, CMPSWAP(region, 0, 40, 42));

	/* then it is swapped, and the Response has the original value. */
	const struct frame *f = awaits(t, RDMAPX_5_01, RDMAP_ATOMIC_RESPONSE);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));
	must(t, RDMAPX_5_1_2_08,
	     is("original value", case_atomic_response_of(f).value, 40));
	must(t, RDMAPX_5_1_2_01, word_is(region, 0, 42));
}

CASE(immediate_data_is_delivered, .founds = FOUNDATION_IMM_TAKEN,
     .title = "Immediate Data completes a receive with its eight octets",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a receive, when Immediate Data comes, then it has them. */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);
	peer_sends(t, IMM(EIGHT));
	insists(t, RDMAPX_6_01,
		holds("the receive completes with success",
		      dut_receives(t, sink).ok));
	must(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
}

/* --- work of the device ----------------------------------------------- */

CASE(a_posted_send_leaves, .founds = FOUNDATION_SEND_POSTED,
     .title = "the device sends a posted Send with its octets",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream, when the ULP sends, then the octets come. */
	connects(t);
	dut_posts(t, POST_SEND_N(FIVE, 5));
	const struct frame *f = next_frame(t);
	insists(t, RDMAP_5_3_10,
		holds("an FPDU for the work request", is_answer(f)));
	insists(t, RDMAP_4_1_01, is("opcode", f->seg.ddp.opcode, RDMAP_SEND));
	insists(t, RDMAP_4_1_24, is("QN", f->seg.ddp.qn, DDP_QN_SEND));
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));
	insists(t, MPA_4_1_02, no_octets_behind(f, FIVE, 5));
	struct message sent = message_begun(t);
	must(t, DDP_4_3_01,
	     octets_are(t, "payload", sent.octets, sent.n, FIVE, 5));
}

CASE(a_posted_write_leaves, .founds = FOUNDATION_WRITE_POSTED,
     .title = "the device sends a posted RDMA Write with its octets",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, when the ULP writes, then the octets come. */
	connects(t);
	dut_posts(t, POST_WRITE_N(FIVE, 5, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = next_frame(t);
	insists(t, RDMAP_5_1_06,
		holds("an FPDU for the work request", is_answer(f)));
	insists(t, RDMAP_4_1_21, is("opcode", f->seg.ddp.opcode, RDMAP_WRITE));
	insists(t, MPA_4_1_02, no_octets_behind(f, FIVE, 5));
	struct message sent = message_begun(t);
	insists(t, RDMAP_1_2_01, nothing_more());
	must(t, DDP_4_2_01,
	     octets_are(t, "payload", sent.octets, sent.n, FIVE, 5));
}

CASE(a_posted_read_completes, .founds = FOUNDATION_READ_POSTED,
     .title = "the device sends a posted RDMA Read as a Request, and the "
	      "Response completes it",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, when the ULP reads into it, and that an initiator
	 * answers Reads is not asked for, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_RESPONSES);
	connects(t, .unproven = case_role(t) == INITIATOR);
	unsigned id = dut_posts(
		t, POST_READ(region, 0, 5, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits(t, RDMAP_5_2_01, RDMAP_READ_REQUEST);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));
	insists(t, RDMAP_4_4_01,
		is("source STag", case_read_of(f).source_stag, PEER_SINK_STAG));

	/* then the Response that it gets is its completion, and no earlier. */
	dut_has_its_turn(t);
	insists(t, RDMAP_5_5_15,
		holds("no completion before the answer",
		      !dut_has_completed(t, id).came));
	peer_sends(t, READ_RESPONSE(f, FIVE, 5));
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, DDP_4_1_01, memory_is(region, 0, FIVE, 5));
}

CASE(a_posted_fetchadd_completes, .founds = FOUNDATION_FETCHADD_POSTED,
     .title = "the device sends a posted FetchAdd as a Request, and the "
	      "Response completes it",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given room for the result, when the ULP asks for it, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t);
	unsigned id = dut_posts(
		t, POST_FETCHADD(region, 0, PEER_SINK_STAG, PEER_SINK_TO, 2));
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_04, RDMAP_ATOMIC_REQUEST);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));

	/* then the Response is its completion, and no earlier. */
	dut_has_its_turn(t);
	insists(t, RDMAPX_5_4_07,
		holds("no completion before the answer",
		      !dut_has_completed(t, id).came));
	peer_sends(t, ATOMIC_RESPONSE(f, 40));
	must(t, RDMAPX_5_2_2_06, completed_with_value(id, 40));
}

CASE(a_posted_cmpswap_completes, .founds = FOUNDATION_CMPSWAP_POSTED,
     .title = "the device sends a posted CmpSwap as a Request, and the "
	      "Response completes it",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given room for the result, when the ULP asks for it, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t);
	unsigned id = dut_posts(t, POST_CMPSWAP(region, 0, PEER_SINK_STAG,
						PEER_SINK_TO, 40, 42));
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_05, RDMAP_ATOMIC_REQUEST);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));

	/* then the Response is its completion, and no earlier. */
	dut_has_its_turn(t);
	insists(t, RDMAPX_5_4_07,
		holds("no completion before the answer",
		      !dut_has_completed(t, id).came));
	peer_sends(t, ATOMIC_RESPONSE(f, 40));
	must(t, RDMAPX_5_2_2_06, completed_with_value(id, 40));
}

CASE(posted_immediate_data_leaves, .founds = FOUNDATION_IMM_POSTED,
     .title = "the device sends posted Immediate Data", .needs = NEED_IMM,
     .role = EITHER)
{
	/* Given a stream, when the ULP posts it, then it arrives. */
	connects(t);
	dut_posts(t, POST_IMM(EIGHT));
	const struct frame *f = awaits(t, RDMAPX_6_2_01, RDMAP_IMM);
	insists(t, DDP_4_3_05, is_not("MSN", f->seg.ddp.msn, 0));
	insists(t, RDMAPX_6_3_06, is("octets", f->seg.payload_octets, 8));
	must(t, RDMAPX_6_2_01,
	     octets_are(t, "payload", f->seg.payload, f->seg.payload_octets,
			EIGHT, 8));
}

/* --- markers ------------------------------------------------------------- */

/* A Send that has no markers, to a device that has to send them or not. */
static bool takes_no_markers(struct test *t, bool sends_markers)
{
	connects(t, .markers = sends_markers, .unproven = true);
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		next_frame(t);
	}
	struct sink sink = dut_posts_recv(t, LONG);
	size_t n = dut_takes_pad_from(t, SHORT);
	peer_sends(t, SEND_N(pattern(t, n, 1), n));
	return dut_receives(t, sink).ok;
}

CASE(a_message_without_markers_is_taken, .founds = FOUNDATION_MARKERS_ONE_WAY,
     .title = "a Send without markers is delivered if only the peer asks for "
	      "markers",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device that takes Sends, and asks for no markers, */
	if (!takes_no_markers(t, false))
		not_applicable(t, "no Send is delivered without markers");

	/* when the peer asks for them, then it sends none all the same. */
	must(t, MPA_4_3_23,
	     holds("a Send without markers is delivered",
		   takes_no_markers(t, true)));
}

CASE(a_message_with_markers_leaves, .founds = FOUNDATION_MARKERS_SENT,
     .title = "a Send of the device arrives if the peer asks for markers",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers, when the device sends, */
	const uint8_t *payload = pattern(t, LONG, 1);
	connects(t, .markers = true, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);
	dut_posts(t, POST_SEND_N(FIVE, 5));

	/* then a marker begins its stream, */
	struct message m = awaits_message(t, MPA_4_3_01, RDMAP_SEND);
	must(t, MPA_4_3_01, octets_are(t, "payload", m.octets, m.n, FIVE, 5));

	/* and the next ones are where they are due, between octets of the
	 * ULP. */
	dut_posts(t, POST_SEND_N(payload, LONG));
	m = awaits_message(t, MPA_4_3_02, RDMAP_SEND);
	must(t, MPA_4_3_02,
	     octets_are(t, "payload", m.octets, m.n, payload, LONG));
}

/* A Send with markers, after a startup frame that is so many octets longer than
 * the minimum. */
static bool takes_markers(struct test *t, size_t private_octets, size_t n)
{
	const uint8_t *payload = pattern(t, n, 1);

	if (private_octets > dut_max_private(t))
		return false;
	connects(t, .dut_markers = true, .unproven = true,
		 .private_data = pattern(t, private_octets, 2),
		 .private_octets = private_octets);
	initiator_speaks(t);
	struct sink sink = dut_posts_recv(t, n + 1);
	peer_sends(t, SEND_N(payload, n));
	return dut_receives(t, sink).ok;
}

/* The device's first messages, if it requests markers and the peer does not. */
static const struct frame *first_without_markers(struct test *t)
{
	connects(t, .dut_markers = true, .unproven = true);
	if (case_role(t) == INITIATOR)
		dut_posts(t, POST_WRITE_N("", 0, PEER_SINK_STAG, PEER_SINK_TO));
	else
		peer_sends(t, READ_FROM(0, 0, 0));
	return next_frame(t);
}

CASE(a_message_with_markers_is_taken, .founds = FOUNDATION_MARKERS_TAKEN,
     .title = "a Send with markers is delivered if the device asks for markers",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and sends none itself, */
	const struct frame *f = first_without_markers(t);
	insists(t, MPA_7_1_1_07,
		holds_of(f, "no marker, since the peer asked for none",
			 !f || !f->seg.short_header || f->fpdu->ulpdu_length,
			 "its first octets are like those of a marker"));

	/* when the peer sends, */
	bool taken = takes_markers(t, 0, LONG);

	/* then it is accepted; if not, then not even after a startup frame that
	 * ends where a marker is due. */
	insists(t, MPA_4_3_28,
		holds_else(
			t,
			"the same result for any length of the startup frame",
			taken || !takes_markers(t, FULL_FRAME, LONG),
			"a Send with markers is delivered only behind a "
			"startup frame that ends where a marker is due"));
	insists(t, MPA_4_3_20,
		holds_else(
			t,
			"the same result with and without a marker inside the "
			"FPDU",
			taken || !takes_markers(t, 0, SHORT),
			"a Send is delivered only without a marker inside the "
			"FPDU"));
	must(t, MPA_4_3_23, holds("a Send with markers is delivered", taken));
}
