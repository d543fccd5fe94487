/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s4.1 and s4.4: the control octet of every segment, T, L, reserved
 * bits and version; segments too short to have a header. */
#include "case.h"

/* Enough for several segments at this maximum segment size of TCP. */
#define LONG 10240u
#define MSS  1460u

/* --- what the device sends ----------------------------------------------- */

struct origin {
	CASE_ROW;
	uint8_t opcode; /* of the message that the device sends */
};

static const struct origin origins[] = {
	{.id = "write", .opcode = RDMAP_WRITE},
	{.id = "send", .opcode = RDMAP_SEND},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE},
};

/* n octets of the region r leave the device in a message of this kind. */
static void device_sends(struct test *t, uint8_t opcode, struct region r,
			 size_t n)
{
	if (opcode == RDMAP_READ_RESPONSE)
		peer_sends(t, READ(r, 0, (uint32_t)n));
	else if (opcode == RDMAP_WRITE)
		dut_posts(t, POST_WRITE_FROM(r, 0, n, 0x1234, 0x1000));
	else
		dut_posts(t, POST_SEND_FROM(r, 0, n));
}

static unsigned tagged_in(const struct message *m)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->count; i++)
		n += m->frames[i]->seg.ddp.tagged;
	return n;
}

CASE_EACH(the_t_flag_is_right_in_every_segment, struct origin, origins,
	  .title = "T is set in every segment of a Write or Read Response, and "
		   "in no segment of a Send",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_READS);
	dut_fills(t, r, 0, pattern(t, LONG, 1), LONG);
	connects(t, .mss = MSS);

	/* when it sends the message in segments, */
	device_sends(t, row->opcode, r, LONG);
	struct message m = awaits_message(t, DDP_4_1_03, row->opcode);

	/* then each of them says which buffer model the message is of. */
	must(t, DDP_4_1_03,
	     is("segments with T=1", tagged_in(&m),
		row->opcode == RDMAP_SEND ? 0 : m.count));
}

CASE_EACH(the_last_segment_alone_has_the_l_flag, struct origin, origins,
	  .title = "L is set on the segment that completes a message, and "
		   "on no other, the last to be sent",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG, .access = FOR_READS);
	dut_fills(t, r, 0, pattern(t, LONG, 1), LONG);
	connects(t, .mss = MSS);

	/* when it sends the message in segments, */
	device_sends(t, row->opcode, r, LONG);
	struct message m = awaits_message(t, DDP_4_1_04, row->opcode);

	/* then L=1 arrives only after all octets were sent, and it is the end:
	 * the stream continues with the next message. */
	if (m.n < LONG)
		must(t, DDP_4_1_05, nothing_more());
	must(t, DDP_4_1_06, nothing_more());
}

CASE_EACH(a_message_of_full_segments_has_its_l_flag, struct origin, origins,
	  .title = "a message whose length is a multiple of a segment's "
		   "payload has L=1 on its last segment, and nothing follows",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a device whose segments take so many octets of payload, */
	struct region r =
		dut_registers(t, .len = 64 * 1024, .access = FOR_READS);
	connects(t, .mss = MSS);
	device_sends(t, row->opcode, r, LONG);
	struct message first = awaits_message(t, DDP_4_1_04, row->opcode);
	size_t full = first.frames[0]->seg.payload_octets;

	/* when it sends a message of exactly three such segments, */
	device_sends(t, row->opcode, r, 3 * full);
	struct message m = awaits_message(t, DDP_4_1_04, row->opcode);

	/* then a segment with L=1 ends it, and nothing follows. */
	insists(t, DDP_4_1_04, nothing_more());
	must(t, DDP_5_2_03, is("octets", m.n, 3 * full));
}

/* One more than the highest of the segments before the last. */
static uint32_t least_mo_of_the_last(const struct message *m)
{
	uint32_t mo = 0;

	for (size_t i = 0; i + 1 < m->count; i++)
		if (m->frames[i]->seg.ddp.mo >= mo)
			mo = m->frames[i]->seg.ddp.mo + 1;
	return mo;
}

