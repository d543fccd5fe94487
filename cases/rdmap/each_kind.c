/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5040 s4.1, s5.3 and s5.5, RFC 7306 s6.3 and s7: rules that are the same
 * for messages of several kinds, for those kinds that the files of the rules
 * leave out.
 */
#include "case.h"

struct kind {
	CASE_ROW;
	uint8_t opcode;
	struct over rv, qn, msn;
	size_t octets;
};

/* The new messages of RFC 7306. */
#define OF_RFC_7306(what, ...)                                                 \
	KIND_IMMEDIATES(what, __VA_ARGS__),                                    \
		KIND_ROW(what "atomic_request", ATOMIC_REQUEST, __VA_ARGS__),  \
		KIND_ROW(what "atomic_response", ATOMIC_RESPONSE, __VA_ARGS__)

#define OCTETS 10u

/* --- the control octet ------------------------------------------------------- */

static const struct kind versions[] = {
	KIND_SENDS("rv2_of_", .must = &RDMAP_4_1_03, .rv = IS(2)),
	KIND_SENDS("rv3_of_", .must = &RDMAP_4_1_04, .rv = IS(3)),
	OF_RFC_7306("rv2_of_", .must = &RDMAPX_4_1_09, .rv = IS(2)),
	OF_RFC_7306("rv3_of_", .must = &RDMAPX_4_1_09, .rv = IS(3)),
	KIND_ROW("rv2_of_terminate", TERMINATE, .must = &RDMAP_4_1_09,
		 .rv = IS(2)),
	KIND_ROW("rv3_of_terminate", TERMINATE, .must = &RDMAP_4_1_09,
		 .rv = IS(3)),
	KIND_ROW("rv2_of_write", WRITE, .must = &RDMAP_4_1_06, .rv = IS(2)),
	KIND_ROW("rv3_of_write", WRITE, .must = &RDMAP_4_1_06, .rv = IS(3)),
	KIND_ROW("rv2_of_read_request", READ_REQUEST, .must = &RDMAP_4_1_07,
		 .rv = IS(2)),
	KIND_ROW("rv3_of_read_request", READ_REQUEST, .must = &RDMAP_4_1_07,
		 .rv = IS(3)),
	KIND_ROW("rv2_of_read_response", READ_RESPONSE, .must = &RDMAP_4_1_08,
		 .rv = IS(2)),
	KIND_ROW("rv3_of_read_response", READ_RESPONSE, .must = &RDMAP_4_1_08,
		 .rv = IS(3)),
};

CASE_EACH(another_version_is_refused, struct kind, versions,
	  .title = "a message of any kind whose RV is neither 0 nor 1 has no "
		   "effect, and its Terminate says invalid RDMAP version")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes with another version of RDMAP, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.rv = row->rv;
	peer_sends(t, m);
	if (row->opcode == RDMAP_TERMINATE) {
		the_terminate(t);
		peer_closes(t);
	}

	/* then it is not answered, and the cause is named. It has no effect, but
	 * that DDP may have placed the octets of a Write. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, terminate_if_any(TERM_RDMA, 2, 0x05));
	if (row->opcode != RDMAP_WRITE)
		must_row(t, row, had_no_effect(&a));
}

static const struct kind zeros[] = {
	KIND_UNTAGGED("", .rv = IS(0)),
	KIND_ROW("write", WRITE, .rv = IS(0)),
	KIND_ROW("read_response", READ_RESPONSE, .rv = IS(0)),
};

CASE_EACH(version_zero, struct kind, zeros,
	  .title = "the reaction to a message of any kind of the RDMA "
		   "Consortium's RDMAP version 0 is recorded")
{
	/* Given a stream that was set up as the IETF says, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a message has the version of the other specification, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.rv = row->rv;
	peer_sends(t, m);

	/* then it may be refused, or accepted; another Read waits for the answer
	 * to a Request. */
	bool asks = row->opcode == RDMAP_READ_REQUEST ||
		    row->opcode == RDMAP_ATOMIC_REQUEST;
	const struct frame *f = asks ? next_frame(t) : NULL;
	bool goes_on = asks ? f && f->seg.ddp.opcode != RDMAP_TERMINATE
			    : row->opcode != RDMAP_TERMINATE && known_answer(t);
	observe(t, RDMAP_4_1_05, "RDMAP version 0: %s",
		goes_on ? "the stream goes on" : how_it_ended(t));
}

