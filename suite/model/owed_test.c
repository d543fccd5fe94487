/* SPDX-License-Identifier: BSD-2-Clause */
/* What the DUT still owes, and the limits of the model: an event beyond them is
 * refused, or the oldest history is forgotten. */
#include "suite/model/model_fixture.h"

static uint32_t post(struct fixture *f, enum model_work_op op)
{
	const struct model_work w = {
		.op = op, .len = 4, .stag = 0xaaaa, .local_stag = STAG};
	uint32_t index = UINT32_MAX;

	CU_ASSERT_TRUE(model_post(&f->m, &w, &index));
	return index;
}

/* The Read Request of a work of post(), by the DUT. */
static struct ddp_segment asks(struct fixture *f, uint32_t msn)
{
	const struct rdmap_read_request h = {
		.sink_stag = STAG, .size = 4, .source_stag = 0xaaaa};
	uint8_t *room = f->octets[f->made++ % 4];

	rdmap_read_request_encode(&h, room, 128);
	return untagged(RDMAP_READ_REQUEST, 1, msn, room,
			RDMAP_READ_REQUEST_OCTETS);
}

/* RFC 5040 s6.1: Reads wait for the ORD. Atomics may, too (RFC 7306 s5.2). */
static void more_than_the_ord_waits(void)
{
	static const enum model_work_op ops[] = {
		MODEL_WORK_READ, MODEL_WORK_FETCHADD, MODEL_WORK_CMPSWAP,
		MODEL_WORK_SWAP};
	struct model_config c = plain_config();
	struct fixture f;

	for (size_t i = 0; i < UNIT_COUNT(ops); i++) {
		setup_released(&f);
		for (unsigned n = 0; n < 3; n++)
			post(&f, ops[i]);
		CU_ASSERT_EQUAL(model_owes(&f.m).works, 2);
		CU_ASSERT_FALSE(model_quiet(&f.m));
	}
	/* A Send behind them is in turn only after them. */
	post(&f, MODEL_WORK_SEND);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 2);
	/* Nobody knows the ORD: one Request at a time is certain. */
	c.ord = MODEL_UNLIMITED;
	setup_with(&f, &c);
	peer(&f, tagged(RDMAP_WRITE, STAG, BASE, "x", 1));
	post(&f, MODEL_WORK_READ);
	post(&f, MODEL_WORK_READ);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 2);
	CU_ASSERT_EQUAL(dut(&f, asks(&f, 1)), 0);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 0);
}

