/* SPDX-License-Identifier: BSD-2-Clause */
/* draft-ietf-storm-rdmap-ext-03 and -01: Swap, and the other differences of
 * those drafts from RFC 7306. */
#include "case.h"

#define STAG 0x00001234u
#define TO   0x0000000000001000ull

static uint64_t value_of(const struct frame *f)
{
	return case_atomic_response_of(f).value;
}

CASE(a_swap_is_unconditional,
     .title = "Swap stores its Swap Data and returns the original value",
     .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given three words, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 8, 0x0123456789abcdef);
	connects(t, .crc = true);

	/* when the peer swaps the second, */
	peer_sends(t, SWAP(region, 8, 0xfedcba9876543210));

	/* then it holds the new value, and the Response the old. */
	const struct frame *f =
		awaits(t, RDMAPX03_5_1_2_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX03_5_1_2_01,
	     is("the original value", value_of(f), 0x0123456789abcdef));
	must(t, RDMAPX03_5_1_2_01, word_is(region, 8, 0xfedcba9876543210));
	must(t, RDMAPX03_5_1_2_01, word_is(region, 0, 0));
	must(t, RDMAPX03_5_1_2_01, word_is(region, 16, 0));
}

struct unused {
	CASE_ROW;
	uint64_t mask, compare, compare_mask;
};

static const struct unused fields[] = {
	{.id = "all_zero", .mask = 0, .compare = 0, .compare_mask = 0},
	{.id = "a_mismatch",
	 .mask = ~0ull,
	 .compare = 0x7777777777777777,
	 .compare_mask = ~0ull},
	{.id = "some_bits",
	 .mask = 0x0f0f0f0f0f0f0f0f,
	 .compare = 0x123456789abcdef0,
	 .compare_mask = 0x00ff00ff00ff00ff},
};

CASE_EACH(masks_and_compare_data_are_ignored, struct unused, fields,
	  .title = "Swap writes all 64 bits whatever its masks and its Compare "
		   "Data are",
	  .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x1111111111111111);
	connects(t, .crc = true);

	/* that a Swap has replaced which would do so too if it had masks and
	 * compared, */
	struct msg alike = SWAP(region, 0, 0x2222222222222222);
	alike.atomic.mask = alike.atomic.compare_mask = ~0ull;
	alike.atomic.compare = 0x1111111111111111;
	peer_breaks(t, RDMAPX03_5_2_1_04);
	peer_sends(t, alike);
	awaits(t, RDMAPX03_5_1_2_01, RDMAP_ATOMIC_RESPONSE);
	insists(t, RDMAPX03_5_1_2_01, word_is(region, 0, 0x2222222222222222));

	/* when a Swap has these in the fields it does not use, */
	struct msg swap = SWAP(region, 0, 0xfedcba9876543210);
	swap.atomic.mask = row->mask;
	swap.atomic.compare = row->compare;
	swap.atomic.compare_mask = row->compare_mask;
	peer_sends(t, swap);

	/* then it swaps like any other. */
	awaits(t, RDMAPX03_5_2_1_03, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX03_5_2_1_03, word_is(region, 0, 0xfedcba9876543210));
}

CASE(an_unaligned_swap_is_refused,
     .title = "a Swap whose target is not aligned changes nothing and gets "
	      "Terminate 0/2/07",
     .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given two words, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "0123456789abcdef", 16);
	connects(t, .crc = true);

	/* when the peer swaps across their edge, */
	peer_sends(t, SWAP(region, 4, 1));

	/* then no Response comes but a Terminate, and nothing has changed. */
	must(t, RDMAPX03_5_1_2_03, ends_unanswered());
	must(t, RDMAPX03_5_1_2_03, terminate(TERM_RDMA, 2, 0x07));
	must(t, RDMAPX03_5_1_2_03, memory_unchanged(region));
}

struct id_row {
	CASE_ROW;
	uint32_t number;
};

static const struct id_row identifiers[] = {
	{.id = "zero", .number = 0},
	{.id = "top_bit", .number = 0x80000000},
	{.id = "all_ones", .number = 0xffffffff},
};

CASE_EACH(the_identifier_is_echoed, struct id_row, identifiers,
	  .title = "the Request Identifier of a Swap is echoed in its Response",
	  .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when a Swap has this identifier, */
	struct msg swap = SWAP(region, 0, 1);
	swap.atomic.id = row->number;
	peer_sends(t, swap);

	/* then its Response has it, too. */
	const struct frame *f =
		awaits(t, RDMAPX03_5_2_2_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX03_5_2_2_01,
	     is("the identifier", case_atomic_response_of(f).id, row->number));
}

CASE(two_swaps_are_answered_in_order,
     .title = "two Swaps of one word are answered in the order asked",
     .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_has_depths(t, 2, 0);
	connects(t, .crc = true);

	/* when two Swaps arrive in one burst, */
	struct msg swap = SWAP(region, 0, 0x22);
	swap.atomic.id = 1;
	peer_sends(t, swap, .hold = true);
	swap.atomic.id = 2;
	peer_sends(t, swap);

	/* then the Responses have their order. */
	const struct frame *f = awaits(t, RDMAPX03_7_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX03_7_01,
	     is("the identifier", case_atomic_response_of(f).id, 1));
	f = awaits(t, RDMAPX03_7_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX03_7_01,
	     is("the identifier", case_atomic_response_of(f).id, 2));
}

