/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5041 s7, s7.1 and s7.2: the reaction of a device to a segment with an
 * error. RFC 5042 s6.4.3.3: the error does not affect other streams. */
#include "case.h"

#define BUFFER 100u
#define GUARD  100u

CASE(an_llp_error_reaches_the_ulp,
     .title = "a CRC error is reported to the ULP as an error, or the segment "
	      "is dropped as if lost",
     .needs = NEED_SEND | NEED_CRC, .role = EITHER)
{
	/* Given a stream with CRC, */
	dut_posts_recv(t, 16);
	connects(t, .crc = true);

	/* when the CRC of a Send is wrong, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then the ULP learns of an error. */
	should(t, DDP_7_01,
	       any_of(t, agent_sees_fatal_end(), segment_dropped()));
}

CASE(placement_ceases_at_the_fault,
     .title = "no octet of a segment that overruns its receive buffer is "
	      "placed outside the buffer",
     .needs = NEED_SEND | NEED_RECV_LOCAL, .role = EITHER)
{
	/* Given a buffer of 100 octets in the midst of others, */
	struct region r = dut_registers(t, .len = GUARD + BUFFER + 1000,
					.access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, GUARD, BUFFER);
	connects(t);

	/* when the second segment of a Send goes far beyond it, */
	peer_sends(t, SEND_N(octets_of(t, 60, 0xaa), 60, .l = IS(0),
			     .keeps_msn = true));
	peer_sends(t, SEND_N(octets_of(t, 1000, 0xbb), 1000, .mo = IS(60)));

	/* then no octet outside changes, and nothing is completed. */
	must(t, DDP_7_1_33, stream_ends());
	must(t, DDP_7_1_33, memory_is(r, 0, octets_of(t, GUARD, 0), GUARD));
	must(t, DDP_7_1_33,
	     memory_is(r, GUARD + BUFFER, octets_of(t, 1000, 0), 1000));
	must(t, DDP_7_1_33, not_delivered(sink));
}

struct number {
	CASE_ROW;
	uint32_t msn;
};

static const struct number numbers[] = {
	{.id = "0", .must = &DDP_7_1_13, .msn = 0},
	{.id = "1000", .must = &DDP_7_1_15, .msn = 1000},
};

CASE_EACH(nothing_out_of_range_is_placed, struct number, numbers,
	  .title = "no octet of a Send whose MSN is out of range is placed in "
		   "the receive buffer",
	  .needs = NEED_SEND | NEED_RECV_LOCAL, .role = INITIATOR)
{
	/* Given a receive buffer, */
	struct region r =
		dut_registers(t, .len = BUFFER, .access = FOR_RESULTS);
	struct sink sink = dut_posts_recv_in(t, r, 0, BUFFER);
	const uint8_t *p = pattern(t, BUFFER, 7);
	connects(t, .counts_sends = true);

	/* when a Send comes whose number no buffer has, */
	peer_sends(t, SEND_N(p, BUFFER, .msn = IS(row->msn)));

	/* then nothing of it is in the buffer that is there. */
	must_row(t, row, refuses_msn(t, row->msn > 1));
	must_row(t, row, memory_lacks(r, 0, BUFFER, p, BUFFER));
	must_row(t, row, not_delivered(sink));
}

/* The DDP header that the Terminate returns; all zero if none arrived. */
static struct ddp returned_header(struct test *t)
{
	struct rdmap_terminate h = terminate_seen(t);
	struct ddp_segment s = {0};

	if (h.ddp_header)
		ddp_decode(&s, h.ddp_header, h.ddp_header_octets);
	return s.ddp;
}

CASE(the_report_is_about_the_faulty_segment,
     .title = "the Terminate has type, header and length of the faulty segment",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive buffer of 100 octets, */
	dut_posts_recv(t, BUFFER);
	connects(t);

	/* when the second of three segments overruns it, */
	peer_sends(t, SEND_N(octets_of(t, 180, 0xaa), 180, .segment = 60));

	/* then the Terminate is about the second one. */
	should(t, DDP_7_1_34, terminate(TERM_DDP, 2, 0x05));
	should(t, DDP_7_1_34,
	       is("MO in the header that came back", returned_header(t).mo,
		  60));
	should(t, DDP_7_1_34,
	       is("DDP Segment Length", terminate_seen(t).segment_length,
		  DDP_UNTAGGED_OCTETS + 60));
}

/* The Terminates that arrive until the stream ends. */
static unsigned terminates_until_the_end(struct test *t)
{
	const struct frame *f;
	unsigned n = 0;

	while ((f = next_frame(t)))
		n += f->seg.ddp.opcode == RDMAP_TERMINATE;
	return n;
}

