/* SPDX-License-Identifier: BSD-2-Clause */
/* What the DUT sends: correct segments get no objection, wrong ones get
 * theirs. */
#include "suite/model/model_fixture.h"

static uint8_t payload[1024];

static uint32_t post_send(struct fixture *f, const char *text)
{
	struct model_work w = {.op = MODEL_WORK_SEND,
			       .len = strlen(text),
			       .data = (const uint8_t *)text};
	uint32_t index = 0;

	CU_ASSERT_TRUE(model_post(&f->m, &w, &index));
	return index;
}

/* ---- posted work ------------------------------------------------------------ */

static void posted_work_is_sent_in_order(void)
{
	struct model_work write = {.op = MODEL_WORK_WRITE_IMM,
				   .len = 4,
				   .data = (const uint8_t *)"abcd",
				   .stag = 0x77,
				   .to = 0x5000,
				   .imm = "12345678"};
	struct fixture f;
	uint32_t index, send;

	setup_released(&f);
	send = post_send(&f, "hello");
	CU_ASSERT_TRUE(model_post(&f.m, &write, &index));
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 2);
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "hello")), 0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, send), MODEL_WORK_SENT);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, "abcd", 4)),
			0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_UNSENT);
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_IMM, 0, 2, "12345678", 8)), 0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_SENT);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void work_out_of_order(void)
{
	struct fixture f;

	setup_released(&f);
	post_send(&f, "first");
	post_send(&f, "second");
	dut(&f, send_of(1, "second"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_ORDER, REQ_OF(RDMAP_5_3_10)));
	CU_ASSERT_EQUAL(dut(&f, send_of(2, "first")), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	dut(&f, send_of(3, "third"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_NOT_POSTED, REQ_OF(RDMAP_1_2_01)));

	/* One with an event instead of one without. */
	setup_released(&f);
	post_send(&f, "plain");
	dut(&f, untagged(RDMAP_SEND_SE, 0, 1, "plain", 5));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_NOT_POSTED, REQ_OF(RDMAP_4_1_24)));
}

static void work_with_other_octets(void)
{
	struct model_work write = {.op = MODEL_WORK_WRITE,
				   .len = 2,
				   .data = (const uint8_t *)"ab",
				   .stag = 0x77,
				   .to = 0x5000};
	struct fixture f;
	uint32_t index;

	setup_released(&f);
	post_send(&f, "hello");
	dut(&f, send_of(1, "hallo"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_DATA, REQ_OF(DDP_5_2_03)));
	post_send(&f, "hello");
	dut(&f, send_of(2, "hell"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_LENGTH, REQ_OF(DDP_5_2_03)));
	model_post(&f.m, &write, &index);
	dut(&f, tagged(RDMAP_WRITE, 0x78, 0x5000, "ab", 2));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_STAG, REQ_OF(DDP_4_2_04)));
	model_post(&f.m, &write, &index);
	dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5001, "ab", 2));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_TO, REQ_OF(DDP_5_2_07)));
}

static void a_send_in_segments(void)
{
	struct model_work w = {
		.op = MODEL_WORK_SEND, .len = 1000, .data = payload};
	struct fixture f;
	struct ddp_segment s;
	uint32_t index;

	setup_released(&f);
	model_post(&f.m, &w, &index);
	s = untagged(RDMAP_SEND, 0, 1, payload, 600);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = untagged(RDMAP_SEND, 0, 1, payload + 600, 400);
	s.ddp.mo = 600;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_SENT);

	/* The same with a wrong offset. */
	model_post(&f.m, &w, &index);
	s = untagged(RDMAP_SEND, 0, 2, payload, 600);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = untagged(RDMAP_SEND, 0, 2, payload + 600, 400);
	s.ddp.mo = 604;
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MO, REQ_OF(DDP_5_2_05)));

	/* Correct offsets in falling order only break a SHOULD. */
	model_post(&f.m, &w, &index);
	s = untagged(RDMAP_SEND, 0, 3, payload + 300, 300);
	s.ddp.mo = 300;
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = untagged(RDMAP_SEND, 0, 3, payload, 300);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = untagged(RDMAP_SEND, 0, 3, payload + 600, 400);
	s.ddp.mo = 600;
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MO_ORDER, REQ_OF(DDP_5_3_02)));
}

