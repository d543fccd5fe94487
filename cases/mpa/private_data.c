/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.1, s7.1.2 (rules 2, 3, 9): PD_Length, and the private data
 * that the ULPs exchange while a stream starts.
 */
#include "case.h"

#define PRIVATE_MAX 512

/* As much as its interface takes: RFC 5044 s7.1.2 rule 9 has a frame with more
 * than the buffer holds treated as improperly formatted. */
static unsigned most_taken(struct test *t)
{
	unsigned most = dut_max_private(t);

	return most < PRIVATE_MAX ? most : PRIVATE_MAX;
}

/* The ULP's octets, or none: to carry them is a MAY (s7.1.2 rules 1 and 2). */
static struct expect carried(struct test *t, const struct startup_seen *f,
			     const void *octets, size_t n)
{
	if (f->ulp_private_octets == 0)
		return is("octets of private data", 0, 0);
	return octets_are(t, "private data", f->ulp_private,
			  f->ulp_private_octets, octets, n);
}

struct length_row {
	CASE_ROW;
	size_t n;
};

/* --- what the device sends ------------------------------------------- */

static const struct length_row request_lengths[] = {
	{.id = "0", .n = 0},     {.id = "1", .n = 1},
	{.id = "4", .n = 4},     {.id = "56", .n = 56},
	{.id = "196", .n = 196}, {.id = "508", .n = 508},
	{.id = "512", .n = 512},
};

CASE_EACH(request_carries_private_data, struct length_row, request_lengths,
	  .title = "PD_Length of a Request is the length of its private data",
	  .needs = NEED_PRIVATE_DATA, .role = INITIATOR,
	  .along = {ALONG(struct length_row, n, DUT_PRIVATE, 0, 9),
		    ALONG(struct length_row, n, DUT_PRIVATE, 255, 257),
		    ALONG(struct length_row, n, DUT_PRIVATE, 507, 512)})
{
	const uint8_t *octets = pattern(t, row->n, 1);

	/* Given a ULP that has this much private data to send, */
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));

	/* when the device connects, */
	dut_dials(t, .dut_mpa = 1, .dut_private_data = octets,
		  .dut_private_octets = row->n);
	struct startup_seen request = awaits_startup(t, MPA_7_1_1_24);

	/* then PD_Length is the number of octets that follow, and they are the
	 * ULP's, if any. */
	must(t, MPA_7_1_1_24,
	     is("PD_Length", request.frame.pd_length, request.n - 20));
	must(t, MPA_7_1_1_24, carried(t, &request, octets, row->n));
	peer_sends_startup(t, REPLY());
	must(t, MPA_7_1_1_24, full_operation_works());
}

CASE(any_octets_are_private_data,
     .title = "private data of a Request is sent as the ULP gave it",
     .needs = NEED_PRIVATE_DATA, .role = INITIATOR)
{
	/* Given private data with zeros, ones, and the octets of both keys, */
	uint8_t octets[128] = "MPA ID Req FrameMPA ID Rep Frame";

	memset(octets + 32, 0x00, 32);
	memset(octets + 64, 0xff, 32);
	memcpy(octets + 96, pattern(t, 32, 1), 32);

	/* when the device connects with it, */
	dut_dials(t, .dut_mpa = 1, .dut_private_data = octets,
		  .dut_private_octets = sizeof(octets));
	struct startup_seen request = awaits_startup(t, MPA_7_1_1_24);

	/* then it may be in the Request, and is there unchanged. */
	may(t, MPA_7_1_2_02,
	    any_of(t,
		   octets_are(t, "private data", request.ulp_private,
			      request.ulp_private_octets, octets,
			      sizeof(octets)),
		   is("octets of it", request.ulp_private_octets, 0)));
	peer_sends_startup(t, REPLY());
	must(t, MPA_7_1_1_24, full_operation_works());
}

static const struct length_row reply_lengths[] = {
	{.id = "0", .n = 0},
	{.id = "1", .n = 1},
	{.id = "511", .n = 511},
	{.id = "512", .n = 512},
};

