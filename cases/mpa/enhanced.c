/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 6581 s6, s9, s10: enhanced startup frames, and when they have to be used.
 */
#include "case.h"

/* --- the device's enhanced Request ------------------------------------ */

CASE(enhanced_request_is_marked,
     .title = "an enhanced Request has Rev 2 or more, and Res zero",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device whose ULP negotiates IRD and ORD, when it connects, */
	dut_dials(t, .enhanced = true);
	struct startup_seen request = awaits_request(t);

	/* then Rev is 2 or more, and the reserved bits are 0. Its S has made it
	 * one. */
	must(t, EMPA_6_03, at_least("Rev", request.frame.rev, 2));
	must(t, EMPA_6_06, is("Res", request.frame.flags & MPA_RESERVED, 0));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_6_03, full_operation_works());
}

CASE(enhanced_data_counts_as_private_data,
     .title = "PD_Length of an enhanced Request counts the four octets of "
	      "enhanced data",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	const uint8_t *octets = pattern(t, 10, 1);

	/* Given ten octets of private data, when the device connects, */
	dut_dials(t, .enhanced = true, .dut_private_data = octets,
		  .dut_private_octets = 10);
	struct startup_seen request = awaits_startup(t, EMPA_6_08);

	/* then PD_Length is 14, and the ten octets follow the four; or it is
	 * 4, as they may be left out. */
	must(t, EMPA_6_08,
	     is("PD_Length", request.frame.pd_length,
		request.n == 24 ? 4 : 14));
	if (request.ulp_private_octets)
		must(t, EMPA_6_08,
		     octets_are(t, "private data of the ULP",
				request.ulp_private, request.ulp_private_octets,
				octets, 10));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_6_08, full_operation_works());
}

/* With these it is more than one octet can count, or not far from it. */
struct many_row {
	CASE_ROW;
	unsigned n;
};
static const struct many_row many[] = {
	{.id = "251", .n = 251}, {.id = "252", .n = 252},
	{.id = "253", .n = 253}, {.id = "255", .n = 255},
	{.id = "256", .n = 256}, {.id = "508", .n = 508},
};

CASE_EACH(enhanced_data_counts_beside_much, struct many_row, many,
	  .title = "PD_Length of an enhanced Request counts the enhanced data "
		   "and this many octets",
	  .needs = NEED_ENHANCED | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	const uint8_t *octets = pattern(t, row->n, 1);

	/* Given so many octets of private data, */
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes only %u octets",
			       dut_max_private(t));

	/* when the device connects, */
	dut_dials(t, .enhanced = true, .dut_private_data = octets,
		  .dut_private_octets = row->n);
	struct startup_seen request = awaits_startup(t, EMPA_6_08);

	/* then PD_Length is four more; or it is 4, as they may be left out. */
	insists(t, EMPA_6_08,
		is("PD_Length", request.frame.pd_length,
		   request.n == 24 ? 4 : row->n + 4));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_6_08, full_operation_works());
}

CASE(plain_request_is_not_enhanced,
     .title = "without enhanced features no enhanced Request is sent",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that wants no enhanced features, when it connects, */
	dut_dials(t, .exact = true);
	struct startup_seen request = awaits_startup(t, MPA_7_1_2_01);

	/* then S is 0, and Rev may be 1. */
	if (request.enhanced.a)
		not_applicable(t, "the device's Requests are all of the "
				  "peer-to-peer model");
	must(t, EMPA_10_04, is("S", request.frame.flags & MPA_S, 0));
	may(t, EMPA_6_04,
	    any_of(t, is("Rev", request.frame.rev, 1),
		   is("Rev", request.frame.rev, 2)));
	peer_sends_startup(t, REPLY(.rev = IS(request.frame.rev == 2 ? 2 : 1)));
	must(t, EMPA_10_04, full_operation_works());
}

