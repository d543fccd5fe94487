/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s5.2 to s5.4: messages cut into segments and put together, their
 * order, their completion and delivery. */
#include "case.h"

#define LONG  (64u * 1024)
#define LARGE (1024u * 1024)
#define MSS   1460u

/* --- what the device sends ----------------------------------------------- */

struct origin {
	CASE_ROW;
	uint8_t opcode; /* of the message that the device sends */
	uint64_t to;    /* its first octet goes there */
};

/* n octets of the region r leave the device in a message of this kind. */
static void device_sends(struct test *t, const struct origin *o,
			 struct region r, size_t n)
{
	if (o->opcode == RDMAP_READ_RESPONSE)
		peer_sends(t, READ(r, 0, (uint32_t)n,
				   .read = {.sink_stag = 0x1234,
					    .sink_to = o->to,
					    .size = (uint32_t)n,
					    .source_stag = r.stag,
					    .source_to = r.to}));
	else if (o->opcode == RDMAP_WRITE)
		dut_posts(t, POST_WRITE_FROM(r, 0, n, 0x1234, o->to));
	else
		dut_posts(t, POST_SEND_FROM(r, 0, n));
}

/* Where a segment's first octet lies in a message that begins at `to`. */
static uint64_t place_of(const struct frame *f, uint64_t to)
{
	return f->seg.ddp.tagged ? f->seg.ddp.to - to : f->seg.ddp.mo;
}

/* Segments that do not lie where those before them end. */
static size_t misplaced(const struct message *m, uint64_t to)
{
	size_t wrong = 0, sum = 0;

	for (size_t i = 0; i < m->count; i++) {
		wrong += place_of(m->frames[i], to) != sum;
		sum += m->frames[i]->seg.payload_octets;
	}
	return wrong;
}

/* Segments that lie no higher than the one before them. */
static size_t falling(const struct message *m, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 1; i < m->count; i++)
		n += place_of(m->frames[i], to) <=
		     place_of(m->frames[i - 1], to);
	return n;
}

/* Segments that are not the octets of their place. */
static size_t wrong_octets(const struct message *m, uint64_t to,
			   const uint8_t *due, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct frame *f = m->frames[i];
		uint64_t at = place_of(f, to);
		size_t len = f->seg.payload_octets;

		wrong += at > n || len > n - at ||
			 memcmp(f->seg.payload, due + at, len) != 0;
	}
	return wrong;
}

static const struct origin messages[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 0x1000},
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE, .to = 0x1000},
};

CASE_EACH(segments_fit_mulpdu, struct origin, messages,
	  .title = "a message is cut into segments no larger than MULPDU",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, LONG);
	struct message m = awaits_message(t, DDP_5_2_01, row->opcode);

	/* then each segment fits. */
	must(t, DDP_5_2_01,
	     at_most("largest ULPDU_Length", largest_ulpdu(&m),
		     path_mulpdu(t)));
}

CASE_EACH(all_octets_are_sent, struct origin, messages,
	  .title = "all octets of a message of 1 MiB are sent, each in its "
		   "place",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a large message to send, */
	struct region r = dut_registers(t, .len = LARGE);
	const uint8_t *data = pattern(t, LARGE, 1);
	for (size_t at = 0; at < LARGE; at += LARGE / 8)
		dut_fills(t, r, at, data + at, LARGE / 8);
	connects(t);

	/* when it sends it, */
	device_sends(t, row, r, LARGE);
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);

	/* then it can be put together again. */
	must(t, DDP_5_2_03, is("octets", m.n, LARGE));
	must(t, DDP_5_2_03,
	     is("segments of other octets",
		wrong_octets(&m, row->to, data, LARGE), 0));
}

CASE(mo_is_the_offset_in_the_message,
     .title = "MO of each segment of a Send is the payload sent "
	      "before it",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device with a Send of several segments, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	dut_posts(t, POST_SEND_FROM(r, 0, 10240));
	struct message m = awaits_message(t, DDP_5_2_05, RDMAP_SEND);

	/* then each MO is the sum of what came before. */
	must(t, DDP_5_2_05, at_least("segments", m.count, 2));
	must(t, DDP_5_2_05,
	     is("segments with another MO", misplaced(&m, 0), 0));
}