/* RFC 5044 s7.1.2, RFC 5043 s6.4. */
static void a_responder_waits_for_the_initiator(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	setup_with(&f, &c);
	post(&f, MODEL_WORK_SEND);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 0);
	peer(&f, tagged(RDMAP_WRITE, STAG, BASE, "x", 1));
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 1);
	/* Over SCTP it waits for nothing but an RTR. */
	c.sctp = true;
	setup_with(&f, &c);
	post(&f, MODEL_WORK_SEND);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 1);
	c.rtr = MODEL_RTR_WRITE;
	setup_with(&f, &c);
	post(&f, MODEL_WORK_SEND);
	CU_ASSERT_EQUAL(model_owes(&f.m).works, 0);
	/* An initiator owes the RTR. */
	c.sctp = false;
	c.dut_initiates = true;
	setup_with(&f, &c);
	CU_ASSERT_TRUE(model_owes(&f.m).rtr);
	CU_ASSERT_FALSE(model_quiet(&f.m));
	CU_ASSERT_EQUAL(dut(&f, tagged(RDMAP_WRITE, 0, 0, NULL, 0)), 0);
	CU_ASSERT_FALSE(model_owes(&f.m).rtr);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void each_answer_is_owed(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	peer(&f, read_request(&f, 1, 4, STAG, BASE));
	CU_ASSERT_EQUAL(model_owes(&f.m).reads, 1);
	CU_ASSERT_FALSE(model_quiet(&f.m));
	setup(&f);
	peer(&f, fetchadd(&f, 1, 11, BASE, 1));
	peer(&f, fetchadd(&f, 2, 12, BASE + 8, 1));
	CU_ASSERT_EQUAL(model_owes(&f.m).atomics, 2);
	CU_ASSERT_FALSE(model_quiet(&f.m));
	/* The second is answered first, which is wrong; it is answered. */
	CU_ASSERT_NOT_EQUAL(
		dut(&f, atomic_response(&f, 1, 12, 0x0f0e0d0c0b0a0908)), 0);
	CU_ASSERT_EQUAL(model_owes(&f.m).atomics, 1);
	/* Its own Terminate ends all duties. */
	setup(&f);
	peer(&f, read_request(&f, 1, 4, STAG, BASE));
	dut(&f, terminate_about(&f, 0, 0, 0, NULL, false));
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

/* It is owed where nothing else is allowed. */
static void a_terminate_is_owed_for_a_fault(void)
{
	struct fixture f;
	struct ddp_segment wrong = send_of(1, "x");

	setup(&f);
	post_receives(&f, 1);
	wrong.ddp.dv = 2;
	peer(&f, wrong);
	CU_ASSERT_TRUE(model_owes(&f.m).terminate);
	CU_ASSERT_FALSE(model_quiet(&f.m));
	dut(&f, terminate_about(&f, 1, 2, 6, &wrong, false));
	CU_ASSERT_FALSE(model_owes(&f.m).terminate);
	/* RFC 5044 s8: an FPDU with a wrong CRC may be dropped. */
	setup(&f);
	post_receives(&f, 1);
	wrong = send_of(1, "x");
	model_peer_sends(&f.m, &wrong, MODEL_FRAME_CRC_WRONG, &f.outcomes);
	CU_ASSERT_FALSE(model_owes(&f.m).terminate);
	CU_ASSERT_TRUE(model_quiet(&f.m));
}

static void regions_have_names_and_a_number(void)
{
	struct fixture f;
	struct model_region r = {.stag = STAG, .to = 0, .len = 8, .pd = 1};

	setup(&f);
	/* Two cannot have one STag at a time. */
	CU_ASSERT_FALSE(model_region_add(&f.m, &r));
	CU_ASSERT_TRUE(model_region_invalidate(&f.m, STAG));
	CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	CU_ASSERT_EQUAL(model_region(&f.m, STAG)->len, 8);
	CU_ASSERT_TRUE(model_region_invalidate(&f.m, STAG));
	CU_ASSERT_TRUE(model_region_remove(&f.m, STAG));
	/* Of one that does not exist nothing can be said. */
	CU_ASSERT_PTR_NULL(model_region(&f.m, STAG));
	CU_ASSERT_FALSE(model_region_remove(&f.m, STAG));
	CU_ASSERT_FALSE(model_region_invalidate(&f.m, STAG));
	CU_ASSERT_FALSE(model_region_access(&f.m, STAG, MODEL_RR));
	CU_ASSERT_FALSE(model_region_changed(&f.m, STAG, 0, 8));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, 0, 8));
	CU_ASSERT_FALSE(model_recv_posted_in(&f.m, STAG, 0, 8));
	for (unsigned i = 0; i < MODEL_REGIONS; i++) {
		r.stag = 0x100 * (i + 1);
		CU_ASSERT_TRUE(model_region_add(&f.m, &r));
	}
	r.stag = 1;
	CU_ASSERT_FALSE(model_region_add(&f.m, &r));
}

static void octets_are_certain_inside_a_region(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE, LEN));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE - 1, 2));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE + LEN - 1, 2));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE + LEN + 1, 0));
	CU_ASSERT_TRUE(model_region_doubt(&f.m, STAG, BASE + 8, 8));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE, LEN));
	/* A part that is written leaves the rest in doubt. */
	CU_ASSERT_TRUE(model_region_changed(&f.m, STAG, BASE + 8, 4));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE, LEN));
	CU_ASSERT_TRUE(model_region_changed(&f.m, STAG, BASE + 9, 8));
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE, LEN));
	CU_ASSERT_TRUE(model_region_changed(&f.m, STAG, BASE + 8, 8));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE, LEN));
}

/* RFC 5040 s7.2, RFC 5041 s7.1: the last octet of all TOs. TO plus length is 0
 * behind it, which may be called a wrap. */
static void the_last_to_may_wrap(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_EQUAL(
		peer(&f, tagged(RDMAP_WRITE, STAG, UINT64_MAX - 4, "hello", 5)),
		MODEL_STIM_TAGGED_WRAP);
	setup(&f);
	CU_ASSERT_EQUAL(
		peer(&f, tagged(RDMAP_WRITE, STAG, UINT64_MAX - 5, "hello", 5)),
		MODEL_STIM_TAGGED_BOUNDS);
	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 1, 4, STAG, UINT64_MAX - 3)),
			MODEL_STIM_READ_WRAP);
	setup(&f);
	CU_ASSERT_EQUAL(peer(&f, read_request(&f, 1, 4, STAG, UINT64_MAX - 4)),
			MODEL_STIM_READ_TO);
}