struct depth_row {
	CASE_ROW;
	unsigned ird, ord;
	uint8_t octets[4];
};
static const struct depth_row own_depths[] = {
	{.id = "3-5", .ird = 3, .ord = 5, .octets = {0, 3, 0, 5}},
	{.id = "5-3", .ird = 5, .ord = 3, .octets = {0, 5, 0, 3}},
	{.id = "258-772", .ird = 0x102, .ord = 0x304, .octets = {1, 2, 3, 4}},
};

/* A depth that the ULP gave, perhaps with its octets exchanged. */
static bool is_of(unsigned seen, unsigned ulps)
{
	return seen == ulps || seen == ((ulps << 8 | ulps >> 8) & 0x3fff);
}

/* Both depths are those of the ULP, with their octets exchanged or moved past
 * the flags. A device may have one such number as its own, hardly two. */
static bool are_of(const struct mpa_enhanced *e, unsigned ird, unsigned ord)
{
	return (is_of(e->ird, ird) && is_of(e->ord, ord)) ||
	       (e->ird == (ird << 2 & 0x3fff) && e->ord == (ord << 2 & 0x3fff));
}

/* Other depths than those of its ULP, and not these in another order. */
static bool has_its_own_depths(const struct mpa_enhanced *e,
			       const struct depth_row *ulps)
{
	bool right = e->ird == ulps->ird && e->ord == ulps->ord;

	return right || (!are_of(e, ulps->ird, ulps->ord) &&
			 !are_of(e, ulps->ord, ulps->ird));
}

CASE_EACH(depths_go_out_in_network_order, struct depth_row, own_depths,
	  .title = "IRD and ORD of a Request are 14-bit numbers in network "
		   "order",
	  .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device with this IRD and ORD, */
	if (row->ird > dut_max_ird(t) || row->ord > dut_max_ord(t))
		not_applicable(t, "the device has IRD %u and ORD %u at most",
			       dut_max_ird(t), dut_max_ord(t));
	dut_dials(t, .enhanced = true, .dut_ird = row->ird,
		  .dut_ord = row->ord);

	/* when it connects, then the four octets read so, or are its own. */
	struct startup_seen request = awaits_startup(t, EMPA_9_01);
	must(t, EMPA_9_01, holds("enhanced data", request.has_enhanced));
	must(t, EMPA_9_01,
	     any_of(t,
		    octets_are(t, "enhanced data", request.frame.private_data,
			       request.frame.private_octets, row->octets, 4),
		    holds("depths that the device chose, not these in another "
			  "order",
			  has_its_own_depths(&request.enhanced, row))));
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 1));
	must(t, EMPA_9_01, full_operation_works());
}

struct form_row {
	CASE_ROW;
	uint64_t needs;
	unsigned rtr;
	uint8_t first, third;
};
#define NEED_BIT(ident) (1ull << NEED_BIT_##ident)
static const struct form_row own_forms[] = {
	{.id = "send",
	 .needs = NEED_BIT(RTR_SEND),
	 .rtr = RTR_SEND,
	 .first = 0xc0,
	 .third = 0x00},
	{.id = "write",
	 .needs = NEED_BIT(RTR_WRITE),
	 .rtr = RTR_WRITE,
	 .first = 0x80,
	 .third = 0x80},
	{.id = "read",
	 .needs = NEED_BIT(RTR_READ),
	 .rtr = RTR_READ,
	 .first = 0x80,
	 .third = 0x40},
};

