/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 7306 s6, s7: Immediate Data that the device sends, and its place among
 * other operations. */
#include "case.h"

#define MIB       0x100000u
#define NEED_BOTH (NEED_IMM | NEED_IMM_SE)

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* --- sent by the device --------------------------------------------------- */

struct kind {
	CASE_ROW;
	uint8_t opcode;
};

static const struct kind kinds[] = {
	{.id = "immediate_data", .must = &RDMAPX_4_1_05, .opcode = RDMAP_IMM},
	{.id = "immediate_data_with_se",
	 .must = &RDMAPX_4_1_06,
	 .opcode = RDMAP_IMM_SE},
};

CASE_EACH(eight_octets_are_sent, struct kind, kinds,
	  .title = "the device's Immediate Data is one untagged segment on QN "
		   "0: eight octets right after the DDP header",
	  .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the device sends Immediate Data, */
	dut_posts(t, POST_IMM(EIGHT, .se = row->opcode == RDMAP_IMM_SE));

	/* then it is an untagged message of queue 0 with its opcode, */
	const struct frame *f = awaits(t, RDMAPX_4_1_02, row->opcode);
	must_row(t, row, is("T", f->seg.ddp.tagged, 0));
	must_row(t, row, is("QN", f->seg.ddp.qn, 0));
	must(t, RDMAPX_4_1_03,
	     is("the Invalidate STag field", f->seg.ddp.inval_stag, 0));
	must(t, RDMAPX_4_1_01, is("RV", f->seg.ddp.rv, 1));
	must(t, RDMAPX_4_1_10, is("DV", f->seg.ddp.dv, 1));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the DDP octet", f->seg.ddp.rsvd, 0));
	must(t, RDMAPX_4_1_10,
	     is("reserved bits of the RDMAP octet", f->seg.ddp.rdmap_rsvd, 0));

	/* and has its eight octets, no more. */
	must(t, RDMAPX_6_3_06, is("L", f->seg.ddp.last, 1));
	must(t, RDMAPX_6_3_06, is("MO", f->seg.ddp.mo, 0));
	must(t, RDMAPX_6_3_06, is("ULPDU_Length", f->fpdu->ulpdu_length, 26));
	must(t, RDMAPX_6_2_01,
	     octets_are(t, "what follows the DDP header", f->seg.payload,
			f->seg.payload_octets, EIGHT, 8));
}

CASE(it_counts_among_sends,
     .title = "the device's Send, Immediate Data and Send have MSN 1, 2 and 3 "
	      "of QN 0",
     .needs = NEED_IMM | NEED_SEND, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true, .counts_sends = true);

	/* when the device sends three messages, */
	dut_posts(t, POST_SEND("one"));
	dut_posts(t, POST_IMM(EIGHT));
	dut_posts(t, POST_SEND("three"));

	/* then they are numbered on. */
	must(t, RDMAPX_6_3_16,
	     is("MSN", awaits(t, RDMAPX_6_3_16, RDMAP_SEND)->seg.ddp.msn, 1));
	must(t, RDMAPX_6_3_16,
	     is("MSN", awaits(t, RDMAPX_6_3_16, RDMAP_IMM)->seg.ddp.msn, 2));
	must(t, RDMAPX_6_3_16,
	     is("MSN", awaits(t, RDMAPX_6_3_16, RDMAP_SEND)->seg.ddp.msn, 3));
}

struct written {
	CASE_ROW;
	uint8_t opcode;
	size_t n; /* octets of the Write */
};

static const struct written written[] = {
	{.id = "immediate_data_of_an_empty_write", .opcode = RDMAP_IMM},
	{.id = "immediate_data_with_se_of_an_empty_write",
	 .opcode = RDMAP_IMM_SE},
	{.id = "immediate_data_of_a_write", .opcode = RDMAP_IMM, .n = 7},
	{.id = "immediate_data_with_se_of_a_write",
	 .opcode = RDMAP_IMM_SE,
	 .n = 7},
};

