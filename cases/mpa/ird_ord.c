/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s9, s9.1: how many RDMA Reads each end may have outstanding, and
 * that both keep to it.
 */
#include "case.h"

#define NOT_NEGOTIATED 0x3fff
#define REPLY_DEPTHS(ird_, ord_, ...)                                          \
	REPLY(.enhanced = true, .ird = (ird_), .ord = (ord_), __VA_ARGS__)
#define REQUEST_DEPTHS(ird_, ord_, ...)                                        \
	REQUEST(.enhanced = true, .ird = (ird_), .ord = (ord_), __VA_ARGS__)

/* n RDMA Reads by the device, of 8 octets each. */
static void dut_posts_reads(struct test *t, struct region r, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dut_posts(t,
			  POST_READ(r, 8 * i, 8, PEER_SINK_STAG, PEER_SINK_TO));
}

/* n RDMA Reads by the peer in one write, of 8 octets each: the last of them
 * has more than one outstanding at the device, whatever its pace. */
static void peer_reads(struct test *t, struct region r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct msg read = READ(r, 8 * i, 8);

		read.read.sink_to = 8 * i;
		peer_sends(t, read, .hold = i + 1 < n);
	}
}

/* How many RDMA Reads the device has outstanding: each Request that arrived
 * before an answer of the device's own, which is requested first. Whatever its
 * Reads wait for, the answer is due: two ends that fill each other's queues
 * would wait forever. */
static unsigned outstanding(struct test *t)
{
	unsigned n = 0;

	while (frame_is_here(t)) {
		const struct frame *f = next_frame(t);

		if (f->seg.ddp.opcode != RDMAP_READ_REQUEST)
			break;
		n++;
	}
	return n;
}

/* How many Responses arrive to that many Requests. */
static unsigned responses(struct test *t, unsigned asked)
{
	unsigned n = 0;
	const struct frame *f = NULL;

	while (n < asked && (f = next_frame(t)) &&
	       f->seg.ddp.opcode == RDMAP_READ_RESPONSE) {
		n++;
		message_begun(t); /* with all its segments */
	}
	return n;
}

/* --- the values of a Reply -------------------------------------------------- */

struct depths_row {
	CASE_ROW;
	unsigned own_ird, own_ord, ird, ord;
};
static const struct depths_row depths[] = {
	{.id = "small", .own_ird = 6, .own_ord = 2, .ird = 3, .ord = 5},
	{.id = "above-255",
	 .own_ird = 0x208,
	 .own_ord = 0x204,
	 .ird = 0x103,
	 .ord = 0x205},
};

CASE_EACH(depths_come_in_network_order, struct depths_row, depths,
	  .title = "IRD and ORD of a Reply are 14-bit numbers in network order",
	  .needs = NEED_ENHANCED)
{
	/* Given a device with this IRD and ORD, */
	dut_has_depths(t, row->own_ird, row->own_ord);
	dut_listens(t, .dut_ird = row->own_ird, .dut_ord = row->own_ord);
	peer_opens_tcp(t);

	/* when a Request asks for less, */
	peer_sends_startup(t, REQUEST_DEPTHS(row->ird, row->ord));
	struct startup_seen reply = awaits_startup(t, EMPA_9_02);
	if (reply.frame.flags & MPA_R)
		not_applicable(t, "the device rejects this IRD, as it may (RFC "
				  "6581 s9.1)");

	/* then read big endian its ORD is within that IRD or the device's own,
	 * and its IRD is one that the device can have. */
	must(t, EMPA_9_02, at_least("PD_Length", reply.frame.pd_length, 4));
	const uint8_t *data = reply.frame.private_data;
	unsigned ird = (data[0] & 0x3fu) << 8 | data[1];
	unsigned ord = (data[2] & 0x3fu) << 8 | data[3];
	if (ird != NOT_NEGOTIATED || !dut_leaves_ird_open(t))
		must(t, EMPA_9_02, at_most("IRD", ird, dut_max_ird(t)));
	must(t, EMPA_9_02,
	     at_most("ORD", ord,
		     row->ird > row->own_ord ? row->ird : row->own_ord));
	must(t, EMPA_9_02, full_operation_works());
}

