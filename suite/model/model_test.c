/* SPDX-License-Identifier: BSD-2-Clause */
/* What the TP sends, and what the model then allows the DUT to do. */
#include "suite/model/model_fixture.h"

static bool terminates(const struct fixture *f, unsigned layer, unsigned etype,
		       unsigned code)
{
	return model_outcomes_terminate(&f->outcomes, layer, etype, code) &&
	       !model_outcomes_has(&f->outcomes, MODEL_PROCESS);
}

/* ---- correct segments --------------------------------------------------- */

static void a_send_is_delivered(void)
{
	struct fixture f;
	const struct model_delivery *d;

	setup(&f);
	post_receives(&f, 2);
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "hello")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_deliveries(&f.m), 1);
	d = model_delivery(&f.m, 0);
	CU_ASSERT_EQUAL(d->ordinal, 1);
	CU_ASSERT_EQUAL(d->len, 5);
	CU_ASSERT_FALSE(d->optional);
	CU_ASSERT_TRUE(d->data_known);
	CU_ASSERT_EQUAL(memcmp(d->data, "hello", 5), 0);
	CU_ASSERT_PTR_NULL(model_delivery(&f.m, 1));
}

static void a_send_in_segments_is_delivered_once(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	post_receives(&f, 1);
	/* Offsets out of order: the sink has to accept them. */
	s = send_of(1, "cdef");
	s.ddp.last = false;
	s.ddp.mo = 2;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_WAIT));
	s = send_of(1, "ab");
	s.ddp.last = false;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_deliveries(&f.m), 0);
	s = send_of(1, "gh");
	s.ddp.mo = 6;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_deliveries(&f.m), 1);
	CU_ASSERT_EQUAL(model_delivery(&f.m, 0)->len, 8);
	CU_ASSERT_EQUAL(memcmp(f.receive[0], "abcdefgh", 8), 0);
}

static void immediate_data_is_delivered(void)
{
	struct fixture f;

	setup(&f);
	post_receives(&f, 1);
	CU_ASSERT_EQUAL(peer(&f, untagged(RDMAP_IMM_SE, 0, 1, "12345678", 8)),
			MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_delivery(&f.m, 0)->se);
	CU_ASSERT_EQUAL(memcmp(model_delivery(&f.m, 0)->imm, "12345678", 8), 0);
}

/* In a Send's buffer in a region, the octets of the Send are certain; the RFCs
 * do not define where Immediate Data goes (RFC 7306 s6.3), and refilled memory
 * is known again. */
static void buffers_in_a_region(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, STAG, BASE + 16, 8));
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, STAG, BASE + 32, 8));
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "abcd")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(memcmp(f.memory + 16, "abcd\x14", 5), 0);
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE, LEN));
	CU_ASSERT_EQUAL(peer(&f, untagged(RDMAP_IMM, 0, 2, "12345678", 8)),
			MODEL_STIM_NONE);
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE + 32, 1));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE + 39, 1));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE, 32));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE + 40, 8));
	CU_ASSERT_TRUE(model_region_changed(&f.m, STAG, BASE + 32, 8));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE, LEN));
	CU_ASSERT_TRUE(model_region_doubt(&f.m, STAG, BASE + 1, 2));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE + 2, 1));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE + 3, 9));
	CU_ASSERT_FALSE(model_region_doubt(&f.m, STAG + 1, BASE, 1));
}

/* STag 0 is one like any other, and a region may end with the last of all TOs. */
static void a_region_at_the_end_of_all_tos(void)
{
	static uint8_t memory[LEN];
	const uint64_t to = 0 - (uint64_t)LEN;
	const struct model_region r = {.stag = 0,
				       .to = to,
				       .len = LEN,
				       .access = MODEL_RR | MODEL_RW | MODEL_LW,
				       .shadow = memory};
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, 0, 0 - UINT64_C(16), 8));
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, 0, 0 - UINT64_C(8), 8));
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "abcd")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(memcmp(memory + LEN - 16, "abcd", 4), 0);
	CU_ASSERT_EQUAL(peer(&f, untagged(RDMAP_IMM, 0, 2, "12345678", 8)),
			MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_region_certain(&f.m, 0, to, LEN - 8));
	CU_ASSERT_FALSE(model_region_certain(&f.m, 0, UINT64_MAX, 1));
	CU_ASSERT_TRUE(model_region_changed(&f.m, 0, 0 - UINT64_C(8), 8));
	CU_ASSERT_TRUE(model_region_certain(&f.m, 0, to, LEN));
}