static void segments_belong_together(void)
{
	struct model_work w = {
		.op = MODEL_WORK_WRITE, .len = 1000, .stag = 0x77, .to = 0};
	struct fixture f;
	struct ddp_segment s;
	uint32_t index;

	setup_released(&f);
	model_post(&f.m, &w, &index);
	s = tagged(RDMAP_WRITE, 0x77, 0, payload, 600);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = tagged(RDMAP_WRITE, 0x78, 600, payload, 400);
	dut(&f, s);
	CU_ASSERT_EQUAL(f.objections.n, 2);
	CU_ASSERT_EQUAL(f.objections.list[0].fault, MODEL_FAULT_STAG_CHANGED);
	CU_ASSERT_EQUAL(f.objections.list[0].req, REQ_OF(DDP_4_2_03));
	CU_ASSERT_EQUAL(f.objections.list[1].fault, MODEL_FAULT_POST_STAG);

	/* A Send inside a Write. */
	model_post(&f.m, &w, &index);
	s = tagged(RDMAP_WRITE, 0x77, 0, payload, 600);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	post_send(&f, "x");
	dut(&f, send_of(1, "x"));
	CU_ASSERT_EQUAL(f.objections.list[0].fault, MODEL_FAULT_INTERLEAVED);
	CU_ASSERT_EQUAL(f.objections.list[0].req, REQ_OF(DDP_5_3_01));
}

static void a_missing_last_flag(void)
{
	struct model_work w = {
		.op = MODEL_WORK_SEND, .len = 200, .data = payload};
	struct fixture f;
	struct ddp_segment s;
	uint32_t index;

	setup_released(&f);
	model_post(&f.m, &w, &index);
	post_send(&f, "x");
	s = untagged(RDMAP_SEND, 0, 1, payload, 200);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	dut(&f, send_of(2, "x"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LAST_FLAG, REQ_OF(DDP_4_1_04)));
	CU_ASSERT_TRUE(model_quiet(&f.m));

	setup(&f);
	peer(&f, read_request(&f, 1, 200, STAG, BASE));
	peer(&f, read_request(&f, 2, 0, 0, 0));
	s = tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, f.memory, 200);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x4000, NULL, 0);
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LAST_FLAG, REQ_OF(DDP_4_1_04)));
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void a_local_error_after_memory_went(void)
{
	struct fixture f;

	setup_released(&f);
	dut(&f, terminate_about(&f, 0, 0, 0, NULL, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	setup_released(&f);
	CU_ASSERT_TRUE(model_region_invalidate(&f.m, STAG));
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 0, 0, NULL, false)), 0);
}

/* ---- one wrong field ----------------------------------------------------------- */

