/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dependency of all other cases: a stream can be established and answers
 * (RFC 5044 s7.1, RFC 6581 s6 and s9, RFC 5040 s5.2.1). They run first, and if
 * one fails, the cases that need it are BLOCKED.
 */
#include "case.h"

#define ALL_RTRS (RTR_SEND | RTR_WRITE | RTR_READ)

/* With depths that are above no device's limits: it may reject others. */
static struct startup modest(struct startup f)
{
	f.ird = f.ord = 1;
	return f;
}

/* RFC 5044 s7.2: a half ends when DDP closes it, which was not requested. */
static struct expect nobody_closes(struct test *t)
{
	return holds("TCP stays open after startup",
		     strcmp(how_tcp_stands(t), "open") == 0);
}

CASE(a_responder_comes_up, .founds = FOUNDATION_STREAM,
     .title = "a Request without a fault is answered, and a stream is "
	      "established")
{
	/* Given a device that listens, when a right Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());

	/* then a Reply accepts it, and the stream is reported to the ULP. */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);
	must(t, MPA_7_1_1_02,
	     octets_are(t, "key", reply.octets, 16, "MPA ID Rep Frame", 16));

	should(t, MPA_7_1_2_09, is("R", reply.frame.flags & MPA_R, 0));
	if (reply.frame.flags & MPA_R)
		return; /* its ULP may close TCP */

	/* and nothing follows it, not even the end of the stream. */
	insists(t, MPA_7_2_02, nobody_closes(t));
	must(t, MPA_7_1_02, still_waiting());
	full_operation(t);
	must(t, MPA_7_1_1_26,
	     holds("a Request without private data is accepted", reply.came));
	insists(t, MPA_7_2_02, nobody_closes(t));
	insists(t, MPA_7_1_02, nothing_more());
}

CASE(an_initiator_comes_up, .founds = FOUNDATION_STREAM, .role = INITIATOR,
     .title = "the device sends a Request, and a Reply without a fault "
	      "establishes a stream")
{
	/* Given a device that connects, when its Request has arrived, */
	dut_dials(t);
	struct startup_seen request = awaits_startup(t, MPA_7_1_2_01);
	must(t, MPA_7_1_2_01,
	     octets_are(t, "key", request.octets, 16, "MPA ID Req Frame", 16));

	/* and nothing after it, then a correct Reply makes it a stream. */
	insists(t, MPA_7_2_02, nobody_closes(t));
	must(t, MPA_7_1_01, still_waiting());
	peer_sends_startup(t, REPLY());
	full_operation(t);
	insists(t, MPA_7_2_02, nobody_closes(t));
	must(t, MPA_7_1_2_32,
	     holds("the agent reports: established",
		   strcmp(dut_starts(t).state, "established") == 0));
}

/* Four octets of zero stand where ULPDU_Length should. */
static struct expect no_marker(const struct frame *f)
{
	return holds_of(f, "no marker, since the peer asked for none",
			!f || !f->seg.short_header || f->fpdu->ulpdu_length,
			"its first octets are like those of a marker");
}

/* A ULPDU_Length that is too large makes more of the one octet due. */
static struct expect no_octets_behind(const struct frame *f, uint8_t octet)
{
	return holds_of(f, "no octets after the single one that is due",
			!f || f->seg.payload_octets <= 1 ||
				*f->seg.payload != octet,
			"more octets behind it");
}

CASE(a_write_of_no_octets_leaves, .founds = FOUNDATION_OPENING,
     .title = "an initiator sends the first posted work, an empty RDMA Write",
     .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a stream, when the ULP writes no octets, */
	connects(t, .unproven = true);
	dut_posts(t, POST_WRITE_N("", 0, PEER_SINK_STAG, PEER_SINK_TO));

	/* then one FPDU reports it, and no marker precedes it. */
	const struct frame *f = next_frame(t);
	insists(t, MPA_7_1_1_07, no_marker(f));
	insists(t, MPA_7_1_1_10, whole_fpdus());
	should(t, MPA_7_1_2_15,
	       holds_of(f, "an RDMA Write without payload",
			f && f->seg.ddp.opcode == RDMAP_WRITE &&
				f->seg.payload_octets == 0,
			NULL));
}

CASE(a_write_of_one_octet_leaves, .founds = FOUNDATION_OPENING, .way = 1,
     .title = "an initiator sends the first posted work, an RDMA Write of one "
	      "octet",
     .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a stream, when the ULP writes an octet, */
	connects(t, .unproven = true);
	dut_posts(t, POST_WRITE_N("!", 1, PEER_SINK_STAG, PEER_SINK_TO));

	/* then one FPDU contains it. */
	const struct frame *f = next_frame(t);
	insists(t, MPA_7_1_1_07, no_marker(f));
	insists(t, MPA_7_1_1_10, whole_fpdus());
	insists(t, MPA_4_1_02, no_octets_behind(f, '!'));
	should(t, MPA_7_1_2_15,
	       holds_of(f, "an RDMA Write of one octet",
			f && f->seg.ddp.opcode == RDMAP_WRITE &&
				f->seg.payload_octets == 1,
			NULL));
}

