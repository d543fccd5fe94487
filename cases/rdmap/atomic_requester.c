/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s5.2, s5.4: the device asks for atomic operations. */
#include "case.h"

#define STAG 0x00001234u
#define TO   0x0000000000001000ull

struct op_row {
	CASE_ROW;
	bool cmpswap;
};

static const struct op_row operations[] = {
	{.id = "fetchadd", .must = &RDMAPX_5_2_1_04},
	{.id = "cmpswap", .must = &RDMAPX_5_2_1_05, .cmpswap = true},
};

/* Either operation, its result for the region's first word. */
static struct post operation(const struct region *region,
			     const struct op_row *row)
{
	return row->cmpswap ? POST_CMPSWAP(*region, 0, STAG, TO, 5, 9)
			    : POST_FETCHADD(*region, 0, STAG, TO, 4);
}

CASE_EACH(a_request_goes_to_queue_1, struct op_row, operations,
	  .title = "an Atomic Request is an untagged message on QN 1 with its "
		   "AOpCode, and no reserved bit set",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device asks for an atomic operation, */
	dut_posts(t, operation(&region, row));

	/* then one untagged segment contains it, */
	const struct frame *f = awaits(t, RDMAPX_4_1_02, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAPX_4_1_07, is("T", f->seg.ddp.tagged, 0));
	must(t, RDMAPX_4_1_07, is("QN", f->seg.ddp.qn, 1));
	must(t, RDMAPX_4_1_03,
	     is("the Invalidate STag field", f->seg.ddp.inval_stag, 0));
	must(t, RDMAPX_5_2_1_01, is("L", f->seg.ddp.last, 1));
	must(t, RDMAPX_5_2_1_01, is("ULPDU_Length", f->fpdu->ulpdu_length, 70));

	/* with the control bits and the AOpCode as they have to be. */
	must(t, RDMAPX_4_1_01, is("RV", f->seg.ddp.rv, 1));
	must(t, RDMAPX_4_1_10, is("DV", f->seg.ddp.dv, 1));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the DDP octet", f->seg.ddp.rsvd, 0));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the RDMAP octet", f->seg.ddp.rdmap_rsvd, 0));
	must(t, RDMAPX_5_2_1_02,
	     is("the 28 reserved bits", case_atomic_of(f).reserved, 0));
	must_row(t, row,
		 is("AOpCode", case_atomic_of(f).aopcode,
		    row->cmpswap ? RDMAP_CMPSWAP : RDMAP_FETCHADD));
}

CASE(a_fetchadd_has_its_fields,
     .title = "a FetchAdd has STag, TO, Add Data and Add Mask in their places, "
	      "Compare Data zero and Compare Mask all ones",
     .needs = NEED_FETCHADD | NEED_MASKED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	static const uint8_t target[] = {0xfa, 0xce, 0xb0, 0x0c, 0x01, 0x23,
					 0x45, 0x67, 0x89, 0xab, 0xcd, 0xe8};
	static const uint8_t operands[] = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
					   0x17, 0x18, 0x80, 0x22, 0x23, 0x24,
					   0x25, 0x26, 0x27, 0x28};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device adds to a word of the peer, */
	dut_posts(t, POST_FETCHADD(region, 0, 0xfaceb00c, 0x0123456789abcde8,
				   0x1112131415161718,
				   .mask = 0x8022232425262728));

	/* then all fields are in their places, most significant octet first, */
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_01, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAPX_5_2_1_01,
	     is("payload octets", f->seg.payload_octets, 52));
	must(t, RDMAPX_5_2_1_01,
	     octets_are(t, "Remote STag and TO", f->seg.payload + 8, 12, target,
			sizeof(target)));
	must(t, RDMAPX_5_2_1_01,
	     octets_are(t, "Add Data and Add Mask", f->seg.payload + 20, 16,
			operands, sizeof(operands)));

	/* and what FetchAdd does not use is filled as it has to be. */
	must(t, RDMAPX_5_2_1_17,
	     is("Compare Data", case_atomic_of(f).compare, 0));
	must(t, RDMAPX_5_2_1_18,
	     is("Compare Mask", case_atomic_of(f).compare_mask, ~0ull));
}

