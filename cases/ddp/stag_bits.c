/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5041 s7.1, RFC 5040 s7.2, RFC 7306 s5.2.1: an STag is 32 bits, and each
 * of them counts. The bits tried are those of the key, which is the low octet,
 * and the highest ones. An STag that differs in one of them may be another one
 * of the device's, for example the local STag of the same buffer. So these cases
 * look at octets, not at the number of the error.
 */
#include "case.h"

struct bit {
	CASE_ROW;
	unsigned bit;
};

#define BIT_ROW(n)                                                             \
	{                                                                      \
		.id = #n, .bit = (n)                                           \
	}
static const struct bit bits[] = {BIT_ROW(0),  BIT_ROW(1), BIT_ROW(2),
				  BIT_ROW(3),  BIT_ROW(4), BIT_ROW(5),
				  BIT_ROW(6),  BIT_ROW(7), BIT_ROW(29),
				  BIT_ROW(30), BIT_ROW(31)};
static const struct bit ends[] = {BIT_ROW(0), BIT_ROW(7), BIT_ROW(31)};

static uint32_t other_than(struct region r, const struct bit *row)
{
	return r.stag ^ UINT32_C(1) << row->bit;
}

CASE_EACH(a_write_is_held_against_each, struct bit, bits,
	  .title =
		  "a Write to an STag that differs from a valid one in one bit "
		  "is refused",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, DDP_7_1_21, memory_is(r, 0, "valid", 5));

	/* when one bit of its STag is another, */
	peer_sends(t, WRITE(r, 0, "other", 5,
			    .stag_field = IS(other_than(r, row))));

	/* then nothing is placed, and the cause is named: the other STag may be
	 * one of the device's as well, a local one of the same buffer, or that
	 * of another buffer. */
	must(t, DDP_7_1_21,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x00),
		    terminate_if_any(TERM_DDP, 1, 0x01),
		    terminate_if_any(TERM_DDP, 1, 0x02),
		    terminate_if_any(TERM_RDMA, 1, 0x02)));
	must(t, DDP_7_1_21, memory_is(r, 0, "valid", 5));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(a_read_is_held_against_each, struct bit, ends,
	  .title = "a Read of an STag that differs from a valid one in one bit "
		   "is not answered",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t);

	/* when one bit of its STag is another, */
	peer_sends(t, READ_FROM(other_than(r, row), r.to, 16));

	/* then no octet comes, and the stream ends. */
	must(t, RDMAP_5_2_1_11, is("Responses", responses_until_the_end(t), 0));
	must(t, RDMAP_5_2_1_11, stream_ends());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(an_atomic_is_held_against_each, struct bit, ends,
	  .title = "a FetchAdd to an STag that differs from a valid one in one "
		   "bit is refused",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word for atomics, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t);

	/* when one bit of its STag is another, */
	struct msg m = FETCHADD(r, 0, 1, 0);
	m.atomic.stag = other_than(r, row);
	peer_sends(t, m);

	/* then the word is unchanged, and the stream ends. */
	must(t, RDMAPX_5_2_1_12, ends_unanswered());
	must(t, RDMAPX_5_2_1_12, word_is(r, 0, 0));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE_EACH(an_invalidation_is_held_against_each, struct bit, ends,
	  .title = "a Send with Invalidate whose STag differs from a valid one "
		   "in one bit invalidates nothing",
	  .needs = NEED_SEND_INV | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, and a receive, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when one bit of the STag to be invalidated is another, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "hello", 5,
				.inval = other_than(r, row)));

	/* then that is an error, */
	must(t, RDMAP_5_3_18, stream_ends());
	must(t, RDMAP_5_3_18, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());

	/* and the STag is valid as before, on another stream. */
	connects(t);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, RDMAP_5_3_18, memory_is(r, 0, "valid", 5));
}

CASE_EACH(a_response_is_held_against_each, struct bit, ends,
	  .title = "a Read Response to an STag that differs from the sink's in "
		   "one bit is not placed",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a Read under way, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(r, 0, 16, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	uint32_t sink = case_read_of(f).sink_stag;

	/* when one bit of the STag in its Response is another, */
	peer_sends(t, READ_RESPONSE(f, pattern(t, 16, 1), 16,
				    .stag_field = IS(sink ^
						     UINT32_C(1) << row->bit)));
	if (dut_completes(t, id).ok &&
	    memcmp(dut_memory(t, r, 0, 16), pattern(t, 16, 1), 16) == 0)
		not_applicable(t,
			       "the other STag may be one of the device's for "
			       "the same buffer, and RFC 5040 s5.2.2 lets it "
			       "take that");

	/* then it is not placed, and the Read is not done. */
	must(t, DDP_7_2_02, stream_ends());
	must(t, DDP_7_2_02, memory_lacks(r, 0, 16, pattern(t, 16, 1), 16));
	must(t, DDP_7_2_02, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* --- all bits zero ---------------------------------------------------------- */

CASE(a_write_to_stag_zero_is_refused,
     .title = "a Write to TO 0 of STag 0 is refused", .needs = NEED_WRITE,
     .role = EITHER)
{
	/* Given a device that has not issued STag 0, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);
	if (!r.stag)
		not_applicable(t, "the device has issued STag 0");

	/* when the peer writes to it, */
	peer_sends(t, WRITE_TO(0, 0, "hello", 5));

	/* then the cause is named. */
	must(t, DDP_7_1_20, stream_ends());
	/* It may be that of another session, or of the host itself, which has
	 * no right for the peer. */
	must(t, DDP_7_1_20,
	     any_of(t, terminate_if_any(TERM_DDP, 1, 0x00),
		    terminate_if_any(TERM_DDP, 1, 0x02),
		    terminate_if_any(TERM_RDMA, 1, 0x02)));
	must(t, DDP_7_1_20, memory_unchanged(r));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_read_of_stag_zero_is_refused,
     .title = "a Read of one octet at TO 0 of STag 0 is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, when the peer reads where there is no buffer, */
	connects(t);
	peer_sends(t, READ_FROM(0, 0, 1));

	/* then no octet comes, and the stream ends. */
	must(t, RDMAP_5_2_1_11, is("Responses", responses_until_the_end(t), 0));
	must(t, RDMAP_5_2_1_11, stream_ends());
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_invalidation_of_stag_zero_is_refused,
     .title = "a Send with Invalidate of STag 0 is not delivered",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a receive, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a Send is to invalidate an STag that the device has not issued,
	 * 0, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_INV, "hello", 5, .inval = 0));

	/* then that is an error. */
	must(t, RDMAP_5_3_18, stream_ends());
	must(t, RDMAP_5_3_18, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}
