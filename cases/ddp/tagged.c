/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s4.2, s7.1, s7.2, s8.1 and s8.3.1: the tagged header, and the range
 * of legal offsets of an STag, octet by octet. */
#include "case.h"

#define LONG 10240u
#define MSS  1460u
#define LEN  100u /* of a buffer */

/* --- what the device sends ----------------------------------------------- */

CASE(a_tagged_header_has_14_octets,
     .title = "a Write has a 14-octet DDP header with the STag and TO "
	      "given by the ULP, and its payload right after it",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, and a buffer that the peer has advertised, */
	connects(t);

	/* when the device writes to it, */
	dut_posts(t, POST_WRITE_N("hello", 5, 0x12345678, 0xfedcba9876543210));
	const struct frame *f = awaits_given(t, RDMAP_WRITE);

	/* then STag and TO on the wire are the given ones. */
	must(t, DDP_4_2_01, is("T", f->seg.ddp.tagged, 1));
	must(t, DDP_4_2_04, is("STag", f->seg.ddp.stag, 0x12345678));
	must(t, DDP_4_2_01, is("TO", f->seg.ddp.to, 0xfedcba9876543210));
	/* A Write may have several segments (s5.2). */
	size_t n = f->seg.payload_octets;
	if (f->seg.ddp.last || n > 5)
		n = 5;
	must(t, DDP_4_2_01, holds("payload in the segment", n > 0));
	must(t, DDP_4_2_01,
	     octets_are(t, "the payload", f->seg.payload, f->seg.payload_octets,
			"hello", n));
}

/* Segments whose second octet is this. */
static size_t with_rsvdulp(const struct message *m, const struct ddp *a)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct ddp *b = &m->frames[i]->seg.ddp;

		n += a->rv == b->rv && a->rdmap_rsvd == b->rdmap_rsvd &&
		     a->opcode == b->opcode;
	}
	return n;
}

static size_t with_stag(const struct message *m, uint32_t stag)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += m->frames[i]->seg.ddp.stag == stag;
	return n;
}

CASE(the_segments_of_a_write_share_rsvdulp_and_stag,
     .title = "all segments of a Write have the same RsvdULP octet "
	      "and the same STag",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a device with a long message to write, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it does so, */
	dut_posts(t, POST_WRITE_FROM(r, 0, LONG, 0x12345678, 0x1000));
	struct message m = awaits_given_message(t, RDMAP_WRITE);

	/* then all its segments have the same. */
	must(t, DDP_4_2_02,
	     is("segments with the RsvdULP of the first",
		with_rsvdulp(&m, &m.frames[0]->seg.ddp), m.count));
	must(t, DDP_4_2_03,
	     is("segments with the STag of the first",
		with_stag(&m, m.frames[0]->seg.ddp.stag), m.count));
}

CASE(the_segments_of_a_read_response_share_the_stag,
     .title = "all segments of a Read Response have the same STag",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a long buffer that the peer may read, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_READS);
	connects(t, .mss = MSS);

	/* when it does so, */
	peer_sends(t, READ(r, 0, LONG));
	struct message m = awaits_given_message(t, RDMAP_READ_RESPONSE);

	/* then all of the Response is for one buffer. */
	must(t, DDP_4_2_03,
	     is("segments with the STag of the first",
		with_stag(&m, m.frames[0]->seg.ddp.stag), m.count));
}

/* --- the place of a Write ------------------------------------------------ */

CASE(a_write_may_start_at_any_offset,
     .title = "a Write of one octet may name any TO of the buffer",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes its first, second and last octet, */
	peer_sends(t, WRITE(r, 0, "a", 1));
	peer_sends(t, WRITE(r, 1, "b", 1));
	peer_sends(t, WRITE(r, LEN - 1, "c", 1));

	/* then each octet lands exactly there. */
	may(t, DDP_4_2_06, any_of(t, memory_is(r, 0, "ab", 3)));
	may(t, DDP_4_2_06, any_of(t, memory_is(r, LEN - 2, "\0c", 2)));
}

CASE(an_offset_counts_octets,
     .title = "TO is octet granular: Writes to odd offsets are placed there",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes to odd offsets, */
	peer_sends(t, WRITE(r, 1, "xyz", 3));
	peer_sends(t, WRITE(r, 7, "12345", 5));

	/* then no octet of the buffer is placed outside its place. */
	must(t, DDP_4_2_07,
	     memory_is(r, 0,
		       "\0xyz\0\0\0"
		       "12345\0",
		       13));
}

/* A buffer may end with the last of all TOs: what is behind it wraps. */
static struct expect bounds_or_wrap(struct test *t, uint64_t to, size_t n)
{
	struct expect bounds = terminate_if_any(TERM_DDP, 1, 0x01);

	return to > UINT64_MAX - n
		       ? any_of(t, bounds, terminate_if_any(TERM_DDP, 1, 0x03))
		       : bounds;
}

struct far {
	CASE_ROW;
	uint64_t distance, beside; /* modulo 2^64 */
};

