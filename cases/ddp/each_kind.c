/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.1, s4.3, s4.4 and s7.1: an untagged message of each kind with one
 * fault. DDP does not know the kinds, but a device may have a path of its own
 * for each of them. Plain Sends are in the files of the rules.
 */
#include "case.h"

/* A kind of message, and its fault. */
struct kind {
	CASE_ROW;
	uint8_t opcode;
	struct over dv, qn, mo, cut;
	uint32_t by;    /* to the MSN that is due */
	size_t segment; /* octets of each, of a longer Send */
};

#define OCTETS 10u /* of a Send, */
#define LONG   90u /* or of one in three segments */

/* The message that is due, with the fault of its row. */
static struct msg faulty(struct test *t, const struct awaited *a,
			 const struct kind *row)
{
	struct msg m = message_awaited(t, a, row->segment ? LONG : OCTETS);

	m.segment = row->segment;
	m.dv = row->dv;
	m.qn = row->qn;
	m.mo = row->mo;
	m.ulpdu_cut = row->cut;
	/* A device that overlooks the queue has to take it for the right one. */
	if (row->by || row->qn.set)
		m.msn = IS(msn_awaited(a) + row->by);
	return m;
}

/* The peer closes behind a Terminate, right or wrong, and the device may leave
 * the end of the stream to it (RFC 5040 s5.4). */
static void peer_sends_faulty(struct test *t, const struct awaited *a,
			      const struct kind *row)
{
	peer_sends(t, faulty(t, a, row));
	if (row->opcode == RDMAP_TERMINATE) {
		the_terminate(t);
		peer_closes(t);
	}
}

/* --- version -------------------------------------------------------------- */

static const struct kind versions[] = {
	KIND_UNTAGGED("dv0_of_", .must = &DDP_4_1_18, .dv = IS(0)),
	KIND_UNTAGGED("dv2_of_", .must = &DDP_4_1_19, .dv = IS(2)),
	KIND_UNTAGGED("dv3_of_", .must = &DDP_4_1_20, .dv = IS(3)),
};

CASE_EACH(another_version_is_refused, struct kind, versions,
	  .title = "an untagged message of any kind whose DV is not 1 has no "
		   "effect, and its Terminate says invalid DDP version")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes with another version of DDP, */
	peer_sends_faulty(t, &a, row);

	/* then it has no effect, and the stream ends for that reason. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x06));
	must_row(t, row, had_no_effect(&a));
}

/* --- queue ---------------------------------------------------------------- */

static const struct kind queues[] = {
	KIND_UNTAGGED("4_of_", .must = &DDP_7_1_01, .qn = IS(4)),
	KIND_UNTAGGED("0xffffffff_of_", .must = &DDP_7_1_02,
		      .qn = IS(0xffffffff)),
};

CASE_EACH(an_unassigned_queue_is_refused, struct kind, queues,
	  .title = "an untagged message of any kind on a queue above 3 has no "
		   "effect, and its Terminate says invalid QN")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes on a queue that has no use, */
	peer_sends_faulty(t, &a, row);

	/* then it has no effect, and the stream ends for that reason. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, refuses_queue(t));
	must_row(t, row, had_no_effect(&a));
}

/* --- MSN ------------------------------------------------------------------ */

/* Its MSN is ahead of all buffers of its queue. */
static bool is_ahead(const struct kind *row)
{
	return row->by != UINT32_MAX;
}

static struct expect has_no_answer(struct test *t, const struct kind *row)
{
	return is_ahead(row) ? any_of(t, ends_unanswered(), held_back())
			     : ends_unanswered();
}

/* Of a receive: the device has four. Of a Request or an answer: no device has so
 * many of them under way. */
#define FAR_AHEAD      1000u
#define VERY_FAR_AHEAD 0x40000000u

static const struct kind firsts[] = {
	KIND_SENDS("0_of_", .must = &DDP_7_1_13, .by = UINT32_MAX),
	KIND_RECEIVED("far_ahead_of_", .must = &DDP_7_1_15, .by = FAR_AHEAD),
	KIND_REQUESTS("far_ahead_of_", .must = &DDP_7_1_15,
		      .by = VERY_FAR_AHEAD),
};

CASE_EACH(a_first_msn_out_of_range_is_refused, struct kind, firsts,
	  .title = "a first message of any kind whose MSN has no buffer has no "
		   "effect, and its Terminate says so")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when its MSN is out of range, */
	peer_sends(t, faulty(t, &a, row));

	/* then it has no effect; both checks of the MSN fail. */
	must_row(t, row, has_no_answer(t, row));
	must_row(t, row, refuses_msn(t, is_ahead(row)));
	must_row(t, row, had_no_effect(&a));
}

static const struct kind seconds[] = {
	KIND_RECEIVED("used_by_", .must = &DDP_7_1_14, .by = UINT32_MAX),
	KIND_REQUESTS("used_by_", .must = &DDP_7_1_14, .by = UINT32_MAX),
	KIND_ROW("of_queue_1_used_by_atomic_request", ATOMIC_REQUEST,
		 .must = &DDP_7_1_39, .by = UINT32_MAX),
	KIND_RECEIVED("behind_the_last_buffer_of_", .must = &DDP_7_1_17,
		      .by = AWAITED_RECEIVES - 1),
};

