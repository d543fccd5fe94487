/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.1, s4.3, s5.4 and s7.1: right untagged messages of each kind, with
 * and without a buffer, and what follows an error. Plain Sends are in the files
 * of the rules.
 */
#include "case.h"

struct kind {
	CASE_ROW;
	uint8_t opcode;
	size_t segment; /* octets of each, of a longer Send */
};

#define OCTETS 10u /* of a Send, */
#define LONG   90u /* or of one in three segments */

static struct msg message(struct test *t, const struct awaited *a,
			  const struct kind *row)
{
	struct msg m = message_awaited(t, a, row->segment ? LONG : OCTETS);

	m.segment = row->segment;
	return m;
}

/* The peer closes after its own Terminate. */
static void peer_sends_and_closes(struct test *t, struct msg m)
{
	peer_sends(t, m);
	if (m.opcode == RDMAP_TERMINATE)
		peer_closes(t);
}

/* --- the control octet ------------------------------------------------------ */

static const struct kind rights[] = {
	KIND_UNTAGGED("t0_in_", .must = &DDP_4_1_02),
	KIND_UNTAGGED("l1_behind_", .must = &DDP_4_1_08),
	KIND_UNTAGGED("l1_in_", .must = &DDP_4_1_10),
	KIND_ROW("l1_behind_read_response", READ_RESPONSE, .must = &DDP_4_1_08),
	KIND_ROW("l1_in_read_response", READ_RESPONSE, .must = &DDP_4_1_10),
	KIND_SENDS("length_of_", .must = &DDP_5_4_02),
	KIND_ROW("ulp_fields_of_send_with_invalidate", SEND_INV,
		 .must = &DDP_5_4_04),
	KIND_ROW("ulp_fields_of_send_with_se_and_invalidate", SEND_SE_INV,
		 .must = &DDP_5_4_04),
};

CASE_EACH(a_message_in_one_segment_has_its_effect, struct kind, rights,
	  .title = "a message of any kind in one segment is placed in its "
		   "buffer, and has its effect")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes, */
	peer_sends_and_closes(t, message_awaited(t, &a, OCTETS));

	/* then it has its effect. */
	must_row(t, row, had_its_effect(t, &a, OCTETS));
	if (row->must == &DDP_5_4_04)
		must_row(t, row, tells_invalidated(a.sinks, a.r.stag));
	if (row->opcode == RDMAP_READ_RESPONSE)
		must_row(t, row,
			 memory_is(a.r, 0, pattern(t, AWAITED_OCTETS, 1),
				   AWAITED_OCTETS));
}

static const struct kind any[] = {
	KIND_UNTAGGED("", .must = NULL),
	KIND_ROW("read_response", READ_RESPONSE, .must = NULL)};

CASE_EACH(reserved_bits_are_not_checked, struct kind, any,
	  .title = "reserved bits of the DDP control octet are ignored in a "
		   "message of any kind")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when all reserved bits are set in it, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.rsvd = IS(0xf);
	peer_sends_and_closes(t, m);

	/* then it has its effect. */
	must(t, DDP_4_1_12, had_its_effect(t, &a, OCTETS));
}

/* Without an end an Atomic Response is too short, which is an error at once
 * (RDMAPX-5.2.2-07). */
static const struct kind unfinished[] = {
	KIND_RECEIVED("", .must = NULL),
	KIND_ROW("read_request", READ_REQUEST, .must = NULL),
	KIND_ROW("atomic_request", ATOMIC_REQUEST, .must = NULL),
	KIND_ROW("terminate", TERMINATE, .must = NULL),
	KIND_ROW("read_response", READ_RESPONSE, .must = NULL),
};

static bool is_answered(struct test *t)
{
	const struct frame *f = next_frame(t);

	return f && f->seg.ddp.opcode != RDMAP_TERMINATE;
}

CASE_EACH(without_its_last_segment_nothing_is_delivered, struct kind,
	  unfinished,
	  .title = "a message of any kind with L=0, after which the peer "
		   "closes, has no effect")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes without its end, it is not delivered; */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.l = IS(0);
	peer_sends(t, m);
	dut_has_its_turn(t);
	if (row->opcode == RDMAP_READ_RESPONSE)
		insists(t, RDMAP_5_5_15,
			holds("no completion yet",
			      !dut_has_completed(t, a.id).came));

	/* and when the stream ends, neither. */
	peer_closes(t);
	dut_has_its_turn(t);
	dut_closes(t);
	must(t, DDP_4_1_09, holds("no answer", !is_answered(t)));
	if (row->opcode == RDMAP_READ_RESPONSE)
		must(t, RDMAP_5_5_15, had_no_effect(&a));
	else
		must(t, DDP_4_1_09, had_no_effect(&a));
}

