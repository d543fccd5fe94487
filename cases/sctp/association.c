/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5043 s5.1, s7.1, s8, s11.1: the properties of an association for DDP, its
 * number of streams, and associations that are not for DDP.
 */
#include "case.h"

/* --- the adaptation indication -------------------------------------------- */

CASE(init_has_the_indication,
     .title = "an INIT of the device carries the adaptation indication of DDP",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a peer that awaits a session, when the device opens one, */
	dut_dials(t, .exact = true);
	struct association_seen seen = dut_association(t);

	/* then its INIT has the parameter, of length 8, with DDP's number. */
	must(t, SCTPX_5_1_01,
	     holds("an adaptation indication in INIT",
		   seen.adaptation != SESSION_ADAPTATION_ABSENT));
	must(t, SCTPX_5_1_01, is("its length", seen.adaptation_octets, 8));
	must(t, SCTPX_5_1_01, is("its value", seen.indication, 1));
}

CASE(init_ack_has_the_indication,
     .title = "an INIT ACK of the device carries the adaptation indication of "
	      "DDP",
     .needs = NEED_SCTP)
{
	/* Given a device that listens, when the peer opens an association, */
	dut_listens(t);
	peer_associates(t);
	struct association_seen seen = dut_association(t);

	/* then the INIT ACK has the parameter, of length 8, with DDP's number. */
	must(t, SCTPX_5_1_02,
	     holds("an adaptation indication in INIT ACK",
		   seen.adaptation != SESSION_ADAPTATION_ABSENT));
	must(t, SCTPX_5_1_02, is("its length", seen.adaptation_octets, 8));
	must(t, SCTPX_5_1_02, is("its value", seen.indication, 1));
}

CASE(other_indication_is_refused,
     .title = "an association with another adaptation indication is refused, "
	      "in the handshake or after it",
     .needs = NEED_SCTP)
{
	/* Given a device that takes associations of DDP, */
	dut_works(t);
	dut_listens(t);

	/* when an INIT carries another indication, */
	associations_have(t, .adaptation = ADAPTATION_OTHER);
	peer_associates(t);

	/* then there is no association, or no longer. */
	should(t, SCTPX_7_1_01, association_refused());
}

CASE(no_session_under_another_indication,
     .title = "a Session Initiate on an association with another adaptation "
	      "indication is not answered by DDP",
     .needs = NEED_SCTP)
{
	/* Given a device that takes associations of DDP, */
	dut_works(t);
	dut_listens(t);

	/* when the peer's INIT carried another indication, and it sends an
	 * Initiate all the same, */
	associations_have(t, .adaptation = ADAPTATION_OTHER);
	if (peer_associates(t))
		peer_sends_control(t, CONTROL(SESSION_INITIATE));

	/* then no chunk of DDP arrives, and the ULP does not learn of it. */
	must(t, SCTPX_11_1_03, no_chunk(0));
	must(t, SCTPX_11_1_03, ulp_not_asked());
}

CASE(no_session_without_an_indication,
     .title = "a Session Initiate on an association without an adaptation "
	      "indication is not answered by DDP",
     .needs = NEED_SCTP)
{
	/* Given a device that takes associations of DDP, */
	dut_works(t);
	dut_listens(t);

	/* when the peer's INIT carried none, and it sends an Initiate all the
	 * same, */
	associations_have(t, .adaptation = ADAPTATION_NONE);
	if (peer_associates(t))
		peer_sends_control(t, CONTROL(SESSION_INITIATE));

	/* then no chunk of DDP arrives, and the ULP does not learn of it. */
	must(t, SCTPX_11_1_04, no_chunk(0));
	must(t, SCTPX_11_1_04, ulp_not_asked());
}

CASE(answer_with_another_indication_is_inspected,
     .title = "no session is opened if the INIT ACK has another adaptation "
	      "indication",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a device that opens sessions on associations of DDP, */
	dut_works(t);

	/* when the peer's INIT ACK carries another indication, */
	associations_have(t, .adaptation = ADAPTATION_OTHER);
	dut_tries(t);
	dut_starts(t);

	/* then no chunk of DDP comes. */
	must(t, SCTPX_11_1_01, no_chunk(0));
}

CASE(answer_without_an_indication_is_no_ddp,
     .title = "no session is opened if the INIT ACK has no adaptation "
	      "indication",
     .needs = NEED_SCTP, .role = INITIATOR)
{
	/* Given a device that opens sessions on associations of DDP, */
	dut_works(t);

	/* when the peer's INIT ACK carries no indication, */
	associations_have(t, .adaptation = ADAPTATION_NONE);
	dut_tries(t);
	dut_starts(t);

	/* then no chunk of DDP comes. */
	must(t, SCTPX_11_1_02, no_chunk(0));
}

/* --- the number of streams ------------------------------------------------- */

CASE(init_has_as_many_streams_in_as_out,
     .title = "OS and MIS of the device's INIT are equal", .needs = NEED_SCTP,
     .role = INITIATOR)
{
	/* Given a peer that awaits a session, when the device opens one, */
	dut_dials(t, .exact = true);
	struct association_seen seen = dut_association(t);

	/* then it asks for as many streams as it offers. */
	must(t, SCTPX_8_01, is("MIS", seen.inbound, seen.outbound));
}

struct streams_row {
	CASE_ROW;
	unsigned streams;
};
static const struct streams_row counts[] = {
	{.id = "1", .streams = 1},
	{.id = "16", .streams = 16},
	{.id = "300", .streams = 300},
	{.id = "2048", .streams = 2048},
};

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

CASE_EACH(association_has_as_many_streams_in_as_out, struct streams_row, counts,
	  .title = "an association has as many streams in one direction as in "
		   "the other, however many the peer has",
	  .needs = NEED_SCTP)
{
	/* Given a device that takes associations of DDP, and a peer with this
	 * many streams in either direction, */
	dut_works(t);
	associations_have(t, .streams = row->streams);
	dut_listens(t);

	/* when it opens an association, */
	peer_associates(t);
	struct association_seen seen = dut_association(t);
	if (!seen.came)
		not_applicable(
			t, "the device accepts no association with %u streams",
			row->streams);

	/* then the number that both accept is the same in both directions. */
	must(t, SCTPX_8_03,
	     is("streams that the device sends on",
		lesser(seen.outbound, seen.peer_inbound),
		lesser(seen.inbound, seen.peer_outbound)));
}

struct sid_row {
	CASE_ROW;
	unsigned sid;
};
static const struct sid_row sids[] = {
	{.id = "0", .sid = 0},
	{.id = "1", .sid = 1},
	{.id = "3", .sid = 3},
};

CASE_EACH(answers_on_the_same_stream, struct sid_row, sids,
	  .title = "a session opened on a stream is answered on the stream of "
		   "the same number",
	  .needs = NEED_SCTP)
{
	/* Given an association with room for it, */
	dut_listens(t, .sid = row->sid);
	peer_associates(t);
	if (lesser(dut_association(t).inbound, dut_association(t).outbound) <=
	    row->sid)
		not_applicable(t, "the device has fewer streams");

	/* when a session is opened on this stream, */
	peer_sends_control(t, CONTROL(SESSION_INITIATE));
	const struct dut_chunk *c = next_chunk(t);
	insists(t, SCTPX_8_02,
		holds("an answer to the Initiate",
		      c && c->function != SESSION_INITIATE));

	/* then all that the device sends is there. */
	must(t, SCTPX_8_02, all_on_stream(row->sid));
}