CASE_EACH(a_next_msn_out_of_range_is_refused, struct kind, seconds,
	  .title = "a message of any kind whose MSN was used, or is beyond the "
		   "last buffer, has no effect, and its Terminate says so")
{
	/* Given a message of this kind that had its effect, and a device that
	 * expects another, */
	struct awaited a = dut_awaits(t, row->opcode);
	peer_sends(t, message_awaited(t, &a, OCTETS));
	awaits_effect(t, &a, OCTETS);
	if (row->opcode == RDMAP_ATOMIC_REQUEST)
		awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	dut_awaits_another(t, &a);

	/* when that has an MSN that is not in range, */
	peer_sends(t, faulty(t, &a, row));

	/* then it has no effect; both checks of the MSN fail. */
	must_row(t, row, has_no_answer(t, row));
	must_row(t, row, refuses_msn(t, is_ahead(row)));
	must_row(t, row, had_no_effect(&a));
}

static const struct kind skipping[] = {
	KIND_RECEIVED("", .by = 1),
	KIND_ROW("send_in_three_segments", SEND, .by = 1, .segment = 30),
};

CASE_EACH(a_skipped_msn, struct kind, skipping,
	  .title = "a first message with MSN 2 of any kind that uses a receive "
		   "buffer is not delivered before MSN 1")
{
	/* Given a device with receive buffers for MSN 1 to 4, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when MSN 2 arrives first, */
	peer_sends(t, faulty(t, &a, row));

	/* then it may be placed, but is not delivered, neither to the buffer of
	 * MSN 1 nor to its own: its turn has not come. */
	const char *how = known_answer(t) ? "waits for MSN 1" : how_it_ended(t);
	must(t, DDP_5_4_01, not_delivered(a.sinks));
	observe(t, DDP_7_1_16, "a first message with MSN 2: %s", how);
}

/* --- MO ------------------------------------------------------------------- */

/* MO and payload make Immediate Data longer than eight octets, too (RFC 5041
 * s5.4, RFC 7306 s6.3), and no rule says which is checked first. */
static struct expect refuses_mo(struct test *t, uint8_t opcode)
{
	if (opcode == RDMAP_IMM || opcode == RDMAP_IMM_SE)
		return any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
			      terminate_if_any(TERM_DDP, 2, 0x05),
			      terminate_if_any(TERM_RDMA, 2, 0x07),
			      terminate_if_any(TERM_RDMA, 2, 0xff));
	return any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
		      terminate_if_any(TERM_DDP, 2, 0x05));
}

static const struct kind offsets[] = {
	KIND_RECEIVED("200_of_", .must = &DDP_7_1_07, .mo = IS(200)),
	KIND_RECEIVED("100_of_", .must = &DDP_7_1_08, .mo = IS(AWAITED_OCTETS)),
	KIND_RECEIVED("0xfffffffc_of_", .must = &DDP_7_1_11,
		      .mo = IS(0xfffffffc)),
};

CASE_EACH(an_mo_beyond_the_receive_buffer_is_refused, struct kind, offsets,
	  .title = "a message of any kind whose MO lies outside its receive "
		   "buffer is not delivered, and its Terminate says so")
{
	/* Given a device with receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a message points outside, */
	peer_sends(t, faulty(t, &a, row));

	/* then it is not delivered; both checks of the offset fail. */
	must_row(t, row, refuses_mo(t, row->opcode));
	must_row(t, row, had_no_effect(&a));
}

/* No device has buffers of that size for them, or of any size beyond 2^32. */
static const struct kind wrongs[] = {
	KIND_REQUESTS("2_to_the_31_of_", .must = &DDP_7_1_07,
		      .mo = IS(0x80000000)),
	KIND_REQUESTS("0xfffffff8_of_", .must = &DDP_7_1_11,
		      .mo = IS(0xfffffff8)),
};

CASE_EACH(a_wrong_mo_of_a_request_or_answer_is_refused, struct kind, wrongs,
	  .title = "a Read Request, Atomic Request or Atomic Response with an "
		   "MO beyond any buffer has no effect: it ends the stream, or "
		   "waits for its beginning")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when its only segment has an MO other than 0, */
	peer_sends(t, faulty(t, &a, row));

	/* then it has no effect. RFC 5040 s5.2.1 calls a Request incomplete
	 * then, and gives no size of its buffer. */
	must_row(t, row, any_of(t, ends_unanswered(), message_waits()));
	must_row(t, row, had_no_effect(&a));
}

/* --- headers that are cut off --------------------------------------------- */

static const struct kind runts[] = {
	KIND_UNTAGGED("13_octets_of_", .must = &DDP_4_4_01, .cut = IS(13)),
	KIND_ROW("13_octets_of_send", SEND, .must = &DDP_4_4_01, .cut = IS(13)),
	KIND_ROW("13_octets_of_read_response", READ_RESPONSE,
		 .must = &DDP_4_4_01, .cut = IS(13)),
	KIND_UNTAGGED("17_octets_of_", .must = &DDP_4_4_02, .cut = IS(17)),
};

CASE_EACH(a_segment_shorter_than_its_header_is_refused, struct kind, runts,
	  .title =
		  "a segment of any kind without a whole header has no effect, "
		  "and ends the stream")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when its header is cut off, the FPDU being right, */
	peer_sends_faulty(t, &a, row);

	/* then it has no effect, and the stream ends: RFC 5041 s4.4 says only
	 * what a segment has. */
	must(t, DDP_6_2_2_02, stream_ends_with_the_next());
	must_row(t, row, had_no_effect(&a));
}