/* --- MSNs ------------------------------------------------------------------- */

static const struct kind untagged[] = {KIND_UNTAGGED("", .must = NULL)};

CASE_EACH(the_first_msn_of_a_queue_is_one, struct kind, untagged,
	  .title = "the first message of a queue has its effect with MSN 1, "
		   "whatever its kind")
{
	/* Given a stream on which nothing was sent yet, but the Request that an
	 * answer needs, */
	struct awaited a =
		dut_awaits(t, row->opcode,
			   .unproven = row->opcode != RDMAP_ATOMIC_RESPONSE);

	/* when a message of this kind is the first of its queue (but where the
	 * peer had to prepare the device's memory by Reads), */
	peer_sends_and_closes(t, message_awaited(t, &a, OCTETS));

	/* then it has its effect. */
	must(t, DDP_4_3_11, had_its_effect(t, &a, OCTETS));
}

CASE_EACH(msns_of_one_queue_do_not_move_another, struct kind, untagged,
	  .title = "the MSN of a message of any kind is that of its queue, "
		   "however many came on another queue",
	  .needs = NEED_SEND)
{
	/* Given three messages that have used another queue, */
	struct sink sinks = {0};
	if (!kind_is_received(row->opcode))
		sinks = dut_posts_recvs(t, 3, 16);
	struct awaited a = dut_awaits(t, row->opcode);
	for (unsigned i = 0; i < 3; i++)
		if (kind_is_received(row->opcode))
			known_answer(t);
		else
			peer_sends(t, SEND("hello"));
	if (sinks.count && dut_has_an_agent(t))
		dut_receives(t, sink_at(sinks, 2));

	/* when one of this kind comes, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.msn = IS(msn_awaited(&a));
	peer_sends_and_closes(t, m);

	/* then it has its effect, as those before it had theirs. */
	if (sinks.count)
		must(t, DDP_4_3_07, delivered_text(sink_at(sinks, 2), "hello"));
	must(t, DDP_4_3_07, had_its_effect(t, &a, OCTETS));
}

static const struct kind received[] = {KIND_RECEIVED("", .must = NULL)};

CASE_EACH(a_received_msn_wraps_to_zero, struct kind, received,
	  .title =
		  "a message of any kind for a receive buffer is accepted with "
		  "MSN 0 after one with MSN ffffffff",
	  .needs = NEED_MSN_PRESET)
{
	/* Given a stream whose next sequence number is the highest, */
	struct awaited a = dut_awaits(t, row->opcode, .dut_msn = 0xffffffff);

	/* when two messages come, */
	struct msg m = message_awaited(t, &a, OCTETS);
	m.msn = IS(0xffffffff);
	peer_sends(t, m);
	must(t, DDP_4_3_10, had_its_effect(t, &a, OCTETS));
	dut_awaits_another(t, &a);
	m = message_awaited(t, &a, OCTETS);
	m.msn = IS(0);
	peer_sends(t, m);

	/* then both have their effect. */
	must(t, DDP_4_3_10, had_its_effect(t, &a, OCTETS));
}

static const struct kind asked[] = {KIND_REQUESTS("", .must = NULL)};

CASE_EACH(the_msn_of_a_request_or_its_answer_wraps_to_zero, struct kind, asked,
	  .title = "a Request of any kind, or an Atomic Response, is accepted "
		   "with MSN 0 after one with MSN ffffffff",
	  .needs = NEED_MSN_PRESET)
{
	/* Given a stream whose next sequence number is the highest: no Read
	 * has used it to prove the stream, */
	struct awaited a =
		dut_awaits(t, row->opcode, .dut_msn = 0xffffffff,
			   .unproven = row->opcode != RDMAP_ATOMIC_RESPONSE);

	/* when two messages come (no Read looks at the word in between: it would
	 * have the MSN that is next), */
	peer_sends(t, message_awaited(t, &a, OCTETS));
	if (row->opcode == RDMAP_ATOMIC_REQUEST)
		awaits(t, DDP_4_3_10, RDMAP_ATOMIC_RESPONSE);
	else
		awaits_effect(t, &a, OCTETS);
	dut_awaits_another(t, &a);
	peer_sends(t, message_awaited(t, &a, OCTETS));

	/* then both have their effect. */
	must(t, DDP_4_3_10, had_its_effect(t, &a, OCTETS));
}

/* --- buffers ---------------------------------------------------------------- */

