/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s5.1, s5.2: FPDUs that arrive in any pieces, as TCP divides them. */
#include "case.h"

#define WRITE_OCTETS (64u * 1024)

struct shift {
	CASE_ROW;
	size_t octets; /* of the first segment, before all the others */
};

static const struct shift shifts[] = {
	{.id = "1", .octets = 1},     {.id = "2", .octets = 2},
	{.id = "3", .octets = 3},     {.id = "17", .octets = 17},
	{.id = "500", .octets = 500}, {.id = "1447", .octets = 1447},
};

CASE_EACH(alignment_is_not_needed, struct shift, shifts,
	  .title = "FPDUs that always straddle TCP segments are accepted",
	  .needs = NEED_WRITE | NEED_SEND, .role = EITHER,
	  .along = {ALONG(struct shift, octets, PEER_CUT, 1, 49)})
{
	/* Given a buffer for a Write and one for a Send, */
	struct region r =
		dut_registers(t, .len = WRITE_OCTETS, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t, .mss = 1460);
	const uint8_t *payload = pattern(t, WRITE_OCTETS, 1);

	/* when every FPDU begins so many octets before a TCP segment, */
	peer_sends(t,
		   WRITE(r, 0, payload, WRITE_OCTETS,
			 .segment = peer_mulpdu(t) - 14),
		   .hold = true);
	peer_sends(t, SEND("end"), .cuts = CUT_AFTER(row->octets));

	/* then all is placed and delivered. */
	must(t, MPA_5_1_03, delivered_text(sink, "end"));
	must(t, MPA_5_1_03, memory_is(r, 0, payload, WRITE_OCTETS));
}

CASE(an_fpdu_octet_by_octet,
     .title = "an FPDU of 1000 octets in 1000 TCP segments is delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, 1024);
	connects(t);

	/* when every octet of an FPDU arrives in a segment of its own, */
	const uint8_t *payload = pattern(t, 976, 1);
	peer_sends(t, SEND_N(payload, 976), .cuts = CUT_EVERY(1));

	/* then it is delivered. */
	must(t, MPA_5_1_04, delivered(sink, payload, 976));
	must(t, MPA_5_1_04, stream_works());
}

struct split {
	CASE_ROW;
	size_t after; /* octets of an FPDU of SPLIT_OCTETS */
};
#define SPLIT_PAYLOAD 300u
#define SPLIT_OCTETS  (2 + 18 + SPLIT_PAYLOAD + 4)

static const struct split splits[] = {
	{.id = "in_the_length", .must = &MPA_5_1_05, .after = 1},
	{.id = "after_the_length", .must = &MPA_5_1_05, .after = 2},
	{.id = "3_in_the_header", .must = &MPA_5_1_06, .after = 3},
	{.id = "7_in_the_header", .must = &MPA_5_1_06, .after = 7},
	{.id = "15_in_the_header", .must = &MPA_5_1_06, .after = 15},
	{.id = "1_in_the_crc", .must = &MPA_5_1_07, .after = SPLIT_OCTETS - 3},
	{.id = "2_in_the_crc", .must = &MPA_5_1_07, .after = SPLIT_OCTETS - 2},
	{.id = "3_in_the_crc", .must = &MPA_5_1_07, .after = SPLIT_OCTETS - 1},
};

CASE_EACH(
	an_fpdu_in_two_parts, struct split, splits,
	.title = "an FPDU split anywhere is delivered with its last octet, and "
		 "not before",
	.needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, 512);
	const uint8_t *payload = pattern(t, SPLIT_PAYLOAD, 1);
	connects(t);

	/* when the first part of an FPDU comes, nothing happens, */
	peer_sends(t, SEND_N(payload, SPLIT_PAYLOAD),
		   .keep_last = SPLIT_OCTETS - row->after);
	must_row(t, row, nothing_more());
	must_row(t, row, not_delivered(sink));

	/* and with the rest it is delivered. */
	peer_goes_on(t);
	must_row(t, row, delivered(sink, payload, SPLIT_PAYLOAD));
	must_row(t, row, stream_works());
}

static const struct split marker_splits[] = {
	{.id = "after_1_octet", .after = 1},
	{.id = "after_2_octets", .after = 2},
	{.id = "after_3_octets", .after = 3},
};

CASE_EACH(a_marker_in_two_parts, struct split, marker_splits,
	  .title = "an FPDU split inside its marker is delivered",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that strips a marker inside an FPDU, */
	struct sink first = dut_posts_recv(t, 1024);
	connects(t, .dut_markers = true);
	peer_sends(t, SEND_N(pattern(t, 600, 3), 600));
	insists(t, MPA_4_3_17, delivered(first, pattern(t, 600, 3), 600));
	peer_closes(t);

	/* and a peer 40 octets before one, */
	connects(t, .dut_markers = true);
	struct sink sinks = dut_posts_recvs(t, 2, 1024);
	size_t n = send_payload_up_to(t, 512 - 40);
	peer_sends(t, SEND_N(pattern(t, n, 1), n));

	/* when a TCP segment ends inside the marker, */
	peer_sends(t, SEND_N(pattern(t, 100, 2), 100),
		   .keep_last = 4 - row->after + 80 + 4);
	must(t, MPA_5_1_08, nothing_more());
	must(t, MPA_5_1_08, not_delivered(sink_at(sinks, 1)));

	/* then the FPDU is delivered when the rest has arrived. */
	peer_goes_on(t);
	must(t, MPA_5_1_08,
	     delivered(sink_at(sinks, 1), pattern(t, 100, 2), 100));
	must(t, MPA_5_1_08, stream_works());
}

