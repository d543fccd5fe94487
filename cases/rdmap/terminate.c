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
	 .must = &RDMAP_7_2_06,
	 .commit = read_of_nothing,
	 .layer = TERM_RDMA,
	 .etype = 1,
	 .code = 0x00},
	{.id = "bounds",
	 .must = &RDMAP_7_2_10,
	 .commit = read_behind_the_end,
	 .layer = TERM_RDMA,
	 .etype = 1,
	 .code = 0x01},
	{.id = "rdmap_version",
	 .must = &RDMAP_4_1_03,
	 .commit = wrong_rv,
	 .layer = TERM_RDMA,
	 .etype = 2,
	 .code = 0x05},
	{.id = "opcode",
	 .must = &RDMAP_4_2_05,
	 .commit = unassigned_opcode,
	 .layer = TERM_RDMA,
	 .etype = 2,
	 .code = 0x06},
	{.id = "ddp_invalid_stag",
	 .must = &DDP_7_1_20,
	 .commit = write_to_nothing,
	 .layer = TERM_DDP,
	 .etype = 1,
	 .code = 0x00},
	{.id = "ddp_bounds",
	 .must = &DDP_7_1_27,
	 .commit = write_behind_the_end,
	 .layer = TERM_DDP,
	 .etype = 1,
	 .code = 0x01},
	{.id = "queue",
	 .must = &DDP_7_1_01,
	 .commit = unknown_queue,
	 .layer = TERM_DDP,
	 .etype = 2,
	 .code = 0x01},
	{.id = "too_long",
	 .must = &DDP_7_1_09,
	 .commit = send_too_long,
	 .layer = TERM_DDP,
	 .etype = 2,
	 .code = 0x05},
};

/* A Terminate is due for RDMAP's own errors; for others its content is. */
static struct expect named_so(struct test *t, const struct fault *f)
{
	if (f->layer == TERM_RDMA)
		return terminate(f->layer, f->etype, f->code);
	return f->commit == unknown_queue
		       ? refuses_queue(t)
		       : terminate_if_any(f->layer, f->etype, f->code);
}

/* Holds if no Terminate arrived, for a fault that need not cause one. */
static struct expect of_terminate(struct test *t, struct expect e)
{
	return the_terminate(t) ? e : stream_ends();
}

/* The Read Request that a Terminate returns: zeros if there is none. */
static struct rdmap_read_request returned_request(const struct frame *f)
{
	struct rdmap_terminate term = case_terminate_of(f);
	struct rdmap_read_request h = {0};

	if (term.rdma_header)
		rdmap_read_request_decode(&h, term.rdma_header,
					  RDMAP_READ_REQUEST_OCTETS);
	return h;
}

/* Octet i of the Terminate's own header, 0 to 3. */
static unsigned control_octet(const struct frame *f, size_t i)
{
	return f && f->seg.payload_octets > i ? f->seg.payload[i] : 0x100;
}

/* Why its bits and its length do not fit. */
static const char *bits_at_odds(unsigned flags)
{
	if (flags & 31)
		return "a reserved bit is set";
	return flags ? "M, D or R is set, and no field follows"
		     : "M, D and R are clear, and it has not just 4 octets";
}

CASE_EACH(a_terminate_names_layer_type_and_code, struct fault, named,
	  .title = "the Terminate names layer, error type and error code of "
		   "the fault, all registered, and its reserved bits are zero",
	  .needs = NEED_READ | NEED_WRITE | NEED_SEND, .role = EITHER)
{
	/* Given a buffer waiting for a Send, */
	dut_posts_recv(t, 64);
	connects(t, .crc = true);

	/* when the peer commits the fault, */
	row->commit(t);

	/* then its numbers are those of the fault. */
	const struct frame *f = the_terminate(t);
	must_row(t, row, named_so(t, row));
	must(t, RDMAP_4_8_06, terminate_registered());
	must(t, RDMAP_4_8_07,
	     of_terminate(t, is("low five bits of octet 2",
				control_octet(f, 2) & 31, 0)));
	must(t, RDMAP_4_8_07,
	     of_terminate(t, is("octet 3", control_octet(f, 3), 0)));
}