struct ird_row {
	CASE_ROW;
	unsigned ird;
};
static const struct ird_row initiator_irds[] = {
	{.id = "0", .ird = 0},
	{.id = "1", .ird = 1},
	{.id = "4", .ird = 4},
};

CASE_EACH(responder_ord_is_at_most_initiator_ird, struct ird_row,
	  initiator_irds,
	  .title = "a responder's ORD is at most the initiator's IRD",
	  .needs = NEED_ENHANCED,
	  .along = {ALONG(struct ird_row, ird, PEER_IRD, 0, 33),
		    ALONG(struct ird_row, ird, PEER_IRD, 0x3ffd, 0x3ffe)})
{
	/* Given a listening device, when the initiator has this IRD, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(row->ird, 4));

	/* then ORD of the Reply is not higher. It may reject an IRD that is not
	 * sufficient, and return the ORD that it needs (RFC 6581 s9.1). */
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_01);
	if (reply.frame.flags & MPA_R)
		not_applicable(t, "the device rejects this IRD");
	must(t, EMPA_9_1_01, holds("enhanced data", reply.has_enhanced));
	must(t, EMPA_9_1_01, at_most("ORD", reply.enhanced.ord, row->ird));
	must(t, EMPA_9_1_01, full_operation_works());
}

static const struct ird_row responder_irds[] = {{.id = "2", .ird = 2}};

CASE_EACH(as_many_reads_as_the_ird_are_served, struct ird_row, responder_irds,
	  .title = "as many Reads at once as the responder's IRD are answered",
	  .needs = NEED_ENHANCED | NEED_READ,
	  .along = {ALONG(struct ird_row, ird, DUT_IRD, 1, 33),
		    ALONG(struct ird_row, ird, DUT_IRD, 63, 65)})
{
	/* Given a responder with this IRD, */
	unsigned n = row->ird;
	struct region r = dut_registers(t, .len = 8 * n, .access = FOR_READS);
	dut_has_depths(t, n, 0);
	dut_fills(t, r, 0, pattern(t, 8 * n, 1), 8 * n);
	peer_connects(t, .enhanced = true, .dut_ird = n, .ord = n);

	/* when the peer sends so many Requests in one write, */
	for (unsigned i = 0; i < n; i++)
		peer_sends(t, READ(r, 8 * i, 8), .hold = i + 1 < n);

	/* then each is answered. */
	for (unsigned i = 0; i < n; i++)
		awaits(t, RDMAP_6_1_05, RDMAP_READ_RESPONSE);
	must(t, RDMAP_6_1_05, nothing_more());
}

CASE_EACH(as_many_reads_are_served_behind_a_read_rtr, struct ird_row,
	  responder_irds,
	  .title = "when the Read of an RTR is answered, as many Reads at once "
		   "as the responder's IRD are",
	  .needs = NEED_P2P | NEED_RTR_READ | NEED_READ)
{
	/* Given a responder with this IRD that has answered the RTR, */
	unsigned n = row->ird;
	struct region r = dut_registers(t, .len = 8 * n, .access = FOR_READS);
	dut_has_depths(t, n, 0);
	peer_connects(t, .rtr = RTR_READ, .dut_ird = n, .ord = n);
	insists(t, EMPA_9_2_20, stream_works());

	/* when the peer sends so many Requests in one write, */
	peer_reads(t, r, n);

	/* then each is answered. */
	must(t, RDMAP_6_1_05, is("Read Responses", responses(t, n), n));
	must(t, RDMAP_6_1_05, stream_works());
}

/* RFC 6581 s9.1: the IRD of a Reply is "the actual value that the responder sets for
 * its local IRD", and 3fff says that negotiation is not desired. It asks for 3fff
 * only in answer to an ORD of 3fff. */
