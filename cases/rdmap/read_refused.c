/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s5.2.1, s7.2: Read Requests that are not whole, or not allowed. */
#include "case.h"

#define MIB (1u << 20)

/* Payload of Read Responses until a Terminate or the stream's end. */
static size_t octets_answered(struct test *t)
{
	const struct frame *f;
	size_t n = 0;

	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE)
		n += f->seg.payload_octets;
	return n;
}

CASE(a_segmented_request,
     .title = "the reaction to a Read Request cut into two DDP segments is "
	      "recorded",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when a Read Request arrives in two halves, */
	peer_breaks(t, RDMAP_4_2_10);
	peer_sends(t, READ(region, 0, 16, .segment = 14));

	/* then it is one message, or it ends the stream: texts disagree. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAP_5_2_1_13, "%s",
		f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE
			? "it is answered"
			: how_it_ended(t));
}

CASE(a_request_that_begins_late_is_not_answered,
     .title = "a Read Request whose only segment has MO 28 is not answered: it "
	      "ends the stream, or waits for its beginning",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the header is after the end of its place, */
	peer_sends(t, READ(region, 0, 16, .mo = IS(28)));

	/* then there is no Response. */
	must(t, RDMAP_5_2_1_14,
	     is("octets of Read Responses", octets_answered(t), 0));
	must(t, RDMAP_5_2_1_14, any_of(t, stream_ends(), message_waits()));
	should(t, RDMAP_6_2_1_01, any_of(t, terminate_any(), message_waits()));
}

static bool is_response(const struct frame *f)
{
	return f && f->seg.ddp.opcode == RDMAP_READ_RESPONSE;
}

CASE(a_request_waits_for_its_last_segment,
     .title = "a Read Request with L=0 is answered only when a segment with "
	      "L=1 has come",
     .needs = NEED_READ | NEED_SEND, .role = EITHER)
{
	/* Given a buffer to read, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);

	/*
	 * when a complete Read Request announces that more of it follows (but
	 * nothing does: no other message may come before its end, RFC 5041
	 * s5.3),
	 */
	peer_sends(t, READ(region, 0, 16, .l = IS(0)));

	/*
	 * then nothing answers it: the next messages are a Send posted since,
	 * and one posted when the first has shown that the device continues; or
	 * it is refused, as a Request in several segments may be.
	 */
	dut_posts(t, POST_SEND("no answer so far"));
	const struct frame *f = next_frame(t);
	must(t, RDMAP_5_2_1_15, holds("no Response", !is_response(f)));
	if (is_response(f))
		return;
	if (!f || f->seg.ddp.opcode != RDMAP_SEND) {
		must(t, RDMAP_5_2_1_15, stream_ends());
		return;
	}
	dut_posts(t, POST_SEND("nor since"));
	must(t, RDMAP_5_2_1_15,
	     holds("no Response", !is_response(next_frame(t))));
	peer_closes(t); /* the message is open: nothing else may be sent */
}

struct size_row {
	CASE_ROW;
	size_t size;
};

struct source_row {
	CASE_ROW;
	uint64_t off; /* from the region's first octet, modulo 2^64 */
	uint32_t size;
	size_t inside; /* octets of it that are inside the region */
};

static const struct source_row outside[] = {
	{.id = "one_octet_before",
	 .must = &RDMAP_7_2_10,
	 .off = -1ull,
	 .size = 1},
	{.id = "one_octet_behind", .must = &RDMAP_7_2_10, .off = 64, .size = 1},
	{.id = "one_octet_too_long",
	 .must = &RDMAP_7_2_11,
	 .off = 0,
	 .size = 65,
	 .inside = 64},
	{.id = "begins_before", .must = &RDMAP_7_2_10, .off = -1ull, .size = 8},
	{.id = "2_to_the_32_behind",
	 .must = &RDMAP_7_2_10,
	 .off = 1ull << 32,
	 .size = 8},
	{.id = "size_2_to_the_31",
	 .must = &RDMAP_7_2_17,
	 .off = 0,
	 .size = 0x80000000,
	 .inside = 64},
	{.id = "size_2_to_the_32_less_1",
	 .must = &RDMAP_7_2_17,
	 .off = 0,
	 .size = 0xffffffff,
	 .inside = 64},
	{.id = "ends_2_to_the_32_behind_the_first_octet",
	 .must = &RDMAP_7_2_17,
	 .off = 8,
	 .size = 0xfffffff8,
	 .inside = 56},
	{.id = "ends_2_to_the_32_behind_an_octet_inside",
	 .must = &RDMAP_7_2_17,
	 .off = 16,
	 .size = 0xfffffff8,
	 .inside = 48},
};