static void one_wrong_field_is_one_objection(void)
{
	static const struct {
		unsigned offset, value;
		enum model_fault fault;
		unsigned short req;
	} rows[] = {
		{0, 1, MODEL_FAULT_DDP_RESERVED, REQ_OF(DDP_4_1_11)},
		{1, 2, MODEL_FAULT_DV, REQ_OF(DDP_4_1_13)},
		{2, 0, MODEL_FAULT_RV, REQ_OF(RDMAP_4_1_02)},
		{3, 1, MODEL_FAULT_RDMAP_RESERVED, REQ_OF(RDMAP_4_1_10)},
		{4, 13, MODEL_FAULT_OPCODE, REQ_OF(IANA_3_4_03)},
		{5, 1, MODEL_FAULT_QN, REQ_OF(RDMAP_4_1_24)},
		{6, 2, MODEL_FAULT_MSN, REQ_OF(DDP_4_3_05)},
		{7, 9, MODEL_FAULT_INVALIDATE_STAG, REQ_OF(RDMAP_4_1_12)},
		{8, 4, MODEL_FAULT_MO, REQ_OF(DDP_4_3_12)},
		{9, 1, MODEL_FAULT_T_FLAG, REQ_OF(RDMAP_4_1_24)},
	};
	size_t i;

	for (i = 0; i < UNIT_COUNT(rows); i++) {
		struct ddp_segment s = send_of(1, "hello");
		struct fixture f;

		setup_released(&f);
		post_send(&f, "hello");
		switch (rows[i].offset) {
		case 0:
			s.ddp.rsvd = (uint8_t)rows[i].value;
			break;
		case 1:
			s.ddp.dv = (uint8_t)rows[i].value;
			break;
		case 2:
			s.ddp.rv = (uint8_t)rows[i].value;
			break;
		case 3:
			s.ddp.rdmap_rsvd = (uint8_t)rows[i].value;
			break;
		case 4:
			s.ddp.opcode = (uint8_t)rows[i].value;
			break;
		case 5:
			s.ddp.qn = rows[i].value;
			break;
		case 6:
			s.ddp.msn = rows[i].value;
			break;
		case 7:
			s.ddp.inval_stag = rows[i].value;
			break;
		case 8:
			s.ddp.mo = rows[i].value;
			break;
		default:
			s.ddp.tagged = rows[i].value;
			break;
		}
		dut(&f, s);
		CU_ASSERT_TRUE(only(&f, rows[i].fault, rows[i].req));
	}
}

static void msns_rise_by_one_and_wrap(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	setup_released(&f);
	post_send(&f, "a");
	post_send(&f, "b");
	post_send(&f, "c");
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "a")), 0);
	dut(&f, send_of(3, "b"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(DDP_4_3_06)));
	CU_ASSERT_EQUAL(dut(&f, send_of(4, "c")), 0);

	c.first_msn = 0xffffffff;
	c.dut_initiates = true;
	setup_with(&f, &c);
	post_send(&f, "a");
	post_send(&f, "b");
	CU_ASSERT_EQUAL(dut(&f, send_of(0xffffffff, "a")), 0);
	dut(&f, send_of(1, "b"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(DDP_4_3_09)));
}

static void a_queue_is_shared(void)
{
	struct fixture f;

	/* Numbered separately from the Reads on it, */
	setup_released(&f);
	f.m.config.works_known = false;
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 4, STAG, BASE)), 0);
	dut(&f, fetchadd(&f, 1, 0, BASE, 0));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(RDMAPX_5_2_01)));

	/* or just wrong. */
	setup_released(&f);
	f.m.config.works_known = false;
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 4, STAG, BASE)), 0);
	dut(&f, fetchadd(&f, 3, 0, BASE, 0));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(DDP_4_3_06)));
}

static void lengths_of_header_only_messages(void)
{
	struct ddp_segment s;
	struct fixture f;
	uint8_t octets[64] = {0};

	setup_released(&f);
	f.m.config.works_known = false;
	dut(&f, untagged(RDMAP_IMM, 0, 1, octets, 7));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LENGTH, REQ_OF(RDMAPX_6_3_06)));
	dut(&f, untagged(RDMAP_READ_REQUEST, 1, 1, octets, 29));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LENGTH, REQ_OF(RDMAP_4_2_10)));
	dut(&f, untagged(RDMAP_ATOMIC_REQUEST, 1, 2, octets, 51));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LENGTH, REQ_OF(RDMAPX_5_2_1_01)));

	/* Without its L it is still a message. */
	setup_released(&f);
	f.m.config.works_known = false;
	memset(octets, 0, sizeof(octets));
	s = untagged(RDMAP_IMM, 0, 1, octets, 8);
	s.ddp.last = false;
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_LAST_FLAG, REQ_OF(DDP_4_1_04)));
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_IMM, 0, 2, octets, 8)), 0);
}

