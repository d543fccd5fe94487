/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.4 and s8, RFC 5041 s3: CRC32c on every FPDU, at the request of
 * either side; an FPDU whose CRC is wrong, and everything after it. */
#include "case.h"

/* Bits of a finished FPDU without markers, as .flip counts them. */
#define BIT(octet, bit) IS((octet)*8 + (bit))

/* --- FPDUs that are not delivered ----------------------------------------- */

CASE(wrong_crc_is_never_delivered,
     .title =
	     "an FPDU whose CRC is wrong is not delivered, and the stream ends",
     .needs = NEED_CRC | NEED_AGENT | NEED_SEND, .role = EITHER)
{
	/* Given a CRC-protected stream and one buffer waiting for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends a Send whose only fault is its CRC, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then nothing is delivered, the cause is named, and the stream is
	 * over, or the segment was dropped as if lost. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
	should(t, MPA_8_02,
	       any_of(t, terminate(TERM_LLP, 0, 0x02), segment_dropped()));
}

struct damage {
	CASE_ROW;
	enum crc_fault crc;
	struct over flip, pad_after;
};

static const struct damage damages[] = {
	{.id = "payload_bit", .must = &MPA_4_4_14, .flip = BIT(20, 0)},
	{.id = "last_payload_bit", .must = &MPA_4_4_14, .flip = BIT(24, 7)},
	{.id = "crc_first_bit", .must = &MPA_4_4_17, .flip = BIT(28, 0)},
	{.id = "crc_last_bit", .must = &MPA_4_4_17, .flip = BIT(31, 7)},
	{.id = "crc_byte_swapped",
	 .must = &MPA_4_4_18,
	 .crc = CRC_BYTE_SWAPPED},
	{.id = "crc_not_complemented",
	 .must = &MPA_4_4_19,
	 .crc = CRC_NOT_COMPLEMENTED},
	{.id = "crc_of_ethernet", .must = &MPA_4_4_20, .crc = CRC_ETHERNET},
	{.id = "crc_zero", .must = &MPA_4_4_14, .crc = CRC_ZERO},
	{.id = "pad_octet", .must = &MPA_4_1_06, .pad_after = IS(0xff)},
	{.id = "tagged_flag", .must = &DDP_3_01, .flip = BIT(2, 0)},
	{.id = "last_flag", .must = &DDP_3_01, .flip = BIT(2, 1)},
	{.id = "ddp_reserved_bit", .must = &DDP_3_01, .flip = BIT(2, 2)},
	{.id = "ddp_version", .must = &DDP_3_01, .flip = BIT(2, 7)},
	{.id = "rdmap_version", .must = &DDP_3_01, .flip = BIT(3, 1)},
	{.id = "opcode", .must = &DDP_3_01, .flip = BIT(3, 5)},
	{.id = "invalidate_stag", .must = &DDP_3_01, .flip = BIT(4, 0)},
	{.id = "queue_number", .must = &DDP_3_01, .flip = BIT(11, 7)},
	{.id = "message_sequence_number",
	 .must = &DDP_3_01,
	 .flip = BIT(15, 6)},
	{.id = "message_offset", .must = &DDP_3_01, .flip = BIT(19, 7)},
};

CASE_EACH(nothing_from_a_damaged_fpdu_on, struct damage, damages,
	  .title = "neither an FPDU with a wrong CRC nor any FPDU after it is "
		   "delivered",
	  .needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a CRC-protected stream and buffers for two Sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = ON);

	/* when a Send is damaged, and a right one follows at once, */
	peer_sends(t,
		   SEND("hello", .crc = row->crc, .flip = row->flip,
			.pad_after = row->pad_after),
		   .hold = true);
	peer_sends(t, SEND("world"));

	/* then neither is delivered: the stream ends with the cause named, or
	 * the TCP segment was dropped as if lost. */
	must_row(t, row, stream_ends_or_stalls());
	must_row(t, row, not_delivered(sinks));
	should(t, MPA_8_02, crc_error_reported(t));
}

struct tail {
	CASE_ROW;
	size_t octets; /* of the CRC field, in a TCP segment of their own */
};

static const struct tail tails[] = {
	{.id = "last_octet", .octets = 1},
	{.id = "last_2_octets", .octets = 2},
	{.id = "last_3_octets", .octets = 3},
};