CASE_EACH(reply_carries_private_data, struct length_row, reply_lengths,
	  .title = "PD_Length of a Reply is the length of its private data",
	  .needs = NEED_PRIVATE_DATA,
	  .along = {ALONG(struct length_row, n, DUT_PRIVATE, 0, 9),
		    ALONG(struct length_row, n, DUT_PRIVATE, 255, 257),
		    ALONG(struct length_row, n, DUT_PRIVATE, 507, 512)})
{
	const uint8_t *octets = pattern(t, row->n, 2);

	/* Given a ULP that has this much private data to send, */
	if (row->n > dut_max_private(t))
		not_applicable(t, "the device's interface takes %u octets",
			       dut_max_private(t));
	dut_listens(t, .dut_private_data = octets,
		    .dut_private_octets = row->n);
	peer_opens_tcp(t);

	/* when the device accepts, */
	peer_sends_startup(t, REQUEST());
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_25);

	/* then PD_Length is the number of octets that follow, and they are the
	 * ULP's, if any. */
	must(t, MPA_7_1_1_25,
	     is("PD_Length", reply.frame.pd_length, reply.n - 20));
	must(t, MPA_7_1_1_25, carried(t, &reply, octets, row->n));
	must(t, MPA_7_1_1_25, full_operation_works());
}

CASE(accept_carries_private_data,
     .title = "a Reply with R=0 may hold private data of the ULP",
     .needs = NEED_PRIVATE_DATA)
{
	const uint8_t *octets = pattern(t, 30, 3);

	/* Given a ULP that accepts with 30 octets, */
	dut_listens(t, .dut_private_data = octets, .dut_private_octets = 30);
	peer_opens_tcp(t);

	/* when a Request comes, */
	peer_sends_startup(t, REQUEST());
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_25);

	/* then the Reply has them. */
	may(t, MPA_7_1_2_10,
	    any_of(t,
		   octets_are(t, "private data", reply.ulp_private,
			      reply.ulp_private_octets, octets, 30),
		   is("octets of it", reply.ulp_private_octets, 0)));
	must(t, MPA_7_1_1_25, full_operation_works());
}

CASE(reject_carries_private_data,
     .title = "a Reply with R=1 may hold private data of the ULP",
     .needs = NEED_PRIVATE_DATA | NEED_REJECT)
{
	const uint8_t *octets = pattern(t, 30, 4);

	/* Given a ULP that rejects with 30 octets, */
	dut_works(t);
	dut_listens(t, .reject = true, .dut_private_data = octets,
		    .dut_private_octets = 30);
	peer_opens_tcp(t);

	/* when a Request comes, */
	peer_sends_startup(t, REQUEST());
	struct startup_seen reply = dut_startup(t);
	if (reply.n < 20)
		not_applicable(
			t,
			"the device closes without a Reply if its ULP rejects");

	/* then PD_Length matches the octets that follow, and the Reply has
	 * them. */
	insists(t, MPA_7_1_1_25,
		is("PD_Length", reply.frame.pd_length, reply.n - 20));
	may(t, MPA_7_1_2_07,
	    any_of(t,
		   octets_are(t, "private data", reply.ulp_private,
			      reply.ulp_private_octets, octets, 30),
		   is("octets of it", reply.ulp_private_octets, 0)));
}

/* --- what the device takes ---------------------------------------------- */

CASE(no_private_data,
     .title = "PD_Length 0 means that there is no private data")
{
	/* Given a listening device, when PD_Length is 0, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());
	awaits_startup(t, MPA_7_1_1_26);

	/* then it is accepted, and the ULP gets no private data. */
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_26,
	     ulp_gets(t, seen.private_data, seen.private_octets, "", 0));
	must(t, MPA_7_1_1_26, full_operation_works());
}

CASE(private_data_of_an_earlier_request_is_gone,
     .title = "PD_Length 0 of a Request means no private data, also behind a "
	      "stream that had some",
     .needs = NEED_PRIVATE_DATA | NEED_MULTI_STREAM)
{
	/* Given a stream whose Request had private data, */
	peer_connects(t, .private_data = "previous", .private_octets = 8);

	/* when the Request of another one has none, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());
	awaits_startup(t, MPA_7_1_1_26);

	/* then the ULP gets none. */
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_26,
	     ulp_gets(t, seen.private_data, seen.private_octets, "", 0));
}

CASE(private_data_of_an_earlier_reply_is_gone,
     .title = "PD_Length 0 of a Reply means no private data, also behind a "
	      "stream that had some",
     .needs = NEED_PRIVATE_DATA | NEED_MULTI_STREAM, .role = INITIATOR)
{
	/* Given a stream whose Reply had private data, */
	dut_connects(t, .private_data = "previous", .private_octets = 8);

	/* when the Reply to another Request has none, */
	dut_dials(t);
	awaits_request(t);
	peer_sends_startup(t, REPLY());

	/* then the ULP gets none. */
	struct dut_state seen = dut_starts(t);
	must(t, MPA_7_1_1_26,
	     ulp_gets(t, seen.private_data, seen.private_octets, "", 0));
	must(t, MPA_7_1_1_26, full_operation_works());
}

