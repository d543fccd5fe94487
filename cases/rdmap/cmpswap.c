/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5.1.2: CmpSwap, its effect on memory and its result. */
#include "case.h"

struct swap {
	CASE_ROW;
	uint64_t old, compare, cmask, swap, smask, left;
};

static const struct swap whole_words[] = {
	{.id = "equal",
	 .must = &RDMAPX_5_1_2_01,
	 .old = 0x0123456789abcdef,
	 .compare = 0x0123456789abcdef,
	 .swap = 0xfedcba9876543210,
	 .left = 0xfedcba9876543210},
	{.id = "equal_and_zero",
	 .must = &RDMAPX_5_1_2_01,
	 .old = 0,
	 .compare = 0,
	 .swap = 1,
	 .left = 1},
	{.id = "one_above",
	 .must = &RDMAPX_5_1_2_02,
	 .old = 0x0123456789abcdef,
	 .compare = 0x0123456789abcdf0,
	 .swap = 0xfedcba9876543210,
	 .left = 0x0123456789abcdef},
	{.id = "upper_half_differs",
	 .must = &RDMAPX_5_1_2_02,
	 .old = 0x0123456789abcdef,
	 .compare = 0x0123456689abcdef,
	 .swap = 0xfedcba9876543210,
	 .left = 0x0123456789abcdef},
};

CASE_EACH(a_word_is_swapped_if_it_is_equal, struct swap, whole_words,
	  .title = "CmpSwap of a whole word swaps if all 64 bits are equal, "
		   "and always returns the original value",
	  .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given a word in the device's memory, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 8, row->old);
	connects(t, .crc = true);

	/* when the peer compares it and swaps, */
	peer_sends(t, CMPSWAP(region, 8, row->compare, row->swap));

	/* then it has the right value, and the Response has the original
	 * one. */
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_08,
	     is("the original value", case_atomic_response_of(f).value,
		row->old));
	must_row(t, row, word_is(region, 8, row->left));
}

static const struct swap masks[] = {
	{.id = "one_octet_compared",
	 .must = &RDMAPX_5_1_2_03,
	 .old = 0x1122334455667788,
	 .compare = 0x88,
	 .cmask = 0xff,
	 .swap = 0x99aabbccddeeff00,
	 .smask = ~0ull,
	 .left = 0x99aabbccddeeff00},
	{.id = "one_octet_swapped",
	 .must = &RDMAPX_5_1_2_06,
	 .old = 0x1122334455667788,
	 .compare = 0x1122334455667788,
	 .cmask = ~0ull,
	 .swap = 0xbb00,
	 .smask = 0xff00,
	 .left = 0x112233445566bb88},
	{.id = "a_masked_bit_differs",
	 .must = &RDMAPX_5_1_2_03,
	 .old = 0x1122334455667788,
	 .compare = 0x89,
	 .cmask = 0xff,
	 .swap = 0x99aabbccddeeff00,
	 .smask = ~0ull,
	 .left = 0x1122334455667788},
	{.id = "compare_mask_zero",
	 .must = &RDMAPX_5_1_2_04,
	 .old = 0x1122334455667788,
	 .compare = 0x0f0f0f0f0f0f0f0f,
	 .cmask = 0,
	 .swap = 0x5555555555555555,
	 .smask = ~0ull,
	 .left = 0x5555555555555555},
	{.id = "swap_mask_zero",
	 .must = &RDMAPX_5_1_2_05,
	 .old = 0x1122334455667788,
	 .compare = 0x1122334455667788,
	 .cmask = ~0ull,
	 .swap = 0x5555555555555555,
	 .smask = 0,
	 .left = 0x1122334455667788},
	{.id = "lower_half_swapped",
	 .must = &RDMAPX_5_1_2_06,
	 .old = 0x1122334455667788,
	 .compare = 0x1122334455667788,
	 .cmask = ~0ull,
	 .swap = 0xaaaaaaaabbbbbbbb,
	 .smask = 0x00000000ffffffff,
	 .left = 0x11223344bbbbbbbb},
	{.id = "compare_data_outside_its_mask",
	 .must = &RDMAPX_5_1_2_07,
	 .old = 0x1122334455667788,
	 .compare = 0xdeadbeef55667788,
	 .cmask = 0x00000000ffffffff,
	 .swap = 0x123456789abcdef0,
	 .smask = ~0ull,
	 .left = 0x123456789abcdef0},
};

