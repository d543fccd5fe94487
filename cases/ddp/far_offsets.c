/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s4.1, s5.2, RFC 5040 s5.2.1, RFC 7306 s5: octets that lie far from
 * the first one of their region, just behind 2^12, 2^16 and 2^20, where a
 * device may begin another page, table or register.
 */
#include "case.h"

#define N 24u

struct offset {
	CASE_ROW;
	size_t at;
};

static const struct offset offsets[] = {
	{.id = "behind_4_kib", .at = (1u << 12) + 16},
	{.id = "behind_64_kib", .at = (1u << 16) + 16},
	{.id = "behind_1_mib", .at = (1u << 20) + 16},
};

/* A region of zeros in which these octets are the last but eight. */
static struct region large(struct test *t, const struct offset *o,
			   unsigned access)
{
	return dut_registers(t, .len = o->at + N + 8, .access = access);
}

CASE_EACH(a_write_is_placed_there, struct offset, offsets,
	  .title = "a Write far from the beginning of its buffer is placed "
		   "there, and not closer to it",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a large buffer, */
	struct region r = large(t, row, FOR_WRITES);
	const uint8_t *p = pattern(t, N, 1);
	connects(t);

	/* when the peer writes near its end, */
	peer_sends(t, WRITE(r, row->at, p, N));

	/* then the octets are there, and its first ones are as before. */
	must(t, DDP_4_1_01, memory_is(r, row->at, p, N));
	must(t, DDP_4_1_01, memory_is(r, 0, octets_of(t, 64, 0), 64));
}

CASE_EACH(a_read_response_is_placed_there, struct offset, offsets,
	  .title = "a Read Response far from the beginning of its buffer is "
		   "placed there",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read into a large buffer, near its end, */
	struct region r = large(t, row, FOR_RESPONSES);
	const uint8_t *p = pattern(t, N, 2);
	connects(t);
	unsigned read = dut_posts(
		t, POST_READ(r, row->at, N, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when the peer answers it, then the octets are there. */
	peer_sends(t, READ_RESPONSE(f, p, N));
	must(t, RDMAP_5_2_2_03, completed(read));
	must(t, DDP_4_1_01, memory_is(r, row->at, p, N));
}

CASE_EACH(a_send_is_placed_there, struct offset, offsets,
	  .title = "a Send is placed in its receive buffer, far from the "
		   "beginning of a region",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a receive buffer near the end of a large region, */
	struct region r = large(t, row, FOR_RESULTS);
	const uint8_t *p = pattern(t, N, 3);
	struct sink sink = dut_posts_recv_in(t, r, row->at, N);
	connects(t);

	/* when a Send fills it, then its octets are there. */
	peer_sends(t, SEND_N(p, N));
	must(t, DDP_4_1_02, delivered(sink, p, N));
	must(t, DDP_4_1_02, memory_is(r, row->at, p, N));
}

CASE_EACH(a_read_is_answered_from_there, struct offset, offsets,
	  .title = "a Read far from the beginning of a buffer is answered with "
		   "the octets that are there",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a large buffer with known octets near its end, */
	struct region r = large(t, row, FOR_READS);
	const uint8_t *p = pattern(t, N, 4);
	dut_fills(t, r, row->at, p, N);
	connects(t);

	/* when the peer reads them, then they come. */
	peer_sends(t, READ(r, row->at, N));
	struct message m =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);
	must(t, RDMAP_5_2_1_09,
	     octets_are(t, "the Response", m.octets, m.n, p, N));
}

CASE_EACH(an_atomic_changes_the_word_there, struct offset, offsets,
	  .title = "a FetchAdd far from the beginning of a buffer returns and "
		   "changes the word that is there",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a large buffer with a word near its end, */
	struct region r = large(t, row, FOR_ATOMICS);
	dut_sets_word(t, r, row->at, 0x0123456789abcdef);
	connects(t);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(r, row->at, 0x1111, 0));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);

	/* then the Response has what it was, and it has what is due. */
	must(t, RDMAPX_5_06,
	     is("the original value", case_atomic_response_of(f).value,
		0x0123456789abcdef));
	must(t, RDMAPX_5_06, word_is(r, row->at, 0x0123456789abdf00));
}

struct sent_offset {
	CASE_ROW;
	struct offset offset;
	uint8_t opcode;
};

#define SENT(kind, op, name, shift)                                            \
	{                                                                      \
		.id = kind "_behind_" name,                                    \
		.offset = {.at = (1u << (shift)) + 16}, .opcode = (op)         \
	}
static const struct sent_offset sent_offsets[] = {
	SENT("send", RDMAP_SEND, "4_kib", 12),
	SENT("send", RDMAP_SEND, "64_kib", 16),
	SENT("send", RDMAP_SEND, "1_mib", 20),
	SENT("write", RDMAP_WRITE, "4_kib", 12),
	SENT("write", RDMAP_WRITE, "64_kib", 16),
	SENT("write", RDMAP_WRITE, "1_mib", 20),
};

CASE_EACH(a_message_leaves_from_there, struct sent_offset, sent_offsets,
	  .title =
		  "a Send or Write of the device from far behind the beginning "
		  "of a region has the octets that are there",
	  .needs = NEED_SEND | NEED_WRITE, .role = EITHER)
{
	/* Given a large region with known octets near its end, */
	const struct offset *o = &row->offset;
	struct region r = large(t, o, 0);
	const uint8_t *p = pattern(t, N, 5);
	dut_fills(t, r, o->at, p, N);
	connects(t);

	/* when the device sends them, then they come. */
	dut_posts(t, row->opcode == RDMAP_SEND
			     ? POST_SEND_FROM(r, o->at, N)
			     : POST_WRITE_FROM(r, o->at, N, 0x1234, 0x1000));
	struct message m = awaits_message(t, DDP_5_2_03, row->opcode);
	must(t, DDP_5_2_03, octets_are(t, "the message", m.octets, m.n, p, N));
}
