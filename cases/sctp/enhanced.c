/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s7, s9.1, s10: enhanced session control, and its combination with
 * the plain one.
 */
#include "case.h"

#define PRIVATE_MAX 512

static unsigned most_taken(struct test *t)
{
	unsigned room = PRIVATE_MAX - MPA_ENHANCED_OCTETS;

	return dut_max_private(t) < room ? dut_max_private(t) : room;
}

/* The peer opens an enhanced session with these depths. */
static void peer_initiates(struct test *t, unsigned ird, unsigned ord)
{
	const struct mpa_enhanced e = {.ird = (uint16_t)ird,
				       .ord = (uint16_t)ord};

	peer_associates(t);
	peer_sends_control(
		t, enhanced_control(t, SESSION_ENHANCED_INITIATE, &e, "", 0));
}

/* --- codes ----------------------------------------------------------------- */

CASE(enhanced_initiate_has_code_5,
     .title = "an Enhanced Initiate has code 5, and then the four octets of "
	      "enhanced data",
     .needs = NEED_SCTP | NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device whose ULP negotiates, when it connects, */
	dut_dials(t, .enhanced = true, .exact = true, .dut_ird = 3,
		  .dut_ord = 5);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_7_02);

	/* then its code and the four octets after it show that. */
	must(t, SCTPX_6581_7_02,
	     is("function code", c->function, SESSION_ENHANCED_INITIATE));
	must(t, SCTPX_6581_7_02,
	     at_least("octets of user data", c->n, SESSION_CONTROL_OCTETS + 4));
}

CASE(enhanced_accept_has_code_6,
     .title = "an Enhanced Initiate is accepted by code 6, and then the four "
	      "octets of enhanced data",
     .needs = NEED_SCTP | NEED_ENHANCED)
{
	/* Given a ULP that accepts, when an enhanced session is opened, */
	dut_listens(t);
	peer_initiates(t, 16, 1);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_7_03);

	/* then it is accepted as one. */
	must(t, SCTPX_6581_7_03,
	     is("function code", c->function, SESSION_ENHANCED_ACCEPT));
	must(t, SCTPX_6581_7_03,
	     at_least("octets of user data", c->n, SESSION_CONTROL_OCTETS + 4));
}

CASE(enhanced_reject_has_code_7,
     .title = "an Enhanced Initiate that is rejected only for its enhanced "
	      "data is rejected with code 7",
     .needs = NEED_SCTP | NEED_ENHANCED | NEED_NEED_ORD)
{
	/* Given a ULP that insists on an ORD of 8, */
	dut_has_depths(t, 0, 8);
	dut_listens(t, .need_ord = 8);

	/* when an Enhanced Initiate offers an IRD of 2, */
	peer_initiates(t, 2, 1);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_7_01);

	/* and is rejected, which RFC 6581 s9.1 permits and does not require, */
	if (c->function == SESSION_ENHANCED_ACCEPT)
		not_applicable(t, "the device accepts a peer whose IRD is less "
				  "than its ULP wants");

	/* then that is rejected as enhanced. */
	must(t, SCTPX_6581_7_01,
	     is("function code", c->function, SESSION_ENHANCED_REJECT));
}

CASE(enhanced_session_ends_by_code_4,
     .title = "an enhanced session ends by a Session Terminate without private "
	      "data",
     .needs = NEED_SCTP | NEED_ENHANCED, .role = EITHER)
{
	/* Given an enhanced session, */
	connects(t, .enhanced = true);
	next_control(t);

	/* when the device ends it, */
	dut_closes(t);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6_2_01);

	/* then that is the one Terminate there is, of four octets. */
	must(t, SCTPX_6581_7_07,
	     is("function code", c->function, SESSION_TERMINATE));
	must(t, SCTPX_6581_7_06,
	     is("octets of user data", c->n, SESSION_CONTROL_OCTETS));
}

/* --- private data ------------------------------------------------------------ */

struct length_row {
	CASE_ROW;
	size_t n;
};
static const struct length_row lengths[] = {
	{.id = "0", .n = 0},
	{.id = "1", .n = 1},
	{.id = "100", .n = 100},
	{.id = "508", .n = 508},
};

static const uint8_t *private_of(struct test *t, const struct length_row *row)
{
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));
	return pattern(t, row->n, 1);
}

