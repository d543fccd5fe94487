/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s9.2: the peer-to-peer model, or the client-server model, and the
 * RTR, as Request and Reply agree on them.
 */
#include "case.h"

static unsigned listed(struct startup_seen f)
{
	return (f.enhanced.b ? RTR_SEND : 0) | (f.enhanced.c ? RTR_WRITE : 0) |
	       (f.enhanced.d ? RTR_READ : 0);
}

/* The RTR indications that the device claims. */
static unsigned claimed(struct test *t)
{
	uint64_t c = dut_claims(t);

	return (c & NEED_RTR_SEND ? RTR_SEND : 0) |
	       (c & NEED_RTR_WRITE ? RTR_WRITE : 0) |
	       (c & NEED_RTR_READ ? RTR_READ : 0);
}

static void needs_rtr(struct test *t, unsigned rtr)
{
	if ((claimed(t) & rtr) != rtr)
		not_applicable(t, "the device does not claim this RTR");
}

/* Which model it is, is the initiator's to choose (s9.2), and some devices
 * have but one. */
static void in_the_client_server_model(struct test *t,
				       const struct startup_seen *request)
{
	if (request->enhanced.a)
		not_applicable(t, "the device's Requests are all of the "
				  "peer-to-peer model");
}

/* --- the initiator's offer ----------------------------------------------- */

CASE(peer_to_peer_request,
     .title = "a Request of the peer-to-peer model has A=1 and the RTR "
	      "indications that the device supports",
     .needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that offers all RTR types that it has, */
	dut_dials(t, .dut_rtr = claimed(t));

	/* when it connects, then A, and B, C and D as claimed, are set. */
	struct startup_seen request = awaits_request(t);
	must(t, EMPA_9_2_01, is("A", request.enhanced.a, 1));
	must(t, EMPA_9_2_02, is("B, C, D", listed(request), claimed(t)));
	must(t, EMPA_9_2_02, is_not("B, C, D", listed(request), 0));
	dut_posts_recv(t, 64);
	peer_sends_startup(t, reply_listing(RTR_SEND | RTR_WRITE | RTR_READ));
	full_operation(t);
}

CASE(client_server_request,
     .title = "a Request of the client-server model has A, B, C and D zero",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that negotiates IRD and ORD, and no RTR, */
	dut_dials(t, .enhanced = true, .exact = true);

	/* when it connects, then none of the four is set. */
	struct startup_seen request = awaits_request(t);
	in_the_client_server_model(t, &request);
	must(t, EMPA_9_2_25, holds("enhanced data", request.has_enhanced));
	must(t, EMPA_9_2_25, is("B, C, D", listed(request), 0));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_9_2_25, full_operation_works());
}

/* --- the responder's list ------------------------------------------------ */

struct offer_row {
	CASE_ROW;
	unsigned rtr;
};
static const struct offer_row offers[] = {
	{.id = "send", .rtr = RTR_SEND},
	{.id = "write", .rtr = RTR_WRITE},
	{.id = "read", .rtr = RTR_READ},
	{.id = "all", .rtr = RTR_SEND | RTR_WRITE | RTR_READ},
};

CASE(responder_lists_an_rtr,
     .title = "a responder in the peer-to-peer model lists at least one RTR",
     .needs = NEED_P2P)
{
	/* Given a listening device, when all RTR indications are offered, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t,
			   request_offering(RTR_SEND | RTR_WRITE | RTR_READ));

	/* then A is 1 in the Reply, and one of B, C and D. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_03);
	insists(t, EMPA_9_2_04, is("A", reply.enhanced.a, 1));
	must(t, EMPA_9_2_03, is_not("B, C, D", listed(reply), 0));
	if (reply.enhanced.c)
		must(t, EMPA_9_2_17, full_operation_works());
	else
		must(t, EMPA_9_2_03, full_operation_works());
}

CASE(responder_echoes_a, .title = "A=1 is answered with A=1",
     .needs = NEED_P2P | NEED_RTR_WRITE)
{
	/* Given a listening device, when A and C are set, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(RTR_WRITE));

	/* then A is set in the Reply. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_04);
	must(t, EMPA_9_2_04, is("A", reply.enhanced.a, 1));
	must(t, EMPA_9_2_17, full_operation_works());
}

CASE_EACH(responder_lists_what_it_supports, struct offer_row, offers,
	  .title = "a responder lists every offered RTR that it supports",
	  .needs = NEED_P2P)
{
	/* Given a listening device, when these RTRs are offered, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(row->rtr));

	/* then those of them that it claims are in the Reply. */
	struct startup_seen reply = awaits_reply(t);
	should(t, EMPA_9_2_05,
	       is("B, C, D as offered", listed(reply) & row->rtr,
		  claimed(t) & row->rtr));
	peer_closes(t);
}

