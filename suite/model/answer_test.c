/* SPDX-License-Identifier: BSD-2-Clause */
/* The DUT's answers: Responses to Requests, Terminates to faults. */
#include "suite/model/model_fixture.h"

/* ---- Responses -------------------------------------------------------------------- */

static struct ddp_segment response(struct fixture *f, uint32_t msn,
				   uint64_t from, size_t n)
{
	return tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x2000 + msn * 0x1000,
		      f->memory + from, n);
}

static void reads_are_answered(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	peer(&f, read_request(&f, 1, 200, STAG, BASE));
	peer(&f, read_request(&f, 2, 0, 0, 0));
	CU_ASSERT_EQUAL(model_owes(&f.m).reads, 2);
	s = response(&f, 1, 0, 150);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	s = response(&f, 1, 150, 50);
	s.ddp.to += 150;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	CU_ASSERT_EQUAL(dut(&f, response(&f, 2, 0, 0)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

/* STag and TO of a segment without payload have no meaning (RFC 5041 s5.2). */
static void empty_responses_name_anything(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	peer(&f, read_request(&f, 1, 0, 0, 0));
	peer(&f, read_request(&f, 2, 8, STAG, BASE));
	s = response(&f, 1, 0, 0);
	s.ddp.stag = 0;
	s.ddp.to = 0;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	CU_ASSERT_EQUAL(dut(&f, response(&f, 2, 0, 8)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	dut(&f, s);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_UNASKED, REQ_OF(RDMAP_5_2_01)));
}

/* Only one of the two atomics is claimed: the other may be performed, or
 * refused. */
static void half_of_the_atomics(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.features = MODEL_CMPSWAP;
	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 1, BASE, 1)),
			MODEL_STIM_ATOMIC_UNCLAIMED);
	CU_ASSERT_TRUE(model_outcomes_has(&f.outcomes, MODEL_PROCESS));
	CU_ASSERT_TRUE(model_outcomes_terminate(&f.outcomes, 0, 2, 6));
}

static void wrong_read_responses(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	peer(&f, read_request(&f, 1, 8, STAG, BASE));
	s = response(&f, 1, 0, 8);
	s.ddp.stag = 0xbbbb;
	dut(&f, s);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_STAG, REQ_OF(RDMAP_4_4_02)));
	peer(&f, read_request(&f, 2, 8, STAG, BASE));
	dut(&f, response(&f, 2, 1, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_DATA, REQ_OF(RDMAP_5_2_1_09)));
	peer(&f, read_request(&f, 3, 8, STAG, BASE));
	dut(&f, response(&f, 3, 0, 7));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_SIZE, REQ_OF(RDMAP_4_4_05)));
	peer(&f, read_request(&f, 4, 8, STAG, BASE));
	s = response(&f, 4, 0, 8);
	s.ddp.to -= 8;
	dut(&f, s);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_RESPONSE_TO, REQ_OF(RDMAP_4_4_04)));
	dut(&f, response(&f, 4, 0, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_UNASKED, REQ_OF(RDMAP_5_2_01)));
	peer(&f, read_request(&f, 5, 8, STAG, BASE));
	peer(&f, read_request(&f, 6, 8, STAG, BASE));
	dut(&f, response(&f, 6, 0, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_ORDER, REQ_OF(RDMAP_5_2_2_05)));
	CU_ASSERT_EQUAL(dut(&f, response(&f, 5, 0, 8)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void what_a_later_write_changes_is_not_compared(void)
{
	struct fixture f;
	uint8_t old[8];

	setup(&f);
	memcpy(old, f.memory, sizeof(old));
	peer(&f, read_request(&f, 1, 8, STAG, BASE));
	peer(&f, tagged(RDMAP_WRITE, STAG, BASE + 4, "wxyz", 4));
	CU_ASSERT_EQUAL(
		dut(&f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, old, 8)),
		0);
	peer(&f, read_request(&f, 2, 8, STAG, BASE));
	dut(&f, tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x4000, old, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_DATA, REQ_OF(RDMAP_5_2_1_09)));
}

