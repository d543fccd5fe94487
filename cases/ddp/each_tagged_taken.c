/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.2, s5.2 and s7.1: right segments of Writes and Read Responses, in
 * messages of one segment and of three; empty segments; messages whose segments
 * are not in order.
 */
#include "case.h"

#define LEN  100u /* of the buffer */
#define PART 30u  /* octets of a segment */

struct place {
	CASE_ROW;
	uint8_t opcode;
	size_t off, len; /* in the buffer */
	size_t segment;  /* payload octets of a segment; 0: it is one */
};

#define WRITES(name, ...)                                                      \
	{                                                                      \
		.id = "write_" name, .opcode = RDMAP_WRITE, __VA_ARGS__        \
	}
#define RESPONSES(name, ...)                                                   \
	{                                                                      \
		.id = "response_" name, .opcode = RDMAP_READ_RESPONSE,         \
		__VA_ARGS__                                                    \
	}
#define BOTH(name, ...) WRITES(name, __VA_ARGS__), RESPONSES(name, __VA_ARGS__)

static const struct place places[] = {
	RESPONSES("of_the_first_octet", .must = &DDP_4_2_07, .off = 0,
		  .len = 1),
	RESPONSES("of_the_second_octet", .must = &DDP_4_2_07, .off = 1,
		  .len = 1),
	RESPONSES("of_the_last_octet", .must = &DDP_4_2_07, .off = LEN - 1,
		  .len = 1),
	BOTH("of_three_segments", .must = &DDP_4_2_07, .off = 1, .len = 89,
	     .segment = PART),
	BOTH("of_three_odd_segments", .must = &DDP_4_2_07, .off = 3, .len = 81,
	     .segment = PART - 1),
	BOTH("of_three_segments_up_to_the_end", .must = &DDP_7_1_29, .off = 10,
	     .len = 90, .segment = PART),
	RESPONSES("up_to_the_end", .must = &DDP_7_1_29, .len = LEN),
	RESPONSES("payload", .must = &DDP_5_2_04, .len = LEN),
	WRITES("payload_of_three_segments", .must = &DDP_5_2_04, .len = 90,
	       .segment = PART),
};

CASE_EACH(a_segment_is_placed_at_its_to, struct place, places,
	  .title = "a Write or Read Response may have any place in its buffer, "
		   "and each of its segments is placed at its TO",
	  .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, row->len, 1);
	uint8_t due[LEN] = {0};
	memcpy(due + row->off, p, row->len);
	connects(t);

	/* when the peer writes to a part of it, or the device reads there, */
	if (row->opcode == RDMAP_WRITE) {
		peer_sends(t, WRITE(r, row->off, p, row->len,
				    .segment = row->segment));
	} else {
		unsigned id = dut_posts(
			t, POST_READ(r, row->off, row->len, 0x1234, 0x1000));
		const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

		peer_sends(t, READ_RESPONSE(f, p, row->len,
					    .segment = row->segment));
		must_row(t, row, completed(id));
	}

	/* then these octets are in their place, and no others. */
	must_row(t, row, memory_is(r, 0, due, LEN));
	may(t, DDP_4_2_06, any_of(t, memory_is(r, 0, due, LEN)));
}

/* --- not in order --------------------------------------------------------------- */

CASE(a_response_out_of_order_is_placed,
     .title = "the segments of a Read Response are placed in any order of TO",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads into a buffer, */
	struct awaited a = dut_awaits(t, RDMAP_READ_RESPONSE);
	struct msg m = message_awaited(t, &a, LEN);
	const uint8_t *p = m.octets;
	uint64_t to = m.to;

	/* when the three segments of its Response arrive in reverse order, */
	m.n = PART;
	m.l = IS(0);
	m.octets = p + LEN - PART;
	m.to_field = IS(to + LEN - PART);
	peer_sends(t, m, .hold = true);
	m.n = LEN - 2 * PART;
	m.octets = p + PART;
	m.to_field = IS(to + PART);
	peer_sends(t, m, .hold = true);
	m.n = PART;
	m.l = IS(1);
	m.octets = p;
	m.to_field = IS(to);
	peer_sends(t, m);

	/* then each octet is in its place, and the Read is complete. */
	must(t, DDP_5_2_15, completed(a.id));
	must(t, DDP_5_2_15, memory_is(a.r, 0, p, LEN));
}