CASE_EACH(
	control_flags_have_their_bits, struct form_row, own_forms,
	.title = "A, B, C and D are bits 0, 1, 16 and 17 of the enhanced data",
	.needs = NEED_P2P, .role = INITIATOR)
{
	/* Given a device that offers one RTR indication, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(t, "the device does not claim this RTR");
	dut_dials(t, .dut_rtr = row->rtr);

	/* when it connects, then just that flag and A are set. */
	struct startup_seen request = awaits_startup(t, EMPA_9_03);
	const uint8_t *data = request.frame.private_data;
	insists(t, EMPA_6_08,
		at_least("PD_Length", request.frame.pd_length, 4));
	insists(t, EMPA_9_2_01, is("A", data[0] & 0x80, 0x80));
	insists(t, EMPA_9_2_02,
		holds_else(t, "an RTR is listed",
			   (data[0] & 0x40) || (data[2] & 0xc0),
			   "B, C and D are 0"));
	must(t, EMPA_9_03, is("A and B", data[0] & 0xc0, row->first));
	must(t, EMPA_9_03, is("C and D", data[2] & 0xc0, row->third));
	peer_sends_startup(t, reply_listing(RTR_SEND | RTR_WRITE | RTR_READ));
	dut_posts_recv(t, 64);
	must(t, EMPA_5_02, full_operation_works());
}

/* --- the device's enhanced Reply ------------------------------------------ */

CASE(enhanced_request_gets_an_enhanced_reply,
     .title = "a Request with S=1 is answered with S=1 and Rev 2 or more",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when an enhanced Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then the Reply is enhanced too. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_01);
	must(t, EMPA_10_01, is("S", reply.frame.flags & MPA_S, MPA_S));
	must(t, EMPA_10_01, at_least("Rev", reply.frame.rev, 2));
	must(t, EMPA_10_01, full_operation_works());
}

CASE(enhanced_request_gets_an_enhanced_reject,
     .title = "an enhanced Request is rejected by an enhanced Reply",
     .needs = NEED_ENHANCED | NEED_REJECT)
{
	/* Given a device whose ULP rejects, */
	dut_works(t);
	dut_listens(t, .reject = true);
	peer_opens_tcp(t);

	/* when an enhanced Request comes, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then the Reply has R=1, S=1 and the four octets. */
	struct startup_seen reply = awaits_startup(t, EMPA_10_02);
	must(t, EMPA_10_02,
	     is("R and S", reply.frame.flags & (MPA_R | MPA_S), MPA_R | MPA_S));
	must(t, EMPA_10_02, at_least("PD_Length", reply.frame.pd_length, 4));
}

CASE(plain_request_gets_a_plain_reply,
     .title = "a Request with S=0 is accepted and answered with S=0",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	/* Given an enhanced responder with private data to send, */
	dut_listens(t, .dut_private_data = "reply", .dut_private_octets = 5);
	peer_opens_tcp(t);

	/* when a Request of Rev 1 comes, */
	peer_sends_startup(t, REQUEST());

	/* then it is accepted, and private data starts with the ULP's. */
	struct startup_seen reply = awaits_startup(t, EMPA_6_05);
	must(t, EMPA_6_05,
	     is("R and S", reply.frame.flags & (MPA_R | MPA_S), 0));
	must(t, EMPA_10_03, is("S", reply.frame.flags & MPA_S, 0));
	if (reply.frame.private_octets)
		must(t, EMPA_10_03,
		     octets_are(t, "private data", reply.frame.private_data,
				reply.frame.private_octets, "reply", 5));
	must(t, EMPA_6_05, full_operation_works());
}

CASE(plain_request_of_revision_two,
     .title = "a Request of Rev 2 with S=0 is answered with S=0",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when Rev is 2 and S is 0, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.rev = IS(2)));

	/* then the Reply has S=0, and Rev 1 or 2. */
	struct startup_seen reply = awaits_startup(t, EMPA_6_14);
	must(t, EMPA_6_14, is("S", reply.frame.flags & MPA_S, 0));
	must(t, EMPA_6_14,
	     any_of(t, is("Rev", reply.frame.rev, 1),
		    is("Rev", reply.frame.rev, 2)));
	must(t, EMPA_6_14, full_operation_works());
}