static void atomics_are_answered_in_turn(void)
{
	struct fixture f;
	uint64_t old = 0x0706050403020100;

	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	peer(&f, fetchadd(&f, 2, 12, BASE, 1));
	peer(&f, read_request(&f, 3, 8, STAG, BASE));
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 1, 11, old)), 0);
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 2, 12, old + 1)), 0);
	CU_ASSERT_EQUAL(dut(&f, response(&f, 3, 0, 8)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));

	/* The result of the first one is not visible. */
	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	peer(&f, fetchadd(&f, 2, 12, BASE, 1));
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 1, 11, old)), 0);
	CU_ASSERT_EQUAL(dut(&f, atomic_response(&f, 2, 12, old + 7)), 0);

	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	peer(&f, read_request(&f, 2, 8, STAG, BASE));
	dut(&f, response(&f, 2, 0, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_ORDER, REQ_OF(RDMAPX_7_10)));
	dut(&f, atomic_response(&f, 1, 11, old + 1));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_ATOMIC_VALUE, REQ_OF(RDMAPX_5_1_1_09)));

	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	dut(&f, atomic_response(&f, 1, 12, old));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_ATOMIC_ID, REQ_OF(RDMAPX_5_2_1_10)));
	peer(&f, fetchadd(&f, 2, 13, BASE, 1));
	dut(&f, atomic_response(&f, 1, 13, old + 1));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(RDMAPX_5_2_03)));
}

static void what_has_to_be_refused_is_not_answered(void)
{
	struct fixture f;

	setup(&f);
	peer(&f, read_request(&f, 1, 8, 0x999, BASE));
	dut(&f, response(&f, 1, 0, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_REFUSABLE, REQ_OF(RDMAP_7_2_06)));
}

/* An answer shows that the device did not refuse the Request: it may end the
 * stream for one behind it, and returns the header of that. */
static void a_later_terminate_returns_a_later_header(void)
{
	struct fixture f;
	struct ddp_segment later;

	setup(&f);
	peer(&f, read_request(&f, 1, 8, 0x999, BASE));
	dut(&f, response(&f, 1, 0, 8));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_RESPONSE_REFUSABLE, REQ_OF(RDMAP_7_2_06)));
	later = read_request(&f, 2, 8, 0x998, BASE);
	peer(&f, later);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 1, 0, &later, true)), 0);
}

static void the_ord_is_kept(void)
{
	struct fixture f;

	setup_released(&f);
	f.m.config.works_known = false;
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 4, 9, 9)), 0);
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 2, 4, 9, 9)), 0);
	dut(&f, read_request(&f, 3, 4, 9, 9));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_ORD_EXCEEDED, REQ_OF(RDMAP_6_1_02)));
}

/* ---- Terminate ---------------------------------------------------------------------- */

static void the_right_terminates(void)
{
	struct fixture f;
	struct ddp_segment s;

	setup(&f);
	s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	peer(&f, s);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0, &s, false)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	dut(&f, send_of(1, "x"));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_AFTER_TERMINATE, REQ_OF(RDMAP_5_4_07)));

	setup(&f);
	s = read_request(&f, 1, 8, STAG, BASE + LEN);
	peer(&f, s);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 1, 1, &s, true)), 0);

	setup(&f);
	s = fetchadd(&f, 1, 1, BASE + 1, 1);
	peer(&f, s);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 2, 7, &s, false)), 0);
}

/* The Terminate may be about a segment after one that need not be refused. */
static void the_header_tells_which_is_meant(void)
{
	struct fixture f;
	struct ddp_segment empty, bad;

	empty = tagged(RDMAP_WRITE, 0x999, BASE, NULL, 0);
	empty.ddp.last = false;
	bad = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, empty), MODEL_STIM_EMPTY_SEGMENT);
	CU_ASSERT_EQUAL(peer(&f, bad), MODEL_STIM_STAG);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0, &bad, false)), 0);
	setup(&f);
	peer(&f, empty);
	peer(&f, bad);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0, &empty, false)),
			0);
}

