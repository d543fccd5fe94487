/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/rdmap/atomics.h"
#include "harness/unit.h"

#include <stdbool.h>
#include <stdlib.h>

/* The definition, one bit after the other (RFC 7306 s5.1.1): the carry out
 * of a bit reaches the next unless the mask has a 1 there. */
static uint64_t bit_by_bit(uint64_t original, uint64_t add, uint64_t mask)
{
	uint64_t result = 0;
	unsigned carry = 0;

	for (int bit = 0; bit < 64; bit++) {
		unsigned sum = carry + (unsigned)(original >> bit & 1) +
			       (unsigned)(add >> bit & 1);

		result |= (uint64_t)(sum & 1) << bit;
		carry = (mask >> bit & 1) ? 0 : sum >> 1;
	}
	return result;
}

static uint64_t random64(void)
{
	uint64_t v = 0;

	for (int i = 0; i < 5; i++)
		v = v << 15 ^ (uint64_t)rand();
	return v;
}

static void fetchadd_is_the_bit_serial_definition(void)
{
	static const uint64_t edge[] = {
		0,
		1,
		0x80,
		0xff,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x7fff7fff7fff7fff,
		0x8000800080008000,
		0x00ff00ff00ff00ff,
		0x8000000000000000,
		0x7fffffffffffffff,
		0xfffffffffffffffe,
		UINT64_MAX,
	};
	const size_t n = UNIT_COUNT(edge);

	for (size_t i = 0; i < n * n * n; i++) {
		uint64_t a = edge[i % n];
		uint64_t b = edge[i / n % n];
		uint64_t m = edge[i / n / n];

		CU_ASSERT_EQUAL(atomic_fetch_add(a, b, m), bit_by_bit(a, b, m));
	}
	srand(7306);
	for (int i = 0; i < 100000; i++) {
		uint64_t a = random64(), b = random64();
		uint64_t m = i % 2 ? random64() : random64() & random64();

		CU_ASSERT_EQUAL(atomic_fetch_add(a, b, m), bit_by_bit(a, b, m));
	}
}

static void fetchadd_knows_its_corner_cases(void)
{
	CU_ASSERT_EQUAL(atomic_fetch_add(UINT64_MAX, 1, 0), 0);
	CU_ASSERT_EQUAL(atomic_fetch_add(0xffffffff, 1, 0), 0x100000000);
	CU_ASSERT_EQUAL(atomic_fetch_add(0xffffffff, 1, 0x80000000), 0);
	CU_ASSERT_EQUAL(atomic_fetch_add(0x00ff00ff00ff00ff, 0x0001000100010001,
					 0x8000800080008000),
			0x0100010001000100);
	CU_ASSERT_EQUAL(atomic_fetch_add(0x7fff7fff7fff7fff, 0x0001000100010001,
					 0x8000800080008000),
			0x8000800080008000);
	CU_ASSERT_EQUAL(atomic_fetch_add(0xf0f0, 0xffff, UINT64_MAX), 0x0f0f);
}

static void cmpswap_heeds_both_masks(void)
{
	const uint64_t v = 0x1122334455667788;

	CU_ASSERT_EQUAL(atomic_cmp_swap(v, v, UINT64_MAX, 9, UINT64_MAX), 9);
	CU_ASSERT_EQUAL(atomic_cmp_swap(v, v + 1, UINT64_MAX, 9, UINT64_MAX),
			v);
	CU_ASSERT_EQUAL(atomic_cmp_swap(v, 0x88, 0xff, 0xbb00, 0xff00),
			0x112233445566bb88);
	CU_ASSERT_EQUAL(atomic_cmp_swap(v, 0xff88, 0xff, 0xbb00, 0xff00),
			0x112233445566bb88);
	CU_ASSERT_EQUAL(atomic_cmp_swap(v, 0, 0, 5, UINT64_MAX), 5);
	CU_ASSERT_EQUAL(atomic_cmp_swap(v, v, UINT64_MAX, 5, 0), v);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"FetchAdd is the bit-serial definition",
		 fetchadd_is_the_bit_serial_definition},
		{"FetchAdd knows its corner cases",
		 fetchadd_knows_its_corner_cases},
		{"CmpSwap heeds both masks", cmpswap_heeds_both_masks},
	};

	return unit_run("refdut atomics", tests, UNIT_COUNT(tests));
}