static const struct kind reserved[] = {
	KIND_SENDS("", .must = &RDMAP_4_1_11),
	OF_RFC_7306("", .must = &RDMAPX_4_1_11),
	KIND_ROW("terminate", TERMINATE, .must = &RDMAP_4_1_11),
};

CASE_EACH(reserved_bits_are_ignored, struct kind, reserved,
	  .title = "reserved bits of the RDMAP control octet are ignored in a "
		   "message of any kind")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when both bits are set in it, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.rdmap_rsvd = IS(3);
	peer_sends(t, m);
	if (row->opcode == RDMAP_TERMINATE)
		peer_closes(t);

	/* then it has its effect. */
	must_row(t, row, had_its_effect(t, &a, OCTETS));
}

/* --- a Send in the wrong place ------------------------------------------------ */

static const struct kind sends[] = {KIND_SENDS("", .must = NULL)};

CASE_EACH(a_tagged_send_is_refused, struct kind, sends,
	  .title = "a Send of any kind with T=1 is not delivered, and ends the "
		   "stream",
	  .needs = NEED_WRITE)
{
	/* Given a device that expects a Send, and a buffer that the peer may
	 * write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a Send is a tagged message, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .opcode_field = IS(row->opcode)));

	/* then it is not delivered; DDP may have placed the octets. */
	must(t, RDMAP_4_1_29, stream_ends());
	must(t, RDMAP_4_1_29, had_no_effect(&a));
}

/* With the MSN that is due there. */
static const struct kind queues[] = {
	KIND_SENDS("1_of_", .must = &RDMAP_4_1_34, .qn = IS(1), .msn = IS(2)),
	KIND_SENDS("2_of_", .must = &RDMAP_4_1_35, .qn = IS(2), .msn = IS(1)),
};

CASE_EACH(a_send_on_another_queue_is_refused, struct kind, queues,
	  .title = "a Send of any kind on queue 1 or 2 is not delivered, and "
		   "ends the stream")
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes on the queue of Requests, or of Terminates, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.qn = row->qn;
	m.msn = row->msn;
	peer_sends(t, m);

	/* then it is not delivered, and the stream ends. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, had_no_effect(&a));
}

/* --- Immediate Data ------------------------------------------------------------ */

static const struct kind lengths[] = {
	KIND_ROW("7_octets_with_se", IMM_SE, .must = &RDMAPX_6_3_08,
		 .octets = 7),
	KIND_ROW("9_octets_with_se", IMM_SE, .must = &RDMAPX_6_3_09,
		 .octets = 9),
	KIND_ROW("no_octet_with_se", IMM_SE, .must = &RDMAPX_6_3_10,
		 .octets = 0),
	KIND_ROW("16_octets", IMM, .must = &RDMAPX_6_3_11, .octets = 16),
	KIND_ROW("told_with_se", IMM_SE, .must = &RDMAPX_6_1_03, .octets = 7),
};

/* The device has completed a receive with it: it has found no error. */
static bool takes_immediate(struct test *t, struct sink sink)
{
	return dut_overlooks_it(t) && dut_has_received(t, sink).ok;
}

