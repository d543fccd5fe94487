/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s5.2 to s5.4: the device reassembles received segments to messages,
 * in any order of arrival, and reports them to its ULP. */
#include "case.h"

#define LARGE (1024u * 1024)
#define MANY  (1100u * 60)

CASE(a_large_write_is_placed,
     .title = "a Write of 1 MiB in segments of 700 octets is placed",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LARGE, .access = FOR_WRITES);
	const uint8_t *data = pattern(t, LARGE, 1);
	connects(t);

	/* when a Write fills it, */
	peer_sends(t, WRITE(r, 0, data, LARGE, .segment = 700));

	/* then it holds all of it. */
	must(t, DDP_5_2_04, stream_works());
	must(t, DDP_5_2_04, memory_is(r, 0, data, LARGE));
}

CASE(a_write_replaces_the_one_before_it,
     .title = "a Write to the place of one that is placed takes its place",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer has written to, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 0, pattern(t, 64, 1), 64));
	must(t, DDP_4_1_01, memory_is(r, 0, pattern(t, 64, 1), 64));

	/* when it writes other octets there, */
	peer_sends(t, WRITE(r, 0, pattern(t, 64, 2), 64));

	/* then these are there. */
	must(t, DDP_5_2_04, memory_is(r, 0, pattern(t, 64, 2), 64));
}

CASE(a_send_of_many_segments_is_delivered,
     .title = "a Send in 1100 segments of 60 octets is delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, MANY);
	const uint8_t *data = pattern(t, MANY, 1);
	connects(t);

	/* when a Send fills it, */
	peer_sends(t, SEND_N(data, MANY, .segment = 60));

	/* then all of it is delivered. */
	must(t, DDP_5_2_16, delivered(sink, data, MANY));
	must(t, DDP_5_2_16, stream_works());
}

CASE(a_response_of_many_segments_is_placed,
     .title = "a Read Response in 1100 segments of 60 octets is placed",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct region sink =
		dut_registers(t, .len = MANY, .access = FOR_RESPONSES);
	const uint8_t *data = pattern(t, MANY, 1);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, MANY, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer answers, */
	peer_sends(t, READ_RESPONSE(f, data, MANY, .segment = 60));

	/* then the Read completes, and all of it is there. */
	must(t, RDMAP_5_2_2_03, completed(id));
	must(t, DDP_5_2_15, memory_is(sink, 0, data, MANY));
}

CASE(a_write_backwards_is_placed,
     .title = "the segments of a Write are placed in any order",
     .needs = NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = 300, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	const uint8_t *data = pattern(t, 300, 1);
	connects(t);

	/* when the three segments of a Write arrive in reverse order, followed
	 * by a Send, */
	peer_sends(t, WRITE(r, 200, data + 200, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 100, data + 100, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 0, data, 100));
	peer_sends(t, SEND("done"));

	/* then each octet is in its place once the Send has arrived. */
	must(t, DDP_5_2_15, delivered_text(sink, "done"));
	must(t, DDP_5_2_15, memory_is(r, 0, data, 300));
	must(t, DDP_5_2_15, stream_works());
}