CASE_EACH(a_wrong_crc_in_two_parts, struct tail, tails,
	  .title =
		  "an FPDU with a wrong CRC is not delivered if the end of the "
		  "CRC arrives in a TCP segment of its own",
	  .needs = NEED_CRC | NEED_SEND, .role = INITIATOR)
{
	/* Given a CRC-protected stream, and all of a Send but the last octets
	 * of its CRC, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON);
	peer_sends(t, SEND("hello", .crc = CRC_WRONG),
		   .keep_last = row->octets);
	dut_has_its_turn(t);
	insists(t, MPA_5_1_07,
		holds("nothing is delivered before the last octet of the CRC",
		      !dut_has_received(t, sink).came));

	/* when these come, and the CRC is wrong, */
	peer_goes_on(t);

	/* then the Send is not delivered. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));
	should(t, MPA_8_02, crc_error_reported(t));
}

struct length {
	CASE_ROW;
	size_t payload; /* of the Send whose ULPDU_Length is damaged */
};

static const struct length lengths[] = {
	{.id = "22_to_23", .payload = 4},
	{.id = "23_to_22", .payload = 5},
	{.id = "24_to_25", .payload = 6},
	{.id = "25_to_24", .payload = 7},
};

CASE_EACH(a_damaged_length_is_caught, struct length, lengths,
	  .title = "a ULPDU_Length that was changed by one after the CRC was "
		   "computed is detected before the FPDU is used",
	  .needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a CRC-protected stream and buffers for four Sends, */
	struct sink sinks = dut_posts_recvs(t, 4, 64);
	connects(t, .crc = ON);

	/* when the lowest bit of a ULPDU_Length is flipped, and correct Sends
	 * follow that may fill the announced length, */
	peer_sends(t, SEND_N("damaged", row->payload, .flip = BIT(1, 7)),
		   .hold = true);
	peer_sends(t, SEND("one"), .hold = true);
	peer_sends(t, SEND("two"), .hold = true);
	peer_sends(t, SEND("three"));

	/* then nothing from that FPDU on is delivered. */
	must(t, MPA_4_4_15, stream_ends_or_stalls());
	must(t, MPA_4_4_15, not_delivered(sinks));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(a_damaged_to_places_nothing,
     .title = "a Write whose TO was damaged is placed at neither address",
     .needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that holds both addresses, */
	struct region r = dut_registers(t, .len = 512, .align = 512,
					.access = FOR_WRITES);
	connects(t, .crc = ON);

	/* when a bit of the TO is flipped, which moves the Write by 256, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .flip = BIT(14, 7)));

	/* then the buffer is unchanged. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_16, memory_unchanged(r));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(the_crc_is_checked_first,
     .title = "a damaged STag is a CRC error, not an invalid STag",
     .needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a CRC-protected stream and a buffer, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = ON);

	/* when a bit of a Write's STag is flipped, so that none has it, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .flip = BIT(4, 0)));

	/* then the STag was not used. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_23,
	     any_of(t, no_terminate(), terminate_if_any(TERM_LLP, 0, 0x02),
		    terminate_if_any(TERM_LLP, 0, 0x03),
		    terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
	must(t, MPA_4_4_23, memory_unchanged(r));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(no_write_behind_a_crc_error,
     .title = "a correct Write after a damaged Send in one TCP segment is not "
	      "placed",
     .needs = NEED_CRC | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a CRC-protected stream, a buffer for each, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = ON);

	/* when a damaged Send, a right Write and a right Send come at once, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG), .hold = true);
	peer_sends(t, WRITE(r, 0, "hello", 5), .hold = true);
	peer_sends(t, SEND("world"));

	/* then the error is the last that DDP hears of this half. */
	must(t, MPA_8_09, stream_ends_or_stalls());
	must(t, MPA_8_09, memory_unchanged(r));
	must(t, MPA_8_09, not_delivered(sinks));
}

/* --- requests for CRCs ---------------------------------------------------- */

CASE(crc_is_supported,
     .title = "a peer that requires CRCs gets them, and may send them",
     .needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a peer that requires CRCs, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON);

	/* when both sides send, */
	peer_sends(t, SEND("hello"));
	dut_posts(t, POST_SEND("world"));

	/* then each understands the other. */
	must(t, MPA_4_4_01,
	     holds("the device can compute CRCs", dut_has_crcs(t)));
	must(t, MPA_4_4_01, delivered_text(sink, "hello"));
	const struct frame *f = awaits(t, MPA_4_4_01, RDMAP_SEND);
	must(t, MPA_4_4_01,
	     holds_of(f, "the CRC of the device's Send is right", f->crc_ok,
		      NULL));
}