CASE(largest_private_data_of_a_request,
     .title = "512 octets of private data in a Request reach the ULP, or as "
	      "many as its interface takes",
     .needs = NEED_PRIVATE_DATA)
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX, 5);
	unsigned n = most_taken(t);

	/* Given a listening device, when PD_Length is the largest, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(
		t, REQUEST(.private_data = octets, .private_octets = n));
	awaits_startup(t, MPA_7_1_1_32);

	/* then it is accepted, and the ULP gets all the octets. */
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_32,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets, n));
	must(t, MPA_7_1_1_32, full_operation_works());
}

CASE(largest_private_data_of_a_plain_rev_2_request,
     .title = "512 octets of private data in a Request of Rev 2 without "
	      "enhanced data reach the ULP, or as many as its interface takes",
     .needs = NEED_PRIVATE_DATA | NEED_ENHANCED)
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX, 5);
	unsigned n = most_taken(t);

	/* Given a listening device, when a Request of Rev 2 with S=0 has the
	 * largest PD_Length, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.rev = IS(2), .private_data = octets,
				      .private_octets = n));
	awaits_startup(t, MPA_7_1_1_32);

	/* then it is accepted, and the ULP gets all the octets. */
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_32,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets, n));
	must(t, MPA_7_1_1_32, full_operation_works());
}

CASE(largest_private_data_of_a_reply,
     .title = "512 octets of private data in a Reply reach the ULP, or as "
	      "many as its interface takes",
     .needs = NEED_PRIVATE_DATA, .role = INITIATOR)
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX, 6);
	unsigned n = most_taken(t);

	/* Given a device that connects, when PD_Length is the largest, */
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);
	peer_sends_startup(t,
			   REPLY(.private_data = octets, .private_octets = n));

	/* then it continues, and the ULP gets all the octets. */
	struct dut_state seen = dut_starts(t);
	must(t, MPA_7_1_1_33,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets, n));
	must(t, MPA_7_1_1_33, full_operation_works());
}

static const struct length_row taken_lengths[] = {{.id = "1", .n = 1}};

CASE_EACH(
	private_data_of_a_request_reaches_the_ulp, struct length_row,
	taken_lengths,
	.title = "this many octets of private data in a Request reach the ULP",
	.needs = NEED_PRIVATE_DATA,
	.along = {ALONG(struct length_row, n, PEER_PRIVATE, 1, 9),
		  ALONG(struct length_row, n, PEER_PRIVATE, 255, 257),
		  ALONG(struct length_row, n, PEER_PRIVATE, 507, 512)})
{
	const uint8_t *octets = pattern(t, row->n, 5);

	/* Given a listening device, when a Request has so many, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(
		t, REQUEST(.private_data = octets, .private_octets = row->n));
	awaits_startup(t, MPA_7_1_1_32);

	/* then the ULP gets them. */
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_32,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets,
		      row->n));
}

CASE_EACH(private_data_of_a_reply_reaches_the_ulp, struct length_row,
	  taken_lengths,
	  .title = "this many octets of private data in a Reply reach the ULP",
	  .needs = NEED_PRIVATE_DATA, .role = INITIATOR,
	  .along = {ALONG(struct length_row, n, PEER_PRIVATE, 1, 9),
		    ALONG(struct length_row, n, PEER_PRIVATE, 255, 257),
		    ALONG(struct length_row, n, PEER_PRIVATE, 507, 512)})
{
	const uint8_t *octets = pattern(t, row->n, 6);

	/* Given a device that connects, when a Reply has so many, */
	dut_dials(t);
	awaits_request(t);
	peer_sends_startup(
		t, REPLY(.private_data = octets, .private_octets = row->n));

	/* then the ULP gets them. */
	struct dut_state seen = dut_starts(t);
	must(t, MPA_7_1_1_33,
	     ulp_gets(t, seen.private_data, seen.private_octets, octets,
		      row->n));
}

CASE(more_private_data_than_the_interface_takes,
     .title = "512 octets of private data in a Request are not cut to the "
	      "limit of the interface")
{
	const uint8_t *octets = pattern(t, PRIVATE_MAX, 7);

	/* Given a device whose interface may take less, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when PD_Length is 512, and the octets are there, */
	peer_sends_startup(t, REQUEST(.private_data = octets,
				      .private_octets = PRIVATE_MAX,
				      .exceeds = true));

	/* then TCP is closed, as for a bad Request, or the ULP gets it all. */
	struct startup_seen reply = dut_startup(t);
	struct accept_seen seen = {0};
	if (reply.came)
		seen = dut_accepts(t);
	must(t, MPA_7_1_2_27,
	     any_of(t, holds("no Reply", !reply.came && reply.closed),
		    ulp_gets(t, seen.private_data, seen.private_octets, octets,
			     PRIVATE_MAX)));
}