static void an_invalidating_send_kills_the_stag(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	post_receives(&f, 1);
	s = untagged(RDMAP_SEND_SE_INV, 0, 1, "", 0);
	s.ddp.inval_stag = STAG;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_delivery(&f.m, 0)->inv);
	CU_ASSERT_EQUAL(model_delivery(&f.m, 0)->inv_stag, STAG);
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, STAG, BASE, "x", 1)),
			MODEL_STIM_STAG);
}

static void a_write_is_placed_exactly(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_EQUAL(
		peer(&f, tagged(RDMAP_WRITE, STAG, BASE + LEN - 2, "xy", 2)),
		MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(f.memory[LEN - 3], LEN - 3);
	CU_ASSERT_EQUAL(f.memory[LEN - 2], 'x');
	CU_ASSERT_EQUAL(f.memory[LEN - 1], 'y');
	/* Without octets neither STag nor TO is checked. */
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, 0, 1, NULL, 0)),
			MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void an_atomic_changes_memory_in_its_octet_order(void)
{
	static const uint8_t word[8] = {0x10, 0x11, 0x12, 0x13,
					0x14, 0x15, 0x16, 0x17};
	struct fixture f;
	struct model_config c = plain_config();

	setup(&f);
	CU_ASSERT_EQUAL(memcmp(f.memory + 16, word, 8), 0);
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 7, BASE + 16, 1)),
			MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(f.memory[16], 0x11);
	CU_ASSERT_EQUAL(model_owes(&f.m).atomics, 1);
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 1, 7, 0x1716151413121110)),
			0);
	CU_ASSERT_TRUE(model_quiet(&f.m));

	c.big_endian = true;
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 7, BASE + 16, 1)),
			MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(f.memory[23], 0x18);
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 1, 7, 0x1011121314151617)),
			0);
}

static void alignment_is_of_the_address(void)
{
	static uint8_t shadow[16];
	struct model_region r = {.stag = 7,
				 .to = 0,
				 .len = 16,
				 .access = MODEL_RA,
				 .pd = 1,
				 .residue = 4,
				 .shadow = shadow};
	struct rdmap_atomic_request h = {.stag = 7, .to = 4};
	uint8_t octets[52];
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	rdmap_atomic_request_encode(&h, octets, sizeof(octets));
	CU_ASSERT_EQUAL(
		peer(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 1, octets, 52)),
		MODEL_STIM_NONE);
	h.to = 0;
	rdmap_atomic_request_encode(&h, octets, sizeof(octets));
	CU_ASSERT_EQUAL(
		peer(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 2, octets, 52)),
		MODEL_STIM_ATOMIC_UNALIGNED);
	CU_ASSERT_TRUE(terminates(&f, 0, 2, 7));
	CU_ASSERT_EQUAL(f.outcomes.req, REQ_OF(RDMAPX_5_1_1_11));
}

static void each_atomic_has_its_own_rows(void)
{
	static const struct {
		unsigned aopcode;
		uint64_t to;
		enum model_stimulus due;
		unsigned short req;
	} rows[] = {
		{RDMAP_FETCHADD, BASE + 1, MODEL_STIM_ATOMIC_UNALIGNED,
		 REQ_OF(RDMAPX_5_1_1_11)},
		{RDMAP_CMPSWAP, BASE + 1, MODEL_STIM_CMPSWAP_UNALIGNED,
		 REQ_OF(RDMAPX_5_1_2_12)},
		{1, BASE, MODEL_STIM_AOPCODE_1, REQ_OF(RDMAPX_5_2_1_07)},
		{3, BASE, MODEL_STIM_AOPCODE_3, REQ_OF(RDMAPX_5_2_1_08)},
		{4, BASE, MODEL_STIM_AOPCODE, REQ_OF(RDMAPX_5_2_1_09)},
		{15, BASE, MODEL_STIM_AOPCODE, REQ_OF(RDMAPX_5_2_1_09)},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		struct rdmap_atomic_request h = {
			.aopcode = (uint8_t)rows[i].aopcode,
			.stag = STAG,
			.to = rows[i].to};
		uint8_t octets[52];
		struct fixture f;

		rdmap_atomic_request_encode(&h, octets, sizeof(octets));
		setup(&f);
		CU_ASSERT_EQUAL(peer(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 1,
						  octets, 52)),
				rows[i].due);
		CU_ASSERT_EQUAL(f.outcomes.req, rows[i].req);
	}
}

