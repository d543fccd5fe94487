/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s9, s9.1: IRD and ORD are numbers of 14 bits. They need not be
 * powers of two, nor fit into the variable in which a device keeps them.
 */
#include "case.h"

struct depth {
	CASE_ROW;
	unsigned ird; /* of the peer */
};

#define DEPTH(n)                                                               \
	{                                                                      \
		.id = #n, .ird = (n)                                           \
	}
static const struct depth few[] = {DEPTH(1), DEPTH(2), DEPTH(3),
				   DEPTH(5), DEPTH(6), DEPTH(7)};

CASE_EACH(few_reads_are_outstanding, struct depth, few,
	  .title = "a device with an ORD of 8 has no more Reads outstanding "
		   "than the peer's IRD, whatever that is",
	  .needs = NEED_ENHANCED | NEED_READ, .role = EITHER)
{
	/* Given a device that could have 8 outstanding, and this IRD, */
	struct region r =
		dut_registers(t, .len = 8 * 11, .access = FOR_RESPONSES);
	dut_has_depths(t, 0, 8);
	if (case_role(t) == RESPONDER) {
		peer_connects(t, .enhanced = true, .dut_ord = 8,
			      .ird = row->ird);
	} else {
		dut_dials(t, .enhanced = true, .dut_ord = 8);
		request_negotiates_depths(t, awaits_request(t));
		peer_sends_startup(
			t, REPLY(.enhanced = true, .ird = row->ird, .ord = 1));
		full_operation(t);
		initiator_speaks(t);
	}

	/* when three more are posted, */
	for (unsigned i = 0; i < row->ird + 3; i++)
		dut_posts(t,
			  POST_READ(r, 8 * i, 8, PEER_SINK_STAG, PEER_SINK_TO));

	/* then no more than that arrive, while none is answered. */
	awaits_given(t, RDMAP_READ_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());
	unsigned n = 1;
	while (frame_is_here(t) &&
	       next_frame(t)->seg.ddp.opcode == RDMAP_READ_REQUEST)
		n++;
	must(t, RDMAP_6_1_02,
	     at_most("Read Requests outstanding", n, row->ird));
}

static const struct depth many[] = {
	DEPTH(255),  DEPTH(256),  DEPTH(257),  DEPTH(512),    DEPTH(1024),
	DEPTH(4096), DEPTH(8192), DEPTH(8193), DEPTH(0x3ffe),
};

CASE_EACH(a_read_is_sent, struct depth, many,
	  .title =
		  "a peer with a large IRD gets the Read that the device's ULP "
		  "has posted",
	  .needs = NEED_ENHANCED | NEED_READ, .role = EITHER)
{
	/* Given a device with an ORD of 4, and a peer with this IRD, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	dut_has_depths(t, 0, 4);
	connects(t, .enhanced = true, .dut_ord = 4, .ird = row->ird);

	/* when a Read is posted, then its Request comes. */
	unsigned id =
		dut_posts(t, POST_READ(r, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits(t, RDMAP_5_2_1_05, RDMAP_READ_REQUEST);
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	must(t, RDMAP_5_2_2_03, completed(id));
}

struct told {
	CASE_ROW;
	unsigned ird, ord;
};

static const struct told told[] = {
	{.id = "255-2", .ird = 255, .ord = 2},
	{.id = "257-1", .ird = 257, .ord = 1},
	{.id = "8193-4", .ird = 8193, .ord = 4},
};

CASE_EACH(the_ulp_gets_the_depths_of_a_request, struct told, told,
	  .title =
		  "the responder's ULP gets all 14 bits of the initiator's IRD "
		  "and ORD",
	  .needs = NEED_ENHANCED)
{
	/* Given a listening device, when a Request has these depths, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(
		t, REQUEST(.enhanced = true, .ird = row->ird, .ord = row->ord));
	awaits_startup(t, EMPA_9_1_04);

	/* then its ULP gets both. */
	struct accept_seen seen = dut_accepts(t);
	if (!seen.has_ird)
		not_applicable(t, "the agent does not report such depths");
	must(t, EMPA_9_1_04, is("IRD at the ULP", seen.ird, row->ird));
	must(t, EMPA_9_1_04, is("ORD at the ULP", seen.ord, row->ord));
}

static const struct told replied[] = {
	{.id = "255-2", .ird = 255, .ord = 2},
	{.id = "256-1", .ird = 256, .ord = 1},
	{.id = "8193-4", .ird = 8193, .ord = 4},
};

CASE_EACH(
	the_ulp_gets_the_depths_of_a_reply, struct told, replied,
	.title = "the initiator's ULP gets all 14 bits of the responder's IRD",
	.needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an enhanced Request, when the Reply has these depths, */
	dut_has_depths(t, 4, 1);
	dut_dials(t, .enhanced = true, .dut_ird = 4);
	struct startup_seen request = awaits_request(t);
	request_negotiates_depths(t, request);
	if (request.enhanced.ird < row->ord)
		not_applicable(t, "its IRD is less than this ORD");
	peer_sends_startup(
		t, REPLY(.enhanced = true, .ird = row->ird, .ord = row->ord));

	/* then its ULP gets both. */
	struct dut_state seen = dut_starts(t);
	if (!seen.has_ird)
		not_applicable(t, "the agent does not report such depths");
	must(t, EMPA_9_1_05, is("IRD at the ULP", seen.ird, row->ird));
	must(t, EMPA_9_1_05, is("ORD at the ULP", seen.ord, row->ord));
	must(t, EMPA_9_1_05, full_operation_works());
}

struct large {
	CASE_ROW;
	unsigned ord; /* of the Reply */
};

#define LARGE(n)                                                               \
	{                                                                      \
		.id = #n, .ord = (n)                                           \
	}
static const struct large larges[] = {LARGE(0x1000), LARGE(0x2000),
				      LARGE(0x3f00)};

CASE_EACH(a_larger_ord_is_refused, struct large, larges,
	  .title = "an initiator with less IRD than this ORD of a responder "
		   "sends Terminate 2/0/06",
	  .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given an initiator with IRD 1, and with room for less than this, */
	dut_works(t);
	dut_has_depths(t, 1, 0);
	if (dut_max_ird(t) >= row->ord)
		not_applicable(t, "the device has room for this ORD");
	dut_dials(t, .enhanced = true, .dut_ird = 1);
	request_negotiates_depths(t, awaits_request(t));

	/* when the Reply has this ORD, */
	peer_breaks(t, EMPA_9_1_01);
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16,
				    .ord = row->ord, .exceeds = true));
	full_operation(t);

	/* then it says that its resources do not suffice, and closes. */
	must(t, EMPA_9_1_13, terminate(TERM_LLP, 0, 0x06));
	peer_closes_behind_terminate(t);
	must(t, EMPA_9_1_13, tcp_closed());
}
