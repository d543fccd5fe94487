/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/terminate_names.h"
#include "suite/model/model_fixture.h"

/* Counted by hand in RFC 6580 s3.1 to s3.3 and RFC 6581 s8. */
static void the_registry_has_these_and_no_more(void)
{
	unsigned layer, etype, code;
	unsigned n[3][4] = {{0}};
	unsigned others = 0;

	for (layer = 0; layer < 16; layer++)
		for (etype = 0; etype < 16; etype++)
			for (code = 0; code < 256; code++) {
				if (!model_terminate_registered(layer, etype,
								code))
					continue;
				if (layer < 3 && etype < 4)
					n[layer][etype]++;
				else
					others++;
			}
	CU_ASSERT_EQUAL(n[0][0], 256);
	CU_ASSERT_EQUAL(n[0][1], 7);
	CU_ASSERT_EQUAL(n[0][2], 6);
	CU_ASSERT_EQUAL(n[0][3], 0);
	CU_ASSERT_EQUAL(n[1][0], 1);
	CU_ASSERT_EQUAL(n[1][1], 5);
	CU_ASSERT_EQUAL(n[1][2], 6);
	CU_ASSERT_EQUAL(n[1][3], 256);
	CU_ASSERT_EQUAL(n[2][0], 7);
	CU_ASSERT_EQUAL(n[2][1] + n[2][2] + n[2][3], 0);
	CU_ASSERT_EQUAL(others, 0);
	CU_ASSERT_FALSE(model_terminate_registered(1, 2, 0));
	CU_ASSERT_FALSE(model_terminate_registered(0, 1, 0x100));
}

static void numbers_have_names(void)
{
	struct terminate_names n = terminate_names(1, 2, 2);

	CU_ASSERT_STRING_EQUAL(n.layer, "DDP");
	CU_ASSERT_STRING_EQUAL(n.etype, "untagged");
	CU_ASSERT_STRING_EQUAL(n.code, "no buffer");
	n = terminate_names(0, 0, 0x55);
	CU_ASSERT_STRING_EQUAL(n.etype, "local catastrophic");
	CU_ASSERT_STRING_EQUAL(n.code, "");
	n = terminate_names(1, 2, 0);
	CU_ASSERT_STRING_EQUAL(n.etype, "untagged");
	CU_ASSERT_PTR_NULL(n.code);
	n = terminate_names(2, 1, 2);
	CU_ASSERT_STRING_EQUAL(n.layer, "LLP");
	CU_ASSERT_PTR_NULL(n.etype);
	n = terminate_names(3, 0, 0);
	CU_ASSERT_PTR_NULL(n.layer);
	for (unsigned layer = 0; layer < 16; layer++)
		for (unsigned etype = 0; etype < 16; etype++)
			for (unsigned code = 0; code < 256; code++) {
				n = terminate_names(layer, etype, code);
				CU_ASSERT_TRUE(!n.code || n.etype);
				CU_ASSERT_TRUE(!n.etype || n.layer);
			}
}

/* A row cannot require a number that is not registered, or bind with a MAY. */
static void every_fault_has_a_sound_row(void)
{
	unsigned s, i;

	for (s = 0; s < MODEL_STIM_COUNT; s++) {
		struct model_outcomes o = model_fault_outcomes(s);
		enum req_kind kind;

		CU_ASSERT_STRING_NOT_EQUAL(model_stimulus_text(s),
					   "unknown fault");
		CU_ASSERT_TRUE_FATAL(o.n > 0 && o.req < REQ_COUNT);
		kind = req_table[o.req].kind;
		/* Having only half of the atomics is a fault of the claims: a
		 * case judges it once, the model ignores it. */
		CU_ASSERT_EQUAL(o.open,
				kind == REQ_KIND_open || kind == REQ_KIND_may ||
					s == MODEL_STIM_ATOMIC_UNCLAIMED);
		CU_ASSERT_FALSE(o.open && o.silent_req != MODEL_REQ_NONE);
		for (i = 0; i < o.n; i++) {
			const struct model_outcome *x = &o.outcome[i];

			CU_ASSERT_TRUE(x->req < REQ_COUNT);
			if (x->kind == MODEL_TERMINATE && x->layer != MODEL_ANY)
				CU_ASSERT_TRUE(model_terminate_registered(
					x->layer, x->etype, x->code));
		}
		if (o.silent_req != MODEL_REQ_NONE) {
			CU_ASSERT_FALSE(model_outcomes_has(&o, MODEL_PROCESS));
			kind = req_table[o.silent_req].kind;
			CU_ASSERT_TRUE(kind == REQ_KIND_must ||
				       kind == REQ_KIND_should);
		}
	}
}

