/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.2, s4.3, s5.2 and s8: the markers that the device requests: they
 * are removed wherever they are, and errors in one are found or not. */
#include "case.h"

CASE(markers_from_the_peer_only,
     .title = "with M=1 only from the device, only its peer sends markers",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers and a peer that does not, */
	struct sink sinks = dut_posts_recvs(t, 3, 1024);
	const uint8_t *payload = pattern(t, 1000, 1);
	connects(t, .dut_markers = true, .unproven = true);
	initiator_speaks(t);

	/* when both send more than 512 octets, */
	for (unsigned i = 0; i < 3; i++)
		peer_sends(t, SEND_N(payload, 400));
	dut_posts(t, POST_SEND_N(payload, 1000));
	struct message m = awaits_message(t, MPA_4_3_23, RDMAP_SEND);

	/* then each of them does what the other requested. */
	for (unsigned i = 0; i < 3; i++)
		must(t, MPA_4_3_23, delivered(sink_at(sinks, i), payload, 400));
	must(t, MPA_4_3_23,
	     octets_are(t, "payload", m.octets, m.n, payload, 1000));
}

/* --- fields -------------------------------------------------------------- */

/* From now on: the peer's next FPDU starts at this offset. Takes a receive. */
static void peer_fills_up_to(struct test *t, uint32_t offset)
{
	size_t n = send_payload_up_to(t, offset);

	peer_sends(t, SEND_N(pattern(t, n, 9), n), .hold = true);
}

struct marker_row {
	CASE_ROW;
	uint32_t start; /* offset at which the FPDU starts */
	bool between;   /* the marker stands before it, not in its payload */
};

static const struct marker_row places[] = {
	{.id = "between_fpdus", .start = 512, .between = true},
	{.id = "inside_an_fpdu", .start = 512 - 40},
};

CASE_EACH(reserved_bits_of_markers_are_ignored, struct marker_row, places,
	  .title = "the reserved bits of a marker are not checked",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 4, 1024);
	const uint8_t *payload = pattern(t, 100, 1);
	connects(t, .dut_markers = true);

	/* which takes one there with nothing wrong, */
	peer_fills_up_to(t, row->start);
	peer_sends(t, SEND_N(payload, 100));
	if (row->between)
		insists(t, MPA_4_3_10,
			delivered(sink_at(sinks, 1), payload, 100));
	else
		insists(t, MPA_4_3_17,
			delivered(sink_at(sinks, 1), payload, 100));
	peer_fills_up_to(t, row->start + 512);

	/* when a marker has them set, under a CRC that covers them, */
	peer_sends(t, SEND_N(payload, 100, .marker_reserved = IS(0xffff)));

	/* then its FPDU is taken. */
	must(t, MPA_4_2_03, delivered(sink_at(sinks, 3), payload, 100));
	must(t, MPA_4_2_03, stream_works());
}

CASE_EACH(reserved_bits_of_markers_are_in_the_crc, struct marker_row, places,
	  .title = "a reserved bit of a marker that was set after the CRC was "
		   "computed is a CRC error",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 3, 1024);
	connects(t, .crc = ON, .dut_markers = true);
	peer_fills_up_to(t, row->start);

	/* when a marker has them set, under a CRC made over zeros, */
	peer_sends(t,
		   SEND_N(pattern(t, 100, 1), 100,
			  .marker_reserved_after = IS(0xffff)),
		   .hold = true);
	peer_sends(t, SEND("world"));

	/* then nothing from its FPDU on is delivered. */
	must(t, MPA_4_2_04, stream_ends_or_stalls());
	must(t, MPA_4_2_04, not_delivered(sink_at(sinks, 1)));
	must(t, MPA_4_2_04, not_delivered(sink_at(sinks, 2)));
	should(t, MPA_8_02, crc_error_reported(t));
}

CASE_EACH(low_bits_of_fpduptr_count_as_zero, struct marker_row, places,
	  .title = "the low two bits of a received FPDUPTR count as zero",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 4, 1024);
	const uint8_t *payload = pattern(t, 100, 1);
	connects(t, .dut_markers = true);

	/* which takes one there with nothing wrong, */
	peer_fills_up_to(t, row->start);
	peer_sends(t, SEND_N(payload, 100));
	if (row->between)
		insists(t, MPA_4_3_10,
			delivered(sink_at(sinks, 1), payload, 100));
	else
		insists(t, MPA_4_3_17,
			delivered(sink_at(sinks, 1), payload, 100));
	peer_fills_up_to(t, row->start + 512);

	/* when a pointer has both set, under a CRC that covers them, */
	peer_sends(t, SEND_N(payload, 100, .marker_pointer_add = IS(3)));

	/* then its FPDU is taken. */
	must(t, MPA_4_2_06, delivered(sink_at(sinks, 3), payload, 100));
	must(t, MPA_4_2_06, stream_works());
}

