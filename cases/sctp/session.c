/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s5.2, s6.2 to s6.4: the messages of session control, their codes
 * and private data, and who decides on a session.
 */
#include "case.h"

#define PRIVATE_MAX 512

static unsigned most_taken(struct test *t)
{
	unsigned most = dut_max_private(t);

	return most < PRIVATE_MAX ? most : PRIVATE_MAX;
}

/* The peer opens a session on a stream of a device that listens. */
static void peer_initiates(struct test *t)
{
	peer_associates(t);
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
}

/* --- codes ----------------------------------------------------------------- */

CASE(control_has_ppid_17,
     .title = "a message of session control is a chunk with PPID 17",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session that is begun, */
	if (case_role(t) == INITIATOR) {
		dut_dials(t, .exact = true);
		insists(t, SCTPX_5_2_3_01,
			holds("the chunk of an Initiate", chunk_from(t, 0)));
	} else {
		dut_listens(t);
		peer_initiates(t);
	}

	/* when the device sends the first chunk of its side, */
	const struct dut_chunk *c = awaits_chunk(t, SCTPX_5_2_02, 0);

	/* then that is session control. */
	must(t, SCTPX_5_2_02, is("PPID", c->ppid, SESSION_PPID_CONTROL));
	if (case_role(t) == RESPONDER)
		must(t, SCTPX_5_2_02,
		     holds("an answer to the Initiate",
			   c->function != SESSION_INITIATE));
}

CASE(initiate_has_code_1,
     .title = "a Session Initiate has DDP-SSN 0 and function code 1",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a device that wants nothing enhanced, when it connects, */
	dut_dials(t, .dut_mpa = 1, .exact = true);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_5_2_3_01);

	/* then its code and the four octets before its private data show
	 * that. */
	must(t, SCTPX_5_2_1_01, is("DDP-SSN", c->ddp_ssn, 0));
	must(t, SCTPX_5_2_3_01, is("function code", c->function, 1));
}

CASE(accept_has_code_2,
     .title = "a Session Accept has DDP-SSN 0 and function code 2",
     .needs = NEED_SCTP)
{
	/* Given a ULP that accepts, when the peer opens a session, */
	dut_listens(t);
	peer_initiates(t);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_5_2_3_02);

	/* then it is accepted by code 2. */
	must(t, SCTPX_5_2_1_01, is("DDP-SSN", c->ddp_ssn, 0));
	must(t, SCTPX_5_2_3_02, is("function code", c->function, 2));
}

CASE(reject_has_code_3,
     .title = "a Session Reject has DDP-SSN 0 and function code 3",
     .needs = NEED_SCTP | NEED_REJECT)
{
	/* Given a ULP that rejects, when the peer opens a session, */
	dut_listens(t, .reject = true);
	peer_initiates(t);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_5_2_3_03);

	/* then it is rejected by code 3. */
	must(t, SCTPX_5_2_1_01, is("DDP-SSN", c->ddp_ssn, 0));
	must(t, SCTPX_5_2_3_03, is("function code", c->function, 3));
}

CASE(terminate_has_code_4,
     .title = "a Session Terminate has function code 4, and nothing after it",
     .needs = NEED_SCTP, .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);
	next_control(t);

	/* when the device ends it, */
	dut_closes(t);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6_2_01);

	/* then code 4 shows that, without private data. */
	must(t, SCTPX_5_2_3_04, is("function code", c->function, 4));
	must(t, SCTPX_5_2_3_09,
	     is("octets of user data", c->n, SESSION_CONTROL_OCTETS));
}

/* --- private data that the device sends ------------------------------------ */

struct length_row {
	CASE_ROW;
	size_t n;
};
static const struct length_row lengths[] = {
	{.id = "0", .n = 0},     {.id = "1", .n = 1},
	{.id = "100", .n = 100}, {.id = "508", .n = 508},
	{.id = "511", .n = 511}, {.id = "512", .n = 512},
};

static const uint8_t *private_of(struct test *t, const struct length_row *row)
{
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));
	return pattern(t, row->n, 1);
}

/* After the function code. */
static struct expect has_private(struct test *t, const struct dut_chunk *c,
				 const void *octets, size_t n)
{
	return octets_are(t, "private data", c->octets + SESSION_CONTROL_OCTETS,
			  c->n - SESSION_CONTROL_OCTETS, octets, n);
}

