/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7.1 items 3 and 4: the offset and length of untagged segments. */
#include "case.h"

/* A receive buffer of 100 octets with as many before and after it. */
#define BUFFER 100u
#define GUARD  100u

CASE(a_message_may_fill_its_buffer,
     .title = "a Send exactly as long as its receive buffer is "
	      "delivered",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 100 octets, */
	struct sink sink = dut_posts_recv(t, BUFFER);
	const uint8_t *p = pattern(t, BUFFER, 1);
	connects(t);

	/* when a Send has 100 octets, */
	peer_sends(t, SEND_N(p, BUFFER));

	/* then it is delivered. */
	must(t, DDP_7_1_12, delivered(sink, p, BUFFER));
}

struct offset {
	CASE_ROW;
	uint32_t mo;
	size_t len;
};

static const struct offset beyond[] = {
	{.id = "mo_200", .must = &DDP_7_1_07, .mo = 200, .len = 10},
	{.id = "mo_100", .must = &DDP_7_1_08, .mo = 100, .len = 1},
	{.id = "mo_0xfffffff0",
	 .must = &DDP_7_1_11,
	 .mo = 0xfffffff0,
	 .len = 32},
};

CASE_EACH(an_mo_beyond_the_buffer_is_refused, struct offset, beyond,
	  .title = "a segment whose MO lies outside its receive buffer is "
		   "not placed, and its Terminate says so",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER,
	  .along = {ALONG(struct offset, mo, PEER_MO, BUFFER + 1, 257),
		    ALONG(struct offset, mo, PEER_MO, 0x7fffffff, 0x80000001),
		    ALONG(struct offset, mo, PEER_MO, 0xfffff000, 0xffffffe0)})
{
	/* Given a buffer of 100 octets in the midst of others, */
	struct region r = dut_registers(t, .len = GUARD + BUFFER + GUARD,
					.access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, GUARD, BUFFER);
	connects(t);

	/* when a segment of a Send points outside, */
	const uint8_t *octets = pattern(t, row->len, 1);
	peer_sends(t, SEND_N(octets, row->len, .mo = IS(row->mo)));

	/* then none of its octets is written anywhere, and the stream ends for that
	 * reason; both checks of the offset fail. */
	must_row(t, row,
		 any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
			terminate_if_any(TERM_DDP, 2, 0x05)));
	must_row(t, row, memory_is(r, 0, octets_of(t, GUARD, 0), GUARD));
	must_row(t, row,
		 memory_is(r, GUARD + BUFFER, octets_of(t, GUARD, 0), GUARD));
	if (row->len > 1)
		must_row(t, row,
			 memory_lacks(r, GUARD, BUFFER, octets, row->len));
	must_row(t, row, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_segment_behind_a_full_buffer_is_refused,
     .title = "a segment whose MO is the end of an already full buffer is not "
	      "placed, and its Terminate says so",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a buffer of 100 octets in the midst of others, */
	struct region r = dut_registers(t, .len = GUARD + BUFFER + GUARD,
					.access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, GUARD, BUFFER);
	connects(t);

	/* when a Send fills it, and has one octet more, */
	peer_sends(t, SEND_N(octets_of(t, BUFFER, 0xaa), BUFFER, .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND_N("x", 1, .mo = IS(BUFFER)));

	/* then it is refused because of its place: there is a buffer. */
	must(t, DDP_7_1_08,
	     any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
		    terminate_if_any(TERM_DDP, 2, 0x05)));
	must(t, DDP_7_1_08, not_delivered(sink));
	must(t, DDP_7_1_08,
	     memory_is(r, GUARD + BUFFER, octets_of(t, GUARD, 0), GUARD));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct overrun {
	CASE_ROW;
	size_t first; /* octets of a right segment before it */
	size_t len;
	bool not_last;
};

static const struct overrun overruns[] = {
	{.id = "one_segment", .must = &DDP_7_1_09, .len = 101},
	{.id = "second_segment", .must = &DDP_7_1_10, .first = 60, .len = 41},
	{.id = "not_the_last_segment",
	 .must = &DDP_7_2_11,
	 .len = 101,
	 .not_last = true},
};

CASE_EACH(a_message_too_long_for_its_buffer_is_refused, struct overrun,
	  overruns,
	  .title = "a segment that would end beyond its receive buffer is "
		   "refused as too long",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a buffer of 100 octets in the midst of others, */
	struct region r = dut_registers(t, .len = GUARD + BUFFER + GUARD,
					.access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, GUARD, BUFFER);
	connects(t);

	/* when the peer sends 101 octets, and perhaps a last segment later: a
	 * device may look at a message when it is whole, */
	if (row->first)
		peer_sends(t, SEND_N(octets_of(t, row->first, 0xaa), row->first,
				     .l = IS(0), .keeps_msn = true));
	peer_sends(t, SEND_N(octets_of(t, row->len, 0xbb), row->len,
			     .mo = IS(row->first), .l = IS(!row->not_last),
			     .keeps_msn = row->not_last));
	if (row->not_last)
		peer_sends(t, SEND_N("x", 1, .mo = IS(BUFFER - 1)));

	/* then the cause is reported, nothing after or before the buffer was
	 * written, and the message is not delivered. */
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x05));
	must_row(t, row, not_delivered(sink));
	must_row(t, row, memory_is(r, 0, octets_of(t, GUARD, 0), GUARD));
	must_row(t, row,
		 memory_is(r, GUARD + BUFFER, octets_of(t, GUARD, 0), GUARD));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct sizes {
	CASE_ROW;
	size_t first, second, len; /* len: of what comes for the second */
};