/* ---- the FPDU ------------------------------------------------------------------ */

static unsigned dut_fpdu(struct fixture *f, const struct ddp_segment *s,
			 struct fpdu *u, bool crc_ok)
{
	static const uint8_t right[4] = {1, 2, 3, 4};

	model_dut_sends(&f->m, s, u, crc_ok ? NULL : right, &f->objections);
	return f->objections.n;
}

static void framing_is_judged(void)
{
	struct fixture f;
	struct ddp_segment s = send_of(1, "hello");
	uint8_t ulpdu[23];
	struct fpdu u;

	ddp_encode(&s, ulpdu, sizeof(ulpdu));
	setup_released(&f);
	f.m.config.works_known = false;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), false, 0);
	CU_ASSERT_EQUAL(dut_fpdu(&f, &s, &u, true), 0);
	s.ddp.msn = 2;
	dut_fpdu(&f, &s, &u, false);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_CRC, REQ_OF(MPA_4_4_04)));
	f.m.config.crc_by_wish = true;
	s.ddp.msn = 3;
	dut_fpdu(&f, &s, &u, false);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_CRC, REQ_OF(MPA_7_1_1_10)));
	s.ddp.msn = 4;
	u.pad[2] = 1;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_PAD, REQ_OF(MPA_4_1_03)));
	s.ddp.msn = 5;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 0);
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKERS_USED, REQ_OF(MPA_7_1_1_07)));
	s.ddp.msn = 6;
	s.ddp.last = false;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), false, 0);
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_ULPDU_TOO_SHORT, REQ_OF(MPA_4_5_05)));
	f.m.config.short_ulpdus = true;
	s.ddp.mo = 5;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_EQUAL(f.objections.n, 0);
}

static void mulpdu_has_two_limits(void)
{
	struct ddp_segment s = send_of(1, "hello");
	uint8_t ulpdu[23];
	struct fixture f;
	struct fpdu u;

	ddp_encode(&s, ulpdu, sizeof(ulpdu));
	fpdu_init(&u, ulpdu, sizeof(ulpdu), false, 0);
	setup_released(&f);
	f.m.config.works_known = false;
	f.m.config.mulpdu = 20;
	f.m.config.mulpdu_most = 23;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_EQUAL(f.objections.n, 0);
	f.m.config.mulpdu_most = 22;
	s.ddp.msn = 2;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MULPDU, REQ_OF(DDP_5_2_01)));
}

static void markers_are_judged(void)
{
	struct model_config c = plain_config();
	struct ddp_segment s = send_of(1, "hello");
	uint8_t ulpdu[23];
	struct fixture f;
	struct fpdu u;

	c.dut_markers = true;
	c.dut_initiates = true;
	c.works_known = false;
	ddp_encode(&s, ulpdu, sizeof(ulpdu));
	setup_with(&f, &c);
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 0);
	CU_ASSERT_EQUAL(u.marker_count, 1);
	CU_ASSERT_EQUAL(dut_fpdu(&f, &s, &u, true), 0);
	s.ddp.msn = 2;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 500);
	u.marker[0].reserved = 1;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKER_RESERVED, REQ_OF(MPA_4_2_02)));
	s.ddp.msn = 3;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 500);
	u.marker[0].fpduptr |= 2;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKER_POINTER, REQ_OF(MPA_4_2_05)));
	s.ddp.msn = 4;
	u.marker[0].fpduptr = 8;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKER_POINTER, REQ_OF(MPA_4_2_08)));
	s.ddp.msn = 5;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), false, 0);
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKERS_MISSING, REQ_OF(MPA_4_3_01)));
}