CASE(pd_length_of_an_enhanced_reply,
     .title = "PD_Length of an enhanced Reply counts the four octets of "
	      "enhanced data",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	const uint8_t *octets = pattern(t, 10, 2);

	/* Given a ULP that accepts with ten octets, */
	dut_listens(t, .dut_private_data = octets, .dut_private_octets = 10);
	peer_opens_tcp(t);

	/* when an enhanced Request comes, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then PD_Length of the Reply is 14, the ULP's ten after the four; or
	 * it is 4, because they may be left out. */
	struct startup_seen reply = awaits_startup(t, EMPA_6_09);
	must(t, EMPA_6_09,
	     is("PD_Length", reply.frame.pd_length, reply.n == 24 ? 4 : 14));
	if (reply.ulp_private_octets)
		must(t, EMPA_6_09,
		     octets_are(t, "private data of the ULP", reply.ulp_private,
				reply.ulp_private_octets, octets, 10));
	must(t, EMPA_6_09, full_operation_works());
}

CASE_EACH(enhanced_data_of_a_reply_counts_beside_much, struct many_row, many,
	  .title = "PD_Length of an enhanced Reply counts the enhanced data "
		   "and this many octets",
	  .needs = NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	const uint8_t *octets = pattern(t, row->n, 2);

	/* Given a ULP that accepts with so many octets, */
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes only %u octets",
			       dut_max_private(t));
	dut_listens(t, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_opens_tcp(t);

	/* when an enhanced Request comes, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then PD_Length of the Reply is four more; or it is 4, as they may
	 * be left out. */
	struct startup_seen reply = awaits_startup(t, EMPA_6_09);
	insists(t, EMPA_6_09,
		is("PD_Length", reply.frame.pd_length,
		   reply.n == 24 ? 4 : row->n + 4));
	must(t, EMPA_6_09, full_operation_works());
}

CASE(enhanced_data_is_no_private_data_of_the_ulp,
     .title = "a Request with S=1 and PD_Length 4 has no private data for "
	      "the ULP",
     .needs = NEED_ENHANCED)
{
	/* Given a listening device, when the enhanced data is all there is, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));
	awaits_startup(t, EMPA_6_10);

	/* then it is accepted, and the ULP gets no private data. */
	struct accept_seen seen = dut_accepts(t);
	insists(t, EMPA_6_10,
		at_most("octets of the enhanced data at the ULP",
			seen.private_octets, MPA_ENHANCED_OCTETS - 1));
	must(t, MPA_7_1_1_26,
	     ulp_gets(t, seen.private_data, seen.private_octets, "", 0));
	must(t, EMPA_6_10, full_operation_works());
}

CASE(private_data_follows_enhanced_data,
     .title =
	     "the ULP gets the private data after the enhanced data of a Reply",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	/* Given a device that has sent an enhanced Request, */
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when eight octets follow the enhanced data of the Reply, */
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 4,
				    .private_data = "for ULP!",
				    .private_octets = 8));

	/* then the ULP gets exactly these. */
	struct dut_state seen = dut_starts(t);
	must(t, EMPA_6_17,
	     ulp_gets(t, seen.private_data, seen.private_octets, "for ULP!",
		      8));
	must(t, EMPA_6_17, full_operation_works());
}

CASE(largest_private_data_of_a_reply,
     .title = "508 octets after the enhanced data of a Reply reach the ULP, or "
	      "as many as its interface takes",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA, .role = INITIATOR)
{
	const uint8_t *octets = pattern(t, 508, 3);
	unsigned n = dut_max_private(t) < 508 ? dut_max_private(t) : 508;

	/* Given a device that has sent an enhanced Request, */
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when PD_Length of the Reply is the largest with S=1, */
	peer_sends_startup(t,
			   REPLY(.enhanced = true, .ird = 16, .ord = 1,
				 .private_data = octets, .private_octets = n));

	/* then it is accepted, and the ULP gets all the octets. */
	struct dut_state seen = dut_starts(t);
	must(t, EMPA_6_17,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets, n));
	must(t, EMPA_6_17, full_operation_works());
}