CASE(a_reply_names_its_ird,
     .title =
	     "a Reply to an ORD other than 0x3fff has an IRD other than 0x3fff",
     .needs = NEED_ENHANCED)
{
	/* Given a device with room for 4 Reads, when ORD 2 is requested, */
	dut_has_depths(t, 4, 0);
	dut_listens(t, .dut_ird = 4);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(4, 2));

	/* then the Reply has the IRD as a number, not 3fff. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_01);
	should(t, EMPA_9_1_22,
	       is_not("IRD", reply.enhanced.ird, NOT_NEGOTIATED));
}

CASE(responder_ird_covers_initiator_ord,
     .title = "a responder's IRD covers the initiator's ORD",
     .needs = NEED_ENHANCED)
{
	/* Given a device with room for 4 Reads, when ORD 4 is requested, */
	dut_has_depths(t, 4, 0);
	dut_listens(t, .dut_ird = 4);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(4, 4));

	/* then IRD of the Reply is at least that. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_01);
	should(t, EMPA_9_1_03, at_least("IRD", reply.enhanced.ird, 4));
	must(t, EMPA_10_01, full_operation_works());
}

CASE(reply_values_are_used,
     .title = "IRD and ORD of a Reply are the depths that the responder uses",
     .needs = NEED_ENHANCED | NEED_READ)
{
	/* Given a device with IRD 4 and ORD 2, */
	dut_has_depths(t, 4, 2);
	struct region r = dut_registers(t, .len = 512, .access = FOR_READS);
	struct region sink =
		dut_registers(t, .len = 512, .access = FOR_RESPONSES);
	dut_listens(t, .dut_ird = 4, .dut_ord = 2);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(16, 16));
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_02);
	must(t, EMPA_9_1_02, full_operation_works());

	/* when the peer sends as many Reads as IRD says, but no more than the
	 * ORD that it has requested, all are served; */
	unsigned ird = reply.enhanced.ird < 16 ? reply.enhanced.ird : 16;
	if (reply.enhanced.ird == NOT_NEGOTIATED)
		ird = 4; /* as its ULP has set it */
	peer_reads(t, r, ird);
	must(t, EMPA_9_1_02, is("Read Responses", responses(t, ird), ird));
	/* when the device wants ten, no more are outstanding than ORD says. */
	dut_posts_reads(t, sink, 10);
	unsigned first = 0;
	if (reply.enhanced.ord && awaits_given(t, RDMAP_READ_REQUEST))
		first = 1;
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, EMPA_9_1_02,
	     at_most("Read Requests outstanding", first + outstanding(t),
		     reply.enhanced.ord));
}

CASE(initiator_ird_zero_forbids_reads,
     .title = "a responder sends no Read to an initiator with IRD 0",
     .needs = NEED_ENHANCED | NEED_READ)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);

	/* Given a Request with IRD 0 that the device accepts, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(0, 4));
	if (awaits_reply(t).frame.flags & MPA_R)
		not_applicable(t, "the device rejects this IRD");
	full_operation(t);
	known_answer(t);

	/* when a Read is posted, then none is sent: it is refused, waits, or
	 * ends the stream as an error of the ULP. */
	dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO,
			       .may_refuse = true));
	must(t, RDMAP_5_2_1_16, any_of(t, stream_works(), stream_ends()));
	must(t, RDMAP_6_1_02, is("Read Requests", outstanding(t), 0));
}

/* --- reports to the ULP -------------------------------------------------------- */

CASE(ulp_gets_the_values_of_a_request,
     .title = "the responder's ULP gets the initiator's IRD and ORD",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when a Request has IRD 7 and ORD 9, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(7, 9));
	awaits_startup(t, EMPA_9_1_04);

	/* then its ULP gets both. */
	struct accept_seen seen = dut_accepts(t);
	must(t, EMPA_9_1_04,
	     holds("the ULP gets IRD and ORD of the peer", seen.has_ird));
	must(t, EMPA_9_1_04, is("IRD at the ULP", seen.ird, 7));
	must(t, EMPA_9_1_04, is("ORD at the ULP", seen.ord, 9));
	must(t, EMPA_9_1_04, full_operation_works());
}