CASE(a_send_out_of_order_is_placed,
     .title = "the segments of a Send are placed in any order",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, */
	struct sink sink = dut_posts_recv(t, 2048);
	const uint8_t *data = pattern(t, 1500, 1);
	connects(t);

	/* when the second segment of a Send arrives before the first, */
	peer_sends(t, SEND_N(data + 500, 500, .mo = IS(500), .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND_N(data, 500, .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(data + 1000, 500, .mo = IS(1000)));

	/* then all of it is delivered, once. */
	must(t, DDP_5_2_16, delivered(sink, data, 1500));
	must(t, DDP_5_2_16, stream_works());
}

CASE(a_receive_posted_amid_a_send_is_for_the_next,
     .title = "a receive that is posted between two segments of a Send gets "
	      "the next Send, and no octet of this one",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer, and the first half of a Send for it, */
	struct sink first = dut_posts_recv(t, 100);
	const uint8_t *data = pattern(t, 100, 1);
	connects(t);
	peer_sends(t, SEND_N(data, 50, .l = IS(0), .keeps_msn = true));
	dut_has_its_turn(t);

	/* when the device's ULP posts another one, and the rest comes, and
	 * another Send, */
	struct sink next = dut_posts_recv(t, 100);
	peer_sends(t, SEND_N(data + 50, 50, .mo = IS(50)));
	peer_sends(t, SEND("next"));

	/* then each is in its own buffer. */
	must(t, DDP_4_1_02, delivered(first, data, 100));
	must(t, DDP_4_1_02, delivered_text(next, "next"));
}

/* --- holes and overlaps -------------------------------------------------- */

CASE(a_send_with_a_hole,
     .title = "a Send that leaves a gap in its buffer is delivered, or refused",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 300 octets, */
	struct sink sink = dut_posts_recv(t, 300);
	const uint8_t *data = pattern(t, 300, 1);
	connects(t);

	/* when its first and its last 100 octets come, */
	peer_sends(t, SEND_N(data, 100, .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(data, 100, .mo = IS(200)));

	/* then the device need not have looked for the others; if it has, it
	 * refuses the Send, or waits for them (RFC 5041 s5.4: all segments have
	 * been Placed). Its length is where the last one ends, or what was
	 * written (RFC 5040 s5.3). */
	size_t n = known_answer(t) ? dut_receives(t, sink).len : 0;
	may(t, DDP_5_2_13,
	    any_of(t, is("octets delivered", n, 300),
		   is("octets delivered", n, 200), terminate_any(),
		   not_delivered(sink)));
}

CASE(a_write_with_a_hole,
     .title = "a Write that leaves out a part of its range is placed, "
	      "or refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of 300 octets, */
	struct region r = dut_registers(t, .len = 300, .access = FOR_WRITES);
	const uint8_t *data = pattern(t, 100, 1);
	connects(t);

	/* when the first and the last 100 octets of a Write come, */
	peer_breaks(t, DDP_5_2_07);
	peer_sends(t, WRITE(r, 0, data, 100, .l = IS(0)));
	peer_sends(t, WRITE(r, 200, data, 100));

	/* then the device need not have looked for the others: it has placed
	 * both parts, whatever is between them. */
	uint8_t due[300];
	memcpy(due, dut_memory(t, r, 0, sizeof(due)), sizeof(due));
	memcpy(due, data, 100);
	memcpy(due + 200, data, 100);
	may(t, DDP_5_2_14,
	    any_of(t, memory_is(r, 0, due, sizeof(due)), terminate_any()));
}

CASE(segments_that_overlap,
     .title = "the reaction to two segments for the same octets of a Send is "
	      "recorded",
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
		!c.ok                             ? how_it_ended(t)
		: dut_received(t, c, "first!", 6) ? "the first delivered"
		: dut_received(t, c, "other!", 6) ? "the second delivered"
						  : "something else delivered");
}

CASE(a_write_inside_a_send,
     .title = "the reaction to a Write between the segments of a Send is "
	      "recorded",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer for each, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Write arrives in the middle of a Send, */
	peer_breaks(t, DDP_5_3_01);
	peer_sends(t, SEND("hel", .l = IS(0), .keeps_msn = true));
	peer_sends(t, WRITE(r, 0, "data", 4));
	peer_sends(t, SEND("lo", .mo = IS(3)));

	/* then both may be right, or be refused. */
	struct completion c = {0};
	if (known_answer(t))
		c = dut_receives(t, sink);
	observe(t, DDP_5_3_08, "%s",
		!c.ok ? how_it_ended(t)
		: dut_received(t, c, "hello", 5) &&
				memcmp(dut_memory(t, r, 0, 4), "data", 4) == 0
			? "both right"
			: "one corrupted by the other");
}

/* --- reports to its ULP -------------------------------------------------- */

struct length {
	CASE_ROW;
	size_t n;
};

static const struct length lengths[] = {
	{.id = "0", .n = 0},           {.id = "1", .n = 1},
	{.id = "1499", .n = 1499},     {.id = "100000", .n = 100000},
	{.id = "300000", .n = 300000},
};

CASE_EACH(the_length_is_told, struct length, lengths,
	  .title = "the length of a Send is reported with its delivery",
	  .needs = NEED_SEND, .role = EITHER,
	  .along = {ALONG(struct length, n, PEER_SEND, 0, 4285),
		    ALONG(struct length, n, PEER_SEND, 65535, 65537)})
{
	/* Given a buffer with room to spare, */
	struct sink sink = dut_posts_recv(t, row->n + 31072);
	const uint8_t *data = pattern(t, row->n, 1);
	connects(t);

	/* when a Send comes, */
	peer_sends(t, SEND_N(data, row->n));

	/* then the ULP hears how long it was. */
	if (!row->n)
		insists(t, RDMAP_5_3_12, delivered(sink, data, 0));
	if (dut_has_an_agent(t) && !dut_receives(t, sink).ok)
		not_applicable(t, "the Send is not delivered, which other "
				  "cases judge");
	must(t, DDP_5_4_02, tells_length(sink, row->n));
	must(t, DDP_4_1_02, delivered(sink, data, row->n));
	must(t, DDP_4_1_02, stream_works());
}

CASE(rsvdulp_is_told,
     .title = "the Invalidate STag of a Send is reported with its delivery",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a buffer that the peer is done with, and one for a Send, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_READS);
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Send with Invalidate names it, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "bye", 3, .inval = r.stag));

	/* then the ULP hears which it was. */
	must(t, DDP_5_4_04, delivered_text(sink, "bye"));
	must(t, DDP_5_4_04, tells_invalidated(sink, r.stag));
}

/* --- two streams ----------------------------------------------------------------- */

/* The octets of the FPDU with the second half of an untagged message. Where the
 * peer has them withheld, it has sent the first half. */
#define UNTAGGED_FPDU(half) (((2 + 18 + (half)) + 3) / 4 * 4 + 4)

