/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s3, s4.1 and s6: one ULPDU in an FPDU, its length, pad and CRC
 * field; which ULPDUs are passed up, and when. */
#include "case.h"

/* For rows that need more of the device than the others. */
static void claims(struct test *t, uint64_t feature)
{
	if (!(dut_claims(t) & feature))
		not_applicable(
			t, "the device does not claim the feature of this row");
}

/* --- what the device sends ------------------------------------------------- */

CASE(an_fpdu_is_length_ulpdu_pad_crc,
     .title = "a Send of 24 octets is 00 2a, 42 octets of ULPDU, no pad, and "
	      "four octets of CRC",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream on which the device may send, */
	connects(t, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when it sends 24 octets, */
	const uint8_t *payload = pattern(t, 24, 1);
	dut_posts(t, POST_SEND_N(payload, 24));
	const struct frame *f = awaits(t, MPA_4_1_01, RDMAP_SEND);
	in_one_fpdu(t, f);

	/* then every field is in its place. */
	must(t, MPA_4_1_01, is("octets of the FPDU", f->n, 2 + 42 + 4));
	must(t, MPA_4_1_01,
	     octets_are(t, "ULPDU_Length", f->octets, 2, "\x00\x2a", 2));
	must(t, MPA_4_1_01,
	     octets_are(t, "payload", f->octets + 20, 24, payload, 24));
	must(t, MPA_4_1_01, stream_works());
}

/* Of a Send, or of a tagged message. */
static size_t header_octets(const struct frame *f)
{
	return f->seg.ddp.tagged ? DDP_TAGGED_OCTETS : DDP_UNTAGGED_OCTETS;
}

struct size {
	CASE_ROW;
	size_t n; /* octets of payload */
	unsigned pad;
};

static const struct size sizes[] = {
	{.id = "0", .n = 0, .pad = 0}, {.id = "1", .n = 1, .pad = 3},
	{.id = "2", .n = 2, .pad = 2}, {.id = "3", .n = 3, .pad = 1},
	{.id = "4", .n = 4, .pad = 0},
};

CASE_EACH(pad_makes_an_fpdu_a_multiple_of_four, struct size, sizes,
	  .title = "a sender pads an FPDU to a multiple of four, with zeros",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream on which the device may send, */
	connects(t, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when it sends, then a whole FPDU comes; to one without a pad none can
	 * be missing; */
	unsigned opcode = dut_sends(t, "abcd", row->n);
	const struct frame *f =
		row->pad ? next_frame(t) : awaits_given(t, opcode);
	insists(t, MPA_4_1_04, holds("a whole FPDU", f != NULL));
	in_one_fpdu(t, f);

	/* when it sends once more, */
	dut_sends(t, "next", 4);
	const struct frame *next = awaits_given(t, opcode);
	in_one_fpdu(t, next);

	/* then the second starts where length, ULPDU, pad and CRC of the
	 * first end, and what lies between is zero. */
	must(t, MPA_4_1_04,
	     is("octets of the FPDU", f->n,
		2 + header_octets(f) + row->n + row->pad + 4));
	must(t, MPA_4_1_04,
	     octets_are(t, "payload of the next", next->seg.payload,
			next->seg.payload_octets, "next", 4));
	must(t, MPA_4_1_03,
	     octets_are(t, "pad", f->fpdu->pad, f->fpdu->pad_octets, "\0\0\0",
			row->pad));
	must(t, MPA_4_1_04, stream_works());
}

struct sent {
	CASE_ROW;
	size_t n;
	bool markers;
};

static const struct sent sent[] = {
	{.id = "1", .n = 1},
	{.id = "2", .n = 2},
	{.id = "3", .n = 3},
	{.id = "4", .n = 4},
	{.id = "1_with_markers", .n = 1, .markers = true},
	{.id = "2_with_markers", .n = 2, .markers = true},
	{.id = "3_with_markers", .n = 3, .markers = true},
	{.id = "4_with_markers", .n = 4, .markers = true},
	{.id = "1001_with_markers", .n = 1001, .markers = true},
	{.id = "1002_with_markers", .n = 1002, .markers = true},
};

CASE_EACH(ulpdu_length_counts_the_ulpdu, struct sent, sent,
	  .title = "ULPDU_Length is the number of octets of the ULPDU alone, "
		   "without pad, CRC and markers",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream on which the device may send, */
	if (row->markers)
		claims(t, NEED_MARKERS_TX);
	connects(t, .markers = row->markers, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when it sends a message in one FPDU, */
	const uint8_t *payload = pattern(t, row->n, 1);
	unsigned opcode = dut_sends(t, payload, row->n);
	const struct frame *f = awaits(t, MPA_4_1_02, opcode);
	if (!f->seg.ddp.last && f->seg.payload_octets < row->n)
		not_applicable(t, "the device cuts a message of %zu octets",
			       row->n);

	/* then the length is that of header and payload. */
	must(t, MPA_4_1_02,
	     is("ULPDU_Length", f->fpdu->ulpdu_length,
		header_octets(f) + row->n));
	must(t, MPA_4_1_02,
	     octets_are(t, "payload", f->seg.payload, f->seg.payload_octets,
			payload, row->n));
	must(t, MPA_4_1_02, stream_works());
}

CASE(the_crc_field_is_there_without_crcs,
     .title = "with CRCs off every FPDU still ends with four octets",
     .needs = NEED_CRC_OFF | NEED_SEND, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	connects(t, .crc = OFF, .dut_crc = OFF, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends two Sends, one after the other, */
	dut_posts(t, POST_SEND("one"));
	const struct frame *one = awaits(t, MPA_4_1_11, RDMAP_SEND);
	in_one_fpdu(t, one);
	dut_posts(t, POST_SEND("two"));
	const struct frame *two = awaits(t, MPA_4_1_11, RDMAP_SEND);
	in_one_fpdu(t, two);

	/* then the second starts four octets after the pad of the first. */
	must(t, MPA_4_1_11, is("octets of the FPDU", one->n, 2 + 21 + 1 + 4));
	must(t, MPA_4_1_11,
	     octets_are(t, "payload of the next", two->seg.payload,
			two->seg.payload_octets, "two", 3));
	must(t, MPA_4_1_13, stream_works());
}

CASE(one_ulpdu_in_an_fpdu,
     .title = "each message is sent in FPDUs of its own, a DDP segment in each",
     .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a message of each kind to send, */
	struct region r =
		dut_registers(t, .len = 4096, .access = FOR_RESPONSES);
	connects(t, .unproven = true, .mss = 1460);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);
	dut_posts(t, POST_SEND("hello"));
	dut_posts(t, POST_WRITE_FROM(r, 0, 4096, 0x1234, 0x1000));
	dut_posts(t, POST_SEND("world"));
	dut_posts(t, POST_READ(r, 0, 8, 0x1234, 0x1000));

	/* when they come, */
	struct message a = awaits_message(t, MPA_3_01, RDMAP_SEND);
	struct message b = awaits_message(t, MPA_3_01, RDMAP_WRITE);
	struct message c = awaits_message(t, MPA_3_01, RDMAP_SEND);
	awaits_message(t, MPA_3_01, RDMAP_READ_REQUEST);

	/* then their FPDUs contain the posted octets, neither more nor less. */
	must(t, MPA_3_01, is("octets of the Send", a.n, 5));
	must(t, MPA_3_01, is("octets of the Write", b.n, 4096));
	must(t, MPA_3_01, is("octets of the second Send", c.n, 5));
	must(t, RDMAP_5_2_1_16, stream_works());
}

struct revision {
	CASE_ROW;
	bool enhanced;
};

static const struct revision revisions[] = {
	{.id = "revision_1", .enhanced = false},
	{.id = "revision_2", .enhanced = true},
};

/* DV and RV of a frame as the two numbers the control octets hold. */
static unsigned versions(const struct frame *f)
{
	return f->seg.ddp.dv * 16u + f->seg.ddp.rv;
}

CASE_EACH(
	headers_say_version_1, struct revision, revisions,
	.title =
		"DDP and RDMAP headers say version 1, whatever revision of MPA "
		"they go over",
	.needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a stream of this revision, */
	claims(t, row->enhanced ? NEED_MPA_V2 : NEED_MPA_V1);
	connects(t, .enhanced = row->enhanced, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends a Send and a Write, */
	dut_posts(t, POST_SEND("hello"));
	dut_posts(t, POST_WRITE_N("hello", 5, 0x1234, 0x1000));
	const struct frame *a = awaits(t, MPA_3_11, RDMAP_SEND);
	const struct frame *b = awaits(t, MPA_3_11, RDMAP_WRITE);

	/* then DV and RV are 1. */
	must(t, MPA_3_11, is("DV and RV of the Send", versions(a), 0x11));
	must(t, MPA_3_11, is("DV and RV of the Write", versions(b), 0x11));
	must(t, MPA_3_11, stream_works());
}

/* --- FPDUs to the device -------------------------------------------------- */

struct padded {
	CASE_ROW;
	size_t n;
};

static const struct padded padded[] = {
	{.id = "0", .must = &MPA_4_1_07, .n = 4},
	{.id = "1", .must = &MPA_4_1_08, .n = 3},
	{.id = "2", .must = &MPA_4_1_09, .n = 2},
	{.id = "3", .must = &MPA_4_1_10, .n = 1},
};

CASE_EACH(pad_is_skipped, struct padded, padded,
	  .title = "an FPDU with this many octets of pad is delivered, and the "
		   "next one is found after it",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given buffers for two Sends, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when a Send whose FPDU has this pad comes, and another one, */
	peer_sends(t, SEND_N("abcd", row->n));
	peer_sends(t, SEND("next"));

	/* then both are delivered unchanged. */
	must_row(t, row, delivered(sink_at(sinks, 0), "abcd", row->n));
	must_row(t, row, delivered_text(sink_at(sinks, 1), "next"));
}

CASE(the_content_of_pad_is_ignored,
     .title = "a pad of ff ff ff that the CRC covers is accepted",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer with room after the octets to come, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = ON);

	/* when a Send's three octets of pad are not zero, */
	peer_sends(t, SEND("a", .pad = IS(0xff)));

	/* then the Send is delivered, without them. */
	must(t, MPA_4_1_05, delivered_text(sink, "a"));
	must(t, MPA_4_1_05, stream_works());
}

struct unchecked {
	CASE_ROW;
	enum crc_fault crc;
};

static const struct unchecked unchecked[] = {
	{.id = "zero", .crc = CRC_ZERO},
	{.id = "ones", .crc = CRC_ONES},
	{.id = "wrong", .crc = CRC_WRONG},
};

CASE_EACH(any_crc_field_is_valid_without_crcs, struct unchecked, unchecked,
	  .title = "with CRCs off the CRC field of an FPDU is not checked",
	  .needs = NEED_CRC_OFF | NEED_SEND, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	struct sink sinks = dut_posts_recvs(t, 3, 64);
	struct sink sink = sink_at(sinks, 2);
	connects(t, .crc = OFF, .dut_crc = OFF);

	/* and a device that then recognizes correct FPDUs, */
	peer_sends(t, SEND("a right"));
	peer_sends(t, SEND("and another"));
	insists(t, MPA_4_1_13,
		delivered_text(sink_at(sinks, 1), "and another"));

	/* when the CRC field is not a CRC, */
	peer_sends(t, SEND("hello", .crc = row->crc));

	/* then that makes no difference. */
	must(t, MPA_4_1_12, delivered_text(sink, "hello"));
	must(t, MPA_4_1_12, stream_works());
}

CASE(framing_without_crcs,
     .title = "with CRCs off FPDUs with every pad are separated by their "
	      "lengths",
     .needs = NEED_CRC_OFF | NEED_SEND, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	struct sink sinks = dut_posts_recvs(t, 4, 64);
	connects(t, .crc = OFF, .dut_crc = OFF, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* which does not check the field in its place, */
	peer_sends(t, SEND("abcd", .crc = CRC_VALUE, .crc_value = 0x12345678));
	insists(t, MPA_4_1_12, delivered_text(sink_at(sinks, 0), "abcd"));

	/* when Sends with pad of 3, 2 and 1 octets and random CRC fields come
	 * back to back, */
	peer_sends(t, SEND("a", .crc = CRC_VALUE, .crc_value = 0x9abcdef0),
		   .hold = true);
	peer_sends(t, SEND("ab", .crc = CRC_VALUE, .crc_value = 0x00170043),
		   .hold = true);
	peer_sends(t, SEND("abc", .crc = CRC_VALUE, .crc_value = 0xdeadbeef));

	/* then all are delivered with their own lengths. */
	must(t, MPA_4_1_13, delivered_text(sink_at(sinks, 1), "a"));
	must(t, MPA_4_1_13, delivered_text(sink_at(sinks, 2), "ab"));
	must(t, MPA_4_1_13, delivered_text(sink_at(sinks, 3), "abc"));
}

CASE(every_length_is_told_exactly,
     .title = "Sends of 1 to 64 octets are delivered with the correct lengths",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for each, */
	struct sink sinks = dut_posts_recvs(t, 64, 64);
	const uint8_t *payload = pattern(t, 64, 1);
	connects(t);

	/* when one after the other comes, */
	for (unsigned n = 1; n <= 64; n++)
		peer_sends(t, SEND_N(payload, n), .hold = n < 64);

	/* then the ULP hears of their payload and of nothing else. */
	for (unsigned n = 1; n <= 64; n++)
		must(t, MPA_3_08, delivered(sink_at(sinks, n - 1), payload, n));
}

/* --- when it is passed up -------------------------------------------------- */

CASE(nothing_is_placed_before_the_crc,
     .title = "a Write is not placed while its CRC is missing, nor when it "
	      "turns "
	      "out to be wrong",
     .needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = ON);

	/* when a Write comes without its CRC, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .crc = CRC_WRONG),
		   .keep_last = 4);
	must(t, MPA_6_01, nothing_more());
	must(t, MPA_6_01, memory_unchanged(r));

	/* and then a wrong one, the buffer is unchanged. */
	peer_goes_on(t);
	must(t, MPA_6_01, memory_unchanged(r));
}

struct cut {
	CASE_ROW;
	unsigned crc;   /* of both sides */
	size_t missing; /* octets of the FPDU's end */
};

static const struct cut cuts[] = {
	{.id = "8_octets", .crc = ON, .missing = 8},
	{.id = "1_octet", .crc = ON, .missing = 1},
	{.id = "8_octets_without_crcs", .crc = OFF, .missing = 8},
	{.id = "1_octet_without_crcs", .crc = OFF, .missing = 1},
};

/* The FPDUs of these have two octets of pad. */
#define TEN "0123456789"

CASE_EACH(a_write_waits_for_its_end, struct cut, cuts,
	  .title = "a Write is not placed while the end of its FPDU is missing",
	  .needs = NEED_CRC | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	if (row->crc == OFF)
		claims(t, NEED_CRC_OFF);
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = row->crc, .dut_crc = row->crc);
	if (row->crc == OFF)
		insists(t, MPA_4_1_13, stream_works());

	/* when a Write comes without its end, it has no effect, */
	peer_sends(t, WRITE(r, 0, TEN, 10), .keep_last = row->missing);
	must(t, MPA_6_02, nothing_more());
	must(t, MPA_6_02, memory_unchanged(r));

	/* and when the rest comes, it has. */
	peer_goes_on(t);
	must(t, MPA_6_02, stream_works());
	must(t, MPA_6_02, memory_is(r, 0, TEN, 10));
}

CASE_EACH(
	a_send_waits_for_its_end, struct cut, cuts,
	.title = "a Send is not delivered while the end of its FPDU is missing",
	.needs = NEED_CRC | NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	if (row->crc == OFF)
		claims(t, NEED_CRC_OFF);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .crc = row->crc, .dut_crc = row->crc);
	if (row->crc == OFF)
		insists(t, MPA_4_1_13, stream_works());

	/* when a Send comes without its end, nothing is delivered, */
	peer_sends(t, SEND(TEN), .keep_last = row->missing);
	must(t, MPA_6_02, nothing_more());
	must(t, MPA_6_02, not_delivered(sink));

	/* and when the rest comes, it is. */
	peer_goes_on(t);
	must(t, MPA_6_02, delivered_text(sink, TEN));
}

/* --- the end of TCP -------------------------------------------------------- */

CASE(a_fin_inside_a_message_is_told,
     .title = "a close of TCP after a segment that is not a message's last is "
	      "reported, and nothing is delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the peer closes in the middle of the message, */
	peer_sends(t, SEND("hello", .l = IS(0)));
	peer_closes(t);

	/* then the agent sees the end, and no Send: only L=1 makes it whole
	 * (RFC 5041 s4.1). */
	should(t, MPA_7_2_01, agent_sees_end());
	must(t, DDP_4_1_09, not_delivered(sink));
}

CASE(a_fin_inside_an_fpdu_is_told,
     .title = "a close of TCP inside an FPDU is a fatal disconnect",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the peer closes before the last octet of an FPDU, */
	peer_sends(t, SEND("hello"), .keep_last = 1);
	peer_closes(t);

	/* then the agent sees an error, and no Send. */
	must(t, MPA_8_01, agent_sees_fatal_end());
	must(t, MPA_6_02, not_delivered(sink));
}

CASE(a_reset_inside_an_fpdu_is_told,
     .title = "a reset of TCP inside an FPDU is a fatal disconnect",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the peer resets before the last octet of an FPDU, */
	peer_sends(t, SEND("hello"), .keep_last = 1);
	peer_resets(t);

	/* then the agent sees an error, and no Send. */
	must(t, DDP_6_2_2_01, agent_sees_fatal_end());
	must(t, MPA_6_02, not_delivered(sink));
}