CASE(a_request_asks_for_crcs_by_default,
     .title = "an initiator in its default configuration sets C in its Request",
     .role = INITIATOR)
{
	/* Given a device whose ULP has not requested to do without CRCs, */
	dut_dials(t);

	/* when it sends its Request, */
	struct startup_seen request = awaits_startup(t, MPA_4_4_02);

	/* then it requests them, and continues. */
	must(t, MPA_4_4_02, holds("C=1", request.frame.flags & MPA_C));
	peer_sends_startup(t, REPLY());
	must(t, MPA_4_4_02, full_operation_works());
}

CASE(a_reply_asks_for_crcs_by_default,
     .title = "a responder in its default configuration sets C in its Reply, "
	      "also to a Request that does not",
     .role = RESPONDER)
{
	/* Given a device whose ULP has not requested to do without CRCs, */
	dut_listens(t);
	peer_opens_tcp(t);

	/* when a Request does not ask for them, */
	peer_sends_startup(t, REQUEST(.no_crc = true));
	struct startup_seen reply = awaits_startup(t, MPA_4_4_03);

	/* then the Reply does, and CRCs are used in both directions. */
	must(t, MPA_4_4_03, holds("C=1", reply.frame.flags & MPA_C));
	must(t, MPA_4_4_03, full_operation_works());
}

CASE(crcs_are_generated_for_a_peer_that_wants_them,
     .title = "a device that prefers no CRCs generates them, to the end, for a "
	      "peer that requires them",
     .needs = NEED_CRC_OFF | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device that does not request CRCs and a peer that does, */
	struct region r = dut_registers(t, .len = 512 * 1024);
	connects(t, .crc = ON, .dut_crc = OFF, .mss = 1460);

	/* when the device sends many FPDUs, */
	dut_posts(t, POST_WRITE_FROM(r, 0, r.len, 0x1234, 0x1000));
	dut_posts(t, POST_SEND("last"));
	struct message m = awaits_message(t, MPA_4_4_04, RDMAP_WRITE);
	const struct frame *last = awaits(t, MPA_4_4_04, RDMAP_SEND);

	/* then each of them has a right CRC. */
	unsigned wrong = !last->crc_ok;
	for (size_t i = 0; i < m.count; i++)
		wrong += !m.frames[i]->crc_ok;
	must(t, MPA_4_4_04, is("FPDUs with a wrong CRC", wrong, 0));
}

CASE(crcs_are_checked_for_a_peer_that_wants_them,
     .title = "a device that prefers no CRCs checks them, to the end, for a "
	      "peer that requires them",
     .needs = NEED_CRC_OFF | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device that does not request CRCs and a peer that does, */
	struct region r = dut_registers(t, .len = 4000, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = ON, .dut_crc = OFF);

	/* when a damaged FPDU arrives after a thousand correct ones, */
	peer_sends(t, WRITE(r, 0, pattern(t, 4000, 1), 4000, .segment = 4),
		   .hold = true);
	peer_sends(t, SEND("hello", .crc = CRC_WRONG), .hold = true);
	peer_sends(t, SEND("world"));

	/* then it is caught. */
	must(t, MPA_4_4_05, stream_ends_or_stalls());
	must(t, MPA_4_4_05, not_delivered(sinks));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE(crcs_are_checked_if_only_the_device_wants_them,
     .title = "a device that requires CRCs checks them although its peer "
	      "prefers none",
     .needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a peer that does not request CRCs and a device that does, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .crc = OFF);

	/* when an FPDU is damaged, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG), .hold = true);
	peer_sends(t, SEND("world"));

	/* then it is caught. */
	must(t, MPA_4_4_21, stream_ends_or_stalls());
	must(t, MPA_4_4_21, not_delivered(sinks));
	should(t, MPA_8_02, crc_error_reported(t));
}

