/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s6: Immediate Data as the device takes it. */
#include "case.h"

#define NEED_BOTH (NEED_IMM | NEED_IMM_SE)

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "immediate_data", .must = &RDMAPX_6_3_02, .opcode = RDMAP_IMM},
	{.id = "immediate_data_with_se",
	 .must = &RDMAPX_6_3_03,
	 .opcode = RDMAP_IMM_SE},
};

CASE_EACH(eight_octets_are_delivered, struct kind, kinds,
	  .title = "Immediate Data as the first message of a queue completes a "
		   "receive with its eight octets",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the first message for it is Immediate Data, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8));

	/* then the consumer gets the octets in the order sent. */
	struct completion c = dut_receives(t, sink);
	must(t, RDMAPX_6_01,
	     is("completions by Immediate Data",
		c.ok && strcmp(c.op, "recv-imm") == 0, 1));
	must(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
}

CASE_EACH(one_receive_is_used, struct kind, kinds,
	  .title = "Immediate Data uses one receive buffer, and the Send after "
		   "it the next",
	  .needs = NEED_BOTH | NEED_SEND, .role = EITHER)
{
	/* Given three buffers, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	connects(t, .crc = true);

	/* when Immediate Data and a Send follow each other, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8), .hold = true);
	peer_sends(t, SEND("behind"));

	/* then each has a buffer of its own. */
	must_row(t, row, delivered_imm(sink_at(sinks, 0), EIGHT));
	insists_row(t, row, delivered_text(sink_at(sinks, 1), "behind"));
	must_row(t, row, not_delivered(sink_at(sinks, 2)));
}

CASE(an_event_may_follow, .title = "Immediate Data with SE may raise an Event",
     .needs = NEED_IMM_SE, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data asks for an Event, */
	peer_sends(t, IMM_SE(EIGHT));

	/* then there may be one. */
	must(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
	may(t, RDMAPX_6_1_02,
	    tells_se(sink, true, "the completion raises an Event"));
}

CASE(an_event_is_for_se_alone,
     .title = "of two Immediate Data messages the one with SE raises an Event",
     .needs = NEED_BOTH, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given two buffers waiting, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);

	/* when Immediate Data comes without SE and with it, */
	peer_sends(t, IMM(EIGHT));
	peer_sends(t, IMM_SE(EIGHT));

	/* then the second raises an Event. */
	insists(t, RDMAPX_6_3_03,
		holds("the second Immediate Data completes a receive of its "
		      "own",
		      dut_receives(t, sink_at(sinks, 1)).came));
	must(t, RDMAPX_6_1_01, delivered_imm(sink_at(sinks, 0), EIGHT));
	must(t, RDMAPX_6_1_01, delivered_imm(sink_at(sinks, 1), EIGHT));
	may(t, RDMAPX03_6_1_01,
	    holds("an Event only for the second Immediate Data",
		  !dut_receives(t, sink_at(sinks, 0)).se &&
			  dut_receives(t, sink_at(sinks, 1)).se));
}

CASE(sends_and_immediate_data_share_msns,
     .title = "Send, Immediate Data and Send with MSN 1, 2 and 3 of QN 0 are "
	      "all delivered",
     .needs = NEED_IMM | NEED_SEND, .role = EITHER)
{
	/* Given three buffers, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	connects(t, .crc = true);

	/* when the three messages come with these numbers, */
	peer_sends(t, SEND("one", .msn = IS(1)));
	peer_sends(t, IMM(EIGHT, .msn = IS(2)));
	peer_sends(t, SEND("three", .msn = IS(3)));

	/* then all are delivered. */
	bool used = dut_receives(t, sink_at(sinks, 2)).came;
	if (!used)
		insists(t, RDMAPX_6_3_13, stream_works());
	insists(t, RDMAPX_6_3_02,
		holds("the third message completes a receive of its own",
		      used));
	must(t, RDMAPX_6_3_13, delivered_text(sink_at(sinks, 0), "one"));
	must(t, RDMAPX_6_3_13, delivered_imm(sink_at(sinks, 1), EIGHT));
	must(t, RDMAPX_6_3_13, delivered_text(sink_at(sinks, 2), "three"));
}

