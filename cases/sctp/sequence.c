/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s6.1 to s6.5, RFC 6580 s3.5: the legal sequences of a session, and
 * chunks outside them.
 */
#include "case.h"

/* --- legal sequences -------------------------------------------------------- */

CASE(whole_session_is_legal,
     .title = "Initiate, Accept, ten Sends in each direction and a Terminate "
	      "are a session without an error",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, and buffers in the device, */
	struct sink sink = dut_posts_recvs(t, 10, 64);
	connects(t, .exact = true);

	/* when ten Sends go each way, and the peer ends it, */
	for (unsigned i = 0; i < 10; i++) {
		dut_posts(t, POST_SEND("there"));
		peer_sends(t, SEND("hello"));
	}
	for (unsigned i = 0; i < 10; i++)
		awaits_given(t, RDMAP_SEND);
	for (unsigned i = 0; i < 10; i++)
		must(t, SCTPX_6_2_04,
		     delivered_text(sink_at(sink, i), "hello"));
	peer_closes(t);

	/* then it ends in order, as far as its ULP hears of that. */
	if (strcmp(dut_ends(t).state, "established") != 0)
		must(t, SCTPX_6_2_04, agent_sees_orderly_end());
}

CASE(device_that_ends_sends_a_terminate,
     .title = "a session that the device ends, while the peer sends no "
	      "Terminate, has a Terminate of the device, and no chunk after it",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);
	next_control(t);

	/* when the device ends it, and the peer does not, */
	dut_closes(t);
	const struct dut_chunk *end =
		awaits_control(t, SCTPX_6_2_01, SESSION_TERMINATE);

	/* then its last chunk is a Terminate. */
	must(t, SCTPX_6_2_01, no_chunk_since(end->order + 1));
	must(t, SCTPX_6_01, all_numbered());
}

CASE(terminate_may_be_answered,
     .title = "it is recorded whether the device answers a Session Terminate "
	      "with its own",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);

	/* when the peer ends it, */
	peer_closes(t);
	dut_ends(t);
	all_has_arrived(t);

	/* then the device may report that, too. */
	may(t, SCTPX_6_2_02,
	    is("Session Terminates of the device",
	       controls_seen(t, SESSION_TERMINATE), 1));
}

CASE(reject_ends_it,
     .title = "after a Session Reject the device sends nothing on that session",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	dut_dials(t, .dut_mpa = 1, .exact = true);
	const struct dut_chunk *asked = awaits_any_control(t, SCTPX_6_3_03);

	/* when the peer rejects it, */
	peer_sends_control(t, CONTROL(SESSION_REJECT, .private_data = "no",
				      .private_octets = 2));

	/* then the ULP, which has no session, is informed, and no chunk follows,
	 * whatever it posts. (Before the answer a device may send: RFC 5043
	 * s6.6.) */
	should(t, SCTPX_5_2_3_10, agent_sees_reject());
	must(t, SCTPX_6_3_03, agent_sees_no_stream());
	dut_posts(t, POST_SEND("too late", .if_taken = true));
	must(t, SCTPX_6_3_03, no_chunk_since(asked->order + 1));
}

CASE(terminate_in_answer_ends_it,
     .title = "after a Session Terminate in answer to its Initiate the device "
	      "sends no segment",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	dut_dials(t, .dut_mpa = 1, .exact = true);
	const struct dut_chunk *asked = awaits_any_control(t, SCTPX_6_4_04);

	/* when the peer refuses it, */
	peer_sends_control(t, CONTROL(SESSION_TERMINATE));

	/* then that is reported to the ULP, which has no session, and no chunk
	 * follows, whatever it posts. */
	should(t, SCTPX_5_2_3_10,
	       any_of(t, agent_sees_end(), agent_sees_reject()));
	must(t, SCTPX_6_4_04, agent_sees_no_stream());
	dut_posts(t, POST_SEND("too late", .if_taken = true));
	must(t, SCTPX_6_4_04, no_chunk_since(asked->order + 1));
}

/* --- and no others by itself -------------------------------------------------- */

CASE(own_sequence_of_an_accepted_session,
     .title = "a session that the device ends consists of opening, segments "
	      "and a Terminate, with nothing else between or after them",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);
	next_control(t);

	/* when the device ends it, at once or later, */
	dut_closes(t);
	next_control(t);
	dut_ends(t);
	all_has_arrived(t);

	/* then its side is one of the legal sequences; other cases judge
	 * whether there is a Terminate. */
	bool active = case_role(t) == INITIATOR;
	must(t, SCTPX_6_5_01,
	     any_of(t,
		    sequence_is(active ? "Session Initiate, segments, "
					 "Session Terminate"
				       : "Session Accept, segments, "
					 "Session Terminate"),
		    sequence_is(active ? "Session Initiate, segments"
				       : "Session Accept, segments")));
	must(t, IANA_3_5_03, all_registered());
}

