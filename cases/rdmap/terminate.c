/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.8: the Terminate Message as the device sends it. */
#include "case.h"

#define MIB (1u << 20)

/* A fault of the peer, with the numbers that name it. */
struct fault {
	CASE_ROW;
	void (*commit)(struct test *t);
	unsigned layer, etype, code;
};

static void unassigned_opcode(struct test *t)
{
	peer_sends(t, OPCODE(12, "hello", 5));
}

static void wrong_rv(struct test *t)
{
	peer_sends(t, SEND("hello", .rv = IS(2)));
}

static void read_of_nothing(struct test *t)
{
	peer_sends(t, READ_FROM(stag_never_issued(t), 0x1000, 40));
}

static void read_behind_the_end(struct test *t)
{
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);

	peer_sends(t, READ(r, 16, 1));
}

static void read_without_the_right(struct test *t)
{
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);

	peer_sends(t, READ(r, 0, 1));
}

static void read_of_another_domain(struct test *t)
{
	struct region r =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_READS);

	peer_sends(t, READ(r, 0, 1));
}

static void write_to_nothing(struct test *t)
{
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0x1000, "ten octets", 10));
}

static void write_behind_the_end(struct test *t)
{
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);

	peer_sends(t, WRITE(r, 16, "x", 1));
}

static void tagged_wrong_dv(struct test *t)
{
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);

	peer_sends(t, WRITE(r, 0, "x", 1, .dv = IS(2)));
}

static void untagged_wrong_dv(struct test *t)
{
	peer_sends(t, SEND("hello", .dv = IS(2)));
}

static void unknown_queue(struct test *t)
{
	peer_sends(t, SEND("hello", .qn = IS(7)));
}

static void send_too_long(struct test *t)
{
	peer_sends(t, SEND_N(pattern(t, 65, 1), 65));
}

static void read_request_wrong_dv(struct test *t)
{
	struct region r = dut_registers(t, .len = 16, .access = FOR_READS);

	peer_sends(t, READ(r, 0, 16, .dv = IS(2)));
}

static const struct fault named[] = {
	{.id = "invalid_stag",
	 .commit = read_of_nothing,
	 .layer = TERM_RDMA,
	 .etype = 1,
	 .code = 0x00},
	{.id = "bounds",
	 .commit = read_behind_the_end,
	 .layer = TERM_RDMA,
	 .etype = 1,
	 .code = 0x01},
	{.id = "rdmap_version",
	 .commit = wrong_rv,
	 .layer = TERM_RDMA,
	 .etype = 2,
	 .code = 0x05},
	{.id = "opcode",
	 .commit = unassigned_opcode,
	 .layer = TERM_RDMA,
	 .etype = 2,
	 .code = 0x06},
	{.id = "ddp_invalid_stag",
	 .commit = write_to_nothing,
	 .layer = TERM_DDP,
	 .etype = 1,
	 .code = 0x00},
	{.id = "ddp_bounds",
	 .commit = write_behind_the_end,
	 .layer = TERM_DDP,
	 .etype = 1,
	 .code = 0x01},
	{.id = "queue",
	 .commit = unknown_queue,
	 .layer = TERM_DDP,
	 .etype = 2,
	 .code = 0x01},
	{.id = "too_long",
	 .commit = send_too_long,
	 .layer = TERM_DDP,
	 .etype = 2,
	 .code = 0x05},
};

/* A Terminate is due for RDMAP's own errors; for others its content is. */
static struct expect named_so(const struct fault *f)
{
	return f->layer == TERM_RDMA
		       ? terminate(f->layer, f->etype, f->code)
		       : terminate_if_any(f->layer, f->etype, f->code);
}

/* Holds where no Terminate came, for a fault that need not bring one. */
static struct expect of_terminate(struct test *t, struct expect e)
{
	return the_terminate(t) ? e : stream_ends();
}

enum { M = 4, D = 2, R = 1 };

static struct expect headers(const struct rdmap_terminate *term, unsigned due)
{
	return is("M, D, R as 4, 2, 1",
		  (term->m ? M : 0u) | (term->d ? D : 0u) | (term->r ? R : 0u),
		  due);
}

/* The Read Request that a Terminate brings back: zeros where it does not. */
static struct rdmap_read_request returned_request(const struct frame *f)
{
	struct rdmap_terminate term = case_terminate_of(f);
	struct rdmap_read_request h = {0};

