/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s5, s9.2: the peer-to-peer model, and the message that says that
 * the initiator is ready to receive (RTR).
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

/* --- the initiator's offer --------------------------------------------- */

CASE(peer_to_peer_request,
     .title = "a Request of the peer-to-peer model has A=1 and the RTR "
	      "indications that the device supports",
     .needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that is to use all RTR indications that it has, */
	dut_dials(t, .dut_rtr = claimed(t));

	/* when it connects, then A, and B, C and D as claimed, are set. */
	struct startup_seen request = awaits_startup(t, EMPA_6_01);
	must(t, EMPA_9_2_01, is("A", request.enhanced.a, 1));
	must(t, EMPA_9_2_02, is("B, C, D", listed(request), claimed(t)));
	must(t, EMPA_9_2_02, is_not("B, C, D", listed(request), 0));
	dut_posts_recv(t, 64);
	peer_sends_startup(t, reply_listing(RTR_SEND | RTR_WRITE | RTR_READ));
	must(t, EMPA_9_2_01, full_operation_works());
}

CASE(client_server_request,
     .title = "a Request of the client-server model has A, B, C and D zero",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that negotiates IRD and ORD, and no RTR, */
	dut_dials(t, .enhanced = true);

	/* when it connects, then none of the four is set. */
	struct startup_seen request = awaits_startup(t, EMPA_6_01);
	must(t, EMPA_9_2_25, holds("enhanced data", request.has_enhanced));
	must(t, EMPA_9_2_25, is("A", request.enhanced.a, 0));
	must(t, EMPA_9_2_25, is("B, C, D", listed(request), 0));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_9_2_25, full_operation_works());
}

/* --- the responder's list -------------------------------------------------- */

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
	must(t, EMPA_9_2_03, is("A", reply.enhanced.a, 1));
	must(t, EMPA_9_2_03, is_not("B, C, D", listed(reply), 0));
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
	must(t, EMPA_9_2_04, full_operation_works());
}

CASE_EACH(responder_lists_what_it_supports, struct offer_row, offers,
	  .title = "a responder lists every RTR offered that it supports",
	  .needs = NEED_P2P)
{
	/* Given a listening device, when these RTRs are offered, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(row->rtr));

	/* then those of them that it claims are in the Reply. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_04);
	should(t, EMPA_9_2_05,
	       is("B, C, D as offered", listed(reply) & row->rtr,
		  claimed(t) & row->rtr));
	should(t, EMPA_9_2_05, full_operation_works());
}

static const struct offer_row pairs[] = {
	{.id = "send-write", .rtr = RTR_SEND | RTR_WRITE},
	{.id = "send-read", .rtr = RTR_SEND | RTR_READ},
	{.id = "write-read", .rtr = RTR_WRITE | RTR_READ},
};

CASE_EACH(responder_lists_one_of_two, struct offer_row, pairs,
	  .title = "of two RTRs offered and supported one at least is listed",
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
	must(t, EMPA_9_2_06, full_operation_works());
}

CASE(responder_may_list_more,
     .title = "a responder may list RTRs that were not offered",
     .needs = NEED_P2P | NEED_RTR_SEND)
{
	/* Given a listening device, when B alone is offered, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, request_offering(RTR_SEND));

	/* then C or D may be listed as well. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_04);
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
	  .title = "where no RTR matches the responder lists one of its own",
	  .needs = NEED_P2P)
{
	/* Given a responder that supports other RTRs, */
	needs_rtr(t, row->has);
	dut_listens(t, .dut_rtr = row->has);
	peer_opens_tcp(t);

	/* when one is offered that it lacks, */
	peer_sends_startup(t, request_offering(row->offered));

	/* then A is 1, and the list is not empty and all its own. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_08);
	must(t, EMPA_9_2_08, is("A", reply.enhanced.a, 1));
	must(t, EMPA_9_2_08, is_not("B, C, D", listed(reply), 0));
	must(t, EMPA_9_2_08,
	     is("B, C, D that it lacks", listed(reply) & ~row->has, 0));
	must(t, EMPA_9_2_08, full_operation_works());
}

CASE(request_without_an_rtr,
     .title = "what a responder does with A=1 and no RTR offered",
     .needs = NEED_P2P)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when A is 1, and B, C and D are 0, */
	peer_sends_startup(t, request_offering(0));

	/* then the Reply lists its own, or rejects, or TCP is closed. */
	struct startup_seen reply = dut_startup(t);
	if (reply.came)
		observe(t, EMPA_9_2_09,
			"a Reply with R=%d, A=%d, B=%d, C=%d, D=%d",
			!!(reply.frame.flags & MPA_R), reply.enhanced.a,
			reply.enhanced.b, reply.enhanced.c, reply.enhanced.d);
	else
		observe(t, EMPA_9_2_09, "%s", how_it_ended(t));

	/* A stream that was accepted goes on with what the Reply lists. */
	if (!reply.came || reply.frame.flags & MPA_R)
		return;
	full_operation(t);
	if (reply.enhanced.c)
		peer_sends(t, WRITE_TO(PEER_SINK_STAG, PEER_SINK_TO, "", 0));
	known_answer(t);
}