static const struct origin tagged[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 16384},
	{.id = "write_across_32_bits",
	 .opcode = RDMAP_WRITE,
	 .to = 0x1fffff000},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE, .to = 16384},
	{.id = "read_response_across_32_bits",
	 .opcode = RDMAP_READ_RESPONSE,
	 .to = 0x1fffff000},
};

CASE_EACH(to_is_the_offset_from_the_first, struct origin, tagged,
	  .title = "TO of each tagged segment is the first TO plus the "
		   "payload sent before it",
	  .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device with a tagged message of several segments, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, 10240);
	struct message m = awaits_message(t, DDP_5_2_07, row->opcode);

	/* then each TO is the first one and what came before. */
	must(t, DDP_5_2_07, at_least("segments", m.count, 2));
	must(t, DDP_5_2_07,
	     is("segments with another TO", misplaced(&m, row->to), 0));
}

CASE(a_send_of_2048_octets,
     .title = "a Send of 2048 octets is cut where MULPDU less 18 "
	      "octets ends, or before",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given the path of an Ethernet, */
	struct region r = dut_registers(t, .len = 2048);
	connects(t, .mss = MSS);
	size_t room = path_mulpdu(t) - 18;

	/* when the device sends 2048 octets, */
	dut_posts(t, POST_SEND_FROM(r, 0, 2048));
	struct message m = awaits_message(t, DDP_5_2_06, RDMAP_SEND);

	/* then they take two segments or more, each MO following on. */
	must(t, DDP_5_2_06,
	     at_most("octets in the first segment",
		     m.frames[0]->seg.payload_octets, room));
	must(t, DDP_5_2_06,
	     is("segments with another MO", misplaced(&m, 0), 0));
	must(t, DDP_5_2_06, is("octets", m.n, 2048));
}

CASE(a_write_of_2048_octets,
     .title = "a Write of 2048 octets is cut where MULPDU less 14 "
	      "octets ends, or before",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given the path of an Ethernet, */
	struct region r = dut_registers(t, .len = 2048);
	connects(t, .mss = MSS);
	size_t room = path_mulpdu(t) - 14;

	/* when the device sends 2048 octets to TO 16384, */
	dut_posts(t, POST_WRITE_FROM(r, 0, 2048, 0x1234, 16384));
	struct message m = awaits_message(t, DDP_5_2_08, RDMAP_WRITE);

	/* then they take two segments or more, each TO following on. */
	must(t, DDP_5_2_08,
	     at_most("octets in the first segment",
		     m.frames[0]->seg.payload_octets, room));
	must(t, DDP_5_2_08,
	     is("segments with another TO", misplaced(&m, 16384), 0));
	must(t, DDP_5_2_08, is("octets", m.n, 2048));
}

static const struct origin empty[] = {
	{.id = "write", .opcode = RDMAP_WRITE, .to = 0x1000},
	{.id = "send", .opcode = RDMAP_SEND},
};

CASE_EACH(an_empty_message_is_one_segment, struct origin, empty,
	  .title = "a zero-length message is one segment, a header with "
		   "L=1",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with nothing to say, */
	struct region r = dut_registers(t, .len = 64);
	connects(t);

	/* when it says so, */
	device_sends(t, row, r, 0);
	const struct frame *f = awaits(t, DDP_5_2_09, row->opcode);

	/* then that is a header alone, once. */
	must(t, DDP_5_2_09,
	     is("ULPDU_Length", f->fpdu->ulpdu_length,
		row->opcode == RDMAP_WRITE ? 14 : 18));
	must(t, DDP_5_2_09, is("L", f->seg.ddp.last, 1));
	must(t, DDP_5_2_09, nothing_more());
}