static const struct split leading_splits[] = {
	{.id = "1_in_the_marker", .must = &MPA_5_1_08, .after = 1},
	{.id = "3_in_the_marker", .must = &MPA_5_1_08, .after = 3},
	{.id = "after_the_marker", .must = &MPA_5_1_04, .after = 4},
	{.id = "in_the_length", .must = &MPA_5_1_05, .after = 5},
	{.id = "after_the_length", .must = &MPA_5_1_05, .after = 6},
	{.id = "in_the_header", .must = &MPA_5_1_06, .after = 7},
};

CASE_EACH(a_leading_marker_apart, struct split, leading_splits,
	  .title = "an FPDU that begins with a marker is delivered if a TCP "
		   "segment ends near that marker",
	  .needs = NEED_SEND | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that takes a marker between two FPDUs, */
	const uint8_t *payload = pattern(t, SPLIT_PAYLOAD, 2);
	struct sink sinks = dut_posts_recvs(t, 4, 1024);
	connects(t, .dut_markers = true);
	size_t n = send_payload_up_to(t, 512);
	peer_sends(t, SEND_N(pattern(t, n, 1), n));
	peer_sends(t, SEND_N(payload, SPLIT_PAYLOAD));
	insists(t, MPA_4_3_10,
		delivered(sink_at(sinks, 1), payload, SPLIT_PAYLOAD));

	/* and a peer whose next FPDU begins with one, */
	n = send_payload_up_to(t, 1024);
	peer_sends(t, SEND_N(pattern(t, n, 1), n));

	/* when a TCP segment ends after so many of its octets, nothing
	 * happens, */
	peer_sends(t, SEND_N(payload, SPLIT_PAYLOAD),
		   .keep_last = 4 + SPLIT_OCTETS - row->after);
	must_row(t, row, nothing_more());
	must_row(t, row, not_delivered(sink_at(sinks, 3)));

	/* and with the rest the FPDU is delivered. */
	peer_goes_on(t);
	must_row(t, row, delivered(sink_at(sinks, 3), payload, SPLIT_PAYLOAD));
	must_row(t, row, stream_works());
}

#define MANY 40u

CASE(many_fpdus_in_one_segment,
     .title = "40 FPDUs in one TCP segment are delivered in order",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for each, */
	struct sink sinks = dut_posts_recvs(t, MANY, 64);
	const uint8_t *payload = pattern(t, MANY, 1);
	connects(t);

	/* when they come at once, */
	for (unsigned i = 0; i < MANY; i++)
		peer_sends(t, SEND_N(payload + i, 1), .hold = i + 1 < MANY);

	/* then they are delivered one after the other. */
	for (unsigned i = 0; i < MANY; i++)
		must(t, MPA_5_1_09,
		     delivered(sink_at(sinks, i), payload + i, 1));
}

CASE(tails_fpdus_and_heads_in_one_segment,
     .title = "TCP segments of a tail, whole FPDUs and a head are separated "
	      "into FPDUs",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for each of many Sends, */
	struct sink sinks = dut_posts_recvs(t, MANY, 64);
	const uint8_t *payload = pattern(t, MANY, 1);
	connects(t);

	/* when FPDUs of 28 octets arrive in segments of 100, */
	for (unsigned i = 0; i < MANY; i++)
		peer_sends(t, SEND_N(payload + i, 1), .hold = i + 1 < MANY,
			   .cuts = CUT_EVERY(100));

	/* then they are delivered one after the other. */
	for (unsigned i = 0; i < MANY; i++)
		must(t, MPA_5_1_10,
		     delivered(sink_at(sinks, i), payload + i, 1));
}

CASE(boundaries_come_from_the_length,
     .title = "1000 FPDUs of all sizes are separated by ULPDU_Length",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer for many Writes and one for a Send, */
	struct region r =
		dut_registers(t, .len = WRITE_OCTETS, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	const uint8_t *payload = pattern(t, WRITE_OCTETS, 1);
	static uint8_t due[WRITE_OCTETS];
	connects(t);

	/* when Writes of 0 to 64 octets go each to a place of its own, */
	memset(due, 0, sizeof(due));
	for (uint32_t i = 0, random = 1; i < 1000; i++) {
		random = random * 1664525u + 1013904223u;
		size_t n = (random >> 16) % 65, at = 64 * i;
		peer_sends(t, WRITE(r, at, payload + at, n), .hold = true);
		memcpy(due + at, payload + at, n);
	}
	peer_sends(t, SEND("end"));

	/* then every octet is in its place. */
	must(t, MPA_5_2_01, delivered_text(sink, "end"));
	must(t, MPA_5_2_01, memory_is(r, 0, due, sizeof(due)));
}
