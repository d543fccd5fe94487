/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "harness/unit.h"
#include "suite/model/atomic/atomic.h"

static const uint64_t edges[] = {
	0,
	1,
	2,
	3,
	0x7f,
	0x80,
	0xff,
	0x100,
	0x7fff,
	0x8000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x0001000100010001,
	0x00ff00ff00ff00ff,
	0x8000800080008000,
	0x8080808080808080,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x5555555555555555,
	0xaaaaaaaaaaaaaaaa,
	0xfffffffffffffffe,
	0xffffffffffffffff,
	0x0123456789abcdef,
};

/* The examples of masked addition that follow from RFC 7306 s5.1.1. */
static void known_sums(void)
{
	static const struct {
		uint64_t old, add, mask, due;
	} sums[] = {
		{UINT64_MAX, 1, 0, 0},
		{0xffffffff, 1, 0, 0x100000000},
		{0xffffffff, 1, 0x80000000, 0},
		{0x00ff00ff00ff00ff, 0x0001000100010001, 0x8000800080008000,
		 0x0100010001000100},
		{0xff, 1, 0x80, 0},
		{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
		{0, 1, 0x8000000000000000, 1},
		{0xffff, 0x0101, 0x8080, 0},
	};
	size_t i;

	for (i = 0; i < UNIT_COUNT(sums); i++) {
		CU_ASSERT_EQUAL(model_fetchadd_serial(sums[i].old, sums[i].add,
						      sums[i].mask),
				sums[i].due);
		CU_ASSERT_EQUAL(
			model_fetchadd(sums[i].old, sums[i].add, sums[i].mask),
			sums[i].due);
	}
}

static void known_swaps(void)
{
	const uint64_t v = 0x1122334455667788;

	CU_ASSERT_EQUAL(model_cmpswap(v, 0x88, 0xff, 0xbb00, 0xff00),
			0x112233445566bb88);
	CU_ASSERT_EQUAL(model_cmpswap(v, 0x89, 0xff, 0xbb00, 0xff00), v);
	CU_ASSERT_EQUAL(model_cmpswap(v, 0, 0, 0x5555555555555555, UINT64_MAX),
			0x5555555555555555);
	CU_ASSERT_EQUAL(model_cmpswap(v, v, UINT64_MAX, 0, 0), v);
	CU_ASSERT_EQUAL(model_cmpswap(v, v, UINT64_MAX, 9, UINT64_MAX), 9);
	CU_ASSERT_EQUAL(model_cmpswap(v, v ^ 1, UINT64_MAX, 9, UINT64_MAX), v);
	CU_ASSERT_EQUAL(model_swap(v, 7), 7);
}

static void serial_is_fast_on_edges(void)
{
	const size_t n = UNIT_COUNT(edges);
	size_t wrong = 0;
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			for (k = 0; k < n; k++)
				wrong += model_fetchadd_serial(edges[i],
							       edges[j],
							       edges[k]) !=
					 model_fetchadd(edges[i], edges[j],
							edges[k]);
	CU_ASSERT_EQUAL(wrong, 0);
}

/* xorshift64*: any well distributed sequence is fine, and a fixed one is
 * reproducible. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

#define RANDOM_TRIPLES 10000000

static void serial_is_fast_at_random(void)
{
	uint64_t state = 0x7306504050415044;
	size_t wrong = 0;
	size_t i;

	for (i = 0; i < RANDOM_TRIPLES; i++) {
		uint64_t old = next_random(&state);
		uint64_t add = next_random(&state);
		uint64_t mask = next_random(&state);

		/* Sparse masks have long fields, in which carries propagate. */
		if (i & 1)
			mask &= next_random(&state) & next_random(&state);
		wrong += model_fetchadd_serial(old, add, mask) !=
			 model_fetchadd(old, add, mask);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void no_mask_adds_and_full_mask_is_xor(void)
{
	uint64_t state = 1;
	size_t wrong = 0;
	size_t i;

	for (i = 0; i < 1000; i++) {
		uint64_t old = next_random(&state);
		uint64_t add = next_random(&state);

		wrong += model_fetchadd(old, add, 0) != old + add;
		wrong += model_fetchadd(old, add, UINT64_MAX) != (old ^ add);
		wrong += model_fetchadd(old, add, 1ull << 63) != old + add;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void words_keep_their_octet_order(void)
{
	static const uint8_t octets[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	uint8_t back[8];

	CU_ASSERT_EQUAL(model_word_load(octets, true), 0x0102030405060708);
	CU_ASSERT_EQUAL(model_word_load(octets, false), 0x0807060504030201);
	model_word_store(back, 0x0102030405060708, true);
	CU_ASSERT_EQUAL(memcmp(back, octets, 8), 0);
	model_word_store(back, 0x0807060504030201, false);
	CU_ASSERT_EQUAL(memcmp(back, octets, 8), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"known sums", known_sums},
		{"known swaps", known_swaps},
		{"serial is fast on edges", serial_is_fast_on_edges},
		{"serial is fast at random", serial_is_fast_at_random},
		{"no mask, full mask", no_mask_adds_and_full_mask_is_xor},
		{"octet order", words_keep_their_octet_order},
	};

	return unit_run("atomic", tests, UNIT_COUNT(tests));
}
