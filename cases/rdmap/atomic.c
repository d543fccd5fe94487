/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s4, s5.2: Atomic Requests as the device takes them, and the
 * Responses it gives. */
#include "case.h"

CASE(a_response_has_its_form,
     .title = "an Atomic Response is one untagged segment on QN 3: identifier "
	      "and value, twelve octets",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	static const uint8_t due[] = {0x11, 0x22, 0x33, 0x44, 0x01, 0x02,
				      0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, 0x0102030405060708);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then the first message of queue 3 answers, */
	const struct frame *f = awaits(t, RDMAPX_4_1_02, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_4_1_08, is("T", f->seg.ddp.tagged, 0));
	must(t, RDMAPX_4_1_08, is("QN", f->seg.ddp.qn, 3));
	must(t, RDMAPX_5_2_03, is("MSN", f->seg.ddp.msn, 1));
	must(t, RDMAPX_4_1_03,
	     is("the Invalidate STag field", f->seg.ddp.inval_stag, 0));

	/* in one segment, with identifier and value. */
	must(t, RDMAPX_5_2_1_25, is("L", f->seg.ddp.last, 1));
	must(t, RDMAPX_5_2_1_25, is("MO", f->seg.ddp.mo, 0));
	must(t, RDMAPX_5_2_1_25, is("ULPDU_Length", f->fpdu->ulpdu_length, 30));
	const uint8_t *at = f->seg.payload;
	insists(t, RDMAPX_5_2_2_01,
		is("octets behind the DDP header", f->seg.payload_octets, 12));
	insists(t, RDMAPX_5_2_2_01,
		any_of(t, octets_are(t, "octets 0 to 3", at, 4, due, 4),
		       octets_are(t, "octets 4 to 11", at + 4, 8, due + 4, 8)));
	must(t, RDMAPX_5_2_1_10,
	     octets_are(t, "the identifier", at, 4, due, 4));
	must(t, RDMAPX_5_1_1_09,
	     octets_are(t, "the original value", at + 4, 8, due + 4, 8));
}

CASE(a_response_has_its_control_bits,
     .title = "an Atomic Response has RV 1 and DV 1, and no reserved bit set",
     .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to it, */
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then the control octets of the Response are right. */
	const struct frame *f =
		awaits(t, RDMAPX_5_2_1_25, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_4_1_01, is("RV", f->seg.ddp.rv, 1));
	must(t, RDMAPX_4_1_10, is("DV", f->seg.ddp.dv, 1));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the DDP octet", f->seg.ddp.rsvd, 0));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the RDMAP octet", f->seg.ddp.rdmap_rsvd, 0));
}

struct id_row {
	CASE_ROW;
	uint32_t number;
};

static const struct id_row identifiers[] = {
	{.id = "zero", .number = 0},
	{.id = "one", .number = 1},
	{.id = "top_bit", .number = 0x80000000},
	{.id = "all_ones", .number = 0xffffffff},
	{.id = "four_octets", .number = 0x12345678},
};

CASE_EACH(the_identifier_comes_back, struct id_row, identifiers,
	  .title = "the Request Identifier is reflected in the Response, even "
		   "if it was used before",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when the peer adds to it twice with one identifier, */
	struct msg add = FETCHADD(region, 0, 1, 0);
	add.atomic.id = row->number;
	for (unsigned i = 0; i < 2; i++) {
		peer_sends(t, add);

		/* then both Responses contain it, octet for octet. */
		const struct frame *f =
			awaits(t, RDMAPX_5_2_1_10, RDMAP_ATOMIC_RESPONSE);
		must(t, RDMAPX_5_2_1_10,
		     is("the identifier", case_atomic_response_of(f).id,
			row->number));
	}
}

struct op_row {
	CASE_ROW;
	bool cmpswap;
};

static const struct op_row operations[] = {
	{.id = "fetchadd"},
	{.id = "cmpswap", .cmpswap = true},
};

/* Either operation, so that the word goes from 5 to 9. */
/* Numbers that are the same from either end: what order the octets of a word
 * have in memory is for other cases. */
#define FIVE 0x0500000000000005
#define NINE 0x0900000000000009

static struct msg from_5_to_9(struct region region, const struct op_row *row)
{
	return row->cmpswap ? CMPSWAP(region, 0, FIVE, NINE)
			    : FETCHADD(region, 0, NINE - FIVE, 0);
}

CASE_EACH(reserved_header_bits_are_ignored, struct op_row, operations,
	  .title = "the 28 reserved bits of an Atomic Request are ignored",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, FIVE);
	connects(t, .crc = true);

	/* when the peer sets all bits before the AOpCode, */
	struct msg atomic = from_5_to_9(region, row);
	atomic.atomic.reserved = 0x0fffffff;
	peer_sends(t, atomic);

	/* then the operation is performed. */
	awaits(t, RDMAPX_5_2_1_03, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_5_2_1_03, word_is(region, 0, NINE));
}