/* An ORD for a Request with this IRD, which may be less than the device's ULP
 * has requested: the Reply's is at most that (RFC 6581 s9.1). */
static unsigned within(unsigned ord, unsigned ird)
{
	return ord < ird ? ord : ird;
}

CASE(ulp_gets_the_values_of_a_reply,
     .title = "the initiator's ULP gets the responder's IRD and ORD",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an enhanced Request, when the Reply has IRD 7 and ORD 9, */
	dut_has_depths(t, 16, 1);
	dut_dials(t, .enhanced = true, .dut_ird = 16);
	struct startup_seen request = awaits_request(t);
	request_negotiates_depths(t, request);
	unsigned ord = within(9, request.enhanced.ird);
	peer_sends_startup(t, REPLY_DEPTHS(7, ord));

	/* then its ULP gets both. */
	struct dut_state seen = dut_starts(t);
	must(t, EMPA_9_1_05,
	     holds("the ULP gets IRD and ORD of the peer", seen.has_ird));
	must(t, EMPA_9_1_05, is("IRD at the ULP", seen.ird, 7));
	must(t, EMPA_9_1_05, is("ORD at the ULP", seen.ord, ord));
	must(t, EMPA_9_1_05, full_operation_works());
}

CASE(ulp_gets_the_values_of_a_reject,
     .title = "the initiator's ULP gets IRD and ORD of a reject as well",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an enhanced Request, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when a Reply with IRD 7 and ORD 20 rejects, */
	peer_sends_startup(t, REPLY_DEPTHS(7, 20, .r = true));

	/* then its ULP gets both. */
	agent_tells_reject_depths(t);
	struct dut_state seen = dut_starts(t);
	must(t, EMPA_9_1_06,
	     holds("the ULP gets IRD and ORD of the peer", seen.has_ird));
	must(t, EMPA_9_1_06, is("IRD at the ULP", seen.ird, 7));
	must(t, EMPA_9_1_06, is("ORD at the ULP", seen.ord, 20));
}

/* --- what a responder may do ----------------------------------------------------- */

CASE(ird_for_a_read_rtr,
     .title = "a responder may raise its IRD so that a Read can be the RTR",
     .needs = NEED_P2P | NEED_RTR_READ)
{
	/* Given a listening device, when a Read is to be the RTR, ORD 0, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(4, 0, .a = true, .d = true));

	/* then IRD of the Reply may be 1 or more. */
	struct startup_seen reply = awaits_reply(t);
	may(t, EMPA_9_1_07, at_least("IRD", reply.enhanced.ird, 1));
	/* If it is, that Read is answered. */
	if (!(reply.frame.flags & MPA_R) && reply.enhanced.a &&
	    reply.enhanced.d && reply.enhanced.ird)
		must(t, EMPA_9_2_18, full_operation_works());
}