CASE(a_cmpswap_has_its_four_operands,
     .title = "a CmpSwap has Swap Data, Swap Mask, Compare Data and Compare "
	      "Mask in this order",
     .needs = NEED_CMPSWAP | NEED_MASKED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	static const uint8_t operands[] = {
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
		0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28,
		0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
		0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device compares and swaps with four operands, */
	dut_posts(t, POST_CMPSWAP(region, 0, STAG, TO, 0x3132333435363738,
				  0x1112131415161718, .masks = true,
				  .swap_mask = 0x2122232425262728,
				  .compare_mask = 0x4142434445464748));

	/* then each is in its place, most significant octet first. */
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_30, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAPX_5_2_1_01,
	     is("payload octets", f->seg.payload_octets, 52));
	must(t, RDMAPX_5_2_1_30,
	     octets_are(t, "the operands", f->seg.payload + 20, 32, operands,
			sizeof(operands)));
}

CASE_EACH(the_value_is_told, struct op_row, operations,
	  .title = "an atomic operation completes with the value of its "
		   "Response",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a device that has asked for an atomic operation, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, operation(&region, row));
	const struct frame *f =
		awaits(t, RDMAPX_5_2_2_06, RDMAP_ATOMIC_REQUEST);

	/* when the peer answers, */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x0123456789abcdef));

	/* then the consumer gets the value. */
	must(t, RDMAPX_5_2_2_06, completed_with_value(id, 0x0123456789abcdef));
}

CASE_EACH(the_value_is_not_put_elsewhere, struct op_row, operations,
	  .title = "the original value of an atomic operation is not put "
		   "before or behind the buffer for it",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a device that wants the value in the second of three words, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_RESULTS);
	connects(t, .crc = true);
	struct post post = operation(&region, row);
	post.off = 8;
	unsigned id = dut_posts(t, post);
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the peer answers, */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x0123456789abcdef));

	/* then the consumer gets the value, and the other words are as before;
	 * an agent may have the value from elsewhere. */
	must(t, RDMAPX_5_2_2_06, completed_with_value(id, 0x0123456789abcdef));
	must(t, RDMAPX_5_2_2_06, memory_is(region, 0, octets_of(t, 8, 0), 8));
	must(t, RDMAPX_5_2_2_06, memory_is(region, 16, octets_of(t, 8, 0), 8));
}

CASE_EACH(the_octets_around_the_value_stay, struct op_row, operations,
	  .title = "the original value of an atomic operation changes no octet "
		   "before or behind its buffer, whatever was there",
	  .needs = NEED_ATOMICS, .role = INITIATOR)
{
	/* Given a device that wants the value in the second of four words, none
	 * of them zero, */
	struct region region =
		dut_registers(t, .len = 32, .access = FOR_RESULTS);
	const uint8_t *around = pattern(t, 32, 1);
	dut_fills(t, region, 0, around, 32);
	connects(t);
	struct post post = operation(&region, row);
	post.off = 8;
	unsigned id = dut_posts(t, post);
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the peer answers, */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x0123456789abcdef));

	/* then the consumer gets the value, and the other words are as
	 * before. */
	insists(t, RDMAPX_5_2_2_06,
		completed_with_value(id, 0x0123456789abcdef));
	must(t, RDMAPX_5_2_2_06, memory_is(region, 0, around, 8));
	must(t, RDMAPX_5_2_2_06, memory_is(region, 16, around + 16, 16));
}