CASE_EACH(reserved_control_bits_are_ignored, struct op_row, operations,
	  .title = "reserved bits of the DDP and RDMAP octets are ignored in "
		   "Atomic Requests",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, FIVE);
	connects(t, .crc = true);

	/* when the peer sets all reserved bits of both control octets, */
	struct msg atomic = from_5_to_9(region, row);
	atomic.rsvd = IS(0xf);
	atomic.rdmap_rsvd = IS(3);
	peer_sends(t, atomic);

	/* then the operation is performed. */
	awaits(t, RDMAPX_4_1_11, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_4_1_11, word_is(region, 0, NINE));
}

CASE_EACH(the_invalidate_field_is_ignored, struct op_row, operations,
	  .title = "an Atomic Request whose Invalidate STag field names an "
		   "STag does not invalidate it",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, FIVE);
	connects(t, .crc = true);

	/* when the peer puts its STag into the place of an STag to
	 * invalidate, */
	struct msg atomic = from_5_to_9(region, row);
	atomic.inval = region.stag;
	peer_sends(t, atomic);

	/* then the operation is performed, and the STag still works. */
	awaits(t, RDMAPX_4_1_04, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	const struct frame *f = awaits(t, RDMAPX_4_1_04, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_4_1_04,
	     is("the value it left", case_atomic_response_of(f).value, NINE));
}

CASE_EACH(a_request_may_come_in_two_segments, struct op_row, operations,
	  .title = "an Atomic Request cut into two DDP segments is performed "
		   "once, or refused",
	  .needs = NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, FIVE);
	connects(t, .crc = true);

	/* when an Atomic Request arrives in two halves, */
	struct msg atomic = from_5_to_9(region, row);
	atomic.segment = 26;
	peer_breaks(t, RDMAPX_5_2_1_01);
	peer_sends(t, atomic);

	/* then it is performed, once, or refused: texts disagree. */
	unsigned n = frames_waiting(t);
	const struct frame *f = n ? frame_ahead(t) : NULL;
	unsigned opcode = f ? f->seg.ddp.opcode : RDMAP_WRITE;
	if (opcode == RDMAP_ATOMIC_RESPONSE)
		must(t, DDP_5_4_01, word_is(region, 0, NINE));
	else if (opcode == RDMAP_TERMINATE)
		must(t, DDP_5_4_01, word_is(region, 0, FIVE));
	else
		must(t, DDP_5_4_01,
		     any_of(t, word_is(region, 0, NINE),
			    word_is(region, 0, FIVE)));
	must(t, DDP_5_4_01, at_most("messages from the device", n, 1));
	bool works = known_answer(t);
	must(t, DDP_5_4_01,
	     holds_else(t, "an answer, or the end of the stream", n || !works,
			"no answer, and the stream goes on"));
	observe(t, RDMAPX_5_2_1_32, "%s",
		works ? "it is performed" : how_it_ended(t));
}

static const struct id_row tails[] = {
	{.id = "1_octet", .number = 1},
	{.id = "30_octets", .number = 30},
};

CASE_EACH(octets_after_the_header, struct id_row, tails,
	  .title = "the reaction to an Atomic Request with octets after its "
		   "header is recorded",
	  .needs = NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	connects(t, .crc = true);

	/* when some octets too many come, */
	peer_sends(t, FETCHADD(region, 0, 1, 0, .tail = octets_of(t, 30, 0xff),
			       .tail_octets = row->number));

	/* then it is served, or ends the stream: no length check is asked. */
	const struct frame *f = next_frame(t);
	observe(t, RDMAPX_5_2_1_31, "%s",
		f && f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE
			? "it is served"
			: how_it_ended(t));
}

CASE_EACH(the_consumer_is_not_told, struct op_row, operations,
	  .title = "a valid Atomic Request completes no receive and uses no "
		   "buffer of the Sends",
	  .needs = NEED_ATOMICS | NEED_SEND, .role = EITHER)
{
	/* Given two buffers waiting for Sends, and a word, */
	struct sink sinks = dut_posts_recvs(t, 2, 64);
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	dut_sets_word(t, region, 0, FIVE);
	connects(t, .crc = true);

	/* when an atomic operation is performed, and a Send follows, */
	peer_sends(t, from_5_to_9(region, row));
	awaits(t, RDMAPX_5_2_1_21, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, SEND("after"));

	/* then only the Send completes, with the first buffer. */
	must(t, RDMAPX_5_2_1_21, delivered_text(sink_at(sinks, 0), "after"));
	must(t, RDMAPX_5_2_1_21, not_delivered(sink_at(sinks, 1)));
}

