/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.1, s7.1.2, s8: the Request and Reply Frames, what makes one
 * badly formed, and what follows from that.
 */
#include "case.h"

#define REQUEST_KEY "MPA ID Req Frame"
#define REPLY_KEY   "MPA ID Rep Frame"
#define KEY_OCTETS  16

/* --- the device's Request -------------------------------------------- */

CASE(request_ends_after_private_data,
     .title = "neither a CRC nor a marker follows the Request Frame",
     .role = INITIATOR)
{
	/* Given a peer that accepts TCP, */
	dut_dials(t, .private_data = "seven..", .private_octets = 7);

	/* when the device has sent its Request, */
	struct startup_seen request = awaits_startup(t, MPA_7_1_1_01);

	/* then nothing follows what PD_Length announces, and it is taken. */
	must(t, MPA_7_1_01, nothing_more());
	must(t, MPA_7_1_01,
	     is("octets of the Request", request.n,
		20u + request.frame.pd_length));
	peer_sends_startup(t, REPLY());
	must(t, MPA_7_1_01, full_operation_works());
}

CASE(request_has_the_request_key,
     .title = "the Request starts with the 16 octets of its key",
     .role = INITIATOR)
{
	/* Given a device that connects, when its Request comes, */
	dut_dials(t);
	struct startup_seen request = awaits_startup(t, MPA_7_1_2_01);

	/* then its key is that of a Request, */
	must(t, MPA_7_1_1_01,
	     octets_are(t, "Key", request.octets, KEY_OCTETS, REQUEST_KEY,
			KEY_OCTETS));
	/* and its Reply is awaited. */
	peer_sends_startup(t, REPLY());
	must(t, MPA_7_1_1_01, full_operation_works());
}

CASE(plain_request_is_revision_one,
     .title = "a Request without enhanced features has R and the reserved "
	      "bits zero",
     .role = INITIATOR)
{
	/* Given a device that wants no enhanced features, when it connects, */
	dut_dials(t, .dut_mpa = 1);
	struct startup_seen request = awaits_startup(t, MPA_7_1_2_01);

	/* then Rev is 1 (2 only where RFC 6581 is known), R and Res are 0. */
	must(t, MPA_7_1_1_20,
	     any_of(t, is("Rev", request.frame.rev, 1),
		    is("Rev", request.frame.rev,
		       dut_claims(t) & NEED_ENHANCED ? 2 : 1)));
	must(t, MPA_7_1_1_13, is("R", request.frame.flags & MPA_R, 0));
	must(t, MPA_7_1_1_16,
	     is("S and Res", request.frame.flags & (MPA_S | MPA_RESERVED), 0));
	peer_sends_startup(t, REPLY());
	must(t, MPA_7_1_1_20, full_operation_works());
}

CASE(initiator_sends_a_request_first,
     .title = "an initiator sends a Request and nothing more before the Reply",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a device with a Send queued, */
	bool markers = dut_claims(t) & NEED_MARKERS_TX;
	dut_dials(t, .markers = markers);
	dut_posts(t, POST_SEND("early"));

	/* when its Request has come and the peer stays silent, */
	awaits_startup(t, MPA_7_1_2_01);

	/* then no FPDU and no marker follows until the Reply is there. */
	must(t, MPA_7_1_2_01, nothing_more());
	peer_sends_startup(t, REPLY(.m = markers));
	full_operation(t);
	awaits(t, MPA_7_1_2_01, RDMAP_SEND);
	must(t, MPA_7_1_2_01, stream_works());
}

/* --- the device's Reply ------------------------------------------------ */

CASE(reply_ends_after_private_data,
     .title = "neither a CRC nor a marker follows the Reply Frame")
{
	/* Given a Request that asks for CRCs, and markers where there are any, */
	dut_listens(t, .private_data = "seven..", .private_octets = 7);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.m = dut_claims(t) & NEED_MARKERS_TX));

	/* when the Reply has come, */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);

	/* then nothing follows what its PD_Length announces, */
	must(t, MPA_7_1_02,
	     is("octets of the Reply", reply.n, 20u + reply.frame.pd_length));
	full_operation(t);
	must(t, MPA_7_1_02, nothing_more());
	/* and markers and CRCs start with the FPDUs. */
	must(t, MPA_7_1_02, stream_works());
}

