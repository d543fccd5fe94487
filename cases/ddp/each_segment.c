/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s3, s4 and s7.1: a rule about a segment, on the first segment of a
 * message, one in the middle and the last one, for Sends of every kind.
 */
#include "case.h"

#define PART  30u /* octets of a segment */
#define PARTS 3u
#define WHOLE (PART * PARTS)
/* A segment beyond the end of any buffer here; a path with an MSS of 216 takes
 * it. */
#define LONG 180u

/* The segment that is special, and what is special about it. */
struct part {
	CASE_ROW;
	uint8_t opcode;
	unsigned at; /* 1 to 3 */
	struct over dv, rsvd, qn, msn, mo, cut;
	size_t octets; /* 0: PART */
	bool apart;    /* what follows comes in another write */
};

/* A fault in the segment of each place, of a plain Send and of another. */
#define ROW(name, op, at_, ...)                                                \
	{                                                                      \
		.id = name, .opcode = RDMAP_##op, .at = (at_), __VA_ARGS__     \
	}
#define FIRST(what, ...)                                                       \
	ROW(what "in_the_first", SEND, 1, __VA_ARGS__),                        \
		ROW(what "in_the_first_of_another", SEND_SE, 1, __VA_ARGS__)
#define MIDDLE(what, ...)                                                      \
	ROW(what "in_the_middle", SEND, 2, __VA_ARGS__),                       \
		ROW(what "in_the_middle_of_another", SEND_INV, 2, __VA_ARGS__)
#define LAST(what, ...)                                                        \
	ROW(what "in_the_last", SEND, 3, __VA_ARGS__),                         \
		ROW(what "in_the_last_of_another", SEND_SE_INV, 3,             \
		    __VA_ARGS__)
#define EACH(what, ...)                                                        \
	FIRST(what, __VA_ARGS__), MIDDLE(what, __VA_ARGS__),                   \
		LAST(what, __VA_ARGS__)

/* So many segments of a Send of three go out in one write, unless the row has
 * them apart. All of them, because a device may look at a message when it is
 * whole. */
static void peer_sends_parts(struct test *t, const struct awaited *a,
			     const struct part *row, unsigned parts)
{
	/* A long segment ends behind the message; it has octets all the same. */
	size_t end = row->octets ? (row->at - 1) * PART + row->octets : 0;
	struct msg whole = message_awaited(t, a, end > WHOLE ? end : WHOLE);

	for (unsigned i = 1; i <= parts; i++) {
		struct msg m = whole;

		m.octets = (const uint8_t *)whole.octets + (i - 1) * PART;
		m.n = PART;
		m.mo = IS((i - 1) * PART);
		m.l = IS(i == PARTS);
		m.keeps_msn = i < PARTS;
		if (i == row->at) {
			m.dv = row->dv;
			m.rsvd = row->rsvd;
			m.qn = row->qn;
			m.ulpdu_cut = row->cut;
			m.n = row->octets ? row->octets : PART;
			if (row->mo.set)
				m.mo = row->mo;
			m.msn = row->msn;
		}
		peer_sends(t, m,
			   .hold = i < parts && !(row->apart && i == row->at));
	}
}

/* --- faults ------------------------------------------------------------------ */

/* The device has reported the fault. If it delivers the Send all the same, it
 * has not dropped the segments behind it. */
static bool has_more_behind(struct test *t, const struct part *row)
{
	return row->at < PARTS && the_terminate(t);
}

static const struct part versions[] = {
	EACH("dv0_", .must = &DDP_4_1_18, .dv = IS(0)),
	EACH("dv2_", .must = &DDP_4_1_19, .dv = IS(2)),
	EACH("dv3_", .must = &DDP_4_1_20, .dv = IS(3)),
	MIDDLE("changed_", .must = &DDP_4_1_21, .dv = IS(0)),
	LAST("changed_", .must = &DDP_4_1_21, .dv = IS(0)),
	ROW("changed_in_the_last_with_se", SEND_SE, 3, .must = &DDP_4_1_21,
	    .dv = IS(0)),
};

CASE_EACH(another_version_is_refused, struct part, versions,
	  .title = "a Send with a segment whose DV is not 1 is not delivered, "
		   "and its Terminate says invalid DDP version",
	  .role = EITHER)
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment of it has another version of DDP, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then it is not delivered, and the stream ends for that reason. */
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x06));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

static const struct part queues[] = {
	EACH("4_", .must = &DDP_7_1_01, .qn = IS(4)),
	EACH("0xffffffff_", .must = &DDP_7_1_02, .qn = IS(0xffffffff)),
};