/* --- reserved bits, lengths, revisions -------------------------------------- */

struct bit_row {
	CASE_ROW;
	unsigned bit;
};
static const struct bit_row reserved_bits[] = {
	{.id = "0x08", .bit = 0x08},
	{.id = "0x04", .bit = 0x04},
	{.id = "0x02", .bit = 0x02},
	{.id = "0x01", .bit = 0x01},
};

CASE_EACH(reserved_bits_of_a_request, struct bit_row, reserved_bits,
	  .title = "an enhanced Request with a reserved bit set is accepted",
	  .needs = NEED_ENHANCED)
{
	/* Given a listening device, when one reserved bit is set, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4,
				      .reserved = row->bit));

	/* then the connection is accepted all the same. */
	awaits_startup(t, EMPA_6_07);
	must(t, EMPA_6_07, full_operation_works());
}

CASE_EACH(reserved_bits_of_a_reply, struct bit_row, reserved_bits,
	  .title = "an enhanced Reply with a reserved bit set is accepted",
	  .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that has sent an enhanced Request, */
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when the Reply has one reserved bit set, */
	peer_sends_startup(t, REPLY(.enhanced = true, .ird = 16, .ord = 4,
				    .reserved = row->bit));

	/* then it enters Full Operation all the same. */
	must(t, EMPA_6_19, full_operation_works());
}

CASE(reserved_bits_are_not_echoed,
     .title = "an enhanced Reply has its reserved bits zero",
     .needs = NEED_ENHANCED)
{
	/* Given a Request with all reserved bits set, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4,
				      .reserved = 0x0f));

	/* when the Reply comes, then it has none set. */
	struct startup_seen reply = awaits_startup(t, EMPA_6_18);
	must(t, EMPA_6_18, is("Res", reply.frame.flags & MPA_RESERVED, 0));
	must(t, EMPA_6_18, full_operation_works());
}

CASE(largest_private_data,
     .title = "508 octets after the enhanced data reach the ULP, or as many as "
	      "its interface takes",
     .needs = NEED_ENHANCED | NEED_PRIVATE_DATA)
{
	const uint8_t *octets = pattern(t, 508, 3);
	unsigned n = dut_max_private(t) < 508 ? dut_max_private(t) : 508;

	/* Given a listening device, when PD_Length is the largest with S=1, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4,
				      .private_data = octets,
				      .private_octets = n));
	awaits_startup(t, EMPA_6_16);

	/* then it is accepted, and the ULP gets all the octets. */
	struct accept_seen seen = dut_accepts(t);
	insists(t, EMPA_6_10,
		is_not("octets of private data, the enhanced data among them",
		       seen.private_octets, n + 4));
	must(t, EMPA_6_16,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets, n));
	must(t, EMPA_6_16, full_operation_works());
}

CASE(too_much_private_data,
     .title = "an enhanced Request with PD_Length 513 closes TCP",
     .needs = NEED_ENHANCED)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when enhanced and private data make 513 octets, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4,
				      .private_data = octets_of(t, 509, 'p'),
				      .private_octets = 509));

	/* then TCP is closed without a Reply, and an error is reported. */
	must(t, EMPA_6_15, closed_without_reply());
	must(t, EMPA_6_15, agent_sees_failed_startup());
}

struct short_row {
	CASE_ROW;
	size_t n;
};
static const struct short_row short_lengths[] = {
	{.id = "0", .n = 0},
	{.id = "1", .n = 1},
	{.id = "2", .n = 2},
	{.id = "3", .n = 3},
};