static void msn_wraps(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.first_msn = 0xffffffff;
	setup_with(&f, &c);
	post_receives(&f, 2);
	CU_ASSERT_EQUAL(peer(&f, send_of(0xffffffff, "a")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(peer(&f, send_of(0, "b")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_deliveries(&f.m), 2);
}

/* ---- faulty segments ----------------------------------------------------- */

enum field {
	FIELD_DV,
	FIELD_RV,
	FIELD_STAG,
	FIELD_TO,
	FIELD_QN,
	FIELD_MSN,
	FIELD_MO,
	FIELD_OPCODE,
	FIELD_LAST,
	FIELD_INVAL,
	FIELD_OCTETS,
	FIELD_SHORT,
};

/* The same segment with one field changed. */
static struct ddp_segment with(struct ddp_segment s, enum field field,
			       uint64_t v)
{
	switch (field) {
	case FIELD_DV:
		s.ddp.dv = (uint8_t)v;
		break;
	case FIELD_RV:
		s.ddp.rv = (uint8_t)v;
		break;
	case FIELD_STAG:
		s.ddp.stag = (uint32_t)v;
		break;
	case FIELD_TO:
		s.ddp.to = v;
		break;
	case FIELD_QN:
		s.ddp.qn = (uint32_t)v;
		break;
	case FIELD_MSN:
		s.ddp.msn = (uint32_t)v;
		break;
	case FIELD_MO:
		s.ddp.mo = (uint32_t)v;
		break;
	case FIELD_OPCODE:
		s.ddp.opcode = (uint8_t)v;
		break;
	case FIELD_LAST:
		s.ddp.last = v;
		break;
	case FIELD_INVAL:
		s.ddp.inval_stag = (uint32_t)v;
		break;
	case FIELD_OCTETS:
		s.payload_octets = (size_t)v;
		break;
	case FIELD_SHORT:
		s.short_header = v;
		break;
	}
	return s;
}

struct one_fault {
	const char *name;
	enum model_stimulus due;
	struct ddp_segment seg;
};

static const uint8_t long_payload[100];

/* Each row is a correct segment with one fault. */
static void one_fault_is_one_stimulus(void)
{
	struct fixture f;
	struct ddp_segment write, send, read, bad_read, atomic, imm;
	size_t i;

	setup(&f);
	write = tagged(RDMAP_WRITE, STAG, BASE, "x", 1);
	send = send_of(1, "x");
	read = read_request(&f, 1, 4, STAG, BASE);
	bad_read = read_request(&f, 1, 4, STAG, BASE + LEN - 3);
	atomic = fetchadd(&f, 1, 1, BASE + 4, 1);
	imm = untagged(RDMAP_IMM, 0, 1, "1234567", 7);

	{
		const struct one_fault faults[] = {
			{"DV", MODEL_STIM_DV0_TAGGED, with(write, FIELD_DV, 0)},
			{"DV", MODEL_STIM_DV2_TAGGED, with(write, FIELD_DV, 2)},
			{"DV", MODEL_STIM_DV3_TAGGED, with(write, FIELD_DV, 3)},
			{"DV", MODEL_STIM_DV0_UNTAGGED,
			 with(send, FIELD_DV, 0)},
			{"DV", MODEL_STIM_DV2_UNTAGGED,
			 with(send, FIELD_DV, 2)},
			{"DV", MODEL_STIM_DV3_UNTAGGED,
			 with(send, FIELD_DV, 3)},
			{"RV", MODEL_STIM_RV, with(send, FIELD_RV, 2)},
			{"RV 0", MODEL_STIM_RV_ZERO, with(send, FIELD_RV, 0)},
			{"STag", MODEL_STIM_STAG, with(write, FIELD_STAG, 9)},
			{"STag beside", MODEL_STIM_STAG_NEAR,
			 with(write, FIELD_STAG, STAG ^ 0x40000000)},
			{"STag with another key", MODEL_STIM_STAG_NEAR,
			 with(write, FIELD_STAG, STAG ^ 0x5a)},
			{"STag 0", MODEL_STIM_STAG_ZERO,
			 with(write, FIELD_STAG, 0)},
			{"TO", MODEL_STIM_TAGGED_BOUNDS,
			 with(write, FIELD_TO, BASE + LEN)},
			{"TO", MODEL_STIM_TAGGED_BOUNDS,
			 with(write, FIELD_TO, BASE - 1)},
			{"QN", MODEL_STIM_QN, with(send, FIELD_QN, 4)},
			{"QN of another", MODEL_STIM_QUEUE,
			 with(send, FIELD_QN, 1)},
			{"QN of another", MODEL_STIM_QUEUE,
			 with(read, FIELD_QN, 2)},
			{"MSN 0", MODEL_STIM_MSN_OLD, with(send, FIELD_MSN, 0)},
			{"MSN", MODEL_STIM_MSN_AHEAD, with(send, FIELD_MSN, 9)},
			{"MSN far ahead", MODEL_STIM_MSN_AHEAD,
			 with(send, FIELD_MSN, 0x80000002)},
			{"MSN far ahead", MODEL_STIM_MSN_AHEAD,
			 with(read, FIELD_MSN, 0xffffffff)},
			{"MSN", MODEL_STIM_MSN_SKIPPED,
			 with(send, FIELD_MSN, 2)},
			{"MO", MODEL_STIM_MO_AT_END, with(send, FIELD_MO, 64)},
			{"MO", MODEL_STIM_MO, with(send, FIELD_MO, 65)},
			{"MO", MODEL_STIM_MO, with(send, FIELD_MO, 0xffffffff)},
			{"long", MODEL_STIM_TOO_LONG,
			 untagged(RDMAP_SEND, 0, 1, long_payload, 65)},
			{"opcode", MODEL_STIM_OPCODE,
			 with(send, FIELD_OPCODE, 12)},
			{"opcode", MODEL_STIM_OPCODE,
			 with(write, FIELD_OPCODE, 15)},
			{"T", MODEL_STIM_T_FLAG,
			 with(write, FIELD_OPCODE, RDMAP_SEND)},
			{"T", MODEL_STIM_T_FLAG,
			 with(send, FIELD_OPCODE, RDMAP_WRITE)},
			{"short read", MODEL_STIM_READ_SHORT,
			 with(read, FIELD_OCTETS, 27)},
			{"source", MODEL_STIM_READ_BOUNDS, bad_read},
			{"MSN of QN 1", MODEL_STIM_READ_SKIPPED,
			 with(read, FIELD_MSN, 2)},
			{"unaligned", MODEL_STIM_ATOMIC_UNALIGNED, atomic},
			{"short atomic", MODEL_STIM_ATOMIC_SHORT,
			 with(atomic, FIELD_OCTETS, 51)},
			{"imm", MODEL_STIM_IMM_SHORT, imm},
			{"unasked", MODEL_STIM_RESPONSE_UNASKED,
			 with(write, FIELD_OPCODE, RDMAP_READ_RESPONSE)},
			{"unasked", MODEL_STIM_ATOMIC_RESPONSE_UNASKED,
			 atomic_response(&f, 1, 1, 1)},
			{"empty", MODEL_STIM_EMPTY_SEGMENT,
			 with(with(send, FIELD_OCTETS, 0), FIELD_LAST, false)},
			{"hole", MODEL_STIM_INCOMPLETE,
			 with(send, FIELD_MO, 3)},
			{"invalidate", MODEL_STIM_INVALIDATE_STAG,
			 with(with(send, FIELD_OPCODE, RDMAP_SEND_INV),
			      FIELD_INVAL, 9)},
			{"header", MODEL_STIM_SHORT_HEADER,
			 with(send, FIELD_SHORT, true)},
		};
		for (i = 0; i < UNIT_COUNT(faults); i++) {
			struct fixture g;

			setup(&g);
			post_receives(&g, 3);
			CU_ASSERT_EQUAL(peer(&g, faults[i].seg), faults[i].due);
			CU_ASSERT_EQUAL(g.outcomes.n,
					model_fault_outcomes(faults[i].due).n);
			CU_ASSERT_TRUE(g.m.uncertain);
			CU_ASSERT_EQUAL(g.memory[0], 0);
		}
	}
}

static void regions_of_others_are_out_of_reach(void)
{
	struct model_region r = {
		.stag = 5, .to = 0, .len = 8, .access = MODEL_RW, .pd = 2};
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, 5, 0, "x", 1)),
			MODEL_STIM_STAG_STREAM);
	CU_ASSERT_TRUE(terminates(&f, 1, 1, 2));

	setup(&f);
	r.pd = 1;
	r.stream = 2;
	CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, 5, 0, "x", 1)),
			MODEL_STIM_STAG_STREAM);
}

