/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.2, s4.3: the markers that the device sends if its peer requests
 * them: their places, and their pointers. */
#include "case.h"

/* The flaws in the markers of a message. */
struct marker_count {
	uint64_t markers, reserved, low_bits, pointers, between, crcs;
};

static void count_markers(struct marker_count *c, const struct frame *f)
{
	uint32_t start = frame_offset(f);
	uint32_t first = (start + 511) / 512 * 512;
	/* Of ULPDU_Length; a marker right before it is zero. */
	uint32_t header = first == start ? start + 4 : start;

	for (unsigned i = 0; i < f->fpdu->marker_count; i++) {
		const struct fpdu_marker *m = &f->fpdu->marker[i];
		uint32_t at = first + i * 512;

		c->markers++;
		c->reserved += m->reserved != 0;
		c->low_bits += m->fpduptr % 4 != 0;
		/* Other cases are about the low bits. */
		if (at < header)
			c->between += m->fpduptr != 0;
		else
			c->pointers += (m->fpduptr & ~3u) != at - header;
	}
	c->crcs += !f->crc_ok;
}

/* The frame that began before this place in the stream and extends over it. */
static const struct frame *frame_at(const struct message *m, uint32_t at)
{
	for (size_t i = 0; i < m->count; i++) {
		uint32_t start = frame_offset(m->frames[i]);

		if (start < at && start + m->frames[i]->n >= at + 4)
			return m->frames[i];
	}
	return NULL;
}

static struct marker_count markers_of(const struct message *m)
{
	struct marker_count c = {0};

	for (size_t i = 0; i < m->count; i++)
		count_markers(&c, m->frames[i]);
	return c;
}

/* Multiples of 512 in the part of the stream that the message took. */
static uint64_t markers_due(const struct message *m)
{
	const struct frame *last = m->frames[m->count - 1];
	uint64_t from = frame_offset(m->frames[0]);
	uint64_t to = frame_offset(last) + last->n;

	return (to + 511) / 512 - (from + 511) / 512;
}

CASE(a_responder_can_send_markers,
     .title = "a responder accepts a Request that asks for markers, and sends "
	      "them",
     .needs = NEED_SEND, .role = RESPONDER)
{
	/* Given a Request with M=1, */
	dut_listens(t);
	peer_opens_tcp(t);
	peer_sends_startup(t, REQUEST(.m = true));

	/* when the device answers, it accepts, */
	awaits_startup(t, MPA_4_3_01);
	must(t, MPA_4_3_01, full_operation_works());

	/* and its FPDUs have markers. */
	dut_posts(t, POST_SEND_N(pattern(t, 600, 1), 600));
	struct message m = awaits_message(t, MPA_4_3_01, RDMAP_SEND);
	must(t, MPA_4_3_01, at_least("markers", markers_of(&m).markers, 1));
	must(t, MPA_4_3_01,
	     octets_are(t, "payload between them", m.octets, m.n,
			pattern(t, 600, 1), 600));
}

CASE(an_initiator_can_send_markers,
     .title = "an initiator continues after a Reply that asks for markers, and "
	      "sends them",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a Reply with M=1, */
	dut_dials(t);
	awaits_startup(t, MPA_4_3_01);
	peer_sends_startup(t, REPLY(.m = true));

	/* when the device has it, it enters Full Operation, */
	must(t, MPA_4_3_01, full_operation_works());

	/* and its FPDUs have markers. */
	dut_posts(t, POST_SEND_N(pattern(t, 600, 1), 600));
	struct message m = awaits_message(t, MPA_4_3_01, RDMAP_SEND);
	must(t, MPA_4_3_01, at_least("markers", markers_of(&m).markers, 1));
	must(t, MPA_4_3_01,
	     octets_are(t, "payload between them", m.octets, m.n,
			pattern(t, 600, 1), 600));
}

CASE(markers_from_the_device_only,
     .title = "with M=1 only from the peer, only the device sends markers",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers and a device that does not, */
	struct sink sink = dut_posts_recv(t, 1024);
	const uint8_t *payload = pattern(t, 1000, 1);
	connects(t, .markers = true);

	/* when both send more than 512 octets, */
	peer_sends(t, SEND_N(payload, 1000));
	dut_posts(t, POST_SEND_N(payload, 1000));
	struct message m = awaits_message(t, MPA_4_3_23, RDMAP_SEND);

	/* then each of them does what the other requested. */
	must(t, MPA_4_3_23, delivered(sink, payload, 1000));
	must(t, MPA_4_3_23, at_least("markers", markers_of(&m).markers, 1));
	must(t, MPA_4_3_23,
	     octets_are(t, "payload", m.octets, m.n, payload, 1000));
}

