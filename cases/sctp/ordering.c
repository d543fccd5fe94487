/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s6.1, s6.6, s10: the order of DDP-SSNs is not that of TSNs or of
 * arrival, and which chunks may overtake others.
 */
#include "case.h"

/* --- chunks to the device ------------------------------------------------- */

struct way_row {
	CASE_ROW;
	bool packets; /* they overtake; else the TSNs are in another order */
};
static const struct way_row ways[] = {
	{.id = "lower-tsn"},
	{.id = "overtaken", .packets = true},
};

/* The following chunks are sent in reverse order. */
static void turned_round(struct test *t, const struct way_row *row)
{
	if (row->packets)
		packets_wait(t);
	else
		peer_goes_backwards(t, true);
}

static void and_goes(struct test *t, const struct way_row *row)
{
	if (row->packets)
		packets_overtake(t);
	else
		peer_goes_backwards(t, false);
}

CASE_EACH(sends_are_taken_by_ddp_ssn, struct way_row, ways,
	  .title = "two Sends are delivered in the order of their DDP-SSNs, "
		   "although the second arrives first",
	  .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, and two buffers, */
	connects(t, .exact = true);
	struct sink sink = dut_posts_recvs(t, 2, 64);

	/* when the later Send arrives first, */
	turned_round(t, row);
	peer_sends(t, SEND("first"), .hold = !row->packets);
	peer_sends(t, SEND("second"));
	and_goes(t, row);

	/* then they are delivered in the order submitted. */
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 0), "first"));
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 1), "second"));
	must(t, SCTPX_10_02, stream_works());
}

CASE_EACH(write_counts_before_its_send, struct way_row, ways,
	  .title = "a Write and the Send after it both have their effect, "
		   "although the Send arrives first",
	  .needs = NEED_SCTP | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a session, a region and a buffer, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .exact = true);
	struct sink sink = dut_posts_recv(t, 64);

	/* when the Send comes ahead of the Write in front of it, */
	turned_round(t, row);
	peer_sends(t, WRITE(r, 0, "octets", 6), .hold = !row->packets);
	peer_sends(t, SEND("done"));
	and_goes(t, row);

	/* then the Write is placed when the Send is delivered. */
	must(t, SCTPX_10_02, delivered_text(sink, "done"));
	must(t, SCTPX_10_02,
	     octets_are(t, "the octets written", dut_memory(t, r, 0, 6), 6,
			"octets", 6));
}

CASE(many_sends_wait_for_the_first,
     .title = "twelve Sends are delivered in the order of their DDP-SSNs, "
	      "although they arrive in reverse order",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	enum { SENDS = 12 };

	/* Given a session, and twelve buffers, */
	connects(t, .exact = true);
	struct sink sink = dut_posts_recvs(t, SENDS, 64);

	/* when the last Send arrives first, and the first one last, */
	peer_goes_backwards(t, true);
	for (unsigned i = 0; i < SENDS; i++)
		peer_sends(t, SEND_N(pattern(t, 20, i), 20),
			   .hold = i < SENDS - 1);
	peer_goes_backwards(t, false);

	/* then all are delivered in the order submitted. */
	for (unsigned i = 0; i < SENDS; i++)
		must(t, SCTPX_10_02,
		     delivered(sink_at(sink, i), pattern(t, 20, i), 20));
}

CASE(order_holds_behind_65535,
     .title = "DDP-SSN 0 follows 65535, although it arrives first",
     .needs = NEED_SCTP | NEED_SEND | NEED_WRITE)
{
	enum { BLOCK = 4096, LARGEST = 65535 };

	/* Given a session with two buffers, whose next DDP-SSN is the largest
	 * after long Writes, each followed by a Read, */
	struct region r = dut_registers(t, .len = BLOCK, .access = FOR_WRITES);
	peer_connects(t);
	struct sink sink = dut_posts_recvs(t, 2, 64);
	while (peer_ddp_ssn(t) < LARGEST) {
		size_t left = LARGEST - 1 - peer_ddp_ssn(t);
		size_t n = left < BLOCK ? left : BLOCK;

		peer_sends(t,
			   WRITE(r, 0, octets_of(t, n, 'w'), n, .segment = 1));
		if (!known_answer(t))
			not_applicable(t, "a Read behind many Writes is not "
					  "answered, which other cases "
					  "judge");
	}

	/* when the Send with DDP-SSN 0 arrives ahead of the one before it, */
	peer_goes_backwards(t, true);
	peer_sends(t, SEND("first"), .hold = true);
	peer_sends(t, SEND("second"));
	peer_goes_backwards(t, false);

	/* then they are delivered in the order submitted. */
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 0), "first"));
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 1), "second"));
	must(t, SCTPX_10_02, stream_works());
}

CASE_EACH(accept_is_overtaken_by_a_segment, struct way_row, ways,
	  .title = "a segment that arrives before the Session Accept is "
		   "delivered once the Accept has arrived",
	  .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	/* Given a device that has asked for a session, with a buffer, */
	struct sink sink = dut_posts_recv(t, 64);
	dut_dials(t, .exact = true, .sees_opening = true);
	awaits_request(t);

	/* when the peer's first segment arrives before its Accept, */
	turned_round(t, row);
	peer_sends_startup(t, REPLY(.hold = !row->packets));
	full_operation(t);
	peer_sends(t, SEND("hello"));
	and_goes(t, row);

	/* then the session is accepted, and the segment delivered. */
	must(t, SCTPX_6_1_03, delivered_text(sink, "hello"));
	must(t, SCTPX_6_1_03,
	     holds("the agent reports: established",
		   strcmp(dut_starts(t).state, "established") == 0));
}