CASE(too_small_ird_may_be_rejected,
     .title = "a responder may reject an IRD below the ORD that it needs",
     .needs = NEED_ENHANCED | NEED_NEED_ORD)
{
	/* Given a ULP that needs ORD 8, */
	dut_listens(t, .need_ord = 8);
	peer_opens_tcp(t);

	/* when the initiator's IRD is 2, */
	peer_sends_startup(t, REQUEST_DEPTHS(2, 4));

	/* then the Reply rejects, with ORD 8 or not: the responder MAY do both
	 * (RFC 6581 s9.1); or it accepts with 2 at most. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_01);
	bool rejects = reply.frame.flags & MPA_R;
	may(t, EMPA_9_1_08,
	    any_of(t,
		   holds("a rejecting Reply with ORD 8",
			 rejects && reply.has_enhanced &&
				 reply.enhanced.ord == 8),
		   holds("a rejecting Reply with another ORD", rejects),
		   holds_else(t, "an accepting Reply with an ORD of 2 at most",
			      !rejects && reply.enhanced.ord <= 2,
			      "an accepting Reply with an ORD of %u",
			      reply.enhanced.ord)));
	observe(t, EMPA_9_1_09, "%s",
		rejects ? "a reject, with which no Terminate can go"
			: "an accept");
}

/* --- what an initiator makes of a Reply -------------------------------------------- */

CASE(initiator_serves_responder_ord,
     .title = "an initiator serves as many Reads as the responder's ORD",
     .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	/* Given an initiator with IRD 8 and ORD 1, and a Reply with ORD 4, */
	dut_has_depths(t, 8, 1);
	dut_dials(t, .enhanced = true, .dut_ird = 8, .dut_ord = 1);
	unsigned n = within(4, awaits_request(t).enhanced.ird);
	if (!n)
		not_applicable(t, "its IRD is 0: it serves no Read");
	peer_sends_startup(t, REPLY_DEPTHS(16, n));
	must(t, EMPA_9_1_10, full_operation_works());

	/* when the peer sends 4 Reads at once, then all are served. */
	peer_reads(t, r, n);
	must(t, EMPA_9_1_10, is("Read Responses", responses(t, n), n));
	must(t, EMPA_9_1_10, stream_works());
}

CASE(initiator_keeps_to_responder_ird,
     .title = "an initiator has no more Reads outstanding than the "
	      "responder's IRD",
     .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 80, .access = FOR_RESPONSES);

	/* Given an initiator with ORD 8, and a Reply with IRD 2, */
	dut_has_depths(t, 8, 8);
	dut_dials(t, .enhanced = true, .dut_ird = 8, .dut_ord = 8);
	request_negotiates_depths(t, awaits_request(t));
	peer_sends_startup(t, REPLY_DEPTHS(2, 4));
	must(t, EMPA_9_1_11, full_operation_works());

	/* when ten Reads are posted, then at most two are outstanding, */
	dut_posts_reads(t, r, 10);
	const struct frame *first = awaits(t, EMPA_9_1_11, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());
	unsigned n = 1 + outstanding(t);
	must(t, EMPA_9_1_11, at_most("Read Requests outstanding", n, 2));
	/* and no more are when one was answered: one more, if there were
	 * two. */
	peer_sends(t, READ_RESPONSE(first, "answered", 8));
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, EMPA_9_1_11,
	     at_most("Read Requests outstanding behind an answer",
		     n - 1 + outstanding(t), 2));
}

struct answer {
	CASE_ROW;
	uint64_t needs;
	bool atomic;
};

static const struct answer answers[] = {
	{.id = "of_an_atomic",
	 .needs = 1ull << NEED_BIT_FETCHADD,
	 .atomic = true},
	{.id = "of_an_empty_read"},
};

CASE_EACH(an_answer_frees_one_place, struct answer, answers,
	  .title = "when an atomic, or a Read of no octets, is answered, an "
		   "initiator has no more Reads outstanding than the "
		   "responder's IRD",
	  .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	/* Given an initiator with ORD 8, and a Reply with IRD 2, */
	if ((dut_claims(t) & row->needs) != row->needs)
		not_applicable(t, "the device does not claim atomics");
	struct region r = dut_registers(t, .len = 40, .access = FOR_RESPONSES);
	dut_has_depths(t, 8, 8);
	dut_dials(t, .enhanced = true, .dut_ird = 8, .dut_ord = 8);
	request_negotiates_depths(t, awaits_request(t));
	peer_sends_startup(t, REPLY_DEPTHS(2, 4));
	must(t, EMPA_9_1_11, full_operation_works());

	/* and four Reads posted behind this Request, */
	if (row->atomic)
		dut_posts(t, POST_FETCHADD(r, 32, PEER_SINK_STAG, PEER_SINK_TO,
					   1));
	else
		dut_posts(t, POST_READ(r, 32, 0, PEER_SINK_STAG, PEER_SINK_TO));
	dut_posts_reads(t, r, 4);
	const struct frame *first = awaits_given(
		t, row->atomic ? RDMAP_ATOMIC_REQUEST : RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());
	unsigned n = outstanding(t);
	must(t, RDMAP_6_1_02,
	     at_most("Read Requests outstanding", n + !row->atomic, 2));

	/* when it is answered, then its place is free, and no other. */
	peer_sends(t, row->atomic ? ATOMIC_RESPONSE(first, 7)
				  : READ_RESPONSE(first, "", 0));
	if (!known_answer(t) || !known_answer(t))
		not_applicable(t,
			       "the stream does not go on behind the answer, "
			       "which other cases judge");
	must(t, RDMAP_6_1_02,
	     at_most("Read Requests outstanding behind the answer",
		     n + outstanding(t), 2));
}