static void the_numbers_of_each_fault(void)
{
	static const struct {
		enum model_stimulus s;
		unsigned numbers[4]; /* layer, etype, code as hex digits */
	} due[] = {
		{MODEL_STIM_STAG, {0x1100}},
		{MODEL_STIM_STAG_ANOTHER, {0x1100, 0x1102}},
		{MODEL_STIM_STAG_ZERO, {0x1100, 0x1102, 0x0102}},
		{MODEL_STIM_STAG_NEAR, {0x1100, 0x1101, 0x1102, 0x0102}},
		{MODEL_STIM_STAG_STREAM, {0x1102, 0x1100}},
		{MODEL_STIM_TAGGED_BOUNDS, {0x1101}},
		{MODEL_STIM_TAGGED_WRAP, {0x1103, 0x1101}},
		{MODEL_STIM_DV0_TAGGED, {0x1104}},
		{MODEL_STIM_DV2_TAGGED, {0x1104}},
		{MODEL_STIM_DV3_TAGGED, {0x1104}},
		{MODEL_STIM_DV0_UNTAGGED, {0x1206}},
		{MODEL_STIM_DV2_UNTAGGED, {0x1206}},
		{MODEL_STIM_DV3_UNTAGGED, {0x1206}},
		{MODEL_STIM_QN, {0x1201, 0x1202, 0x1203}},
		{MODEL_STIM_NO_BUFFER, {0x1202, 0x1203}},
		{MODEL_STIM_MSN_OLD, {0x1203, 0x1202}},
		{MODEL_STIM_MSN_AHEAD, {0x1203, 0x1202}},
		{MODEL_STIM_MO, {0x1204, 0x1205}},
		{MODEL_STIM_MO_AT_END, {0x1204, 0x1205}},
		{MODEL_STIM_TOO_LONG, {0x1205}},
		{MODEL_STIM_RV, {0x0205}},
		{MODEL_STIM_OPCODE, {0x0206}},
		{MODEL_STIM_OPCODE_ATOMIC_REQUEST, {0x0206, 0x1205}},
		{MODEL_STIM_OPCODE_ATOMIC_RESPONSE,
		 {0x0206, 0x1201, 0x1202, 0x1203}},
		{MODEL_STIM_INVALIDATE_STAG, {0x0109, 0x0209, 0x0100}},
		{MODEL_STIM_INVALIDATE_STAG_NEAR,
		 {0x0109, 0x0209, 0x0100, 0x0103}},
		{MODEL_STIM_INVALIDATE_STREAM, {0x0109, 0x0209, 0x0103}},
		{MODEL_STIM_READ_STAG, {0x0100}},
		{MODEL_STIM_READ_STAG_NEAR, {0x0100, 0x0101, 0x0102, 0x0103}},
		{MODEL_STIM_READ_TO, {0x0101}},
		{MODEL_STIM_READ_BOUNDS, {0x0101}},
		{MODEL_STIM_READ_ACCESS, {0x0102}},
		{MODEL_STIM_READ_STREAM, {0x0103}},
		{MODEL_STIM_READ_WRAP, {0x0104, 0x0101}},
		{MODEL_STIM_ATOMIC_UNALIGNED, {0x0207}},
		{MODEL_STIM_CMPSWAP_UNALIGNED, {0x0207}},
		{MODEL_STIM_SWAP_UNALIGNED, {0x0207}},
		{MODEL_STIM_CRC, {0x2002}},
		{MODEL_STIM_MARKER, {0x2003}},
	};
	unsigned i, code, k;

	for (i = 0; i < UNIT_COUNT(due); i++) {
		struct model_outcomes o = model_fault_outcomes(due[i].s);
		unsigned wrong = 0;

		for (code = 0; code < 0x3000; code++) {
			bool want = false;

			for (k = 0; k < 4; k++)
				want |= due[i].numbers[k] &&
					due[i].numbers[k] == code;
			wrong += model_outcomes_terminate(&o, code >> 12,
							  code >> 8 & 0xf,
							  code & 0xff) != want;
		}
		CU_ASSERT_EQUAL(wrong, 0);
	}
}

