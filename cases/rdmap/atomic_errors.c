/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5.1, s5.2.1, s8: atomic operations that are refused. */
#include "case.h"

struct place {
	CASE_ROW;
	size_t off;
};

static const struct place unaligned[] = {
	{.id = "base_1", .off = 1}, {.id = "base_2", .off = 2},
	{.id = "base_3", .off = 3}, {.id = "base_4", .off = 4},
	{.id = "base_5", .off = 5}, {.id = "base_6", .off = 6},
	{.id = "base_7", .off = 7},
};

CASE_EACH(an_unaligned_fetchadd_is_refused, struct place, unaligned,
	  .title = "a FetchAdd whose target is not 64-bit aligned changes "
		   "nothing and gets Terminate 0/2/07",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given two words, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "0123456789abcdef", 16);
	connects(t, .crc = true);

	/* when the peer adds across a word's edge, */
	peer_sends(t, FETCHADD(region, row->off, 1, 0));

	/* then no Response comes but a Terminate, and nothing has changed. */
	must(t, RDMAPX_5_1_1_11, ends_unanswered());
	must(t, RDMAPX_5_1_1_11, terminate(TERM_RDMA, 2, 0x07));
	must(t, RDMAPX_5_1_1_13, memory_unchanged(region));
}

CASE_EACH(an_unaligned_cmpswap_is_refused, struct place, unaligned,
	  .title = "a CmpSwap that would match, but whose target is not 64-bit "
		   "aligned, changes nothing and gets Terminate 0/2/07",
	  .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given two words that are equal wherever one looks, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "zzzzzzzzzzzzzzzz", 16);
	connects(t, .crc = true);

	/* when the peer compares and swaps across a word's edge, */
	peer_sends(t, CMPSWAP(region, row->off, 0x7a7a7a7a7a7a7a7a, 1));

	/* then no Response comes but a Terminate, and nothing has changed. */
	must(t, RDMAPX_5_1_2_10, ends_unanswered());
	must(t, RDMAPX_5_1_2_12, terminate(TERM_RDMA, 2, 0x07));
	must(t, RDMAPX_5_1_2_11, memory_unchanged(region));
}

CASE(an_unaligned_cmpswap_is_refused_unmatched,
     .title = "a CmpSwap on an unaligned target is refused even if it would "
	      "not match",
     .needs = NEED_CMPSWAP, .role = EITHER)
{
	/* Given two words, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "0123456789abcdef", 16);
	connects(t, .crc = true);

	/* when the peer compares across their edge with memory that does not
	 * exist, */
	peer_sends(t, CMPSWAP(region, 4, 0x7777777777777777, 1));

	/* then no Response comes but a Terminate. */
	must(t, RDMAPX_5_1_2_13, ends_unanswered());
	must(t, RDMAPX_5_1_2_13, terminate(TERM_RDMA, 2, 0x07));
}

CASE(the_terminate_names_the_unaligned_request,
     .title = "the Terminate for an unaligned atomic returns the DDP header "
	      "of the Request and no RDMA header",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, and a FetchAdd that was served, */
	static const uint8_t due[] = {0x41, 0x4a, 0, 0, 0, 0, 0, 0, 0,
				      1,    0,    0, 0, 3, 0, 0, 0, 0};
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	connects(t, .crc = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);

	/* when the third message of queue 1 is unaligned, */
	peer_sends(t, FETCHADD(region, 4, 1, 0));

	/* then the Terminate returns its header and length. */
	must(t, RDMAPX_5_1_1_11, terminate(TERM_RDMA, 2, 0x07));
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAPX_8_2_04, is("D", term.d, 1));
	should(t, RDMAPX_8_2_04, is("R", term.r, 0));
	must(t, RDMAP_4_8_15,
	     octets_are(t, "the header, where D is set",
			term.d ? term.ddp_header : due,
			term.d ? term.ddp_header_octets : sizeof(due), due,
			sizeof(due)));
	must(t, RDMAP_4_8_12,
	     is("DDP Segment Length, where M is set",
		term.m ? term.segment_length : 70, 70));
}

/* --- alignment is of the address --------------------------------------- */

CASE(the_address_is_aligned_where_the_to_is_not,
     .title = "an atomic is served at an aligned address whose zero-based TO "
	      "is not a multiple of eight",
     .needs = NEED_FETCHADD | NEED_ZERO_BASED, .role = EITHER)
{
	/* Given a zero-based buffer that begins at an address 4 modulo 8, */
	struct region region = dut_registers(t, .len = 32, .zero_based = true,
					     .skew = 4, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 4, 0x0500000000000005);
	connects(t, .crc = true);

	/* when the peer adds at TO 4, */
	peer_sends(t, FETCHADD(region, 4, 0x0400000000000004, 0));

	/* then it is served. */
	awaits(t, RDMAPX_5_1_1_12, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_06, word_is(region, 4, 0x0900000000000009));
}