CASE_EACH(each_value_has_its_own_place, struct op_row, operations,
	  .title = "the original value of one of two atomic operations under "
		   "way is not put where the other wants its own",
	  .needs = NEED_ATOMICS, .role = INITIATOR)
{
	/* Given a device with two atomics under way, for two words, */
	struct region region =
		dut_registers(t, .len = 24, .access = FOR_RESULTS);
	dut_has_depths(t, 0, 2);
	connects(t);
	struct post post = operation(&region, row);
	unsigned one = dut_posts(t, post);
	post.off = 16;
	unsigned two = dut_posts(t, post);
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);
	if (!frames_waiting(t))
		not_applicable(t, "the device has one atomic under way only");
	const struct frame *g = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the peer answers the first, then its value is not in the place of
	 * the second; */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x1111111111111111));
	insists(t, RDMAPX_5_2_2_05, completed(one));
	must(t, RDMAPX_5_2_2_06,
	     memory_lacks(region, 16, 8, octets_of(t, 8, 0x11), 8));

	/* nor that of the second, when it is answered, in the place of the
	 * first. */
	peer_sends(t, ATOMIC_RESPONSE(g, 0x2222222222222222));
	insists(t, RDMAPX_5_2_2_05, completed(two));
	must(t, RDMAPX_5_2_2_06,
	     memory_lacks(region, 0, 8, octets_of(t, 8, 0x22), 8));
}

CASE_EACH(the_value_is_not_put_into_a_revoked_buffer, struct op_row, operations,
	  .title = "no octet of the buffer for an original value changes after "
		   "the device's ULP has invalidated it, though the Response "
		   "comes",
	  .needs = NEED_ATOMICS, .role = INITIATOR)
{
	/* Given an atomic whose buffer was invalidated before its Response, */
	struct region region = dut_registers(t, .len = 8, .raced = true,
					     .access = FOR_RESULTS);
	connects(t);
	dut_posts(t, operation(&region, row));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);
	dut_invalidates_under_a_read(t, region);
	const uint8_t *then = dut_memory(t, region, 0, 8);

	/* when the peer answers, */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x0123456789abcdef));

	/* then the buffer is as its ULP found it. */
	must(t, SEC_6_2_2_01, memory_is(region, 0, then, 8));
}

CASE_EACH(nothing_completes_before_the_response, struct op_row, operations,
	  .title = "an atomic operation does not complete before its Response "
		   "has arrived",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a device that has asked for an atomic operation, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, operation(&region, row));
	const struct frame *f = awaits(t, RDMAPX_5_4_07, RDMAP_ATOMIC_REQUEST);

	/* when other exchanges continue and the Response does not arrive, */
	must(t, RDMAP_5_2_1_16, stream_works());

	/* then it is not complete, until it comes. */
	must(t, RDMAPX_5_4_07, not_completed(id));
	peer_sends(t, ATOMIC_RESPONSE(f, 7));
	must(t, RDMAPX_5_4_07, completed(id));
}

CASE(requests_leave_in_posting_order,
     .title = "Read and Atomic Requests share the MSNs of QN 1, in the order "
	      "posted",
     .needs = NEED_READ | NEED_ATOMICS, .role = EITHER)
{
	/* Given a stream, */
	struct region region =
		dut_registers(t, .len = 32, .access = FOR_RESPONSES);
	connects(t, .crc = true, .counts_reads = true);

	/* when the device posts a Read, an atomic, a Read, an atomic, */
	dut_posts(t, POST_READ(region, 0, 8, STAG, TO));
	dut_posts(t, POST_FETCHADD(region, 8, STAG, TO, 1));
	dut_posts(t, POST_READ(region, 16, 8, STAG, TO));
	dut_posts(t, POST_CMPSWAP(region, 24, STAG, TO, 1, 2));

	/* then they leave like that, numbered from 1, as they are answered. */
	for (unsigned i = 0; i < 4; i++) {
		const struct frame *f = awaits(t, RDMAPX_5_2_01,
					       i % 2 ? RDMAP_ATOMIC_REQUEST
						     : RDMAP_READ_REQUEST);

		must(t, RDMAPX_5_2_01, is("MSN", f->seg.ddp.msn, i + 1));
		if (i % 2)
			must(t, RDMAPX_5_2_01, is("QN", f->seg.ddp.qn, 1));
		if (i % 2)
			peer_sends(t, ATOMIC_RESPONSE(f, 7));
		else
			peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	}
}