CASE_EACH(low_bits_of_fpduptr_are_in_the_crc, struct marker_row, places,
	  .title = "the CRC covers the low two bits of a received FPDUPTR as "
		   "received",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 3, 1024);
	connects(t, .crc = ON, .dut_markers = true);
	peer_fills_up_to(t, row->start);

	/* when a pointer has both set, under a CRC made without them, */
	peer_sends(t,
		   SEND_N(pattern(t, 100, 1), 100,
			  .marker_pointer_or_after = IS(3)),
		   .hold = true);
	peer_sends(t, SEND("world"));

	/* then nothing from its FPDU on is delivered. */
	must(t, MPA_4_2_07, stream_ends_or_stalls());
	must(t, MPA_4_2_07, not_delivered(sink_at(sinks, 1)));
	must(t, MPA_4_2_07, not_delivered(sink_at(sinks, 2)));
	should(t, MPA_8_02, crc_error_reported(t));
}

/* --- places -------------------------------------------------------------- */

CASE(a_marker_between_two_fpdus_is_taken,
     .title = "a marker between two FPDUs is accepted as part of the second",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	connects(t, .crc = ON, .dut_markers = true);

	/* when one FPDU ends at a multiple of 512 and another follows, */
	size_t n = send_payload_up_to(t, 512);
	peer_sends(t, SEND_N(pattern(t, n, 9), n));
	peer_sends(t, SEND("next"));

	/* then both are delivered. */
	must(t, MPA_4_3_10, delivered(sink_at(sinks, 0), pattern(t, n, 9), n));
	must(t, MPA_4_3_10, delivered_text(sink_at(sinks, 1), "next"));
}

CASE(a_marker_between_pad_and_crc_is_taken,
     .title =
	     "a marker between PAD and CRC is stripped, and covered by the CRC",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	connects(t, .crc = ON, .dut_markers = true);

	/* when the CRC of an FPDU is due at a multiple of 512, */
	size_t n = send_payload_up_to(t, 512 + 4 + 4);
	peer_sends(t, SEND_N(pattern(t, n, 9), n));
	peer_sends(t, SEND("next"));

	/* then that FPDU and the next are delivered. */
	must(t, MPA_4_3_18, delivered(sink_at(sinks, 0), pattern(t, n, 9), n));
	must(t, MPA_4_3_18, delivered_text(sink_at(sinks, 1), "next"));
}

CASE(a_wrong_crc_behind_a_marker_is_found,
     .title = "a wrong CRC directly behind a marker is a CRC error",
     .needs = NEED_SEND | NEED_MARKERS_RX | NEED_CRC, .role = INITIATOR)
{
	/* Given a device that wants markers, and takes a right CRC that is due
	 * at a multiple of 512, */
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	connects(t, .crc = ON, .dut_markers = true);
	size_t n = send_payload_up_to(t, 512 + 4 + 4);
	peer_sends(t, SEND_N(pattern(t, n, 9), n));
	insists(t, MPA_4_3_18,
		delivered(sink_at(sinks, 0), pattern(t, n, 9), n));

	/* when a wrong one is due at the next, */
	n = send_payload_up_to(t, 1024 + 4 + 4);
	peer_sends(t, SEND_N(pattern(t, n, 9), n, .crc = CRC_WRONG));

	/* then that FPDU is not delivered. */
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_4_4_14, not_delivered(sink_at(sinks, 1)));
}

struct number {
	CASE_ROW;
	size_t payload; /* of a Write of so many markers */
};

static const struct number numbers[] = {
	{.id = "2", .payload = 900},
	{.id = "3", .payload = 1400},
	{.id = "17", .payload = 8500},
};

CASE_EACH(several_markers_in_an_fpdu, struct number, numbers,
	  .title = "an FPDU with several markers is placed without any of them",
	  .needs = NEED_WRITE | NEED_MARKERS_RX, .role = EITHER,
	  .along = {ALONG(struct number, payload, PEER_SEGMENT, 511, 2049)})
{
	/* Given a device that wants markers, and a path for such FPDUs, */
	struct region r = dut_registers(t, .len = 16384, .access = FOR_WRITES);
	const uint8_t *payload = pattern(t, row->payload, 1);
	connects(t, .dut_markers = true);
	if (peer_mulpdu(t) < row->payload + 14)
		not_applicable(t, "the path's MULPDU is less");

	/* when one comes, */
	peer_sends(t,
		   WRITE(r, 0, payload, row->payload, .segment = row->payload));

	/* then the buffer holds its payload and nothing else. */
	must(t, MPA_4_3_13, stream_works());
	must(t, MPA_4_3_13, memory_is(r, 0, payload, row->payload));
	must(t, MPA_4_3_13,
	     memory_is(r, row->payload, octets_of(t, 16, 0), 16));
}