CASE(the_last_segment_has_the_highest_mo,
     .title = "the L=1 segment of a Send has the highest MO of the "
	      "message",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a device with a long message to send, */
	struct region r = dut_registers(t, .len = LONG);
	connects(t, .mss = MSS);

	/* when it sends it as a Send, */
	dut_posts(t, POST_SEND_FROM(r, 0, LONG));
	struct message m = awaits_message(t, DDP_4_1_07, RDMAP_SEND);

	/* then no segment lies after the one with L=1. */
	must(t, DDP_4_1_07,
	     at_least("MO of the last segment",
		      m.frames[m.count - 1]->seg.ddp.mo,
		      least_mo_of_the_last(&m)));
	must(t, DDP_4_1_07, nothing_more());
}

struct sent {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
};

#define SENDS(name, op, feature)                                               \
	{                                                                      \
		.id = name, .opcode = (op),                                    \
		.needs = 1ull << NEED_BIT_##feature                            \
	}

static const struct sent sent[] = {
	SENDS("write", RDMAP_WRITE, WRITE),
	SENDS("read_request", RDMAP_READ_REQUEST, READ),
	SENDS("read_response", RDMAP_READ_RESPONSE, READ),
	SENDS("send", RDMAP_SEND, SEND),
	SENDS("send_with_invalidate", RDMAP_SEND_INV, SEND_INV),
	SENDS("send_with_se", RDMAP_SEND_SE, SEND_SE),
	SENDS("send_with_se_and_invalidate", RDMAP_SEND_SE_INV, SEND_SE_INV),
	SENDS("terminate", RDMAP_TERMINATE, TERMINATE),
};

/* The device sends a message of this kind, whatever makes it do so. */
static void device_is_made_to_send(struct test *t, const struct sent *s,
				   struct region r)
{
	bool inv =
		s->opcode == RDMAP_SEND_INV || s->opcode == RDMAP_SEND_SE_INV;
	bool se = s->opcode == RDMAP_SEND_SE || s->opcode == RDMAP_SEND_SE_INV;

