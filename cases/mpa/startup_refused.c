/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.1, s7.1.2, s8, appendix C: Request and Reply Frames that are
 * malformed or of another revision, and the reactions to them.
 */
#include "case.h"

/* --- keys ------------------------------------------------------------------ */

/* Each octet in turn is wrong; what results is never the other frame's key. */
struct key_row {
	CASE_ROW;
	const char *request, *reply;
};
static const struct key_row wrong_keys[] = {
	{.id = "octet-0",
	 .request = "mPA ID Req Frame",
	 .reply = "mPA ID Rep Frame"},
	{.id = "octet-1",
	 .request = "MpA ID Req Frame",
	 .reply = "MpA ID Rep Frame"},
	{.id = "octet-2",
	 .request = "MPa ID Req Frame",
	 .reply = "MPa ID Rep Frame"},
	{.id = "octet-3",
	 .request = "MPA_ID Req Frame",
	 .reply = "MPA_ID Rep Frame"},
	{.id = "octet-4",
	 .request = "MPA iD Req Frame",
	 .reply = "MPA iD Rep Frame"},
	{.id = "octet-5",
	 .request = "MPA Id Req Frame",
	 .reply = "MPA Id Rep Frame"},
	{.id = "octet-6",
	 .request = "MPA ID_Req Frame",
	 .reply = "MPA ID_Rep Frame"},
	{.id = "octet-7",
	 .request = "MPA ID req Frame",
	 .reply = "MPA ID rep Frame"},
	{.id = "octet-8",
	 .request = "MPA ID REq Frame",
	 .reply = "MPA ID REp Frame"},
	{.id = "octet-9",
	 .request = "MPA ID ReQ Frame",
	 .reply = "MPA ID ReP Frame"},
	{.id = "octet-10",
	 .request = "MPA ID Req_Frame",
	 .reply = "MPA ID Rep_Frame"},
	{.id = "octet-11",
	 .request = "MPA ID Req frame",
	 .reply = "MPA ID Rep frame"},
	{.id = "octet-12",
	 .request = "MPA ID Req FRame",
	 .reply = "MPA ID Rep FRame"},
	{.id = "octet-13",
	 .request = "MPA ID Req FrAme",
	 .reply = "MPA ID Rep FrAme"},
	{.id = "octet-14",
	 .request = "MPA ID Req FraMe",
	 .reply = "MPA ID Rep FraMe"},
	{.id = "octet-15",
	 .request = "MPA ID Req FramE",
	 .reply = "MPA ID Rep FramE"},
};

CASE_EACH(wrong_request_key_closes, struct key_row, wrong_keys,
	  .title = "a Request whose key is wrong in one octet closes TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when the key of a Request is wrong in one octet, */
	peer_sends_startup(t, REQUEST(.key = row->request));

	/* then TCP is closed without a Reply, and an error is reported. */
	must(t, MPA_7_1_1_03, closed_without_reply());
	must(t, MPA_7_1_1_03, agent_sees_failed_startup());
}

CASE_EACH(wrong_reply_key_closes, struct key_row, wrong_keys,
	  .title = "a Reply whose key is wrong in one octet closes TCP",
	  .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when the key of a Reply is wrong in one octet, */
	peer_sends_startup(t, REPLY(.key = row->reply));

	/* then TCP is closed without an FPDU, and an error is reported. */
	must(t, MPA_7_1_1_04, closed_without_fpdu());
	must(t, MPA_7_1_1_04, agent_sees_failed_startup());
}

static const struct key_row inexact_keys[] = {
	{.id = "lower-case", .request = "mpa id req frame"},
	{.id = "shifted", .request = "PA ID Req Frame\0"},
};

CASE_EACH(key_is_compared_exactly, struct key_row, inexact_keys,
	  .title = "a Request key in lower case, or without its first octet, "
		   "closes TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a key has the right letters in the wrong case or place, */
	peer_sends_startup(t, REQUEST(.key = row->request));

	/* then TCP is closed without a Reply. */
	must(t, MPA_7_1_1_05, closed_without_reply());
}