/* Some octets more than 64 KiB of the stream. */
#define FAR 68000u

CASE(markers_are_skipped_behind_64_kib,
     .title = "68,000 octets of Writes with markers are placed without any of "
	      "them",
     .needs = NEED_WRITE | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct region r =
		dut_registers(t, .len = FAR + 16, .access = FOR_WRITES);
	const uint8_t *payload = pattern(t, FAR, 1);
	connects(t, .dut_markers = true);

	/* when more than 64 KiB come, and a marker is due in an FPDU there, */
	peer_sends(t, WRITE(r, 0, payload, FAR));

	/* then the buffer holds the payload and nothing else. */
	must(t, MPA_4_3_20, stream_works());
	must(t, MPA_4_3_17, memory_is(r, 0, payload, FAR));
	must(t, MPA_4_3_17, memory_is(r, FAR, octets_of(t, 16, 0), 16));
}

static const struct marker_row in_the_header[] = {
	{.id = "4", .start = 512 - 4},
	{.id = "8", .start = 512 - 8},
	{.id = "12", .start = 512 - 12},
	{.id = "16", .start = 512 - 16},
};

CASE_EACH(a_marker_in_the_ddp_header, struct marker_row, in_the_header,
	  .title = "a marker inside the DDP header is stripped",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	connects(t, .dut_markers = true);
	peer_fills_up_to(t, row->start);

	/* when one falls into the header of a Send, */
	peer_sends(t, SEND("hello"));

	/* then the header is read as if it weren't there. */
	must(t, MPA_4_3_15, delivered_text(sink_at(sinks, 1), "hello"));
	must(t, MPA_4_3_15, stream_works());
}

static const struct marker_row in_the_request[] = {
	{.id = "20", .start = 512 - 20}, {.id = "24", .start = 512 - 24},
	{.id = "28", .start = 512 - 28}, {.id = "32", .start = 512 - 32},
	{.id = "36", .start = 512 - 36}, {.id = "40", .start = 512 - 40},
	{.id = "44", .start = 512 - 44},
};

CASE_EACH(a_marker_in_a_read_request, struct marker_row, in_the_request,
	  .title = "a marker inside the header of an RDMA Read Request is "
		   "stripped",
	  .needs = NEED_SEND | NEED_READ | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and something to read, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);
	dut_posts_recv(t, 1024);
	dut_fills(t, r, 0, pattern(t, 64, 1), 64);
	connects(t, .dut_markers = true);
	peer_sends(t, READ(r, 8, 48));
	struct message without =
		awaits_message(t, MPA_4_3_16, RDMAP_READ_RESPONSE);
	peer_fills_up_to(t, row->start);

	/* when one falls into the Request, */
	peer_sends(t, READ(r, 8, 48));
	struct message m = awaits_message(t, MPA_4_3_16, RDMAP_READ_RESPONSE);

	/* then the answer is the same as without. */
	must(t, MPA_4_3_16,
	     octets_are(t, "octets read", m.octets, m.n, without.octets,
			without.n));
	must(t, MPA_4_3_16,
	     is("sink STag", m.frames[0]->seg.ddp.stag,
		without.frames[0]->seg.ddp.stag));
	must(t, MPA_4_3_16,
	     is("sink TO", m.frames[0]->seg.ddp.to,
		without.frames[0]->seg.ddp.to));
}

CASE(a_marker_in_the_payload,
     .title = "a marker in the middle of a Write's payload is stripped",
     .needs = NEED_SEND | NEED_WRITE | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and a buffer, */
	struct region r = dut_registers(t, .len = 128, .access = FOR_WRITES);
	dut_posts_recv(t, 1024);
	connects(t, .dut_markers = true);
	peer_fills_up_to(t, 512 - 2 - 14 - 32);

	/* when one falls into the 64 octets of a Write, */
	peer_sends(t, WRITE(r, 32, pattern(t, 64, 1), 64));

	/* then they are placed in one piece, and nothing around them. */
	must(t, MPA_4_3_17, stream_works());
	must(t, MPA_4_3_17, memory_is(r, 32, pattern(t, 64, 1), 64));
	must(t, MPA_4_3_17, memory_is(r, 0, octets_of(t, 32, 0), 32));
	must(t, MPA_4_3_17, memory_is(r, 96, octets_of(t, 32, 0), 32));
}