static const struct offer_row pairs[] = {
	{.id = "send-write", .rtr = RTR_SEND | RTR_WRITE},
	{.id = "send-read", .rtr = RTR_SEND | RTR_READ},
	{.id = "write-read", .rtr = RTR_WRITE | RTR_READ},
};

CASE_EACH(responder_lists_one_of_two, struct offer_row, pairs,
	  .title = "of two RTRs that are offered and supported, at least one "
		   "is listed",
	  .needs = NEED_P2P)
{
	/* Given a device that supports both RTRs of a pair, */
	needs_rtr(t, row->rtr);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when just these two are offered, */
	peer_sends_startup(t, request_offering(row->rtr));

	/* then one of them or both are listed. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_06);
	must(t, EMPA_9_2_06,
	     is_not("B, C, D as offered", listed(reply) & row->rtr, 0));
	peer_closes(t);
}

CASE(responder_may_list_more,
     .title = "a responder may list RTRs that were not offered",
     .needs = NEED_P2P | NEED_RTR_SEND)
{
	/* Given a listening device, when only B is offered, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(RTR_SEND));

	/* then C or D may be listed as well. */
	struct startup_seen reply = awaits_reply(t);
	may(t, EMPA_9_2_07,
	    is_not("C, D", listed(reply) & (RTR_WRITE | RTR_READ), 0));
}

struct lacking_row {
	CASE_ROW;
	unsigned has, offered;
};
static const struct lacking_row lacking[] = {
	{.id = "send", .has = RTR_WRITE | RTR_READ, .offered = RTR_SEND},
	{.id = "write", .has = RTR_READ, .offered = RTR_WRITE},
	{.id = "read", .has = RTR_WRITE, .offered = RTR_READ},
};

CASE_EACH(responder_lists_its_own_without_match, struct lacking_row, lacking,
	  .title = "if no RTR matches, the responder lists one of its own",
	  .needs = NEED_P2P)
{
	/* Given a responder that supports other RTRs, */
	needs_rtr(t, row->has);
	dut_works(t);
	dut_listens(t, .dut_rtr = row->has);
	peer_opens_tcp(t);

	/* when one is offered that it lacks, */
	peer_sends_startup(t, request_offering(row->offered));

	/* then A is 1, and the list is not empty and all its own; over SCTP it
	 * may be rejected or refused instead (RFC 6581 s7). */
	struct startup_seen reply = dut_startup(t);
	if (over_sctp(t) && (reply.closed || reply.frame.flags & MPA_R))
		not_applicable(t, "the device does not accept a Request "
				  "without a common RTR");
	insists(t, EMPA_10_01, holds("a Reply", reply.came));
	insists(t, EMPA_10_01,
		holds("S=1 in the Reply", reply.frame.flags & MPA_S));
	insists(t, EMPA_6_09,
		holds("PD_Length counts four octets of enhanced data",
		      reply.has_enhanced));
	insists(t, EMPA_9_2_04, is("A", reply.enhanced.a, 1));
	must(t, EMPA_9_2_08, is_not("B, C, D", listed(reply), 0));
	must(t, EMPA_9_2_08,
	     is("B, C, D that it lacks", listed(reply) & ~row->has, 0));
	/* RFC 6581 s9.2 defines the list in the Reply, not whether it
	 * accepts. */
	if (reply.frame.flags & MPA_R)
		return;
	/* The peer has none of these to send, and reports it. */
	full_operation(t);
	peer_sends(t, TERMINATE(TERM_LLP, 0, 0x07));
	peer_closes(t);
}