CASE_EACH(masks_choose_the_bits, struct swap, masks,
	  .title = "CmpSwap compares the bits of its Compare Mask and writes "
		   "the bits of its Swap Mask",
	  .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER)
{
	/* Given a word in the device's memory, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, row->old);
	connects(t, .crc = true);

	/* when the peer compares and swaps some bits of it, */
	peer_sends(t, CMPSWAP_MASKED(region, 0, row->compare, row->cmask,
				     row->swap, row->smask));

	/* then it has the right value, and the Response has the original
	 * one. */
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_08,
	     is("the original value", case_atomic_response_of(f).value,
		row->old));
	must_row(t, row, word_is(region, 0, row->left));
}

struct mask {
	CASE_ROW;
	uint64_t mask;
};

static const struct mask bits[] = {{.id = "bit_0", .mask = 1}};

CASE_EACH(bits_outside_the_compare_mask_do_not_count, struct mask, bits,
	  .title = "CmpSwap swaps if only bits outside the Compare Mask differ",
	  .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER,
	  .along = {ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK, 1, 9),
		    ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK,
			  0x7fffffff, 0x100000001),
		    ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK,
			  1ull << 62, UINT64_MAX)})
{
	/* Given a word in the device's memory, */
	const uint64_t old = 0x1122334455667788;
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, old);
	connects(t);

	/* when the peer compares it with a value that is equal only under the
	 * mask, then it is swapped. */
	peer_sends(t, CMPSWAP_MASKED(region, 0, old ^ ~row->mask, row->mask,
				     ~old, ~0ull));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_07, word_is(region, 0, ~old));
}

CASE_EACH(each_bit_of_the_compare_mask_counts, struct mask, bits,
	  .title = "CmpSwap swaps nothing if the highest bit of its Compare "
		   "Mask differs",
	  .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER,
	  .along = {ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK, 1, 9),
		    ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK,
			  0x7fffffff, 0x100000001),
		    ALONG(struct mask, mask, PEER_ATOMIC_COMPARE_MASK,
			  1ull << 62, UINT64_MAX)})
{
	/* Given a word in the device's memory, */
	const uint64_t old = 0x1122334455667788;
	uint64_t highest = 1ull << (63 - __builtin_clzll(row->mask));
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, old);
	connects(t);

	/* when the peer compares it with one that differs in that bit, then it
	 * is unchanged. */
	peer_sends(t, CMPSWAP_MASKED(region, 0, old ^ highest, row->mask, ~old,
				     ~0ull));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	if (row->mask == UINT64_MAX)
		must(t, RDMAPX_5_1_2_02, word_is(region, 0, old));
	else
		must(t, RDMAPX_5_1_2_03, word_is(region, 0, old));
}

CASE_EACH(bits_of_the_swap_mask_are_written, struct mask, bits,
	  .title = "CmpSwap writes the bits of its Swap Mask, and no others",
	  .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER,
	  .along = {ALONG(struct mask, mask, PEER_ATOMIC_MASK, 1, 9),
		    ALONG(struct mask, mask, PEER_ATOMIC_MASK, 0x7fffffff,
			  0x100000001),
		    ALONG(struct mask, mask, PEER_ATOMIC_MASK, 1ull << 62,
			  UINT64_MAX)})
{
	/* Given a word in the device's memory, */
	const uint64_t old = 0x1122334455667788;
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, old);
	connects(t);

	/* when the peer swaps some bits for their opposite, then only these
	 * have changed. */
	peer_sends(t, CMPSWAP_MASKED(region, 0, old, ~0ull, ~old, row->mask));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_06, word_is(region, 0, old ^ row->mask));
}