CASE_EACH(initiate_has_private_data, struct length_row, lengths,
	  .title = "a Session Initiate includes the ULP's private data",
	  .needs = NEED_SCTP | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when the device connects, */
	dut_dials(t, .dut_mpa = 1, .exact = true, .dut_private_data = octets,
		  .dut_private_octets = row->n);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_5_2_3_05, SESSION_INITIATE);
	in_one_chunk(t, c);
	insists(t, SCTPX_9_02, all_whole());

	/* then exactly that follows the function code. */
	must(t, SCTPX_5_2_3_05, has_private(t, c, octets, row->n));
}

CASE_EACH(accept_has_private_data, struct length_row, lengths,
	  .title = "a Session Accept includes the ULP's private data",
	  .needs = NEED_SCTP | NEED_PRIVATE_DATA)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when it accepts a session, */
	dut_listens(t, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_initiates(t);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_5_2_3_06, SESSION_ACCEPT);
	in_one_chunk(t, c);
	insists(t, SCTPX_9_02, all_whole());

	/* then exactly that follows the function code. */
	must(t, SCTPX_5_2_3_06, has_private(t, c, octets, row->n));
}

CASE_EACH(reject_has_private_data, struct length_row, lengths,
	  .title = "a Session Reject includes the ULP's private data",
	  .needs = NEED_SCTP | NEED_PRIVATE_DATA | NEED_REJECT)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when it rejects a session, */
	dut_listens(t, .reject = true, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_initiates(t);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_5_2_3_07, SESSION_REJECT);
	in_one_chunk(t, c);
	insists(t, SCTPX_9_02, all_whole());

	/* then exactly that follows the function code. */
	must(t, SCTPX_5_2_3_07, has_private(t, c, octets, row->n));
}

CASE(no_more_private_data_than_512_octets,
     .title = "more than 512 octets of private data are refused locally, or "
	      "never sent",
     .needs = NEED_SCTP | NEED_PRIVATE_DATA, .role = EITHER)
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX + 1, 1);

	/* Given a device that opens and takes sessions, and a ULP that asks
	 * for an octet too many, */
	dut_works(t);
	if (case_role(t) == INITIATOR)
		dut_tries(t, .beyond = true, .dut_mpa = 1,
			  .dut_private_data = octets,
			  .dut_private_octets = PRIVATE_MAX + 1);
	else
		dut_listens(t, .beyond = true, .dut_private_data = octets,
			    .dut_private_octets = PRIVATE_MAX + 1);

	/* when it is not refused, and session control leaves, */
	const struct dut_chunk *c = NULL;
	if (!dut_has_refused(t)) {
		if (case_role(t) == RESPONDER)
			peer_initiates(t);
		c = next_control(t);
	}

	/* then there are no more than 512. */
	must(t, SCTPX_5_2_3_08,
	     any_of(t,
		    holds("the device refuses the request", dut_has_refused(t)),
		    at_most("octets of private data",
			    c && c->n > SESSION_CONTROL_OCTETS
				    ? c->n - SESSION_CONTROL_OCTETS
				    : 0,
			    PRIVATE_MAX)));
}

/* --- reports to the ULP --------------------------------------------------- */

CASE(ulp_hears_of_an_initiate,
     .title = "a Session Initiate is reported to the ULP, with all of its "
	      "private data",
     .needs = NEED_SCTP)
{
	/* Given a ULP that listens, */
	size_t n = most_taken(t);
	const uint8_t *octets = pattern(t, n, 2);
	dut_listens(t);

	/* when the peer opens a session, with as much private data as there may
	 * be, or as the device's interface takes, */
	peer_associates(t);
	peer_sends_control(t, CONTROL(SESSION_INITIATE, .private_data = octets,
				      .private_octets = n));
	awaits_control(t, SCTPX_6_2_04, SESSION_ACCEPT);
	struct accept_seen seen = dut_accepts(t);

	/* then it is reported to the ULP, and in this case with every octet. */
	should(t, SCTPX_5_2_3_10,
	       holds("the session is reported to the ULP", seen.ok));
	if (seen.ok)
		must(t, SCTPX_5_2_3_11,
		     ulp_gets(t, seen.private_data, seen.private_octets, octets,
			      n));
}

