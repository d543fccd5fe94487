/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5.1.1: FetchAdd, its effect on memory and its result. */
#include "case.h"

struct sum {
	CASE_ROW;
	uint64_t old, add, mask, sum;
};

static const struct sum whole_words[] = {
	{.id = "carry_into_the_upper_half",
	 .must = &RDMAPX_5_1_1_01,
	 .old = 0x00000000ffffffff,
	 .add = 1,
	 .sum = 0x0000000100000000},
	{.id = "carry_out_of_bit_63",
	 .must = &RDMAPX_5_1_1_02,
	 .old = 0xffffffffffffffff,
	 .add = 1,
	 .sum = 0},
	{.id = "carry_through_every_octet",
	 .must = &RDMAPX_5_1_1_01,
	 .old = 0x0123456789abcdef,
	 .add = 0xfedcba9876543211,
	 .sum = 0},
	{.id = "a_negative_addend",
	 .must = &RDMAPX_5_1_1_01,
	 .old = 0x0000000100000000,
	 .add = 0xffffffffffffffff,
	 .sum = 0x00000000ffffffff},
};

CASE_EACH(a_word_is_added_to_in_64_bits, struct sum, whole_words,
	  .title = "FetchAdd with Add Mask zero adds 64 bits wide and returns "
		   "the original value",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word in the device's memory, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 8, row->old);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 8, row->add, row->mask));

	/* then it holds the sum, and the Response has the old value. */
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_1_09,
	     is("the original value", case_atomic_response_of(f).value,
		row->old));
	must_row(t, row, word_is(region, 8, row->sum));
}

static const struct sum fields[] = {
	{.id = "no_carry_past_a_mask_bit",
	 .must = &RDMAPX_5_1_1_03,
	 .old = 0x00000000ffffffff,
	 .add = 1,
	 .mask = 0x0000000080000000,
	 .sum = 0x0000000000000000},
	{.id = "no_carry_past_bit_7",
	 .must = &RDMAPX_5_1_1_03,
	 .old = 0x00000000000000ff,
	 .add = 1,
	 .mask = 0x0000000000000080,
	 .sum = 0x0000000000000000},
	{.id = "four_fields",
	 .must = &RDMAPX_5_1_1_04,
	 .old = 0x00ff00ff00ff00ff,
	 .add = 0x0001000100010001,
	 .mask = 0x8000800080008000,
	 .sum = 0x0100010001000100},
	{.id = "four_carries_into_a_mask_bit",
	 .must = &RDMAPX_5_1_1_04,
	 .old = 0x7fff7fff7fff7fff,
	 .add = 0x0001000100010001,
	 .mask = 0x8000800080008000,
	 .sum = 0x8000800080008000},
	{.id = "each_field_drops_its_own_carry",
	 .must = &RDMAPX_5_1_1_05,
	 .old = 0xffff0000ffff0000,
	 .add = 0x0001000100010001,
	 .mask = 0x8000800080008000,
	 .sum = 0x0000000100000001},
	{.id = "carries_into_and_out_of_mask_bits",
	 .must = &RDMAPX_5_1_1_05,
	 .old = 0x7fffffff7fffffff,
	 .add = 0x0001000100010001,
	 .mask = 0x8000800080008000,
	 .sum = 0x8000000080000000},
	{.id = "all_ones_is_exclusive_or",
	 .must = &RDMAPX_5_1_1_06,
	 .old = 0xf0f0a5a5c3c3ffff,
	 .add = 0xff00ff00aa55ffff,
	 .mask = 0xffffffffffffffff,
	 .sum = 0x0ff05aa569960000},
	{.id = "bit_63_alone_is_no_field",
	 .must = &RDMAPX_5_1_1_07,
	 .old = 0xffffffffffffffff,
	 .add = 2,
	 .mask = 0x8000000000000000,
	 .sum = 1},
	{.id = "fields_of_8_13_and_43_bits",
	 .must = &RDMAPX_5_1_1_08,
	 .old = 0x511268c017bffff5,
	 .add = 0x73e39a95d30e93cd,
	 .mask = 0x8000000000100080,
	 .sum = 0xc4f60355eaae92c2},
	{.id = "the_same_fields_once_more",
	 .must = &RDMAPX_5_1_1_08,
	 .old = 0xd1f655f11fd7fe32,
	 .add = 0x5c395e833b1f6503,
	 .mask = 0x8000000000100080,
	 .sum = 0x2e2fb4745ad76335},
	{.id = "fields_of_any_width",
	 .must = &RDMAPX_5_1_1_08,
	 .old = 0xcf22b1f000de51ad,
	 .add = 0xf4b26170426fac23,
	 .mask = 0xae1dfb1a3d587568,
	 .sum = 0xbbd4d14042bdfd80},
};