struct wish {
	CASE_ROW;
	unsigned peer, device;
	bool peer_to_peer;
};

static void enhanced_startup(struct test *t, const struct wish *row)
{
	if (row->peer_to_peer && ~dut_claims(t) & (NEED_P2P | NEED_RTR_READ))
		not_applicable(t, "the device does not take or send a Read as "
				  "RTR");
	connects(t, .enhanced = true, .rtr = row->peer_to_peer ? RTR_READ : 0,
		 .crc = row->peer, .dut_crc = row->device);
	/* A device may hold its work back until its RTR is answered. */
	if (row->peer_to_peer && case_role(t) == INITIATOR) {
		const struct frame *rtr = next_frame(t);

		if (rtr && rtr->seg.ddp.opcode == RDMAP_READ_REQUEST)
			peer_sends(t, READ_RESPONSE(rtr, "", 0));
	}
}

/* The device's own C is on by default, so that .device counts only as OFF. */
static const struct wish wishes[] = {
	{.id = "of_the_peer", .must = &MPA_4_4_05, .peer = ON, .device = OFF},
	{.id = "of_the_device", .must = &MPA_4_4_21, .peer = OFF},
	{.id = "of_the_peer_in_peer_to_peer",
	 .must = &MPA_4_4_05,
	 .peer = ON,
	 .device = OFF,
	 .peer_to_peer = true},
	{.id = "of_the_device_in_peer_to_peer",
	 .must = &MPA_4_4_21,
	 .peer = OFF,
	 .peer_to_peer = true},
};

CASE_EACH(crcs_are_checked_after_an_enhanced_startup, struct wish, wishes,
	  .title = "after an enhanced startup, CRCs are checked at the wish of "
		   "one side",
	  .needs = NEED_CRC_OFF | NEED_ENHANCED | NEED_SEND, .role = EITHER)
{
	/* Given an enhanced startup in which one side asks for CRCs, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	enhanced_startup(t, row);
	if (row->peer_to_peer && !known_answer(t))
		not_applicable(t, "no exchange works behind the RTR, which "
				  "other cases judge");

	/* when an FPDU is damaged, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG), .hold = true);
	peer_sends(t, SEND("world"));

	/* then it is caught. */
	must_row(t, row, stream_ends_or_stalls());
	must_row(t, row, not_delivered(sinks));
	should(t, MPA_8_02, crc_error_reported(t));
}

static const struct wish senders_wishes[] = {
	{.id = "of_the_peer", .must = &MPA_4_4_04, .peer = ON, .device = OFF},
	{.id = "of_the_device", .must = &MPA_7_1_1_10, .peer = OFF},
	{.id = "of_the_peer_in_peer_to_peer",
	 .must = &MPA_4_4_04,
	 .peer = ON,
	 .device = OFF,
	 .peer_to_peer = true},
	{.id = "of_the_device_in_peer_to_peer",
	 .must = &MPA_7_1_1_10,
	 .peer = OFF,
	 .peer_to_peer = true},
};

CASE_EACH(crcs_are_generated_after_an_enhanced_startup, struct wish,
	  senders_wishes,
	  .title = "after an enhanced startup, CRCs are generated at the wish "
		   "of one side",
	  .needs = NEED_CRC_OFF | NEED_ENHANCED | NEED_SEND, .role = EITHER)
{
	/* Given an enhanced startup in which one side asks for CRCs, */
	enhanced_startup(t, row);

	/* when the device sends an FPDU, then its CRC is right. */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = next_frame(t);
	if (!f || f->seg.ddp.opcode != RDMAP_SEND)
		not_applicable(t, "no Send came, which other cases judge");
	must_row(t, row,
		 holds_of(f, "a Send with a right CRC", f->crc_ok, NULL));
}

CASE(no_checking_if_nobody_wants_crcs,
     .title = "with C=0 on both sides the very first FPDU is not checked",
     .needs = NEED_CRC_OFF | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = OFF, .dut_crc = OFF, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when the peer's first FPDU has a CRC field that is wrong, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then it is not checked, nor read as the next field. */
	must(t, MPA_4_4_06, delivered_text(sink, "hello"));
	must(t, MPA_4_1_13, stream_works());
}