CASE(the_first_fpdu_is_taken, .founds = FOUNDATION_OPENING,
     .title = "the first FPDU after a responder's Reply is accepted, a Send or "
	      "an RDMA Read",
     .needs = NEED_SEND | NEED_READ)
{
	/* Given a stream, when the first FPDU is a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .unproven = true);
	peer_sends(t, SEND("hello"));
	bool taken = dut_receives(t, sink).ok;

	/* or on another a Read, */
	connects(t, .unproven = true);
	peer_sends(t, READ_FROM(0, 0, 0));
	const struct frame *f = next_frame(t);
	insists(t, MPA_7_1_1_07, no_marker(f));
	taken |= f != NULL;

	/* then one of them has an effect. */
	should(t, MPA_7_1_2_11, holds("the first FPDU has an effect", taken));
}

CASE(an_empty_write_opens, .founds = FOUNDATION_EMPTY_WRITE,
     .title = "an empty RDMA Write as the first FPDU lets a responder send",
     .needs = NEED_SEND)
{
	/* Given that other streams work, and a responder with a Send to
	 * send, when an empty Write comes, */
	dut_works(t);
	connects(t, .unproven = true);
	dut_posts(t, POST_SEND("hello"));
	peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));

	/* then that is not an error, and the Send leaves. */
	const struct frame *f = next_frame(t);
	insists(t, DDP_5_2_11,
		holds_of(f, "no Terminate",
			 !f || f->seg.ddp.opcode != RDMAP_TERMINATE, NULL));
	must(t, MPA_7_1_2_19,
	     holds("the device sends the posted Send", f != NULL));
}

/* Which lengths of pad a Send may have: bits 0 to 3. */
static unsigned pads_taken(struct test *t)
{
	unsigned taken = 0;

	for (unsigned pad = 0; pad < 4; pad++) {
		/* The FPDU less pad has 24 octets and the payload's. */
		size_t n = 8 - pad;

		connects(t, .unproven = true);
		if (case_role(t) == INITIATOR)
			initiator_speaks(t);
		struct sink sink = dut_posts_recv(t, 64);
		peer_sends(t, SEND_N(pattern(t, n, 1), n));
		if (dut_receives(t, sink).ok)
			taken |= 1u << pad;
	}
	return taken;
}

CASE(fpdus_with_any_pad_are_taken, .founds = FOUNDATION_PADS,
     .title = "if any Sends are delivered, Sends with every length of pad are",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given four streams, when on each a Send has another pad, */
	unsigned taken = pads_taken(t);

	if (!taken)
		not_applicable(t, "no Send is delivered with any pad");

	/* then all are delivered if one is. Each pad is a fact of its own: none
	 * of these lines follows from another. */
	must(t, MPA_4_1_07,
	     is("Sends delivered, of one without a pad", taken & 1, 1));
	must(t, MPA_4_1_08,
	     is("Sends delivered, of one with a pad of one octet",
		taken >> 1 & 1, 1));
	must(t, MPA_4_1_09,
	     is("Sends delivered, of one with a pad of two octets",
		taken >> 2 & 1, 1));
	must(t, MPA_4_1_10,
	     is("Sends delivered, of one with a pad of three octets",
		taken >> 3 & 1, 1));
}

CASE(a_read_of_no_octets_is_answered, .founds = FOUNDATION_ANSWER,
     .title = "an RDMA Read of no octets is answered by an empty Response",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, when the peer reads no octets, */
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);
	peer_sends(t, READ_FROM(0, 0, 0));

	/* then a Response without payload comes, and no marker before it. */
	const struct frame *f = next_frame(t);
	insists(t, MPA_7_1_1_07, no_marker(f));
	insists(t, MPA_4_1_02, whole_fpdus());
	insists(t, RDMAP_5_2_1_16,
		holds_of(f, "an RDMA Read Response",
			 f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE, NULL));
	must(t, RDMAP_5_2_1_16, is("payload", f->seg.payload_octets, 0));
	if (f->seg.ddp.stag) /* of no octets it may have none */
		must(t, RDMAP_4_4_02,
		     is("STag", f->seg.ddp.stag, PEER_SINK_STAG));
}