CASE(ulp_hears_of_an_accept,
     .title = "a Session Accept is reported to the ULP, with all of its "
	      "private data",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	size_t n = most_taken(t);
	const uint8_t *octets = pattern(t, n, 3);
	dut_dials(t, .dut_mpa = 1, .exact = true);
	next_control(t);

	/* when the peer accepts it, with as much private data as there may be,
	 * or as the device's interface takes, */
	peer_sends_control(t, CONTROL(SESSION_ACCEPT, .private_data = octets,
				      .private_octets = n));
	struct dut_state seen = dut_starts(t);

	/* then it is reported to the ULP, and in this case with every octet. */
	bool told = strcmp(seen.state, "established") == 0;
	should(t, SCTPX_5_2_3_10,
	       holds("the agent reports: established", told));
	if (told)
		must(t, SCTPX_5_2_3_11,
		     ulp_gets(t, seen.private_data, seen.private_octets, octets,
			      n));
}

CASE(ulp_hears_of_a_reject,
     .title = "a Session Reject is reported to the ULP, with all of its "
	      "private data",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a ULP that has asked for a session, */
	size_t n = most_taken(t);
	const uint8_t *octets = pattern(t, n, 4);
	dut_dials(t, .dut_mpa = 1, .exact = true);
	next_control(t);

	/* when the peer rejects it, with as much private data as there may be,
	 * or as the device's interface takes, */
	peer_sends_control(t, CONTROL(SESSION_REJECT, .private_data = octets,
				      .private_octets = n));
	struct dut_state seen = dut_starts(t);

	/* then it is reported to the ULP, and in this case with every octet. */
	bool told = strcmp(seen.state, "rejected") == 0;
	should(t, SCTPX_5_2_3_10, holds("the agent reports: rejected", told));
	if (told)
		must(t, SCTPX_5_2_3_11,
		     ulp_gets(t, seen.private_data, seen.private_octets, octets,
			      n));
}

CASE(ulp_hears_of_a_terminate,
     .title = "a Session Terminate is reported to the ULP", .needs = NEED_SCTP,
     .role = EITHER)
{
	/* Given a session, */
	connects(t, .exact = true);

	/* when the peer ends it, */
	peer_closes(t);

	/* then it is reported to the ULP. */
	should(t, SCTPX_5_2_3_10, agent_sees_end());
}

CASE(too_much_private_data_in_an_initiate,
     .title = "the reaction to 513 octets of private data is recorded",
     .needs = NEED_SCTP)
{
	/* Given a device that accepts right Initiates, */
	dut_works(t);
	dut_listens(t);

	/* when an Initiate has an octet of private data too many, */
	peer_associates(t);
	peer_sends_control(t, CONTROL(SESSION_INITIATE,
				      .private_data = octets_of(t, 513, 'p'),
				      .private_octets = 513));
	all_has_arrived(t);

	/* then it is passed up, refused, or the association ends; and another
	 * session is as good as before. */
	observe(t, SCTPX_5_2_3_14, "the device's chunks: %s%s", dut_sequence(t),
		association_is_over(t) ? ", and the end of the association"
				       : "");
	dut_works(t);
}

/* --- whose decision it is --------------------------------------------------- */

CASE(accepts_only_for_its_ulp,
     .title = "a session for which no ULP listens is not accepted",
     .needs = NEED_SCTP)
{
	/* Given a listener that has had its session, */
	peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");

	/* when one more Initiate comes, on another stream, */
	unsigned from = (unsigned)dut_chunks(t).n;
	peer_sends_control(
		t, CONTROL(SESSION_INITIATE, .ddp_ssn = IS(0), .sid = IS(1)));
	all_has_arrived(t);

	/* then the device does not accept it by itself. */
	should(t, SCTPX_6_4_01,
	       is("Session Accepts on that stream",
		  controls_on(t, 1, SESSION_ACCEPT, from), 0));
}

CASE(ulp_decides_to_accept,
     .title = "a session is accepted if the ULP accepts it", .needs = NEED_SCTP)
{
	/* Given a ULP that accepts, when the peer opens a session, */
	dut_listens(t);
	peer_initiates(t);

	/* then it is accepted, and reported to the ULP. */
	should(t, SCTPX_6_4_01,
	       holds("a Session Accept",
		     next_control(t) != NULL && controls_seen(t, 2) == 1));
	should(t, SCTPX_6_4_01,
	       holds("the session is reported to the ULP", dut_accepts(t).ok));
}