CASE(what_is_in_the_crc_field_without_crcs,
     .title = "with C=0 on both sides a sender may still generate CRCs",
     .needs = NEED_CRC_OFF | NEED_SEND, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	connects(t, .crc = OFF, .dut_crc = OFF);

	/* when the device sends an FPDU, */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = awaits(t, MPA_4_1_11, RDMAP_SEND);

	/* then its CRC field may hold a CRC, or anything. */
	may(t, MPA_4_4_07, holds("a right CRC", f->crc_ok));
}

/* --- how it is computed ---------------------------------------------------- */

/* RFC 5044 figures 5 and 6: a Send of 24 zero octets as the first FPDU of a
 * stream with markers, and as the second after one of 492 octets. */
static const uint8_t figure_5[] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x2a, 0x41, 0x43, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x52, 0x23, 0x99, 0x83,
};
static const uint8_t figure_6[] = {
	0x00, 0x2a, 0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x84, 0x92, 0x58, 0x98,
};
#define FIGURE_5_CRC 0x83992352u /* sent least significant octet first */
#define FIGURE_6_CRC 0x98589284u
#define FIGURE_DATA  24  /* octets of zeros */
#define FIGURE_FIRST 464 /* payload of an FPDU of 492 octets */

/* The figure's CRC under the octets of the figure; under others, which are for
 * others to judge, theirs. */
static struct expect has_crc_of(struct test *t, const struct frame *f,
				const uint8_t *figure, size_t n)
{
	if (f->n != n || memcmp(f->octets, figure, n - 4) != 0)
		return holds("a CRC that fits the octets of this FPDU",
			     f->crc_ok);
	return octets_are(t, "CRC of the figure", f->octets + n - 4, 4,
			  figure + n - 4, 4);
}

