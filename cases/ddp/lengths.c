/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s4.1, s5.2: messages of every length at which something ends - a
 * word, a segment, a page - and from and to every such place in a page. */
#include "case.h"

#define MOST   4285u  /* octets: a page, or three segments, and one more */
#define WIDE   65537u /* octets: more than 16 bits count */
#define AROUND 64u    /* octets of a buffer before a message, and after it */
#define MSS    1460u

struct length {
	CASE_ROW;
	uint32_t n;
};

static const struct length lengths[] = {{.id = "1", .n = 1}};

struct place {
	CASE_ROW;
	uint32_t off; /* in a buffer that begins with a page */
};

static const struct place places[] = {{.id = "1", .off = 1}};

/* Longer than a page, so that it ends elsewhere in one than it begins. */
#define LONG 4101u

/* Of a buffer, without what is around. */
static size_t room_for(uint32_t n)
{
	return n > MOST ? n : MOST;
}

/* --- messages to the device ----------------------------------------------- */

/* So many zeros, but for n octets of data at off. */
static const uint8_t *only(struct test *t, size_t octets, size_t off,
			   const uint8_t *data, size_t n)
{
	uint8_t *whole = (uint8_t *)(uintptr_t)octets_of(t, octets, 0);

	memcpy(whole + off, data, n);
	return whole;
}

CASE_EACH(a_write_is_placed_whole, struct length, lengths,
	  .title = "a Write of this length is placed whole, and changes no "
		   "other octet",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct length, n, PEER_WRITE, 0, MOST),
		    ALONG(struct length, n, PEER_WRITE, WIDE - 2, WIDE)})
{
	/* Given a buffer, */
	const size_t len = AROUND + room_for(row->n) + AROUND;
	struct region r = dut_registers(t, .len = len, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, row->n, 1);
	connects(t);

	/* when the peer writes so many octets into it, */
	peer_sends(t, WRITE(r, AROUND, p, row->n));

	/* then they are in their place, and nothing else has changed. */
	must(t, DDP_4_1_01,
	     memory_is(r, 0, only(t, len, AROUND, p, row->n), len));
}

CASE_EACH(a_write_is_placed_anywhere, struct place, places,
	  .title = "a Write is placed at any octet of a page",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct place, off, PEER_WRITE_START, 0, 4095)})
{
	/* Given a buffer of three pages, */
	const size_t len = 3 * 4096;
	struct region r = dut_registers(t, .len = len, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, LONG, 2);
	connects(t);

	/* when the peer writes more than a page, from there on, */
	peer_sends(t, WRITE(r, row->off, p, LONG));

	/* then it is there, and nothing else has changed. */
	must(t, DDP_4_1_01,
	     memory_is(r, 0, only(t, len, row->off, p, LONG), len));
}