CASE(a_header_that_is_not_returned_is_left_out,
     .title = "nothing follows the DDP header in the Terminate for a Write, "
	      "not even zeros for an RDMA header",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	told_once(t);
	connects(t, .crc = true);

	/* when the peer writes to an STag never issued, */
	write_to_nothing(t);

	/* then no zeros follow: s4.8 returns an RDMA header only for a Read
	 * Request, while s7.1 has it set to zero. */
	const struct frame *f = the_terminate(t);
	should(t, RDMAP_4_8_32,
	       is("octets of zero for headers left out", zeros_for_headers(f),
		  0));
}

CASE(a_terminate_is_as_long_as_its_flags_say,
     .title = "the length of a Terminate for a Write is the one that its M and "
	      "D bits announce",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes to an STag never issued, */
	write_to_nothing(t);

	/* then something follows the control word if a bit announces it, with
	 * the length that the bits announce; zeros for a header that was left
	 * out are judged elsewhere. */
	const struct frame *f = the_terminate(t);
	unsigned flags = control_octet(f, 2);
	size_t n = f ? f->seg.payload_octets - zeros_for_headers(f) : 0;
	insists(t, DDP_7_1_20, stream_ends());
	must(t, RDMAP_4_8_01, of_terminate(t, at_least("octets", n, 4)));
	bool returns = flags & 0xe0;
	must(t, RDMAP_4_8_05,
	     of_terminate(
		     t,
		     any_of(t,
			    holds_of(f,
				     "M, D or R set, with the fields that "
				     "they announce",
				     returns && !(flags & 31) && n > 4,
				     bits_at_odds(flags)),
			    holds_of(f, "M, D and R clear, and 4 octets",
				     !flags && n == 4, bits_at_odds(flags)))));
	/* With R there are 28 octets: that R is clear here is a SHOULD of s4.8. */
	if (returns)
		must(t, RDMAP_4_8_14,
		     of_terminate(t, is("octets", n,
					4u + (flags & 0xc0 ? 2 : 0) +
						(flags & 0x40 ? 14 : 0) +
						(flags & 0x20 ? 28 : 0))));
	should(t, RDMAP_4_8_26, of_terminate(t, is("R", flags >> 5 & 1, 0)));
	should(t, RDMAP_6_2_1_01, terminate_any());
}

CASE(a_terminate_comes_without_crcs,
     .title = "a Write to an STag never issued gets a Terminate also if CRCs "
	      "are off",
     .needs = NEED_CRC_OFF | NEED_WRITE, .role = EITHER)
{
	/* Given two sides that agree to do without CRCs, */
	connects(t, .crc = OFF, .dut_crc = OFF);

	/* when an error of DDP surfaces, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0, "hello", 5));

	/* then the stream ends by a Terminate. */
	insists(t, DDP_7_1_20, stream_ends());
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
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_4_8_26,
	       of_terminate(t, header_bits(&term, TERM_M | TERM_D)));
	must(t, RDMAP_4_8_13,
	     of_terminate(
		     t,
		     holds_of(the_terminate(t),
			      "a DDP Segment Length, if D is set",
			      !term.d || term.has_segment_length,
			      "D is set, and there is no DDP Segment Length")));
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
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_4_8_26,
	       of_terminate(t, header_bits(&term, TERM_M | TERM_D)));
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

/* Half of the capacity of a window without scaling: a device may refuse a ULPDU
 * that is longer than its own MULPDU (RFC 5044 s3). */
#define LONG_ULPDU 32767u

CASE(a_terminate_returns_all_bits_of_the_length,
     .title = "the Terminate for a Write in a long segment returns the length "
	      "of the segment",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer writes to an STag never issued, in one segment as long
	 * as the path allows, */
	unsigned most = peer_mulpdu(t);
	unsigned n = most < LONG_ULPDU ? most : LONG_ULPDU;
	size_t payload = n - DDP_TAGGED_OCTETS;
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0x1000,
			       pattern(t, payload, 1), payload,
			       .segment = payload));

	/* then that is the length that M announces. */
	struct rdmap_terminate term = terminate_seen(t);
	must(t, RDMAP_4_8_12,
	     of_terminate(t, is("DDP Segment Length, where M is set",
				term.m ? term.segment_length : n, n)));
}