static const struct ird_row late_irds[] = {
	{.id = "0", .must = &EMPA_9_1_12, .ird = 0},
	{.id = "1", .must = &EMPA_9_1_11, .ird = 1},
	{.id = "2", .must = &EMPA_9_1_11, .ird = 2},
};

CASE_EACH(reads_posted_early_keep_to_responder_ird, struct ird_row, late_irds,
	  .title = "of the Reads posted before the Reply, an initiator has no "
		   "more outstanding than the IRD of the Reply",
	  .needs = NEED_ENHANCED | NEED_READ | NEED_WRITE, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 32, .access = FOR_RESPONSES);

	/* Given an initiator with ORD 4, whose ULP has posted a Write and four
	 * Reads, */
	dut_has_depths(t, 0, 4);
	dut_dials(t, .enhanced = true, .dut_ord = 4);
	dut_posts(t, POST_WRITE_N("first", 5, PEER_SINK_STAG, PEER_SINK_TO,
				  .may_refuse = true));
	dut_posts_reads(t, r, 4);
	request_negotiates_depths(t, awaits_request(t));

	/* when the Reply has an IRD that is lower, */
	peer_sends_startup(t, REPLY_DEPTHS(row->ird, 1));
	full_operation(t);
	awaits_given_message(t, RDMAP_WRITE);

	/* then no more Requests come, while none is answered. */
	must(t, RDMAP_5_2_1_16, any_of(t, stream_works(), stream_ends()));
	must_row(
		t, row,
		at_most("Read Requests outstanding", outstanding(t), row->ird));
}

CASE(responder_ird_zero_forbids_reads,
     .title = "an initiator sends no Read to a responder with IRD 0",
     .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);

	/* Given a Reply with IRD 0, */
	dut_dials(t, .enhanced = true);
	request_negotiates_depths(t, awaits_request(t));
	peer_sends_startup(t, REPLY_DEPTHS(0, 4));
	insists(t, EMPA_9_1_10, full_operation_works());

	/* when a Read is posted, then none is sent: it is refused, waits, or
	 * ends the stream as an error of the ULP. */
	dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO,
			       .may_refuse = true));
	must(t, RDMAP_5_2_1_16, any_of(t, stream_works(), stream_ends()));
	must(t, EMPA_9_1_12, is("Read Requests", outstanding(t), 0));
}

CASE(too_large_ord_is_refused,
     .title = "an initiator without room for the responder's ORD sends "
	      "Terminate "
	      "2/0/06",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an initiator with IRD 1, */
	dut_works(t);
	if (dut_max_ird(t) >= 0x3ffe)
		not_applicable(t, "the device has room for any ORD");
	dut_dials(t, .enhanced = true, .dut_ird = 1);
	request_negotiates_depths(t, awaits_request(t));

	/* when the Reply has ORD 0x3ffe, */
	peer_breaks(t, EMPA_9_1_01);
	peer_sends_startup(t, REPLY_DEPTHS(16, 0x3ffe, .exceeds = true));
	full_operation(t);

	/* then it says that its resources do not suffice, and closes. */
	must(t, EMPA_9_1_13, terminate(TERM_LLP, 0, 0x06));
	peer_closes_behind_terminate(t);
	must(t, EMPA_9_1_13, tcp_closed());
}

/* --- not negotiated: 0x3fff ------------------------------------------------------------ */

