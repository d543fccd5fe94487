/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/sctp/sctp_session.h"
#include "harness/refdut/buf.h"
#include "harness/unit.h"

#include <stdlib.h>

static enum ssn_place put(struct ssn_order *order, uint16_t ssn)
{
	uint8_t octets[3];

	be16_put(octets, ssn);
	octets[2] = (uint8_t)(ssn * 7);
	return order_put(order, PPID_SEGMENT, octets, sizeof(octets));
}

/* The next chunk is this one, and complete. */
static bool takes(struct ssn_order *order, uint16_t ssn)
{
	struct chunk *chunk = order_take(order);
	bool right = chunk && chunk->ssn == ssn && chunk->n == 3 &&
		     be16(chunk->octets) == ssn &&
		     chunk->octets[2] == (uint8_t)(ssn * 7);

	free(chunk);
	return right;
}

static void chunks_are_taken_in_the_order_of_their_numbers(void)
{
	static const uint16_t come[] = {3, 1, 0, 2, 5, 4};
	struct ssn_order order = {0};

	for (size_t i = 0; i < UNIT_COUNT(come); i++)
		CU_ASSERT_EQUAL(put(&order, come[i]), SSN_TAKEN);
	for (uint16_t ssn = 0; ssn < 6; ssn++)
		CU_ASSERT_TRUE(takes(&order, ssn));
	CU_ASSERT_PTR_NULL(order_take(&order));
	CU_ASSERT_EQUAL(order.nheld, 0);
	CU_ASSERT_EQUAL(order.octets, 0);
}

static void a_gap_is_waited_for(void)
{
	struct ssn_order order = {0};

	CU_ASSERT_EQUAL(put(&order, 0), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, 2), SSN_TAKEN);
	CU_ASSERT_TRUE(takes(&order, 0));
	CU_ASSERT_PTR_NULL(order_take(&order));
	CU_ASSERT_EQUAL(put(&order, 2), SSN_PAST);
	CU_ASSERT_EQUAL(put(&order, 0), SSN_PAST);
	CU_ASSERT_EQUAL(put(&order, 1), SSN_TAKEN);
	CU_ASSERT_TRUE(takes(&order, 1));
	CU_ASSERT_TRUE(takes(&order, 2));
	order_reset(&order);
}

static void numbers_go_round(void)
{
	struct ssn_order order = {.next = 65534};

	CU_ASSERT_EQUAL(put(&order, 1), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, 65535), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, 0), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, 65533), SSN_PAST);
	CU_ASSERT_EQUAL(put(&order, 65534), SSN_TAKEN);
	CU_ASSERT_TRUE(takes(&order, 65534));
	CU_ASSERT_TRUE(takes(&order, 65535));
	CU_ASSERT_TRUE(takes(&order, 0));
	CU_ASSERT_TRUE(takes(&order, 1));
	CU_ASSERT_EQUAL(order.next, 2);
}

static void what_waits_is_bounded(void)
{
	struct ssn_order order = {0};
	uint8_t *octets = alloc_zeroed(HELD_OCTETS_MAX + 1);

	CU_ASSERT_EQUAL(order_put(&order, PPID_SEGMENT, octets, 1),
			SSN_NOT_THERE);
	CU_ASSERT_EQUAL(put(&order, UNACKNOWLEDGED_MAX), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, UNACKNOWLEDGED_MAX + 1), SSN_PAST);
	for (unsigned i = 1; i < HELD_CHUNKS_MAX; i++)
		CU_ASSERT_EQUAL(put(&order, (uint16_t)i), SSN_TAKEN);
	CU_ASSERT_EQUAL(put(&order, HELD_CHUNKS_MAX), SSN_TOO_MANY);
	order_reset(&order);
	CU_ASSERT_EQUAL(order.nheld, 0);
	CU_ASSERT_EQUAL(
		order_put(&order, PPID_SEGMENT, octets, HELD_OCTETS_MAX + 1),
		SSN_TOO_MANY);
	CU_ASSERT_EQUAL(
		order_put(&order, PPID_SEGMENT, octets, HELD_OCTETS_MAX),
		SSN_TAKEN);
	order_reset(&order);
	free(octets);
}

/* The meaning of each code in each phase; 0 stands for a segment. */
static void chunks_are_judged_by_the_phase(void)
{
	static const struct {
		enum session_phase phase;
		bool enhanced;
		enum session_news of[9]; /* segment, codes 1 to 8 */
	} rows[] = {
#define ST NEWS_STRAY
#define NO NEWS_NOTHING
#define TE NEWS_TERMINATE
		{SESSION_NONE,
		 false,
		 {ST, NEWS_INITIATE, ST, ST, NO, NEWS_INITIATE, ST, ST, ST}},
		{SESSION_ASKING,
		 false,
		 {ST, ST, NEWS_ACCEPT, NEWS_REJECT, NEWS_REFUSED, ST, ST, ST,
		  ST}},
		{SESSION_ASKING,
		 true,
		 {ST, ST, ST, ST, NEWS_REFUSED, ST, NEWS_ACCEPT, NEWS_REJECT,
		  ST}},
		{SESSION_ASKED, false, {ST, ST, ST, ST, TE, ST, ST, ST, ST}},
		{SESSION_OPEN,
		 false,
		 {NEWS_SEGMENT, ST, ST, ST, TE, ST, ST, ST, ST}},
		{SESSION_OPEN,
		 true,
		 {NEWS_SEGMENT, ST, ST, ST, TE, ST, ST, ST, ST}},
		{SESSION_LEFT, false, {ST, ST, ST, ST, ST, ST, ST, ST, ST}},
		{SESSION_CLOSING, false, {NO, NO, NO, NO, TE, NO, NO, NO, NO}},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++)
		for (uint8_t code = 0; code < 9; code++) {
			const uint8_t octets[] = {0, code};

			CU_ASSERT_EQUAL(session_judge(rows[i].phase,
						      rows[i].enhanced,
						      code ? PPID_CONTROL
							   : PPID_SEGMENT,
						      octets, sizeof(octets)),
					rows[i].of[code]);
		}
}

static void half_a_function_code_is_none(void)
{
	const uint8_t octets[] = {0, CODE_TERMINATE, 1, 2, 3};
	struct control_message m;

	CU_ASSERT_FALSE(control_message_read(&m, octets, 0));
	CU_ASSERT_FALSE(control_message_read(&m, octets, 1));
	CU_ASSERT_TRUE(control_message_read(&m, octets, 5));
	CU_ASSERT_EQUAL(m.code, CODE_TERMINATE);
	CU_ASSERT_EQUAL(m.private_len, 3);
	CU_ASSERT_EQUAL(
		session_judge(SESSION_OPEN, false, PPID_CONTROL, octets, 1),
		NEWS_STRAY);
	CU_ASSERT_EQUAL(session_judge(SESSION_OPEN, false, 18, octets, 5),
			NEWS_STRAY);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"chunks are taken in the order of their numbers",
		 chunks_are_taken_in_the_order_of_their_numbers},
		{"a gap is waited for", a_gap_is_waited_for},
		{"numbers go round", numbers_go_round},
		{"what waits is bounded", what_waits_is_bounded},
		{"chunks are judged by the phase",
		 chunks_are_judged_by_the_phase},
		{"half a function code is none", half_a_function_code_is_none},
	};

	return unit_run("refdut sctp session", tests, UNIT_COUNT(tests));
}