CASE(peer_leaves_before_its_rtr,
     .title = "a peer that resets TCP before its RTR is told to the ULP",
     .needs = NEED_P2P, .destructive = true)
{
	/* Given a stream in the peer-to-peer model that was accepted, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t,
			   request_offering(RTR_SEND | RTR_WRITE | RTR_READ));
	awaits_startup(t, EMPA_9_2_04);
	dut_accepts(t);

	/* when the peer resets before its first FPDU, */
	peer_resets(t);

	/* then the ULP is told of the loss, and the device works on. */
	must(t, MPA_8_01, agent_sees_fatal_end());
	dut_works(t);
}

/* --- the client-server model -------------------------------------------------- */

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
	peer_sends_startup(t, REQUEST(.enhanced = true, .b = true, .c = true,
				      .d = true, .ird = 3, .ord = 4));

	/* then the four are 0, and IRD and ORD are as without the flags. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_2_27);
	must(t, EMPA_9_2_27, holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_9_2_27, is("A", reply.enhanced.a, 0));
	must(t, EMPA_9_2_27, is("B, C, D", listed(reply), 0));
	must(t, EMPA_9_2_27, at_least("IRD", reply.enhanced.ird, 4));
	must(t, EMPA_9_2_27, at_most("ORD", reply.enhanced.ord, 3));
	struct accept_seen seen = dut_accepts(t);
	must(t, EMPA_9_2_27, is("IRD at the ULP", seen.ird, 3));
	must(t, EMPA_9_2_27, is("ORD at the ULP", seen.ord, 4));
	must(t, EMPA_9_2_27, full_operation_works());
}

CASE(initiator_ignores_rtr_flags_without_a,
     .title = "with A=0 in a Reply C is ignored", .needs = NEED_ENHANCED,
     .role = INITIATOR)
{
	/* Given an initiator in the client-server model, */
	dut_dials(t, .enhanced = true);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply has A=0 and C=1, */
	peer_sends_startup(
		t, REPLY(.enhanced = true, .c = true, .ird = 3, .ord = 3));
	struct dut_state seen = dut_starts(t);

	/* then no RTR comes, and IRD and ORD are read without the flag. */
	must(t, EMPA_9_2_28, is("IRD at the ULP", seen.ird, 3));
	must(t, EMPA_9_2_28, is("ORD at the ULP", seen.ord, 3));
	must(t, EMPA_9_2_28, nothing_more());
	must(t, EMPA_9_2_28, full_operation_works());
}

/* --- the RTR indication ----------------------------------------------------------- */

CASE(send_is_the_rtr, .title = "the Send RTR is a zero-length Send",
     .needs = NEED_P2P | NEED_RTR_SEND, .role = INITIATOR)
{
	/* Given a device that offers a Send as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_SEND);
	awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, reply_listing(RTR_SEND));
	full_operation(t);

	/* then the first FPDU is a Send without payload, MSN 1. */
	const struct frame *f = awaits(t, EMPA_9_2_11, RDMAP_SEND);
	must(t, EMPA_9_2_11, is("ULPDU_Length", f->fpdu->ulpdu_length, 18));
	must(t, EMPA_9_2_11, is("T", f->seg.ddp.tagged, 0));
	must(t, EMPA_9_2_11, is("L", f->seg.ddp.last, 1));
	must(t, EMPA_9_2_11, is("QN", f->seg.ddp.qn, 0));
	must(t, EMPA_9_2_11, is("MSN", f->seg.ddp.msn, 1));
	must(t, EMPA_9_2_11, is("MO", f->seg.ddp.mo, 0));
	must(t, EMPA_9_2_11, stream_works());
}