CASE_EACH(a_read_response_is_placed_whole, struct length, lengths,
	  .title = "a Read Response of this length is placed whole, and "
		   "changes no other octet",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {ALONG(struct length, n, DUT_READ, 1, 9),
		    ALONG(struct length, n, DUT_READ, 1423, 1429),
		    ALONG(struct length, n, DUT_READ, 4095, MOST),
		    ALONG(struct length, n, DUT_READ, WIDE - 2, WIDE)})
{
	/* Given a Read of so many octets under way, */
	const size_t len = AROUND + room_for(row->n) + AROUND;
	struct region r = dut_registers(t, .len = len, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, row->n, 3);
	connects(t);
	unsigned read =
		dut_posts(t, POST_READ(r, AROUND, row->n, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer answers it, */
	peer_sends(t, READ_RESPONSE(f, p, row->n));

	/* then they are in their place, and nothing else has changed. */
	must(t, RDMAP_5_2_2_03, completed(read));
	must(t, DDP_4_1_01,
	     memory_is(r, 0, only(t, len, AROUND, p, row->n), len));
}

CASE_EACH(a_read_response_is_placed_anywhere, struct place, places,
	  .title = "a Read Response is placed at any octet of a page",
	  .needs = NEED_READ, .role = EITHER,
	  .along = {ALONG(struct place, off, DUT_SINK_START, 0, 9),
		    ALONG(struct place, off, DUT_SINK_START, 2047, 2049),
		    ALONG(struct place, off, DUT_SINK_START, 4094, 4095)})
{
	/* Given a Read of more than a page under way, to there, */
	const size_t len = 3 * 4096;
	struct region r = dut_registers(t, .len = len, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, LONG, 4);
	connects(t);
	unsigned read =
		dut_posts(t, POST_READ(r, row->off, LONG, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer answers it, */
	peer_sends(t, READ_RESPONSE(f, p, LONG));

	/* then it is there, and nothing else has changed. */
	must(t, RDMAP_5_2_2_03, completed(read));
	must(t, DDP_4_1_01,
	     memory_is(r, 0, only(t, len, row->off, p, LONG), len));
}

CASE_EACH(a_send_fills_its_buffer, struct length, lengths,
	  .title = "a Send as long as its receive buffer is delivered",
	  .needs = NEED_SEND, .role = EITHER,
	  .along = {ALONG(struct length, n, RECEIVE, 1, 9),
		    ALONG(struct length, n, RECEIVE, 1423, 1429),
		    ALONG(struct length, n, RECEIVE, 4095, MOST)})
{
	/* Given a buffer of this size, */
	struct sink sink = dut_posts_recv(t, row->n);
	const uint8_t *p = pattern(t, row->n, 8);
	connects(t);

	/* when a Send fills it, then it is delivered. */
	peer_sends(t, SEND_N(p, row->n));
	must(t, DDP_7_1_12, delivered(sink, p, row->n));
}

static const struct length few[] = {
	{.id = "1_octet", .n = 1},
	{.id = "2_octets", .n = 2},
	{.id = "5_octets", .n = 5},
	{.id = "13_octets", .n = 13},
};

CASE_EACH(a_send_changes_nothing_around, struct length, few,
	  .title = "a Send as long as its receive buffer changes no octet of "
		   "the region before or behind it, whatever was there",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = INITIATOR)
{
	/* Given a receive of this size in the midst of octets that are not
	 * zero, */
	const size_t len = AROUND + row->n + AROUND;
	struct region r = dut_registers(t, .len = len, .access = FOR_RESULTS);
	const uint8_t *around = pattern(t, len, 9);
	dut_fills(t, r, 0, around, len);
	struct sink sink = dut_posts_recv_in(t, r, AROUND, row->n);
	const uint8_t *p = pattern(t, row->n, 10);
	connects(t);

	/* when a Send fills it, */
	peer_sends(t, SEND_N(p, row->n));

	/* then the octets around it are as before. */
	insists(t, DDP_4_1_02, delivered(sink, p, row->n));
	must(t, DDP_4_1_02, memory_is(r, 0, around, AROUND));
	must(t, DDP_4_1_02,
	     memory_is(r, AROUND + row->n, around + AROUND + row->n, AROUND));
}

CASE_EACH(a_send_of_so_many_segments_is_delivered, struct length, lengths,
	  .title = "a Send is reassembled from any number of segments",
	  .needs = NEED_SEND, .role = EITHER,
	  .along = {ALONG(struct length, n, PEER_SEGMENTS, 1, 65)})
{
	/* Given a buffer, */
	size_t n = 7 * (size_t)row->n;
	struct sink sink = dut_posts_recv(t, 512);
	const uint8_t *p = pattern(t, n, 9);
	connects(t);

	/* when a Send arrives in so many segments, then it is delivered. */
	peer_sends(t, SEND_N(p, n, .segment = 7));
	must(t, DDP_5_2_04, delivered(sink, p, n));
}

CASE_EACH(a_write_of_so_many_segments_is_placed, struct length, lengths,
	  .title = "a Write is placed from any number of segments",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct length, n, PEER_SEGMENTS, 1, 65)})
{
	/* Given a buffer, */
	size_t n = 8 * (size_t)row->n;
	struct region r = dut_registers(t, .len = 1024, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, n, 10);
	connects(t);

	/* when a Write arrives in so many segments, then it is placed. */
	peer_sends(t, WRITE(r, 0, p, n, .segment = 8));
	must(t, DDP_5_2_04, memory_is(r, 0, p, n));
}

/* --- messages from the device --------------------------------------------- */

struct octets {
	const uint8_t *octets;
	size_t n;
};

/* The received part of a message of n octets, in its place, up to its end or to
 * this many octets: whether its end is reported is a separate matter. */
static struct octets octets_that_come(struct test *t, unsigned opcode,
				      uint64_t to, size_t n)
{
	uint8_t *octets = (uint8_t *)(uintptr_t)octets_of(t, n, 0);
	size_t came = 0;
	bool last = false;

	while (!last && came < n) {
		const struct frame *f = awaits_given(t, opcode);
		size_t k = f->seg.payload_octets;
		uint64_t at = opcode == RDMAP_WRITE ? f->seg.ddp.to - to
						    : f->seg.ddp.mo;

		if (at <= n && k <= n - at)
			memcpy(octets + at, f->seg.payload, k);
		came += k;
		last = f->seg.ddp.last;
	}
	return (struct octets){octets, came};
}

CASE_EACH(a_send_leaves_whole, struct length, lengths,
	  .title = "all octets of a Send of any length are sent",
	  .needs = NEED_SEND, .role = EITHER,
	  .along = {ALONG(struct length, n, DUT_SEND, 1, MOST),
		    ALONG(struct length, n, DUT_SEND, WIDE - 2, WIDE)})
{
	/* Given a device with a message to send, */
	const size_t len = room_for(row->n);
	struct region r = dut_registers(t, .len = len);
	const uint8_t *p = pattern(t, len, 5);
	dut_fills(t, r, 0, p, len);
	connects(t, .mss = MSS);

	/* when it sends it, then exactly that arrives. */
	dut_posts(t, POST_SEND_FROM(r, 0, row->n));
	struct octets m = octets_that_come(t, RDMAP_SEND, 0, row->n);
	must(t, DDP_5_2_03, is("octets", m.n, row->n));
	must(t, DDP_5_2_03,
	     octets_are(t, "the message", m.octets, row->n, p, row->n));
}

CASE_EACH(a_write_leaves_whole, struct length, lengths,
	  .title = "all octets of a Write of any length are sent",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct length, n, DUT_WRITE, 1, 9),
		    ALONG(struct length, n, DUT_WRITE, 1423, 1429),
		    ALONG(struct length, n, DUT_WRITE, 4095, MOST),
		    ALONG(struct length, n, DUT_WRITE, WIDE - 2, WIDE)})
{
	/* Given a device with a message to send, */
	const size_t len = room_for(row->n);
	struct region r = dut_registers(t, .len = len);
	const uint8_t *p = pattern(t, len, 6);
	dut_fills(t, r, 0, p, len);
	connects(t, .mss = MSS);

	/* when it sends it, then exactly that arrives. */
	dut_posts(t, POST_WRITE_FROM(r, 0, row->n, 0x1234, 0x1000));
	struct octets m = octets_that_come(t, RDMAP_WRITE, 0x1000, row->n);
	must(t, DDP_5_2_03, is("octets", m.n, row->n));
	must(t, DDP_5_2_03,
	     octets_are(t, "the message", m.octets, row->n, p, row->n));
}