CASE(ten_requests_keep_their_order,
     .title = "ten Atomic Requests are sent in the order posted",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a stream, */
	struct region region =
		dut_registers(t, .len = 80, .access = FOR_RESULTS);
	connects(t, .crc = true, .counts_reads = true);

	/* when it posts ten FetchAdds of different numbers, */
	for (unsigned i = 0; i < 10; i++)
		dut_posts(t, POST_FETCHADD(region, 8 * i, STAG, TO, 100 + i));

	/* then they leave in that order, as they are answered. */
	for (unsigned i = 0; i < 10; i++) {
		const struct frame *f =
			awaits(t, RDMAPX_5_2_1_23, RDMAP_ATOMIC_REQUEST);

		must(t, RDMAPX_5_2_1_23, is("MSN", f->seg.ddp.msn, i + 1));
		must(t, RDMAPX_5_2_1_23,
		     is("Add Data", case_atomic_of(f).data, 100 + i));
		peer_sends(t, ATOMIC_RESPONSE(f, 7));
	}
}

CASE(as_many_as_the_ord_are_answered_at_once,
     .title = "as many Responses as there may be outstanding atomics are "
	      "accepted in one burst, each for its own Request",
     .needs = NEED_FETCHADD | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device with as many of eight atomics on their way as it
	 * will, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_RESULTS);
	const struct frame *f;
	unsigned id[8];
	dut_has_depths(t, 0, 8);
	connects(t, .enhanced = true, .dut_ord = 8, .ird = 8);
	for (unsigned i = 0; i < 8; i++)
		id[i] = dut_posts(t, POST_FETCHADD(region, 8 * i, STAG, TO, 1));
	f = awaits(t, RDMAPX_5_2_2_05, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());

	/* when the peer answers all of these in one write, */
	for (unsigned i = 1; i < 8; i++) {
		peer_sends(t, ATOMIC_RESPONSE(f, 999 + i),
			   .hold = frame_is_here(t));
		f = awaits(t, RDMAPX_5_2_2_05, RDMAP_ATOMIC_REQUEST);
	}
	peer_sends(t, ATOMIC_RESPONSE(f, 1007));

	/* then each completes. */
	for (unsigned i = 0; i < 8; i++)
		must(t, RDMAPX_5_2_2_05, completed(id[i]));
}

struct pair {
	CASE_ROW;
	enum post_op first, second;
};

#define PAIR(id_, first_, second_)                                             \
	{                                                                      \
		.id = (id_), .first = POST_OP_##first_,                        \
		.second = POST_OP_##second_                                    \
	}
static const struct pair pairs[] = {
	PAIR("fetchadd_behind_fetchadd", FETCHADD, FETCHADD),
	PAIR("cmpswap_behind_cmpswap", CMPSWAP, CMPSWAP),
	PAIR("read_behind_fetchadd", FETCHADD, READ),
	PAIR("read_behind_cmpswap", CMPSWAP, READ),
	PAIR("fetchadd_behind_read", READ, FETCHADD),
};

/* A Read or an atomic, with eight octets of the region. */
static struct post request(const struct region *region, size_t off,
			   enum post_op op)
{
	if (op == POST_OP_READ)
		return POST_READ(*region, off, 8, STAG, TO);
	if (op == POST_OP_CMPSWAP)
		return POST_CMPSWAP(*region, off, STAG, TO, 5, 9);
	return POST_FETCHADD(*region, off, STAG, TO, 4);
}

static uint8_t opcode_of(enum post_op op)
{
	return op == POST_OP_READ ? RDMAP_READ_REQUEST : RDMAP_ATOMIC_REQUEST;
}