CASE(unnegotiated_ord_gets_unnegotiated_ird,
     .title = "ORD 0x3fff in a Request is answered with IRD 0x3fff, and leaves "
	      "the responder's IRD as it was",
     .needs = NEED_ENHANCED | NEED_READ)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	/* Given a responder with IRD 4, */
	dut_has_depths(t, 4, 0);
	dut_listens(t, .dut_ird = 4);
	peer_opens_tcp(t);

	/* when ORD of the Request is 0x3fff, */
	peer_sends_startup(t, REQUEST_DEPTHS(4, NOT_NEGOTIATED));
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_14);

	/* then so is IRD of the Reply, and 4 Reads at once are served. */
	must(t, EMPA_9_1_14, is("IRD", reply.enhanced.ird, NOT_NEGOTIATED));
	must(t, EMPA_9_1_14, full_operation_works());
	peer_reads(t, r, 4);
	must(t, EMPA_9_1_16, is("Read Responses", responses(t, 4), 4));
	must(t, EMPA_9_1_16, stream_works());
}

CASE(unnegotiated_ird_gets_unnegotiated_ord,
     .title = "IRD 0x3fff in a Request is answered with ORD 0x3fff, and leaves "
	      "the responder's ORD as it was",
     .needs = NEED_ENHANCED | NEED_READ)
{
	struct region r = dut_registers(t, .len = 80, .access = FOR_RESPONSES);

	/* Given a responder with ORD 4, */
	dut_has_depths(t, 0, 4);
	dut_listens(t, .dut_ord = 4);
	peer_opens_tcp(t);

	/* when IRD of the Request is 0x3fff, */
	peer_sends_startup(t, REQUEST_DEPTHS(NOT_NEGOTIATED, 4));
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_15);

	/* then so is ORD of the Reply, and of ten Reads no more than 4 are
	 * outstanding. */
	must(t, EMPA_9_1_15, is("ORD", reply.enhanced.ord, NOT_NEGOTIATED));
	must(t, EMPA_9_1_15, full_operation_works());
	dut_posts_reads(t, r, 10);
	awaits(t, EMPA_9_1_17, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, EMPA_9_1_17,
	     at_most("Read Requests outstanding", 1 + outstanding(t), 4));
}

CASE(initiator_ord_stays_with_unnegotiated_ird,
     .title = "IRD 0x3fff in a Reply leaves the initiator's ORD as it was",
     .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 80, .access = FOR_RESPONSES);

	/* Given an initiator with ORD 4, and a Reply with IRD 0x3fff, */
	dut_has_depths(t, 16, 4);
	dut_dials(t, .enhanced = true, .dut_ord = 4);
	unsigned ord = awaits_request(t).enhanced.ord;
	if (ord > 4 && ord != NOT_NEGOTIATED)
		not_applicable(t, "the device has an ORD of %u in its Request",
			       ord);
	peer_sends_startup(t, REPLY_DEPTHS(NOT_NEGOTIATED, 4));
	must(t, EMPA_9_1_18, full_operation_works());

	/* when ten Reads are posted, then at most 4 are outstanding. */
	dut_posts_reads(t, r, 10);
	awaits(t, EMPA_9_1_18, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, EMPA_9_1_18,
	     at_most("Read Requests outstanding", 1 + outstanding(t), 4));
}

CASE(initiator_ird_stays_with_unnegotiated_ord,
     .title = "ORD 0x3fff in a Reply leaves the initiator's IRD as it was",
     .needs = NEED_ENHANCED | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);

	/* Given an initiator with IRD 4, and a Reply with ORD 0x3fff, */
	dut_has_depths(t, 4, 0);
	dut_dials(t, .enhanced = true, .dut_ird = 4);
	unsigned n = within(4, awaits_request(t).enhanced.ird);
	if (!n)
		not_applicable(t, "its IRD is 0: it serves no Read");
	peer_sends_startup(t, REPLY_DEPTHS(16, NOT_NEGOTIATED));
	must(t, EMPA_9_1_19, full_operation_works());

	/* when the peer sends 4 Reads at once, then all are served. */
	peer_reads(t, r, n);
	must(t, EMPA_9_1_19, is("Read Responses", responses(t, n), n));
	must(t, EMPA_9_1_19, stream_works());
}