	if (term.rdma_header)
		rdmap_read_request_decode(&h, term.rdma_header,
					  RDMAP_READ_REQUEST_OCTETS);
	return h;
}

/* What stands in octet i of the Terminate's own header, 0 to 3. */
static unsigned control_octet(const struct frame *f, size_t i)
{
	return f && f->seg.payload_octets > i ? f->seg.payload[i] : 0x100;
}

CASE_EACH(a_terminate_names_layer_type_and_code, struct fault, named,
	  .title = "the Terminate holds layer, error type and error code of "
		   "the fault, in this order",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer commits the fault, */
	row->commit(t);

	/* then octet 0 has layer and type, octet 1 the code, 2 and 3 flags. */
	const struct frame *f = the_terminate(t);
	must(t, RDMAP_4_8_02, named_so(row));
	must(t, RDMAP_4_8_02,
	     of_terminate(t, is("upper half of octet 0",
				control_octet(f, 0) >> 4, row->layer)));
	must(t, RDMAP_4_8_03,
	     of_terminate(t, is("lower half of octet 0",
				control_octet(f, 0) & 15, row->etype)));
	must(t, RDMAP_4_8_04,
	     of_terminate(t, is("octet 1", control_octet(f, 1), row->code)));
	must(t, RDMAP_4_8_06, terminate_registered());
	must(t, RDMAP_4_8_07,
	     of_terminate(t, is("low five bits of octet 2",
				control_octet(f, 2) & 31, 0)));
	must(t, RDMAP_4_8_07,
	     of_terminate(t, is("octet 3", control_octet(f, 3), 0)));
}

CASE(a_terminate_is_as_long_as_its_flags_say,
     .title = "the length of a Terminate for a Write is what its M and D bits "
	      "announce",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes to an STag never issued, */
	write_to_nothing(t);

	/* then there are as many octets behind the control word as bits. */
	const struct frame *f = the_terminate(t);
	unsigned flags = control_octet(f, 2);
	size_t n = f ? f->seg.payload_octets : 0;
	must(t, RDMAP_4_8_01, of_terminate(t, at_least("octets", n, 4)));
	must(t, RDMAP_4_8_05,
	     of_terminate(
		     t,
		     any_of(t,
			    holds("M, D; 20 octets", flags == 0xc0 && n == 20),
			    holds("D; 20 octets", flags == 0x40 && n == 20),
			    holds("M; 6 octets", flags == 0x80 && n == 6),
			    holds("none; 4 octets", flags == 0x00 && n == 4))));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_terminate_returns_the_tagged_header,
     .title = "the Terminate for a Write returns its length and its 14 octets "
	      "of DDP header",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes ten octets to an STag never issued, */
	uint8_t sent[DDP_UNTAGGED_OCTETS];
	ddp_header_encode(&(struct ddp){.tagged = true,
					.last = true,
					.dv = 1,
					.rv = 1,
					.opcode = RDMAP_WRITE,
					.stag = stag_never_issued(t),
					.to = 0x1000},
			  sent);
	write_to_nothing(t);

	/* then what D and M announce is the header sent, and 24. */
	struct rdmap_terminate term = case_terminate_of(the_terminate(t));
	should(t, RDMAP_4_8_26, headers(&term, M | D));
	must(t, RDMAP_4_8_13,
	     of_terminate(t, holds("a length, where D is set",
				   !term.d || term.has_segment_length)));
	must(t, RDMAP_4_8_12,
	     of_terminate(t, is("DDP Segment Length, where M is set",
				term.m ? term.segment_length : 24, 24)));
	must(t, RDMAP_4_8_14,
	     of_terminate(t, octets_are(t, "the header, where D is set",
					term.d ? term.ddp_header : sent,
					term.d ? term.ddp_header_octets
					       : DDP_TAGGED_OCTETS,
					sent, DDP_TAGGED_OCTETS)));
}