/* Markers at wrong places are one fault; the fields read after them are not. */
static void what_follows_lost_markers_is_not_judged(void)
{
	struct model_config c = plain_config();
	struct ddp_segment s = send_of(1, "hello");
	uint8_t ulpdu[23];
	struct fixture f;
	struct fpdu u;

	c.dut_markers = true;
	c.dut_initiates = true;
	c.works_known = false;
	ddp_encode(&s, ulpdu, sizeof(ulpdu));
	setup_with(&f, &c);
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 500);
	u.marker[0].reserved = 0x0017;
	u.marker[0].fpduptr = 0x4143;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_MARKERS_MISSING, REQ_OF(MPA_4_3_02)));
	s.ddp.msn = 7;
	CU_ASSERT_EQUAL(dut_fpdu(&f, &s, &u, true), 0);

	/* Only a wrong pointer, under a correct CRC: it is still a marker. */
	setup_with(&f, &c);
	s.ddp.msn = 1;
	fpdu_init(&u, ulpdu, sizeof(ulpdu), true, 500);
	u.marker[0].fpduptr = 8;
	dut_fpdu(&f, &s, &u, true);
	CU_ASSERT_FALSE(f.m.adrift);
}

/* On another queue, its number may be different. */
static void a_message_astray_is_told_of_its_queue_alone(void)
{
	struct model_config c = plain_config();
	struct ddp_segment s = send_of(7, "x");
	struct fixture f;

	c.works_known = false;
	c.dut_initiates = true;
	setup_with(&f, &c);
	s.ddp.qn = 1;
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_QN, REQ_OF(RDMAP_4_1_24)));
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "x")), 0);
}

static void a_responder_waits(void)
{
	struct fixture f;
	struct ddp_segment s = send_of(1, "x");

	setup(&f);
	post_send(&f, "x");
	CU_ASSERT_TRUE(model_quiet(&f.m));
	dut(&f, s);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_NOT_RELEASED, REQ_OF(MPA_7_1_2_16)));

	/* A second one is the same error. */
	post_send(&f, "x");
	CU_ASSERT_EQUAL(dut(&f, send_of(2, "x")), 0);

	/* A broken FPDU does not release it. */
	setup(&f);
	post_send(&f, "x");
	model_peer_sends(&f.m, &s, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	dut(&f, s);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_NOT_RELEASED, REQ_OF(MPA_7_1_2_18)));
}

static void an_initiator_opens_with_the_rtr(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.dut_initiates = true;
	c.rtr = MODEL_RTR_WRITE | MODEL_RTR_READ;
	setup_with(&f, &c);
	CU_ASSERT_TRUE(model_owes(&f.m).rtr);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0, 0, NULL, 0)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));

	setup_with(&f, &c);
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 0, 0, 0)), 0);
	CU_ASSERT_EQUAL(f.m.wanted, 1);

	setup_with(&f, &c);
	f.m.config.works_known = false;
	dut(&f, send_of(1, ""));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_RTR_FORM, REQ_OF(EMPA_9_2_14)));

	setup_with(&f, &c);
	f.m.config.works_known = false;
	dut(&f, send_of(1, "x"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_RTR_FORM, REQ_OF(EMPA_5_01)));

	/* Of a negotiated type, but not in its form; or the posted message. */
	c.rtr = MODEL_RTR_SEND;
	setup_with(&f, &c);
	f.m.config.works_known = false;
	dut(&f, send_of(1, "x"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_RTR_FORM, REQ_OF(EMPA_9_2_11)));
	setup_with(&f, &c);
	post_send(&f, "x");
	dut(&f, send_of(1, "x"));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_RTR_FORM, REQ_OF(EMPA_5_01)));

	/* In place of the Terminate that is due, it is no message without
	 * work; if nothing else is due, it is one. */
	c.rtr = 0;
	setup_with(&f, &c);
	model_setup_terminate(&f.m, &(struct model_outcomes){.n = 1});
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "")), 0);
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "")), 1);
}