CASE_EACH(immediate_data_of_another_length_is_refused, struct kind, lengths,
	  .title = "Immediate Data of fewer or more than eight octets is not "
		   "delivered and ends the stream",
	  .needs = NEED_IMM | NEED_IMM_SE)
{
	/* Given a buffer that would hold it, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when Immediate Data is of this length, */
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t,
		   SEND_KIND(row->opcode, octets_of(t, 16, 0x33), row->octets));
	if (row->must == &RDMAPX_6_1_03 && takes_immediate(t, a.sinks))
		not_applicable(t, "the device overlooks the error, which other "
				  "rows judge");

	/* then it is an error, of which the ULP learns. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, had_no_effect(&a));
	if (row->must == &RDMAPX_6_1_03) {
		must_row(t, row, terminate_any());
		must_row(t, row, agent_sees_fatal_end());
	} else {
		must_row(t, row, agent_sees_end());
	}
}

struct pair {
	CASE_ROW;
	uint8_t first, second;
};

static const struct pair pairs[] = {
	{.id = "immediate_data_with_se_then_send",
	 .must = &RDMAPX_7_01,
	 .first = RDMAP_IMM_SE,
	 .second = RDMAP_SEND},
	{.id = "immediate_data_then_send_with_invalidate",
	 .must = &RDMAPX_7_01,
	 .first = RDMAP_IMM,
	 .second = RDMAP_SEND_INV},
	{.id = "immediate_data_then_send_with_se",
	 .must = &RDMAPX_7_01,
	 .first = RDMAP_IMM,
	 .second = RDMAP_SEND_SE},
	{.id = "immediate_data_then_send_with_se_and_invalidate",
	 .must = &RDMAPX_7_01,
	 .first = RDMAP_IMM,
	 .second = RDMAP_SEND_SE_INV},
	{.id = "send_with_invalidate_then_immediate_data",
	 .must = &RDMAPX_7_04,
	 .first = RDMAP_SEND_INV,
	 .second = RDMAP_IMM},
	{.id = "send_with_se_then_immediate_data",
	 .must = &RDMAPX_7_04,
	 .first = RDMAP_SEND_SE,
	 .second = RDMAP_IMM},
	{.id = "send_with_se_and_invalidate_then_immediate_data",
	 .must = &RDMAPX_7_04,
	 .first = RDMAP_SEND_SE_INV,
	 .second = RDMAP_IMM},
	{.id = "immediate_data_with_se_twice",
	 .must = &RDMAPX_7_04,
	 .first = RDMAP_IMM_SE,
	 .second = RDMAP_IMM_SE},
	{.id = "msns_of_send_with_invalidate",
	 .must = &RDMAPX_6_3_13,
	 .first = RDMAP_SEND_INV,
	 .second = RDMAP_IMM_SE},
	{.id = "msns_of_send_with_se",
	 .must = &RDMAPX_6_3_13,
	 .first = RDMAP_SEND_SE,
	 .second = RDMAP_IMM},
	{.id = "msns_of_send_with_se_and_invalidate",
	 .must = &RDMAPX_6_3_13,
	 .first = RDMAP_SEND_SE_INV,
	 .second = RDMAP_IMM_SE},
	{.id = "sends_with_invalidate",
	 .must = &RDMAP_5_3_05,
	 .first = RDMAP_SEND_INV,
	 .second = RDMAP_SEND_SE_INV},
	{.id = "sends_with_se",
	 .must = &RDMAP_5_3_05,
	 .first = RDMAP_SEND_SE,
	 .second = RDMAP_SEND_INV},
};

CASE_EACH(messages_complete_in_order, struct pair, pairs,
	  .title = "Sends and Immediate Data of any kind complete in the order "
		   "sent")
{
	/* Given receive buffers, */
	dut_claims_kind(t, row->second);
	struct awaited a = dut_awaits(t, row->first);
	struct awaited b = {.opcode = row->second, .sinks = a.sinks, .turn = 1};
	b.r = dut_registers(t, .len = 8, .access = FOR_READS);

	/* when two messages arrive in one burst, */
	peer_sends(t, message_awaited(t, &a, OCTETS), .hold = true);
	peer_sends(t, message_awaited(t, &b, OCTETS));

	/* then the first completes the first buffer, and earlier. */
	must_row(t, row, had_its_effect(t, &a, OCTETS));
	if (row->must != &RDMAPX_6_3_13)
		awaits_effect(t, &b, OCTETS);
	must_row(t, row, had_its_effect(t, &b, OCTETS));
	must_row(t, row,
		 is("receives from the first to the second",
		    dut_receives(t, sink_at(a.sinks, 1)).place -
			    dut_receives(t, sink_at(a.sinks, 0)).place,
		    1));
}

