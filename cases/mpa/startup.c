/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5044 s7.1.1, s7.1.2: the Request and Reply Frames, as the device sends
 * them and takes them.
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
	dut_dials(t);

	/* when the device has sent its Request, */
	struct startup_seen request = awaits_request(t);

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
	if (request.enhanced.a)
		not_applicable(t, "the device's Requests are all of the "
				  "peer-to-peer model");
	must(t, MPA_7_1_1_20,
	     any_of(t, is("Rev", request.frame.rev, 1),
		    is("Rev", request.frame.rev,
		       dut_claims(t) & NEED_ENHANCED ? 2 : 1)));
	must(t, MPA_7_1_1_13, is("R", request.frame.flags & MPA_R, 0));
	unsigned res = MPA_RESERVED | (request.frame.rev < 2 ? MPA_S : 0);
	must(t, MPA_7_1_1_16, is("Res", request.frame.flags & res, 0));
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

	/* when its Request has arrived and the peer stays silent, */
	awaits_startup(t, MPA_7_1_2_01);

	/* then no FPDU and no marker follows until the Reply is there. */
	insists(t, MPA_7_1_2_01, nothing_more());
	peer_sends_startup(t, REPLY(.m = markers));
	full_operation(t);
	awaits(t, MPA_7_1_2_01, RDMAP_SEND);
	must(t, MPA_7_1_2_01, stream_works());
}

/* --- the device's Reply ------------------------------------------------ */

CASE(reply_ends_after_private_data,
     .title = "neither a CRC nor a marker follows the Reply Frame")
{
	/* Given a Request that requests CRCs, and markers if there are any, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.m = dut_claims(t) & NEED_MARKERS_TX));

	/* when the Reply has arrived, */
	struct startup_seen reply = awaits_reply(t);

	/* then nothing follows what its PD_Length announces, */
	must(t, MPA_7_1_02,
	     is("octets of the Reply", reply.n, 20u + reply.frame.pd_length));
	full_operation(t);
	must(t, MPA_7_1_02, nothing_more());
	/* and markers and CRCs start with the FPDUs. */
	must(t, MPA_4_3_03, stream_works());
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
     .title =
	     "with C=1 in the Request, CRCs are used whatever the Reply's C is",
     .needs = NEED_SEND)
{
	/* Given a Request with C=1, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST());

	/* when the Reply comes, its C may have either value, */
	struct startup_seen reply = awaits_startup(t, MPA_7_1_1_02);

	may(t, MPA_7_1_1_12,
	    holds("C=1 in the Reply, too", reply.frame.flags & MPA_C));
	/* and the device's FPDUs have correct CRCs. */
	must(t, MPA_7_1_1_10, full_operation_works());
	dut_posts(t, POST_SEND("checked"));
	const struct frame *f = awaits(t, MPA_7_1_1_10, RDMAP_SEND);
	must(t, MPA_7_1_1_10, holds("the CRC of the Send is right", f->crc_ok));
}

CASE(r_in_a_request_is_not_checked,
     .title = "a Request with R=1 is answered as with R=0")
{
	/* Given a device that accepts, when a Request has R=1, */
	dut_works(t);
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