CASE(reply_has_the_reply_key,
     .title = "the Reply starts with the 16 octets of its key")
{
	/* Given a listening device, when a valid Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);

	/* then the key of its Reply is that of a Reply. */
	must(t, MPA_7_1_1_02,
	     octets_are(t, "Key", reply.octets, KEY_OCTETS, REPLY_KEY,
			KEY_OCTETS));
	must(t, MPA_7_1_1_02, full_operation_works());
}

CASE(reply_repeats_revision_one,
     .title = "the Reply to a Rev 1 Request carries Rev 1")
{
	/* Given a listening device, when a Rev 1 Request comes, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.rev = IS(1)));
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);

	/* then the Reply is of that revision. */
	must(t, MPA_7_1_1_37, is("Rev", reply.frame.rev, 1));
	must(t, MPA_7_1_1_37, full_operation_works());
}

CASE(reply_chooses_its_own_c,
     .title = "with C=1 in the Request CRCs are used, whatever C the Reply "
	      "shows",
     .needs = NEED_SEND)
{
	/* Given a Request with C=1, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());

	/* when the Reply comes, its C may have either value, */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);

	may(t, MPA_7_1_1_12,
	    holds("C=1 in the Reply too", reply.frame.flags & MPA_C));
	/* and what the device sends has right CRCs. */
	must(t, MPA_7_1_1_10, full_operation_works());
	dut_posts(t, POST_SEND("checked"));
	const struct frame *f = awaits(t, MPA_7_1_1_10, RDMAP_SEND);
	must(t, MPA_7_1_1_10, holds("the CRC of the Send is right", f->crc_ok));
}

CASE(r_in_a_request_is_not_checked,
     .title = "a Request with R=1 is answered as with R=0")
{
	/* Given a listening device, when a Request has R=1, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.r = true));

	/* then it is accepted all the same. */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_14);
	must(t, MPA_7_1_1_14, is("R", reply.frame.flags & MPA_R, 0));
	must(t, MPA_7_1_1_14, full_operation_works());
}

/* --- reserved bits --------------------------------------------------------- */

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

CASE_EACH(reserved_bits_of_a_request_are_not_checked, struct bit_row,
	  reserved_bits,
	  .title = "a Request with a reserved bit set is accepted")
{
	/* Given a listening device, when one reserved bit is set, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.reserved = row->bit));

	/* then the connection is accepted all the same. */
	awaits_startup(t, MPA_7_1_1_18);
	must(t, MPA_7_1_1_18, full_operation_works());
}

CASE_EACH(reserved_bits_of_a_reply_are_not_checked, struct bit_row,
	  reserved_bits, .title = "a Reply with a reserved bit set is accepted",
	  .role = INITIATOR)
{
	/* Given a device that connects, */
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);

	/* when the Reply has one reserved bit set, */
	peer_sends_startup(t, REPLY(.reserved = row->bit));

	/* then it enters Full Operation all the same. */
	must(t, MPA_7_1_1_19, full_operation_works());
}

CASE(reserved_bits_are_not_echoed,
     .title = "the Reply has its reserved bits zero, whatever the Request had")
{
	/* Given a Request with all reserved bits set, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.reserved = 0x0f));

	/* when the Reply comes, then it has none set. */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_17);
	must(t, MPA_7_1_1_17,
	     is("S and Res", reply.frame.flags & (MPA_S | MPA_RESERVED), 0));
	must(t, MPA_7_1_1_17, full_operation_works());
}

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
	awaits_startup(t, MPA_7_1_2_01);

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
     .title = "two initiators find each other out by the key",
     .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);

	/* when its Request is answered by a Request, */
	peer_sends_startup(t, REQUEST());

	/* then TCP is closed, and an error is reported. */
	must(t, MPA_7_1_2_20, closed_without_fpdu());
	must(t, MPA_7_1_2_20, agent_sees_failed_startup());
}

/* --- octets that are no startup frame -------------------------------------- */

/* pattern() with these seeds; none starts as either key does. */
struct noise_row {
	CASE_ROW;
	unsigned seed;
	bool whole;
};
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

	/* when 20 octets come that are no Request, */
	peer_sends_octets(t, pattern(t, 20, row->seed), 20);

	/* then TCP is closed without a Reply. */
	must(t, MPA_7_1_2_05, closed_without_reply());
}

/* The first is noise throughout. The others are of the length that their
 * PD_Length of 0 says: nothing but what they are can be held against them. */