/* suite/req/rfc5041.def has one for each DV that is wrong. */
static void a_wrong_version_names_its_requirement(void)
{
	static const struct {
		enum model_stimulus s;
		unsigned short req;
	} due[] = {
		{MODEL_STIM_DV0_TAGGED, REQ_OF(DDP_4_1_15)},
		{MODEL_STIM_DV2_TAGGED, REQ_OF(DDP_4_1_16)},
		{MODEL_STIM_DV3_TAGGED, REQ_OF(DDP_4_1_17)},
		{MODEL_STIM_DV0_UNTAGGED, REQ_OF(DDP_4_1_18)},
		{MODEL_STIM_DV2_UNTAGGED, REQ_OF(DDP_4_1_19)},
		{MODEL_STIM_DV3_UNTAGGED, REQ_OF(DDP_4_1_20)},
	};
	size_t i;

	for (i = 0; i < sizeof(due) / sizeof(due[0]); i++) {
		struct model_outcomes o = model_fault_outcomes(due[i].s);

		CU_ASSERT_EQUAL(o.req, due[i].req);
		CU_ASSERT_EQUAL(o.outcome[0].req, due[i].req);
	}
}

static void any_means_any(void)
{
	struct model_outcomes o = model_fault_outcomes(MODEL_STIM_WRITE_ACCESS);

	CU_ASSERT_TRUE(model_outcomes_terminate(&o, 1, 1, 0));
	CU_ASSERT_TRUE(model_outcomes_terminate(&o, 0, 1, 2));
	CU_ASSERT_FALSE(model_outcomes_has(&o, MODEL_PROCESS));
}

static void lengths_follow_the_bits(void)
{
	CU_ASSERT_EQUAL(model_terminate_ulpdu(0, 0, 0, 0), 22);
	CU_ASSERT_EQUAL(model_terminate_ulpdu(1, 0, 0, 0), 24);
	CU_ASSERT_EQUAL(model_terminate_ulpdu(1, 1, 0, 1), 38);
	CU_ASSERT_EQUAL(model_terminate_ulpdu(0, 1, 0, 1), 38);
	CU_ASSERT_EQUAL(model_terminate_ulpdu(1, 1, 0, 0), 42);
	CU_ASSERT_EQUAL(model_terminate_ulpdu(1, 1, 1, 0), 70);
}

static void headers_due_by_type_and_message(void)
{
	struct model_headers_due h;

	h = model_terminate_headers_due(2, 0, 2, RDMAP_SEND);
	CU_ASSERT_EQUAL(h.m.due, MODEL_DUE_CLEAR);
	CU_ASSERT_EQUAL(h.d.req, REQ_OF(RDMAP_4_8_25));
	h = model_terminate_headers_due(1, 1, 0, RDMAP_WRITE);
	CU_ASSERT_EQUAL(h.d.due, MODEL_DUE_SET);
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_CLEAR);
	h = model_terminate_headers_due(1, 0, 0, RDMAP_WRITE);
	CU_ASSERT_EQUAL(h.d.due, MODEL_DUE_EITHER);
	h = model_terminate_headers_due(0, 0, 7, RDMAP_WRITE);
	CU_ASSERT_EQUAL(h.d.due, MODEL_DUE_CLEAR);
	h = model_terminate_headers_due(0, 1, 1, RDMAP_READ_REQUEST);
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_SET);
	h = model_terminate_headers_due(0, 2, 6, RDMAP_READ_REQUEST);
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_EITHER);
	h = model_terminate_headers_due(0, 1, 9, RDMAP_SEND_INV);
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_EITHER);
	CU_ASSERT_EQUAL(h.d.req, REQ_OF(RDMAP_7_1_03));
	h = model_terminate_headers_due(0, 2, 9, RDMAP_SEND_INV);
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_CLEAR);
	CU_ASSERT_EQUAL(h.r.req, REQ_OF(RDMAP_4_8_28));
	h = model_terminate_headers_due(0, 2, 7, RDMAP_ATOMIC_REQUEST);
	CU_ASSERT_EQUAL(h.d.req, REQ_OF(RDMAPX_8_1_02));
	CU_ASSERT_EQUAL(h.r.due, MODEL_DUE_CLEAR);
	h = model_terminate_headers_due(0, 0, 0, MODEL_ANY);
	CU_ASSERT_EQUAL(h.m.due, MODEL_DUE_EITHER);
}