CASE(a_write_with_a_hole_in_the_middle,
     .title = "a Write of three segments that leaves out a part of its range "
	      "is placed, or refused",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	const uint8_t *p = pattern(t, LEN, 1);
	connects(t);

	/* when ten octets are missing in front of the second segment, */
	peer_breaks(t, DDP_5_2_07);
	peer_sends(t, WRITE(r, 0, p, 20, .l = IS(0)), .hold = true);
	peer_sends(t, WRITE(r, 30, p + 30, 20, .l = IS(0)), .hold = true);
	peer_sends(t, WRITE(r, 50, p + 50, 20));

	/* then the device need not have looked for them. */
	uint8_t due[LEN];
	memcpy(due, dut_memory(t, r, 0, LEN), LEN);
	memcpy(due, p, 20);
	memcpy(due + 30, p + 30, 40);
	may(t, DDP_5_2_14, any_of(t, memory_is(r, 0, due, LEN), stream_ends()));
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind tagged[] = {
	{.id = "write", .opcode = RDMAP_WRITE},
	{.id = "read_response", .opcode = RDMAP_READ_RESPONSE},
};

CASE_EACH(a_message_to_two_stags, struct kind, tagged,
	  .title = "the reaction to a Write or Read Response whose second "
		   "segment of three names another STag is recorded",
	  .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a device that expects it, and another buffer, */
	struct region other =
		dut_registers(t, .len = LEN, .access = FOR_WRITES);
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, LEN);

	/* when its second segment goes to the other one, */
	m.n = PART;
	m.l = IS(0);
	peer_sends(t, m, .hold = true);
	m.stag_field = IS(other.stag);
	m.to_field = IS(other.to);
	peer_sends(t, m, .hold = true);
	m.n = LEN - 2 * PART;
	m.l = IS(1);
	m.stag_field = IS(a.r.stag);
	m.to_field = IS(m.to + 2 * PART);
	peer_sends(t, m);

	/* then it may be placed, or refused. */
	observe(t, DDP_4_2_08, "segments of one message to two STags: %s",
		known_answer(t) ? "all placed" : how_it_ended(t));
}

/* --- empty segments ------------------------------------------------------------- */

struct empty {
	CASE_ROW;
	uint8_t opcode;
	unsigned at; /* 1 to 3; 0: the message is empty */
	struct over dv, rv;
};

static const struct empty empties[] = {
	WRITES("dv2_in_the_first", .at = 1, .dv = IS(2)),
	WRITES("dv2_in_the_middle", .at = 2, .dv = IS(2)),
	WRITES("dv2_in_the_last", .at = 3, .dv = IS(2)),
	/* RDMAP may look at its octets when DDP delivers the Write, and at those
	 * of any segment (RFC 5041 s5.4, s4.2). */
	WRITES("rv2_in_the_last", .at = 3, .rv = IS(2)),
	WRITES("dv3_in_the_last", .at = 3, .dv = IS(3)),
	WRITES("rv3_in_the_last", .at = 3, .rv = IS(3)),
	RESPONSES("dv2", .dv = IS(2)),
	RESPONSES("rv2", .rv = IS(2)),
};

CASE_EACH(versions_count_in_an_empty_segment, struct empty, empties,
	  .title = "DV and RV have to be right in an empty segment of a Write "
		   "or Read Response",
	  .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a buffer, and perhaps a Read of no octets, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	struct msg m = WRITE(r, 0, pattern(t, PART, 1), PART, .l = IS(0));
	unsigned id = 0;
	connects(t);
	if (row->opcode == RDMAP_READ_RESPONSE) {
		id = dut_posts(t, POST_READ(r, 0, 0, 0x1234, 0x1000));
		const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
		m = READ_RESPONSE(f, "", 0);
	}

	/* when a segment without payload has another version, */
	for (unsigned i = 1; i < row->at; i++) {
		m.to_field = IS(r.to + (i - 1) * PART);
		peer_sends(t, m, .hold = true);
	}
	m.n = 0;
	m.l = IS(!row->at || row->at == 3);
	m.dv = row->dv;
	m.rv = row->rv;
	bool more = !m.l.v;
	peer_sends(t, m, .hold = more);
	if (more) {
		m.n = PART;
		m.l = IS(1);
		m.dv = m.rv = (struct over){0};
		peer_sends(t, m);
	}

	/* then the stream ends for that reason; a device may look at a message
	 * when it is whole. */
	must(t, DDP_5_2_10,
	     row->dv.set ? terminate_if_any(TERM_DDP, 1, 0x04)
			 : terminate_if_any(TERM_RDMA, 2, 0x05));
	if (id)
		must(t, DDP_5_2_10, not_completed(id));
}

struct next {
	CASE_ROW;
	uint8_t opcode;
	bool middle; /* the fault, else it is in the last one */
};