CASE(the_address_is_unaligned_where_the_to_is_not,
     .title = "an atomic is refused at an unaligned address whose zero-based "
	      "TO is a multiple of eight",
     .needs = NEED_FETCHADD | NEED_ZERO_BASED, .role = EITHER)
{
	/* Given a zero-based buffer that begins at an address 4 modulo 8, */
	struct region region = dut_registers(t, .len = 32, .zero_based = true,
					     .skew = 4, .access = FOR_ATOMICS);
	dut_fills(t, region, 0, "0123456789abcdef", 16);
	connects(t, .crc = true);

	/* when the peer adds at TO 0, */
	peer_sends(t, FETCHADD(region, 0, 4, 0));

	/* then it is refused like any unaligned one. */
	must(t, RDMAPX_5_1_1_12, ends_unanswered());
	must(t, RDMAPX_5_1_1_12, terminate(TERM_RDMA, 2, 0x07));
	must(t, RDMAPX_5_1_1_13, memory_unchanged(region));
}

CASE(any_to_will_do_at_an_aligned_address,
     .title = "an atomic may name any TO, even an odd one, if the address is "
	      "aligned",
     .needs = NEED_FETCHADD | NEED_ZERO_BASED, .role = EITHER)
{
	/* Given a zero-based buffer that begins at an address 1 modulo 8, */
	struct region region = dut_registers(t, .len = 32, .zero_based = true,
					     .skew = 1, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds at TO 7, */
	peer_sends(t, FETCHADD(region, 7, 0x0900000000000009, 0));

	/* then it is served: TO 7 is eight octets from an aligned one. */
	const struct frame *f = next_frame(t);
	may(t, RDMAPX_5_2_1_16,
	    holds_of(f, "an Atomic Response comes",
		     f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE, NULL));
	insists(t, RDMAPX_5_1_1_12,
		holds_of(f, "the atomic is not refused",
			 f && f->seg.ddp.opcode != RDMAP_TERMINATE, NULL));
	must(t, RDMAPX_5_06, memory_is(region, 7, "\11\0\0\0\0\0\0\11", 8));
}

/* --- AOpCodes ------------------------------------------------------------ */

struct code {
	CASE_ROW;
	uint8_t aopcode;
};

static const struct code unassigned[] = {
	{.id = "3", .must = &RDMAPX_5_2_1_08, .aopcode = 3},
	{.id = "4", .must = &RDMAPX_5_2_1_09, .aopcode = 4},
	{.id = "5", .must = &RDMAPX_5_2_1_09, .aopcode = 5},
	{.id = "6", .must = &RDMAPX_5_2_1_09, .aopcode = 6},
	{.id = "7", .must = &RDMAPX_5_2_1_09, .aopcode = 7},
	{.id = "8", .must = &RDMAPX_5_2_1_09, .aopcode = 8},
	{.id = "9", .must = &RDMAPX_5_2_1_09, .aopcode = 9},
	{.id = "10", .must = &RDMAPX_5_2_1_09, .aopcode = 10},
	{.id = "11", .must = &RDMAPX_5_2_1_09, .aopcode = 11},
	{.id = "12", .must = &RDMAPX_5_2_1_09, .aopcode = 12},
	{.id = "13", .must = &RDMAPX_5_2_1_09, .aopcode = 13},
	{.id = "14", .must = &RDMAPX_5_2_1_09, .aopcode = 14},
	{.id = "15", .must = &RDMAPX_5_2_1_09, .aopcode = 15},
	{.id = "1", .must = &RDMAPX_5_2_1_07, .aopcode = 1},
};

CASE_EACH(an_unassigned_aopcode_is_refused, struct code, unassigned,
	  .title = "an AOpCode that is not assigned gets a Terminate, no "
		   "Response, and changes nothing",
	  .needs = NEED_ATOMICS, .role = EITHER,
	  .spec = SPEC_RFC7306 | SPEC_DRAFT_10)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 5);
	connects(t, .crc = true);

	/* when the peer asks for something that does not exist, where every
	 * operation that does would change the word, */
	struct msg atomic = CMPSWAP(region, 0, 5, 9);
	atomic.atomic.aopcode = row->aopcode;
	peer_breaks(t, RDMAPX_5_2_1_04);
	peer_sends(t, atomic);

	/* then it gets a Terminate and nothing else. */
	must_row(t, row, ends_unanswered());
	must_row(t, row, terminate_any());
	must_row(t, row, memory_unchanged(region));
}