/* RFC 5040 s4.8: "SHOULD be set", for every message and every error. */
static void no_header_bit_is_a_must(void)
{
	unsigned layer, etype, opcode, i;

	for (layer = 0; layer < 3; layer++)
		for (etype = 0; etype < 4; etype++)
			for (opcode = 0; opcode < 16; opcode++) {
				struct model_headers_due h =
					model_terminate_headers_due(
						layer, etype, 0, opcode);
				const struct model_bit_due *bits[] = {
					&h.m, &h.d, &h.r};

				for (i = 0; i < UNIT_COUNT(bits); i++)
					CU_ASSERT_TRUE(
						bits[i]->due ==
							MODEL_DUE_EITHER ||
						req_table[bits[i]->req].kind ==
							REQ_KIND_should);
			}
}

static void open_rows_never_object(void)
{
	struct model_objections o = {0};
	unsigned i, bound = 0;

	for (i = 0; i < REQ_COUNT; i++) {
		struct model_objections one = {0};
		enum req_kind kind = req_table[i].kind;

		model_object(&one, (unsigned short)i, MODEL_FAULT_CRC, 0, 0);
		CU_ASSERT_EQUAL(one.n, kind == REQ_KIND_must ||
					       kind == REQ_KIND_should);
		if (one.n && bound < MODEL_OBJECTIONS + 1) {
			model_object(&o, (unsigned short)i, MODEL_FAULT_CRC, 0,
				     0);
			model_object(&o, (unsigned short)i, MODEL_FAULT_CRC, 0,
				     0);
			bound++;
		}
	}
	CU_ASSERT_EQUAL(o.n, MODEL_OBJECTIONS);
	CU_ASSERT_TRUE(o.more);
}

/* The objections of a receiver's memory, buffers and ULP to a segment, and
 * those that have to show in its octets. */