static const struct noise_row reply_noises[] = {
	{.id = "seed-1", .seed = 1},
	{.id = "seed-2-whole", .seed = 2, .whole = true},
	{.id = "seed-3-whole", .seed = 3, .whole = true},
	{.id = "seed-4-whole", .seed = 4, .whole = true},
	{.id = "seed-5-whole", .seed = 5, .whole = true},
	{.id = "seed-6-whole", .seed = 6, .whole = true},
	{.id = "seed-7-whole", .seed = 7, .whole = true},
	{.id = "seed-8-whole", .seed = 8, .whole = true},
};

CASE_EACH(noise_for_a_reply_closes, struct noise_row, reply_noises,
	  .title = "20 octets of noise in place of a Reply close TCP",
	  .role = INITIATOR)
{
	uint8_t noise[20];

	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);

	/* when 20 octets come that are no Reply, */
	memcpy(noise, pattern(t, sizeof(noise), row->seed), sizeof(noise));
	if (row->whole)
		noise[18] = noise[19] = 0;
	peer_sends_octets(t, noise, sizeof(noise));

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
	must(t, MPA_7_1_2_04, closed_without_reply());
	must(t, MPA_7_1_2_04, agent_sees_failed_startup());
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
	  .title = "what a responder does with a Request of a later revision")
{
	/* Given a device that accepts right Requests, */
	dut_works(t);
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request is of a later revision, */
	peer_sends_startup(t, REQUEST(.rev = IS(row->rev)));

	/* then it is closed, perhaps after a Reply, or taken as usable. */
	struct startup_seen reply = dut_startup(t);
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

	/* then TCP is closed, perhaps after a Reply with Rev 1; or the Reply
	 * is that of RDMA Consortium mode. */
	struct startup_seen reply = dut_startup(t);
	bool consortium =
		reply.came && reply.frame.rev == 0 &&
		(reply.frame.flags & (MPA_M | MPA_C)) == (MPA_M | MPA_C);

	if (reply.came && !consortium)
		must(t, MPA_7_1_1_22, is("Rev", reply.frame.rev, 1));
	must(t, MPA_7_1_1_22,
	     any_of(t, holds("a Reply with Rev 0, M=1 and C=1", consortium),
		    closed_without_fpdu()));
}

CASE(revision_zero_may_start_consortium_mode,
     .title = "a Request of Rev 0 is refused, or answered in RDMA Consortium "
	      "mode, with nothing of the two mixed")
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

	/* then the Reply is of that mode as well, or refuses, or there is none. */
	may(t, MPA_C_01,
	    any_of(t, holds("a Reply with Rev 0, M=1 and C=1", mode),
		   holds("a Reply that rejects",
			 reply.came && reply.frame.flags & MPA_R),
		   holds("TCP closed without a Reply",
			 !reply.came && reply.closed)));
}

CASE_EACH(unusable_revision_of_a_reply, struct rev_row, reply_revisions,
	  .title = "what an initiator does with a Reply of another revision",
	  .role = INITIATOR)
{
	/* Given a device that accepts right Replies, */
	dut_works(t);
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);

	/* when a Reply is of a revision that it did not ask for, */
	peer_sends_startup(t, REPLY(.rev = IS(row->rev)));

	/* then it is refused, or taken as usable. */
	observe(t, MPA_7_1_1_23, "the agent says: %s", dut_ends(t).state);
}

/* --- frames in pieces -------------------------------------------------------- */

/* A device that reads startup frames in one thread for all may stall on it. */
CASE(request_in_single_octets,
     .title = "a Request is accepted from single-octet segments",
     .destructive = true)
{
	/* Given a listening device, */
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request comes one octet per segment, */
	for (size_t i = 0; i < 23; i++) {
		peer_sends_startup_part(
			t, REQUEST(.private_data = "abc", .private_octets = 3),
			i, i + 1);
		dut_has_its_turn(t);
	}

	/* then it is answered as any other. */
	awaits_startup(t, MPA_7_1_2_31);
	must(t, MPA_7_1_2_31, full_operation_works());
}

CASE(reply_in_single_octets,
     .title = "a Reply is accepted from single-octet segments",
     .role = INITIATOR, .destructive = true)
{
	/* Given a device that connects, */
	dut_dials(t);
	awaits_startup(t, MPA_7_1_2_01);

	/* when the Reply comes one octet per segment, */
	for (size_t i = 0; i < 23; i++) {
		peer_sends_startup_part(
			t, REPLY(.private_data = "abc", .private_octets = 3), i,
			i < 22 ? i + 1 : 0);
		dut_has_its_turn(t);
	}

	/* then it enters Full Operation as with any other. */
	must(t, MPA_7_1_2_32, full_operation_works());
}