/* A buffer may lie at either end of all TOs. What is outside wraps there: that
 * is a second name for the error. RFC 5040 s7.2 speaks of the sum of TO and
 * size, so a sum of 2^64 wraps as well. */
static unsigned second_name(uint64_t to, uint32_t size)
{
	return to > UINT64_MAX - size ? 0x04 : 0x01;
}

CASE_EACH(a_read_outside_its_buffer_is_refused, struct source_row, outside,
	  .title = "a Read that reaches outside its buffer gets no octet from "
		   "outside",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads octets that are not all inside, */
	uint64_t to = region.to + row->off;

	peer_sends(t, READ_FROM(region.stag, to, row->size));

	/* then nothing from outside comes, and the Terminate says: bounds. */
	must_row(t, row,
		 at_most("octets of Read Responses", octets_answered(t),
			 row->inside));
	struct expect named =
		any_of(t, terminate(TERM_RDMA, 1, 0x01),
		       terminate(TERM_RDMA, 1, second_name(to, row->size)));
	must_row(t, row, named);
	must(t, RDMAP_5_2_1_11, named);
}

/* A device may calculate addresses with fewer bits than a TO has. */
struct to_bit {
	CASE_ROW;
	unsigned bit;
};
#define TO_BIT(n)                                                              \
	{                                                                      \
		.id = "bit_" #n, .bit = (n)                                    \
	}
static const struct to_bit upper_bits[] = {
	TO_BIT(32), TO_BIT(33), TO_BIT(34), TO_BIT(35), TO_BIT(36), TO_BIT(37),
	TO_BIT(38), TO_BIT(39), TO_BIT(40), TO_BIT(41), TO_BIT(42), TO_BIT(43),
	TO_BIT(44), TO_BIT(45), TO_BIT(46), TO_BIT(47), TO_BIT(48), TO_BIT(49),
	TO_BIT(50), TO_BIT(51), TO_BIT(52), TO_BIT(53), TO_BIT(54), TO_BIT(55),
	TO_BIT(56), TO_BIT(57), TO_BIT(58), TO_BIT(59), TO_BIT(60), TO_BIT(61),
	TO_BIT(62), TO_BIT(63),
};

CASE_EACH(a_read_with_another_upper_bit_in_its_to_is_refused, struct to_bit,
	  upper_bits,
	  .title = "a Read whose TO differs in one of its upper 32 bits from "
		   "an octet of the buffer gets nothing",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads at a TO with one other bit, */
	uint64_t to = (region.to + 8) ^ 1ull << row->bit;
	peer_sends(t, READ_FROM(region.stag, to, 8));

	/* then nothing comes, and the Terminate says: bounds. */
	must(t, RDMAP_7_2_10,
	     is("octets of Read Responses", octets_answered(t), 0));
	must(t, RDMAP_7_2_10,
	     any_of(t, terminate(TERM_RDMA, 1, 0x01),
		    terminate(TERM_RDMA, 1, second_name(to, 8))));
}