static void rights_are_checked(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_region_access(&f.m, STAG, MODEL_RR));
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, STAG, BASE, "x", 1)),
			MODEL_STIM_WRITE_ACCESS);
	setup(&f);
	CU_ASSERT_TRUE(model_region_access(&f.m, STAG, MODEL_RW));
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 1, 4, STAG, BASE)),
			MODEL_STIM_READ_ACCESS);
	CU_ASSERT_TRUE(terminates(&f, 0, 1, 2));
	setup(&f);
	CU_ASSERT_TRUE(model_region_access(&f.m, STAG, MODEL_LW | MODEL_RW));
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 1, BASE, 1)),
			MODEL_STIM_ATOMIC_ACCESS);
	/* The RFCs define no access right for atomics. */
	setup(&f);
	CU_ASSERT_TRUE(model_region_access(&f.m, STAG, MODEL_RW | MODEL_RR));
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 1, BASE, 1)),
			MODEL_STIM_ATOMIC_READ_WRITE);
	/* A Read of no octets names no memory. */
	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 1, 0, 0, 0)),
			MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_owes(&f.m).reads, 1);
}

static void a_wrap_also_fails_the_range(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_EQUAL(
		peer(&f, tagged(RDMAP_WRITE, STAG, UINT64_MAX, "xy", 2)),
		MODEL_STIM_TAGGED_WRAP);
	CU_ASSERT_TRUE(terminates(&f, 1, 1, 3));
	CU_ASSERT_TRUE(terminates(&f, 1, 1, 1));
	CU_ASSERT_FALSE(terminates(&f, 1, 1, 0));
	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 1, 2, STAG, UINT64_MAX)),
			MODEL_STIM_READ_WRAP);
	CU_ASSERT_TRUE(terminates(&f, 0, 1, 4));
}