/* Where the first of 64 Sends starts: none of their FPDUs ends where a marker
 * is due. */
#define FIRST_SKIPPED (512 + 260)

/* Octets of the i-th of them: of all lengths. */
static size_t skipped_among(unsigned i)
{
	return (size_t)(i * 41 % 64 + 1) * 16;
}

CASE(markers_are_skipped_in_lengths,
     .title = "64 FPDUs of all sizes with markers among them are separated",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and buffers, */
	struct sink sinks = dut_posts_recvs(t, 65, 1024);
	const uint8_t *payload = pattern(t, 1024 + 64, 1);
	connects(t, .dut_markers = true);
	peer_fills_up_to(t, FIRST_SKIPPED);

	/* when Sends of 16 to 1024 octets come, in no order, */
	for (unsigned i = 0; i < 64; i++)
		peer_sends(t, SEND_N(payload + i, skipped_among(i)),
			   .hold = i + 1 < 64);

	/* then each of them is delivered. */
	for (unsigned i = 0; i < 64; i++)
		must(t, MPA_4_3_20,
		     delivered(sink_at(sinks, i + 1), payload + i,
			       skipped_among(i)));
}

CASE(only_ulpdu_data_reaches_ddp,
     .title =
	     "a Send in several FPDUs, each with markers and pad, is delivered "
	     "without them",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and a buffer, */
	struct sink sink = dut_posts_recv(t, 4096);
	const uint8_t *payload = pattern(t, 2048, 1);
	connects(t, .dut_markers = true);

	/* when 2048 octets arrive in segments of 501, */
	peer_sends(t, SEND_N(payload, 2048, .segment = 501));

	/* then 2048 octets are delivered. */
	must(t, MPA_4_3_21, delivered(sink, payload, 2048));
	must(t, MPA_4_3_21, stream_works());
}

CASE(markers_are_stripped_without_crcs,
     .title = "markers are stripped with CRCs off, too",
     .needs = NEED_SEND | NEED_MARKERS_RX | NEED_CRC_OFF, .role = EITHER)
{
	/* Given a device that does without CRCs, */
	connects(t, .crc = OFF, .dut_crc = OFF);
	insists(t, MPA_4_1_13, stream_works());
	peer_closes(t);

	/* and wants markers, */
	const uint8_t *payload = pattern(t, 1024, 1);
	connects(t, .dut_markers = true, .crc = OFF, .dut_crc = OFF);
	struct sink sinks = dut_posts_recvs(t, 11, 1024);

	/* which checks no CRC field, */
	peer_sends(t, SEND("right"));
	insists(t, MPA_4_3_27, delivered_text(sink_at(sinks, 0), "right"));
	peer_sends(t, SEND("short", .crc = CRC_VALUE, .crc_value = 0x9abcdef0));
	insists(t, MPA_4_1_12, delivered_text(sink_at(sinks, 1), "short"));

	/* when 4 KiB of Sends come with other things for CRCs, none with
	 * more than one marker inside, */
	for (unsigned i = 0; i < 9; i++)
		peer_sends(t, SEND_N(payload + i, 457, .crc = CRC_VALUE,
				     .crc_value = 0x12345678u * i));

	/* then all are delivered. */
	for (unsigned i = 0; i < 9; i++)
		must(t, MPA_4_3_27,
		     delivered(sink_at(sinks, i + 2), payload + i, 457));
}

CASE(phase_counts_from_the_end_of_the_peers_startup_frame,
     .title = "a receiver counts markers from the octet after the peer's "
	      "startup frame, whatever its length is",
     .needs = NEED_SEND | NEED_MARKERS_RX | NEED_PRIVATE_DATA, .role = EITHER)
{
	/* Given a device that strips a marker inside an FPDU, */
	struct sink first = dut_posts_recv(t, 1024);
	connects(t, .dut_markers = true);
	peer_sends(t, SEND_N(pattern(t, 600, 3), 600));
	insists(t, MPA_4_3_17, delivered(first, pattern(t, 600, 3), 600));
	peer_closes(t);

	/* and a peer whose startup frame has 25 octets, */
	const uint8_t *payload = pattern(t, 1024, 1);
	connects(t, .dut_markers = true, .private_data = "fives",
		 .private_octets = 5, .unproven = true);
	struct sink sinks = dut_posts_recvs(t, 9, 1024);
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		awaits(t, MPA_7_1_03, RDMAP_WRITE);
	}

	/* when it sends 4 KiB of Sends, none with more than one marker inside,
	 */
	for (unsigned i = 0; i < 9; i++)
		peer_sends(t, SEND_N(payload, 456));

	/* then all are delivered. */
	for (unsigned i = 0; i < 9; i++)
		must(t, MPA_4_3_28, delivered(sink_at(sinks, i), payload, 456));
}