static const struct kind sends[] = {KIND_SENDS("", .must = NULL)};

CASE_EACH(a_send_may_fill_its_buffer, struct kind, sends,
	  .title = "a Send of any kind that is exactly as long as its receive "
		   "buffer is delivered")
{
	/* Given receive buffers of 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a Send has 100 octets, */
	peer_sends(t, message_awaited(t, &a, AWAITED_OCTETS));

	/* then it is delivered. */
	must(t, DDP_7_1_12, had_its_effect(t, &a, AWAITED_OCTETS));
}

static const struct kind immediates[] = {KIND_IMMEDIATES("", .must = NULL)};

CASE_EACH(immediate_data_may_fill_its_buffer, struct kind, immediates,
	  .title = "Immediate Data is delivered to a receive buffer of eight "
		   "octets",
	  .needs = NEED_IMM | NEED_IMM_SE)
{
	/* Given a receive buffer of eight octets, */
	struct sink sink = dut_posts_recv(t, 8);
	connects(t);

	/* when Immediate Data comes, */
	peer_sends(t, SEND_KIND(row->opcode, "8 octets", 8));

	/* then it is delivered. */
	must(t, DDP_7_1_12, delivered_imm(sink, "8 octets"));
}

static const struct kind unexpected[] = {
	KIND_RECEIVED("", .must = &DDP_7_1_04),
	KIND_ROW("send", SEND, .must = &DDP_7_2_08),
	KIND_ROW("long_send", SEND, .must = &DDP_7_1_04, .segment = 30),
	KIND_ROW("long_send_with_se", SEND_SE, .must = &DDP_7_2_08,
		 .segment = 30),
};

CASE_EACH(nothing_is_delivered_without_a_buffer, struct kind, unexpected,
	  .title = "a message of any kind without a receive buffer ends the "
		   "stream, or waits for a buffer")
{
	/* Given a stream on which no receive was posted, */
	struct awaited a = {.opcode = row->opcode};
	dut_claims_kind(t, row->opcode);
	a.r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when a message comes that uses one, */
	peer_sends(t, message(t, &a, row));

	/* then the cause is reported, or the message waits in the LLP until
	 * there is a buffer; it is not lost on a stream that continues. */
	must_row(t, row, any_of(t, refuses_without_buffer(t), held_back()));
	may(t, DDP_7_1_06, held_back());
	a.sinks = dut_posts_recv(t, AWAITED_OCTETS);
	must_row(t, row,
		 any_of(t, stream_ends(),
			had_its_effect(t, &a, row->segment ? LONG : OCTETS)));
}

static const struct kind fifths[] = {
	KIND_SENDS("", .must = NULL),
	KIND_ROW("send_in_three_segments", SEND, .segment = 30),
};

CASE_EACH(
	one_message_more_than_there_are_buffers_is_refused, struct kind, fifths,
	.title = "four Sends of any kind are delivered to four buffers, and a "
		 "fifth is refused or waits")
{
	/* Given four receive buffers, and as many Sends of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct region named[AWAITED_RECEIVES];
	for (unsigned i = 0; i < AWAITED_RECEIVES; i++)
		named[i] = dut_registers(t, .len = 8, .access = FOR_READS);
	for (; a.turn < AWAITED_RECEIVES; a.turn++) {
		peer_sends(t, message_awaited(t, &a, OCTETS));
		awaits_effect(t, &a, OCTETS);
		a.r = named[a.turn];
	}

	/* when there is a fifth, */
	peer_sends(t, message(t, &a, row));

	/* then that is refused, or waits until there is a buffer. */
	must(t, DDP_7_1_05, any_of(t, refuses_without_buffer(t), held_back()));
	a.sinks = dut_posts_recv(t, AWAITED_OCTETS);
	a.turn = 0;
	must(t, DDP_7_1_05,
	     any_of(t, stream_ends(),
		    had_its_effect(t, &a, row->segment ? LONG : OCTETS)));
}

CASE_EACH(an_empty_send_on_an_unassigned_queue, struct kind, sends,
	  .title = "a zero-length Send of any kind on queue 4 is not delivered")
{
	/* Given a device that expects a Send of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when an empty one comes on a queue that has no use, */
	struct msg m = message_awaited(t, &a, 0);
	m.qn = IS(4);
	peer_sends(t, m);

	/* then it is not delivered, as RFC 5040 s7.2 says; RFC 5041 s7.1 does
	 * not say that it is checked. */
	bool alive = known_answer(t);
	must(t, RDMAP_7_2_18, had_no_effect(&a));
	observe(t, DDP_7_1_37, "an empty Send on queue 4: %s",
		alive ? "ignored" : how_it_ended(t));
}