CASE(the_device_fills_a_swap_in,
     .title =
	     "a Swap of the device has AOpCode 1, reserved bits zero, the mask "
	     "all ones, Compare Data zero and Compare Mask all ones",
     .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a stream, */
	static const uint8_t code[] = {0, 0, 0, 1};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device swaps a word of the peer, */
	unsigned id = dut_posts(
		t, POST_SWAP(region, 0, STAG, TO, 0x1112131415161718));

	/* then the fields are as the draft has them, */
	const struct frame *f =
		awaits(t, RDMAPX03_5_2_1_01, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAPX03_5_2_1_01,
	     is("payload octets", f->seg.payload_octets, 52));
	must(t, RDMAPX03_5_2_1_01,
	     octets_are(t, "reserved bits and AOpCode", f->seg.payload, 4, code,
			4));
	must(t, RDMAPX03_5_2_1_04,
	     is("Swap Data", case_atomic_of(f).data, 0x1112131415161718));
	must(t, RDMAPX03_5_2_1_04,
	     is("Swap Mask", case_atomic_of(f).mask, ~0ull));
	must(t, RDMAPX03_5_2_1_04,
	     is("Compare Data", case_atomic_of(f).compare, 0));
	must(t, RDMAPX03_5_2_1_04,
	     is("Compare Mask", case_atomic_of(f).compare_mask, ~0ull));

	/* and the answer completes it. */
	peer_sends(t, ATOMIC_RESPONSE(f, 7));
	must(t, RDMAPX03_5_2_1_01, completed_with_value(id, 7));
}

struct code {
	CASE_ROW;
	uint8_t aopcode;
};

static const struct code meaningless[] = {
	{.id = "3", .aopcode = 3},
	{.id = "4", .aopcode = 4},
	{.id = "9", .aopcode = 9},
	{.id = "15", .aopcode = 15},
};

CASE_EACH(aopcodes_without_a_meaning, struct code, meaningless,
	  .title = "the reaction to an AOpCode without a meaning in the draft "
		   "is recorded",
	  .needs = NEED_ATOMICS, .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer asks for it, */
	struct msg atomic = FETCHADD(region, 0, 1, 0);
	atomic.atomic.aopcode = row->aopcode;
	peer_breaks(t, RDMAPX_5_2_1_04);
	peer_sends(t, atomic);

	/* then an error is likely, but the RFCs do not require it. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAPX03_5_2_1_02, "%s",
		f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE
			? "it is answered"
			: how_it_ended(t));
}

CASE(atomics_are_optional,
     .title = "a device of the draft performs an atomic or refuses it",
     .role = EITHER, .spec = SPEC_DRAFT_03)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it is served, or the stream ends. */
	const struct frame *f = next_frame(t);
	may(t, RDMAPX03_5_01,
	    any_of(t,
		   holds("an Atomic Response comes",
			 f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE),
		   terminate_any()));
}

/* --- draft-ietf-storm-rdmap-ext-01 ----------------------------------------- */

CASE(a_swap_of_the_first_draft,
     .title = "the Swap of the first draft replaces the word and returns the "
	      "original value",
     .needs = NEED_SWAP, .role = EITHER, .spec = SPEC_DRAFT_01)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x0123456789abcdef);
	connects(t, .crc = true);

	/* when the peer swaps it, */
	peer_sends(t, SWAP(region, 0, 0xfedcba9876543210));

	/* then it holds the new value, and the Response the old. */
	const struct frame *f =
		awaits(t, RDMAPX01_5_1_2_01, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX01_5_1_2_01,
	     is("the original value", value_of(f), 0x0123456789abcdef));
	must(t, RDMAPX01_5_1_2_01, word_is(region, 0, 0xfedcba9876543210));
}

CASE(a_target_has_to_be_naturally_aligned,
     .title = "an atomic on a target that is not naturally aligned changes "
	      "nothing and gets Terminate 0/2/07",
     .needs = NEED_FETCHADD, .role = EITHER, .spec = SPEC_DRAFT_01)
{
	/* Given two words, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "0123456789abcdef", 16);
	connects(t, .crc = true);

	/* when the peer adds across their edge, */
	peer_sends(t, FETCHADD(region, 4, 1, 0));

	/* then no Response comes but a Terminate, and nothing has changed. */
	must(t, RDMAPX01_5_1_1_01, ends_unanswered());
	must(t, RDMAPX01_5_1_1_01, terminate(TERM_RDMA, 2, 0x07));
	must(t, RDMAPX01_5_1_1_01, memory_unchanged(region));
}

CASE(the_queue_of_immediate_data_with_se,
     .title = "the queue on which the device sends Immediate Data with SE is "
	      "recorded",
     .needs = NEED_IMM_SE, .role = EITHER, .spec = SPEC_DRAFT_01)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the device sends Immediate Data with SE, */
	dut_posts(t, POST_IMM("12345678", .se = true));

	/* then it is on queue 0, or on the queue in the draft's table. */
	const struct frame *f = next_frame(t);
	if (!f || f->seg.ddp.tagged)
		not_applicable(t, "no untagged message came");
	observe(t, RDMAPX01_4_1_01, "QN %u", f->seg.ddp.qn);
}

CASE(the_queue_of_atomic_responses,
     .title =
	     "the queue on which the device sends Atomic Responses is recorded",
     .needs = NEED_FETCHADD, .role = EITHER, .spec = SPEC_DRAFT_01)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then the Response is on queue 3, or on the queue in the draft's
	 * table. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAPX01_4_1_02, "QN %u", f ? f->seg.ddp.qn : 0);
}