CASE(request_without_an_rtr,
     .title = "A=1 with no RTR offered is accepted with A=1 and an RTR, or "
	      "refused",
     .needs = NEED_P2P)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when A is 1, and B, C and D are 0, */
	peer_breaks(t, EMPA_9_2_02);
	peer_sends_startup(t, request_offering(0));

	/* then the Reply lists its own, or rejects, or TCP is closed. */
	struct startup_seen reply = dut_startup(t);
	bool accepts = reply.came && !(reply.frame.flags & MPA_R);
	if (accepts && reply.frame.flags & MPA_S)
		insists(t, EMPA_6_09,
			holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_9_2_09,
	     any_of(t,
		    holds("an accepting Reply with A=1 and one of B, C and D",
			  accepts && reply.enhanced.a && listed(reply)),
		    holds("a Reply that rejects", reply.came && !accepts),
		    holds("TCP closed without a Reply",
			  !reply.came && reply.closed)));

	/* A peer that has no RTR to send reports it. */
	if (!accepts)
		return;
	full_operation(t);
	peer_sends(t, TERMINATE(TERM_LLP, 0, 0x07));
	peer_closes(t);
}

/* --- the client-server model --------------------------------------------- */

CASE(responder_echoes_no_a, .title = "A=0 is answered with A, B, C and D zero",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when A is 0, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then none of the four is set in the Reply. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_26);
	must(t, EMPA_9_2_26, holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_9_2_26, is("A", reply.enhanced.a, 0));
	must(t, EMPA_9_2_26, is("B, C, D", listed(reply), 0));
	must(t, EMPA_9_2_26, full_operation_works());
}

CASE(responder_ignores_rtr_flags_without_a,
     .title = "with A=0 in a Request B, C and D are ignored",
     .needs = NEED_ENHANCED)
{
	/* Given a device with IRD and ORD 4, */
	if (dut_max_ird(t) < 4 || dut_max_ord(t) < 4)
		not_applicable(t, "the device has no 4 Reads");
	dut_listens(t, .dut_ird = 4, .dut_ord = 4);
	peer_opens_tcp(t);

	/* when A is 0, and B, C and D are 1, */
	peer_breaks(t, EMPA_9_2_25);
	peer_sends_startup(t, REQUEST(.enhanced = true, .b = true, .c = true,
				      .d = true, .ird = 3, .ord = 4));

	/* then none comes back, and none counts in IRD or ORD. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_27);
	if (!reply.enhanced.a)
		must(t, EMPA_9_2_27, is("B, C, D", listed(reply), 0));
	struct accept_seen seen = dut_accepts(t);
	must(t, EMPA_9_2_27, at_most("IRD at the ULP", seen.ird, 0x3fff));
	must(t, EMPA_9_2_27, at_most("ORD at the ULP", seen.ord, 0x3fff));
	must(t, EMPA_9_2_27, full_operation_works());
}

CASE(initiator_ignores_rtr_flags_without_a,
     .title = "with A=0 in a Reply C is ignored", .needs = NEED_ENHANCED,
     .role = INITIATOR)
{
	/* Given an initiator in the client-server model, */
	if (dut_max_ird(t) < 3)
		not_applicable(t, "the device has no 3 Reads");
	dut_dials(t, .enhanced = true, .dut_ird = 3, .exact = true);
	struct startup_seen request = awaits_request(t);
	in_the_client_server_model(t, &request);

	/* when the Reply has A=0 and C=1, */
	peer_breaks(t, EMPA_9_2_26);
	peer_sends_startup(
		t, REPLY(.enhanced = true, .c = true, .ird = 3, .ord = 3));
	full_operation(t);
	struct dut_state seen = dut_starts(t);

	/* then IRD and ORD are read without the flag. An RTR that is a Write
	 * of no octets could not be told from one of the device's own. */
	must(t, EMPA_9_2_28, at_most("IRD at the ULP", seen.ird, 0x3fff));
	must(t, EMPA_9_2_28, at_most("ORD at the ULP", seen.ord, 0x3fff));
	insists(t, EMPA_9_2_28, nothing_more());
	initiator_speaks(t);
	must(t, EMPA_9_2_28, stream_works());
}