/* --- what an answer proves ------------------------------------------------------ */

static const struct kind before_a_read[] = {
	KIND_SENDS("", .must = &RDMAP_B_02),
	KIND_ROW("immediate_data_with_se", IMM_SE, .must = &RDMAPX_7_02),
};

CASE_EACH(a_read_response_waits_for_it, struct kind, before_a_read,
	  .title = "when the Response to a Read arrives, the Send or Immediate "
		   "Data before the Request has completed",
	  .needs = NEED_READ)
{
	/* Given a receive buffer, and a buffer to read, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a message and a Read Request arrive in one burst, */
	peer_sends(t, message_awaited(t, &a, OCTETS), .hold = true);
	peer_sends(t, READ(r, 0, 16));
	case_awaits_message(t, *row->must, RDMAP_READ_RESPONSE);

	/* then the consumer need not wait for it any more. */
	must_row(t, row,
		 holds("the completion is already there",
		       dut_has_received(t, a.sinks).ok));
}

static const struct kind before_an_atomic[] = {
	KIND_SENDS("", .must = &RDMAPX_7_12),
	KIND_ROW("immediate_data_with_se", IMM_SE, .must = &RDMAPX_7_03),
};

CASE_EACH(an_atomic_response_waits_for_it, struct kind, before_an_atomic,
	  .title =
		  "when an Atomic Response arrives, the Send or Immediate Data "
		  "before the Request has completed",
	  .needs = NEED_FETCHADD)
{
	/* Given a receive buffer, and a word, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a message and an addition arrive in one burst, */
	peer_sends(t, message_awaited(t, &a, OCTETS), .hold = true);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	case_awaits_message(t, *row->must, RDMAP_ATOMIC_RESPONSE);

	/* then the consumer need not wait for it any more. */
	must_row(t, row,
		 holds("the completion is already there",
		       dut_has_received(t, a.sinks).ok));
}

static const struct kind behind_a_write[] = {
	KIND_ROW("immediate_data_with_se", IMM_SE, .must = &RDMAPX_7_05),
	KIND_ROW("send", SEND, .must = &RDMAP_5_5_03),
	KIND_SENDS("", .must = &RDMAP_5_5_03),
};

CASE_EACH(it_shows_the_write_before_it, struct kind, behind_a_write,
	  .title = "when a Send or Immediate Data of any kind completes, the "
		   "Write before it is placed",
	  .needs = NEED_WRITE)
{
	/* Given a buffer to write, */
	struct region r = dut_registers(t, .len = 4096, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 4096, 1);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when Write and message arrive in one burst, */
	peer_sends(t, WRITE(r, 0, p, 4096), .hold = true);
	peer_sends(t, message_awaited(t, &a, OCTETS));

	/* then its completion shows all octets. */
	awaits_effect(t, &a, OCTETS);
	must_row(t, row,
		 octets_are(t, "the octets written", dut_memory(t, r, 0, 4096),
			    4096, p, 4096));
}

/* --- Sends --------------------------------------------------------------------- */

CASE_EACH(
	a_send_may_be_shorter_than_its_buffer, struct kind, sends,
	.title = "a Send of any kind may be shorter than its buffer, or empty")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct region named = dut_registers(t, .len = 8, .access = FOR_READS);

	/* when the peer sends ten octets, and then none, */
	peer_sends(t, message_awaited(t, &a, OCTETS));
	may(t, RDMAP_5_3_03, any_of(t, had_its_effect(t, &a, OCTETS)));
	a.turn = 1;
	a.r = named;
	peer_sends(t, message_awaited(t, &a, 0));

	/* then each uses a buffer of its own, and has its own length. */
	must(t, RDMAP_5_3_12, had_its_effect(t, &a, 0));
	must(t, RDMAP_5_3_12, not_delivered(sink_at(a.sinks, 2)));
}