static void causes_that_nobody_sees(void)
{
	const struct ddp write = {.tagged = true, .opcode = RDMAP_WRITE};
	const struct ddp response = {.tagged = true,
				     .opcode = RDMAP_READ_RESPONSE};
	const struct ddp send = {.opcode = RDMAP_SEND};
	const struct ddp inv = {.opcode = RDMAP_SEND_INV};
	const struct ddp se_inv = {.opcode = RDMAP_SEND_SE_INV};
	const struct ddp other = {.opcode = RDMAP_SEND, .qn = 9};
	const struct ddp read = {.opcode = RDMAP_READ_REQUEST,
				 .qn = DDP_QN_READ_REQUEST};
	const struct ddp atomic = {.opcode = RDMAP_ATOMIC_REQUEST,
				   .qn = DDP_QN_READ_REQUEST};
	const struct {
		const struct ddp *d;
		unsigned layer, etype, code;
		bool hidden;
	} rows[] = {
		{&se_inv, 0, 1, 0, true},    {&se_inv, 0, 2, 9, true},
		{&other, 1, 2, 1, true},     {&send, 2, 0, 2, true},
		{&write, 1, 0, 0, true},     {&write, 1, 1, 0, true},
		{&write, 1, 1, 4, false},    {&write, 1, 2, 2, false},
		{&write, 0, 1, 2, true},     {&write, 0, 2, 5, false},
		{&write, 0, 2, 6, false},    {&send, 1, 2, 2, true},
		{&send, 1, 2, 5, true},      {&send, 1, 2, 1, false},
		{&send, 1, 2, 6, false},     {&send, 1, 1, 0, false},
		{&send, 0, 1, 0, false},     {&inv, 0, 1, 0, true},
		{&inv, 0, 2, 9, true},       {&send, 0, 2, 9, false},
		{&read, 0, 1, 1, true},      {&read, 0, 2, 6, true},
		{&read, 0, 2, 5, false},     {&atomic, 0, 2, 6, true},
		{&send, 0, 0, 0, true},      {&send, 0, 2, 0xff, true},
		{&write, 1, 0, 0, true},     {&response, 0, 2, 6, true},
		{&response, 0, 2, 5, false},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		CU_ASSERT_EQUAL(model_terminate_may_be_hidden(
					rows[i].layer, rows[i].etype,
					rows[i].code, rows[i].d),
				rows[i].hidden);
}

/* RFC 5040 s4.8: FF may stand for RDMAP's errors, but not for those of the layers
 * below it, nor where the stream is lost (RFC 7306 s8.2). */
static void unspecified_stands_for_errors_of_rdmap(void)
{
	const struct model_outcomes rv = model_fault_outcomes(MODEL_STIM_RV);
	const struct model_outcomes dv =
		model_fault_outcomes(MODEL_STIM_DV2_UNTAGGED);
	const struct model_outcomes crc = model_fault_outcomes(MODEL_STIM_CRC);
	const struct model_outcomes lost = {
		.n = 1,
		.outcome = {{MODEL_TERMINATE, TERM_RDMA, 2, TERM_CATASTROPHIC,
			     MODEL_REQ_NONE}}};

	CU_ASSERT_TRUE(model_outcomes_unspecified(&rv, 0, 2, 0xff));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&rv, 0, 1, 0xff));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&rv, 1, 2, 0xff));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&rv, 0, 2, 0x05));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&dv, 0, 2, 0xff));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&crc, 0, 2, 0xff));
	CU_ASSERT_FALSE(model_outcomes_unspecified(&lost, 0, 2, 0xff));
}

/* Headers that are announced by no bit may be there as zeros. */
static void zeros_are_as_long_as_headers(void)
{
	uint8_t zeros[64] = {0};
	static const struct {
		size_t octets;
		bool d, r, length, fits;
	} rows[] = {
		{28, false, false, false, true},
		{28, true, false, true, true},
		{28, false, true, false, false},
		{14, false, false, true, true},
		{14, true, false, true, false},
		{16, false, false, false, true},
		{18, false, false, true, true},
		{20, false, false, false, true},
		{42, false, false, true, true},
		{46, false, false, true, true},
		{15, false, false, true, false},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct rdmap_terminate t = {.d = rows[i].d,
					    .r = rows[i].r,
					    .has_segment_length =
						    rows[i].length,
					    .tail = {zeros, rows[i].octets}};

		CU_ASSERT_EQUAL(model_terminate_set_to_zero(&t), rows[i].fits);
		zeros[rows[i].octets - 1] = 1;
		CU_ASSERT_FALSE(model_terminate_set_to_zero(&t));
		zeros[rows[i].octets - 1] = 0;
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"registry", the_registry_has_these_and_no_more},
		{"names", numbers_have_names},
		{"sound rows", every_fault_has_a_sound_row},
		{"numbers", the_numbers_of_each_fault},
		{"versions", a_wrong_version_names_its_requirement},
		{"any means any", any_means_any},
		{"lengths", lengths_follow_the_bits},
		{"headers due", headers_due_by_type_and_message},
		{"bits are no MUST", no_header_bit_is_a_must},
		{"open rows", open_rows_never_object},
		{"hidden causes", causes_that_nobody_sees},
		{"unspecified stands for errors of RDMAP",
		 unspecified_stands_for_errors_of_rdmap},
		{"zeros are as long as headers", zeros_are_as_long_as_headers},
	};

	return unit_run("terminate", tests, UNIT_COUNT(tests));
}