CASE_EACH(an_answer_makes_room, struct pair, pairs,
	  .title = "when an atomic or a Read is answered, the Request that had "
		   "no room beside it is sent",
	  .needs = NEED_READ | NEED_ATOMICS | NEED_ENHANCED, .role = INITIATOR)
{
	/* Given a device that may have one Request on its way, and wants two,
	 * which may be more if they are atomics, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	dut_has_depths(t, 0, 1);
	connects(t, .enhanced = true, .dut_ord = 1, .ird = 1);
	dut_posts(t, request(&region, 0, row->first));
	dut_posts(t, request(&region, 8, row->second));
	const struct frame *f = awaits_given(t, opcode_of(row->first));

	/* when the first is answered, then the second comes. */
	if (row->first == POST_OP_READ)
		peer_sends(t, READ_RESPONSE(f, "octets 8", 8));
	else
		peer_sends(t, ATOMIC_RESPONSE(f, 7));
	awaits(t, RDMAP_6_1_03, opcode_of(row->second));
	must(t, RDMAP_5_2_1_16, stream_works());
}

CASE(the_msn_selects_the_request,
     .title = "the Responses with MSN 1 and 2 complete the first and the "
	      "second atomic",
     .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a device with two atomics to ask for, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned one = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	unsigned two = dut_posts(t, POST_CMPSWAP(region, 8, STAG, TO, 1, 2));
	const struct frame *f = awaits(t, RDMAPX_5_04, RDMAP_ATOMIC_REQUEST);
	must(t, RDMAP_5_2_1_16, stream_works());

	/* when the peer answers the one and the other, */
	peer_sends(t, ATOMIC_RESPONSE(f, 0x1111, .msn = IS(1)));
	f = awaits(t, RDMAPX_5_04, RDMAP_ATOMIC_REQUEST);
	peer_sends(t, ATOMIC_RESPONSE(f, 0x2222, .msn = IS(2)));

	/* then they complete in this order, with these values. */
	must(t, RDMAPX_5_04, completed_with_value(one, 0x1111));
	must(t, RDMAPX_5_04, completed_with_value(two, 0x2222));
	must(t, RDMAPX_5_04,
	     holds("the first atomic completes before the second",
		   dut_completes(t, one).order < dut_completes(t, two).order));
}

CASE(a_wrong_identifier,
     .title = "the reaction to an Atomic Response with the correct MSN and "
	      "another identifier is recorded",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a device that has asked for a FetchAdd, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response has an identifier that was never sent, */
	struct msg answer = ATOMIC_RESPONSE(f, 7);
	answer.atomic_response.id ^= 0x80000001;
	peer_breaks(t, RDMAPX_5_2_1_10);
	peer_sends(t, answer);

	/* then it completes by its MSN, or the stream ends: not ruled. */
	bool works = known_answer(t);
	observe(t, RDMAPX_5_2_1_11, "%s%s%s",
		dut_has_completed(t, id).ok ? "it completes"
					    : "it does not complete",
		works ? "" : "; ", works ? "" : how_it_ended(t));
}

CASE(an_unaligned_target,
     .title = "the reaction to a posted atomic with an unaligned target is "
	      "recorded",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a stream, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);

	/* when the device adds at an odd TO of the peer, */
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO + 1, 1,
						 .may_refuse = true));

	/* then it refuses, or sends it unchanged: it need not check. */
	const struct frame *f = frames_waiting(t) ? next_frame(t) : NULL;
	observe(t, RDMAPX_5_1_1_14, "%s",
		f && case_atomic_of(f).to == TO + 1 ? "it is sent as it is"
		: dut_has_completed(t, id).came     ? "it is refused"
						    : "something else");
}

CASE(more_atomics_than_the_ord,
     .title = "the number of Atomic Requests sent while none is answered is "
	      "recorded",
     .needs = NEED_FETCHADD | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that may have two requests on their way, */
	struct region region =
		dut_registers(t, .len = 56, .access = FOR_RESULTS);
	dut_has_depths(t, 0, 2);
	connects(t, .enhanced = true, .dut_ord = 2, .ird = 2);

	/* when seven atomics are posted, */
	for (unsigned i = 0; i < 7; i++)
		dut_posts(t, POST_FETCHADD(region, 8 * i, STAG, TO, 1));

	/* then it keeps to the limit of Reads, or to one negotiated
	 * elsewhere. */
	awaits_given(t, RDMAP_ATOMIC_REQUEST);
	observe(t, RDMAPX_5_2_04, "%u of seven leave with an ORD of two",
		1 + frames_waiting(t));
}