static void two_faults_allow_either_number(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	s = send_of(1, "x");
	s.ddp.rv = 3;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_RV);
	/* There is no posted buffer either. */
	CU_ASSERT_TRUE(terminates(&f, 0, 2, 5));
	CU_ASSERT_TRUE(terminates(&f, 1, 2, 2));
}

static void rdmap_may_look_at_the_last_segment_alone(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, STAG, BASE, "x", 1);

	/* Version 3 in a first segment: a Terminate or nothing. */
	setup(&f);
	s.ddp.rv = 3;
	s.ddp.last = false;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_RV_EARLY);
	CU_ASSERT_TRUE(model_outcomes_terminate(&f.outcomes, 0, 2, 5));
	CU_ASSERT_FALSE(model_outcomes_terminate(&f.outcomes, 0, 2, 6));
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));

	/* A right version in the last one, which the device may look at. */
	s.ddp.rv = 1;
	s.ddp.to++;
	s.ddp.last = true;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_CHANGED_HEADER);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));

	/* A wrong one in both: the last one is refused. */
	setup(&f);
	s.ddp.rv = 3;
	s.ddp.last = false;
	peer(&f, s);
	s.ddp.last = true;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_RV);
	CU_ASSERT_FALSE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));

	/* The same of opcodes: 12 is none, and a Send is untagged. */
	setup(&f);
	s = tagged((enum rdmap_opcode)12, STAG, BASE, "x", 1);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_OPCODE_EARLY);
	setup(&f);
	s = tagged(RDMAP_SEND, STAG, BASE, "x", 1);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_OPCODE_EARLY);
}

static void a_wrong_crc_hides_all_else(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 9, 0, "x", 1);
	struct model_config c = plain_config();

	setup(&f);
	CU_ASSERT_EQUAL(
		model_peer_sends(&f.m, &s, MODEL_FRAME_CRC_WRONG, &f.outcomes),
		MODEL_STIM_CRC);
	CU_ASSERT_TRUE(terminates(&f, 2, 0, 2));
	CU_ASSERT_FALSE(terminates(&f, 1, 1, 0));

	/* With CRCs off it is not checked. */
	c.crc = false;
	setup_with(&f, &c);
	s = tagged(RDMAP_WRITE, STAG, BASE, "x", 1);
	CU_ASSERT_EQUAL(
		model_peer_sends(&f.m, &s, MODEL_FRAME_CRC_WRONG, &f.outcomes),
		MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(f.memory[0], 'x');
}