static bool objected(const struct fixture *f, unsigned short req)
{
	for (unsigned i = 0; i < f->objections.n; i++)
		if (f->objections.list[i].req == req)
			return true;
	return false;
}

/* If only the wire of a DUT is seen, its memory may be the cause; the octets of
 * the segment are the cause only if they show it. */
static void terminates_of_an_observed_device(void)
{
	struct model_config c = {.features = MODEL_ATOMICS,
				 .crc = true,
				 .ird = MODEL_UNLIMITED,
				 .ord = MODEL_UNLIMITED,
				 .observed = true};
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	struct fixture f;

	setup_with(&f, &c);
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 1, 1, 0, &s, false)), 0);
	setup_with(&f, &c);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 4, &s, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
	/* The version is a different one, and the returned length is not that
	 * of the segment. */
	setup_with(&f, &c);
	s.ddp.dv = 2;
	peer(&f, s);
	s.payload_octets = 3;
	dut(&f, terminate_about(&f, 1, 1, 4, &s, false));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_SEGMENT_LENGTH,
			    REQ_OF(RDMAP_4_8_12)));
	/* No region is known, nor the address behind its TO. */
	model_init(&f.m, &c);
	CU_ASSERT_EQUAL(peer(&f, fetchadd(&f, 1, 1, BASE + 1, 1)),
			MODEL_STIM_NONE);
}

static void the_wrong_terminates(void)
{
	struct fixture f;
	struct ddp_segment s, other;

	s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 1, &s, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_CODE, REQ_OF(DDP_7_1_20)));
	CU_ASSERT_EQUAL(f.objections.list[0].seen, 0x1101);
	CU_ASSERT_EQUAL(f.objections.list[0].allowed.n, 1);
	CU_ASSERT_TRUE(model_outcomes_terminate(&f.objections.list[0].allowed,
						1, 1, 0));
	CU_ASSERT_EQUAL(f.objections.list[0].stimulus, MODEL_STIM_STAG);

	setup(&f);
	peer(&f, s);
	other = s;
	other.ddp.to++;
	dut(&f, terminate_about(&f, 1, 1, 0, &other, false));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_DDP_HEADER,
			    REQ_OF(RDMAP_4_8_14)));

	setup(&f);
	peer(&f, s);
	other = s;
	other.payload_octets = 3;
	dut(&f, terminate_about(&f, 1, 1, 0, &other, false));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_SEGMENT_LENGTH,
			    REQ_OF(RDMAP_4_8_12)));

	/* Two segments with one header: the length tells which it is about. */
	static const char beyond[LEN + 1];
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		setup(&f);
		other = tagged(RDMAP_WRITE, STAG, BASE, beyond, 0);
		other.ddp.last = false;
		peer(&f, other);
		other.payload_octets = LEN + 1;
		peer(&f, other);
		other.payload_octets -= wrong;
		dut(&f, terminate_about(&f, 1, 1, 1, &other, false));
		CU_ASSERT_EQUAL(f.objections.n, wrong);
	}

	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 0, NULL, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_BITS, REQ_OF(RDMAP_4_8_26)));

	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 2, 0, NULL, false));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_UNREGISTERED,
			    REQ_OF(DDP_7_2_13)));

	setup_released(&f);
	dut(&f, terminate_about(&f, 0, 2, 6, NULL, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));

	for (unsigned closed = 0; closed < 2; closed++) {
		setup_released(&f);
		if (closed)
			model_peer_closed(&f.m);
		dut(&f, terminate_about(&f, 2, 0, 1, NULL, false));
		CU_ASSERT_EQUAL(f.objections.n, !closed);
	}

	for (int claimed = 0; claimed < 2; claimed++) {
		struct model_config c = plain_config();

		/* A device without atomics is not bound by RFC 7306. */
		c.features = claimed ? MODEL_ATOMICS : 0;
		setup_with(&f, &c);
		s = fetchadd(&f, 1, 1, BASE, 1);
		s.ddp.rv = 2;
		peer(&f, s);
		dut(&f, terminate_about(&f, 0, 2, 5, NULL, false));
		CU_ASSERT_EQUAL(objected(&f, REQ_OF(RDMAPX_8_1_02)), claimed);
		CU_ASSERT_TRUE(objected(&f, REQ_OF(RDMAP_4_8_28)));
	}

	setup(&f);
	s = read_request(&f, 1, 8, STAG, BASE + LEN);
	peer(&f, s);
	other = read_request(&f, 1, 9, STAG, BASE + LEN);
	dut(&f, terminate_about(&f, 0, 1, 1, &other, true));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_RDMA_HEADER,
			    REQ_OF(RDMAP_4_8_19)));
}