/* The last n octets are the ULP's, after `ahead` of enhanced data. */
static struct expect has_private(struct test *t, const struct dut_chunk *c,
				 size_t ahead, const void *octets, size_t n)
{
	size_t at = SESSION_CONTROL_OCTETS + ahead;
	bool there = c->n >= at;

	return octets_are(t, "private data of the ULP",
			  there ? c->octets + at : NULL, there ? c->n - at : 0,
			  octets, n);
}

CASE_EACH(enhanced_initiate_has_private_data, struct length_row, lengths,
	  .title = "the ULP's private data follows the enhanced data of an "
		   "Enhanced Initiate",
	  .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA,
	  .role = INITIATOR)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when the device connects, */
	dut_dials(t, .enhanced = true, .exact = true,
		  .dut_private_data = octets, .dut_private_octets = row->n);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_6581_7_04, SESSION_ENHANCED_INITIATE);
	in_one_chunk(t, c);

	/* then exactly that follows the four octets. */
	must(t, SCTPX_6581_7_04,
	     has_private(t, c, MPA_ENHANCED_OCTETS, octets, row->n));
}

CASE_EACH(enhanced_accept_has_private_data, struct length_row, lengths,
	  .title = "the ULP's private data follows the enhanced data of an "
		   "Enhanced Accept",
	  .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when it accepts an enhanced session, */
	dut_listens(t, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_initiates(t, 16, 1);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_6581_7_04, SESSION_ENHANCED_ACCEPT);
	in_one_chunk(t, c);

	/* then exactly that follows the four octets. */
	must(t, SCTPX_6581_7_04,
	     has_private(t, c, MPA_ENHANCED_OCTETS, octets, row->n));
}

CASE_EACH(enhanced_reject_has_private_data, struct length_row, lengths,
	  .title = "the ULP's private data is in an Enhanced Reject, with or "
		   "without enhanced data before it",
	  .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA | NEED_REJECT)
{
	/* Given a ULP that has this much private data, */
	const uint8_t *octets = private_of(t, row);

	/* when it rejects an enhanced session, */
	dut_listens(t, .reject = true, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_initiates(t, 16, 1);
	const struct dut_chunk *c =
		awaits_control(t, SCTPX_6581_7_04, SESSION_ENHANCED_REJECT);
	in_one_chunk(t, c);

	/* then that is there. */
	must(t, SCTPX_6581_7_04,
	     any_of(t, has_private(t, c, 0, octets, row->n),
		    has_private(t, c, MPA_ENHANCED_OCTETS, octets, row->n)));
}

CASE(enhanced_data_counts_among_512_octets,
     .title = "more than 508 octets of private data after enhanced data are "
	      "refused locally, or never sent",
     .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA, .role = EITHER)
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX, 1);
	size_t n = PRIVATE_MAX - MPA_ENHANCED_OCTETS + 1;

	/* Given a device that opens and takes sessions, and a ULP that asks
	 * for an octet too many, */
	dut_works(t);
	if (case_role(t) == INITIATOR)
		dut_tries(t, .beyond = true, .enhanced = true,
			  .dut_private_data = octets, .dut_private_octets = n);
	else
		dut_listens(t, .beyond = true, .dut_private_data = octets,
			    .dut_private_octets = n);

	/* when it is not refused, and session control leaves, */
	const struct dut_chunk *c = NULL;
	if (!dut_has_refused(t)) {
		if (case_role(t) == RESPONDER)
			peer_initiates(t, 16, 1);
		c = next_control(t);
	}

	/* then there are no more than 512, including enhanced data. */
	must(t, SCTPX_6581_7_05,
	     any_of(t,
		    holds("the device refuses the request", dut_has_refused(t)),
		    at_most("octets of private data",
			    c && c->n > SESSION_CONTROL_OCTETS
				    ? c->n - SESSION_CONTROL_OCTETS
				    : 0,
			    PRIVATE_MAX)));
}

/* --- reports to the ULP --------------------------------------------------- */