CASE(a_hundred_keep_their_order,
     .title = "a hundred numbered Immediate Data messages among Sends are "
	      "delivered in the order sent",
     .needs = NEED_BOTH | NEED_SEND, .role = EITHER)
{
	/* Given a hundred buffers, */
	struct sink sinks = dut_posts_recvs(t, 100, 16);
	connects(t, .crc = true);

	/* when Immediate Data of both kinds and Sends arrive in bursts, each
	 * with its number eight times, */
	for (unsigned i = 0; i < 100; i++) {
		const uint8_t *octets = octets_of(t, 8, i);

		peer_sends(t,
			   i % 3 == 0   ? IMM(octets)
			   : i % 3 == 1 ? IMM_SE(octets)
					: SEND_N(octets, 8),
			   .hold = i % 20 < 19);
	}

	/* then all are used, */
	insists(t, RDMAPX_6_3_02,
		holds("the last receive completes",
		      dut_receives(t, sink_at(sinks, 99)).came));
	/* and the buffers complete with these numbers, in this order. */
	for (unsigned i = 0; i < 100; i++) {
		struct sink sink = sink_at(sinks, i);
		const uint8_t *octets = octets_of(t, 8, i);

		must(t, RDMAPX_6_3_04,
		     i % 3 == 2 ? delivered(sink, octets, 8)
				: delivered_imm(sink, octets));
		must(t, RDMAPX_6_3_04,
		     is("place among the receives",
			dut_receives(t, sink).place -
				dut_receives(t, sinks).place,
			i));
		if (!dut_receives(t, sink).came)
			break;
	}
}

/* --- bits and fields ------------------------------------------------------ */

CASE_EACH(reserved_control_bits_are_ignored, struct kind, kinds,
	  .title = "reserved bits of the DDP and RDMAP octets are ignored in "
		   "Immediate Data",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data comes with all of them set, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8, .rsvd = IS(0xf),
			     .rdmap_rsvd = IS(3)));

	/* then it is delivered. */
	must(t, RDMAPX_4_1_11, delivered_imm(sink, EIGHT));
}

CASE_EACH(the_invalidate_field_is_ignored, struct kind, kinds,
	  .title = "Immediate Data whose Invalidate STag field names an STag "
		   "does not invalidate it",
	  .needs = NEED_BOTH | NEED_READ, .role = EITHER)
{
	/* Given a buffer waiting, and an STag, */
	struct sink sink = dut_posts_recv(t, 64);
	struct region region = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t, .crc = true);

	/* when Immediate Data has the STag in a field without meaning, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8, .inval = region.stag));

	/* then it is delivered, and the STag still works. */
	must(t, RDMAPX_4_1_04, delivered_imm(sink, EIGHT));
	must(t, RDMAPX_4_1_04,
	     holds("no invalidated STag is reported",
		   !dut_receives(t, sink).has_inv));
	peer_sends(t, READ(region, 0, 8));
	awaits(t, RDMAPX_4_1_04, RDMAP_READ_RESPONSE);
}

CASE_EACH(another_rdmap_version_is_refused, struct kind, kinds,
	  .title = "Immediate Data with RV 2 is not delivered, and its "
		   "Terminate says invalid RDMAP version",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data has a version that does not exist, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8, .rv = IS(2)));

	/* then it is not delivered, and the Terminate says why. */
	must(t, RDMAPX_4_1_09, terminate(TERM_RDMA, 2, 0x05));
	must(t, RDMAPX_4_1_09, not_delivered(sink));
}

/* --- exactly eight octets ------------------------------------------------- */

struct length {
	CASE_ROW;
	uint8_t opcode;
	size_t octets;
};

static const struct length wrong[] = {
	{.id = "7_octets",
	 .must = &RDMAPX_6_3_08,
	 .opcode = RDMAP_IMM,
	 .octets = 7},
	{.id = "9_octets",
	 .must = &RDMAPX_6_3_09,
	 .opcode = RDMAP_IMM,
	 .octets = 9},
	{.id = "no_octet",
	 .must = &RDMAPX_6_3_10,
	 .opcode = RDMAP_IMM,
	 .octets = 0},
	{.id = "16_octets_with_se",
	 .must = &RDMAPX_6_3_11,
	 .opcode = RDMAP_IMM_SE,
	 .octets = 16},
};

/* The device has completed a receive with it: it has found no error. */
static void finds_an_error(struct test *t, struct sink sink)
{
	if (dut_overlooks_it(t) && dut_has_received(t, sink).ok)
		not_applicable(t, "the device overlooks the error, which other "
				  "cases judge");
}