static void after_a_fault_all_is_dropped(void)
{
	struct fixture f;

	setup(&f);
	post_receives(&f, 2);
	peer(&f, tagged(RDMAP_WRITE, 9, 0, "x", 1));
	CU_ASSERT_TRUE(model_owes(&f.m).terminate);
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "late")), MODEL_STIM_AFTER_FAILURE);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_IGNORE));
	CU_ASSERT_EQUAL(model_deliveries(&f.m), 0);
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_WRITE, STAG, BASE, "x", 1)),
			MODEL_STIM_AFTER_FAILURE);
	CU_ASSERT_EQUAL(f.memory[0], 0);
}

static void no_buffer_may_be_held_back(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "x")), MODEL_STIM_NO_BUFFER);
	CU_ASSERT_TRUE(terminates(&f, 1, 2, 2));
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_BACK_PRESSURE));
	CU_ASSERT_TRUE(model_quiet(&f.m));
	CU_ASSERT_EQUAL(peer(&f, send_of(2, "y")), MODEL_STIM_AFTER_FAILURE);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_BACK_PRESSURE));
}

static void what_is_not_claimed_is_refused(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.features = 0;
	setup_with(&f, &c);
	post_receives(&f, 1);
	CU_ASSERT_EQUAL(peer(&f, untagged(RDMAP_IMM, 0, 1, "12345678", 8)),
			MODEL_STIM_OPCODE);
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 1, BASE, 1)),
			MODEL_STIM_OPCODE_ATOMIC_REQUEST);
	CU_ASSERT_TRUE(terminates(&f, 1, 2, 5));
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, atomic_response(&f, 1, 1, 1)),
			MODEL_STIM_OPCODE_ATOMIC_RESPONSE);
	CU_ASSERT_TRUE(terminates(&f, 1, 2, 1));
}

static void swap_belongs_to_the_drafts(void)
{
	struct rdmap_atomic_request h = {
		.aopcode = RDMAP_SWAP, .stag = STAG, .to = BASE, .data = 5};
	struct model_config c = plain_config();
	uint8_t octets[52];
	struct fixture f;

	c.features |= MODEL_SWAP;
	rdmap_atomic_request_encode(&h, octets, sizeof(octets));
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(
		peer(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 1, octets, 52)),
		MODEL_STIM_AOPCODE_1);
	CU_ASSERT_EQUAL(f.outcomes.req, REQ_OF(RDMAPX_5_2_1_07));
	c.profile = MODEL_DRAFT_03;
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(
		peer(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 1, octets, 52)),
		MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(f.memory[0], 5);
	CU_ASSERT_EQUAL(f.memory[1], 0);
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 1, 0, 0x0706050403020100)),
			0);
}

static void a_terminate_ends_all_duties(void)
{
	struct fixture f;

	setup(&f);
	peer(&f, read_request(&f, 1, 4, STAG, BASE));
	CU_ASSERT_FALSE(model_quiet(&f.m));
	CU_ASSERT_EQUAL(peer(&f, terminate_about(&f, 0, 2, 0xff, NULL, false)),
			MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	/* A Terminate in return is not judged. */
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 2, 6, NULL, false)), 0);
}

/* More buffers than the model tracks individually: each accepts a Send all the
 * same, and the Send after the last one is too many. */
static void more_buffers_than_are_known(void)
{
	const uint32_t n = MODEL_RECEIVES + 40;
	struct fixture f;

	setup(&f);
	for (uint32_t i = 0; i < n; i++)
		CU_ASSERT_TRUE(
			model_recv_posted(&f.m, i < n - 1 ? 64 : 2, NULL));
	for (uint32_t msn = 1; msn <= n; msn++)
		CU_ASSERT_EQUAL(peer(&f, send_of(msn, "x")), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_deliveries(&f.m), n);
	CU_ASSERT_EQUAL(model_delivery(&f.m, n - 1)->ordinal, n);
	CU_ASSERT_EQUAL(peer(&f, send_of(n + 1, "x")), MODEL_STIM_NO_BUFFER);
}