CASE(phase_counts_from_the_end_of_an_enhanced_frame,
     .title = "a receiver counts markers from the octet after the peer's "
	      "startup frame, if that has enhanced data, too",
     .needs = NEED_ENHANCED | NEED_WRITE | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and a peer whose startup frame has
	 * enhanced data, */
	struct region r = dut_registers(t, .len = 1200, .access = FOR_WRITES);
	const uint8_t *payload = pattern(t, 1200, 1);
	connects(t, .dut_markers = true, .enhanced = true, .unproven = true);
	if (case_role(t) == INITIATOR) {
		dut_posts_opening(t);
		awaits_given(t, RDMAP_WRITE);
	}

	/* when it writes more than 1024 octets, then all are placed. */
	peer_sends(t, WRITE(r, 0, payload, 1200));
	must(t, MPA_4_3_28, memory_is(r, 0, payload, 1200));
	must(t, MPA_4_3_28, stream_works());
}

/* --- pointers that disagree with the lengths ----------------------------- */

struct wrong_marker {
	CASE_ROW;
	uint32_t start; /* offset at which its FPDU starts */
	unsigned add;   /* from the correct pointer, modulo 2^16 */
};

static const struct wrong_marker wrong_markers[] = {
	{.id = "off_by_4", .start = 512 - 40, .add = 4},
	{.id = "zero_inside_an_fpdu", .start = 512 - 40, .add = 0x10000 - 40},
	{.id = "not_zero_between_fpdus", .start = 512, .add = 8},
};

CASE_EACH(a_wrong_pointer_may_be_found, struct wrong_marker, wrong_markers,
	  .title = "a receiver may check a marker against ULPDU_Length, or "
		   "rely on ULPDU_Length",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	connects(t, .crc = ON, .dut_markers = true);
	peer_fills_up_to(t, row->start);

	/* when a marker under a right CRC points to the wrong place, */
	const uint8_t *payload = pattern(t, 100, 1);
	peer_sends(t, SEND_N(payload, 100, .marker_pointer_add = IS(row->add)));

	/* then that is an error of its own, or goes unnoticed. */
	may(t, MPA_5_2_02,
	    any_of(t, delivered(sink_at(sinks, 1), payload, 100),
		   terminate_if_any(TERM_LLP, 0, 0x03),
		   terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
}

CASE(not_every_marker_need_be_checked,
     .title = "a receiver may leave the last of several markers of an FPDU "
	      "unchecked",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	struct sink sink = dut_posts_recv(t, 2048);
	connects(t, .crc = ON, .dut_markers = true);

	/* when the last of an FPDU's markers points to the wrong place, */
	const uint8_t *payload = pattern(t, 1400, 1);
	peer_sends(t,
		   SEND_N(payload, 1400, .segment = 1400, .marker_index = IS(1),
			  .marker_pointer_add = IS(4)));

	/* then that is an error of its own, or goes unnoticed. */
	may(t, MPA_8_05,
	    any_of(t, delivered(sink, payload, 1400),
		   terminate_if_any(TERM_LLP, 0, 0x03),
		   terminate_if_any(TERM_RDMA, 0, 0x00), segment_dropped()));
}

CASE(a_pointer_to_the_fpdu_before,
     .title = "the reaction to a marker that points to an already processed "
	      "FPDU is recorded",
     .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, and an FPDU of 32 octets that
	 * ends 40 octets before one, */
	struct sink sinks = dut_posts_recvs(t, 3, 1024);
	connects(t, .crc = ON, .dut_markers = true);
	peer_fills_up_to(t, 512 - 40 - 32);
	peer_sends(t, SEND("hello"));

	/* when the marker inside the next points to that one, */
	peer_sends(t, SEND_N(pattern(t, 100, 1), 100,
			     .marker_pointer_add = IS(32)));

	/* then the device may check it, or accept the FPDU unchanged. */
	bool taken = known_answer(t) && dut_receives(t, sink_at(sinks, 2)).ok;
	observe(t, MPA_8_03, "%s", taken ? "delivered" : how_it_ended(t));
}