CASE_EACH(request_without_room_for_enhanced_data, struct short_row,
	  short_lengths,
	  .title = "a Request with S=1 and PD_Length below 4 is not accepted",
	  .needs = NEED_ENHANCED)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when S is set, and less than the enhanced data follows, */
	peer_sends_startup(t, REQUEST(.s = IS(1), .rev = IS(2),
				      .private_data = octets_of(t, row->n, 0),
				      .private_octets = row->n));

	/* then TCP is closed, or the Reply rejects. */
	struct startup_seen reply = dut_startup(t);
	must(t, EMPA_6_11,
	     any_of(t,
		    holds("TCP closed without a Reply",
			  !reply.came && reply.closed),
		    holds("a Reply that rejects",
			  reply.came && reply.frame.flags & MPA_R)));
}

CASE_EACH(reply_without_room_for_enhanced_data, struct short_row, short_lengths,
	  .title = "an initiator does not continue after a Reply with S=1 and "
		   "PD_Length below 4",
	  .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that has sent an enhanced Request, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when the Reply has S=1, and less than the enhanced data, */
	peer_sends_startup(t, REPLY(.s = IS(1), .rev = IS(2),
				    .private_data = octets_of(t, row->n, 0),
				    .private_octets = row->n));

	/* then Full Operation is not entered. */
	must(t, EMPA_6_12,
	     is_not("established at its ULP",
		    strcmp(dut_ends(t).state, "established") == 0, 1));
}

CASE(s_on_revision_one,
     .title = "a responder's reaction to S=1 on Rev 1 is recorded",
     .needs = NEED_ENHANCED)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when an enhanced Request says Rev 1, */
	peer_sends_startup(
		t, REQUEST(.enhanced = true, .rev = IS(1), .ird = 4, .ord = 4));

	/* then S is a reserved bit to it, or more than that. */
	struct startup_seen reply = dut_startup(t);
	if (reply.came)
		observe(t, EMPA_6_13, "a Reply with Rev %u, S=%d",
			reply.frame.rev, !!(reply.frame.flags & MPA_S));
	else
		observe(t, EMPA_6_13, "%s", how_it_ended(t));
}

/* --- with peers that know no enhanced startup ------------------------------- */

CASE(responder_without_enhanced_startup_closes,
     .title = "a responder that knows only Rev 1 closes on S=1, as RFC 6581 "
	      "s10 says of an unenhanced responder")
{
	/* Given a responder that works, and is set to Rev 1 only, */
	dut_works(t);
	dut_listens(t, .dut_mpa = 1);
	peer_opens_tcp(t);

	/* when an enhanced Request comes, */
	peer_sends_startup(t, REQUEST(.enhanced = true, .ird = 4, .ord = 4));

	/* then TCP is closed without a Reply. */
	must(t, EMPA_10_06, closed_without_reply());
}

CASE(initiator_may_fall_back,
     .title = "an initiator may try again without enhanced startup",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that has sent an enhanced Request, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when the peer closes TCP, like a peer that only knows Rev 1, */
	peer_closes(t);

	/* then an error for the ULP, or a Request with S=0 comes. */
	struct dut_state seen = dut_ends(t);
	bool over = strcmp(seen.state, "connecting") != 0;
	struct startup_seen again = {0};

	if (!over && peer_accepts_tcp(t))
		again = dut_startup(t);
	may(t, EMPA_10_07,
	    any_of(t,
		   holds("a Request with Rev 1 and S=0",
			 again.came && again.frame.rev == 1 &&
				 !(again.frame.flags & MPA_S)),
		   holds("an error for the ULP", over)));
}

CASE(plain_reply_to_an_enhanced_request,
     .title = "an initiator's reaction to a Reply of Rev 1 and S=0 is recorded",
     .needs = NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that has sent an enhanced Request, */
	dut_works(t);
	dut_dials(t, .enhanced = true);
	awaits_request(t);

	/* when the Reply is unenhanced, */
	peer_breaks(t, EMPA_10_01);
	peer_sends_startup(t, REPLY());

	/* then the ULP gets an error, or the device continues without. */
	observe(t, EMPA_10_08, "the agent reports: %s", dut_ends(t).state);
}