CASE(reject_is_only_of_the_ulp,
     .title = "a session that no ULP listens for is never rejected",
     .needs = NEED_SCTP)
{
	/* Given a listener that has had its session, */
	peer_connects(t);
	if (streams_both_ways(t, 2) < 2)
		not_applicable(t, "the device has but one stream");

	/* when one more Initiate comes, on another stream, */
	unsigned from = (unsigned)dut_chunks(t).n;
	peer_sends_control(
		t, CONTROL(SESSION_INITIATE, .ddp_ssn = IS(0), .sid = IS(1)));
	all_has_arrived(t);

	/* then no Reject answers it. */
	must(t, SCTPX_6_3_02,
	     is("Session Rejects", controls_on(t, 1, SESSION_REJECT, from), 0));
}

struct framing_row {
	CASE_ROW;
	unsigned function;
	size_t n;
};
static const struct framing_row framings[] = {
	{.id = "code-0", .function = 0},
	{.id = "code-8", .function = 8},
	{.id = "code-ffff", .function = 0xffff},
	{.id = "accept", .function = SESSION_ACCEPT},
	{.id = "private-513", .function = SESSION_INITIATE, .n = 513},
};

CASE_EACH(
	bad_opening_is_not_rejected, struct framing_row, framings,
	.title = "an invalid Initiate is never answered with a Session Reject",
	.needs = NEED_SCTP)
{
	/* Given a device that takes sessions, and a ULP that accepts all, */
	dut_works(t);
	dut_listens(t);
	peer_associates(t);

	/* when what opens a stream is not as it has to be, */
	peer_sends_control(t, CONTROL(row->function,
				      .private_data = octets_of(t, row->n, 'p'),
				      .private_octets = row->n));
	all_has_arrived(t);

	/* then no Reject answers it. */
	must(t, SCTPX_6_3_02,
	     is("Session Rejects", controls_seen(t, SESSION_REJECT), 0));
}

/* --- how many wait for a decision -------------------------------------------- */

CASE(what_cannot_wait_is_terminated,
     .title = "an Initiate that cannot be passed to the ULP is answered by a "
	      "Session Terminate on its own stream",
     .needs = NEED_SCTP)
{
	/* Given a listener that has had its session, */
	peer_connects(t);
	unsigned streams = streams_both_ways(t, 8);
	if (streams < 2)
		not_applicable(t, "the device has but one stream");

	/* when Initiates come on the other streams, */
	for (unsigned sid = 1; sid < streams; sid++)
		peer_sends_control(t,
				   CONTROL(SESSION_INITIATE, .ddp_ssn = IS(0),
					   .sid = IS(sid)));

	/* then each is answered by code 4; or it waits for its ULP, which the
	 * ULP's next listening shows. */
	for (unsigned sid = 1; sid < streams; sid++)
		must(t, SCTPX_5_2_3_12, answered_or_waiting(sid));
}

CASE(initiates_that_wait_are_finite,
     .title = "the number of Initiates that wait for the ULP stops growing",
     .needs = NEED_SCTP)
{
	/* RFC 5043 has no number, and this one is large for a backlog. */
	enum { ENOUGH = 16000, ASSOCIATIONS = 16, STREAMS = 1024 };
	unsigned asked = 0;
	bool refused = false;

	/* Given a device whose ULP listens for as many sessions as it gets, */
	associations_have(t, .streams = STREAMS + 1);

	/* when the peer asks for more of them, on all streams of one
	 * association after the other, */
	for (unsigned i = 0; !refused && i < ASSOCIATIONS && asked < ENOUGH;
	     i++) {
		peer_connects(t);
		unsigned streams = streams_both_ways(t, STREAMS + 1);

		for (unsigned sid = 1; sid < streams && asked < ENOUGH;
		     sid++, asked++)
			peer_sends_control(t, CONTROL(SESSION_INITIATE,
						      .ddp_ssn = IS(0),
						      .sid = IS(sid)));
		refused = initiates_refused(t);
	}

	/* then not all of them wait. */
	if (!refused && asked < ENOUGH)
		not_applicable(t,
			       "all %u Initiates for which the device has "
			       "streams may wait",
			       asked);
	must(t, SCTPX_6_4_02, holds("an Initiate that is refused", refused));
}