CASE_EACH(an_unassigned_queue_is_refused, struct part, queues,
	  .title = "a Send with a segment on a queue above 3 is not delivered, "
		   "and its Terminate says so",
	  .role = EITHER)
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment of it has a queue that has no use, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then it is not delivered, and the stream ends for that reason. */
	must_row(t, row, refuses_queue(t));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

/* The Send is the second of the stream, so its MSN is 2. */
static const struct part numbers[] = {
	EACH("1_", .must = &DDP_7_1_14, .msn = IS(1)),
	ROW("1_with_se_in_the_first", SEND_SE, 1, .must = &DDP_7_2_09,
	    .msn = IS(1)),
	ROW("1_with_se_in_the_middle", SEND_SE, 2, .must = &DDP_7_2_09,
	    .msn = IS(1)),
	ROW("1_with_se_in_the_last", SEND_SE, 3, .must = &DDP_7_2_09,
	    .msn = IS(1)),
	EACH("1000_", .must = &DDP_7_1_15, .msn = IS(1000)),
	EACH("behind_the_last_buffer_", .must = &DDP_7_1_17,
	     .msn = IS(AWAITED_RECEIVES + 1)),
};

static bool is_ahead(const struct part *row)
{
	return row->msn.v > AWAITED_RECEIVES;
}

CASE_EACH(an_msn_out_of_range_is_refused, struct part, numbers,
	  .title = "a Send with a segment whose MSN was used, or is beyond the "
		   "last buffer, is not delivered, and its Terminate says so",
	  .role = EITHER)
{
	/* Given four receive buffers, and a Send that has used MSN 1, */
	struct awaited a = dut_awaits(t, row->opcode);
	peer_sends(t, message_awaited(t, &a, PART));
	must_row(t, row, had_its_effect(t, &a, PART));
	dut_awaits_another(t, &a);

	/* when a segment of the next has an MSN that is not in range, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then it is not delivered; both checks of the MSN fail. */
	must_row(t, row, refuses_msn(t, is_ahead(row)));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

static const struct part zeros[] = {
	EACH("", .must = &DDP_7_1_13, .msn = IS(0))};

CASE_EACH(msn_zero_is_refused, struct part, zeros,
	  .title = "a first Send with a segment whose MSN is 0 is not "
		   "delivered, and its Terminate says so")
{
	/* Given four receive buffers, which take MSN 1 to 4, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment of the first Send has MSN 0, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then it is not delivered; both checks of the MSN fail. */
	must_row(t, row, refuses_msn(t, false));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

/* The receive buffer has 100 octets. */
static const struct part offsets[] = {
	EACH("mo_200_", .must = &DDP_7_1_07, .mo = IS(200)),
	EACH("mo_100_", .must = &DDP_7_1_08, .mo = IS(AWAITED_OCTETS)),
	EACH("mo_0xfffffff0_", .must = &DDP_7_1_11, .mo = IS(0xfffffff0)),
	ROW("mo_200_with_se_and_invalidate_in_the_first", SEND_SE_INV, 1,
	    .must = &DDP_7_2_10, .mo = IS(200)),
	ROW("mo_200_with_se_and_invalidate_in_the_middle", SEND_SE_INV, 2,
	    .must = &DDP_7_2_10, .mo = IS(200)),
	ROW("mo_200_with_se_and_invalidate_in_the_last", SEND_SE_INV, 3,
	    .must = &DDP_7_2_10, .mo = IS(200)),
};

CASE_EACH(an_mo_beyond_the_buffer_is_refused, struct part, offsets,
	  .title = "a Send with a segment whose MO lies outside the receive "
		   "buffer is not delivered, and its Terminate says so")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment points outside, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then the Send is not delivered; both checks of the offset fail. */
	must_row(t, row,
		 any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
			terminate_if_any(TERM_DDP, 2, 0x05)));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

static const struct part overruns[] = {
	FIRST("", .must = &DDP_7_1_09, .octets = AWAITED_OCTETS + 1),
	MIDDLE("", .must = &DDP_7_1_09, .octets = AWAITED_OCTETS - PART + 1),
	LAST("", .must = &DDP_7_1_09, .octets = AWAITED_OCTETS - 2 * PART + 1),
	MIDDLE("later_", .must = &DDP_7_1_10,
	       .octets = AWAITED_OCTETS - PART + 1),
	LAST("later_", .must = &DDP_7_1_10,
	     .octets = AWAITED_OCTETS - 2 * PART + 1),
	MIDDLE("at_once_", .must = &DDP_7_2_11, .apart = true,
	       .octets = AWAITED_OCTETS - PART + 1),
	FIRST("at_once_", .must = &DDP_7_2_11, .apart = true,
	      .octets = AWAITED_OCTETS + 1),
	MIDDLE("placement_of_", .must = &DDP_7_1_33, .octets = LONG),
	LAST("placement_of_", .must = &DDP_7_1_33, .octets = LONG),
	ROW("later_in_the_last_with_se", SEND_SE, 3, .must = &DDP_7_1_10,
	    .octets = AWAITED_OCTETS),
	ROW("placement_of_in_the_last_with_se", SEND_SE, 3, .must = &DDP_7_1_33,
	    .octets = LONG),
	ROW("at_once_in_the_middle_with_se_and_invalidate", SEND_SE_INV, 2,
	    .must = &DDP_7_2_11, .apart = true, .octets = AWAITED_OCTETS),
};

CASE_EACH(a_message_too_long_for_its_buffer_is_refused, struct part, overruns,
	  .title = "a Send with a segment that would end beyond the receive "
		   "buffer is refused as too long")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a segment of a Send ends outside, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then the Send is not delivered, and the cause is named: a number is
	 * no matter of placement. */
	if (row->must == &DDP_7_1_33)
		must_row(t, row, stream_ends());
	else
		must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x05));
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