CASE(a_terminate_returns_the_untagged_header,
     .title = "the Terminate for a Send that is too long returns its 18 "
	      "octets of DDP header",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer of 64 octets, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends 65, */
	uint8_t sent[DDP_UNTAGGED_OCTETS];
	ddp_header_encode(&(struct ddp){.last = true,
					.dv = 1,
					.rv = 1,
					.opcode = RDMAP_SEND,
					.msn = 1},
			  sent);
	send_too_long(t);

	/* then what D and M announce is the header sent, and 18 + 65. */
	struct rdmap_terminate term = case_terminate_of(the_terminate(t));
	should(t, RDMAP_4_8_26, headers(&term, M | D));
	must(t, RDMAP_4_8_12,
	     of_terminate(t, is("DDP Segment Length, where M is set",
				term.m ? term.segment_length : 83, 83)));
	must(t, RDMAP_4_8_15,
	     of_terminate(t, octets_are(t, "the header, where D is set",
					term.d ? term.ddp_header : sent,
					term.d ? term.ddp_header_octets
					       : DDP_UNTAGGED_OCTETS,
					sent, DDP_UNTAGGED_OCTETS)));
}

static const struct fault protection[] = {
	{.id = "invalid_stag", .commit = read_of_nothing},
	{.id = "bounds", .commit = read_behind_the_end},
	{.id = "access_rights", .commit = read_without_the_right},
	{.id = "not_associated", .commit = read_of_another_domain},
};

CASE_EACH(a_refused_read_comes_back_whole, struct fault, protection,
	  .title = "the Terminate for a Read that is refused returns the DDP "
		   "header and the 28 octets of the Request",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads what it may not, */
	row->commit(t);

	/* then M, D and R are set, and 2 + 18 + 28 octets follow. */
	const struct frame *f = awaits(t, RDMAP_4_8_17, RDMAP_TERMINATE);
	struct rdmap_terminate term = case_terminate_of(f);
	must(t, RDMAP_4_8_17, is("R", term.r, 1));
	must(t, RDMAP_4_8_17,
	     is("octets behind the DDP header", f->seg.payload_octets, 52));
	should(t, RDMAP_4_8_27, headers(&term, M | D | R));
}

CASE(a_read_not_begun_comes_back_as_sent,
     .title = "the Terminate for a Read that was not begun returns its header "
	      "as it was sent",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads by an STag never issued, */
	struct msg read = READ_FROM(stag_never_issued(t), 0x1000, 40);
	uint8_t sent[RDMAP_READ_REQUEST_OCTETS];
	rdmap_read_request_encode(&read.read, sent, sizeof(sent));
	peer_sends(t, read);

	/* then its 28 octets come back. */
	struct rdmap_terminate term = case_terminate_of(the_terminate(t));
	must(t, RDMAP_4_8_19, terminate(TERM_RDMA, 1, 0x00));
	must(t, RDMAP_4_8_19,
	     octets_are(t, "Terminated RDMA Header", term.rdma_header,
			RDMAP_READ_REQUEST_OCTETS, sent, sizeof(sent)));
}

CASE(a_read_in_progress_comes_back_advanced,
     .title = "the Terminate for a Read that fails on its way says how far it "
	      "came",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a large Read under way, held back by the peer's window, */
	struct region region =
		dut_registers(t, .len = 6 * MIB, .access = FOR_READS);
	connects(t, .rcvbuf = 65536);
	peer_sends(t, READ(region, 0, 6 * MIB));
	size_t k = awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE)
			   ->seg.payload_octets;

	/* when the consumer invalidates its source, */
	dut_invalidates(t, region);
	const struct frame *f;
	while ((f = next_frame(t)) && f->seg.ddp.opcode != RDMAP_TERMINATE)
		k += f->seg.payload_octets;
	if (k == 6 * MIB)
		not_applicable(t, "the device had already read all of it");

	/* then the Request comes back for what is left. */
	struct rdmap_read_request left = returned_request(f);
	must(t, RDMAP_4_8_20, terminate_any());
	must(t, RDMAP_4_8_20, is("sink TO", left.sink_to, PEER_SINK_TO + k));
	must(t, RDMAP_4_8_20, is("source TO", left.source_to, region.to + k));
	must(t, RDMAP_4_8_21, is("size", left.size, 6 * MIB - k));
	must(t, RDMAP_4_8_22, is("sink STag", left.sink_stag, PEER_SINK_STAG));
	must(t, RDMAP_4_8_22, is("source STag", left.source_stag, region.stag));
}