static const struct kind too_long[] = {
	KIND_ROW("send", SEND, .must = &RDMAP_5_3_04,
		 .octets = AWAITED_OCTETS + 1),
};

CASE_EACH(a_send_longer_than_its_buffer_is_refused, struct kind, too_long,
	  .title = "a Send of 101 octets is not delivered to a buffer of 100, "
		   "and its Terminate says so")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a Send is longer, */
	peer_sends(t, message_awaited(t, &a, row->octets));

	/* then it is not delivered, and the cause is named. */
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x05));
	must_row(t, row, had_no_effect(&a));
}

static const struct kind invalidating[] = {
	KIND_ROW("send_with_se_and_invalidate", SEND_SE_INV, .must = NULL),
};

CASE_EACH(the_stag_is_invalidated, struct kind, invalidating,
	  .title = "a Send with SE and Invalidate invalidates its STag, and "
		   "reports which it was",
	  .needs = NEED_WRITE)
{
	/* Given a buffer that the peer may write to, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	a.r = r;

	/* when a Send invalidates it, and the peer writes there, */
	peer_sends(t, message_awaited(t, &a, OCTETS));
	awaits_effect(t, &a, OCTETS);
	must(t, DDP_5_4_04, tells_invalidated(a.sinks, r.stag));
	peer_sends(t, WRITE(r, 0, "stale", 5));

	/* then that is not placed; other cases judge how it is refused. */
	must(t, RDMAP_5_3_15, memory_unchanged(r));
}

CASE_EACH(an_stag_never_issued_is_not_invalidated, struct kind, invalidating,
	  .title = "a Send with SE and Invalidate of an STag that was never "
		   "issued is not delivered, and ends the stream")
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it is to invalidate what the device has not issued, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.inval = stag_never_issued(t);
	peer_sends(t, m);

	/* then that is an error. */
	must(t, RDMAP_5_3_18, stream_ends());
	must(t, RDMAP_5_3_18, had_no_effect(&a));
}

static const struct kind plain[] = {KIND_ROW("send", SEND, .qn = IS(7))};

CASE_EACH(fields_of_ddp_are_validated, struct kind, plain,
	  .title = "a Send on queue 7 is not delivered, and its Terminate says "
		   "invalid QN")
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes on a queue that has no use, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.qn = row->qn;
	m.msn = IS(msn_awaited(&a));
	peer_sends(t, m);

	/* then it is not delivered, and the cause is named. */
	must(t, RDMAP_7_2_01, refuses_queue(t));
	must(t, RDMAP_7_2_01, had_no_effect(&a));
}

CASE_EACH(
	a_send_with_a_hole_is_not_delivered, struct kind, sends,
	.title = "a Send of any kind with a missing TCP segment completes only "
		 "when that has arrived",
	.segments = true)
{
	/* Given a device that expects a Send, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, 90);
	m.segment = 30;

	/* when the second of its three segments is missing, */
	peer_withholds(t, 2);
	peer_sends(t, m);

	/* then it does not complete; once it has arrived, it does. */
	must(t, RDMAP_5_5_12, nothing_more());
	must(t, RDMAP_5_5_12,
	     holds("no completion before the hole is filled",
		   !dut_has_received(t, a.sinks).came));
	peer_releases(t);
	must(t, RDMAP_5_5_12, had_its_effect(t, &a, 90));
}

static const struct kind with_se[] = {KIND_ROW("imm_se", IMM_SE, .must = NULL)};

CASE_EACH(
	immediate_data_with_se_in_two_segments, struct kind, with_se,
	.title = "Immediate Data with SE in two segments is delivered as eight "
		 "octets, or refused")
{
	/* Given receive buffers, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when Immediate Data arrives in halves, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.segment = 4;
	peer_breaks(t, RDMAPX_6_3_06);
	peer_sends(t, m);

	/* then it is one message, or refused; texts disagree. */
	bool alive = known_answer(t);
	must(t, DDP_5_4_01,
	     any_of(t, not_delivered(sink_at(a.sinks, 0)),
		    had_its_effect(t, &a, OCTETS)));
	must(t, DDP_5_4_01, not_delivered(sink_at(a.sinks, 1)));
	observe(t, RDMAPX_6_3_12, "%s",
		alive ? "it is taken" : how_it_ended(t));
}