CASE(the_terminate_names_the_refused_request,
     .title = "the Terminate for an unassigned AOpCode returns the DDP header "
	      "of the Request and no RDMA header",
     .needs = NEED_ATOMICS, .role = EITHER,
     .spec = SPEC_RFC7306 | SPEC_DRAFT_10)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer asks for AOpCode 3, */
	struct msg atomic = FETCHADD(region, 0, 1, 0);
	atomic.atomic.aopcode = 3;
	peer_breaks(t, RDMAPX_5_2_1_04);
	peer_sends(t, atomic);

	/* then the Terminate returns 18 octets of its header. */
	awaits(t, RDMAPX_5_2_1_08, RDMAP_TERMINATE);
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAPX_8_1_02, is("D", term.d, 1));
	should(t, RDMAPX_8_1_02, is("R", term.r, 0));
	must(t, RDMAP_4_8_15,
	     is("octets of the DDP header, where D is set",
		term.d ? term.ddp_header_octets : DDP_UNTAGGED_OCTETS,
		DDP_UNTAGGED_OCTETS));
}

/* --- targets ------------------------------------------------------------- */

CASE(an_stag_given_up_is_refused,
     .title = "a FetchAdd to an STag that the ULP has invalidated gets a "
	      "Terminate and changes nothing",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given an STag that was good, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);
	peer_sends(t, FETCHADD(region, 0, 0, 0));
	awaits(t, RDMAPX_5_06, RDMAP_ATOMIC_RESPONSE);

	/* when it is invalidated, and the peer adds there, */
	dut_invalidates(t, region);
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it gets a Terminate and nothing else. */
	must(t, RDMAPX_5_2_1_12, ends_unanswered());
	must(t, RDMAPX_5_2_1_12, terminate_any());
	must(t, RDMAPX_5_2_1_12, memory_unchanged(region));
}

CASE(an_stag_never_issued_is_refused,
     .title = "a FetchAdd to an STag that was never issued gets a Terminate",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds there with an STag that was never issued, */
	struct msg add = FETCHADD(region, 0, 1, 0);
	add.atomic.stag = stag_never_issued(t);
	peer_sends(t, add);

	/* then it gets a Terminate and nothing else. */
	must(t, RDMAPX_5_2_1_12, ends_unanswered());
	must(t, RDMAPX_5_2_1_12, terminate_any());
}

CASE(an_stag_of_another_domain_is_refused,
     .title = "a FetchAdd to an STag of another Protection Domain gets a "
	      "Terminate and changes nothing",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word of domain 1, and a stream of domain 2, */
	struct region region =
		dut_registers(t, .len = 8, .pd = 1, .access = FOR_ATOMICS);
	connects(t, .pd = 2);

	/* when the peer adds to it there, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it gets a Terminate and nothing else. */
	must(t, RDMAPX_5_2_1_13, ends_unanswered());
	must(t, RDMAPX_5_2_1_13, terminate_any());
	must(t, RDMAPX_5_2_1_13, memory_unchanged(region));
}

struct outside {
	CASE_ROW;
	size_t len;
	uint64_t off; /* modulo 2^64 */
};

static const struct outside beyond[] = {
	{.id = "begins_one_octet_late", .len = 64, .off = 57},
	{.id = "begins_at_the_end", .len = 64, .off = 64},
	{.id = "begins_a_word_early", .len = 64, .off = -8ull},
	{.id = "half_of_it_inside", .len = 20, .off = 16},
	{.id = "2_to_the_32_behind", .len = 64, .off = 1ull << 32},
	{.id = "2_to_the_48_behind", .len = 64, .off = 1ull << 48},
	{.id = "2_to_the_63_away", .len = 64, .off = 1ull << 63},
};