CASE_EACH(it_follows_its_write, struct written, written,
	  .title = "a Write with Immediate Data is sent as a Write, even if it "
		   "is empty, and as Immediate Data behind it",
	  .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a stream, */
	dut_claims_kind(t, row->opcode);
	connects(t, .crc = true);

	/* when the consumer posts both as one work request, */
	dut_posts(t, (struct post){.op = POST_OP_WRITE_IMM,
				   .octets = "written",
				   .len = row->n,
				   .rstag = 0x12345678,
				   .rto = 0x1003,
				   .imm = EIGHT,
				   .se = row->opcode == RDMAP_IMM_SE,
				   .may_refuse = true});

	/* then the Write comes, whose STag and TO mean nothing if it is
	 * empty, */
	struct message m = awaits_message(t, RDMAP_1_2_01, RDMAP_WRITE);
	must(t, DDP_5_2_03,
	     octets_are(t, "the octets of the Write", m.octets, m.n, "written",
			row->n));
	if (row->n) {
		must(t, DDP_4_2_04,
		     is("STag", m.frames[0]->seg.ddp.stag, 0x12345678));
		must(t, DDP_5_2_07, is("TO", m.frames[0]->seg.ddp.to, 0x1003));
	}

	/* and then the eight octets. */
	const struct frame *f = frame_ahead(t);
	insists(t, RDMAP_1_2_01,
		holds_of(f, "one message behind the Write, and no Write",
			 f && f->seg.ddp.opcode != RDMAP_WRITE, NULL));
	f = awaits_given(t, row->opcode);
	must(t, RDMAPX_6_2_01,
	     octets_are(t, "what follows the DDP header", f->seg.payload,
			f->seg.payload_octets, EIGHT, 8));
}

CASE(ten_leave_in_posting_order,
     .title = "ten Immediate Data messages are sent in the order posted",
     .needs = NEED_BOTH, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true, .counts_sends = true);

	/* when the device sends ten, */
	for (unsigned i = 0; i < 10; i++)
		dut_posts(t, POST_IMM(octets_of(t, 8, i)));

	/* then they leave in that order. */
	for (unsigned i = 0; i < 10; i++) {
		const struct frame *f = awaits(t, RDMAPX_6_3_07, RDMAP_IMM);

		insists(t, RDMAPX_6_3_06,
			is("its octets", f->seg.payload_octets, 8));
		must(t, RDMAPX_6_3_07, is("MSN", f->seg.ddp.msn, i + 1));
		must(t, RDMAPX_6_3_07,
		     octets_are(t, "its octets", f->seg.payload,
				f->seg.payload_octets, octets_of(t, 8, i), 8));
	}
}

CASE(it_completes_behind_the_read_before_it,
     .title = "Immediate Data posted after a Read does not complete before the "
	      "Read",
     .needs = NEED_IMM | NEED_READ, .role = EITHER)
{
	/* Given a Read of the device that is not answered, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned read =
		dut_posts(t, POST_READ(region, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when it sends Immediate Data after it (or holds that back until the
	 * Read is answered: RFC 5040 s5.5 item 13 defines an order, not a
	 * time), */
	unsigned imm = dut_posts(t, POST_IMM(EIGHT));
	bool held_back = !frames_waiting(t);
	if (!held_back)
		awaits_given(t, RDMAP_IMM);
	must(t, RDMAPX_6_4_02, not_completed(imm));

	/* then it completes when the Read has completed. */
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	if (held_back)
		awaits_given(t, RDMAP_IMM);
	must(t, RDMAPX_6_4_02, completed(read));
	must(t, RDMAPX_6_4_02, completed(imm));
	must(t, RDMAPX_6_4_02,
	     holds("the Read completes first",
		   dut_completes(t, read).order < dut_completes(t, imm).order));
}