CASE_EACH(segment_is_overtaken_by_the_terminate, struct way_row, ways,
	  .title = "a Session Terminate that arrives before earlier segments "
		   "ends the session after them",
	  .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, and a buffer, */
	connects(t, .exact = true);
	struct sink sink = dut_posts_recv(t, 64);

	/* when the Terminate comes ahead of a Send before it, */
	turned_round(t, row);
	peer_sends(t, SEND("hello"), .hold = !row->packets);
	peer_sends_control(t,
			   CONTROL(SESSION_TERMINATE, .hold = !row->packets));
	if (!row->packets)
		peer_goes_on(t);
	and_goes(t, row);

	/* then the Send is delivered, and the session ends in order. */
	struct dut_state end = dut_ends(t);
	must(t, SCTPX_6_1_03,
	     holds("the Send is delivered", dut_has_received(t, sink).ok));
	bool heard = strcmp(end.state, "established") != 0;
	should(t, SCTPX_5_2_3_10,
	       holds("the agent reports that the session has ended", heard));
	if (heard)
		must(t, SCTPX_6_2_04, agent_sees_orderly_end());
}

/* --- chunks from the device ----------------------------------------------- */

CASE(terminate_waits_for_the_initiate,
     .title = "a Session Terminate is sent only once the Initiate is "
	      "acknowledged or answered",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a peer that does not acknowledge the Initiate, */
	dut_dials(t, .exact = true, .unacknowledged = true);
	awaits_request(t);

	/* when the ULP ends the session at once, */
	dut_closes(t);

	/* then no other session control leaves before that is over. */
	must(t, SCTPX_6_6_01,
	     is("messages of session control after the Initiate",
		controls_behind_the_first(t), 0));
	peer_acknowledges_chunks(t, true);
	peer_sends_control(t, CONTROL(SESSION_ACCEPT));
	must(t, SCTPX_6_2_01, session_ends());
}

CASE(segments_wait_for_the_initiate,
     .title = "no segment is sent before the Initiate is acknowledged or "
	      "answered",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	/* Given a peer that does not acknowledge the Initiate, */
	dut_dials(t, .exact = true, .unacknowledged = true);
	awaits_request(t);

	/* when the ULP posts a Send at once, */
	dut_posts(t, POST_SEND("there", .may_refuse = true));

	/* then it does not leave, until the Initiate is answered. */
	must(t, SCTPX_6_6_02, no_chunk(SESSION_PPID_SEGMENT));
	peer_sends_startup(t, REPLY());
	full_operation(t);
	peer_acknowledges_chunks(t, true);
	awaits_given(t, RDMAP_SEND);
}

CASE(stream_waits_for_its_chunks,
     .title = "a stream is not used for another session while chunks of the "
	      "previous one may be outstanding",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a session whose last chunks are not acknowledged, */
	unsigned one = dut_connects(t, .exact = true);
	next_control(t);
	all_has_arrived(t);
	peer_acknowledges_chunks(t, false);
	dut_closes(t);
	const struct dut_chunk *end =
		awaits_control(t, SCTPX_6_2_01, SESSION_TERMINATE);
	peer_closes(t);

	/* when the ULP asks for another one, */
	dut_tries(t, .beside = one + 1);
	on_stream(t, one);

	/* then it is not opened there, as long as that lasts, but it may be on
	 * another association. */
	must(t, SCTPX_6_6_03, no_chunk_since(end->order + 1));
	peer_acknowledges_chunks(t, true);
	if (!chunk_from(t, end->order + 1) && !association_is_over(t) &&
	    !association_is_not_alone(t))
		not_applicable(t, "the device opens no other session");
}

CASE(chunks_without_acknowledgment_are_bounded,
     .title = "no more than 32767 chunks of a stream are unacknowledged",
     .needs = NEED_SCTP | NEED_WRITE, .role = EITHER)
{
	enum { BOUND = 32767, MORE = 2 * BOUND };

	/* Given a session on which empty Writes leave, and whose chunks are no
	 * longer acknowledged, */
	connects(t, .exact = true);
	all_has_arrived(t);
	size_t opened = dut_chunks(t).n;
	writes_of_nothing(t, 1);
	all_has_arrived(t);
	if (dut_chunks(t).n == opened)
		not_applicable(t, "the device sends no empty Write");
	peer_acknowledges_chunks(t, false);

	/* when the ULP posts many more Writes than that, */
	size_t before = dut_chunks(t).n;
	unsigned taken = writes_of_nothing(t, MORE);
	size_t left = dut_chunks(t).n - before;

	/* then no more are in flight; nor does SCTP have more that have no TSN
	 * yet. */
	must(t, SCTPX_10_03,
	     at_most("chunks without acknowledgment", chunks_uncovered(t),
		     BOUND));
	must(t, SCTPX_10_03,
	     at_most("chunks taken by SCTP that have not left",
		     taken > left ? taken - left : 0, BOUND));
	peer_resets(t);
}