CASE(reply_to_a_responder_closes,
     .title = "a Reply Frame in place of the Request closes TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when the first frame that it gets is a Reply, */
	peer_sends_startup(t, REPLY());

	/* then TCP is closed. */
	must(t, MPA_7_1_2_22, closed_without_reply());
}

CASE(request_to_an_initiator_closes,
     .title = "two initiators detect each other by the key", .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when its Request is answered by a Request, */
	peer_sends_startup(t, REQUEST());

	/* then TCP is closed, and an error is reported. */
	must(t, MPA_7_1_2_20, closed_without_fpdu());
	must(t, MPA_7_1_2_20, agent_sees_failed_startup());
}

/* --- octets that are not a startup frame ---------------------------------- */

/*
 * pattern() with these seeds; none starts as either key does. PD_Length is 0:
 * a device may await all octets that it announces before it examines the key,
 * and only SHOULD limit that time (RFC 5044 s7.1.2 rule 10).
 */
struct noise_row {
	CASE_ROW;
	unsigned seed;
};

#define FRAME_OCTETS 20

static void peer_sends_noise(struct test *t, const struct noise_row *row)
{
	uint8_t noise[FRAME_OCTETS];

	memcpy(noise, pattern(t, FRAME_OCTETS, row->seed), FRAME_OCTETS);
	noise[18] = noise[19] = 0;
	peer_sends_octets(t, noise, FRAME_OCTETS);
}
static const struct noise_row noises[] = {
	{.id = "seed-1", .seed = 1},   {.id = "seed-2", .seed = 2},
	{.id = "seed-3", .seed = 3},   {.id = "seed-4", .seed = 4},
	{.id = "seed-5", .seed = 5},   {.id = "seed-6", .seed = 6},
	{.id = "seed-7", .seed = 7},   {.id = "seed-8", .seed = 8},
	{.id = "seed-9", .seed = 9},   {.id = "seed-10", .seed = 10},
	{.id = "seed-11", .seed = 11}, {.id = "seed-12", .seed = 12},
	{.id = "seed-13", .seed = 13}, {.id = "seed-14", .seed = 14},
	{.id = "seed-15", .seed = 15}, {.id = "seed-16", .seed = 16},
};

CASE_EACH(noise_for_a_request_closes, struct noise_row, noises,
	  .title = "20 octets of noise in place of a Request close TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when 20 octets arrive that are not a Request, */
	peer_sends_noise(t, row);

	/* then TCP is closed without a Reply. */
	must(t, MPA_7_1_2_05, closed_without_reply());
}

static const struct noise_row reply_noises[] = {
	{.id = "seed-1", .seed = 1},       {.id = "seed-2-whole", .seed = 2},
	{.id = "seed-3-whole", .seed = 3}, {.id = "seed-4-whole", .seed = 4},
	{.id = "seed-5-whole", .seed = 5}, {.id = "seed-6-whole", .seed = 6},
	{.id = "seed-7-whole", .seed = 7}, {.id = "seed-8-whole", .seed = 8},
};

CASE_EACH(noise_for_a_reply_closes, struct noise_row, reply_noises,
	  .title = "20 octets of noise in place of a Reply close TCP",
	  .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when 20 octets arrive that are not a Reply, */
	peer_sends_noise(t, row);

	/* then TCP is closed without an FPDU, and an error is reported. */
	must(t, MPA_7_1_2_12, closed_without_fpdu());
	must(t, MPA_7_1_2_12, agent_sees_failed_startup());
}

CASE(fpdu_in_place_of_the_request_closes,
     .title = "an FPDU in place of the Request closes TCP and is not "
	      "delivered",
     .needs = NEED_SEND)
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when the first octets that it gets are an FPDU, */
	peer_sends(t, SEND_N(octets_of(t, 38, 'x'), 38), .early = true);

	/* then TCP is closed, and there is no stream to deliver anything. */
	must(t, MPA_7_1_2_05, closed_without_reply());
	must(t, MPA_7_1_1_03, agent_sees_failed_startup());
	must(t, MPA_7_1_2_04, agent_sees_no_stream());
}

