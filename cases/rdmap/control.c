/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 5040 s4.1: the RDMAP control octet and the Invalidate STag field of every
 * message. RFC 6580 s3.4: its opcodes. */
#include "case.h"

#define OTHER_STAG 0xabcd1234u /* of the peer */
#define OTHER_TO   0x1000u

/* --- what the device sends ----------------------------------------------- */

struct sent {
	CASE_ROW;
	uint8_t opcode;
	bool tagged;
	uint32_t qn;
	uint64_t needs;
};

#define TAGGED(name, op, req, feature)                                         \
	{                                                                      \
		.id = name, .must = &req, .opcode = (op), .tagged = true,      \
		.needs = 1ull << NEED_BIT_##feature                            \
	}
#define UNTAGGED(name, op, queue, req, feature)                                \
	{                                                                      \
		.id = name, .must = &req, .opcode = (op), .qn = (queue),       \
		.needs = 1ull << NEED_BIT_##feature                            \
	}

static const struct sent sent[] = {
	TAGGED("write", RDMAP_WRITE, RDMAP_4_1_21, WRITE),
	UNTAGGED("read_request", RDMAP_READ_REQUEST, 1, RDMAP_4_1_22, READ),
	TAGGED("read_response", RDMAP_READ_RESPONSE, RDMAP_4_1_23, READ),
	UNTAGGED("send", RDMAP_SEND, 0, RDMAP_4_1_24, SEND),
	UNTAGGED("send_with_invalidate", RDMAP_SEND_INV, 0, RDMAP_4_1_25,
		 SEND_INV),
	UNTAGGED("send_with_se", RDMAP_SEND_SE, 0, RDMAP_4_1_26, SEND_SE),
	UNTAGGED("send_with_se_and_invalidate", RDMAP_SEND_SE_INV, 0,
		 RDMAP_4_1_27, SEND_SE_INV),
	UNTAGGED("terminate", RDMAP_TERMINATE, 2, RDMAP_4_1_28, TERMINATE),
};

/* The device sends a message of this kind, whatever makes it do so. */
static void device_sends(struct test *t, uint8_t opcode, struct region r)
{
	bool inv = opcode == RDMAP_SEND_INV || opcode == RDMAP_SEND_SE_INV;
	bool se = opcode == RDMAP_SEND_SE || opcode == RDMAP_SEND_SE_INV;

	switch (opcode) {
	case RDMAP_READ_REQUEST:
		dut_posts(t, POST_READ(r, 0, 8, OTHER_STAG, OTHER_TO));
		break;
	case RDMAP_READ_RESPONSE:
		peer_sends(t, READ(r, 0, 8));
		break;
	case RDMAP_TERMINATE:
		peer_sends(t, READ_FROM(stag_never_issued(t), 0, 8));
		break;
	case RDMAP_WRITE:
		dut_posts(t, POST_WRITE_FROM(r, 0, 8, OTHER_STAG, OTHER_TO));
		break;
	case RDMAP_ATOMIC_REQUEST:
		dut_posts(t, POST_FETCHADD(r, 0, OTHER_STAG, OTHER_TO, 1));
		break;
	case RDMAP_ATOMIC_RESPONSE:
		peer_sends(t, FETCHADD(r, 0, 1, 0));
		break;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		dut_posts(t,
			  POST_IMM("8 octets", .se = opcode == RDMAP_IMM_SE));
		break;
	default:
		dut_posts(t, POST_SEND_FROM(r, 0, 8, .invalidate = inv,
					    .inv = OTHER_STAG, .se = se));
	}
}

/* The header of a frame; if none arrived, an invalid one. */
static struct ddp header_of(const struct frame *f)
{
	return f ? f->seg.ddp : (struct ddp){.opcode = 0xff};
}

CASE_EACH(a_message_has_its_opcode_buffer_model_and_queue, struct sent, sent,
	  .title = "each message is sent with its own opcode, T flag and "
		   "queue",
	  .role = EITHER)
{
	/* Given a stream, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 8, .access = access_for(row->opcode));
	connects(t);

	/* when the device sends a message of this kind, */
	device_sends(t, row->opcode, r);
	struct ddp h = header_of(awaits_any(t, row->opcode == RDMAP_TERMINATE));

	/* then it has that kind by all its fields. */
	must_row(t, row, is("opcode", h.opcode, row->opcode));
	must_row(t, row, is("T", h.tagged, row->tagged));
	must_row(t, row, is("QN", h.qn, row->qn));
}