static void the_malformed_terminates(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);
	struct ddp_segment t;
	uint8_t octets[6] = {0x11, 0x00, 0x00, 0x01, 0, 0};

	setup(&f);
	peer(&f, s);
	t = untagged(RDMAP_TERMINATE, 2, 1, octets, 3);
	dut(&f, t);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_LENGTH, REQ_OF(RDMAP_4_8_01)));

	setup(&f);
	f.m.local_error = true;
	octets[0] = 0;
	dut(&f, untagged(RDMAP_TERMINATE, 2, 1, octets, 4));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_RESERVED, REQ_OF(RDMAP_4_8_07)));

	setup(&f);
	f.m.local_error = true;
	octets[3] = 0;
	dut(&f, untagged(RDMAP_TERMINATE, 2, 1, octets, 6));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_LENGTH, REQ_OF(RDMAP_4_2_11)));

	/* The header that it claims to return belongs to the message at
	 * fault. */
	const uint8_t announces[] = {0x11, 0x00, 0xc0, 0x00};
	setup(&f);
	peer(&f, s);
	dut(&f, untagged(RDMAP_TERMINATE, 2, 1, announces, 4));
	CU_ASSERT_TRUE(objected(&f, REQ_OF(RDMAP_4_8_14)));
	CU_ASSERT_FALSE(objected(&f, REQ_OF(RDMAP_4_8_15)));
	CU_ASSERT_EQUAL(f.objections.list[0].due, 18 + 4 + 2 + 14);

	setup(&f);
	peer(&f, untagged(RDMAP_SEND, 7, 1, "abcd", 4));
	dut(&f, untagged(RDMAP_TERMINATE, 2, 1, announces, 4));
	CU_ASSERT_TRUE(objected(&f, REQ_OF(RDMAP_4_8_15)));
	CU_ASSERT_FALSE(objected(&f, REQ_OF(RDMAP_4_8_14)));
	CU_ASSERT_EQUAL(f.objections.list[0].due, 18 + 4 + 2 + 18);

	setup(&f);
	f.m.local_error = true;
	dut(&f, untagged(RDMAP_TERMINATE, 2, 2, octets, 4));
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_MSN, REQ_OF(DDP_4_3_05)));
}

static void the_end_of_the_stream(void)
{
	struct fixture f;
	struct ddp_segment s = tagged(RDMAP_WRITE, 0x999, BASE, "abcd", 4);

	setup(&f);
	peer(&f, s);
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_TRUE(only(&f, MODEL_FAULT_TERMINATE_MISSING,
			    REQ_OF(RDMAP_6_2_1_01)));

	setup(&f);
	model_half_closed(&f.m);
	peer(&f, s);
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_EQUAL(f.objections.n, 0);

	setup(&f);
	peer(&f, fetchadd(&f, 1, 1, BASE + 1, 1));
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_MISSING, REQ_OF(RDMAP_7_1_08)));

	setup(&f);
	peer(&f, s);
	dut(&f, terminate_about(&f, 1, 1, 0, &s, false));
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_EQUAL(f.objections.n, 0);
	model_dut_ends(&f.m, MODEL_END_RST, &f.objections);
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_NOT_GRACEFUL, REQ_OF(RDMAP_6_2_1_03)));

	/* Held back because there is no buffer: no Terminate is due. */
	setup(&f);
	peer(&f, send_of(1, "x"));
	model_dut_ends(&f.m, MODEL_END_FIN, &f.objections);
	CU_ASSERT_EQUAL(f.objections.n, 0);
}