/* --- revisions -------------------------------------------------------------- */

struct rev_row {
	CASE_ROW;
	unsigned rev;
};
static const struct rev_row request_revisions[] = {
	{.id = "3", .rev = 3},
	{.id = "255", .rev = 255},
};
static const struct rev_row reply_revisions[] = {
	{.id = "0", .rev = 0},
	{.id = "3", .rev = 3},
	{.id = "255", .rev = 255},
};

CASE_EACH(unusable_revision_of_a_request, struct rev_row, request_revisions,
	  .title = "a Request of a later revision is answered, or closes TCP")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request is of a later revision, */
	peer_sends_startup(t, REQUEST(.rev = IS(row->rev)));

	/* then it is closed, perhaps after a Reply, or taken as usable. */
	struct startup_seen reply = dut_startup(t);
	must(t, MPA_7_1_1_22,
	     any_of(t, holds("a Reply", reply.came), closed_without_fpdu()));
	if (reply.came)
		observe(t, MPA_7_1_1_21, "a Reply with Rev %u and R=%d",
			reply.frame.rev, !!(reply.frame.flags & MPA_R));
	else
		observe(t, MPA_7_1_1_21, "%s", how_it_ended(t));
}

CASE(revision_zero_is_closed,
     .title = "a Request of Rev 0 closes TCP, or starts RDMA Consortium mode")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request is of Rev 0, with markers and CRCs, */
	peer_sends_startup(t, REQUEST(.rev = IS(0), .m = true));

	/* then TCP is closed, perhaps after a Reply of the device's own
	 * revision; or the Reply is that of RDMA Consortium mode. */
	struct startup_seen reply = dut_startup(t);
	bool consortium =
		reply.came && reply.frame.rev == 0 &&
		(reply.frame.flags & (MPA_M | MPA_C)) == (MPA_M | MPA_C);

	if (reply.came && !consortium)
		must(t, MPA_7_1_1_22,
		     any_of(t, is("Rev", reply.frame.rev, 1),
			    is("Rev", reply.frame.rev,
			       dut_claims(t) & NEED_ENHANCED ? 2 : 1)));
	must(t, MPA_7_1_1_22,
	     any_of(t, holds("a Reply with Rev 0, M=1 and C=1", consortium),
		    closed_without_fpdu()));
}

CASE(revision_zero_may_start_consortium_mode,
     .title = "a Request of Rev 0 is refused, or answered in RDMA Consortium "
	      "mode; the two are never mixed")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request is of Rev 0, with markers and CRCs, */
	peer_sends_startup(t, REQUEST(.rev = IS(0), .m = true));
	struct startup_seen reply = dut_startup(t);
	bool mode = reply.came && reply.frame.rev == 0 &&
		    (reply.frame.flags & (MPA_M | MPA_C)) == (MPA_M | MPA_C);

	/* then the Reply is of that mode as well, or refuses, or there is
	 * none, or only TCP's close follows it (C.2.1). */
	may(t, MPA_C_01,
	    any_of(t, holds("a Reply with Rev 0, M=1 and C=1", mode),
		   holds("a Reply that rejects",
			 reply.came && reply.frame.flags & MPA_R),
		   holds("TCP closed without a Reply",
			 !reply.came && reply.closed),
		   closed_without_fpdu()));
}

CASE_EACH(unusable_revision_of_a_reply, struct rev_row, reply_revisions,
	  .title = "an initiator's reaction to a Reply of another revision is "
		   "recorded",
	  .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_request(t);

	/* when a Reply is of a revision that it did not ask for, */
	peer_sends_startup(t, REPLY(.rev = IS(row->rev)));

	/* then it is refused, or taken as usable. */
	observe(t, MPA_7_1_1_23, "the agent reports: %s", dut_ends(t).state);
}
