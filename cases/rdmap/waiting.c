/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 5040 s5.5, s6.1, RFC 5044 s7.1.2, RFC 7306 s5.2: work that has to wait is
 * sent as it was posted. That it waits is not judged: a device may send at
 * once what its ULP wants behind a fence (RFC 5040 s5.5 leaves fences to the
 * ULP).
 */
#include "case.h"

#define STAG 0x12345678u
#define TO   0x0123456789abd003ull
#define WORD 0x0123456789abd008ull /* the TO of an atomic */
#define INV  0x00007701u

static const uint8_t EIGHT[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* What the work waits for. */
enum reason {
	FOR_A_FENCE,       /* a Read before it is not answered */
	FOR_A_SLOT,        /* the same, and there may be no second one */
	FOR_WORK_BEFORE,   /* the Read before it waits for a slot */
	FOR_FULL_OPERATION /* no FPDU may be sent yet */
};

struct waiting {
	CASE_ROW;
	enum reason why;
	uint8_t opcode;
	bool cmpswap;
};

/* A stream on which the next work request has to wait. Returns the Request that
 * it waits for, if that is the reason. */
static const struct frame *work_has_to_wait(struct test *t,
					    const struct waiting *row)
{
	struct region sink =
		dut_registers(t, .len = 16, .access = FOR_RESPONSES);
	uint64_t needs = row->why == FOR_FULL_OPERATION ? 0
			 : row->why == FOR_A_FENCE      ? NEED_READ
						   : NEED_READ | NEED_ENHANCED;

	if ((dut_claims(t) & needs) != needs)
		not_applicable(
			t, "the device does not claim the feature of this row");
	if (row->why == FOR_FULL_OPERATION) {
		dut_dials(t);
		return NULL;
	}
	if (row->why == FOR_A_FENCE) {
		connects(t);
	} else {
		dut_has_depths(t, 0, 1);
		connects(t, .enhanced = true, .dut_ord = 1, .ird = 1);
	}
	dut_posts(t, POST_READ(sink, 0, 8, PEER_SINK_STAG, PEER_SINK_TO));
	const struct frame *f = awaits_given(t, RDMAP_READ_REQUEST);
	if (row->why == FOR_WORK_BEFORE)
		dut_posts(t, POST_READ(sink, 8, 8, PEER_SINK_STAG,
				       PEER_SINK_TO + 8));
	return f;
}

/* Whether the next work leaves then is judged by the cases about the ORD. */
static void read_is_answered(struct test *t, const struct frame *f)
{
	peer_sends(t, READ_RESPONSE(f, "answered", 8));
	if (!frame_ahead(t))
		not_applicable(t, "the device sends nothing when its Read is "
				  "answered");
}

/* The Read that waits before the work. */
static const struct frame *second_read(struct test *t)
{
	const struct frame *f = frame_ahead(t);

	if (f && f->seg.ddp.opcode != RDMAP_READ_REQUEST)
		not_applicable(t, "the Read posted before it does not come "
				  "first, which other cases judge");
	return awaits_given(t, RDMAP_READ_REQUEST);
}

/* The work is posted behind the Request `f`; what it waits for comes now. */
static void work_goes_on(struct test *t, const struct waiting *row,
			 const struct frame *f)
{
	if (row->why != FOR_FULL_OPERATION) {
		frames_waiting(t); /* the device has come to it */
		read_is_answered(t, f);
		if (row->why == FOR_WORK_BEFORE)
			read_is_answered(t, second_read(t));
	} else {
		awaits_request(t);
		peer_sends_startup(t, REPLY());
		full_operation(t);
	}
}

#define FOR_EACH_REASON(name, ...)                                             \
	{.id = name "_at_a_fence", .why = FOR_A_FENCE, __VA_ARGS__},           \
		{.id = name "_behind_work_that_waits",                         \
		 .why = FOR_WORK_BEFORE,                                       \
		 __VA_ARGS__},                                                 \
	{                                                                      \
		.id = name "_before_full_operation",                           \
		.why = FOR_FULL_OPERATION, __VA_ARGS__                         \
	}

static const struct waiting sends[] = {
	FOR_EACH_REASON("send", .must = &RDMAP_4_1_24, .opcode = RDMAP_SEND),
	FOR_EACH_REASON("send_with_invalidate", .must = &RDMAP_4_1_25,
			.opcode = RDMAP_SEND_INV),
	FOR_EACH_REASON("send_with_se", .must = &RDMAP_4_1_26,
			.opcode = RDMAP_SEND_SE),
	FOR_EACH_REASON("send_with_se_and_invalidate", .must = &RDMAP_4_1_27,
			.opcode = RDMAP_SEND_SE_INV),
};

CASE_EACH(a_send_is_as_posted, struct waiting, sends,
	  .title = "a Send that has to wait is sent with its opcode, its "
		   "Invalidate STag and its octets",
	  .role = INITIATOR)
{
	/* Given a stream on which work has to wait, */
	dut_claims_kind(t, row->opcode);
	const struct frame *f = work_has_to_wait(t, row);

	/* when a Send is posted, and then what it waits for comes, */
	dut_posts(t, POST_SEND("as posted", .fence = row->why == FOR_A_FENCE,
			       .se = row->opcode == RDMAP_SEND_SE ||
				     row->opcode == RDMAP_SEND_SE_INV,
			       .invalidate = row->opcode == RDMAP_SEND_INV ||
					     row->opcode == RDMAP_SEND_SE_INV,
			       .inv = INV, .may_refuse = true));
	work_goes_on(t, row, f);

	/* then nothing of it is lost. */
	struct message m = awaits_given_message(t, row->opcode);
	uint32_t stag = m.frames[0]->seg.ddp.inval_stag;
	must_row(t, row, is("opcode", m.opcode, row->opcode));
	if (row->opcode == RDMAP_SEND_INV)
		must(t, RDMAP_4_1_20, is("Invalidate STag", stag, INV));
	if (row->opcode == RDMAP_SEND_SE_INV)
		must(t, RDMAP_5_3_13, is("Invalidate STag", stag, INV));
	must(t, DDP_5_2_03,
	     octets_are(t, "its octets", m.octets, m.n, "as posted", 9));
}

static const struct waiting immediates[] = {
	FOR_EACH_REASON("immediate_data", .must = &RDMAPX_4_1_05,
			.opcode = RDMAP_IMM),
	FOR_EACH_REASON("immediate_data_with_se", .must = &RDMAPX_4_1_06,
			.opcode = RDMAP_IMM_SE),
};

CASE_EACH(immediate_data_is_as_posted, struct waiting, immediates,
	  .title = "Immediate Data that has to wait is sent with its opcode "
		   "and its octets",
	  .role = INITIATOR)
{
	/* Given a stream on which work has to wait, */
	dut_claims_kind(t, row->opcode);
	const struct frame *f = work_has_to_wait(t, row);

	/* when Immediate Data is posted, and then what it waits for comes, */
	dut_posts(t, POST_IMM(EIGHT, .fence = row->why == FOR_A_FENCE,
			      .se = row->opcode == RDMAP_IMM_SE,
			      .may_refuse = true));
	work_goes_on(t, row, f);

	/* then nothing of it is lost. */
	f = awaits_given(t, row->opcode);
	must_row(t, row, is("QN", f->seg.ddp.qn, 0));
	must(t, RDMAPX_6_2_01,
	     octets_are(t, "its octets", f->seg.payload, f->seg.payload_octets,
			EIGHT, 8));
}

static const struct waiting writes[] = {FOR_EACH_REASON("write")};

CASE_EACH(a_write_is_as_posted, struct waiting, writes,
	  .title = "a Write that has to wait is sent with its STag, its TO and "
		   "its octets",
	  .needs = NEED_WRITE, .role = INITIATOR)
{
	/* Given a stream on which work has to wait, */
	const struct frame *f = work_has_to_wait(t, row);

	/* when a Write is posted, and then what it waits for comes, */
	dut_posts(t, POST_WRITE_N("as posted", 9, STAG, TO,
				  .fence = row->why == FOR_A_FENCE,
				  .may_refuse = true));
	work_goes_on(t, row, f);

	/* then nothing of it is lost. */
	struct message m = awaits_given_message(t, RDMAP_WRITE);
	must(t, DDP_4_2_04, is("STag", m.frames[0]->seg.ddp.stag, STAG));
	must(t, DDP_5_2_07, is("TO", m.frames[0]->seg.ddp.to, TO));
	must(t, DDP_5_2_03,
	     octets_are(t, "its octets", m.octets, m.n, "as posted", 9));
}

#define FOR_EACH_REASON_OF_A_REQUEST(name, ...)                                \
	{.id = name "_without_a_slot", .why = FOR_A_SLOT, __VA_ARGS__},        \
		FOR_EACH_REASON(name, __VA_ARGS__)

static const struct waiting reads[] = {FOR_EACH_REASON_OF_A_REQUEST("read")};

CASE_EACH(a_read_is_as_posted, struct waiting, reads,
	  .title = "a Read that has to wait is sent with its sink, its size "
		   "and its source",
	  .needs = NEED_READ, .role = INITIATOR)
{
	/* Given a stream on which work has to wait, */
	struct region sink =
		dut_registers(t, .len = 32, .access = FOR_RESPONSES);
	const struct frame *f = work_has_to_wait(t, row);

	/* when a Read is posted, and then what it waits for comes, */
	dut_posts(t, POST_READ(sink, 3, 13, STAG, TO,
			       .fence = row->why == FOR_A_FENCE,
			       .may_refuse = true));
	work_goes_on(t, row, f);

	/* then nothing of it is lost. */
	f = awaits_given(t, RDMAP_READ_REQUEST);
	must(t, RDMAP_4_4_01, names_sink(f, sink, 3));
	must(t, RDMAP_4_4_01, is("size", case_read_of(f).size, 13));
	must(t, RDMAP_4_4_01,
	     is("source STag", case_read_of(f).source_stag, STAG));
	must(t, RDMAP_4_4_01, is("source TO", case_read_of(f).source_to, TO));
}

static const struct waiting atomics[] = {
	FOR_EACH_REASON_OF_A_REQUEST("fetchadd", .must = &RDMAPX_5_2_1_01),
	FOR_EACH_REASON_OF_A_REQUEST("cmpswap", .must = &RDMAPX_5_2_1_30,
				     .cmpswap = true),
};

CASE_EACH(an_atomic_is_as_posted, struct waiting, atomics,
	  .title = "an atomic that has to wait is sent with its target and all "
		   "its operands",
	  .needs = NEED_ATOMICS | NEED_MASKED_ATOMICS, .role = INITIATOR)
{
	/* Given a stream on which work has to wait, */
	struct region result =
		dut_registers(t, .len = 8, .access = FOR_RESULTS);
	const struct frame *f = work_has_to_wait(t, row);

	/* when an atomic is posted, and then what it waits for comes, */
	bool fence = row->why == FOR_A_FENCE;
	struct post add = POST_FETCHADD(
		result, 0, STAG, WORD, 0x1112131415161718,
		.mask = 0x8022232425262728, .fence = fence, .may_refuse = true);
	struct post swap = POST_CMPSWAP(
		result, 0, STAG, WORD, 0x3132333435363738, 0x1112131415161718,
		.masks = true, .swap_mask = 0x8022232425262728,
		.compare_mask = 0x4142434445464748, .fence = fence,
		.may_refuse = true);
	dut_posts(t, row->cmpswap ? swap : add);
	work_goes_on(t, row, f);

	/* then nothing of it is lost. */
	struct rdmap_atomic_request a =
		case_atomic_of(awaits_given(t, RDMAP_ATOMIC_REQUEST));
	must(t, RDMAPX_5_2_1_01, is("Remote STag", a.stag, STAG));
	must(t, RDMAPX_5_2_1_01, is("Remote TO", a.to, WORD));
	must_row(t, row, is("Data", a.data, 0x1112131415161718));
	must_row(t, row, is("Mask", a.mask, 0x8022232425262728));
	if (row->cmpswap) {
		must(t, RDMAPX_5_2_1_05,
		     is("AOpCode", a.aopcode, RDMAP_CMPSWAP));
		must(t, RDMAPX_5_2_1_30,
		     is("Compare Data", a.compare, 0x3132333435363738));
		must(t, RDMAPX_5_2_1_30,
		     is("Compare Mask", a.compare_mask, 0x4142434445464748));
	} else {
		must(t, RDMAPX_5_2_1_04,
		     is("AOpCode", a.aopcode, RDMAP_FETCHADD));
		must(t, RDMAPX_5_2_1_17, is("Compare Data", a.compare, 0));
		must(t, RDMAPX_5_2_1_18,
		     is("Compare Mask", a.compare_mask, ~0ull));
	}
}