CASE(a_word_is_compared_in_memory_order,
     .title = "CmpSwap compares and stores the word in the host's octet "
	      "order, and returns it in network order",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given a word that the device's CPU reads as 0102030405060708, */
	static const uint8_t network[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x0102030405060708);
	connects(t, .crc = true);

	/* when the peer names that number, and one to put there, */
	peer_sends(t,
		   CMPSWAP(region, 0, 0x0102030405060708, 0x1112131415161718));

	/* then the Response has the number's octets, highest first, and the
	 * CPU reads the new one. */
	const struct frame *f =
		awaits(t, RDMAPX_5_1_2_09, RDMAP_ATOMIC_RESPONSE);
	insists(t, RDMAPX_5_2_2_01,
		is("payload octets", f->seg.payload_octets, 12));
	uint64_t was = case_atomic_response_of(f).value;
	insists(t, RDMAPX_5_1_2_08,
		any_of(t, is("the original value", was, 0x0102030405060708),
		       is("the same in reverse", was, 0x0807060504030201)));
	must(t, RDMAPX_5_1_2_09,
	     octets_are(t, "the original value's octets", f->seg.payload + 4, 8,
			network, 8));
	must(t, RDMAPX_5_1_2_09, word_is(region, 0, 0x1112131415161718));
}

CASE(the_word_at_the_to_is_swapped,
     .title = "CmpSwap changes the eight octets at its Remote TO and no "
	      "others",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given three equal words, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x2222222222222222);
	dut_sets_word(t, region, 8, 0x2222222222222222);
	dut_sets_word(t, region, 16, 0x2222222222222222);
	connects(t, .crc = true);

	/* when the peer swaps the second, */
	peer_sends(t, CMPSWAP(region, 8, 0x2222222222222222, 7));
	awaits(t, RDMAPX_5_1_2_01, RDMAP_ATOMIC_RESPONSE);

	/* then the second has changed, and its neighbours have not. */
	must(t, RDMAPX_5_1_2_01, word_is(region, 8, 7));
	must(t, RDMAPX_5_1_2_01, word_is(region, 0, 0x2222222222222222));
	must(t, RDMAPX_5_1_2_01, word_is(region, 16, 0x2222222222222222));
}

/* Words that are the same from either end. */
static const struct swap second[] = {
	{.id = "after_a_swap",
	 .must = &RDMAPX_5_1_2_01,
	 .compare = 0x0500000000000005,
	 .left = 0x0900000000000009},
	{.id = "after_a_mismatch",
	 .must = &RDMAPX_5_1_2_02,
	 .compare = 6,
	 .left = 0x0500000000000005},
};

CASE_EACH(what_a_swap_left_is_returned_next, struct swap, second,
	  .title = "a second CmpSwap returns the value that the first one left",
	  .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given a word, and a CmpSwap that was answered, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x0500000000000005);
	connects(t, .crc = true);
	peer_sends(t, CMPSWAP(region, 0, row->compare, 0x0900000000000009));
	awaits(t, RDMAPX_5_1_2_08, RDMAP_ATOMIC_RESPONSE);
	const uint8_t end = row->left & 0xff;
	const uint8_t left[] = {end, 0, 0, 0, 0, 0, 0, end};
	insists_row(t, row,
		    octets_are(t, "the word", dut_memory(t, region, 0, 8), 8,
			       left, 8));

	/* when the peer looks again, */
	peer_sends(t, CMPSWAP(region, 0, 0x7777, 0x8888));

	/* then it sees the result of the first. */
	const struct frame *f =
		awaits(t, RDMAPX_5_1_2_08, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_2_08,
	     is("the original value", case_atomic_response_of(f).value,
		row->left));
}