CASE(no_rtr_is_sent_without_a, .title = "with A=0 in a Reply B names no RTR",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an initiator in the client-server model, */
	dut_dials(t, .enhanced = true, .exact = true);
	struct startup_seen request = awaits_request(t);
	in_the_client_server_model(t, &request);

	/* when the Reply has A=0 and B=1, */
	peer_breaks(t, EMPA_9_2_26);
	peer_sends_startup(
		t, REPLY(.enhanced = true, .b = true, .ird = 1, .ord = 1));
	full_operation(t);

	/* then no Send comes. */
	must(t, EMPA_9_2_28, nothing_more());
	initiator_speaks(t);
	must(t, EMPA_9_2_28, stream_works());
}

/* --- no agreement -------------------------------------------------------- */

struct other_row {
	CASE_ROW;
	unsigned has, listed;
};
static const struct other_row others[] = {
	{.id = "send_for_write", .has = RTR_WRITE, .listed = RTR_SEND},
	{.id = "read_for_write", .has = RTR_WRITE, .listed = RTR_READ},
	{.id = "write_for_send", .has = RTR_SEND, .listed = RTR_WRITE},
	{.id = "read_for_send", .has = RTR_SEND, .listed = RTR_READ},
	{.id = "send_for_read", .has = RTR_READ, .listed = RTR_SEND},
	{.id = "write_for_read", .has = RTR_READ, .listed = RTR_WRITE},
};

CASE_EACH(no_matching_rtr, struct other_row, others,
	  .title = "an initiator that supports none of the listed RTRs sends "
		   "Terminate 2/0/07",
	  .needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that offers one RTR, */
	needs_rtr(t, row->has);
	dut_works(t);
	dut_dials(t, .dut_rtr = row->has);
	awaits_request(t);

	/* when the Reply lists only another, */
	peer_sends_startup(t, reply_listing(row->listed));
	full_operation(t);

	/* then its first and only FPDU reports it, and it closes. */
	awaits(t, EMPA_9_2_16, RDMAP_TERMINATE);
	must(t, EMPA_9_2_16, terminate(TERM_LLP, 0, 0x07));
	peer_closes_behind_terminate(t);
	must(t, EMPA_9_2_16, tcp_closed());
	must(t, RDMAP_5_4_07, nothing_more());
}

CASE_EACH(empty_list_of_rtrs, struct offer_row, offers,
	  .title = "A=1 with no RTR listed is answered with Terminate 2/0/07",
	  .needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that offers these RTRs, */
	needs_rtr(t, row->rtr);
	dut_works(t);
	dut_dials(t, .dut_rtr = row->rtr);
	awaits_request(t);

	/* when the Reply has A=1, and B, C and D are 0, */
	peer_breaks(t, EMPA_9_2_03);
	peer_sends_startup(t, reply_listing(0));
	full_operation(t);

	/* then its first and only FPDU reports it, and it closes. */
	awaits(t, EMPA_9_2_31, RDMAP_TERMINATE);
	must(t, EMPA_9_2_31, terminate(TERM_LLP, 0, 0x07));
	peer_closes_behind_terminate(t);
	must(t, EMPA_9_2_31, tcp_closed());
	must(t, RDMAP_5_4_07, nothing_more());
}

CASE(client_server_reply_to_peer_to_peer,
     .title = "an initiator's reaction to A=0 in answer to A=1 is recorded",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a Request with A=1, when the Reply has A=0, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_request(t);
	peer_breaks(t, EMPA_9_2_04);
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	full_operation(t);

	/* then it ends the setup, or continues in the other model. */
	struct dut_state seen = dut_ends(t);
	bool goes_on = strcmp(seen.state, "established") == 0;
	observe(t, EMPA_9_2_29, "%s",
		goes_on ? "it goes on in the client-server model"
			: how_it_ended(t));
}

CASE(peer_to_peer_reply_to_client_server,
     .title = "an initiator's reaction to A=1 in answer to A=0 is recorded",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a Request with A=0, when the Reply has A=1 and C=1, */
	dut_works(t);
	dut_dials(t, .enhanced = true, .exact = true);
	struct startup_seen request = awaits_request(t);
	in_the_client_server_model(t, &request);
	peer_breaks(t, EMPA_9_2_26);
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then it sends the RTR, or ends the setup. */
	const struct frame *f = next_frame(t);
	observe(t, EMPA_9_2_30, "%s",
		f && f->seg.ddp.opcode == RDMAP_WRITE ? "the RTR comes"
						      : how_it_ended(t));
}