struct halves {
	CASE_ROW;
	uint8_t opcode;
	size_t half; /* octets of each of the two segments */
};

static const struct halves halves[] = {
	{.id = "send", .opcode = RDMAP_SEND, .half = 20},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE, .half = 20},
};

CASE_EACH(a_send_between_the_halves_of_one_on_another_stream, struct halves,
	  halves,
	  .title = "a Send in two segments is delivered as it was sent if one "
		   "on another stream begins between them",
	  .needs = NEED_SEND | NEED_MULTI_STREAM | NEED_MPA, .role = EITHER)
{
	/* Given two streams with a buffer each, and the first half of a Send on
	 * one of them, */
	size_t n = 2 * row->half;
	const uint8_t *p = pattern(t, n, 1), *q = pattern(t, n, 2);
	dut_claims_kind(t, row->opcode);
	unsigned one = connects(t);
	struct sink sink = dut_posts_recv(t, n);
	unsigned other = connects(t);
	struct sink theirs = dut_posts_recv(t, n);
	on_stream(t, one);
	peer_sends(t, SEND_KIND(row->opcode, p, n, .segment = row->half),
		   .keep_last = UNTAGGED_FPDU(row->half));
	dut_has_its_turn(t);

	/* when one comes in two segments on the other, */
	on_stream(t, other);
	peer_sends(t, SEND_KIND(row->opcode, q, n, .segment = row->half));
	must(t, DDP_4_3_13, delivered(theirs, q, n));

	/* and then the second half of the first, */
	on_stream(t, one);
	peer_goes_on(t);

	/* then it is delivered, too. */
	must(t, DDP_4_3_13, delivered(sink, p, n));
}

CASE(a_read_request_between_the_halves_of_one_on_another_stream,
     .title = "a Read Request in two segments, if it is taken, is answered as "
	      "it was sent if one on another stream comes between them",
     .needs = NEED_READ | NEED_MULTI_STREAM | NEED_MPA, .role = EITHER)
{
	/* Given two streams, and a device that takes a Read Request in two
	 * segments: it need not, texts disagree, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	dut_fills(t, r, 0, pattern(t, 16, 1), 16);
	unsigned other = connects(t);
	unsigned one = connects(t);
	struct msg read = READ(r, 0, 8, .segment = 14);
	peer_breaks(t, RDMAP_4_2_10);
	peer_sends(t, read);
	const struct frame *f = next_frame(t);
	if (!f || f->seg.ddp.opcode != RDMAP_READ_RESPONSE)
		not_applicable(t, "the device takes no Read Request in two "
				  "segments");
	if (f->seg.ddp.stag != PEER_SINK_STAG || f->seg.ddp.to != PEER_SINK_TO)
		not_applicable(t, "its Response is for another sink, which "
				  "other cases judge");
	message_begun(t);

	/* when the first half of one comes, then another on the other stream,
	 * and then the second half, */
	peer_breaks(t, RDMAP_4_2_10);
	peer_sends(t, read, .keep_last = UNTAGGED_FPDU(14));
	dut_has_its_turn(t);
	on_stream(t, other);
	struct msg theirs = READ(r, 8, 8);
	theirs.read.sink_stag = PEER_SINK_STAG + 1;
	theirs.read.sink_to = 8;
	peer_sends(t, theirs);
	awaits(t, DDP_4_3_13, RDMAP_READ_RESPONSE);
	on_stream(t, one);
	peer_goes_on(t);

	/* then the answer, if there is one again, is for the sink of the first. */
	f = next_frame(t);
	if (f && f->seg.ddp.opcode == RDMAP_TERMINATE)
		not_applicable(t, "the device refuses a Read Request in two "
				  "segments if they come apart");
	must(t, DDP_4_3_13,
	     holds_of(f, "a Read Response",
		      f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE, NULL));
	if (!f || f->seg.ddp.opcode != RDMAP_READ_RESPONSE)
		return;
	must(t, DDP_4_3_13, is("STag", f->seg.ddp.stag, PEER_SINK_STAG));
	must(t, DDP_4_3_13, is("TO", f->seg.ddp.to, PEER_SINK_TO));
}

CASE(an_empty_segment_does_not_end_a_send,
     .title = "a Send with an empty segment in the middle is delivered once "
	      "its last segment has come",
     .needs = NEED_SEND, .role = INITIATOR)
{
	/* Given a receive buffer, */
	struct sink sink = dut_posts_recv(t, 64);
	connects(t);

	/* when a Send comes with an empty segment between two others, */
	peer_sends(t, SEND_N("head", 4, .l = IS(0), .keeps_msn = true));
	peer_sends(t,
		   SEND_N("", 0, .l = IS(0), .mo = IS(4), .keeps_msn = true));
	dut_has_its_turn(t);

	/* then it is not delivered before the last segment, and then whole. */
	insists(t, DDP_5_4_01,
		holds("nothing is delivered yet",
		      !dut_has_received(t, sink).came));
	peer_sends(t, SEND_N("tail", 4, .mo = IS(4)));
	must(t, DDP_5_4_01, delivered_text(sink, "headtail"));
}