CASE(a_terminate_counts_no_markers,
     .title = "the DDP Segment Length in a Terminate does not count the "
	      "markers among the octets of the segment",
     .needs = NEED_WRITE | NEED_MARKERS_RX, .role = EITHER)
{
	/* Given a device that wants markers, */
	connects(t, .crc = true, .dut_markers = true);
	if (peer_mulpdu(t) < 14 + 600)
		not_applicable(t, "the path does not carry the Write in one "
				  "segment");

	/* when a Write to an STag never issued is so long that it has one, */
	peer_sends(t, WRITE_TO(stag_never_issued(t), 0x1000,
			       octets_of(t, 600, 0x5a), 600));

	/* then the length that M announces is 14 + 600. */
	struct rdmap_terminate term = terminate_seen(t);
	must(t, RDMAP_4_8_12,
	     of_terminate(t, is("DDP Segment Length, where M is set",
				term.m ? term.segment_length : 614, 614)));
}

static const struct fault protection[] = {
	{.id = "invalid_stag",
	 .must = &RDMAP_7_2_06,
	 .commit = read_of_nothing},
	{.id = "bounds", .must = &RDMAP_7_2_10, .commit = read_behind_the_end},
	{.id = "access_rights",
	 .must = &RDMAP_7_2_13,
	 .commit = read_without_the_right},
	{.id = "not_associated",
	 .must = &RDMAP_7_2_08,
	 .commit = read_of_another_domain},
};

CASE_EACH(a_refused_read_comes_back_whole, struct fault, protection,
	  .title = "the Terminate for a refused Read returns the DDP header "
		   "and the 28 octets of the Request",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the peer reads memory without the right, */
	row->commit(t);

	/* then M, D and R are set; what R announces is there. */
	must_row(t, row, terminate_any());
	struct rdmap_terminate term = terminate_seen(t);
	must(t, RDMAP_4_8_17,
	     holds_of(the_terminate(t),
		      "28 octets of the Read Request header, if R is set",
		      !term.r || term.rdma_header,
		      "R is set, and there is no whole Read Request header"));
	should(t, RDMAP_4_8_27, header_bits(&term, TERM_M | TERM_D | TERM_R));
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

	/* then its 28 octets come back, where R is set. */
	must(t, RDMAP_7_2_06, terminate(TERM_RDMA, 1, 0x00));
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_4_8_27, is("R", term.r, 1));
	must(t, RDMAP_4_8_19,
	     octets_are(t, "Terminated RDMA Header, where R is set",
			term.r ? term.rdma_header : sent,
			RDMAP_READ_REQUEST_OCTETS, sent, sizeof(sent)));
}

/* What is added to it carries into its upper half. */
#define SINK_TO (PEER_SINK_TO - 16)

CASE(a_read_in_progress_comes_back_advanced,
     .title = "the Terminate for a Read that fails in progress says how far it "
	      "got",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a large Read under way, held back by the peer's window, */
	struct region region =
		dut_registers(t, .len = 6 * MIB, .access = FOR_READS);
	struct msg read = READ(region, 0, 6 * MIB);
	read.read.sink_to = SINK_TO;
	connects(t, .rcvbuf = 65536);
	peer_sends(t, read);
	size_t k = awaits(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE)
			   ->seg.payload_octets;

	/* when the consumer invalidates its source, */
	dut_begins_to_invalidate(t, region);
	const struct frame *f = NULL;
	while (k < 6 * MIB && (f = next_frame(t)) &&
	       f->seg.ddp.opcode != RDMAP_TERMINATE)
		k += f->seg.payload_octets;
	dut_has_invalidated(t);
	if (k == 6 * MIB)
		not_applicable(t,
			       "the device had already read the whole source");

	/* then the Request is returned with the rest to be read, if R is
	 * set. */
	bool reset = strcmp(how_tcp_stands(t), "RST") == 0;
	must(t, RDMAP_7_1_08,
	     holds_else(t, "a Terminate, or a reset that may have discarded it",
			f || reset, "neither"));
	should(t, RDMAP_6_2_1_03, terminate_any());
	if (!f)
		return;
	struct rdmap_terminate term = case_terminate_of(f);
	/* Figure 10 has the header for a Remote Protection Error. An error that
	 * a device's own ULP has caused may be a Local Catastrophic Error as
	 * well, which has none. */
	if (term.layer == TERM_RDMA && term.etype == 1)
		should(t, RDMAP_4_8_27, is("R", term.r, 1));
	if (!term.r)
		return;
	struct rdmap_read_request left = returned_request(f);
	must(t, RDMAP_4_8_20, is("sink TO", left.sink_to, SINK_TO + k));
	must(t, RDMAP_4_8_20, is("source TO", left.source_to, region.to + k));
	must(t, RDMAP_4_8_21, is("size", left.size, 6 * MIB - k));
	must(t, RDMAP_4_8_22, is("sink STag", left.sink_stag, PEER_SINK_STAG));
	must(t, RDMAP_4_8_22, is("source STag", left.source_stag, region.stag));
}