CASE_EACH(a_write_leaves_from_anywhere, struct place, places,
	  .title = "a Write is sent from any octet of a page",
	  .needs = NEED_WRITE, .role = EITHER,
	  .along = {ALONG(struct place, off, DUT_SOURCE_START, 0, 9),
		    ALONG(struct place, off, DUT_SOURCE_START, 2047, 2049),
		    ALONG(struct place, off, DUT_SOURCE_START, 4094, 4095)})
{
	/* Given a device with more than a page to send, from there on, */
	struct region r = dut_registers(t, .len = 3 * 4096);
	const uint8_t *p = pattern(t, 3 * 4096, 7);
	dut_fills(t, r, 0, p, 3 * 4096);
	connects(t);

	/* when it sends it, then exactly that arrives. */
	dut_posts(t, POST_WRITE_FROM(r, row->off, LONG, 0x1234, 0x1000));
	struct octets m = octets_that_come(t, RDMAP_WRITE, 0x1000, LONG);
	must(t, DDP_5_2_03, is("octets", m.n, LONG));
	must(t, DDP_5_2_03,
	     octets_are(t, "the message", m.octets, LONG, p + row->off, LONG));
}

/* --- how many messages there were ----------------------------------------- */

struct number {
	CASE_ROW;
	uint32_t msn;
};

static const struct number numbers[] = {
	{.id = "the_upper_half_begins", .msn = 0x80000000},
};

CASE_EACH(a_sent_msn_counts_in_32_bits, struct number, numbers,
	  .title = "the message after one with this MSN has the next MSN",
	  .needs = NEED_SEND | NEED_MSN_PRESET, .role = EITHER,
	  .along = {ALONG(struct number, msn, DUT_MSN, 0xff, 0x101),
		    ALONG(struct number, msn, DUT_MSN, 0xfff, 0x1001),
		    ALONG(struct number, msn, DUT_MSN, 0xffff, 0x10001),
		    ALONG(struct number, msn, DUT_MSN, 0xffffff, 0x1000001),
		    ALONG(struct number, msn, DUT_MSN, 0x7ffffffe, 0x80000001),
		    ALONG(struct number, msn, DUT_MSN, 0xfffffffe, 0xffffffff)})
{
	/* Given a stream whose next sequence number this is, */
	connects(t, .dut_msn = row->msn, .counts_sends = true);

	/* when the device sends two Sends, then they have it, and the next. */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_SEND("two"));
	const struct frame *one = awaits(t, DDP_4_3_09, RDMAP_SEND);
	const struct frame *two = awaits(t, DDP_4_3_09, RDMAP_SEND);
	must(t, DDP_4_3_09, is("MSN", one->seg.ddp.msn, row->msn));
	must(t, DDP_4_3_09,
	     is("the next MSN", two->seg.ddp.msn, (uint32_t)(row->msn + 1)));
}

