/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s6.2, s11.3: the end of sessions by RDMAP's Terminate, and of the
 * association with all its streams.
 */
#include "case.h"

CASE(rdmap_terminate_precedes_session_terminate,
     .title = "the RDMAP Terminate of a session comes before its Session "
	      "Terminate",
     .needs = NEED_SCTP | NEED_SEND | NEED_TERMINATE, .role = EITHER)
{
	/* Given a session that works, with nothing under way, */
	connects(t, .exact = true);
	all_has_arrived(t);

	/* when a Send has an invalid queue number, and the peer then ends a
	 * session that the device has not ended, */
	peer_sends(t, SEND("hello", .qn = IS(4)));
	insists(t, DDP_7_1_01, session_ends());
	peer_closes(t);
	dut_ends(t);
	all_has_arrived(t);

	/* then the RDMAP Terminate, which SHOULD be sent (RFC 5040 s6.2.1), is
	 * ahead of a Session Terminate, if the device sent one. */
	if (!rdmap_terminates_seen(t))
		not_applicable(t, "the device sent no RDMAP Terminate");
	must(t, SCTPX_6_2_03, rdmap_terminate_is_ahead());
}

CASE(error_on_a_stream_is_terminated_there,
     .title = "an error on one stream causes an RDMAP Terminate on that stream",
     .needs = NEED_SCTP | NEED_TERMINATE | NEED_MULTI_STREAM)
{
	/* Given two sessions of one association, the second with a receive, so
	 * that DDP has nothing to object to, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");
	peer_connects(t, .beside = one + 1, .sid = 1);
	dut_posts_recv(t, 64);

	/* when the message on the second is not an operation of RDMAP, each
	 * error of which has a Terminate (RFC 5040 s7.1), */
	peer_sends(t, OPCODE(12, "hello", 5));

	/* then one reports it there, unless the association ends as a whole. */
	bool terminated = the_terminate(t) != NULL;
	must(t, SCTPX_11_3_02,
	     any_of(t, holds("an RDMAP Terminate on that stream", terminated),
		    holds("the end of the association",
			  association_is_over(t))));
}

CASE(association_ends_without_terminates,
     .title = "a device that ends an association sends no RDMAP Terminate on "
	      "each of its streams",
     .needs = NEED_SCTP | NEED_MULTI_STREAM)
{
	/* Given three sessions of one association, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 3) < 3)
		not_applicable(t, "the device has fewer than three streams");
	peer_connects(t, .beside = one + 1, .sid = 1);
	peer_connects(t, .beside = one + 1, .sid = 2);

	/* when the ULP of one aborts it, and the device ends the association,
	 * which the end of a stream does not ask for (RFC 5043 s11.3), */
	dut_aborts(t);
	while (next_control(t))
		continue;
	if (!association_is_over(t))
		not_applicable(t, "the device ends a stream, and not the "
				  "association with it");

	/* then no Terminate precedes it on the streams of the others. */
	should(t, SCTPX_11_3_01,
	       at_most("RDMAP Terminates", rdmap_terminates_seen(t), 1));
}

struct ended_row {
	CASE_ROW;
	bool first; /* the session on stream 0 ends, not that on stream 1 */
};
static const struct ended_row ended[] = {
	{.id = "of_the_first", .first = true},
	{.id = "of_the_second"},
};

CASE_EACH(terminate_ends_one_session, struct ended_row, ended,
	  .title = "a Session Terminate on one stream leaves the session on "
		   "another stream of the association as it is",
	  .needs = NEED_SCTP | NEED_MULTI_STREAM)
{
	/* Given two sessions of one association, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");
	unsigned two = peer_connects(t, .beside = one + 1, .sid = 1);

	/* when the peer ends one of them, */
	on_stream(t, row->first ? one : two);
	peer_closes(t);
	dut_ends(t);
	all_has_arrived(t);
	if (association_is_over(t))
		not_applicable(t, "the device ends an association with one of "
				  "its sessions");

	/* then the other continues. */
	on_stream(t, row->first ? two : one);
	must(t, SCTPX_6_2_04, stream_works());
}

CASE(a_session_that_ends_loses_no_chunk_of_another,
     .title = "a Send that waits for an earlier one is delivered although the "
	      "session on another stream has ended meanwhile",
     .needs = NEED_SCTP | NEED_SEND | NEED_MULTI_STREAM)
{
	/* Given two sessions of one association, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");
	struct sink sink = dut_posts_recvs(t, 2, 64);
	unsigned two = peer_connects(t, .beside = one + 1, .sid = 1);

	/* when the second Send of one arrives, then the Session Terminate of
	 * the other, and then the first Send, */
	on_stream(t, one);
	packets_wait(t);
	peer_sends(t, SEND("first"));
	on_stream(t, two);
	peer_sends_control(t, CONTROL(SESSION_TERMINATE));
	on_stream(t, one);
	peer_sends(t, SEND("second"));
	packets_overtake(t);
	all_has_arrived(t);
	if (association_is_over(t))
		not_applicable(t, "the device ends an association with one of "
				  "its sessions");

	/* then both Sends are delivered. */
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 0), "first"));
	must(t, SCTPX_10_02, delivered_text(sink_at(sink, 1), "second"));
}

CASE(an_stag_of_another_stream_is_refused,
     .title = "a Write to an STag that is bound to another stream of the "
	      "association is refused",
     .needs = NEED_SCTP | NEED_WRITE | NEED_STREAM_STAG | NEED_MULTI_STREAM)
{
	/* Given two sessions of one association, and an STag bound to one, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");
	struct region r = dut_registers(t, .len = 16, .bound = true,
					.access = FOR_WRITES);
	peer_connects(t, .beside = one + 1, .sid = 1);

	/* when the peer writes to it on the other, */
	peer_sends(t, WRITE(r, 0, "wrong", 5));

	/* then nothing is placed, and the Terminate says why. */
	must(t, DDP_7_1_24,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x02),
		    terminate_if_any(TERM_DDP, 1, 0x00)));
	must(t, DDP_7_1_24, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(loss_of_the_association_is_told_on_each_stream,
     .title = "the loss of an association is reported as an error on each of "
	      "its streams",
     .needs = NEED_SCTP | NEED_MULTI_STREAM)
{
	/* Given two sessions of one association, */
	unsigned one = peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");
	unsigned two = peer_connects(t, .beside = one + 1, .sid = 1);

	/* when the peer aborts the association, */
	peer_resets(t);

	/* then the ULP of each gets an error: RFC 5043 s11.3 has it as a SHOULD,
	 * RFC 5041 s6.2.2 as a MUST. */
	on_stream(t, one);
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	on_stream(t, two);
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
}