CASE(a_read_of_one_octet_is_answered, .founds = FOUNDATION_ANSWER, .way = 1,
     .title = "an RDMA Read of one octet is answered by a Response with that "
	      "octet",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, and an octet to read, */
	struct region region = dut_registers(t, .len = 8, .access = FOR_READS);
	dut_fills(t, region, 0, "!", 1);
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when the peer reads it, then it comes. */
	peer_sends(t, READ(region, 0, 1));
	const struct frame *f = next_frame(t);
	insists(t, MPA_7_1_1_07, no_marker(f));
	if (!f || f->seg.ddp.last) /* else the next segment may be on its way */
		insists(t, MPA_4_1_02, whole_fpdus());
	insists(t, RDMAP_5_2_1_09,
		holds_of(f, "an RDMA Read Response",
			 f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE, NULL));
	insists(t, MPA_4_1_02, no_octets_behind(f, '!'));
	must(t, RDMAP_4_4_02, is("STag", f->seg.ddp.stag, PEER_SINK_STAG));
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "payload", f->seg.payload, f->seg.payload_octets,
			"!", 1));
}

CASE(an_enhanced_responder_comes_up, .founds = FOUNDATION_ENHANCED,
     .title = "an enhanced Request is answered by an enhanced Reply, and a "
	      "stream is established",
     .needs = NEED_ENHANCED)
{
	/* Given a device that listens, when a right enhanced Request comes, */
	dut_listens(t, .enhanced = true);
	peer_opens_tcp(t);
	peer_sends_startup(t, modest(REQUEST(.enhanced = true)));

	/* then the Reply is one, too. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_01);
	if (reply.frame.flags & MPA_S)
		insists(t, EMPA_6_09,
			holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_10_01, holds("enhanced data", reply.has_enhanced));
	full_operation(t);
}

CASE(an_enhanced_initiator_comes_up, .founds = FOUNDATION_ENHANCED,
     .title = "the device sends an enhanced Request, and an enhanced Reply "
	      "establishes a stream",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that connects so, when its Request has arrived, */
	dut_dials(t, .enhanced = true);
	struct startup_seen request = awaits_startup(t, EMPA_6_01);
	if (request.frame.flags & MPA_S)
		insists(t, EMPA_6_08,
			holds("enhanced data", request.has_enhanced));
	must(t, EMPA_6_01, holds("enhanced data", request.has_enhanced));

	/* then a right Reply makes it a stream. */
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	full_operation(t);
	should(t, MPA_7_1_2_15,
	       holds("the agent reports: established",
		     strcmp(dut_starts(t).state, "established") == 0));
}

CASE(a_responder_takes_an_rtr, .founds = FOUNDATION_P2P,
     .title = "a stream of the peer-to-peer model is established, with the "
	      "device as responder",
     .needs = NEED_P2P)
{
	/* Given a device that listens, when it is offered every RTR, */
	dut_listens(t, .rtr = ALL_RTRS);
	peer_opens_tcp(t);
	peer_sends_startup(t, modest(request_offering(ALL_RTRS)));
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_04);
	if (reply.frame.flags & MPA_S)
		insists(t, EMPA_6_09,
			holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_9_2_04, is("A", reply.enhanced.a, 1));

	/* then it lists some, and one of these opens the stream. */
	must(t, EMPA_9_2_03,
	     holds_else(t, "at least one of B, C and D set",
			reply.enhanced.b || reply.enhanced.c ||
				reply.enhanced.d,
			"B, C and D are 0"));
	if (reply.enhanced.c)
		must(t, EMPA_9_2_17, full_operation_works());
	else
		must(t, EMPA_9_2_03, full_operation_works());
}

CASE(an_initiator_sends_an_rtr, .founds = FOUNDATION_P2P,
     .title = "a stream of the peer-to-peer model is established, with the "
	      "device as initiator",
     .needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that asks for the model, */
	dut_dials(t, .rtr = ALL_RTRS);
	struct startup_seen request = awaits_startup(t, EMPA_9_2_01);
	insists(t, EMPA_6_01, is("S", request.frame.flags & MPA_S, MPA_S));
	insists(t, EMPA_6_08, holds("enhanced data", request.has_enhanced));
	must(t, EMPA_9_2_01, is("A", request.enhanced.a, 1));

	/* when it may choose its RTR, then that opens the stream. */
	peer_sends_startup(t, reply_listing(ALL_RTRS));
	must(t, EMPA_5_02, full_operation_works());
}

CASE(a_stream_without_crcs_works, .founds = FOUNDATION_WITHOUT_CRC,
     .title = "a stream works if neither side asks for CRCs",
     .needs = NEED_CRC_OFF | NEED_READ, .role = EITHER)
{
	/* Given a stream without CRCs, */
	connects(t, .crc = OFF, .dut_crc = OFF, .unproven = true);

	/* when an exchange is tried, then the device's FPDUs have a CRC field,
	 * and the contents of the peer's CRC field do not matter. */
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		next_frame(t);
		insists(t, MPA_4_1_11, whole_fpdus());
	}
	bool answered = known_answer(t);
	insists(t, MPA_4_1_11, whole_fpdus());
	must(t, MPA_4_4_06, holds("a known-answer exchange works", answered));
}