static const struct part runts[] = {
	EACH("", .must = &DDP_4_4_02, .cut = IS(17)),
	EACH("13_octets_", .must = &DDP_4_4_01, .cut = IS(13)),
};

CASE_EACH(a_segment_shorter_than_its_header_is_refused, struct part, runts,
	  .title = "a Send with a segment that has no whole header is not "
		   "delivered, and ends the stream")
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when the header of a segment is cut off, the FPDU being right, */
	if (row->at < PARTS)
		peer_breaks(t, DDP_4_3_01);
	peer_sends_parts(t, &a, row, PARTS);

	/* then the Send is not delivered, and the stream ends: RFC 5041 s4.4
	 * says only what a segment has. A Send delivered without this segment
	 * on a stream that goes on is no breach of it. */
	insists(t, DDP_6_2_2_02, stream_ends_with_the_next());
	if (has_more_behind(t, row))
		must(t, DDP_7_1_35, had_no_effect(&a));
	else
		must_row(t, row, had_no_effect(&a));
}

/* --- right segments ---------------------------------------------------------- */

/* A plain Send and the other kinds. */
#define KINDS(what, ...)                                                       \
	ROW(what "send", SEND, 0, __VA_ARGS__),                                \
		ROW(what "send_with_invalidate", SEND_INV, 0, __VA_ARGS__),    \
		ROW(what "send_with_se", SEND_SE, 0, __VA_ARGS__),             \
		ROW(what "send_with_se_and_invalidate", SEND_SE_INV, 0,        \
		    __VA_ARGS__)

static const struct part rights[] = {
	KINDS("l_of_", .must = &DDP_4_1_08),
	KINDS("t0_of_", .must = &DDP_4_1_02),
	KINDS("mo_of_", .must = &DDP_4_3_13),
	KINDS("payload_of_", .must = &DDP_5_2_04),
	EACH("reserved_bits_", .must = &DDP_4_1_12, .rsvd = IS(0xf)),
};

CASE_EACH(
	a_send_in_three_segments_is_delivered, struct part, rights,
	.title = "a Send of any kind in three segments is delivered once, with "
		 "the octets of all of them")
{
	/* Given four receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a Send comes in three segments, */
	peer_sends_parts(t, &a, row, PARTS);

	/* then it uses the first buffer, and only that. */
	must_row(t, row, had_its_effect(t, &a, WHOLE));
	must_row(t, row, not_delivered(sink_at(a.sinks, 1)));
}

static const struct part kinds[] = {KINDS("", .must = NULL)};

CASE_EACH(two_segments_of_three_are_not_delivered, struct part, kinds,
	  .title = "a Send of any kind without its third segment is not "
		   "delivered, also if the peer closes then")
{
	/* Given four receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when two segments of three come, and the stream ends, */
	peer_sends_parts(t, &a, row, 2);
	peer_closes(t);
	dut_has_its_turn(t);
	dut_closes(t);

	/* then the Send is not delivered. */
	must(t, DDP_4_1_09, had_no_effect(&a));
	must(t, DDP_5_4_01, had_no_effect(&a));
}

CASE_EACH(a_long_first_message_has_msn_one, struct part, kinds,
	  .title = "a Send of any kind in three segments is the first of its "
		   "queue with MSN 1, and the next has MSN 2")
{
	/* Given a stream on which nothing was sent but a Read Request, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when two Sends come in three segments each, */
	peer_sends_parts(t, &a, &(struct part){.msn = IS(1)}, PARTS);

	/* then the MSN counts messages, not segments. */
	must(t, DDP_4_3_11, had_its_effect(t, &a, WHOLE));
	must(t, DDP_4_3_07, had_its_effect(t, &a, WHOLE));
	dut_awaits_another(t, &a);
	peer_sends(t, message_awaited(t, &a, PART));
	must(t, DDP_5_2_04, had_its_effect(t, &a, PART));
}