CASE(own_sequence_of_an_ended_session,
     .title = "a session that the peer ends consists of opening, segments, "
	      "perhaps a Terminate, and nothing else",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);

	/* when the peer ends it, */
	peer_closes(t);
	dut_ends(t);
	all_has_arrived(t);

	/* then the device's side is one of the legal sequences. */
	bool active = case_role(t) == INITIATOR;
	must(t, SCTPX_6_5_01,
	     any_of(t,
		    sequence_is(active ? "Session Initiate, segments"
				       : "Session Accept, segments"),
		    sequence_is(active ? "Session Initiate, segments, "
					 "Session Terminate"
				       : "Session Accept, segments, "
					 "Session Terminate")));
	must(t, IANA_3_5_03, all_registered());
}

CASE(own_sequence_of_a_rejected_session,
     .title = "a session that the ULP rejects consists of a Session Reject of "
	      "the device, and nothing else",
     .needs = NEED_SCTP | NEED_REJECT)
{
	/* Given a ULP that rejects, */
	dut_listens(t, .reject = true);
	peer_associates(t);

	/* when the peer opens a session, */
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	awaits_control(t, SCTPX_5_2_3_03, SESSION_REJECT);
	all_has_arrived(t);

	/* then that is its side. */
	must(t, SCTPX_6_5_01, sequence_is("Session Reject"));
	must(t, IANA_3_5_03, all_registered());
}

CASE(own_sequence_of_a_refused_session,
     .title = "an Initiate that the peer refuses is the device's only chunk",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	dut_dials(t, .dut_mpa = 1, .exact = true);
	awaits_control(t, SCTPX_5_2_3_01, SESSION_INITIATE);

	/* when the peer refuses it, */
	peer_sends_control(t, CONTROL(SESSION_TERMINATE));
	dut_ends(t);
	all_has_arrived(t);

	/* then the device's side is one of the legal sequences. */
	must(t, SCTPX_6_5_01, sequence_is("Session Initiate"));
	must(t, IANA_3_5_03, all_registered());
}

/* --- chunks outside the sequences ----------------------------------------- */

struct code_row {
	CASE_ROW;
	unsigned function;
};
static const struct code_row codes[] = {
	{.id = "0000", .must = &SCTPX_5_2_3_13, .function = 0},
	{.id = "0008", .must = &SCTPX_5_2_3_13, .function = 8},
	{.id = "0009", .must = &SCTPX_5_2_3_13, .function = 9},
	{.id = "0104", .must = &SCTPX_5_2_3_13, .function = 0x104},
	{.id = "fffe", .must = &SCTPX_5_2_3_13, .function = 0xfffe},
	{.id = "ffff", .must = &IANA_3_5_02, .function = 0xffff},
};

CASE_EACH(unknown_code_ends_the_session, struct code_row, codes,
	  .title = "an undefined function code ends the session",
	  .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session that works, */
	connects(t, .exact = true);

	/* when session control comes with this code, */
	peer_sends_control(t, CONTROL(row->function));

	/* then the session ends. */
	must_row(t, row, session_ends());
}

struct cut_row {
	CASE_ROW;
	size_t n;
};
static const struct cut_row cuts[] = {
	{.id = "none", .n = 0},
	{.id = "half", .n = 1},
};

CASE_EACH(no_whole_code_ends_the_session, struct cut_row, cuts,
	  .title = "session control without a whole function code ends the "
		   "session",
	  .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session that works, */
	connects(t, .exact = true);

	/* when a chunk of session control ends before the end of its code, */
	peer_sends_chunk(t, SESSION_PPID_CONTROL, (uint16_t)peer_ddp_ssn(t),
			 "\0", row->n);

	/* then the session ends. */
	must(t, SCTPX_6_1_02, session_ends());
}

static const struct code_row openings[] = {
	{.id = "initiate", .function = SESSION_INITIATE},
	{.id = "accept", .function = SESSION_ACCEPT},
	{.id = "reject", .function = SESSION_REJECT},
};

CASE_EACH(opening_within_a_session_ends_it, struct code_row, openings,
	  .title = "an Initiate, an Accept or a Reject within an accepted "
		   "session ends it",
	  .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session that works, */
	connects(t, .exact = true);

	/* when a message that opens sessions arrives in it again, */
	peer_sends_control(t, CONTROL(row->function));

	/* then the session ends. */
	must(t, SCTPX_6_1_02, session_ends());
}