CASE(each_value_is_unnegotiated_by_itself,
     .title = "IRD 0x3fff alone leaves ORD to be negotiated",
     .needs = NEED_ENHANCED)
{
	/* Given a device with room for 4 Reads, */
	dut_has_depths(t, 4, 4);
	dut_listens(t, .dut_ird = 4, .dut_ord = 4);
	peer_opens_tcp(t);

	/* when IRD of the Request is 0x3fff, and its ORD is 4, */
	peer_sends_startup(t, REQUEST_DEPTHS(NOT_NEGOTIATED, 4));

	/* then ORD of the Reply is 0x3fff, and its IRD an ordinary one. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_20);
	must(t, EMPA_9_1_20, is("ORD", reply.enhanced.ord, NOT_NEGOTIATED));
	if (!dut_leaves_ird_open(t))
		must(t, EMPA_9_1_20,
		     is_not("IRD", reply.enhanced.ird, NOT_NEGOTIATED));
	must(t, EMPA_9_1_20, full_operation_works());
}

CASE(one_less_is_an_ordinary_value, .title = "0x3ffe is a depth like any other",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when both depths are 0x3ffe, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST_DEPTHS(0x3ffe, 0x3ffe));

	/* then the Reply rejects, or has real depths. */
	struct startup_seen reply = awaits_startup(t, EMPA_9_1_21);
	if (reply.frame.flags & MPA_R)
		not_applicable(t, "the device rejects such depths");
	if (!dut_leaves_ird_open(t))
		must(t, EMPA_9_1_21,
		     is_not("IRD", reply.enhanced.ird, NOT_NEGOTIATED));
	must(t, EMPA_9_1_21, is_not("ORD", reply.enhanced.ord, NOT_NEGOTIATED));
	must(t, EMPA_9_1_21, full_operation_works());
}

/* Its RTR is a Read, too. */
static void initiator_has_one_read(struct test *t)
{
	struct startup reply = reply_listing(RTR_READ);

	dut_has_depths(t, 1, 1);
	dut_dials(t, .dut_rtr = RTR_READ, .dut_ord = 1);
	request_negotiates_depths(t, awaits_request(t));
	reply.ird = 1;
	peer_sends_startup(t, reply);
	full_operation(t);
}

CASE(a_read_rtr_takes_a_place,
     .title = "an initiator with ORD 1 sends no Read while the Read of its RTR "
	      "is not answered",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);

	/* Given an initiator that may have one Read outstanding, */
	initiator_has_one_read(t);

	/* and whose RTR is a Read that is not answered yet, */
	const struct frame *rtr = awaits(t, EMPA_9_2_13, RDMAP_READ_REQUEST);

	/* when its ULP posts a Read, then it is not sent, */
	dut_posts_reads(t, r, 1);
	must(t, RDMAP_5_2_1_16, stream_works());
	must(t, RDMAP_6_1_02,
	     at_most("Read Requests outstanding", 1 + outstanding(t), 1));

	/* until the RTR is answered. */
	peer_sends(t, READ_RESPONSE(rtr, "", 0));
	const struct frame *f = awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	must(t, RDMAP_6_1_03, stream_works());
}

CASE(a_read_rtr_frees_its_place,
     .title =
	     "an initiator with ORD 1 sends a Read when the Read of its RTR is "
	     "answered",
     .needs = NEED_P2P | NEED_RTR_READ | NEED_READ, .role = INITIATOR)
{
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);

	/* Given an initiator that may have one Read outstanding, */
	initiator_has_one_read(t);

	/* and whose RTR is a Read that was answered, */
	const struct frame *rtr = awaits(t, EMPA_9_2_13, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(rtr, "", 0));
	insists(t, DDP_5_2_11, stream_works());

	/* when its ULP posts a Read, then it is sent. */
	dut_posts_reads(t, r, 1);
	const struct frame *f = awaits(t, RDMAP_6_1_03, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	must(t, RDMAP_6_1_03, stream_works());
}