CASE(a_read_up_to_the_last_octet_is_answered,
     .title = "a Read that ends with the last octet of its buffer is answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer whose octets are known, */
	const uint8_t *octets = pattern(t, 2000, 7);
	struct region region =
		dut_registers(t, .len = 2000, .access = FOR_READS);
	dut_fills(t, region, 0, octets, 2000);
	connects(t, .crc = true);

	/* when the peer reads all of it, */
	peer_sends(t, READ(region, 0, 2000));

	/* then it gets these; and it gets the last octet by itself. */
	struct message m = awaits_message(t, RDMAP_7_2_14, RDMAP_READ_RESPONSE);
	must(t, RDMAP_7_2_14,
	     octets_are(t, "the octets read", m.octets, m.n, octets, 2000));
	peer_sends(t, READ(region, 1999, 1));
	m = awaits_message(t, RDMAP_7_2_14, RDMAP_READ_RESPONSE);
	must(t, RDMAP_7_2_14,
	     octets_are(t, "the last octet", m.octets, m.n, octets + 1999, 1));
}

CASE(a_read_of_one_octet_more_is_refused,
     .title = "a buffer of 13 octets at an odd address refuses a Read of 14",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of odd length at an odd place, */
	struct region r = dut_registers(t, .len = 13, .align = 4096, .skew = 3,
					.access = FOR_READS);
	connects(t);

	/* when the peer reads one octet more, */
	peer_sends(t, READ(r, 0, 14));

	/* then no octet of it comes, and the cause is named. */
	must(t, RDMAP_7_2_11, ends_unanswered());
	must(t, RDMAP_7_2_11, terminate(TERM_RDMA, 1, 0x01));
}

CASE(a_read_that_wraps_is_refused,
     .title = "a Read whose source wraps past 2^64 is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer, */
	struct region region = dut_registers(t, .len = 64, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads 64 octets, 16 before the end of all TOs, */
	peer_sends(t, READ_FROM(region.stag, 0xfffffffffffffff0, 64));

	/* then there is no Response; it is out of bounds, and wraps. */
	awaits(t, RDMAP_7_2_12, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_12,
	     any_of(t, terminate(TERM_RDMA, 1, 0x04),
		    terminate(TERM_RDMA, 1, 0x01)));
}

static const struct size_row lengths[] = {
	{.id = "1_octet", .must = &RDMAP_5_2_1_11, .size = 1},
	{.id = "1500_octets", .must = &RDMAP_7_2_06, .size = 1500},
};

CASE_EACH(a_read_of_an_stag_never_issued_is_refused, struct size_row, lengths,
	  .title = "a Read of an STag never issued is not answered",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag that no buffer ever had, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0, (uint32_t)row->size));

	/* then the answer is a Terminate that says: invalid STag. */
	awaits(t, RDMAP_7_2_06, RDMAP_TERMINATE);
	must_row(t, row, terminate(TERM_RDMA, 1, 0x00));
}

CASE(an_invalid_read_surfaces_an_error,
     .title = "a Read of an STag never issued ends the stream for the ULP, too",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag that no buffer ever had, */
	peer_sends(t, READ_FROM(stag_never_issued(t), 0, 1));

	/* then the consumer learns of it. */
	must(t, RDMAP_5_2_1_04, agent_sees_end());
	must(t, RDMAP_5_2_1_04, terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_read_of_an_stag_given_up_is_refused,
     .title = "a Read of an STag that the ULP has invalidated is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given an STag that was good, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	connects(t, .crc = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* when it is invalidated, and read, */
	dut_invalidates(t, region);
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: invalid STag. */
	awaits(t, RDMAP_7_2_07, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_07, terminate(TERM_RDMA, 1, 0x00));
}

CASE(a_read_of_another_domain_is_refused,
     .title = "a Read of an STag of another Protection Domain is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given an STag of domain 1 and a stream of domain 2, */
	struct region region =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_READS);
	connects(t, .pd = 2);

	/* when the peer reads by it, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: not associated. */
	awaits(t, RDMAP_7_2_08, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_08, refuses_source_of_others(t));
	must(t, RDMAP_4_8_31, terminate(TERM_RDMA, 1, 0x03));
}

