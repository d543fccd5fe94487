/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5044 s4.1, s4.4: an FPDU that fills a large segment of TCP is one like any
 * other. */
#include "case.h"

struct large {
	CASE_ROW;
	size_t ulpdu; /* octets */
};

/* No more than half of the capacity of a window without scaling: a device may
 * not have a larger MULPDU of its own, and refuse a longer ULPDU (s3). */
static const struct large large[] = {
	{.id = "2048", .ulpdu = 2048},   {.id = "4097", .ulpdu = 4097},
	{.id = "8191", .ulpdu = 8191},   {.id = "8192", .ulpdu = 8192},
	{.id = "16384", .ulpdu = 16384}, {.id = "32000", .ulpdu = 32000},
};

static size_t payload_behind(struct test *t, const struct large *row,
			     size_t header)
{
	if (peer_mulpdu(t) < row->ulpdu)
		not_applicable(t,
			       "no TCP segment is large enough for this FPDU");
	return row->ulpdu - header;
}

static size_t payload_of(struct test *t, const struct large *row)
{
	return payload_behind(t, row, DDP_TAGGED_OCTETS);
}

CASE_EACH(are_placed, struct large, large,
	  .title = "a Write in one FPDU of this length is placed",
	  .needs = NEED_WRITE | NEED_MPA, .role = EITHER)
{
	/* Given a buffer, and a path with room for it, */
	struct region r =
		dut_registers(t, .len = row->ulpdu, .access = FOR_WRITES);
	connects(t);
	size_t n = payload_of(t, row);
	const uint8_t *p = pattern(t, n, 1);

	/* when the Write arrives in one FPDU, then it is placed. */
	peer_sends(t, WRITE(r, 0, p, n, .segment = n));
	must(t, MPA_3_05, memory_is(r, 0, p, n));
	must(t, MPA_3_05, stream_works());
}

CASE_EACH(are_delivered, struct large, large,
	  .title = "a Send in one FPDU of this length is delivered",
	  .needs = NEED_SEND | NEED_MPA, .role = EITHER)
{
	/* Given a receive buffer, and a path with room for the FPDU, */
	struct sink sink = dut_posts_recv(t, row->ulpdu);
	connects(t);
	size_t n = payload_behind(t, row, DDP_UNTAGGED_OCTETS);
	const uint8_t *p = pattern(t, n, 2);

	/* when the Send arrives in one FPDU, then it is delivered. */
	peer_sends(t, SEND_N(p, n, .segment = n));
	must(t, MPA_3_05, delivered(sink, p, n));
	must(t, MPA_3_05, stream_works());
}

CASE_EACH(are_taken_as_responses, struct large, large,
	  .title = "a Read Response in one FPDU of this length is placed",
	  .needs = NEED_READ | NEED_MPA, .role = EITHER)
{
	/* Given a Read of the device, and a path with room for the answer, */
	struct region r =
		dut_registers(t, .len = row->ulpdu, .access = FOR_RESPONSES);
	connects(t);
	size_t n = payload_of(t, row);
	const uint8_t *p = pattern(t, n, 3);
	unsigned id =
		dut_posts(t, POST_READ(r, 0, n, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the Response arrives in one FPDU, then it is placed. */
	peer_sends(t, READ_RESPONSE(f, p, n, .segment = n));
	must(t, MPA_3_05, completed(id));
	must(t, MPA_3_05, memory_is(r, 0, p, n));
}

CASE_EACH(have_their_crc_checked, struct large, large,
	  .title = "a Write in one FPDU of this length with a wrong CRC is not "
		   "placed",
	  .needs = NEED_WRITE | NEED_CRC | NEED_MPA, .role = EITHER)
{
	/* Given a buffer, and a path with room for it, */
	struct region r =
		dut_registers(t, .len = row->ulpdu, .access = FOR_WRITES);
	connects(t, .crc = ON);
	size_t n = payload_of(t, row);

	/* when the CRC of the FPDU is wrong, then it is not placed. */
	peer_sends(t, WRITE(r, 0, pattern(t, n, 1), n, .segment = n,
			    .crc = CRC_WRONG));
	must(t, MPA_4_4_14, stream_ends_or_stalls());
	must(t, MPA_6_01, memory_unchanged(r));
}