/* --- Responses that are not valid -------------------------------------- */

struct answer_row {
	CASE_ROW;
	struct over t, qn, msn, dv, rv;
	size_t octets;
};

static const struct answer_row invalid[] = {
	{.id = "one_octet_short", .must = &RDMAPX_5_2_2_07, .octets = 11},
	{.id = "identifier_only", .must = &RDMAPX_5_2_2_07, .octets = 4},
	{.id = "on_queue_0", .must = &RDMAPX_5_2_2_07, .qn = IS(0)},
	{.id = "msn_2", .must = &RDMAPX_5_2_2_08, .msn = IS(2)},
	{.id = "msn_0", .must = &RDMAPX_5_2_2_08, .msn = IS(0)},
};

CASE_EACH(an_invalid_response_completes_nothing, struct answer_row, invalid,
	  .title = "an Atomic Response that is invalid completes no atomic; it "
		   "ends the stream, unless its MSN may still get its turn",
	  .needs = NEED_FETCHADD | NEED_SEND, .role = EITHER)
{
	/* Given a device that has asked for a FetchAdd, and two buffers, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response has this one fault, */
	struct msg answer =
		ATOMIC_RESPONSE(f, 7, .qn = row->qn, .msn = row->msn);
	if (row->octets)
		answer.cut_to = IS(row->octets);
	peer_sends(t, answer);

	/* then nothing completes by it, and it is an error. An MSN ahead may have
	 * a buffer: then it is in the legal range of RFC 5041 s7.1 item 5, and has
	 * to wait for its turn. If it has none, the LLP may hold it back (item
	 * 2). */
	bool ahead = row->msn.v == 2;
	bool waits = ahead && known_answer(t);
	if (ahead && !waits)
		must_row(t, row, any_of(t, ends_unanswered(), held_back()));
	else if (!waits)
		must_row(t, row, ends_unanswered());
	must_row(t, row, not_completed(id));
	must_row(t, row, not_delivered(sinks));
	if (!waits)
		should(t, RDMAP_6_2_1_01,
		       ahead ? any_of(t, terminate_any(), held_back())
			     : terminate_any());
}

CASE(a_tagged_response_completes_nothing,
     .title = "an Atomic Response sent as a tagged message completes no "
	      "atomic and ends the stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a device that has asked for a FetchAdd, and a buffer, */
	struct region region =
		dut_registers(t, .len = 64, .access = FOR_WRITES);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response comes with T=1, for that buffer, */
	peer_sends(t, ATOMIC_RESPONSE(f, 7, .t = IS(1), .stag = region.stag,
				      .to = region.to + 8));

	/* then nothing completes by it, and it is an error. */
	must(t, RDMAPX_5_2_2_07, ends_unanswered());
	must(t, RDMAPX_5_2_2_07, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(an_unasked_response_is_an_error,
     .title = "an unsolicited Atomic Response ends the stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a stream on which the device has requested nothing, */
	connects(t, .crc = true);

	/* when the peer answers, */
	peer_breaks(t, RDMAPX_5_2_1_25);
	peer_sends(t, ATOMIC_RESPONSE(NULL, 7));

	/* then it is an error, unless the LLP holds back what has no buffer (RFC
	 * 5041 s7.1 item 2). */
	must(t, RDMAPX_5_2_2_07, any_of(t, ends_unanswered(), held_back()));
	must(t, RDMAPX_5_2_2_07, any_of(t, agent_sees_end(), held_back()));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
}

CASE(a_read_asks_for_no_atomic_response,
     .title = "an Atomic Response while only a Read is under way ends the "
	      "stream, and does not complete it",
     .needs = NEED_READ | NEED_ATOMICS, .role = EITHER)
{
	/* Given a device that has requested a Read alone, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned id = dut_posts(
		t, POST_READ(region, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	awaits_given(t, RDMAP_READ_REQUEST);

	/* when an Atomic Response comes, */
	peer_breaks(t, RDMAPX_5_2_1_25);
	peer_sends(t, ATOMIC_RESPONSE(NULL, 7));

	/* then it is an error, or is held back, and completes nothing. */
	must(t, RDMAPX_5_2_2_07, any_of(t, ends_unanswered(), held_back()));
	must(t, RDMAPX_5_2_2_07, not_completed(id));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), held_back()));
}