/* Empty Writes and Reads that no ULP has posted. */
static void empty_messages_of_its_own(void)
{
	struct model_work write = {.op = MODEL_WORK_WRITE,
				   .len = 2,
				   .data = (const uint8_t *)"ab",
				   .stag = 0x77,
				   .to = 0x5000};
	struct fixture f;
	uint32_t index, empty;

	/* Beside work with octets they are none of it. */
	setup_released(&f);
	model_post(&f.m, &write, &index);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x99, 1, NULL, 0)), 0);
	CU_ASSERT_TRUE(f.m.tx_own);
	CU_ASSERT_EQUAL(model_work_state(&f.m, index), MODEL_WORK_UNSENT);
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 0, 0, 0)), 0);
	CU_ASSERT_TRUE(f.m.tx_own);
	CU_ASSERT_TRUE(model_own_is_due(&f.m));

	/* What names work is that work, which has lost its octets. */
	dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0));
	CU_ASSERT_FALSE(f.m.tx_own);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_LENGTH, REQ_OF(DDP_5_2_03)));

	/* The next work is as empty: this one counts as it, and the one that
	 * names it as the other. */
	write.len = 0;
	setup_released(&f);
	model_post(&f.m, &write, &empty);
	dut(&f, tagged(RDMAP_WRITE, 0x99, 1, NULL, 0));
	CU_ASSERT_FALSE(f.m.tx_own);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0)), 0);
	CU_ASSERT_TRUE(f.m.tx_own);

	/* Twice, and then what names the first work names later work, too. */
	setup_released(&f);
	model_post(&f.m, &write, &empty);
	model_post(&f.m, &write, &empty);
	write.len = 2;
	model_post(&f.m, &write, &index);
	write.len = 0;
	dut(&f, tagged(RDMAP_WRITE, 0x99, 1, NULL, 0));
	dut(&f, tagged(RDMAP_WRITE, 0x98, 2, NULL, 0));
	CU_ASSERT_EQUAL(model_work_state(&f.m, empty), MODEL_WORK_SENT);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(
			dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0)), 0);
		CU_ASSERT_TRUE(f.m.tx_own);
	}
	dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_POST_LENGTH, REQ_OF(DDP_5_2_03)));

	/* The same, where Immediate Data is to follow. */
	write.op = MODEL_WORK_WRITE_IMM;
	memcpy(write.imm, "12345678", 8);
	setup_released(&f);
	model_post(&f.m, &write, &empty);
	dut(&f, tagged(RDMAP_WRITE, 0x99, 1, NULL, 0));
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x77, 0x5000, NULL, 0)), 0);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x98, 2, NULL, 0)), 0);
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_IMM, 0, 1, "12345678", 8)), 0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, empty), MODEL_WORK_SENT);

	/* With octets, or as another message, none is its own. */
	setup_released(&f);
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0x99, 1, "x", 1)), 1);
	CU_ASSERT_FALSE(f.m.tx_own);
	CU_ASSERT_EQUAL(dut(&f, send_of(1, "")), 1);
	CU_ASSERT_FALSE(f.m.tx_own);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"posted work", posted_work_is_sent_in_order},
		{"out of order", work_out_of_order},
		{"other octets", work_with_other_octets},
		{"segments", a_send_in_segments},
		{"belong together", segments_belong_together},
		{"missing L", a_missing_last_flag},
		{"memory went", a_local_error_after_memory_went},
		{"one wrong field", one_wrong_field_is_one_objection},
		{"MSNs", msns_rise_by_one_and_wrap},
		{"shared queues", a_queue_is_shared},
		{"lengths", lengths_of_header_only_messages},
		{"framing", framing_is_judged},
		{"MULPDU", mulpdu_has_two_limits},
		{"markers", markers_are_judged},
		{"lost markers", what_follows_lost_markers_is_not_judged},
		{"a message astray",
		 a_message_astray_is_told_of_its_queue_alone},
		{"release", a_responder_waits},
		{"RTR", an_initiator_opens_with_the_rtr},
		{"its own empty messages", empty_messages_of_its_own},
	};

	return unit_run("send", tests, UNIT_COUNT(tests));
}