CASE_EACH(the_control_octet_is_right, struct sent, sent,
	  .title = "octet 1 of each message holds RV 1, no reserved bit, "
		   "and the opcode",
	  .role = EITHER)
{
	/* Given a stream, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 8, .access = access_for(row->opcode));
	connects(t);

	/* when the device sends a message of this kind, */
	device_sends(t, row->opcode, r);
	const struct frame *f = frame_ahead(t);

	/* then an opcode is there, bits 7 and 6 are 01, and 5 and 4 are
	 * zero. */
	if (f)
		insists(t, RDMAP_4_1_01,
			at_most("opcode", f->seg.ddp.opcode,
				RDMAP_ATOMIC_RESPONSE));
	struct ddp h = awaits_given(t, row->opcode)->seg.ddp;
	must(t, RDMAP_4_1_02, is("RV", h.rv, 1));
	must(t, RDMAP_4_1_10, is("the two reserved bits", h.rdmap_rsvd, 0));
}

struct registered {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
};

static const struct registered registered[] = {
	{.id = "immediate_data",
	 .opcode = RDMAP_IMM,
	 .needs = 1ull << NEED_BIT_IMM},
	{.id = "immediate_data_with_se",
	 .opcode = RDMAP_IMM_SE,
	 .needs = 1ull << NEED_BIT_IMM_SE},
	{.id = "atomic_request",
	 .opcode = RDMAP_ATOMIC_REQUEST,
	 .needs = 1ull << NEED_BIT_FETCHADD},
	{.id = "atomic_response",
	 .opcode = RDMAP_ATOMIC_RESPONSE,
	 .needs = 1ull << NEED_BIT_FETCHADD},
	{.id = "write", .opcode = RDMAP_WRITE, .needs = 1ull << NEED_BIT_WRITE},
	{.id = "read_request",
	 .opcode = RDMAP_READ_REQUEST,
	 .needs = 1ull << NEED_BIT_READ},
	{.id = "read_response",
	 .opcode = RDMAP_READ_RESPONSE,
	 .needs = 1ull << NEED_BIT_READ},
	{.id = "send", .opcode = RDMAP_SEND, .needs = 1ull << NEED_BIT_SEND},
	{.id = "send_with_invalidate",
	 .opcode = RDMAP_SEND_INV,
	 .needs = 1ull << NEED_BIT_SEND_INV},
	{.id = "send_with_se",
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE},
	{.id = "send_with_se_and_invalidate",
	 .opcode = RDMAP_SEND_SE_INV,
	 .needs = 1ull << NEED_BIT_SEND_SE_INV},
	{.id = "terminate",
	 .opcode = RDMAP_TERMINATE,
	 .needs = 1ull << NEED_BIT_TERMINATE},
};

CASE_EACH(only_registered_opcodes_are_sent, struct registered, registered,
	  .title = "whatever a device sends, its opcode is registered, and "
		   "above 7 only if it claims RFC 7306",
	  .role = EITHER)
{
	/* Given a stream, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 8, .access = access_for(row->opcode));
	connects(t);

	/* when the device sends a message of this kind, */
	device_sends(t, row->opcode, r);
	struct ddp h = header_of(awaits_any(t, row->opcode == RDMAP_TERMINATE));

	/* then its opcode is one of the registry. Other rows judge which. */
	bool extended = dut_claims(t) & (NEED_IMM | NEED_IMM_SE | NEED_ATOMICS);
	must(t, IANA_3_4_03,
	     at_most("opcode", h.opcode,
		     extended ? RDMAP_ATOMIC_RESPONSE : RDMAP_TERMINATE));
}

static const struct sent without_invalidate[] = {
	UNTAGGED("send", RDMAP_SEND, 0, RDMAP_4_1_12, SEND),
	UNTAGGED("send_with_se", RDMAP_SEND_SE, 0, RDMAP_4_1_13, SEND_SE),
	UNTAGGED("read_request", RDMAP_READ_REQUEST, 1, RDMAP_4_1_14, READ),
	UNTAGGED("terminate", RDMAP_TERMINATE, 2, RDMAP_4_1_15, TERMINATE),
};