CASE(a_response_of_another_rdmap_version_is_refused,
     .title = "an Atomic Response with RV 2 completes nothing; its Terminate "
	      "says invalid RDMAP version and returns the DDP header",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a device that has asked for a FetchAdd, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response has a version that does not exist, */
	peer_sends(t, ATOMIC_RESPONSE(f, 7, .rv = IS(2)));

	/* then the Terminate reports that, */
	must(t, RDMAPX_4_1_09, terminate(TERM_RDMA, 2, 0x05));
	must(t, RDMAPX_4_1_09, not_completed(id));

	/* with the DDP header of the Response, and no RDMA header. */
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAPX_8_1_04, is("D", term.d, 1));
	should(t, RDMAPX_8_1_04, is("R", term.r, 0));
	must(t, RDMAP_4_8_15,
	     is("octets of the DDP header, where D is set",
		term.d ? term.ddp_header_octets : DDP_UNTAGGED_OCTETS,
		DDP_UNTAGGED_OCTETS));
}

CASE(a_response_of_another_ddp_version_is_refused,
     .title = "an Atomic Response with DV 2 completes nothing and ends the "
	      "stream",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a device that has asked for a FetchAdd, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	connects(t, .crc = true);
	unsigned id = dut_posts(t, POST_FETCHADD(region, 0, STAG, TO, 1));
	const struct frame *f = awaits_given(t, RDMAP_ATOMIC_REQUEST);

	/* when the Response has a version that does not exist, */
	peer_sends(t, ATOMIC_RESPONSE(f, 7, .dv = IS(2)));

	/* then it completes nothing, and a Terminate says why. */
	must(t, RDMAPX_8_2_05, terminate_if_any(TERM_DDP, 2, 0x06));
	must(t, RDMAPX_8_2_05, not_completed(id));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

/* RFC 7306 s8.1 has headers of zeros; M, D and R may also indicate that there
 * are none. */
static bool names_nothing(struct rdmap_terminate term)
{
	size_t i = 0;

	while (i < term.ddp_header_octets && !term.ddp_header[i])
		i++;
	for (size_t k = 0; term.rdma_header && k < 28; k++)
		if (term.rdma_header[k])
			return false;
	return i == term.ddp_header_octets;
}

CASE(a_request_without_a_target_is_not_sent,
     .title = "an atomic without a valid buffer for its result ends the stream "
	      "with a Terminate without headers, and is not sent",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a buffer whose STag the consumer has taken back, */
	struct region region = dut_registers(t, .len = 8, .access = FOR_WRITES);
	connects(t, .crc = true);
	dut_invalidates(t, region);

	/* when a FetchAdd puts its result there, */
	unsigned id = dut_posts(
		t, POST_FETCHADD(region, 0, STAG, TO, 1, .may_refuse = true));

	/* then a Terminate goes out instead of the Request. */
	const struct frame *f = next_frame(t);
	if (f && f->seg.ddp.opcode == RDMAP_ATOMIC_REQUEST)
		not_applicable(t,
			       "the device returns the value whatever the "
			       "STag of the buffer is: RFC 7306 s5.1 has none "
			       "for it");
	must(t, RDMAPX_8_1_01, terminate_any());
	if (!f || f->seg.ddp.opcode != RDMAP_TERMINATE)
		return;
	must(t, RDMAPX_8_1_01,
	     holds_of(f, "no header is returned, or zeros in its place",
		      names_nothing(terminate_seen(t)),
		      "the header is not of zeros"));
	must(t, RDMAPX_8_1_01, not_completed(id));
}