CASE(an_invalidate_brings_no_rdma_header,
     .title = "the Terminate for a refused Send with Invalidate returns length "
	      "and DDP header",
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

	/* then M and D are set; the RFCs disagree about R. */
	must(t, RDMAP_7_2_05, terminate_any());
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_7_1_03, is("M", term.m, 1));
	should(t, RDMAP_7_1_03, is("D", term.d, 1));
	observe(t, RDMAP_4_8_18, "R=%u", term.r);
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
	if (dut_overlooks_it(t))
		not_applicable(t, "the device overlooks the error, which other "
				  "cases judge");
	should(t, RDMAP_6_2_1_01, terminate_any());
	struct rdmap_terminate term = terminate_seen(t);
	should(t, RDMAP_4_8_26,
	       of_terminate(t, header_bits(&term, TERM_M | TERM_D)));
}

static const struct fault operation_faults[] = {
	{.id = "opcode", .must = &RDMAP_4_2_05, .commit = unassigned_opcode},
	{.id = "rdmap_version", .must = &RDMAP_4_1_03, .commit = wrong_rv},
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

	/* then M and D are set, and R is not, if it is of that type: other cases
	 * judge its numbers. */
	enum { OPERATION = 2 };
	must_row(t, row, terminate_any());
	struct rdmap_terminate term = terminate_seen(t);
	if (term.layer == TERM_RDMA && term.etype == OPERATION)
		should(t, RDMAP_4_8_28, header_bits(&term, TERM_M | TERM_D));
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

	/* then the Terminate is only the control word, with zeros for headers
	 * or without them, or the TCP segment was dropped. */
	const struct frame *f = the_terminate(t);
	size_t n = f ? f->seg.payload_octets - zeros_for_headers(f) : 0;
	should(t, RDMAP_4_8_25,
	       f ? octets_are(t, "all octets after layer, type and code",
			      f->seg.payload + 2, n > 2 ? n - 2 : 0, "\0\0", 2)
		 : any_of(t, segment_dropped(), stream_ends()));
	should(t, RDMAP_6_2_1_02,
	       any_of(t, terminate_any(), segment_dropped()));
}

static bool names_nothing(const struct rdmap_terminate *h)
{
	for (size_t i = 0; i < h->ddp_header_octets; i++)
		if (h->ddp_header[i])
			return false;
	return true;
}

CASE(a_local_catastrophe_returns_no_header,
     .title = "the Terminate for a local catastrophic error returns no header",
     .needs = NEED_PROVOKE, .role = EITHER)
{
	/* Given a stream, */
	connects(t, .crc = true);

	/* when the device meets an error of its own, */
	dut_provokes(t, TERM_RDMA, 0, 0);

	/* then the Terminate is only the control word, or zeros follow. */
	const struct frame *f = awaits(t, RDMAP_4_8_16, RDMAP_TERMINATE);
	struct rdmap_terminate term = case_terminate_of(f);
	must(t, RDMAP_4_8_16, is("layer", term.layer, TERM_RDMA));
	must(t, RDMAP_4_8_16, is("error type", term.etype, 0));
	must(t, RDMAP_4_8_16,
	     holds_of(the_terminate(t), "no header, or zeros in its place",
		      names_nothing(&term), "the header is not of zeros"));
	should(t, RDMAP_4_8_30, header_bits(&term, 0));
}

CASE(a_terminate_is_one_segment,
     .title = "the longest Terminate is one DDP segment over TCP with an MSS "
	      "of 536",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a TCP connection with small segments, */
	connects(t, .mss = 536);

	/* when the peer reads by an STag never issued, */
	read_of_nothing(t);

	/* then the Terminate begins at 0 and is its own last segment. */
	const struct frame *f = awaits_given(t, RDMAP_TERMINATE);
	must(t, RDMAP_4_8_23, is("MO", f->seg.ddp.mo, 0));
	must(t, RDMAP_4_8_23, is("L", f->seg.ddp.last, 1));
	must(t, RDMAP_5_4_07, nothing_more());
}