CASE(write_is_the_rtr, .title = "the Write RTR is a zero-length RDMA Write",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then the first FPDU is an RDMA Write without payload. */
	const struct frame *f = awaits(t, EMPA_9_2_12, RDMAP_WRITE);
	must(t, EMPA_9_2_12, is("ULPDU_Length", f->fpdu->ulpdu_length, 14));
	must(t, EMPA_9_2_12, is("T", f->seg.ddp.tagged, 1));
	must(t, EMPA_9_2_12, is("L", f->seg.ddp.last, 1));
	must(t, EMPA_9_2_12, stream_works());
}

CASE(read_is_the_rtr,
     .title = "the Read RTR is a zero-length RDMA Read Request",
     .needs = NEED_P2P | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Read as RTR, when it is agreed on, */
	dut_dials(t, .dut_rtr = RTR_READ);
	awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, reply_listing(RTR_READ));
	full_operation(t);

	/* then the first FPDU is a Read Request of size 0, MSN 1. */
	const struct frame *f = awaits(t, EMPA_9_2_13, RDMAP_READ_REQUEST);
	must(t, EMPA_9_2_13, is("ULPDU_Length", f->fpdu->ulpdu_length, 46));
	must(t, EMPA_9_2_13, is("QN", f->seg.ddp.qn, 1));
	must(t, EMPA_9_2_13, is("MSN", f->seg.ddp.msn, 1));
	must(t, EMPA_9_2_13, is("size", case_read_of(f).size, 0));
	peer_sends(t, READ_RESPONSE(f, "", 0));
	must(t, EMPA_9_2_13, stream_works());
}

CASE(rtr_comes_by_itself,
     .title = "the RTR follows the Reply without anything that the ULP posts",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given an initiator whose ULP posts nothing, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply accepts, then the RTR comes. */
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);
	awaits(t, EMPA_5_02, RDMAP_WRITE);
	must(t, EMPA_5_02, stream_works());
}

CASE(rtr_comes_first, .title = "no FPDU comes ahead of the RTR",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND, .role = INITIATOR)
{
	/* Given an initiator with a Send queued, */
	dut_dials(t, .dut_rtr = RTR_WRITE);
	dut_posts(t, POST_SEND("after"));
	awaits_startup(t, EMPA_6_01);

	/* when the Reply accepts, */
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then the RTR comes first, the Send after it. */
	const struct frame *f = awaits(t, EMPA_5_01, RDMAP_WRITE);
	must(t, EMPA_5_01, is("octets of the RTR", f->seg.payload_octets, 0));
	awaits(t, EMPA_5_01, RDMAP_SEND);
	must(t, EMPA_5_01, stream_works());
}

CASE(rtr_is_one_of_those_listed,
     .title = "the RTR is one that the responder listed",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Write and a Read, */
	dut_dials(t, .dut_rtr = RTR_WRITE | RTR_READ);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply lists the Read alone, then the Read is the RTR. */
	peer_sends_startup(t, reply_listing(RTR_READ));
	full_operation(t);
	const struct frame *f = awaits(t, EMPA_9_2_14, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "", 0));
	must(t, EMPA_9_2_14, stream_works());
}

CASE(initiator_picks_one_of_several,
     .title = "of several common RTRs the initiator picks one",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_RTR_READ, .role = INITIATOR)
{
	/* Given a device that offers a Write and a Read, */
	dut_dials(t, .dut_rtr = RTR_WRITE | RTR_READ);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply lists both, then the RTR is either. */
	peer_sends_startup(t, reply_listing(RTR_WRITE | RTR_READ));
	full_operation(t);
	const struct frame *f = next_frame(t);
	may(t, EMPA_9_2_15,
	    any_of(t, holds("a Write", f && f->seg.ddp.opcode == RDMAP_WRITE),
		   holds("a Read Request",
			 f && f->seg.ddp.opcode == RDMAP_READ_REQUEST)));
}