CASE(the_sample_fpdu_is_sent_so,
     .title = "a Send of 24 zero octets, the first on a stream with markers, "
	      "has the CRC that RFC 5044 prints",
     .needs = NEED_MARKERS_TX | NEED_SEND, .role = EITHER)
{
	/* Given a peer that wants markers and CRCs, */
	connects(t, .crc = ON, .markers = true, .unproven = true,
		 .counts_fpdus = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device's first FPDU is a Send of 24 zero octets, */
	dut_posts(t, POST_SEND_N(octets_of(t, FIGURE_DATA, 0), FIGURE_DATA));
	const struct frame *f = awaits(t, MPA_4_4_09, RDMAP_SEND);
	in_one_fpdu(t, f);

	/* then its CRC is that of figure 5. */
	must(t, MPA_4_4_09, has_crc_of(t, f, figure_5, sizeof(figure_5)));
}

CASE(the_sample_fpdu_with_a_marker_is_sent_so,
     .title = "a Send of 24 zero octets after an FPDU of 492 octets, with a "
	      "marker inside, has the CRC that RFC 5044 prints",
     .needs = NEED_MARKERS_TX | NEED_SEND, .role = EITHER)
{
	/* Given a peer that wants markers and CRCs, */
	connects(t, .crc = ON, .markers = true, .unproven = true,
		 .counts_fpdus = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when a Send of 464 octets and one of 24 zero octets leave it, */
	dut_posts(t, POST_SEND_N(pattern(t, FIGURE_FIRST, 1), FIGURE_FIRST));
	dut_posts(t, POST_SEND_N(octets_of(t, FIGURE_DATA, 0), FIGURE_DATA));
	awaits(t, MPA_4_4_12, RDMAP_SEND);
	const struct frame *f = awaits(t, MPA_4_4_12, RDMAP_SEND);

	/* then that of the second is as in figure 6. */
	must(t, MPA_4_4_12, has_crc_of(t, f, figure_6, sizeof(figure_6)));
}

CASE(the_sample_fpdu_is_taken,
     .title =
	     "the sample FPDU of RFC 5044 is accepted as the first of a stream",
     .needs = NEED_MARKERS_RX | NEED_SEND, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON, .dut_markers = true, .unproven = true,
		 .counts_fpdus = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when the peer sends figure 5, its CRC as printed, */
	peer_sends(t, SEND_N(octets_of(t, FIGURE_DATA, 0), FIGURE_DATA,
			     .crc = CRC_VALUE, .crc_value = FIGURE_5_CRC));

	/* then its data is delivered. */
	must(t, MPA_4_4_10,
	     delivered(sink, octets_of(t, FIGURE_DATA, 0), FIGURE_DATA));
}

CASE(the_sample_fpdu_with_a_marker_is_taken,
     .title = "the sample FPDU of RFC 5044 with a marker inside is accepted as "
	      "the second of a stream",
     .needs = NEED_MARKERS_RX | NEED_SEND, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 2, 512);
	connects(t, .crc = ON, .dut_markers = true, .unproven = true,
		 .counts_fpdus = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);
	if (peer_mulpdu(t) < DDP_UNTAGGED_OCTETS + FIGURE_FIRST)
		not_applicable(t, "the path's MULPDU is less");

	/* when an FPDU of 492 octets and figure 6 come, its CRC as printed, */
	const uint8_t *first = pattern(t, FIGURE_FIRST, 1);
	peer_sends(t, SEND_N(first, FIGURE_FIRST));
	peer_sends(t, SEND_N(octets_of(t, FIGURE_DATA, 0), FIGURE_DATA,
			     .crc = CRC_VALUE, .crc_value = FIGURE_6_CRC));

	/* then both are delivered. */
	must(t, MPA_4_4_11, delivered(sink_at(sinks, 0), first, FIGURE_FIRST));
	must(t, MPA_4_4_11,
	     delivered(sink_at(sinks, 1), octets_of(t, FIGURE_DATA, 0),
		       FIGURE_DATA));
}

CASE(a_leading_marker_is_in_the_crc,
     .title = "the CRC of a device's first FPDU starts at the marker before it",
     .needs = NEED_MARKERS_TX | NEED_SEND, .role = EITHER)
{
	/* Given a peer that wants markers and CRCs, */
	connects(t, .crc = ON, .markers = true, .unproven = true,
		 .counts_fpdus = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends the first FPDU of its direction, */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = awaits(t, MPA_4_4_13, RDMAP_SEND);

	/* then its CRC is right for all of it, the marker included. */
	must(t, MPA_4_4_13, is("leading markers", f->fpdu->marker_count, 1));
	must(t, MPA_4_4_13,
	     holds("a CRC that starts at the marker", f->crc_ok));
	must(t, MPA_4_4_13, stream_works());
}

/* --- the Terminate --------------------------------------------------------- */

struct last_words {
	CASE_ROW;
	bool markers;
};

static const struct last_words last_words[] = {
	{.id = "no_markers"},
	{.id = "markers", .markers = true},
};

CASE_EACH(the_terminate_is_an_fpdu_like_any, struct last_words, last_words,
	  .title = "a Terminate for a CRC error has its CRC and its markers",
	  .needs = NEED_CRC | NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device at 12 octets before its next multiple of 512, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON, .markers = row->markers, .counts_fpdus = true);
	size_t n = dut_send_payload_up_to(t, 500);
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	const struct frame *before = awaits(t, MPA_8_11, RDMAP_SEND);
	if (row->markers)
		in_one_fpdu(t, before);

	/* when the peer sends a damaged FPDU, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));

	/* then a Terminate, if one comes, is framed as all before it. */
	const struct frame *f = the_terminate(t);
	must(t, MPA_8_11,
	     holds_of(f, "a right CRC, if there is a Terminate",
		      !f || f->crc_ok, "its CRC is wrong"));
	must(t, MPA_8_11,
	     is("markers, if there is a Terminate",
		f ? f->fpdu->marker_count : row->markers, row->markers));
}

CASE(who_closes_after_a_crc_error,
     .title = "how the stream ends after a CRC error in the middle of the "
	      "device's own Write is recorded",
     .needs = NEED_CRC | NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device in the middle of a large Write, */
	struct region r = dut_registers(t, .len = 1 << 20);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON);
	dut_posts(t, POST_WRITE_FROM(r, 0, r.len, 0x1234, 0x1000));

	/* when the peer sends a damaged FPDU, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink));

	/* then the ULP, not MPA, is the one to close. */
	observe(t, MPA_8_10, "%s", how_it_ended(t));
}