CASE(ulp_hears_of_an_enhanced_initiate,
     .title = "an Enhanced Initiate is reported to the ULP, with all of its "
	      "private data",
     .needs = NEED_SCTP | NEED_ENHANCED)
{
	const struct mpa_enhanced e = {.ird = 16, .ord = 1};

	/* Given a ULP that listens, */
	size_t n = most_taken(t);
	const uint8_t *octets = pattern(t, n, 2);
	dut_listens(t);

	/* when the peer opens an enhanced session, with as much private data as
	 * there may be, or as the device's interface takes, */
	peer_associates(t);
	peer_sends_control(t, enhanced_control(t, SESSION_ENHANCED_INITIATE, &e,
					       octets, n));
	awaits_control(t, SCTPX_6581_7_03, SESSION_ENHANCED_ACCEPT);
	struct accept_seen seen = dut_accepts(t);

	/* then it is reported to the ULP, and in this case with every octet. */
	should(t, SCTPX_6581_7_09,
	       holds("the session is reported to the ULP", seen.ok));
	if (seen.ok)
		must(t, SCTPX_6581_7_10,
		     ulp_gets(t, seen.private_data, seen.private_octets, octets,
			      n));
}

CASE(ulp_hears_of_an_enhanced_accept,
     .title = "an Enhanced Accept is reported to the ULP, with all of its "
	      "private data",
     .needs = NEED_SCTP | NEED_ENHANCED, .role = INITIATOR)
{
	/* No more than the device has room for. */
	const struct mpa_enhanced e = {.ird = 16,
				       .ord = dut_max_ird(t) ? 1 : 0};

	/* Given a ULP that has asked for an enhanced session, */
	size_t n = most_taken(t);
	const uint8_t *octets = pattern(t, n, 3);
	dut_dials(t, .enhanced = true, .exact = true);
	next_control(t);

	/* when the peer accepts it, with as much private data as there may be,
	 * or as the device's interface takes, */
	peer_sends_control(
		t, enhanced_control(t, SESSION_ENHANCED_ACCEPT, &e, octets, n));
	struct dut_state seen = dut_starts(t);

	/* then it is reported to the ULP, and in this case with every octet. */
	bool told = strcmp(seen.state, "established") == 0;
	should(t, SCTPX_6581_7_09,
	       holds("the agent reports: established", told));
	if (told)
		must(t, SCTPX_6581_7_10,
		     ulp_gets(t, seen.private_data, seen.private_octets, octets,
			      n));
}

/* --- plain and enhanced -------------------------------------------------------- */

struct code_row {
	CASE_ROW;
	unsigned function;
};
static const struct code_row plain_answers[] = {
	{.id = "accept", .must = &SCTPX_6581_7_11, .function = SESSION_ACCEPT},
	{.id = "initiate", .must = &SCTPX_6_1_02, .function = SESSION_INITIATE},
};

CASE_EACH(plain_answer_to_an_enhanced_initiate, struct code_row, plain_answers,
	  .title = "an Enhanced Initiate that is answered with a plain code "
		   "establishes no session",
	  .needs = NEED_SCTP | NEED_ENHANCED | NEED_SEND, .role = INITIATOR)
{
	/* Given a ULP that has asked for an enhanced session, */
	dut_works(t);
	dut_dials(t, .enhanced = true, .exact = true);
	next_control(t);

	/* when the answer is a plain one, or none at all, */
	peer_sends_control(t, CONTROL(row->function));

	/* then the session ends, and nothing that its ULP posts leaves. */
	must_row(t, row, session_ends());
	dut_posts(t, POST_SEND("too late", .if_taken = true));
	dut_has_its_turn(t);
	must_row(t, row, is("segments", segments_seen(t), 0));
}

CASE(enhanced_answer_to_a_plain_initiate,
     .title = "a plain Initiate that is answered with an enhanced code "
	      "establishes no session",
     .needs = NEED_SCTP | NEED_SEND, .role = INITIATOR)
{
	const struct mpa_enhanced e = {.ird = 16, .ord = 1};

	/* Given a ULP that has asked for a plain session, */
	dut_works(t);
	dut_dials(t, .dut_mpa = 1, .exact = true);
	next_control(t);

	/* when the answer is an enhanced one, */
	peer_sends_control(
		t, enhanced_control(t, SESSION_ENHANCED_ACCEPT, &e, "", 0));

	/* then the session ends, and nothing that its ULP posts leaves. */
	must(t, SCTPX_6581_7_11, session_ends());
	dut_posts(t, POST_SEND("too late", .if_taken = true));
	dut_has_its_turn(t);
	must(t, SCTPX_6581_7_11, is("segments", segments_seen(t), 0));
}