static const struct next behind[] = {
	WRITES("in_the_middle", .middle = true),
	RESPONSES("in_the_middle", .middle = true),
	RESPONSES("in_the_last", .middle = false),
	{.id = "send_in_the_middle", .opcode = RDMAP_SEND, .middle = true},
	{.id = "send_in_the_last", .opcode = RDMAP_SEND},
	{.id = "send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "send_with_se_and_invalidate", .opcode = RDMAP_SEND_SE_INV},
};

CASE_EACH(behind_an_empty_segment_all_is_checked, struct next, behind,
	  .title = "an empty first segment does not exempt the next one, with "
		   "an octet outside its buffer, from the checks",
	  .role = EITHER)
{
	/* Given a device that expects a message of this kind, for a buffer of
	 * 100 octets, */
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, LEN);

	/* when it begins with an empty segment, and the next one has an octet too
	 * many; a device may look at a message when it is whole, */
	if (row->opcode == RDMAP_READ_RESPONSE)
		peer_breaks(t, row->middle ? RDMAP_5_2_01 : RDMAP_4_4_05);
	m.n = 0;
	m.l = IS(0);
	m.keeps_msn = true;
	peer_sends(t, m, .hold = true);
	m.octets = pattern(t, LEN + 1, 1);
	m.n = 1;
	m.l = IS(1);
	struct msg rest = m;
	m.n = LEN + !row->middle;
	m.l = IS(!row->middle);
	if (row->middle && kind_is_send(row->opcode))
		m.mo = IS(1);
	else if (row->middle)
		m.to_field = IS(a.r.to + 1);
	peer_sends(t, m, .hold = row->middle);
	if (row->middle)
		peer_sends(t, rest);

	/* then the stream is over, and nothing is delivered. */
	must(t, DDP_5_2_17, stream_ends());
	if (row->opcode != RDMAP_WRITE)
		must(t, DDP_5_2_17, had_no_effect(&a));
}

CASE(an_empty_segment_completes_no_read,
     .title = "an empty segment behind all octets of a Read Response does not "
	      "complete the Read; the segment with L=1 does",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read of the device, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_RESPONSES);
	const uint8_t *p = pattern(t, LEN, 1);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(r, 0, LEN, 0x1234, 0x1000));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	uint64_t end = case_read_of(f).sink_to + LEN;

	/* when all octets come, and an empty segment, each with L=0, */
	peer_sends(t, READ_RESPONSE(f, p, LEN, .l = IS(0)), .hold = true);
	peer_sends(t, READ_RESPONSE(f, "", 0, .l = IS(0), .to_field = IS(end)));
	dut_has_its_turn(t);

	/* then the Read waits for a segment with L=1, and completes with it. */
	must(t, DDP_4_1_09,
	     holds("the Read is not complete before L=1",
		   !dut_has_completed(t, id).came));
	peer_sends(t, READ_RESPONSE(f, "", 0, .to_field = IS(end)));
	if (!dut_completes(t, id).ok && strcmp(how_tcp_stands(t), "open") != 0)
		not_applicable(t, "the device ends the stream at an empty "
				  "segment");
	must(t, DDP_4_1_09, completed(id));
}

/* --- inside a Send ---------------------------------------------------------------- */

static const struct next inside[] = {
	{.id = "write_in_a_send_with_invalidate", .opcode = RDMAP_SEND_INV},
	{.id = "write_in_a_send_with_se", .opcode = RDMAP_SEND_SE},
	{.id = "write_in_a_send_with_se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV},
};

CASE_EACH(a_write_inside_a_send, struct next, inside,
	  .title = "the reaction to a Write between the segments of a Send of "
		   "any kind is recorded",
	  .needs = NEED_WRITE)
{
	/* Given a buffer for each, */
	struct region r = dut_registers(t, .len = LEN, .access = FOR_WRITES);
	struct awaited a = dut_awaits(t, row->opcode);
	struct msg m = message_awaited(t, &a, PART);

	/* when a Write arrives between the second and the last of three
	 * segments, */
	peer_breaks(t, DDP_5_3_01);
	m.l = IS(0);
	m.keeps_msn = true;
	peer_sends(t, m);
	m.mo = IS(PART);
	peer_sends(t, m);
	peer_sends(t, WRITE(r, 0, "data", 4));
	m.mo = IS(2 * PART);
	m.l = IS(1);
	m.keeps_msn = false;
	peer_sends(t, m);

	/* then both may be right, or be refused. */
	bool alive = known_answer(t);
	observe(t, DDP_5_3_08, "%s",
		alive && dut_receives(t, a.sinks).ok &&
				memcmp(dut_memory(t, r, 0, 4), "data", 4) == 0
			? "both right"
			: how_it_ended(t));
}