CASE(too_much_private_data_in_a_request,
     .title = "a Request with 513 octets of private data closes TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when PD_Length is 513, and so many octets are there, */
	peer_sends_startup(t, REQUEST(.private_data = octets_of(t, 513, 'p'),
				      .private_octets = 513));

	/* then TCP is closed without a Reply, and an error is reported. */
	must(t, MPA_7_1_1_27, closed_without_reply());
	must(t, MPA_7_1_1_27, agent_sees_failed_startup());
}

CASE(too_much_private_data_in_a_reply,
     .title = "a Reply with 513 octets of private data closes TCP",
     .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when PD_Length is 513, and so many octets are there, */
	peer_sends_startup(t, REPLY(.private_data = octets_of(t, 513, 'p'),
				    .private_octets = 513));

	/* then TCP is closed without an FPDU, and an error is reported. */
	must(t, MPA_7_1_1_29, closed_without_fpdu());
	must(t, MPA_7_1_1_29, agent_sees_failed_startup());
}

CASE(huge_pd_length,
     .title = "a Request with PD_Length 65535 closes TCP, whatever follows")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when PD_Length is 65535, and few octets are there, */
	peer_sends_startup(t,
			   REQUEST(.private_data = "few", .private_octets = 3,
				   .pd_length = IS(65535)));

	/* then TCP is closed: by the startup timeout, which is only a SHOULD,
	 * or at the latest when all those octets are there. */
	struct startup_seen reply = dut_startup(t);
	must(t, MPA_7_1_1_28,
	     octets_are(t, "octets of a Reply", reply.octets, reply.n, "", 0));
	if (!reply.closed)
		peer_sends_octets(t, octets_of(t, 65535 - 3, 'p'), 65535 - 3);
	must(t, MPA_7_1_1_28, closed_without_reply());
}

CASE(more_octets_than_pd_length,
     .title = "a responder's reaction to more octets than PD_Length announces "
	      "is recorded")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when PD_Length is 4, and 8 octets arrive in one segment, */
	peer_sends_startup(t, REQUEST(.private_data = "fourmore",
				      .private_octets = 8, .pd_length = IS(4)));

	/* then TCP is closed, or the other 4 are the start of an FPDU. */
	struct startup_seen reply = dut_startup(t);
	observe(t, MPA_7_1_1_30, "%s",
		reply.came ? "a Reply: the rest is taken for an FPDU"
			   : how_it_ended(t));
}

CASE(request_is_awaited_in_full,
     .title = "a Request is answered when all octets of PD_Length have arrived",
     .needs = NEED_MULTI_STREAM)
{
	struct startup request =
		REQUEST(.private_data = "fourmore", .private_octets = 8);

	/* Given a Request that announces 8 octets, with 4 of them there, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup_part(t, request, 0, 24);

	/* when a later connection was established and has answered
	 * meanwhile, */
	dut_works(t);

	/* then there is no Reply before the other 4, and a correct one
	 * after. */
	on_stream(t, 0);
	must(t, MPA_7_1_1_31, nothing_more());
	peer_sends_startup_part(t, request, 24, 28);
	awaits_startup(t, MPA_7_1_1_31);
	struct accept_seen seen = dut_accepts(t);
	must(t, MPA_7_1_1_31,
	     ulp_gets(t, seen.private_data, seen.private_octets, "fourmore",
		      8));
	must(t, MPA_7_1_1_31, full_operation_works());
}

CASE(reply_is_awaited_in_full,
     .title = "a Reply is acted on when all octets of PD_Length have arrived",
     .needs = NEED_SEND | NEED_MULTI_STREAM, .role = INITIATOR)
{
	struct startup reply =
		REPLY(.private_data = "fourmore", .private_octets = 8);

	/* Given a Send queued, and a Reply with half its private data, */
	dut_dials(t);
	dut_posts(t, POST_SEND("queued"));
	awaits_request(t);
	peer_sends_startup_part(t, reply, 0, 24);

	/* when a later connection was established and has answered
	 * meanwhile, */
	dut_works(t);

	/* then no FPDU has arrived before the rest; after it the Send
	 * arrives. */
	on_stream(t, 0);
	must(t, MPA_7_1_1_36, nothing_more());
	peer_sends_startup_part(t, reply, 24, 0);
	full_operation(t);
	awaits_given(t, RDMAP_SEND);
	struct dut_state seen = dut_starts(t);
	must(t, MPA_7_1_1_36,
	     ulp_gets(t, seen.private_data, seen.private_octets, "fourmore",
		      8));
	must(t, MPA_7_1_1_36, stream_works());
}