CASE_EACH(immediate_data_with_se_for_no_octets, struct kind, with_se,
	  .title = "the reaction to Immediate Data with SE for a receive of "
		   "length zero is recorded")
{
	/* Given a receive without room, */
	dut_claims_kind(t, row->opcode);
	struct sink sink = dut_posts_recv(t, 0);
	connects(t);

	/* when Immediate Data comes, */
	peer_sends(t, IMM_SE("8 octets"));

	/* then its octets are not put into the buffer, or it does not fit. */
	bool works = known_answer(t);
	observe(t, RDMAPX_6_3_15, "%s%s",
		dut_has_received(t, sink).ok ? "it is delivered beside it"
					     : "it is refused: ",
		works ? "" : how_it_ended(t));
}

/* --- an Atomic Response -------------------------------------------------------- */

static const struct kind answers[] = {
	KIND_ROW("reserved_bits", ATOMIC_RESPONSE, .must = &RDMAPX_4_1_11),
	KIND_ROW("invalidate_stag", ATOMIC_RESPONSE, .must = &RDMAPX_4_1_04),
};

CASE_EACH(bits_without_meaning_are_ignored, struct kind, answers,
	  .title = "an Atomic Response completes its atomic, whatever its "
		   "reserved bits and its Invalidate STag field are",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that has asked for an atomic, and a buffer to read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when the Response has bits that mean nothing, */
	struct msg m = message_awaited(t, &a, 0);
	if (row->must == &RDMAPX_4_1_04) {
		m.inval = r.stag;
	} else {
		m.rsvd = IS(0xf);
		m.rdmap_rsvd = IS(3);
	}
	peer_sends(t, m);

	/* then the atomic completes, and no STag is invalidated. */
	must_row(t, row, had_its_effect(t, &a, 0));
	peer_sends(t, READ(r, 0, 8));
	case_awaits_message(t, *row->must, RDMAP_READ_RESPONSE);
}

/* --- a hole in front ------------------------------------------------------------ */

static const struct kind behind_a_hole[] = {
	KIND_ROW("immediate_data_with_se", IMM_SE, .must = &RDMAPX_6_4_01),
	KIND_ROW("send", SEND, .must = &RDMAP_5_5_03),
	KIND_SENDS("", .must = &RDMAP_5_5_03),
};

CASE_EACH(it_waits_for_a_hole_in_a_write, struct kind, behind_a_hole,
	  .title =
		  "a Send or Immediate Data of any kind after a Write with a "
		  "missing TCP segment completes when that segment has arrived",
	  .needs = NEED_WRITE, .segments = true)
{
	/* Given a buffer, and a receive, */
	struct region r = dut_registers(t, .len = 90, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, 90, 2);
	struct awaited a = dut_awaits(t, row->opcode);

	/* when the last of three FPDUs of a Write is missing, and the message
	 * comes, */
	peer_withholds(t, 3);
	peer_sends(t, WRITE(r, 0, p, 90, .segment = 30));
	peer_sends(t, message_awaited(t, &a, OCTETS));

	/* then it does not complete; when it does, the Write is whole. */
	must_row(t, row,
		 holds("no completion before the hole is filled",
		       !dut_has_received(t, a.sinks).came));
	peer_releases(t);
	awaits_effect(t, &a, OCTETS);
	must_row(t, row,
		 octets_are(t, "the octets written", dut_memory(t, r, 0, 90),
			    90, p, 90));
}

/* --- what the device sends ------------------------------------------------------- */

/* Which of the posted messages this is, by its last octets; 0: none of them. */
static unsigned which(const struct message *m)
{
	const uint8_t *end = m->octets + m->n;

	if (m->n >= 3 && memcmp(end - 3, "one", 3) == 0)
		return 1;
	return m->n >= 3 && memcmp(end - 3, "two", 3) == 0 ? 2 : 0;
}