CASE(no_rtr_after_a_reject, .title = "no RTR follows a Reply that rejects",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);

	/* when a Reply that lists it rejects, */
	peer_sends_startup(t, REPLY(.enhanced = true, .r = true, .a = true,
				    .c = true, .ird = 16, .ord = 1));

	/* then the ULP learns of it, and no octet follows. */
	must(t, EMPA_9_2_32, agent_sees_reject());
	must(t, EMPA_9_2_32, nothing_more());
}

/* --- no agreement ------------------------------------------------------------------- */

CASE(no_matching_rtr,
     .title = "an initiator with no RTR that is listed sends TERM 2/0/07",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write alone, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply lists a Send alone, */
	peer_sends_startup(t, reply_listing(RTR_SEND));
	full_operation(t);

	/* then its first and only FPDU says so, and it closes. */
	awaits(t, EMPA_9_2_16, RDMAP_TERMINATE);
	must(t, EMPA_9_2_16, terminate(TERM_LLP, 0, 0x07));
	must(t, EMPA_9_2_16, tcp_closed());
	must(t, EMPA_9_2_16, nothing_more());
}

CASE(empty_list_of_rtrs,
     .title = "A=1 with no RTR listed is answered with TERM 2/0/07",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a device that offers a Write as RTR, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);

	/* when the Reply has A=1, and B, C and D are 0, */
	peer_sends_startup(t, reply_listing(0));
	full_operation(t);

	/* then its first and only FPDU says so, and it closes. */
	awaits(t, EMPA_9_2_31, RDMAP_TERMINATE);
	must(t, EMPA_9_2_31, terminate(TERM_LLP, 0, 0x07));
	must(t, EMPA_9_2_31, tcp_closed());
	must(t, EMPA_9_2_31, nothing_more());
}

CASE(client_server_reply_to_peer_to_peer,
     .title = "what an initiator does with A=0 in answer to A=1",
     .needs = NEED_P2P | NEED_RTR_WRITE, .role = INITIATOR)
{
	/* Given a Request with A=1, when the Reply has A=0, */
	dut_works(t);
	dut_dials(t, .dut_rtr = RTR_WRITE);
	awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	full_operation(t);

	/* then it ends the setup, or goes on in the other model. */
	struct dut_state seen = dut_ends(t);
	bool goes_on = strcmp(seen.state, "established") == 0;
	observe(t, EMPA_9_2_29, "%s",
		goes_on ? "it goes on in the client-server model"
			: how_it_ended(t));
}

CASE(peer_to_peer_reply_to_client_server,
     .title = "what an initiator does with A=1 in answer to A=0",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a Request with A=0, when the Reply has A=1 and C=1, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_startup(t, EMPA_6_01);
	peer_sends_startup(t, reply_listing(RTR_WRITE));
	full_operation(t);

	/* then it sends the RTR, or ends the setup. */
	const struct frame *f = next_frame(t);
	observe(t, EMPA_9_2_30, "%s",
		f && f->seg.ddp.opcode == RDMAP_WRITE ? "the RTR comes"
						      : how_it_ended(t));
}

/* --- the RTR, received ------------------------------------------------------------------ */

CASE(responder_awaits_the_rtr,
     .title = "a responder in the peer-to-peer model is silent until the RTR",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a stream on which the RTR is still to come, */
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);

	/* when Sends are queued at the responder, */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_SEND("two"));

	/* then no octet comes before the RTR, and both may after it. */
	must(t, EMPA_5_04, nothing_more());
	peer_sends(t, WRITE_TO(0, 0, "", 0));
	awaits(t, EMPA_5_04, RDMAP_SEND);
	const struct frame *f = next_frame(t);
	may(t, EMPA_5_03,
	    holds("the second Send", f && f->seg.ddp.opcode == RDMAP_SEND));
	must(t, EMPA_5_04, stream_works());
}

struct stag_row {
	CASE_ROW;
	uint32_t stag;
};
static const struct stag_row rtr_stags[] = {
	{.id = "0", .stag = 0},
	{.id = "1", .stag = 1},
	{.id = "ffffffff", .stag = 0xffffffff},
};