static void more_requests_than_the_model_remembers(void)
{
	struct model_config c = plain_config();
	struct fixture f;

	c.ird = MODEL_UNLIMITED;
	setup_with(&f, &c);
	for (uint32_t i = 1; i <= MODEL_REQUESTS; i++)
		CU_ASSERT_EQUAL(peer(&f, read_request(&f, i, 4, STAG, BASE)),
				MODEL_STIM_NONE);
	CU_ASSERT_EQUAL(model_owes(&f.m).reads, MODEL_REQUESTS);
	CU_ASSERT_FALSE(f.m.lossy);
	peer(&f, read_request(&f, MODEL_REQUESTS + 1, 4, STAG, BASE));
	CU_ASSERT_TRUE(f.m.lossy);
	setup_with(&f, &c);
	for (uint32_t i = 1; i <= MODEL_REQUESTS + 1; i++)
		peer(&f, fetchadd(&f, i, i, BASE, 1));
	CU_ASSERT_TRUE(f.m.lossy);
}

static void more_work_than_the_model_remembers(void)
{
	const struct model_work w = {.op = MODEL_WORK_IMM};
	struct fixture f;
	uint32_t index;

	setup_released(&f);
	for (uint32_t i = 0; i < MODEL_WORKS; i++)
		CU_ASSERT_EQUAL(post(&f, MODEL_WORK_IMM), i);
	CU_ASSERT_FALSE(model_post(&f.m, &w, &index));
	CU_ASSERT_EQUAL(model_work_state(&f.m, 0), MODEL_WORK_UNSENT);
	CU_ASSERT_EQUAL(model_work_state(&f.m, MODEL_WORKS),
			MODEL_WORK_FORGOTTEN);
	CU_ASSERT_EQUAL(dut(&f, untagged(RDMAP_IMM, 0, 1, "\0\0\0\0\0\0\0\0",
					 RDMAP_IMM_OCTETS)),
			0);
	CU_ASSERT_EQUAL(model_work_state(&f.m, 0), MODEL_WORK_SENT);
	CU_ASSERT_EQUAL(post(&f, MODEL_WORK_IMM), MODEL_WORKS);
	CU_ASSERT_EQUAL(model_work_state(&f.m, 0), MODEL_WORK_FORGOTTEN);
	CU_ASSERT_FALSE(model_own_is_due(&f.m));
}

/* Pieces of one message in any order, until there are too many to follow. */
static void more_pieces_than_the_model_remembers(void)
{
	struct fixture f;
	struct ddp_segment s = send_of(1, "x");

	for (unsigned pieces = MODEL_RUNS; pieces <= MODEL_RUNS + 1; pieces++) {
		const struct model_delivery *d;

		setup(&f);
		post_receives(&f, 1);
		s.ddp.last = false;
		for (unsigned i = pieces; i-- > 0;) {
			s.ddp.mo = 2 * i;
			peer(&f, s);
		}
		for (unsigned i = 0; i < pieces; i++) {
			s.ddp.mo = 2 * i + 1;
			s.ddp.last = i + 1 == pieces;
			peer(&f, s);
		}
		CU_ASSERT_EQUAL_FATAL(model_deliveries(&f.m), 1);
		d = model_delivery(&f.m, 0);
		CU_ASSERT_EQUAL(d->len, 2 * pieces);
		CU_ASSERT_EQUAL(d->data_known, pieces == MODEL_RUNS);
	}
}

/* The shortest and the longest of them stand for those beyond. */
static void buffers_beyond_have_bounds(void)
{
	struct fixture f;

	setup(&f);
	for (unsigned i = 0; i < MODEL_RECEIVES; i++)
		CU_ASSERT_TRUE(model_recv_posted(&f.m, 64, NULL));
	CU_ASSERT_TRUE(model_recv_posted(&f.m, 10, NULL));
	CU_ASSERT_TRUE(model_recv_posted(&f.m, 4, NULL));
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, STAG, BASE, 20));
	CU_ASSERT_EQUAL(f.m.beyond_shortest, 4);
	CU_ASSERT_EQUAL(f.m.beyond_longest, 20);
	/* A buffer of those may take the octets at any time. */
	CU_ASSERT_FALSE(model_region_certain(&f.m, STAG, BASE, 20));
	CU_ASSERT_TRUE(model_region_certain(&f.m, STAG, BASE + 20, 20));
}

/* RFC 6581 s9.2: an RTR Send may have used a buffer or not. A message between
 * the lengths of two is right for one of them. */