static const struct far far[] = {
	{.id = "above", .distance = 1ull << 32, .beside = LEN},
	{.id = "below", .distance = -(1ull << 32), .beside = -(1ull * LEN)},
	{.id = "2_to_the_48_above", .distance = 1ull << 48, .beside = LEN},
	{.id = "2_to_the_63_away", .distance = 1ull << 63, .beside = LEN},
};

CASE_EACH(
	all_64_bits_of_an_offset_count, struct far, far,
	.title = "a Write whose TO is wrong only in its upper half is refused",
	.needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, and a device that accepts no Write outside it, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, row->beside, "hello", 5));
	insists(t, DDP_8_3_1_01, stream_ends());
	connects(t);

	/* when the peer writes 4 GiB or more above or below it, */
	peer_sends(t, WRITE(r, row->distance, "hello", 5));

	/* then it does not land in the buffer, and the stream ends. */
	must(t, DDP_4_2_07, stream_ends());
	must(t, DDP_4_2_07, memory_unchanged(r));
	must(t, DDP_8_3_1_01, bounds_or_wrap(t, r.to + row->distance, 5));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_write_to_two_stags,
     .title = "the reaction to a Write whose segments name two STags is "
	      "recorded",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given two buffers, */
	struct region a = dut_registers(t, .len = 8, .access = FOR_WRITES);
	struct region b = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t);

	/* when the segments of one Write go one to each, */
	peer_breaks(t, DDP_4_2_03);
	peer_sends(t, WRITE(a, 0, "one", 3, .l = IS(0)));
	peer_sends(t, WRITE(b, 0, "two", 3));

	/* then both may be placed, or the Write refused. */
	observe(t, DDP_4_2_08, "segments of one Write to two STags: %s",
		known_answer(t) ? "both placed" : how_it_ended(t));
}

/* --- base and bounds ----------------------------------------------------- */

CASE(a_write_may_fill_its_buffer,
     .title = "a Write that ends exactly at the end of the buffer is "
	      "placed",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, LEN, 1);
	connects(t);

	/* when the peer writes all of it, */
	peer_sends(t, WRITE(r, 0, p, LEN));

	/* then it is placed. */
	must(t, DDP_7_1_29, memory_is(r, 0, p, LEN));
	must(t, DDP_7_1_29, stream_works());
}

struct range {
	CASE_ROW;
	uint64_t off; /* from the base, modulo 2^64 */
	size_t len;
	size_t unjudged; /* octets at the end that are in range */
};

static const struct range outside[] = {
	{.id = "before_the_base", .must = &DDP_7_1_26, .off = -1ull, .len = 1},
	{.id = "at_the_end", .must = &DDP_7_1_27, .off = LEN, .len = 1},
	{.id = "one_octet_too_long",
	 .must = &DDP_7_1_28,
	 .off = LEN - 1,
	 .len = 2,
	 .unjudged = 1},
};