CASE_EACH(fields_are_added_to_apart, struct sum, fields,
	  .title = "FetchAdd adds to each field of its Add Mask separately, "
		   "and drops the carry out of a field",
	  .needs = NEED_FETCHADD | NEED_MASKED_ATOMICS, .role = EITHER)
{
	/* Given a word in the device's memory, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, row->old);
	connects(t, .crc = true);

	/* when the peer adds to fields of it, */
	peer_sends(t, FETCHADD(region, 0, row->add, row->mask));

	/* then it holds the sums, and the Response has the old value. */
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_1_09,
	     is("the original value", case_atomic_response_of(f).value,
		row->old));
	must_row(t, row, word_is(region, 0, row->sum));
}

struct mask {
	CASE_ROW;
	uint64_t mask;
};

static const struct mask masks[] = {{.id = "bit_0", .mask = 1}};

CASE_EACH(a_carry_stops_at_the_lowest_mask_bit, struct mask, masks,
	  .title = "FetchAdd of one to a lowest field of ones clears it, "
		   "and carries nothing out of it",
	  .needs = NEED_FETCHADD | NEED_MASKED_ATOMICS, .role = EITHER,
	  .along = {ALONG(struct mask, mask, PEER_ATOMIC_MASK, 1, 9),
		    ALONG(struct mask, mask, PEER_ATOMIC_MASK, 0x7fffffff,
			  0x100000001),
		    ALONG(struct mask, mask, PEER_ATOMIC_MASK, 1ull << 62,
			  INT64_MAX)})
{
	/* Given a word of ones, up to the lowest bit of a mask, */
	uint64_t lowest = row->mask & -row->mask;
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, lowest | (lowest - 1));
	connects(t);

	/* when the peer adds one to its lowest field, */
	peer_sends(t, FETCHADD(region, 0, 1, row->mask));

	/* then that is zero, and so is the rest. */
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_1_03, word_is(region, 0, 0));
}

struct number {
	CASE_ROW;
	uint64_t add;
};

static const struct number numbers[] = {{.id = "1", .add = 1}};

CASE_EACH(any_number_is_added, struct number, numbers,
	  .title = "FetchAdd with Add Mask zero adds a number of 64 bits",
	  .needs = NEED_FETCHADD, .role = EITHER,
	  .along = {ALONG(struct number, add, PEER_ATOMIC_DATA, 1, 9),
		    ALONG(struct number, add, PEER_ATOMIC_DATA, 0x7fffffff,
			  0x100000001),
		    ALONG(struct number, add, PEER_ATOMIC_DATA, 1ull << 62,
			  UINT64_MAX)})
{
	/* Given a word, */
	const uint64_t old = 0x89abcdef01234567;
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, old);
	connects(t);

	/* when the peer adds this to it, then it holds the sum. */
	peer_sends(t, FETCHADD(region, 0, row->add, 0));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_1_01, word_is(region, 0, old + row->add));
}

CASE(zero_may_be_added_to_look,
     .title = "FetchAdd of zero returns the value and changes nothing",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word in the device's memory, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x8899aabbccddeeff);
	connects(t, .crc = true);

	/* when the peer adds zero to it, */
	peer_sends(t, FETCHADD(region, 0, 0, 0));

	/* then it learns the value, which stays. */
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_RESPONSE);
	may(t, RDMAPX_1_1_01,
	    is("the original value", case_atomic_response_of(f).value,
	       0x8899aabbccddeeff));
	must(t, RDMAPX_5_1_1_09,
	     is("the original value", case_atomic_response_of(f).value,
		0x8899aabbccddeeff));
	must(t, RDMAPX_5_1_1_01, memory_unchanged(region));
}