CASE_EACH(a_received_msn_wraps_to_zero, struct part, kinds,
	  .title =
		  "a Send of any kind in three segments is accepted with MSN 0 "
		  "after one with MSN ffffffff",
	  .needs = NEED_MSN_PRESET)
{
	/* Given a stream whose next sequence number is the highest, */
	struct awaited a = dut_awaits(t, row->opcode, .dut_msn = 0xffffffff);

	/* when two Sends come in three segments each, */
	peer_sends_parts(t, &a, row, PARTS);
	must(t, DDP_4_3_10, had_its_effect(t, &a, WHOLE));
	dut_awaits_another(t, &a);
	peer_sends_parts(t, &a, row, PARTS);

	/* then both are delivered. */
	must(t, DDP_4_3_10, had_its_effect(t, &a, WHOLE));
}

CASE_EACH(segments_are_placed_in_any_order_of_mo, struct part, kinds,
	  .title = "a Send of any kind whose first two segments are exchanged "
		   "is delivered")
{
	/* Given four receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg whole = message_awaited(t, &a, WHOLE);

	/* when the second of its parts comes before the first, */
	struct msg m = whole;
	m.keeps_msn = true;
	m.l = IS(0);
	m.n = PART;
	m.mo = IS(PART);
	m.octets = (const uint8_t *)whole.octets + PART;
	peer_sends(t, m, .hold = true);
	m.mo = IS(0);
	m.octets = whole.octets;
	peer_sends(t, m, .hold = true);
	whole.octets = (const uint8_t *)whole.octets + 2 * PART;
	whole.n = PART;
	whole.mo = IS(2 * PART);
	peer_sends(t, whole);

	/* then it is delivered as a whole. */
	must(t, DDP_5_2_16, had_its_effect(t, &a, WHOLE));
}

CASE_EACH(a_send_with_a_hole, struct part, kinds,
	  .title = "a Send of any kind that leaves a gap in its buffer is "
		   "delivered, refused, or waits for the rest")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, PART);

	/* when 20 octets are missing between each two segments, */
	m.n = 20;
	m.l = IS(0);
	m.keeps_msn = true;
	peer_sends(t, m, .hold = true);
	m.mo = IS(40);
	peer_sends(t, m, .hold = true);
	m.mo = IS(80);
	m.l = IS(1);
	m.keeps_msn = false;
	peer_sends(t, m);

	/* then the device need not have looked for them, and may calculate the
	 * length from the last segment, or count (RFC 5041 s5.4); if it has
	 * looked, it refuses the Send, or waits. */
	size_t n = known_answer(t) ? dut_receives(t, a.sinks).len : 0;
	may(t, DDP_5_2_13,
	    any_of(t, is("octets delivered", n, AWAITED_OCTETS),
		   is("octets delivered", n, 3 * 20), terminate_any(),
		   not_delivered(a.sinks)));
}

CASE_EACH(segments_that_overlap, struct part, kinds,
	  .title = "the reaction to two segments for the same octets of a Send "
		   "of any kind is recorded")
{
	/* Given receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, PART);

	/* when the same octets of a Send come twice, */
	m.l = IS(0);
	m.keeps_msn = true;
	peer_sends(t, m, .hold = true);
	peer_sends(t, m, .hold = true);
	m.mo = IS(PART);
	m.l = IS(1);
	m.keeps_msn = false;
	peer_sends(t, m);

	/* then it may be delivered, or be refused. */
	bool alive = known_answer(t);
	observe(t, DDP_5_3_05, "%s",
		alive && dut_receives(t, a.sinks).ok ? "delivered"
						     : how_it_ended(t));
}

CASE_EACH(an_empty_last_segment, struct part, kinds,
	  .title = "the reaction to a Send of any kind whose last segment of "
		   "three is empty is recorded")
{
	/* Given receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, PART);

	/* when its octets come with L=0, and L=1 comes with no octet, */
	m.l = IS(0);
	m.keeps_msn = true;
	peer_sends(t, m, .hold = true);
	m.mo = IS(PART);
	peer_sends(t, m, .hold = true);
	m.mo = IS(2 * PART);
	m.n = 0;
	m.l = IS(1);
	m.keeps_msn = false;
	peer_sends(t, m);

	/* then it may be delivered, or refused. */
	bool alive = known_answer(t);
	observe(t, DDP_4_4_04, "an empty last segment: %s",
		alive && dut_receives(t, a.sinks).ok ? "delivered"
						     : how_it_ended(t));
}