CASE_EACH(a_write_outside_its_buffer_is_refused, struct range, outside,
	  .title = "a Write with an octet outside the buffer is refused as "
		   "a base or bounds violation",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer whose base is not zero, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	if (r.to == 0)
		not_applicable(t, "the device bases its buffers at TO 0");
	connects(t);

	/* when the peer writes to an octet that is not of it, */
	peer_sends(t, WRITE(r, row->off, "!!", row->len));

	/* then the buffer is as before, and the cause is named. */
	must_row(t, row, terminate_if_any(TERM_DDP, 1, 0x01));
	must_row(t, row,
		 memory_is(r, 0, octets_of(t, LEN, 0), LEN - row->unjudged));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* The DDP header that the Terminate returns; DV is 0 if none arrived. */
static struct ddp returned_header(struct test *t)
{
	struct rdmap_terminate h = terminate_seen(t);
	struct ddp_segment s = {0};

	if (h.ddp_header)
		ddp_decode(&s, h.ddp_header, h.ddp_header_octets);
	return s.ddp;
}

CASE(a_later_segment_outside_the_buffer_is_refused,
     .title = "a Write whose second segment leaves the buffer is "
	      "refused for that segment",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of 100 octets, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes 60 octets and then 60 more in one message, */
	peer_sends(t, WRITE(r, 0, pattern(t, 120, 1), 120, .segment = 60));

	/* then the cause is named, and it is the second segment's. */
	must(t, DDP_7_1_30, bounds_or_wrap(t, r.to + 60, 60));
	should(t, RDMAP_6_2_1_01, terminate_any());
	must(t, DDP_7_1_30,
	     any_of(t,
		    is("TO of the header that came back", returned_header(t).to,
		       r.to + 60),
		    is("a header that came back", returned_header(t).dv, 0)));
}

CASE(a_range_may_not_wrap,
     .title = "a Write whose TO and length pass 2^64 is refused as a "
	      "wrap, or as out of bounds",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes 32 octets, 16 below the end of all offsets, */
	peer_sends(t,
		   WRITE_TO(r.stag, 0xfffffffffffffff0, pattern(t, 32, 1), 32));

	/* then nothing is placed; both checks of the range fail. */
	must(t, DDP_7_1_31,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x03),
		    terminate_if_any(TERM_DDP, 1, 0x01)));
	must(t, DDP_7_1_31, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(bounds_are_exact_to_the_octet,
     .title = "a buffer of 13 octets at an odd address takes a Write "
	      "of 13",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of odd length at an odd place, */
	struct region r = dut_registers(t, .len = 13, .align = 4096, .skew = 3,
					.access = FOR_WRITES);
	connects(t);

	/* when the peer writes all of it, */
	peer_sends(t, WRITE(r, 0, "thirteen octs", 13));

	/* then it is placed. */
	must(t, DDP_8_1_01, memory_is(r, 0, "thirteen octs", 13));
	must(t, DDP_8_1_01, stream_works());
}

CASE(one_octet_more_than_the_bounds_is_refused,
     .title = "a buffer of 13 octets at an odd address refuses a "
	      "Write of 14",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of odd length at an odd place, */
	struct region r = dut_registers(t, .len = 13, .align = 4096, .skew = 3,
					.access = FOR_WRITES);
	connects(t);

	/* when the peer writes one octet more, */
	peer_sends(t, WRITE(r, 0, "fourteen octets", 14));

	/* then the cause is named. */
	must(t, DDP_8_1_01, bounds_or_wrap(t, r.to, 14));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- probes around a buffer ---------------------------------------------- */

#define PROBED 48u /* octets of the buffer */

struct probe {
	CASE_ROW;
	uint64_t off; /* from the base, modulo 2^64 */
};

static const struct probe probes[] = {
	{.id = "64_below", .off = -64ull},
	{.id = "33_below", .off = -33ull},
	{.id = "32_below", .off = -32ull},
	{.id = "31_below", .off = -31ull},
	{.id = "17_below", .off = -17ull},
	{.id = "16_below", .off = -16ull},
	{.id = "15_below", .off = -15ull},
	{.id = "9_below", .off = -9ull},
	{.id = "8_below", .off = -8ull},
	{.id = "7_below", .off = -7ull},
	{.id = "5_below", .off = -5ull},
	{.id = "4_below", .off = -4ull},
	{.id = "3_below", .off = -3ull},
	{.id = "2_below", .off = -2ull},
	{.id = "1_below", .off = -1ull},
	{.id = "0_behind", .off = PROBED},
	{.id = "1_behind", .off = PROBED + 1},
	{.id = "2_behind", .off = PROBED + 2},
	{.id = "3_behind", .off = PROBED + 3},
	{.id = "4_behind", .off = PROBED + 4},
	{.id = "5_behind", .off = PROBED + 5},
	{.id = "7_behind", .off = PROBED + 7},
	{.id = "8_behind", .off = PROBED + 8},
	{.id = "9_behind", .off = PROBED + 9},
	{.id = "15_behind", .off = PROBED + 15},
	{.id = "16_behind", .off = PROBED + 16},
	{.id = "17_behind", .off = PROBED + 17},
	{.id = "31_behind", .off = PROBED + 31},
	{.id = "32_behind", .off = PROBED + 32},
	{.id = "33_behind", .off = PROBED + 33},
	{.id = "63_behind", .off = PROBED + 63},
};

CASE_EACH(no_octet_around_a_buffer_can_be_written, struct probe, probes,
	  .title = "a Write of one octet outside the buffer is refused, at "
		   "every distance from it",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = PROBED, .access = FOR_WRITES);
	connects(t);

	/* when the peer writes one octet so far before or after it, */
	peer_sends(t, WRITE(r, row->off, "!", 1));

	/* then it is refused. */
	must(t, DDP_8_3_1_01, stream_ends());
	must(t, DDP_8_3_1_01, memory_unchanged(r));
	if (row->off > INT64_MAX)
		must(t, DDP_7_1_26, bounds_or_wrap(t, r.to + row->off, 1));
	else
		must(t, DDP_7_1_27, bounds_or_wrap(t, r.to + row->off, 1));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(every_octet_of_a_buffer_can_be_written,
     .title = "Writes of one octet reach every octet of a buffer",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = PROBED, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, PROBED, 1);
	connects(t);

	/* when the peer writes each octet of it by a message of its own, */
	for (unsigned i = 0; i < PROBED; i++)
		peer_sends(t, WRITE(r, i, p + i, 1), .hold = i + 1 < PROBED);

	/* then all are placed. */
	must(t, DDP_4_1_01, memory_is(r, 0, p, PROBED));
	must(t, DDP_8_3_1_01, stream_works());
	must(t, RDMAP_4_8_31, no_terminate());
}

CASE_EACH(no_octet_around_a_buffer_can_be_read, struct probe, probes,
	  .title = "a Read of one octet outside the buffer is refused, at "
		   "every distance from it",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = PROBED, .access = FOR_READS);
	connects(t);

	/* when the peer reads one octet so far before or after it, */
	peer_sends(t, READ(r, row->off, 1));

	/* then it gets none, and the cause is named. */
	must(t, RDMAP_8_1_1_03, is("Responses", responses_until_the_end(t), 0));
	must(t, RDMAP_7_2_10,
	     any_of(t, terminate(TERM_RDMA, 1, 0x01),
		    terminate(TERM_RDMA, 1,
			      r.to + row->off + 1 == 0 ? 0x04 : 0x01)));
}