CASE(the_first_fpdu_has_a_marker_before_it,
     .title = "a direction with markers begins with a marker of zero",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers, */
	connects(t, .markers = true, .unproven = true, .counts_fpdus = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends its first FPDU, */
	dut_posts(t, POST_SEND("hello"));
	const struct frame *f = awaits(t, MPA_4_3_03, RDMAP_SEND);
	in_one_fpdu(t, f);

	/* then a zero marker and ULPDU_Length follow its startup frame. */
	must(t, MPA_4_3_03,
	     octets_are(t, "octets 2 to 5", f->octets + 2, 4, "\0\0\0\x17", 4));
	must(t, MPA_4_3_03, stream_works());
}

CASE(a_marker_is_sent_high_octet_first,
     .title = "a marker inside an FPDU has its distance from the start of the "
	      "FPDU, high octet first",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers, */
	connects(t, .markers = true, .unproven = true, .counts_fpdus = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when a message is longer than 512 octets, */
	dut_posts(t, POST_SEND_N(pattern(t, 600, 1), 600));
	struct message m = awaits_message(t, MPA_4_2_01, RDMAP_SEND);

	/* then the marker that it has there is laid out so. */
	const struct frame *f = frame_at(&m, 512);
	if (!f)
		not_applicable(t, "no FPDU of the device spans that marker");
	uint32_t start = frame_offset(f);
	uint32_t into = start ? 512 - start : 508;
	must(t, MPA_4_2_01, is("octet 514", f->octets[514 - start], into >> 8));
	must(t, MPA_4_2_01, stream_works());
}

struct mss {
	CASE_ROW;
	unsigned mss;
};

static const struct mss one_mebibyte[] = {
	{.id = "mss_1460", .mss = 1460},
	{.id = "mss_8960", .mss = 8960},
	{.id = "mss_of_the_path", .mss = 0},
};

CASE_EACH(a_marker_every_512_octets, struct mss, one_mebibyte,
	  .title = "1 MiB of output has a marker at every multiple of 512 and "
		   "nowhere else, and all markers in an FPDU point to its "
		   "ULPDU_Length",
	  .needs = NEED_WRITE | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers, */
	struct region r = dut_registers(t, .len = 1024 * 1024);
	const uint8_t *data = pattern(t, 128 * 1024, 1);
	dut_fills(t, r, 0, data, 128 * 1024);
	connects(t, .markers = true, .mss = row->mss);

	/* when the device sends a large tagged message, */
	unsigned opcode = dut_sends_tagged(t, r, 0, r.len, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_3_02, opcode);
	struct marker_count c = markers_of(&m);

	/* then each marker is in its place, and there are no others. */
	must(t, MPA_4_3_02, is("markers", c.markers, markers_due(&m)));
	must(t, MPA_4_3_02,
	     octets_are(t, "payload between them", m.octets,
			m.n < 128 * 1024 ? m.n : 128 * 1024, data, 128 * 1024));
	must(t, MPA_4_2_02, is("reserved fields not zero", c.reserved, 0));
	must(t, MPA_4_3_11, is("pointers to another place", c.pointers, 0));
	must(t, MPA_4_4_04, is("wrong CRCs", c.crcs, 0));
}

struct burst {
	CASE_ROW;
	size_t first, step; /* octets of payload */
	unsigned count;
	unsigned mss;
};

static const struct burst bursts[] = {
	{.id = "odd_sizes",
	 .must = &MPA_4_2_05,
	 .first = 1,
	 .step = 2,
	 .count = 50,
	 .mss = 1460},
	{.id = "single_markers",
	 .must = &MPA_4_2_08,
	 .first = 100,
	 .step = 10,
	 .count = 21,
	 .mss = 536},
	{.id = "small_fpdus",
	 .must = &MPA_4_3_14,
	 .first = 8,
	 .step = 0,
	 .count = 100,
	 .mss = 1460},
};

CASE_EACH(pointers_of_small_fpdus, struct burst, bursts,
	  .title = "a marker inside an FPDU points to its ULPDU_Length, and a "
		   "marker between two FPDUs is zero",
	  .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a peer that wants markers, */
	struct marker_count c = {0};
	const uint8_t *payload = pattern(t, 512, 1);
	connects(t, .markers = true, .mss = row->mss);

	/* when the device sends Sends of these sizes, */
	for (unsigned i = 0; i < row->count; i++)
		dut_posts(t, POST_SEND_N(payload, row->first + i * row->step));
	for (unsigned i = 0; i < row->count; i++) {
		struct message m = awaits_message(t, MPA_4_2_08, RDMAP_SEND);

		for (size_t k = 0; k < m.count; k++)
			count_markers(&c, m.frames[k]);
	}

	/* then all their markers are right. */
	must_row(t, row, at_least("markers", c.markers, 2));
	if (row->must == &MPA_4_2_05)
		must_row(t, row,
			 is("pointers with low bits set", c.low_bits, 0));
	else
		must_row(t, row,
			 is("pointers to another place", c.pointers, 0));
	must(t, MPA_4_3_08, is("others than zero between FPDUs", c.between, 0));
}

struct distance {
	CASE_ROW;
	unsigned octets; /* from the start of the FPDU to its marker */
};

static const struct distance distances[] = {
	{.id = "4", .octets = 4},   {.id = "8", .octets = 8},
	{.id = "12", .octets = 12}, {.id = "16", .octets = 16},
	{.id = "20", .octets = 20},
};

CASE_EACH(a_marker_in_the_header_points_back, struct distance, distances,
	  .title = "a marker a few octets behind ULPDU_Length points to it",
	  .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device whose next FPDU begins so close before a marker, */
	struct marker_count c = {0};
	connects(t, .markers = true, .counts_fpdus = true);
	size_t n = dut_send_payload_up_to(t, 512 - row->octets);
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	in_one_fpdu(t, awaits_given(t, RDMAP_SEND));

	/* when it sends that FPDU, */
	dut_posts(t, POST_SEND_N(pattern(t, 64, 2), 64));
	const struct frame *f = awaits(t, MPA_4_2_08, RDMAP_SEND);
	in_one_fpdu(t, f);
	count_markers(&c, f);

	/* then its marker has that distance. */
	must(t, MPA_4_2_08, is("markers", c.markers, 1));
	must(t, MPA_4_2_08, is("pointers to another place", c.pointers, 0));
}

CASE(phase_counts_from_the_end_of_the_startup_frame,
     .title = "a sender's markers are counted from the octet after its startup "
	      "frame, whatever its length is",
     .needs = NEED_SEND | NEED_MARKERS_TX | NEED_PRIVATE_DATA, .role = EITHER)
{
	/* Given a device whose startup frame has 25 octets, */
	const uint8_t *payload = pattern(t, 1200, 1);
	connects(t, .markers = true, .dut_private_data = "fives",
		 .dut_private_octets = 5, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when it sends more than 1024 octets, */
	dut_posts(t, POST_SEND_N(payload, 1200));
	struct message m = awaits_message(t, MPA_4_3_05, RDMAP_SEND);
	struct marker_count c = markers_of(&m);

	/* then its markers are 512, 1024, ... octets from there. */
	must(t, MPA_4_3_05, is("markers", c.markers, markers_due(&m)));
	must(t, MPA_4_3_05,
	     octets_are(t, "payload between them", m.octets, m.n, payload,
			1200));
	must(t, MPA_4_3_05, stream_works());
}

CASE(phase_counts_from_the_end_of_an_enhanced_frame,
     .title = "a sender's markers are counted from the octet after its "
	      "startup frame, if that has enhanced data, too",
     .needs = NEED_ENHANCED | NEED_WRITE | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device whose startup frame has enhanced data, */
	struct region r = dut_registers(t, .len = 1200);
	const uint8_t *payload = pattern(t, 1200, 1);
	dut_fills(t, r, 0, payload, 1200);
	connects(t, .markers = true, .enhanced = true, .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when it sends more than 1024 octets, */
	unsigned opcode = dut_sends_tagged(t, r, 0, 1200, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_3_05, opcode);
	struct marker_count c = markers_of(&m);

	/* then its markers are 512, 1024, ... octets from there. */
	must(t, MPA_4_3_05, is("markers", c.markers, markers_due(&m)));
	must(t, MPA_4_3_05,
	     octets_are(t, "payload between them", m.octets, m.n, payload,
			1200));
	must(t, MPA_4_3_05, stream_works());
}

CASE(a_marker_between_two_fpdus_is_zero,
     .title = "a marker between two FPDUs is zero, and part of the second",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device whose next FPDU ends where a marker is due, */
	connects(t, .markers = true, .counts_fpdus = true);
	size_t n = dut_send_payload_up_to(t, 512);

	/* when it sends that and another one, */
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	dut_posts(t, POST_SEND("next"));
	const struct frame *f = awaits(t, MPA_4_3_08, RDMAP_SEND);
	in_one_fpdu(t, f);
	const struct frame *next = awaits(t, MPA_4_3_08, RDMAP_SEND);
	in_one_fpdu(t, next);

	/* then the second starts with a zero marker, which its CRC covers and
	 * that of the first does not. */
	must(t, MPA_4_3_08,
	     octets_are(t, "octets from 514 on", next->octets + 2, 4,
			"\0\0\0\x16", 4));
	must(t, MPA_4_3_09,
	     holds("the CRC of the first FPDU does not cover the marker",
		   f->crc_ok));
	must(t, MPA_4_3_09,
	     holds("the CRC of the second FPDU covers the marker",
		   next->crc_ok));
}

CASE(when_a_marker_between_fpdus_is_sent,
     .title = "a marker that is due between two FPDUs is sent with the second, "
	      "or earlier",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device whose next FPDU ends where a marker is due, */
	connects(t, .markers = true, .counts_fpdus = true);
	size_t n = dut_send_payload_up_to(t, 512);

	/* when it has no more to send than that, */
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	in_one_fpdu(t, awaits_given(t, RDMAP_SEND));

	/* then the marker may come or not. */
	observe(t, MPA_4_3_12, "the marker is sent %s",
		dut_octets_came(t) ? "at once" : "with the next FPDU");
}

CASE(a_marker_between_pad_and_crc_is_sent,
     .title = "a marker due between PAD and CRC is sent there, and covered by "
	      "the CRC",
     .needs = NEED_SEND | NEED_MARKERS_TX, .role = EITHER)
{
	/* Given a device whose next CRC is due at a multiple of 512, */
	connects(t, .markers = true, .counts_fpdus = true);
	uint32_t start = dut_offset(t);
	size_t n = dut_send_payload_up_to(t, 512 + 4 + 4);

	/* when it sends that FPDU, */
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	const struct frame *f = next_frame(t);
	insists(t, MPA_4_3_19, holds("a whole FPDU", f));
	in_one_fpdu(t, f);

	/* then the marker is there. */
	must(t, MPA_4_3_19, is("octets of the FPDU", f->n, 520 - start));
	must(t, MPA_4_3_19, holds("a CRC that covers the marker", f->crc_ok));
}

CASE(a_marker_between_pad_and_crc_is_sent_without_crcs,
     .title = "a marker due between PAD and CRC is sent there with CRCs off, "
	      "too",
     .needs = NEED_SEND | NEED_MARKERS_TX | NEED_CRC_OFF, .role = EITHER)
{
	/* Given a device without CRCs whose next CRC field is due at a multiple
	 * of 512, */
	connects(t, .markers = true, .crc = OFF, .dut_crc = OFF,
		 .counts_fpdus = true);
	uint32_t start = dut_offset(t);
	size_t n = dut_send_payload_up_to(t, 512 + 4 + 4);

	/* when it sends that FPDU, */
	dut_posts(t, POST_SEND_N(pattern(t, n, 1), n));
	const struct frame *f = awaits(t, MPA_4_3_19, RDMAP_SEND);
	in_one_fpdu(t, f);

	/* then the marker is there, and the next FPDU follows it. */
	must(t, MPA_4_3_19, is("octets of the FPDU", f->n, 520 - start));
	must(t, MPA_4_1_13, stream_works());
}

CASE(markers_are_sent_without_crcs,
     .title = "markers are sent with CRCs off, too",
     .needs = NEED_WRITE | NEED_MARKERS_TX | NEED_CRC_OFF, .role = EITHER)
{
	/* Given a peer that wants markers but no CRCs, */
	struct region r = dut_registers(t, .len = 4096);
	const uint8_t *data = pattern(t, 4096, 1);
	dut_fills(t, r, 0, data, 4096);
	connects(t, .markers = true, .crc = OFF, .dut_crc = OFF,
		 .unproven = true);
	if (case_role(t) == RESPONDER)
		initiator_speaks(t);

	/* when the device sends 4 KiB, */
	unsigned opcode = dut_sends_tagged(t, r, 0, 4096, 0x1234, 0x1000);
	struct message m = awaits_message(t, MPA_4_3_26, opcode);
	struct marker_count c = markers_of(&m);

	/* then every 512 octets have a marker. */
	must(t, MPA_4_3_26, is("markers", c.markers, markers_due(&m)));
	must(t, MPA_4_3_26,
	     octets_are(t, "payload between them", m.octets, m.n, data, 4096));
	must(t, MPA_4_1_13, stream_works());
}