CASE_EACH(a_target_outside_is_refused, struct outside, beyond,
	  .title = "a FetchAdd whose eight octets are not all inside the "
		   "buffer gets a Terminate and changes nothing",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a buffer, */
	struct region region =
		dut_registers(t, .len = row->len, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to a word that is not completely inside, */
	peer_sends(t, FETCHADD(region, row->off, 1, 0));

	/* then it gets a Terminate and nothing else. */
	must(t, RDMAPX_5_2_1_14, ends_unanswered());
	must(t, RDMAPX_5_2_1_14, terminate_any());
	must(t, RDMAPX_5_2_1_14, memory_unchanged(region));
}

struct rights {
	CASE_ROW;
	unsigned access;
};

static const struct rights lacking[] = {
	{.id = "remote_read_only", .access = FOR_READS},
	{.id = "remote_write_only", .access = FOR_WRITES},
	{.id = "remote_read_and_write", .access = FOR_READS | FOR_WRITES},
	{.id = "local_only", .access = FOR_RESULTS},
};

CASE_EACH(a_buffer_without_the_right_is_refused, struct rights, lacking,
	  .title = "a FetchAdd to a buffer that does not allow remote atomics "
		   "gets a Terminate and changes nothing",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word that remote atomics are not allowed on, */
	struct region region =
		dut_registers(t, .len = 8, .access = row->access);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then it gets a Terminate and nothing else. But no text has a right of
	 * atomics of its own: they read and write. */
	if (row->access & REMOTE_READ && row->access & REMOTE_WRITE) {
		const struct frame *f = next_frame(t);

		observe(t, RDMAPX_9_01, "%s",
			f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE
				? "it is performed"
				: how_it_ended(t));
		return;
	}
	must(t, RDMAPX_5_2_1_15, ends_unanswered());
	must(t, RDMAPX_5_2_1_15, terminate_any());
	must(t, RDMAPX_5_2_1_15, memory_unchanged(region));
}

/* --- the message --------------------------------------------------------- */

struct cut {
	CASE_ROW;
	size_t octets;
};

static const struct cut lengths[] = {
	{.id = "ulpdu_69", .octets = 51},
	{.id = "ulpdu_40", .octets = 22},
	{.id = "ulpdu_18", .octets = 0},
};

CASE_EACH(a_short_request_is_refused, struct cut, lengths,
	  .title = "an Atomic Request shorter than its header is not performed "
		   "and ends the stream",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when a Request comes that is not all there, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .cut_to = IS(row->octets)));

	/* then it is not performed. */
	must(t, RDMAPX_5_2_1_26, ends_unanswered());
	must(t, RDMAPX_5_2_1_26, memory_unchanged(region));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_request_on_queue_0_is_refused,
     .title = "an Atomic Request on QN 0 is neither performed nor delivered, "
	      "and ends the stream",
     .needs = NEED_FETCHADD | NEED_SEND, .role = EITHER)
{
	/* Given a word, and a buffer waiting for a Send, */
	struct sink sink = dut_posts_recv(t, 128);
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	/* and queues 0 and 1 at the same MSN, */
	connects(t, .crc = true, .unproven = true);
	initiator_speaks(t);

	/* when the Request comes where Sends do, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .qn = IS(0)));

	/* then it has no effect. */
	must(t, RDMAPX_5_2_1_27, ends_unanswered());
	must(t, RDMAPX_5_2_1_27, memory_unchanged(region));
	must(t, RDMAPX_5_2_1_27, not_delivered(sink));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_tagged_request_is_refused,
     .title = "an Atomic Request sent as a tagged message is not performed "
	      "and ends the stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, and a buffer that the message itself fits into, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	struct region other = dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the Request comes with T=1, for that buffer, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .t = IS(1), .stag = other.stag,
			       .to = other.to));

	/* then it is not performed. */
	must(t, RDMAPX_5_2_1_28, ends_unanswered());
	must(t, RDMAPX_5_2_1_28, memory_unchanged(region));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(another_rdmap_version_is_refused,
     .title = "an Atomic Request with RV 2 is not performed, and its Terminate "
	      "says invalid RDMAP version",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the Request has a version that does not exist, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .rv = IS(2)));

	/* then it is not performed, and the Terminate says why. */
	must(t, RDMAPX_4_1_09, ends_unanswered());
	must(t, RDMAPX_4_1_09, terminate(TERM_RDMA, 2, 0x05));
	must(t, RDMAPX_4_1_09, memory_unchanged(region));
}

CASE(another_ddp_version_is_refused,
     .title = "an Atomic Request with DV 2 is not performed and ends the "
	      "stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the Request has a version that does not exist, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .dv = IS(2)));

	/* then it is not performed, and a Terminate says why. */
	must(t, RDMAPX_8_2_01, ends_unanswered());
	must(t, RDMAPX_8_2_01, terminate_if_any(TERM_DDP, 2, 0x06));
	must(t, RDMAPX_8_2_01, memory_unchanged(region));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_used_msn_is_refused,
     .title = "an Atomic Request whose MSN was used is not performed and ends "
	      "the stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word that was added to by the second message of QN 1, */
	const uint64_t one = 0x0100000000000001; /* from either end */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);
	peer_sends(t, FETCHADD(region, 0, one, 0));
	awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);

	/* when one more comes as the second, */
	peer_sends(t, FETCHADD(region, 0, one, 0, .msn = IS(2)));

	/* then it is not performed, and a Terminate says why. */
	must(t, RDMAPX_8_2_01, ends_unanswered());
	must(t, RDMAPX_8_2_01, refuses_msn(t, false));
	must(t, RDMAPX_8_2_01, word_is(region, 0, one));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_request_that_begins_late_is_refused,
     .title = "an Atomic Request whose only segment has MO 4 is not performed: "
	      "it ends the stream, or waits for its beginning",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the header is four octets away from its place, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .mo = IS(4)));

	/* then it is not performed. */
	must(t, RDMAPX_8_2_01, any_of(t, ends_unanswered(), message_waits()));
	must(t, RDMAPX_8_2_01, memory_unchanged(region));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), message_waits()));
}