CASE_EACH(the_invalidate_stag_field_is_zero_where_unused, struct sent,
	  without_invalidate,
	  .title = "a message that invalidates nothing has zero in the "
		   "Invalidate STag field",
	  .role = EITHER)
{
	/* Given a stream on which a Send with Invalidate went out before, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r =
		dut_registers(t, .len = 8, .access = access_for(row->opcode));
	connects(t);
	if (dut_claims(t) & NEED_SEND_INV) {
		device_sends(t, RDMAP_SEND_INV, r);
		awaits_given_message(t, RDMAP_SEND_INV);
	}

	/* when the device sends a message of this kind, */
	device_sends(t, row->opcode, r);
	struct ddp h = awaits_given(t, row->opcode)->seg.ddp;

	/* then the field, octets 2 to 5, is zero. */
	must_row(t, row, is("Invalidate STag", h.inval_stag, 0));
}

CASE(the_invalidate_stag_field_names_the_stag,
     .title = "a Send with Invalidate has the STag in octets 2 to 5",
     .needs = NEED_SEND_INV, .role = EITHER)
{
	/* Given a stream, and an STag that the peer has advertised, */
	connects(t);

	/* when the device sends a Send that invalidates it, */
	dut_posts(t, POST_SEND("hello", .invalidate = true, .inv = OTHER_STAG));
	const struct frame *f = awaits(t, RDMAP_4_1_20, RDMAP_SEND_INV);

	/* then the field holds those 32 bits, in network order. */
	must(t, RDMAP_4_1_20,
	     is("Invalidate STag", f->seg.ddp.inval_stag, OTHER_STAG));
}

/* --- versions ------------------------------------------------------------ */

struct version {
	CASE_ROW;
	unsigned rv;
};

static const struct version versions[] = {
	{.id = "rv2", .must = &RDMAP_4_1_03, .rv = 2},
	{.id = "rv3", .must = &RDMAP_4_1_04, .rv = 3},
};

CASE_EACH(a_send_of_another_version_is_refused, struct version, versions,
	  .title = "a Send whose RV is neither 0 nor 1 is not delivered, "
		   "and its Terminate says invalid RDMAP version",
	  .needs = NEED_SEND, .role = EITHER)
{
	/* Given a buffer for a Send, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when one comes with another version of RDMAP, */
	peer_sends(t, SEND("hello", .rv = IS(row->rv)));

	/* then it is not delivered, and the cause is named. */
	must_row(t, row, terminate(TERM_RDMA, 2, 0x05));
	must_row(t, row, not_delivered(sink));
}

CASE(a_send_of_version_zero,
     .title = "the reaction to a Send of the RDMA Consortium's RDMAP version 0 "
	      "is recorded",
     .needs = NEED_SEND, .role = EITHER)
{
	/* Given a stream that was set up as the IETF says, */
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when a Send has the version of the other specification, */
	peer_sends(t, SEND("hello", .rv = IS(0)));

	/* then it may be refused, or delivered. */
	bool alive = known_answer(t);
	observe(t, RDMAP_4_1_05, "a Send of RDMAP version 0: %s",
		dut_has_received(t, sink).ok ? "delivered"
		: alive                      ? "dropped"
					     : how_it_ended(t));
}

CASE(a_write_of_another_version_is_refused,
     .title = "a Write whose RV is 2 ends the stream as an invalid RDMAP "
	      "version",
     .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, */
	struct region r = dut_registers(t, .len = 16, .raced = true,
					.access = FOR_WRITES);
	connects(t);

	/* when it does so with another version of RDMAP, */
	peer_sends(t, WRITE(r, 0, "hello", 5, .rv = IS(2)));

	/* then the cause is named; DDP may have placed the octets. */
	must(t, RDMAP_4_1_06, terminate(TERM_RDMA, 2, 0x05));
}

CASE(a_read_request_of_another_version_is_refused,
     .title = "a Read Request whose RV is 2 is not answered, and its "
	      "Terminate says invalid RDMAP version",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	connects(t);

	/* when its Read Request is of another version of RDMAP, */
	peer_sends(t, READ(r, 0, 8, .rv = IS(2)));

	/* then there is no Response, and the cause is reported. */
	must(t, RDMAP_4_1_07, is("Responses", responses_until_the_end(t), 0));
	must(t, RDMAP_4_1_07, terminate(TERM_RDMA, 2, 0x05));
}