CASE(a_word_is_added_to_in_memory_order,
     .title = "FetchAdd works on the word in the host's octet order, and "
	      "returns it in network order",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word that the device's CPU reads as 0102030405060708, */
	static const uint8_t network[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x0102030405060708);
	connects(t, .crc = true);

	/* when the peer adds one, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then the Response has the number's octets, highest first, and the
	 * CPU reads the next number. */
	const struct frame *f =
		awaits(t, RDMAPX_5_1_1_10, RDMAP_ATOMIC_RESPONSE);
	insists(t, RDMAPX_5_2_2_01,
		is("payload octets", f->seg.payload_octets, 12));
	uint64_t was = case_atomic_response_of(f).value;
	insists(t, RDMAPX_5_1_1_09,
		any_of(t, is("the original value", was, 0x0102030405060708),
		       is("the same in reverse", was, 0x0807060504030201)));
	must(t, RDMAPX_5_1_1_10,
	     octets_are(t, "the original value's octets", f->seg.payload + 4, 8,
			network, 8));
	must(t, RDMAPX_5_1_1_10, word_is(region, 0, 0x0102030405060709));
}

CASE(the_word_at_the_to_is_meant,
     .title = "FetchAdd changes the eight octets at its Remote TO and no "
	      "others",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given three words, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x1111111111111111);
	dut_sets_word(t, region, 8, 0x2222222222222222);
	dut_sets_word(t, region, 16, 0x3333333333333333);
	connects(t, .crc = true);

	/* when the peer adds to the second, */
	peer_sends(t, FETCHADD(region, 8, 1, 0));
	awaits(t, RDMAPX_5_06, RDMAP_ATOMIC_RESPONSE);

	/* then the second has changed, and its neighbours have not. */
	must(t, RDMAPX_5_06, word_is(region, 8, 0x2222222222222223));
	must(t, RDMAPX_5_06, word_is(region, 0, 0x1111111111111111));
	must(t, RDMAPX_5_06, word_is(region, 16, 0x3333333333333333));
}

CASE(a_write_between_two_additions_is_kept,
     .title = "a Write to the words around one, between two additions to it, "
	      "is still there after the second",
     .needs = NEED_FETCHADD | NEED_WRITE, .role = EITHER)
{
	/* Given eight words, of which the peer has added to the fourth, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_ATOMICS | FOR_WRITES);
	connects(t, .crc = true);
	peer_sends(t, FETCHADD(region, 24, 1, 0));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);

	/* when it writes to those before and behind it, and adds again, */
	peer_sends(t, WRITE(region, 0, pattern(t, 24, 1), 24));
	peer_sends(t, WRITE(region, 32, pattern(t, 32, 2), 32));
	peer_sends(t, FETCHADD(region, 24, 1, 0));
	awaits_given(t, RDMAP_ATOMIC_RESPONSE);

	/* then the addition has changed no octet but those of its word. */
	must(t, RDMAPX_5_06, word_is(region, 24, 2));
	must(t, RDMAPX_5_06, memory_is(region, 0, pattern(t, 24, 1), 24));
	must(t, RDMAPX_5_06, memory_is(region, 32, pattern(t, 32, 2), 32));
}

CASE(the_last_word_of_a_buffer_is_inside,
     .title = "FetchAdd on the last eight octets of a buffer is served",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a buffer of eight words, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to the last, */
	peer_sends(t, FETCHADD(region, 56, 0x0500000000000005, 0));

	/* then it is served. */
	awaits(t, RDMAPX_5_2_1_14, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_06, word_is(region, 56, 0x0500000000000005));
}

static const struct sum compares[] = {
	{.id = "zero", .add = 0, .mask = 0},
	{.id = "a_mismatch", .add = 0x5555555555555555, .mask = ~0ull},
	{.id = "some_bits",
	 .add = 0x0123456789abcdef,
	 .mask = 0xffff00000000ffff},
};

CASE_EACH(compare_fields_are_ignored, struct sum, compares,
	  .title = "FetchAdd is performed whatever its Compare Data and "
		   "Compare Mask are",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x1000000000000010);
	connects(t, .crc = true);

	/* when the peer adds to it, with octets in the compare fields, */
	struct msg add = FETCHADD(region, 0, 0x0700000000000007, 0);
	add.atomic.compare = row->add;
	add.atomic.compare_mask = row->mask;
	if (row->add)
		peer_breaks(t, RDMAPX_5_2_1_17);
	if (row->mask != ~0ull)
		peer_breaks(t, RDMAPX_5_2_1_18);
	peer_sends(t, add);

	/* then it is added to like any other. */
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_29, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_1_1_09,
	     is("the original value", case_atomic_response_of(f).value,
		0x1000000000000010));
	must(t, RDMAPX_5_2_1_29, word_is(region, 0, 0x1700000000000017));
}