static const struct sizes each_size[] = {
	{.id = "too_long_for_the_smaller",
	 .must = &DDP_7_1_09,
	 .first = 2 * BUFFER,
	 .second = BUFFER,
	 .len = BUFFER + 1},
	{.id = "not_for_the_larger",
	 .must = &DDP_7_1_12,
	 .first = BUFFER,
	 .second = 2 * BUFFER,
	 .len = 2 * BUFFER},
};

CASE_EACH(each_receive_buffer_has_its_size, struct sizes, each_size,
	  .title = "a Send is held against the size of its own receive buffer, "
		   "not that of the one before",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given two buffers of unequal sizes, the first of which is used, */
	struct sink first = dut_posts_recv(t, row->first);
	struct sink second = dut_posts_recv(t, row->second);
	const uint8_t *payload = pattern(t, 2 * BUFFER, 1);
	connects(t);
	peer_sends(t, SEND_N(payload, row->first));
	insists(t, RDMAP_5_3_02, delivered(first, payload, row->first));

	/* when a Send comes for the second, */
	peer_sends(t, SEND_N(payload, row->len));

	/* then it is delivered if it fits there, and refused otherwise. */
	if (row->len <= row->second) {
		must_row(t, row, delivered(second, payload, row->len));
		must_row(t, row, stream_works());
		return;
	}
	must_row(t, row, terminate_if_any(TERM_DDP, 2, 0x05));
	must_row(t, row, not_delivered(second));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_invalid_mo_invalidates_nothing,
     .title = "a Send with SE and Invalidate whose MO lies outside "
	      "its buffer leaves the STag valid",
     .needs = NEED_SEND_SE_INV | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, and a receive, */
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sink = dut_posts_recv(t, BUFFER);
	connects(t);

	/* when a Send that invalidates it has an MO of 200, */
	peer_sends(t, SEND_KIND(RDMAP_SEND_SE_INV, "ten octets", 10,
				.inval = r.stag, .mo = IS(200)));

	/* then it is refused, */
	must(t, DDP_7_2_10,
	     any_of(t, terminate_if_any(TERM_DDP, 2, 0x04),
		    terminate_if_any(TERM_DDP, 2, 0x05)));
	must(t, DDP_7_2_10, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());

	/* and the STag is valid as before, on another stream. */
	connects(t);
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must(t, DDP_7_2_10, memory_is(r, 0, "valid", 5));
}