CASE(with_an_event_it_completes_behind_the_read_before_it,
     .title =
	     "Immediate Data with Solicited Event posted after a Read does not "
	     "complete before the Read",
     .needs = NEED_IMM_SE | NEED_READ, .role = EITHER)
{
	/* Given a Read of the device that is not answered, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t, .crc = true);
	unsigned read =
		dut_posts(t, POST_READ(region, 0, 8, PEER_SINK_STAG, 0));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);

	/* when it sends Immediate Data after it, or holds that back, */
	unsigned imm = dut_posts(t, POST_IMM(EIGHT, .se = true));
	bool held_back = !frames_waiting(t);
	if (!held_back)
		awaits_given(t, RDMAP_IMM_SE);
	must(t, RDMAPX_6_4_02, not_completed(imm));

	/* then it completes when the Read has completed. */
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	if (held_back)
		awaits_given(t, RDMAP_IMM_SE);
	must(t, RDMAPX_6_4_02, completed(read));
	must(t, RDMAPX_6_4_02, completed(imm));
	must(t, RDMAPX_6_4_02,
	     holds("the Read completes first",
		   dut_completes(t, read).order < dut_completes(t, imm).order));
}

/* --- before and after others ---------------------------------------------- */

struct pair {
	CASE_ROW;
	bool imm_first, imm_second;
};

static const struct pair pairs[] = {
	{.id = "immediate_data_then_send",
	 .must = &RDMAPX_7_01,
	 .imm_first = true},
	{.id = "send_then_immediate_data",
	 .must = &RDMAPX_7_04,
	 .imm_second = true},
	{.id = "immediate_data_twice",
	 .must = &RDMAPX_7_04,
	 .imm_first = true,
	 .imm_second = true},
};

static struct msg one_or_other(bool imm)
{
	return imm ? IMM(EIGHT) : SEND("sent");
}

static struct expect as_sent(struct sink sink, bool imm)
{
	return imm ? delivered_imm(sink, EIGHT) : delivered_text(sink, "sent");
}

CASE_EACH(it_completes_in_order_with_sends, struct pair, pairs,
	  .title = "Immediate Data and Sends complete in the order sent",
	  .needs = NEED_IMM | NEED_SEND, .role = EITHER)
{
	/* Given two buffers, */
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	connects(t, .crc = true);

	/* when two messages arrive in one burst, */
	peer_sends(t, one_or_other(row->imm_first), .hold = true);
	peer_sends(t, one_or_other(row->imm_second));

	/* then the first completes the first buffer, and earlier. */
	insists(t, RDMAPX_6_3_02,
		holds("two receives complete",
		      dut_receives(t, sink_at(sinks, 1)).came));
	must_row(t, row, as_sent(sink_at(sinks, 0), row->imm_first));
	must_row(t, row, as_sent(sink_at(sinks, 1), row->imm_second));
	must_row(t, row,
		 is("receives from the first to the second",
		    dut_receives(t, sink_at(sinks, 1)).place -
			    dut_receives(t, sink_at(sinks, 0)).place,
		    1));
}