CASE(plain_initiate_has_a_plain_answer,
     .title = "a plain Initiate is accepted by code 2, without enhanced data",
     .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	/* Given a device that knows enhanced sessions, and a ULP that accepts
	 * with private data, */
	dut_listens(t, .dut_private_data = "yes", .dut_private_octets = 3);
	peer_associates(t);

	/* when a plain session is opened, */
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_10_01);

	/* then the answer is plain, too. */
	must(t, SCTPX_6581_10_01,
	     is("function code", c->function, SESSION_ACCEPT));
	must(t, SCTPX_6581_10_01,
	     at_most("octets of user data", c->n, SESSION_CONTROL_OCTETS + 3));
}

CASE(plain_initiate_has_a_plain_reject,
     .title = "a plain Initiate is rejected by code 3, without enhanced data",
     .needs = NEED_SCTP | NEED_ENHANCED | NEED_PRIVATE_DATA | NEED_REJECT)
{
	/* Given a device that knows enhanced sessions, and a ULP that rejects
	 * with private data, */
	dut_listens(t, .reject = true, .dut_private_data = "no",
		    .dut_private_octets = 2);
	peer_associates(t);

	/* when a plain session is opened, */
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_10_01);

	/* then the answer is plain, too. */
	must(t, SCTPX_6581_10_01,
	     is("function code", c->function, SESSION_REJECT));
	must(t, SCTPX_6581_10_01,
	     at_most("octets of user data", c->n, SESSION_CONTROL_OCTETS + 2));
}

/* --- depths and RTRs ------------------------------------------------------------ */

struct depth_row {
	CASE_ROW;
	unsigned ird;
};
static const struct depth_row depths[] = {
	{.id = "0", .ird = 0},
	{.id = "1", .ird = 1},
	{.id = "4", .ird = 4},
};

CASE_EACH(ord_is_within_the_peers_ird, struct depth_row, depths,
	  .title = "the ORD of an Enhanced Accept is at most the IRD of the "
		   "Enhanced Initiate",
	  .needs = NEED_SCTP | NEED_ENHANCED)
{
	struct mpa_enhanced e = {0};

	/* Given a device, when an Enhanced Initiate offers this IRD, */
	dut_listens(t);
	peer_initiates(t, row->ird, 1);
	const struct dut_chunk *c = awaits_any_control(t, SCTPX_6581_7_03);
	if (c->function == SESSION_ENHANCED_REJECT)
		not_applicable(t, "the device rejects this IRD, as it may "
				  "(RFC 6581 s9.1)");
	insists(t, SCTPX_6581_7_03,
		is("function code", c->function, SESSION_ENHANCED_ACCEPT));
	if (c->n >= SESSION_CONTROL_OCTETS + MPA_ENHANCED_OCTETS)
		mpa_enhanced_decode(&e, c->octets + SESSION_CONTROL_OCTETS);

	/* then the device will not have more Reads outstanding. */
	must(t, SCTPX_6581_9_01, at_most("ORD", e.ord, row->ird));
}

CASE(rtr_without_a_match,
     .title = "an Enhanced Initiate with no RTR that the device supports is "
	      "rejected, accepted with RTRs of its own, or refused",
     .needs = NEED_SCTP | NEED_P2P | NEED_RTR_READ)
{
	const struct mpa_enhanced e = {
		.a = true, .b = true, .ird = 16, .ord = 16};

	/* Given a device that supports one RTR, the Read, */
	dut_listens(t, .dut_rtr = RTR_READ);
	peer_associates(t);

	/* when an Enhanced Initiate offers only another one, */
	peer_sends_control(
		t, enhanced_control(t, SESSION_ENHANCED_INITIATE, &e, "", 0));
	const struct dut_chunk *c = next_control(t);

	/* then it may be rejected by the device itself. */
	may(t, SCTPX_6581_7_08,
	    any_of(t, is("code", c ? c->function : 0, SESSION_ENHANCED_REJECT),
		   is("code", c ? c->function : 0, SESSION_ENHANCED_ACCEPT),
		   is("code", c ? c->function : 0, SESSION_TERMINATE),
		   holds("the end of the association",
			 association_is_over(t))));
}