static void an_rtr_send_may_use_a_buffer_or_not(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.rtr = MODEL_RTR_SEND;
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "")), MODEL_STIM_NONE);
	CU_ASSERT_TRUE(model_delivery(&f.m, 0)->optional);
	post_receives(&f, 2);
	CU_ASSERT_EQUAL(peer(&f, send_of(2, "x")), MODEL_STIM_NONE);
	CU_ASSERT_FALSE(model_delivery(&f.m, 1)->optional);
	CU_ASSERT_EQUAL(model_delivery(&f.m, 1)->ordinal, 0);

	setup_with(&f, &c);
	post_receives(&f, 2);
	CU_ASSERT_EQUAL(peer(&f, send_of(1, "x")), MODEL_STIM_FIRST_NOT_RTR);
	CU_ASSERT_TRUE(f.outcomes.open);
}

static void the_devices_own_reads_are_answered(void)
{
	struct model_work w = {
		.op = MODEL_WORK_READ, .len = 4, .stag = 0x77, .to = 0x5000};
	struct rdmap_read_request h = {.sink_stag = STAG,
				       .sink_to = BASE + 8,
				       .size = 4,
				       .source_stag = 0x77,
				       .source_to = 0x5000};
	struct model_config c = plain_config();
	uint8_t octets[28];
	uint32_t index;
	struct fixture f;

	c.dut_initiates = true;
	setup_with(&f, &c);
	rdmap_read_request_encode(&h, octets, sizeof(octets));
	CU_ASSERT_TRUE(model_post(&f.m, &w, &index));
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_READ_REQUEST, 1, 1, octets, 28)),
			0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_SENT);
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_READ_RESPONSE, STAG, BASE + 8,
					"abcd", 4)),
			MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_ANSWERED);
	CU_ASSERT_EQUAL(memcmp(f.memory + 8, "abcd", 4), 0);
	CU_ASSERT_EQUAL(peer(&f, tagged(RDMAP_READ_RESPONSE, STAG, BASE + 8,
					"abcd", 4)),
			MODEL_STIM_RESPONSE_UNASKED);

	/* DDP checks no STag of an empty message, but RDMAP may compare. */
	setup_with(&f, &c);
	h.size = 0;
	rdmap_read_request_encode(&h, octets, sizeof(octets));
	w.len = 0;
	CU_ASSERT_TRUE(model_post(&f.m, &w, &index));
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_READ_REQUEST, 1, 1, octets, 28)),
			0);
	CU_ASSERT_EQUAL(
		peer(&f, tagged(RDMAP_READ_RESPONSE, STAG + 1, 7, "", 0)),
		MODEL_STIM_RESPONSE_MISMATCH);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_TERMINATE));
}

static void more_reads_than_the_ird_are_open(void)
{
	struct fixture f;
	unsigned i;

	setup(&f);
	for (i = 1; i <= 4; i++)
		CU_ASSERT_EQUAL(peer(&f, read_request(&f, i, 1, STAG, BASE)),
				MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 5, 1, STAG, BASE)),
			MODEL_STIM_BEYOND_IRD);
	CU_ASSERT_TRUE(f.outcomes.open);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"send", a_send_is_delivered},
		{"send in segments", a_send_in_segments_is_delivered_once},
		{"immediate data", immediate_data_is_delivered},
		{"buffers in a region", buffers_in_a_region},
		{"a region at the end of all TOs",
		 a_region_at_the_end_of_all_tos},
		{"invalidate", an_invalidating_send_kills_the_stag},
		{"write", a_write_is_placed_exactly},
		{"atomic", an_atomic_changes_memory_in_its_octet_order},
		{"alignment", alignment_is_of_the_address},
		{"MSN wraps", msn_wraps},
		{"one fault", one_fault_is_one_stimulus},
		{"rows of atomics", each_atomic_has_its_own_rows},
		{"other regions", regions_of_others_are_out_of_reach},
		{"rights", rights_are_checked},
		{"wrap", a_wrap_also_fails_the_range},
		{"two faults", two_faults_allow_either_number},
		{"RDMAP at delivery", rdmap_may_look_at_the_last_segment_alone},
		{"CRC", a_wrong_crc_hides_all_else},
		{"after a fault", after_a_fault_all_is_dropped},
		{"no buffer", no_buffer_may_be_held_back},
		{"more buffers than are known", more_buffers_than_are_known},
		{"not claimed", what_is_not_claimed_is_refused},
		{"swap", swap_belongs_to_the_drafts},
		{"terminate", a_terminate_ends_all_duties},
		{"RTR", an_rtr_send_may_use_a_buffer_or_not},
		{"own reads", the_devices_own_reads_are_answered},
		{"IRD", more_reads_than_the_ird_are_open},
	};

	return unit_run("model", tests, UNIT_COUNT(tests));
}