CASE(messages_leave_in_the_order_submitted,
     .title = "Writes and Sends are sent in the order they were "
	      "submitted",
     .needs = NEED_SEND | NEED_WRITE)
{
	/* Given a device that holds messages back until its stream opens, */
	struct region r = dut_registers(t, .len = 4096);
	connects(t, .unproven = true, .mss = MSS);
	dut_posts(t, POST_WRITE_FROM(r, 0, 4096, 0x1234, 0x1000));
	dut_posts(t, POST_SEND("B"));
	dut_posts(t, POST_WRITE_FROM(r, 0, 8, 0x1234, 0x3000));
	dut_posts(t, POST_SEND("D"));

	/* when it may send them, */
	initiator_speaks(t);
	struct message a = awaits_message(t, DDP_5_3_01, RDMAP_WRITE);
	const struct frame *b = awaits(t, DDP_5_3_01, RDMAP_SEND);
	const struct frame *c = awaits(t, DDP_5_3_01, RDMAP_WRITE);
	const struct frame *d = awaits(t, DDP_5_3_01, RDMAP_SEND);

	/* then they come in the order they were posted. */
	must(t, DDP_5_3_01,
	     is("TO of the first Write", a.frames[0]->seg.ddp.to, 0x1000));
	must(t, DDP_5_3_01,
	     octets_are(t, "first Send", b->seg.payload, b->seg.payload_octets,
			"B", 1));
	must(t, DDP_5_3_01,
	     is("TO of the second Write", c->seg.ddp.to, 0x3000));
	must(t, DDP_5_3_01,
	     octets_are(t, "second Send", d->seg.payload, d->seg.payload_octets,
			"D", 1));
	must(t, DDP_5_3_01, stream_works());
}

static const struct origin rising[] = {
	{.id = "mo_of_a_send", .should = &DDP_5_3_02, .opcode = RDMAP_SEND},
	{.id = "to_of_a_write",
	 .should = &DDP_5_3_03,
	 .opcode = RDMAP_WRITE,
	 .to = 0x1000},
};

CASE_EACH(segments_leave_in_rising_order, struct origin, rising,
	  .title = "the segments of a message are sent in rising order",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it, */
	device_sends(t, row, r, LONG);
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);

	/* then every segment lies behind the one before. */
	should_row(t, row,
		   is("segments no higher than the one before",
		      falling(&m, row->to), 0));
}

/* --- what the device takes ----------------------------------------------- */

CASE(a_large_write_is_placed,
     .title = "a Write of 1 MiB in segments of 700 octets is placed",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LARGE);
	const uint8_t *data = pattern(t, LARGE, 1);
	connects(t);

	/* when a Write fills it, */
	peer_sends(t, WRITE(r, 0, data, LARGE, .segment = 700));

	/* then it holds all of it. */
	must(t, DDP_5_2_04, stream_works());
	must(t, DDP_5_2_04, memory_is(r, 0, data, LARGE));
}