static void after_an_rtr_send_two_buffers_may_be_meant(void)
{
	static const struct {
		uint32_t first, second;
		size_t octets;
		enum model_stimulus due;
	} rows[] = {
		{8, 4, 4, MODEL_STIM_NONE},
		{8, 4, 5, MODEL_STIM_MSN_SKIPPED},
		{4, 8, 5, MODEL_STIM_MSN_SKIPPED},
		{4, 8, 9, MODEL_STIM_TOO_LONG},
		{4, 4, 4, MODEL_STIM_NONE},
	};
	struct model_config c = plain_config();
	struct fixture f;

	c.rtr = MODEL_RTR_SEND;
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		setup_with(&f, &c);
		CU_ASSERT_TRUE(model_recv_posted(&f.m, rows[i].first, NULL));
		CU_ASSERT_TRUE(model_recv_posted(&f.m, rows[i].second, NULL));
		CU_ASSERT_EQUAL(peer(&f, send_of(1, "")), MODEL_STIM_NONE);
		struct ddp_segment s = send_of(2, "hello, hello");

		s.payload_octets = rows[i].octets;
		CU_ASSERT_EQUAL(peer(&f, s), rows[i].due);
	}
}

/* A buffer in memory that the DUT may not write can make it fail locally. */
static void a_buffer_without_the_right_may_end_the_stream(void)
{
	struct fixture f;

	setup_released(&f);
	CU_ASSERT_TRUE(model_region_access(&f.m, STAG, MODEL_RR));
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, STAG, BASE, 8));
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 0, 0, NULL, false)), 0);
	setup_released(&f);
	CU_ASSERT_TRUE(model_recv_posted_in(&f.m, STAG, BASE, 8));
	dut(&f, terminate_about(&f, 0, 0, 0, NULL, false));
	CU_ASSERT_TRUE(
		only(&f, MODEL_FAULT_TERMINATE_UNCALLED, REQ_OF(RDMAP_4_8_31)));
}

/* An error that the agent has provoked may come before the answer, or behind
 * it. */
static void a_provoked_error_ends_all_duties(void)
{
	struct fixture f;

	setup(&f);
	peer(&f, read_request(&f, 1, 4, STAG, BASE));
	model_provoked(&f.m);
	CU_ASSERT_TRUE(model_quiet(&f.m));
	CU_ASSERT_EQUAL(dut(&f, terminate_about(&f, 0, 0, 0, NULL, false)), 0);
}

static void old_deliveries_are_forgotten(void)
{
	struct fixture f;

	setup(&f);
	CU_ASSERT_PTR_NULL(model_delivery(&f.m, 0));
	for (uint32_t i = 0; i <= MODEL_RECEIVES; i++) {
		CU_ASSERT_TRUE(model_recv_posted(&f.m, 64, NULL));
		CU_ASSERT_EQUAL(peer(&f, send_of(i + 1, "x")), MODEL_STIM_NONE);
	}
	CU_ASSERT_EQUAL(model_deliveries(&f.m), MODEL_RECEIVES + 1);
	CU_ASSERT_PTR_NULL(model_delivery(&f.m, 0));
	CU_ASSERT_EQUAL(model_delivery(&f.m, 1)->ordinal, 2);
	CU_ASSERT_PTR_NULL(model_delivery(&f.m, MODEL_RECEIVES + 1));
}

static void what_no_fault_is_has_no_row(void)
{
	CU_ASSERT_STRING_EQUAL(model_stimulus_text(MODEL_STIM_COUNT),
			       "unknown fault");
	CU_ASSERT_EQUAL(model_fault_outcomes(MODEL_STIM_COUNT).n, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"more than the ORD waits", more_than_the_ord_waits},
		{"a responder waits for the initiator",
		 a_responder_waits_for_the_initiator},
		{"each answer is owed", each_answer_is_owed},
		{"a Terminate is owed for a fault",
		 a_terminate_is_owed_for_a_fault},
		{"regions have names and a number",
		 regions_have_names_and_a_number},
		{"octets are certain inside a region",
		 octets_are_certain_inside_a_region},
		{"the last TO may wrap", the_last_to_may_wrap},
		{"more Requests than the model remembers",
		 more_requests_than_the_model_remembers},
		{"more work than the model remembers",
		 more_work_than_the_model_remembers},
		{"more pieces than the model remembers",
		 more_pieces_than_the_model_remembers},
		{"buffers beyond have bounds", buffers_beyond_have_bounds},
		{"after an RTR Send two buffers may be meant",
		 after_an_rtr_send_two_buffers_may_be_meant},
		{"a buffer without the right may end the stream",
		 a_buffer_without_the_right_may_end_the_stream},
		{"a provoked error ends all duties",
		 a_provoked_error_ends_all_duties},
		{"old deliveries are forgotten", old_deliveries_are_forgotten},
		{"what is no fault has no row", what_no_fault_is_has_no_row},
	};

	return unit_run("owed", tests, UNIT_COUNT(tests));
}