static void a_read_cut_short_names_what_is_left(void)
{
	struct fixture f;
	struct ddp_segment s, req, left;
	struct rdmap_read_request h;
	uint8_t octets[28];

	setup(&f);
	req = read_request(&f, 1, 200, STAG, BASE);
	peer(&f, req);
	s = response(&f, 1, 0, 150);
	s.ddp.last = false;
	CU_ASSERT_EQUAL(dut(&f, s), 0);
	CU_ASSERT_TRUE(model_region_invalidate(&f.m, STAG));
	CU_ASSERT_TRUE(model_quiet(&f.m));
	rdmap_read_request_decode(&h, req.payload, req.payload_octets);
	h.sink_to += 150;
	h.source_to += 150;
	h.size -= 150;
	rdmap_read_request_encode(&h, octets, sizeof(octets));
	left = req;
	left.payload = octets;
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 1, 0, &left, true)), 0);
}

/* Reads beyond the ORD wait for answers, and are not due meanwhile. */
static void what_waits_is_not_owed(void)
{
	struct model_work w = {
		.op = MODEL_WORK_READ, .len = 4, .stag = 9, .to = 9};
	struct fixture f;
	uint32_t index, i;

	setup_released(&f);
	for (i = 0; i < 3; i++)
		CU_ASSERT_TRUE(model_post(&f.m, &w, &index));
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 2);
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 4, 9, 9)), 0);
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 2, 4, 9, 9)), 0);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

/* RFC 5040 s4.4: the Request names the sink. */
static void a_sink_may_have_another_name(void)
{
	struct model_config c = plain_config();
	struct model_work w = {.op = MODEL_WORK_READ,
			       .len = 4,
			       .stag = 9,
			       .to = 9,
			       .local = true,
			       .local_stag = STAG,
			       .local_to = BASE + 8};
	struct ddp_segment s =
		tagged(RDMAP_READ_RESPONSE, 0xaaaa, 0x3000, "ABCD", 4);
	struct fixture f, beside;
	uint32_t index;

	c.dut_initiates = true;
	c.sinks_elsewhere = true;
	setup_with(&f, &c);
	CU_ASSERT_TRUE(model_post(&f.m, &w, &index));
	CU_ASSERT_EQUAL(dut(&f, read_request(&f, 1, 4, 9, 9)), 0);

	/* Past the end of the region, */
	beside = f;
	s.ddp.to += LEN - 8;
	CU_ASSERT_EQUAL(peer(&beside, s), MODEL_STIM_TAGGED_BOUNDS);
	/* to a region that no longer exists, */
	beside = f;
	s.ddp.to = 0x3000;
	CU_ASSERT_TRUE(model_region_invalidate(&beside.m, STAG));
	CU_ASSERT_EQUAL(peer(&beside, s), MODEL_STIM_STAG);
	/* and to where it is. */
	CU_ASSERT_EQUAL(peer(&f, s), MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(memcmp(f.memory + 8, "ABCD", 4), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"reads", reads_are_answered},
		{"empty responses", empty_responses_name_anything},
		{"half of the atomics", half_of_the_atomics},
		{"wrong responses", wrong_read_responses},
		{"later writes", what_a_later_write_changes_is_not_compared},
		{"atomics", atomics_are_answered_in_turn},
		{"refusable", what_has_to_be_refused_is_not_answered},
		{"not refused", a_later_terminate_returns_a_later_header},
		{"ORD", the_ord_is_kept},
		{"what waits", what_waits_is_not_owed},
		{"right terminates", the_right_terminates},
		{"which is meant", the_header_tells_which_is_meant},
		{"wrong terminates", the_wrong_terminates},
		{"terminates of an observed device",
		 terminates_of_an_observed_device},
		{"malformed terminates", the_malformed_terminates},
		{"the end", the_end_of_the_stream},
		{"another name", a_sink_may_have_another_name},
		{"read cut short", a_read_cut_short_names_what_is_left},
	};

	return unit_run("answer", tests, UNIT_COUNT(tests));
}