CASE(a_read_response_of_another_version_is_refused,
     .title = "a Read Response whose RV is 2 does not complete the "
	      "Read, and its Terminate says invalid RDMAP version",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads, */
	struct region sink = dut_registers(t, .len = 8, .raced = true,
					   .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, OTHER_STAG, OTHER_TO));
	const struct frame *f = awaits(t, RDMAP_4_1_08, RDMAP_READ_REQUEST);

	/* when the Response is of another version of RDMAP, */
	peer_sends(t, READ_RESPONSE(f, "8 octets", 8, .rv = IS(2)));

	/* then the Read is not completed, and the cause is named. */
	must(t, RDMAP_4_1_08, terminate(TERM_RDMA, 2, 0x05));
	must(t, RDMAP_4_1_08, not_completed(id));
}

CASE(a_terminate_of_another_version_ends_the_stream,
     .title = "a Terminate whose RV is 2 ends the stream all the same",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a stream, */
	connects(t);

	/* when a Terminate comes with another version of RDMAP, */
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0xff, .rv = IS(2)));

	/* then the ULP knows; if there is an answer, it names the version; and
	 * the stream is over when the peer has closed at the latest. A close in
	 * order says nothing of the Terminate where the peer closed first. */
	bool first = the_terminate(t) || strcmp(how_tcp_stands(t), "open") != 0;
	peer_closes(t);
	must(t, RDMAP_4_1_09,
	     first ? agent_sees_end() : agent_sees_fatal_end());
	must(t, RDMAP_4_1_09, terminate_if_any(TERM_RDMA, 2, 0x05));
}

/* --- fields to be ignored ------------------------------------------------ */

struct bits {
	CASE_ROW;
	unsigned bits;
};

static const struct bits reserved[] = {
	{.id = "01", .bits = 1},
	{.id = "10", .bits = 2},
	{.id = "11", .bits = 3},
};

CASE_EACH(reserved_bits_of_requests_are_ignored, struct bits, reserved,
	  .title = "reserved bits of the RDMAP control octet are ignored "
		   "in a Send, a Write and a Read Request",
	  .needs = NEED_SEND | NEED_WRITE | NEED_READ, .role = EITHER)
{
	/* Given a buffer of each kind, */
	struct region r =
		dut_registers(t, .len = 8, .access = FOR_READS | FOR_WRITES);
	struct sink sink = dut_posts_recv(t, 16);
	connects(t);

	/* when the bits are set in one message of each kind, and once
	 * they are not, */
	peer_sends(t, WRITE(r, 0, "written!", 8, .rdmap_rsvd = IS(row->bits)));
	peer_sends(t, SEND("sent", .rdmap_rsvd = IS(row->bits)));
	peer_sends(t, READ(r, 0, 8));
	struct message without =
		awaits_message(t, RDMAP_4_1_11, RDMAP_READ_RESPONSE);
	peer_sends(t, READ(r, 0, 8, .rdmap_rsvd = IS(row->bits)));

	/* then all are processed as if they were not. */
	struct message m = awaits_message(t, RDMAP_4_1_11, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_1_11,
	     octets_are(t, "the Read Response", m.octets, m.n, without.octets,
			without.n));
	must(t, RDMAP_4_1_11, memory_is(r, 0, "written!", 8));
	must(t, RDMAP_4_1_11, delivered_text(sink, "sent"));
	must(t, RDMAP_4_1_11, stream_works());
}

CASE_EACH(reserved_bits_of_a_response_are_ignored, struct bits, reserved,
	  .title = "reserved bits of the RDMAP control octet are ignored "
		   "in a Read Response",
	  .needs = NEED_READ, .role = EITHER)
{
	/* Given a device that reads, */
	struct region sink =
		dut_registers(t, .len = 8, .access = FOR_RESPONSES);
	connects(t);
	unsigned id = dut_posts(t, POST_READ(sink, 0, 8, OTHER_STAG, OTHER_TO));
	const struct frame *f = awaits(t, RDMAP_4_1_11, RDMAP_READ_REQUEST);

	/* when the bits are set in the Response, */
	peer_sends(t, READ_RESPONSE(f, "response", 8,
				    .rdmap_rsvd = IS(row->bits)));

	/* then the Read is completed as if they were not. */
	must(t, RDMAP_4_1_11, completed(id));
	must(t, RDMAP_4_1_11, memory_is(sink, 0, "response", 8));
	must(t, RDMAP_4_1_11, stream_works());
}