	if (!(dut_claims(t) & s->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	if (s->opcode == RDMAP_READ_REQUEST)
		dut_posts(t, POST_READ(r, 0, 8, 0x1234, 0x1000));
	else if (s->opcode == RDMAP_TERMINATE)
		peer_sends(t, READ_FROM(stag_never_issued(t), 0, 8));
	else if (s->opcode == RDMAP_READ_RESPONSE)
		peer_sends(t, READ(r, 0, 8));
	else if (s->opcode == RDMAP_WRITE)
		dut_posts(t, POST_WRITE_FROM(r, 0, 8, 0x1234, 0x1000));
	else
		dut_posts(t, POST_SEND_FROM(r, 0, 8, .invalidate = inv,
					    .inv = 0x1234, .se = se));
}

CASE_EACH(the_control_octet_has_no_reserved_bit_and_version_one, struct sent,
	  sent,
	  .title = "the reserved bits of the DDP control octet are sent as "
		   "zero, the version as 1",
	  .role = EITHER)
{
	/* Given a stream, */
	struct region r =
		dut_registers(t, .len = 8, .access = access_for(row->opcode));
	connects(t);

	/* when the device sends a message of this kind, */
	device_is_made_to_send(t, row, r);
	const struct frame *f = awaits_given(t, row->opcode);

	/* then its control octet has no reserved bit set, and DV is 1. */
	must(t, DDP_4_1_11, is("the four reserved bits", f->seg.ddp.rsvd, 0));
	must(t, DDP_4_1_13, is("DV", f->seg.ddp.dv, 1));
}

static unsigned dv_of(const struct frame *f)
{
	return f ? f->seg.ddp.dv : 0;
}

CASE(the_terminate_has_the_version_of_the_stream,
     .title = "the Terminate that answers a wrong version bears "
	      "version 1",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream of version 1, and a buffer, */
	dut_posts_recv(t, 16);
	connects(t);

	/* when the peer sends a Send of version 2, */
	peer_sends(t, SEND("hello", .dv = IS(2)));

	/* then the device's report about it has version 1. */
	must(t, DDP_4_1_14,
	     any_of(t, is("DV", dv_of(the_terminate(t)), 1), no_terminate()));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- what the device receives -------------------------------------------- */

CASE(the_t_flag_chooses_the_buffer,
     .title = "a segment with T=1 goes to its Tagged Buffer, one with "
	      "T=0 to the next Untagged Buffer",
     .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a tagged buffer, and two untagged ones, */
	struct region r = dut_registers(t, .len = 64, .access = FOR_WRITES);
	dut_fills(t, r, 0, octets_of(t, 64, 0xee), 64);
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	connects(t);

	/* when the peer sends a Write, and then a Send, */
	peer_sends(t, WRITE(r, 8, "tagged", 6));
	peer_sends(t, SEND("untagged"));

	/* then each is where it belongs, and only there. */
	must(t, DDP_4_1_02, delivered_text(sink_at(sinks, 0), "untagged"));
	must(t, DDP_4_1_01, memory_is(r, 6, "\xee\xeetagged\xee\xee", 10));
	must(t, DDP_4_1_01, not_delivered(sink_at(sinks, 1)));
}

CASE(only_the_l_flag_delivers,
     .title = "a Send in three segments is delivered once, as a "
	      "whole, by its L=1 segment",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given two buffers of the same size, */
	struct sink sinks = dut_posts_recvs(t, 2, 400);
	const uint8_t *p = pattern(t, 300, 1);
	connects(t);

	/* when the segments of one Send come one after the other, */
	peer_sends(t, SEND_N(p, 100, .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(p + 100, 100, .mo = IS(100), .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND_N(p + 200, 100, .mo = IS(200)));

	/* then neither segment with L=0 has completed a receive, */
	struct completion c = dut_receives(t, sinks);
	if (c.ok && agent_tells_length(t))
		insists(t, DDP_4_1_09,
			at_least("octets of the first completion", c.len, 300));

	/* the third one has, with the whole message, and none completes twice. */
	must(t, DDP_4_1_08, delivered(sink_at(sinks, 0), p, 300));
	must(t, DDP_5_3_06, not_delivered(sink_at(sinks, 1)));
}

CASE(the_l_flag_ends_a_message_short_of_its_buffer,
     .title = "L=1 on the first segment ends the message, however "
	      "large the buffer is",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 100 octets, */
	struct sink sink = dut_posts_recv(t, 100);
	connects(t);

	/* when a Send of one segment brings 10, */
	peer_sends(t, SEND("ten octets"));

	/* then it is delivered, with its own length. */
	must(t, DDP_4_1_10, delivered_text(sink, "ten octets"));
}

struct bits {
	CASE_ROW;
	unsigned bits; /* as a number of four bits */
};

static const struct bits reserved[] = {
	{.id = "0x20", .bits = 8}, {.id = "0x10", .bits = 4},
	{.id = "0x08", .bits = 2}, {.id = "0x04", .bits = 1},
	{.id = "all", .bits = 15},
};

CASE_EACH(reserved_bits_are_not_checked, struct bits, reserved,
	  .title = "reserved bits of the DDP control octet are ignored",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer of each kind, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when reserved bits are set in a Write and in a Send, */
	peer_sends(t, WRITE(r, 0, "write", 5, .rsvd = IS(row->bits)));
	peer_sends(t, SEND("send", .rsvd = IS(row->bits)));

	/* then both are processed as if they were not. */
	must(t, DDP_4_1_12, delivered_text(sink, "send"));
	must(t, DDP_4_1_12, memory_is(r, 0, "write", 5));
	must(t, DDP_4_1_12, stream_works());
}

struct version {
	CASE_ROW;
	unsigned dv;
};

static const struct version tagged_versions[] = {
	{.id = "dv0", .must = &DDP_4_1_15, .dv = 0},
	{.id = "dv2", .must = &DDP_4_1_16, .dv = 2},
	{.id = "dv3", .must = &DDP_4_1_17, .dv = 3},
};

CASE_EACH(a_tagged_segment_of_another_version_is_refused, struct version,
	  tagged_versions,
	  .title = "a Write whose DV is not 1 is not placed, and its "
		   "Terminate says invalid DDP version",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when it does so with another version of DDP, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .dv = IS(row->dv)));

	/* then nothing is placed, and the stream ends for that reason. */
	must_row(t, row, terminate_if_any(TERM_DDP, 1, 0x04));
	must_row(t, row, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

static const struct version untagged_versions[] = {
	{.id = "dv0", .must = &DDP_4_1_18, .dv = 0},
	{.id = "dv2", .must = &DDP_4_1_19, .dv = 2},
	{.id = "dv3", .must = &DDP_4_1_20, .dv = 3},
};

CASE_EACH(an_untagged_segment_of_another_version_is_refused, struct version,
	  untagged_versions,
	  .title = "a Send whose DV is not 1 is not delivered, and its "
		   "Terminate says invalid DDP version",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when one comes with another version of DDP, */
	peer_sends(t, SEND("hello", .dv = IS(row->dv)));

	/* then it is not delivered, and the stream ends for that reason. */
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x06));
	must_row(t, row, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_read_request_of_another_version_is_refused,
     .title = "a Read Request whose DV is 2 is not answered, and its "
	      "Terminate says invalid DDP version",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when its Read Request is of another version of DDP, */
	peer_sends(t, READ(r, 0, 8, .dv = IS(2)));

	/* then there is no Response, and the stream ends for that reason. */
	must(t, DDP_7_2_12, is("Responses", responses_until_the_end(t), 0));
	must(t, DDP_7_2_12, terminate_if_any(TERM_DDP, 2, 0x06));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(the_version_may_not_change_inside_a_message,
     .title = "a Send whose second segment has another DV is refused",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a Send whose first segment was right, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);
	peer_sends(t, SEND("hell", .l = IS(0), .keeps_msn = true));

	/* when its second one is of version 0, */
	peer_sends(t, SEND("o", .mo = IS(4), .dv = IS(0)));

	/* then it is not delivered, and the stream ends for that reason. */
	must(t, DDP_4_1_21, terminate_if_any(TERM_DDP, 2, 0x06));
	must(t, DDP_4_1_21, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- segments without a whole header ------------------------------------- */

struct runt {
	CASE_ROW;
	size_t octets;
};

static const struct runt tagged_runts[] = {
	{.id = "1", .octets = 1},   {.id = "2", .octets = 2},
	{.id = "3", .octets = 3},   {.id = "4", .octets = 4},
	{.id = "5", .octets = 5},   {.id = "6", .octets = 6},
	{.id = "7", .octets = 7},   {.id = "8", .octets = 8},
	{.id = "9", .octets = 9},   {.id = "10", .octets = 10},
	{.id = "11", .octets = 11}, {.id = "12", .octets = 12},
	{.id = "13", .octets = 13},
};

CASE_EACH(a_segment_shorter_than_any_header_is_refused, struct runt,
	  tagged_runts,
	  .title = "an FPDU of fewer than 14 octets holds no DDP segment, "
		   "and ends the stream",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when the header of its Write is cut off, the FPDU being right, */
	peer_sends(t, WRITE(r, 0, "", 0, .ulpdu_cut = IS(row->octets)));

	/* then there is nothing to place, and the stream ends. */
	must(t, DDP_6_2_2_02, stream_ends_with_the_next());
	must(t, DDP_4_4_01, memory_unchanged(r));
}

static const struct runt untagged_runts[] = {
	{.id = "14", .octets = 14},
	{.id = "15", .octets = 15},
	{.id = "16", .octets = 16},
	{.id = "17", .octets = 17},
};

CASE_EACH(an_untagged_segment_shorter_than_its_header_is_refused, struct runt,
	  untagged_runts,
	  .title = "an untagged segment of fewer than 18 octets is not "
		   "delivered, and ends the stream",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when the header of a Send is cut off, the FPDU being right, */
	peer_sends(t, SEND("", .ulpdu_cut = IS(row->octets)));

	/* then nothing is delivered, and the stream ends. */
	must(t, DDP_6_2_2_02, stream_ends_with_the_next());
	must(t, DDP_4_4_02, not_delivered(sink));
}

CASE(an_fpdu_without_a_segment,
     .title = "the reaction to an FPDU whose ULPDU_Length is 0 is recorded",
     .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when an FPDU has two octets of PAD and nothing else, */
	peer_sends(t, WRITE_TO(0, 0, "", 0, .ulpdu_cut = IS(0)));

	/* then it may be an error, or nothing at all. */
	observe(t, DDP_4_4_03, "an empty FPDU: %s",
		known_answer(t) ? "ignored" : how_it_ended(t));
}

CASE(an_empty_last_segment,
     .title = "the reaction to a Send whose last segment is empty is recorded",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 100);
	connects(t);

	/* when its octets come with L=0, and L=1 comes with no octet, */
	peer_sends(t, SEND_N(pattern(t, 100, 1), 100, .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND("", .mo = IS(100)));

	/* then it may be delivered, or refused. */
	bool alive = known_answer(t);
	observe(t, DDP_4_4_04, "an empty last segment: %s",
		alive && dut_receives(t, sink).ok ? "delivered"
						  : how_it_ended(t));
}