CASE_EACH(an_empty_send_without_a_buffer, struct kind, sends,
	  .title = "the reaction to a zero-length Send of any kind without a "
		   "receive buffer is recorded")
{
	/* Given a stream on which no receive was posted, */
	dut_claims_kind(t, row->opcode);
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when the peer sends an empty Send, */
	peer_sends(t, SEND_KIND(row->opcode, "", 0, .inval = r.stag));

	/* then it may be refused, or wait for a buffer. */
	observe(t, DDP_7_1_38, "an empty Send without a buffer: %s",
		known_answer(t) ? "taken" : how_it_ended(t));
}

/* --- errors ----------------------------------------------------------------- */

static unsigned terminates_until_the_end(struct test *t)
{
	unsigned n = 0;

	for (const struct frame *f; (f = next_frame(t));)
		n += f->seg.ddp.opcode == RDMAP_TERMINATE;
	return n;
}

static const struct kind behind[] = {
	KIND_ROW("send", SEND, .must = NULL),
	KIND_ROW("send_in_three_segments", SEND, .segment = 30),
	KIND_UNTAGGED("", .must = NULL),
};

CASE_EACH(what_is_behind_the_fault_is_dropped, struct kind, behind,
	  .title = "a message of any kind right after a faulty Write has no "
		   "effect, and causes no second Terminate",
	  .needs = NEED_WRITE)
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when a Write to no buffer and that message arrive in one burst, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "bad", 3),
		   .hold = true);
	peer_sends(t, message(t, &a, row));

	/* then the good one is lost, too, and the Terminate is alone. A
	 * Terminate of the peer has ended the stream in any case. */
	insists(t, DDP_7_1_20, stream_ends());
	if (row->opcode == RDMAP_TERMINATE && !the_terminate(t))
		not_applicable(t, "the device reports no error");
	must(t, DDP_7_1_35, had_no_effect(&a));
	must(t, DDP_7_1_35,
	     at_most("Terminates", terminates_until_the_end(t), 1));
}

static const struct kind numbered[] = {
	KIND_UNTAGGED("", .must = NULL),
	KIND_ROW("send_in_three_segments", SEND, .segment = 30),
};

CASE_EACH(errors_have_a_number, struct kind, numbered,
	  .title = "a wrong version of an untagged message of any kind is not "
		   "reported as 1/2/00, which is not defined")
{
	/* Given a device that expects a message of this kind, */
	struct awaited a = dut_awaits(t, row->opcode);

	/* when it comes with another version of DDP, */
	struct msg m = message(t, &a, row);
	m.dv = IS(3);
	peer_sends(t, m);
	if (row->opcode == RDMAP_TERMINATE) {
		the_terminate(t);
		peer_closes(t);
	}

	/* then the code of its Terminate is not 0. */
	insists(t, DDP_4_1_20, stream_ends());
	struct rdmap_terminate h = terminate_seen(t);
	must(t, DDP_7_2_13,
	     is_not("layer, type and code",
		    (uint64_t)h.layer << 12 | h.etype << 8 | h.code, 0x1200));
}

static const struct kind reported[] = {
	KIND_ROW("send", SEND, .must = NULL),
	KIND_ROW("send_in_three_segments", SEND, .segment = 30),
	KIND_RECEIVED("", .must = NULL),
	KIND_ROW("atomic_request", ATOMIC_REQUEST, .must = NULL),
	KIND_ROW("atomic_response", ATOMIC_RESPONSE, .must = NULL),
};

CASE_EACH(one_more_message_leaves_after_the_fault, struct kind, reported,
	  .title = "the Terminate for a message of any kind arrives behind a "
		   "long Response that the peer's TCP window holds back",
	  .needs = NEED_READ)
{
	/* Given a peer that asks for more than its window takes, and does not
	 * read it, */
	struct region r = dut_registers(t, .len = 1 << 20, .access = FOR_READS);
	struct awaited a = dut_awaits(t, row->opcode, .rcvbuf = 4096);
	peer_sends(t, READ(r, 0, 1 << 20), .hold = true);

	/* when a message of a wrong version directly follows it, and then it
	 * reads, */
	struct msg m = message(t, &a, row);
	m.dv = IS(2);
	peer_sends(t, m);

	/* then a Terminate is there at the end. */
	unsigned n = terminates_until_the_end(t);
	insists(t, DDP_4_1_19, stream_ends());
	should(t, DDP_7_1_36, at_least("Terminates", n, 1));
}