CASE_EACH(sends_leave_in_posting_order, struct kind, sends,
	  .title = "Sends of any kind leave in the order posted, and may be "
		   "empty",
	  .role = EITHER)
{
	/* Given a stream, */
	bool se = row->opcode != RDMAP_SEND_INV;
	bool inv = row->opcode != RDMAP_SEND_SE;
	dut_claims_kind(t, row->opcode);
	connects(t);

	/* when the device sends three of this kind, the last one empty, */
	dut_posts(t, POST_SEND("one", .se = se, .invalidate = inv, .inv = 1));
	dut_posts(t, POST_SEND("two", .se = se, .invalidate = inv, .inv = 2));
	dut_posts(t, POST_SEND("", .se = se, .invalidate = inv, .inv = 3));

	/* then they leave in that order. */
	struct message m = awaits_given_message(t, row->opcode);
	must(t, RDMAP_5_3_10, is("the place of the first", which(&m), 1));
	m = awaits_given_message(t, row->opcode);
	must(t, RDMAP_5_3_10, is("the place of the second", which(&m), 2));
	m = awaits_given_message(t, row->opcode);
	may(t, RDMAP_5_3_11, any_of(t, is("octets of an empty Send", m.n, 0)));
}

CASE(immediate_data_with_se_leaves_in_posting_order,
     .title =
	     "Immediate Data with SE leaves in the order posted, with the MSNs "
	     "of queue 0",
     .needs = NEED_IMM_SE | NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .counts_sends = true);

	/* when the device sends a Send, and Immediate Data with SE twice, */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_IMM("2 octets", .se = true));
	dut_posts(t, POST_IMM("3 octets", .se = true));

	/* then they leave in that order. */
	awaits_given_message(t, RDMAP_SEND);
	const struct frame *f = awaits_given(t, RDMAP_IMM_SE);
	must(t, RDMAPX_6_3_16, is("MSN", f->seg.ddp.msn, 2));
	must(t, RDMAPX_6_3_07,
	     octets_are(t, "its octets", f->seg.payload, f->seg.payload_octets,
			"2 octets", 8));
	f = awaits_given(t, RDMAP_IMM_SE);
	must(t, RDMAPX_6_3_16, is("MSN", f->seg.ddp.msn, 3));
}

/* --- the end of the stream ---------------------------------------------------- */

static const struct kind at_the_end[] = {
	KIND_RECEIVED("", .must = &DDP_5_4_01),
	KIND_ROW("atomic_response", ATOMIC_RESPONSE, .must = &RDMAPX_5_2_2_06),
};

CASE_EACH(what_comes_along_with_the_fin_counts, struct kind, at_the_end,
	  .title = "a message of any kind that arrives in the TCP segment of a "
		   "FIN has its effect",
	  .segments = true, .role = INITIATOR)
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes in the peer's last segment, with FIN, */
	peer_sends(t, message_awaited(t, &a, OCTETS), .order = ORDER(1),
		   .fin = true);

	/* then all of it was there before the FIN. */
	must_row(t, row, had_its_effect(t, &a, OCTETS));
}

static const struct kind behind_a_half_close[] = {
	KIND_RECEIVED("", .must = NULL),
	KIND_ROW("atomic_response", ATOMIC_RESPONSE, .must = NULL),
};

CASE_EACH(
	reception_goes_on_after_a_half_close, struct kind, behind_a_half_close,
	.title = "after the ULP's half-close, a message of any kind still has "
		 "its effect",
	.needs = NEED_HALF_CLOSE, .role = INITIATOR)
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when its ULP closes the sending half, and the message comes, */
	dut_half_closes(t);
	should(t, DDP_6_2_1_06, tcp_closed_by_fin());
	peer_sends(t, message_awaited(t, &a, OCTETS));

	/* then it is taken. */
	should(t, DDP_6_2_1_06, had_its_effect(t, &a, OCTETS));
}