CASE_EACH(another_length_is_refused, struct length, wrong,
	  .title = "Immediate Data of fewer or more than eight octets is not "
		   "delivered and ends the stream",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer that would hold it, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data is of this length, */
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, OPCODE(row->opcode, octets_of(t, 16, 0x33), row->octets));

	/* then it is an error. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, not_delivered(sink));

	/* RDMAP detects and reports missing octets; DDP may detect excess
	 * octets first. */
	if (row->octets < RDMAP_IMM_OCTETS)
		must(t, RDMAPX_6_1_03, terminate_any());
	else
		should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(the_terminate_names_the_message,
     .title = "the Terminate for Immediate Data of seven octets returns its "
	      "DDP header and no RDMA header",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data is one octet short, and that is noticed, */
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, IMM_N(EIGHT, 7));
	finds_an_error(t, sink);

	/* then a Terminate returns 18 octets of its header. */
	awaits(t, RDMAPX_6_1_03, RDMAP_TERMINATE);
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAPX_8_1_03, is("D", term.d, 1));
	should(t, RDMAPX_8_1_03, is("R", term.r, 0));
	must(t, RDMAP_4_8_15,
	     is("octets of the DDP header, where D is set",
		term.d ? term.ddp_header_octets : DDP_UNTAGGED_OCTETS,
		DDP_UNTAGGED_OCTETS));
}

CASE(an_error_is_told_to_both_sides,
     .title = "Immediate Data of seven octets gets a Terminate, and the ULP "
	      "gets an error",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data is one octet short, and that is noticed, */
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, IMM_N(EIGHT, 7));
	finds_an_error(t, sink);

	/* then both consumers learn of it. */
	must(t, RDMAPX_6_1_03, terminate_any());
	must(t, RDMAPX_6_1_03, agent_sees_fatal_end());
}

CASE(two_segments_are_one_message,
     .title = "Immediate Data cut into two DDP segments of four octets is "
	      "delivered as eight octets, or refused",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given two buffers, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);

	/* when Immediate Data arrives in halves, */
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, IMM(EIGHT, .segment = 4));

	/* then it is one message, or refused; texts disagree. */
	bool alive = known_answer(t);
	must(t, DDP_5_4_01,
	     any_of(t, not_delivered(sink_at(sinks, 0)),
		    delivered_imm(sink_at(sinks, 0), EIGHT)));
	must(t, DDP_5_4_01, not_delivered(sink_at(sinks, 1)));
	observe(t, RDMAPX_6_3_12, "%s",
		alive ? "it is taken" : how_it_ended(t));
}

CASE(a_buffer_of_no_octets,
     .title = "the reaction to Immediate Data for a receive of length zero is "
	      "recorded",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a receive without room, */
	struct sink sink = dut_posts_recv(t, 0);
	connects(t, .crc = true);

	/* when Immediate Data comes, */
	peer_sends(t, IMM(EIGHT));

	/* then its octets are not put into the buffer, or it does not fit. */
	bool works = known_answer(t);
	observe(t, RDMAPX_6_3_15, "%s%s",
		dut_has_received(t, sink).ok ? "it is delivered beside it"
					     : "it is refused: ",
		works ? "" : how_it_ended(t));
}

/* --- the segment ---------------------------------------------------------- */

CASE(an_mo_beyond_the_buffer_is_refused,
     .title = "Immediate Data whose MO is beyond the buffer is not delivered "
	      "and ends the stream",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data is to be placed at 100, */
	peer_sends(t, IMM(EIGHT, .mo = IS(100)));

	/* then it is not delivered, and a Terminate says why: MO and payload
	 * make it longer than eight octets, too (RFC 5041 s5.4, RFC 7306 s6.3),
	 * and no rule says which is checked first. */
	must(t, RDMAPX_8_2_02,
	     any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
		    terminate_if_any(TERM_DDP, 2, 0x05),
		    terminate_if_any(TERM_RDMA, 2, 0x07),
		    terminate_if_any(TERM_RDMA, 2, 0xff)));
	must(t, RDMAPX_8_2_02, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_used_msn_is_refused,
     .title = "Immediate Data with an MSN that was used is not delivered and "
	      "ends the stream",
     .needs = NEED_IMM, .role = EITHER)
{
	/* Given two buffers, and Immediate Data with MSN 1, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = true);
	peer_sends(t, IMM(EIGHT));
	must(t, RDMAPX_6_1_01, delivered_imm(sink_at(sinks, 0), EIGHT));

	/* when MSN 1 comes again, */
	peer_sends(t, IMM(EIGHT, .msn = IS(1)));

	/* then it is not delivered, and a Terminate says why. */
	must(t, RDMAPX_8_2_02, refuses_msn(t, false));
	must(t, RDMAPX_8_2_02, not_delivered(sink_at(sinks, 1)));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(another_ddp_version_is_refused, struct kind, kinds,
	  .title = "Immediate Data with DV 2 is not delivered and ends the "
		   "stream",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a buffer waiting, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when Immediate Data has a version that does not exist, */
	peer_sends(t, OPCODE(row->opcode, EIGHT, 8, .dv = IS(2)));

	/* then it is not delivered, and a Terminate says why. */
	must(t, RDMAPX_8_2_02, terminate_if_any(TERM_DDP, 2, 0x06));
	must(t, RDMAPX_8_2_02, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}