struct kind {
	CASE_ROW;
	uint8_t opcode;
	uint64_t needs;
};

static const struct kind plain_sends[] = {
	{.id = "send",
	 .must = &RDMAP_4_1_16,
	 .opcode = RDMAP_SEND,
	 .needs = 1ull << NEED_BIT_SEND},
	{.id = "send_with_se",
	 .must = &RDMAP_4_1_17,
	 .opcode = RDMAP_SEND_SE,
	 .needs = 1ull << NEED_BIT_SEND_SE},
};

CASE_EACH(a_plain_send_invalidates_nothing, struct kind, plain_sends,
	  .title = "a Send without Invalidate is delivered, and an STag in "
		   "its Invalidate STag field stays valid",
	  .needs = NEED_WRITE, .role = EITHER)
{
	/* Given a buffer that the peer may write to, and a receive, */
	if (!(dut_claims(t) & row->needs))
		not_applicable(
			t, "the device does not claim the feature of this row");
	struct region r = dut_registers(t, .len = 16, .access = FOR_WRITES);
	struct sink sinks = dut_posts_recvs(t, 2, 16);
	struct sink sink = sink_at(sinks, 1);
	connects(t);
	peer_sends(t, SEND_KIND(row->opcode, "right", 5));
	insists(t, RDMAP_5_3_02, delivered_text(sink_at(sinks, 0), "right"));

	/* when a plain Send has the buffer's STag in that field, */
	peer_sends(t, SEND_KIND(row->opcode, "hello", 5, .inval = r.stag));

	/* then it is delivered, and the STag works as before. */
	must_row(t, row, delivered_text(sink, "hello"));
	peer_sends(t, WRITE(r, 0, "valid", 5));
	must_row(t, row, memory_is(r, 0, "valid", 5));
	must_row(t, row, stream_works());
}

CASE(a_read_request_invalidates_nothing,
     .title = "a Read Request is answered, and an STag in its "
	      "Invalidate STag field stays valid",
     .needs = NEED_READ, .role = EITHER)
{
	/* Given a buffer that the peer may read, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);
	dut_fills(t, r, 0, "original", 8);
	connects(t);

	peer_sends(t, READ(r, 0, 8));
	struct message before =
		awaits_message(t, RDMAP_5_2_1_09, RDMAP_READ_RESPONSE);

	/* when a Read Request has the buffer's STag in that field, */
	peer_sends(t, READ(r, 0, 8, .inval = r.stag));
	struct message m = awaits_message(t, RDMAP_4_1_18, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_1_18,
	     octets_are(t, "the Read Response", m.octets, m.n, before.octets,
			before.n));

	/* then the STag can be read again. */
	peer_sends(t, READ(r, 0, 8));
	m = awaits_message(t, RDMAP_4_1_18, RDMAP_READ_RESPONSE);
	must(t, RDMAP_4_1_18,
	     octets_are(t, "the Read Response", m.octets, m.n, before.octets,
			before.n));
}

CASE(a_terminate_may_have_any_invalidate_stag,
     .title = "a Terminate is delivered, whatever its Invalidate STag "
	      "field holds",
     .needs = NEED_TERMINATE, .role = EITHER)
{
	/* Given a buffer with an STag, */
	struct region r = dut_registers(t, .len = 8, .access = FOR_READS);

	/* and a device that reports a right Terminate, */
	connects(t);
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0x07));
	peer_closes(t);
	insists(t, RDMAP_5_4_04, agent_sees_terminate(TERM_RDMA, 2, 0x07));
	connects(t);

	/* when a Terminate has that STag in the field, */
	peer_sends(t, TERMINATE(TERM_RDMA, 2, 0x07, .inval = r.stag));
	peer_closes(t);

	/* then the ULP gets the Terminate unchanged. */
	must(t, RDMAP_4_1_19, agent_sees_terminate(TERM_RDMA, 2, 0x07));
}