CASE(an_invalidate_brings_no_rdma_header,
     .title = "the Terminate for a Send with Invalidate that is refused "
	      "returns the DDP header and no RDMA header",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a buffer waiting, and an STag of another domain, */
	dut_posts_recv(t, 64);
	struct region region =
		dut_registers(t, .len = 16, .pd = 1, .access = FOR_READS);
	connects(t, .pd = 2);

	/* when a Send names it, */
	peer_sends(t,
		   SEND_KIND(RDMAP_SEND_INV, "done", 4, .inval = region.stag));

	/* then M and D are set, R is not, and 2 + 18 octets follow. */
	const struct frame *f = awaits(t, RDMAP_4_8_18, RDMAP_TERMINATE);
	struct rdmap_terminate term = case_terminate_of(f);
	must(t, RDMAP_4_8_18, headers(&term, M | D));
	must(t, RDMAP_4_8_18,
	     is("octets behind the DDP header", f->seg.payload_octets, 24));
}

static const struct fault ddp_faults[] = {
	{.id = "invalid_stag", .commit = write_to_nothing},
	{.id = "bounds", .commit = write_behind_the_end},
	{.id = "tagged_version", .commit = tagged_wrong_dv},
	{.id = "untagged_version", .commit = untagged_wrong_dv},
	{.id = "queue", .commit = unknown_queue},
	{.id = "too_long", .commit = send_too_long},
	{.id = "read_request_version", .commit = read_request_wrong_dv},
};

CASE_EACH(a_ddp_error_returns_the_ddp_header, struct fault, ddp_faults,
	  .title = "the Terminate for an error of DDP returns length and DDP "
		   "header, and no RDMA header",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer commits the fault, */
	row->commit(t);

	/* then M and D are set, and R is not. */
	struct rdmap_terminate term = case_terminate_of(the_terminate(t));
	should(t, RDMAP_4_8_26, terminate_any());
	should(t, RDMAP_4_8_26, headers(&term, M | D));
}

static const struct fault operation_faults[] = {
	{.id = "opcode", .commit = unassigned_opcode},
	{.id = "rdmap_version", .commit = wrong_rv},
};

CASE_EACH(an_operation_error_returns_the_ddp_header, struct fault,
	  operation_faults,
	  .title = "the Terminate for an error of type 2 of RDMAP returns "
		   "length and DDP header, and no RDMA header",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer commits the fault, */
	row->commit(t);

	/* then M and D are set, and R is not. */
	struct rdmap_terminate term = case_terminate_of(the_terminate(t));
	should(t, RDMAP_4_8_28, terminate_any());
	should(t, RDMAP_4_8_28, headers(&term, M | D));
}

CASE(an_llp_error_returns_no_header,
     .title = "the Terminate for a CRC error returns no header",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer sends an FPDU whose CRC is wrong, */
	peer_sends(t, SEND("hello", .crc = CRC_WRONG));

	/* then the Terminate is the control word alone, or the TCP segment was
	 * dropped. */
	const struct frame *f = the_terminate(t);
	should(t, RDMAP_4_8_25,
	       f ? octets_are(t, "the Terminate", f->seg.payload,
			      f->seg.payload_octets, "\x20\x02\x00\x00", 4)
		 : segment_dropped());
}

CASE(a_local_catastrophe_returns_no_header,
     .title = "the Terminate for a local catastrophic error returns no header",
     .needs = NEED_PROVOKE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the device meets an error of its own, */
	dut_provokes(t, TERM_RDMA, 0, 0);

	/* then the Terminate is the control word alone. */
	const struct frame *f = awaits(t, RDMAP_4_8_16, RDMAP_TERMINATE);
	must(t, RDMAP_4_8_16, terminate(TERM_RDMA, 0, 0x00));
	must(t, RDMAP_4_8_16,
	     is("octets behind the DDP header", f->seg.payload_octets, 4));
	must(t, RDMAP_4_8_16, is("octet 2", control_octet(f, 2), 0));
}

CASE(a_terminate_is_one_segment,
     .title = "the longest Terminate is one DDP segment on a TCP with an MSS "
	      "of 536",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a TCP connection with small segments, */
	connects(t, .mss = 536);

	/* when the peer reads by an STag never issued, */
	read_of_nothing(t);

	/* then the Terminate begins at 0 and is its own last segment. */
	const struct frame *f = awaits(t, RDMAP_4_8_23, RDMAP_TERMINATE);
	must(t, RDMAP_4_8_23, is("MO", f->seg.ddp.mo, 0));
	must(t, RDMAP_4_8_23, is("L", f->seg.ddp.last, 1));
	must(t, RDMAP_4_8_23, nothing_more());
}