static const struct code_row no_initiates[] = {
	{.id = "accept", .function = SESSION_ACCEPT},
	{.id = "reject", .function = SESSION_REJECT},
	{.id = "enhanced-accept", .function = SESSION_ENHANCED_ACCEPT},
	{.id = "enhanced-reject", .function = SESSION_ENHANCED_REJECT},
};

CASE_EACH(answer_opens_no_session, struct code_row, no_initiates,
	  .title = "an answer without an Initiate before it establishes no "
		   "session, nor does an Initiate after it",
	  .needs = NEED_SCTP)
{
	/* Given a ULP that accepts all sessions, */
	dut_works(t);
	dut_listens(t);
	peer_associates(t);

	/* when a stream begins with an answer, and an Initiate follows, */
	peer_sends_control(t, CONTROL(row->function));
	all_has_arrived(t);
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	all_has_arrived(t);

	/* then that is not accepted. */
	must(t, SCTPX_6_1_02,
	     is("Session Accepts", controls_seen(t, SESSION_ACCEPT), 0));
	must(t, SCTPX_6_1_02, no_chunk(SESSION_PPID_SEGMENT));
	must(t, SCTPX_6_1_02, ulp_not_asked());
}

CASE(segment_ahead_of_its_initiate_is_not_delivered,
     .title = "a segment with a lower DDP-SSN than the Initiate prevents the "
	      "session, and is not delivered",
     .needs = NEED_SCTP | NEED_SEND)
{
	/* Given a ULP that accepts all sessions, */
	dut_works(t);
	dut_listens(t);
	peer_associates(t);

	/* when a Send has DDP-SSN 0, and the Initiate DDP-SSN 1, */
	peer_breaks(t, SCTPX_6_5_01);
	peer_sends(t, SEND("hello"), .early = true);
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	all_has_arrived(t);

	/* then that is not accepted, and nothing can be delivered. */
	must(t, SCTPX_6_1_02,
	     is("Session Accepts", controls_seen(t, SESSION_ACCEPT), 0));
	must(t, SCTPX_6_1_02, ulp_not_asked());
}

CASE(segment_behind_the_terminate_is_not_delivered,
     .title = "a segment with a higher DDP-SSN than its side's Session "
	      "Terminate is not delivered",
     .needs = NEED_SCTP | NEED_SEND, .role = EITHER)
{
	/* Given a session, and a buffer, */
	connects(t, .exact = true);
	struct sink sink = dut_posts_recv(t, 64);

	/* when the peer ends it, and sends a Send after that, */
	peer_breaks(t, SCTPX_6_2_01);
	peer_sends_control(t, CONTROL(SESSION_TERMINATE));
	peer_sends(t, SEND("hello"));
	all_has_arrived(t);

	/* then the session is over, and the Send is not delivered. */
	should(t, SCTPX_5_2_3_10, agent_sees_end());
	must(t, SCTPX_6_1_02,
	     holds("no receive completed with success",
		   !dut_has_received(t, sink).ok));
}

static const struct code_row no_answers[] = {
	{.id = "initiate", .function = SESSION_INITIATE},
	{.id = "enhanced-initiate", .function = SESSION_ENHANCED_INITIATE},
	{.id = "enhanced-reject", .function = SESSION_ENHANCED_REJECT},
	{.id = "unknown", .function = 9},
};

CASE_EACH(initiate_is_answered_by_an_answer, struct code_row, no_answers,
	  .title = "a message that is not an answer to an Initiate establishes "
		   "no session",
	  .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	dut_works(t);
	dut_dials(t, .dut_mpa = 1, .exact = true);
	next_control(t);

	/* when another message arrives instead of the answer, */
	peer_sends_control(t, CONTROL(row->function));

	/* then it ends, or is over for a device to which a Reject of another
	 * form is one, too; and no segment was sent. */
	if (row->function == SESSION_ENHANCED_REJECT)
		must(t, SCTPX_6_1_02,
		     any_of(t, session_ends(), agent_sees_reject()));
	else
		must(t, SCTPX_6_1_02, session_ends());
	must(t, SCTPX_6_1_02, is("segments", segments_seen(t), 0));
}

CASE(segment_in_place_of_the_answer,
     .title = "a segment in place of the answer to an Initiate ends the "
	      "session",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	size_t n;
	const uint8_t *octets = empty_write_segment(t, &n);

	/* Given a ULP that has asked for a session, */
	dut_works(t);
	dut_dials(t, .dut_mpa = 1, .exact = true);
	next_control(t);

	/* when the peer's first chunk is a segment, */
	peer_sends_chunk(t, SESSION_PPID_SEGMENT, 0, octets, n);

	/* then the session ends. */
	must(t, SCTPX_6_1_02, session_ends());
}