CASE_EACH(the_msn_of_a_read_counts_in_32_bits, struct number, numbers,
	  .title = "the Read Request after one with this MSN has the next MSN",
	  .needs = NEED_READ | NEED_MSN_PRESET, .role = EITHER,
	  .along = {ALONG(struct number, msn, DUT_MSN, 0xff, 0x101),
		    ALONG(struct number, msn, DUT_MSN, 0xffff, 0x10001),
		    ALONG(struct number, msn, DUT_MSN, 0xffffff, 0x1000001),
		    ALONG(struct number, msn, DUT_MSN, 0xfffffffe, 0xffffffff)})
{
	/* Given a stream whose next sequence number this is, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t, .dut_msn = row->msn, .counts_reads = true);

	/* when the device reads twice, */
	dut_posts(t, POST_READ(r, 0, 8, 0x1234, 0x1000));
	const struct frame *f = awaits(t, DDP_4_3_09, RDMAP_READ_REQUEST);

	/* then its Requests have it, and the next. */
	must(t, DDP_4_3_09, is("MSN", f->seg.ddp.msn, row->msn));
	peer_sends(t, READ_RESPONSE(f, "response", 8));
	dut_posts(t, POST_READ(r, 8, 8, 0x1234, 0x1000));
	f = awaits(t, DDP_4_3_09, RDMAP_READ_REQUEST);
	must(t, DDP_4_3_09,
	     is("the next MSN", f->seg.ddp.msn, (uint32_t)(row->msn + 1)));
}

CASE(the_msn_of_immediate_data_wraps_to_zero,
     .title = "the Immediate Data after one with MSN ffffffff has MSN 0",
     .needs = NEED_IMM | NEED_MSN_PRESET, .role = EITHER)
{
	/* Given a stream whose next sequence number is the highest, */
	connects(t, .dut_msn = 0xffffffff, .counts_sends = true);

	/* when the device sends Immediate Data twice, */
	dut_posts(t, POST_IMM("the last"));
	dut_posts(t, POST_IMM("thefirst"));
	const struct frame *last = awaits(t, DDP_4_3_09, RDMAP_IMM);
	const struct frame *first = awaits(t, DDP_4_3_09, RDMAP_IMM);

	/* then the sequence number wraps to zero. */
	must(t, DDP_4_3_09, is("MSN", last->seg.ddp.msn, 0xffffffff));
	must(t, DDP_4_3_09, is("the next MSN", first->seg.ddp.msn, 0));
}

CASE(the_msn_of_an_atomic_response_wraps_to_zero,
     .title = "the Atomic Response after one with MSN ffffffff has MSN 0",
     .needs = NEED_FETCHADD | NEED_MSN_PRESET, .role = EITHER)
{
	/* Given a stream whose next sequence number is the highest, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .dut_msn = 0xffffffff);

	/* when the device answers two atomics, */
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	const struct frame *last = awaits(t, DDP_4_3_10, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, FETCHADD(r, 0, 1, 0));
	const struct frame *first =
		awaits(t, DDP_4_3_10, RDMAP_ATOMIC_RESPONSE);

	/* then the sequence number wraps to zero. */
	must(t, DDP_4_3_09, is("MSN", last->seg.ddp.msn, 0xffffffff));
	must(t, DDP_4_3_09, is("the next MSN", first->seg.ddp.msn, 0));
}

CASE_EACH(
	a_received_msn_counts_in_32_bits, struct number, numbers,
	.title = "a Send with the next MSN is accepted after one with this MSN",
	.needs = NEED_SEND | NEED_MSN_PRESET, .role = EITHER,
	.along = {ALONG(struct number, msn, PEER_MSN, 0xff, 0x101),
		  ALONG(struct number, msn, PEER_MSN, 0xfff, 0x1001),
		  ALONG(struct number, msn, PEER_MSN, 0xffff, 0x10001),
		  ALONG(struct number, msn, PEER_MSN, 0xffffff, 0x1000001),
		  ALONG(struct number, msn, PEER_MSN, 0x7ffffffe, 0x80000001),
		  ALONG(struct number, msn, PEER_MSN, 0xfffffffe, 0xffffffff)})
{
	/* Given a stream whose next sequence number this is, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	connects(t, .dut_msn = row->msn);

	/* when the peer sends two Sends, then both are delivered. */
	peer_sends(t, SEND("one"));
	peer_sends(t, SEND("two"));
	must(t, DDP_4_3_10, delivered_text(sink_at(sinks, 0), "one"));
	must(t, DDP_4_3_10, delivered_text(sink_at(sinks, 1), "two"));
}
