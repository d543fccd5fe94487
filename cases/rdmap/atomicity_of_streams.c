/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5, s5.3, s5.4: atomics of several streams on the same words, and
 * whether one order explains all that they have found. */
#include "case.h"

/* Sums of it are the same in whatever order of octets. */
#define ONE 0x0100000000000001u

#define STREAMS 6
#define WORDS   3
#define EACH    24 /* atomics of a stream */

/* Words 0 and 1 are counters (word 1 is changed only by a stream that knows its
 * value), word 2 is a lock that streams take and release; occasionally a stream
 * only reads. */
static struct msg atomic_of(struct region r, unsigned stream, unsigned i,
			    const struct history *h)
{
	const uint64_t mine = (stream + 1) * ONE;

	switch ((i + stream * 3 + i / 8) % 8) {
	case 0:
	case 1:
		return FETCHADD(r, 0, ONE, 0);
	case 2:
		return CMPSWAP(r, 0, found_last(h, 0), found_last(h, 0) + ONE);
	case 3:
		return CMPSWAP(r, 8, found_last(h, 1),
			       found_last(h, 1) + 2 * ONE);
	case 4:
		return FETCHADD(r, 8, ONE, 0);
	case 5:
		return CMPSWAP(r, 16, 0, mine);
	case 6:
		return CMPSWAP(r, 16, mine, 0);
	default:
		return FETCHADD(r, i % WORDS * 8, 0, 0);
	}
}

CASE(what_six_streams_find_has_one_order,
     .title = "one order explains the results of FetchAdds and CmpSwaps of six "
	      "streams on three words, with the operations of each stream in "
	      "the order sent",
     .needs = NEED_ATOMICS | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given six streams and three words, and that on a single stream each
	 * operation has the right effect at the right place, */
	struct region region = dut_registers(t, .len = WORDS * 8, .raced = true,
					     .access = FOR_ATOMICS);
	struct region other = dut_registers(t, .len = 16, .raced = true,
					    .access = FOR_ATOMICS);
	struct history *alone = history_of(t, other, 2);
	struct history *h = history_of(t, region, WORDS);
	unsigned stream[STREAMS];
	dut_has_depths(t, 2, 0);
	for (unsigned s = 0; s < STREAMS; s++)
		stream[s] = connects(t, .crc = true);
	peer_asks(t, alone, FETCHADD(other, 8, ONE, 0));
	insists(t, RDMAPX_5_1_1_09,
		is("the original value",
		   awaits_original(t, RDMAPX_5_2_1_25, alone), 0));
	peer_asks(t, alone, FETCHADD(other, 0, 0, 0));
	insists(t, RDMAPX_5_06,
		is("the word before it",
		   awaits_original(t, RDMAPX_5_2_1_25, alone), 0));
	for (unsigned i = 0; i < 2; i++) {
		peer_asks(t, alone, FETCHADD(other, 8, 0, 0));
		insists(t, RDMAPX_5_1_1_01,
			is("the sum",
			   awaits_original(t, RDMAPX_5_2_1_25, alone), ONE));
	}
	peer_asks(t, alone, CMPSWAP(other, 8, ONE, 5 * ONE));
	insists(t, RDMAPX_5_1_2_08,
		is("the original value",
		   awaits_original(t, RDMAPX_5_2_1_25, alone), ONE));
	peer_asks(t, alone, CMPSWAP(other, 8, ONE, 7 * ONE));
	insists(t, RDMAPX_5_1_2_01,
		is("what was swapped in",
		   awaits_original(t, RDMAPX_5_2_1_25, alone), 5 * ONE));
	peer_asks(t, alone, FETCHADD(other, 8, 0, 0));
	insists(t, RDMAPX_5_1_2_02,
		is("what did not match",
		   awaits_original(t, RDMAPX_5_2_1_25, alone), 5 * ONE));

	/* when each has more or less of its atomics outstanding, up to as many
	 * as it may; two are sent at a time, */
	unsigned depth = (dut_max_ird(t) < 9 ? dut_max_ird(t) : 9) - 1;
	for (unsigned i = 0; i < EACH; i += 2)
		for (unsigned s = 0; s < STREAMS; s++) {
			on_stream(t, stream[s]);
			while (originals_due(t, h) > (i / 2 + s) % depth)
				awaits_original(t, RDMAPX_5_2_1_25, h);
			peer_asks(t, h, atomic_of(region, s, i, h),
				  .hold = true);
			peer_asks(t, h, atomic_of(region, s, i + 1, h));
		}
	for (unsigned s = 0; s < STREAMS; s++) {
		on_stream(t, stream[s]);
		while (originals_due(t, h))
			awaits_original(t, RDMAPX_5_2_1_25, h);
	}

	/* then one order explains the values that they found, and keeps their
	 * own. */
	insists(t, RDMAPX_5_3_01, has_one_order(h));
	must(t, RDMAPX_5_4_08, has_one_order_by_stream(h));
}