CASE(it_shows_the_writes_before_it,
     .title = "when Immediate Data completes, the Write before it is placed",
     .needs = NEED_IMM | NEED_WRITE, .role = EITHER)
{
	/* Given a buffer to write, */
	struct region region =
		dut_registers(t, .len = 4096, .access = FOR_WRITES);
	connects(t, .crc = true);

	/* when Write and Immediate Data arrive in one burst, repeatedly, */
	for (unsigned i = 0; i < 16; i++) {
		struct sink sink = dut_posts_recv(t, 16);
		const uint8_t *octets = pattern(t, 4096, i);

		peer_sends(t, WRITE(region, 0, octets, 4096), .hold = true);
		peer_sends(t, IMM(EIGHT));

		/* then the consumer never sees the round before. */
		insists(t, RDMAPX_6_3_02,
			holds("the next receive completes",
			      dut_receives(t, sink).came));
		insists(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
		must(t, RDMAPX_7_05,
		     octets_are(t, "the octets written",
				dut_memory(t, region, 0, 4096), 4096, octets,
				4096));
	}
}

CASE(a_read_response_waits_for_it,
     .title = "when the Response to a Read arrives, the Immediate Data before "
	      "the Request has completed",
     .needs = NEED_IMM | NEED_READ, .role = EITHER)
{
	/* Given a buffer to read, and a receive, */
	struct region region = dut_registers(t, .len = 16, .access = FOR_READS);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when Immediate Data and a Read arrive in one burst, */
	peer_sends(t, IMM(EIGHT), .hold = true);
	peer_sends(t, READ(region, 0, 16));
	awaits(t, RDMAPX_7_02, RDMAP_READ_RESPONSE);

	/* then the consumer need not wait for it any more. */
	must(t, RDMAPX_7_02,
	     holds("the completion of the Immediate Data is already there",
		   dut_has_received(t, sink).ok));
}

CASE(an_atomic_response_waits_for_it,
     .title = "when an Atomic Response arrives, the Immediate Data before the "
	      "Request has completed",
     .needs = NEED_IMM | NEED_FETCHADD, .role = EITHER)
{
	/* Given a word, and a receive, */
	struct region region =
		dut_registers(t, .len = 8, .access = FOR_ATOMICS);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when Immediate Data and an addition arrive in one burst, */
	peer_sends(t, IMM(EIGHT), .hold = true);
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	awaits(t, RDMAPX_7_03, RDMAP_ATOMIC_RESPONSE);

	/* then the consumer need not wait for it any more. */
	must(t, RDMAPX_7_03,
	     holds("the completion of the Immediate Data is already there",
		   dut_has_received(t, sink).ok));
}

CASE(it_may_overtake_responses,
     .title = "Immediate Data may complete while the Responses to a Read and "
	      "an atomic before it are held back",
     .needs = NEED_IMM | NEED_READ | NEED_FETCHADD, .role = EITHER)
{
	/* Given a peer with little room to receive, and a receive, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_ATOMICS | FOR_READS);
	struct sink sink = dut_posts_recv(t, 16);
	dut_has_depths(t, 2, 0);
	connects(t, .rcvbuf = 4096);

	/* when Immediate Data follows a large Read and an addition, */
	peer_sends(t, READ(region, 8, MIB / 4 - 8));
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	peer_sends(t, IMM(EIGHT));
	bool early = dut_has_received(t, sink).ok;

	/* then it may complete at once; in the end all is there. */
	may(t, RDMAPX_7_06,
	    holds("the Immediate Data completes before the Read", early));
	may(t, RDMAPX_7_07,
	    holds("the Immediate Data completes before the atomic", early));
	awaits_message(t, RDMAPX_7_14, RDMAP_READ_RESPONSE);
	awaits(t, RDMAPX_7_14, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
}

CASE(with_an_event_it_may_overtake_responses,
     .title = "Immediate Data with Solicited Event may complete while the "
	      "Responses to a Read and an atomic before it are held back",
     .needs = NEED_IMM_SE | NEED_READ | NEED_FETCHADD, .role = EITHER)
{
	/* Given a peer with little room to receive, and a receive, */
	struct region region = dut_registers(t, .len = MIB / 4,
					     .access = FOR_ATOMICS | FOR_READS);
	struct sink sink = dut_posts_recv(t, 16);
	dut_has_depths(t, 2, 0);
	connects(t, .rcvbuf = 4096);

	/* when it follows a large Read and an addition, */
	peer_sends(t, READ(region, 8, MIB / 4 - 8));
	peer_sends(t, FETCHADD(region, 0, 1, 0));
	peer_sends(t, IMM_SE(EIGHT));
	bool early = dut_has_received(t, sink).ok;

	/* then it may complete at once; in the end all is there. */
	may(t, RDMAPX_7_06,
	    holds("the Immediate Data completes before the Read", early));
	may(t, RDMAPX_7_07,
	    holds("the Immediate Data completes before the atomic", early));
	awaits_message(t, RDMAPX_7_14, RDMAP_READ_RESPONSE);
	awaits(t, RDMAPX_7_14, RDMAP_ATOMIC_RESPONSE);
	must(t, RDMAPX_6_1_01, delivered_imm(sink, EIGHT));
}