CASE(a_read_of_another_stream_is_refused,
     .title = "a Read of an STag that is limited to another stream is not "
	      "answered",
     .needs = NEED_READ | NEED_MULTI_STREAM | NEED_STREAM_STAG, .role = EITHER)
{
	/* Given two streams of one domain, and an STag limited to the first, */
	unsigned owner = connects(t, .crc = true);
	struct region region =
		dut_registers(t, .len = 16, .bound = true, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads by it on the second, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: not associated; */
	awaits(t, RDMAP_7_2_09, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_09, refuses_source_of_others(t));
	must(t, RDMAP_4_8_31, terminate(TERM_RDMA, 1, 0x03));

	/* and on the first it works. */
	on_stream(t, owner);
	insists(t, SEC_6_1_1_02, stream_works());
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAP_7_2_09, RDMAP_READ_RESPONSE);
}

CASE(a_read_without_the_right_is_refused,
     .title = "a Read of a buffer without remote read access is not answered",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may write and not read, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when the peer reads it, */
	peer_sends(t, READ(region, 0, 16));

	/* then the answer is a Terminate that says: access rights. */
	awaits(t, RDMAP_7_2_13, RDMAP_TERMINATE);
	must(t, RDMAP_7_2_13, terminate(TERM_RDMA, 1, 0x02));
}

struct second_read {
	CASE_ROW;
	bool unknown;    /* its STag was never issued */
	unsigned access; /* of its buffer */
	uint32_t size;   /* of 16 octets */
	unsigned inside; /* octets of it that the peer may read */
	unsigned code;
};

static const struct second_read second_reads[] = {
	{.id = "unknown_stag",
	 .must = &RDMAP_7_2_06,
	 .unknown = true,
	 .access = FOR_READS,
	 .size = 16,
	 .code = 0x00},
	{.id = "too_long",
	 .must = &RDMAP_7_2_11,
	 .access = FOR_READS,
	 .size = 17,
	 .inside = 16,
	 .code = 0x01},
	{.id = "without_the_right",
	 .must = &RDMAP_7_2_13,
	 .access = FOR_WRITES,
	 .size = 16,
	 .code = 0x02},
};

CASE_EACH(
	a_read_behind_a_large_one_is_refused, struct second_read, second_reads,
	.title = "a Read that is not allowed is refused, also while an earlier "
		 "one is being answered",
	.needs = NEED_READ, .role = EITHER)
{
	/* Given a large buffer, and a small one, */
	struct region large =
		dut_registers(t, .len = 1u << 17, .access = FOR_READS);
	struct region r = dut_registers(t, .len = 16, .access = row->access);
	connects(t, .crc = true, .rcvbuf = 4096);
	dut_has_depths(t, 2, 1);

	/* when the peer reads all of the first, and at once the second, */
	peer_sends(t, READ(large, 0, 1u << 17), .hold = true);
	peer_sends(t, READ_FROM(row->unknown ? stag_never_issued(t) : r.stag,
				r.to, row->size));

	/* then no more than the first, and what is inside of the second, is
	 * answered, and the cause is named. A Terminate behind so many octets
	 * is lost if TCP is reset. */
	must_row(t, row,
		 at_most("octets of Read Responses", octets_answered(t),
			 (1u << 17) + row->inside));
	must_row(t, row, stream_ends());
	must_row(t, row,
		 any_of(t, terminate_if_any(TERM_RDMA, 1, row->code),
			terminate_if_any(TERM_RDMA, 1,
					 row->code == 0x01
						 ? second_name(r.to, row->size)
						 : row->code)));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(what_a_refused_read_sends_first,
     .title = "the data sent before a large Read is refused for its last octet "
	      "is recorded",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer of 1 MiB, */
	struct region region =
		dut_registers(t, .len = MIB, .access = FOR_READS);
	connects(t, .crc = true);

	/* when the peer reads one octet more, */
	peer_sends(t, READ(region, 0, MIB + 1));

	/* then it may find out at once or on the way. */
	size_t octets = octets_answered(t);
	observe(t, RDMAP_7_2_15, "%zu octets answered, %s", octets,
		how_it_ended(t));
}