CASE(reads_and_atomics_share_queue_1,
     .title = "Read, Atomic and Read Requests with the next MSNs of QN 1 are "
	      "all served",
     .needs = NEED_READ | NEED_ATOMICS, .role = EITHER)
{
	/* Given a word, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS | FOR_READS);
	connects(t, .crc = true);

	/* when Reads and atomics follow each other on one queue, */
	peer_sends(t, READ(region, 0, 8));
	awaits(t, RDMAPX_5_2_02, RDMAP_READ_RESPONSE);
	peer_sends(t, FETCHADD(region, 0, 5, 0));
	const struct frame *add =
		awaits(t, RDMAPX_5_2_02, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, CMPSWAP(region, 0, 5, 9));
	const struct frame *swap =
		awaits(t, RDMAPX_5_2_02, RDMAP_ATOMIC_RESPONSE);
	peer_sends(t, READ(region, 0, 8));

	/* then each is served, */
	awaits(t, RDMAPX_5_2_02, RDMAP_READ_RESPONSE);

	/* and the Atomic Responses are numbered from 1, for themselves. */
	must(t, RDMAPX_5_2_03, is("MSN", add->seg.ddp.msn, 1));
	must(t, RDMAPX_5_2_03, is("MSN", swap->seg.ddp.msn, 2));
	must(t, RDMAPX_5_2_02,
	     is("the original value", case_atomic_response_of(swap).value, 5));
	must(t, RDMAPX_5_2_02, word_is(region, 0, 9));
}

CASE(the_whole_ird_is_there_for_atomics,
     .title = "three batches of as many atomics as the IRD are all served",
     .needs = NEED_FETCHADD | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four inbound requests, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS);
	dut_has_depths(t, 4, 0);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4);

	/* when three batches of four follow each other's answers, */
	for (unsigned i = 0; i < 12; i += 4) {
		for (unsigned k = 0; k < 4; k++)
			peer_sends(t, FETCHADD(region, 0, 1, 0), .hold = k < 3);

		/* then each is served. */
		for (unsigned k = 0; k < 4; k++)
			awaits(t, RDMAPX_5_2_1_20, RDMAP_ATOMIC_RESPONSE);
	}
	must(t, RDMAPX_5_1_1_01, word_is(region, 0, 12));
}

CASE(the_whole_ird_is_there_for_reads_and_atomics,
     .title = "as many Reads and atomics by turns as the IRD are all served",
     .needs = NEED_READ | NEED_FETCHADD | NEED_ENHANCED, .role = EITHER)
{
	/* Given a device that has agreed to four inbound requests, */
	struct region region =
		dut_registers(t, .len = 16, .access = FOR_ATOMICS | FOR_READS);
	dut_has_depths(t, 4, 0);
	connects(t, .enhanced = true, .dut_ird = 4, .ord = 4);

	/* when two Reads and two atomics come in one write, */
	for (unsigned i = 0; i < 4; i += 2) {
		peer_sends(t, READ(region, 8, 8), .hold = true);
		peer_sends(t, FETCHADD(region, 0, 1, 0), .hold = i == 0);
	}

	/* then each is served. */
	for (unsigned i = 0; i < 4; i += 2) {
		awaits(t, RDMAP_6_1_05, RDMAP_READ_RESPONSE);
		awaits(t, RDMAP_6_1_05, RDMAP_ATOMIC_RESPONSE);
	}
	must(t, RDMAP_6_1_05, stream_works());
}

CASE(atomics_on_top_of_reads,
     .title = "the reaction to atomics that arrive while as many Reads as the "
	      "IRD wait is recorded",
     .needs = NEED_READ | NEED_FETCHADD | NEED_ENHANCED, .role = EITHER)
{
	/* Given a peer with little room to receive, and an IRD of two, */
	struct region region = dut_registers(t, .len = 1u << 20,
					     .access = FOR_ATOMICS | FOR_READS);
	dut_has_depths(t, 2, 0);
	connects(t, .enhanced = true, .dut_ird = 2, .ord = 2, .rcvbuf = 4096);

	/* when two large Reads are followed by two atomics, */
	peer_sends(t, READ(region, 0, 1u << 20), .hold = true);
	peer_sends(t, READ(region, 0, 1u << 20), .hold = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0), .hold = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0));

	/* then they are served, wait, or end the stream: a depth for atomics
	 * is agreed nowhere on the wire. */
	const struct frame *f;
	unsigned served = 0;
	while (served < 2 && (f = next_frame(t)) &&
	       f->seg.ddp.opcode != RDMAP_TERMINATE)
		served += f->seg.ddp.opcode == RDMAP_ATOMIC_RESPONSE;
	observe(t, RDMAPX_5_2_2_04, "%u of two atomics served%s%s", served,
		served < 2 ? ", " : "", served < 2 ? how_it_ended(t) : "");
}