CASE(dv_counts_in_an_empty_write,
     .title = "a zero-length Write with a wrong DDP version is "
	      "refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when a zero-length Write has DV=2, */
	peer_sends(t, WRITE_TO(0x1234, 0x1000, "", 0, .dv = IS(2)));

	/* then that is an error, with the number for tagged buffers. */
	must(t, DDP_5_2_10, terminate_if_any(TERM_DDP, 1, 0x04));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(rv_counts_in_an_empty_write,
     .title = "a zero-length Write with a wrong RDMAP version is "
	      "refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when a zero-length Write has RV=10b, */
	peer_sends(t, WRITE_TO(0x1234, 0x1000, "", 0, .rv = IS(2)));

	/* then that is an error of RDMAP. */
	must(t, DDP_5_2_10, terminate(TERM_RDMA, 2, 0x05));
	must(t, DDP_5_2_10, stream_ends());
}

struct anywhere {
	CASE_ROW;
	uint32_t stag;
	uint64_t to;
};

static const struct anywhere anywhere[] = {
	{.id = "random", .stag = 0x7a11f00d, .to = 0x123456789abcdef0},
	{.id = "stag_ffffffff", .stag = 0xffffffff, .to = 0},
	{.id = "stag_0", .stag = 0, .to = 0},
	{.id = "to_ffffffffffffffff", .stag = 0x1234, .to = UINT64_MAX},
};

CASE_EACH(an_empty_write_goes_anywhere, struct anywhere, anywhere,
	  .title = "STag and TO of a zero-length Write are not checked",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream that works, */
	connects(t);

	/* when a zero-length Write names a buffer that is none, */
	peer_sends(t, WRITE_TO(row->stag, row->to, "", 0));

	/* then nobody minds. */
	must(t, DDP_5_2_11, stream_works());
	must(t, DDP_5_2_11, no_terminate());
}

CASE(an_empty_write_to_an_invalidated_stag,
     .title = "a zero-length Write to an STag that was invalidated is "
	      "taken",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that is one no longer, */
	struct region r = dut_registers(t, .len = 64);
	connects(t);
	dut_invalidates(t, r);

	/* when a zero-length Write names it, */
	peer_sends(t, WRITE(r, 0, "", 0));

	/* then nobody minds. */
	must(t, DDP_5_2_11, stream_works());
	must(t, DDP_5_2_11, no_terminate());
}

CASE(an_empty_write_may_open_the_stream,
     .title = "a zero-length Write to STag 0 and TO 0 is taken as the "
	      "first FPDU",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream on which the peer has sent nothing yet, */
	connects(t, .unproven = true);
	if (case_role(t) == INITIATOR)
		initiator_speaks(t);

	/* when it begins with a zero-length Write to nowhere, */
	peer_sends(t, WRITE_TO(0, 0, "", 0));

	/* then nobody minds. */
	must(t, DDP_5_2_12, stream_works());
	must(t, DDP_5_2_12, no_terminate());
}

CASE(a_send_with_a_hole,
     .title = "a Send that leaves a hole in its buffer is delivered, "
	      "or refused",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 300 octets, */
	struct sink sink = dut_posts_recv(t, 300);
	const uint8_t *data = pattern(t, 300, 1);
	connects(t);

	/* when its first and its last 100 octets come, */
	peer_sends(t, SEND_N(data, 100, .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(data, 100, .mo = IS(200)));

	/* then the device need not have looked for the others. */
	size_t n = known_answer(t) ? dut_receives(t, sink).len : 0;
	may(t, DDP_5_2_13,
	    any_of(t, is("octets delivered", n, 300), terminate_any()));
}

CASE(a_write_with_a_hole,
     .title = "a Write that leaves out a part of its range is placed, "
	      "or refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of 300 octets, */
	struct region r = dut_registers(t, .len = 300);
	const uint8_t *data = pattern(t, 100, 1);
	connects(t);

	/* when the first and the last 100 octets of a Write come, */
	peer_sends(t, WRITE(r, 0, data, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 200, data, 100));

	/* then the device need not have looked for the others. */
	bool placed = known_answer(t) &&
		      memcmp(dut_memory(t, r, 0, 100), data, 100) == 0 &&
		      memcmp(dut_memory(t, r, 200, 100), data, 100) == 0;
	may(t, DDP_5_2_14,
	    any_of(t, holds("both parts placed", placed), terminate_any()));
}

CASE(a_write_backwards_is_placed,
     .title = "the segments of a Write are placed in whatever order "
	      "they come",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 300);
	struct sink sink = dut_posts_recv(t, 64);
	const uint8_t *data = pattern(t, 300, 1);
	connects(t);

	/* when the three segments of a Write come last one first, and a Send
	 * behind them, */
	peer_sends(t, WRITE(r, 200, data + 200, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 100, data + 100, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 0, data, 100));
	peer_sends(t, SEND("done"));

	/* then each octet is in its place once the Send is there. */
	must(t, DDP_5_2_15, delivered_text(sink, "done"));
	must(t, DDP_5_2_15, memory_is(r, 0, data, 300));
	must(t, DDP_5_2_15, stream_works());
}

CASE(a_send_out_of_order_is_placed,
     .title = "the segments of a Send are placed in whatever order "
	      "they come",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, 2048);
	const uint8_t *data = pattern(t, 1500, 1);
	connects(t);

	/* when the second segment of a Send comes before the first, */
	peer_sends(t, SEND_N(data + 500, 500, .mo = IS(500), .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND_N(data, 500, .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(data + 1000, 500, .mo = IS(1000)));

	/* then all of it is delivered, once. */
	must(t, DDP_5_2_16, delivered(sink, data, 1500));
	must(t, DDP_5_2_16, stream_works());
}

CASE(behind_an_empty_segment_stags_count,
     .title = "an empty first segment of a Write does not excuse the "
	      "next from the checks",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 64);
	connects(t);

	/* when a Write begins with an empty segment and goes on at an STag
	 * that was never issued, */
	uint32_t stag = stag_never_issued(t);
	peer_sends(t, WRITE_TO(stag, r.to, "", 0, .l = IS(0)), .hold = true);
	peer_sends(t, WRITE_TO(stag, r.to, "data", 4));

	/* then nothing is placed, and the stream is over. */
	must(t, DDP_5_2_17, stream_ends());
	must(t, DDP_5_2_17, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(segments_that_overlap,
     .title = "what a device makes of two segments for the same "
	      "octets of a Send",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when the same octets of a Send come twice, and differ, */
	peer_sends(t, SEND("first", .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND("other", .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND("!", .mo = IS(5)));

	/* then either may be delivered, or be refused. */
	struct completion c = {0};
	if (known_answer(t))
		c = dut_receives(t, sink);
	observe(t, DDP_5_3_05, "%s",
		!c.ok ? how_it_ended(t)
		: c.len == 6 && memcmp(c.octets, "first!", 6) == 0
			? "the first delivered"
		: c.len == 6 && memcmp(c.octets, "other!", 6) == 0
			? "the second delivered"
			: "something else delivered");
}

CASE(a_write_inside_a_send,
     .title = "what a device makes of a Write between the segments of "
	      "a Send",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer for each, */
	struct region r = dut_registers(t, .len = 64);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Write comes in the middle of a Send, */
	peer_sends(t, SEND("hel", .l = IS(0), .keeps_msn = true));
	peer_sends(t, WRITE(r, 0, "data", 4));
	peer_sends(t, SEND("lo", .mo = IS(3)));

	/* then both may be right, or be refused. */
	struct completion c = {0};
	if (known_answer(t))
		c = dut_receives(t, sink);
	observe(t, DDP_5_3_08, "%s",
		!c.ok ? how_it_ended(t)
		: c.len == 5 && memcmp(c.octets, "hello", 5) == 0 &&
				memcmp(dut_memory(t, r, 0, 4), "data", 4) == 0
			? "both right"
			: "one corrupted by the other");
}

/* --- what its ULP is told ------------------------------------------------ */

struct length {
	CASE_ROW;
	size_t n;
};

static const struct length lengths[] = {
	{.id = "0", .n = 0},
	{.id = "1", .n = 1},
	{.id = "1499", .n = 1499},
	{.id = "100000", .n = 100000},
};

CASE_EACH(the_length_is_told, struct length, lengths,
	  .title = "the length of a Send is told with its delivery",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer with room to spare, */
	struct sink sink = dut_posts_recv(t, 128 * 1024);
	const uint8_t *data = pattern(t, row->n, 1);
	connects(t);

	/* when a Send comes, */
	peer_sends(t, SEND_N(data, row->n));

	/* then the ULP hears how long it was. */
	must(t, DDP_5_4_02, delivered(sink, data, row->n));
	must(t, DDP_5_4_02, stream_works());
}

CASE(rsvdulp_is_told,
     .title = "the Invalidate STag of a Send is told with its "
	      "delivery",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a buffer that the peer is done with, and one for a Send, */
	struct region r = dut_registers(t, .len = 64);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Send with Invalidate names it, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "bye", 3, .inval = r.stag));

	/* then the ULP hears which it was. */
	must(t, DDP_5_4_04, delivered_text(sink, "bye"));
	must(t, DDP_5_4_04, tells_invalidated(sink, r.stag));
}