CASE(segments_behind_the_fault_are_dropped,
     .title = "a Write right after a faulty one is not placed, and causes no "
	      "second Terminate",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given two buffers, */
	struct region a = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct region b = dut_registers(t, .len = 16, .access = FOR_WRITES);
	connects(t);

	/* when two bad Writes and a good one arrive in one burst, */
	peer_sends(t, WRITE(a, 16, "bad", 3), .hold = true);
	peer_sends(t, WRITE(a, 16, "bad", 3), .hold = true);
	peer_sends(t, WRITE(b, 0, "good", 4));

	/* then the good one is lost too, and the Terminate is alone. */
	insists(t, DDP_7_1_27, stream_ends());
	must(t, DDP_7_1_35, memory_unchanged(b));
	must(t, DDP_7_1_35,
	     at_most("Terminates", terminates_until_the_end(t), 1));
}

CASE(one_more_message_leaves_after_the_fault,
     .title = "the Terminate arrives behind a long Response that the peer's "
	      "TCP window holds back",
     .needs = NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a peer that asks for more than its window takes, and does not
	 * read it, */
	struct region r = dut_registers(t, .len = 1 << 20,
					.access = FOR_READS | FOR_WRITES);
	connects(t, .rcvbuf = 4096);
	peer_sends(t, READ(r, 0, 1 << 20), .hold = true);

	/* when a bad Write directly follows it, and then it reads, */
	peer_sends(t, WRITE(r, 1 << 20, "bad", 3));

	/* then a Terminate is there at the end. */
	unsigned n = terminates_until_the_end(t);
	insists(t, DDP_7_1_27, stream_ends());
	should(t, DDP_7_1_36, at_least("Terminates", n, 1));
}

CASE(a_local_error_of_ddp_has_its_own_number,
     .title = "a local catastrophic error of DDP is reported as "
	      "1/0/00",
     .needs = NEED_PROVOKE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when the device meets an error of its own in DDP, */
	dut_provokes(t, TERM_DDP, 0, 0x00);

	/* then the Terminate says that and no more. */
	must(t, DDP_7_2_01, terminate_if_any(TERM_DDP, 0, 0x00));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

struct fault {
	CASE_ROW;
	size_t len;
	struct over qn, msn, mo, dv;
};

static const struct fault faults[] = {
	{.id = "qn", .len = 5, .qn = {true, 4}},
	{.id = "msn_0", .len = 5, .msn = {true, 0}},
	{.id = "msn_1000", .len = 5, .msn = {true, 1000}},
	{.id = "mo", .len = 5, .mo = {true, 16}},
	{.id = "mo_overflow", .len = 5, .mo = {true, 0xffffffff}},
	{.id = "length", .len = 17},
	{.id = "version", .len = 5, .dv = {true, 3}},
};

CASE_EACH(untagged_errors_have_a_number, struct fault, faults,
	  .title = "no fault of an untagged segment is reported as 1/2/00, "
		   "which is not defined",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a receive buffer of 16 octets, */
	dut_posts_recv(t, 16);
	connects(t);

	/* when an untagged segment has this fault, */
	peer_sends(t,
		   SEND_N(octets_of(t, row->len, 0xaa), row->len, .qn = row->qn,
			  .msn = row->msn, .mo = row->mo, .dv = row->dv));

	/* then the code of its Terminate is not 0. */
	if (row->len > 16)
		insists(t, DDP_7_1_09, stream_ends());
	else if (row->msn.v > 1) /* the device may wait for its buffer */
		insists(t, DDP_6_2_2_02, any_of(t, stream_ends(), held_back()));
	else
		insists(t, DDP_6_2_2_02, stream_ends());
	struct rdmap_terminate h = terminate_seen(t);
	must(t, DDP_7_2_13,
	     is_not("layer, type and code",
		    (uint64_t)h.layer << 12 | h.etype << 8 | h.code, 0x1200));
}

CASE(a_flood_of_reads_ends_its_own_stream_only,
     .title = "more Read Requests than the IRD on one stream do not harm "
	      "another stream",
     .needs = NEED_READ | NEED_WRITE | NEED_MULTI_STREAM | NEED_ENHANCED,
     .role = EITHER)
{
	/* Given stream a, and in another protection domain b with an IRD of one;
	 * a works although b waits for room in its peer's window, */
	struct region r =
		dut_registers(t, .len = 1 << 20, .pd = 2, .access = FOR_READS);
	struct region own =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_WRITES);
	unsigned a = connects(t, .pd = 1);
	unsigned b = connects(t, .pd = 2, .enhanced = true, .ord = 1,
			      .dut_ird = 1, .rcvbuf = 4096);
	peer_sends(t, READ(r, 0, 1 << 20));
	on_stream(t, a);
	if (!known_answer(t))
		not_applicable(t, "a stream of the device waits for the window "
				  "of another");

	/* when the peer sends b three Read Requests more, reading no Response, */
	on_stream(t, b);
	peer_breaks(t, RDMAP_6_1_02);
	for (unsigned i = 0; i < 3; i++)
		peer_sends(t, READ(r, 0, 1 << 20), .hold = i < 2);

	/* then a continues as if nothing had happened. */
	on_stream(t, a);
	must(t, SEC_6_4_3_3_01, stream_works());
	peer_sends(t, WRITE(own, 0, "hello", 5));
	must(t, SEC_6_4_3_3_01, memory_is(own, 0, "hello", 5));
	on_stream(t, b);
}