CASE(what_is_answered_is_found_by_all,
     .title = "once an atomic is answered, atomics of other streams find its "
	      "result",
     .needs = NEED_ATOMICS | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given two streams, and a word, and that who looks changes nothing, */
	struct region region = dut_registers(t, .len = 8, .raced = true,
					     .access = FOR_ATOMICS);
	unsigned adds = connects(t, .crc = true);
	unsigned looks = connects(t, .crc = true);
	struct history *h = history_of(t, region, 1);
	peer_asks(t, h, FETCHADD(region, 0, ONE, 0));
	original_given(t, h);
	for (unsigned i = 0; i < 2; i++) {
		peer_asks(t, h, FETCHADD(region, 0, 0, 0));
		insists(t, RDMAPX_5_1_1_01,
			is("the sum", original_given(t, h), ONE));
	}
	peer_asks(t, h, CMPSWAP(region, 0, ~0ull, 0));
	original_given(t, h);
	peer_asks(t, h, FETCHADD(region, 0, 0, 0));
	insists(t, RDMAPX_5_1_2_02,
		is("what did not match", original_given(t, h), ONE));

	/* when one adds to it, and is answered, and only then the other looks,
	 * by a CmpSwap that matches nothing or by an addition of nothing, */
	for (unsigned i = 0; i < 8; i++) {
		on_stream(t, adds);
		peer_asks(t, h, FETCHADD(region, 0, ONE, 0));
		original_given(t, h);
		on_stream(t, looks);
		peer_asks(t, h,
			  i % 2 ? FETCHADD(region, 0, 0, 0)
				: CMPSWAP(region, 0, ~0ull, 0));
		original_given(t, h);
	}

	/* then it finds each addition. */
	must(t, RDMAPX_5_02, has_one_order(h));
}

#define BURST 8

CASE(a_reset_leaves_no_atomic_half_done,
     .title = "another stream finds each atomic that was outstanding at a "
	      "reset either performed as a whole, or not at all",
     .needs = NEED_FETCHADD | NEED_MULTI_STREAM, .role = EITHER)
{
	/* Given two streams, and a word, */
	struct region region = dut_registers(t, .len = 8, .raced = true,
					     .access = FOR_ATOMICS);
	dut_has_depths(t, BURST, 0);
	unsigned ends = connects(t, .crc = true);
	unsigned stays = connects(t, .crc = true);
	struct history *h = history_of(t, region, 1);

	/* when one adds to it, and is reset before all its answers were taken,
	 * and the other continues, */
	on_stream(t, ends);
	for (unsigned i = 0; i < BURST; i++)
		peer_asks(t, h, FETCHADD(region, 0, ONE, 0),
			  .hold = i < BURST - 1);
	for (unsigned i = 0; i < BURST / 2; i++)
		original_given(t, h);
	peer_resets(t);
	on_stream(t, stays);
	for (unsigned i = 0; i < 4; i++) {
		peer_asks(t, h, FETCHADD(region, 0, 2 * BURST * ONE, 0));
		original_given(t, h);
	}

	/* then some of those without an answer explain the values that it
	 * found. */
	must(t, RDMAPX_5_3_01, has_one_order(h));
}