CASE_EACH(write_rtr_is_accepted, struct stag_row, rtr_stags,
	  .title = "a zero-length Write is taken as RTR, whatever its STag",
	  .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a responder with a Send queued, */
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the Write that was agreed on comes, */
	peer_sends(t, WRITE_TO(row->stag, 0x1000, "", 0));

	/* then the Send follows, and no Terminate. */
	awaits(t, EMPA_9_2_17, RDMAP_SEND);
	must(t, EMPA_9_2_17, stream_works());
	must(t, EMPA_9_2_17, no_terminate());
}

CASE(read_rtr_is_answered,
     .title = "a zero-length Read as RTR is answered, and takes an MSN",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_SEND)
{
	/* Given a responder with a Send queued, */
	struct region r = dut_registers(t, .len = 8);
	peer_connects(t, .rtr = RTR_READ, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the Read that was agreed on comes, */
	peer_sends(t, READ_FROM(0, 0, 0));

	/* then a Read Response without payload and the Send come, */
	const struct frame *f = next_frame(t), *g = next_frame(t);
	bool swapped = f && f->seg.ddp.opcode == RDMAP_SEND;
	const struct frame *response = swapped ? g : f;
	const struct frame *send = swapped ? f : g;
	must(t, EMPA_9_2_18,
	     holds("a Read Response without payload",
		   response &&
			   response->seg.ddp.opcode == RDMAP_READ_RESPONSE &&
			   response->seg.payload_octets == 0));
	must(t, EMPA_9_2_18,
	     holds("the Send", send && send->seg.ddp.opcode == RDMAP_SEND));
	/* and the next Read has the next MSN. */
	peer_sends(t, READ(r, 0, 8));
	const struct frame *next = awaits(t, EMPA_9_2_20, RDMAP_READ_RESPONSE);
	must(t, EMPA_9_2_20, is("octets read", next->seg.payload_octets, 8));
	must(t, EMPA_9_2_20, stream_works());
}

CASE(send_rtr_is_accepted, .title = "a zero-length Send is taken as RTR",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND)
{
	/* Given a responder with a receive posted and a Send queued, */
	dut_posts_recv(t, 64);
	peer_connects(t, .rtr = RTR_SEND, .unproven = true);
	dut_posts(t, POST_SEND("queued"));

	/* when the Send that was agreed on comes, */
	peer_sends(t, SEND(""));

	/* then the device's own follows, and no Terminate. */
	awaits(t, EMPA_9_2_19, RDMAP_SEND);
	must(t, EMPA_9_2_19, stream_works());
	must(t, EMPA_9_2_19, no_terminate());
}

CASE(send_rtr_takes_an_msn, .title = "the Send after a Send RTR has MSN 2",
     .needs = NEED_P2P | NEED_RTR_SEND | NEED_SEND)
{
	/* Given a responder with two receives posted; the RTR may take one, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	peer_connects(t, .rtr = RTR_SEND, .unproven = true);

	/* when a Send follows the RTR, */
	peer_sends(t, SEND(""));
	peer_sends(t, SEND("second", .msn = IS(2)));

	/* then it is delivered, into the first receive or the second. */
	must(t, EMPA_9_2_21,
	     any_of(t, delivered_text(sink_at(sinks, 0), "second"),
		    delivered_text(sink_at(sinks, 1), "second")));
}

CASE(other_message_in_place_of_the_rtr,
     .title = "what a responder does with a Send where a Write was agreed on",
     .needs = NEED_P2P | NEED_RTR_WRITE | NEED_SEND)
{
	/* Given a stream on which a Write is to be the RTR, */
	dut_works(t);
	struct sink sink = dut_posts_recv(t, 64);
	peer_connects(t, .rtr = RTR_WRITE, .unproven = true);

	/* when the first message is a Send, */
	peer_sends(t, SEND("first"), .early = true);

	/* then it is delivered, or a Terminate comes. */
	struct completion c = dut_receives(t, sink);
	observe(t, EMPA_9_2_22, "the Send is %s",
		c.came && c.ok ? "delivered" : "not delivered");
}
