/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/cursor.h"

#include "harness/unit.h"
#include "harness/wire/testing.h"

static const uint8_t fifteen[15] = {1, 2,  3,  4,  5,  6,  7, 8,
				    9, 10, 11, 12, 13, 14, 15};

static void big_endian_get(void)
{
	struct get g = get_from(fifteen, sizeof(fifteen));

	CU_ASSERT_EQUAL(get8(&g), 0x01);
	CU_ASSERT_EQUAL(get16(&g), 0x0203);
	CU_ASSERT_EQUAL(get32(&g), 0x04050607);
	CU_ASSERT_EQUAL(get64(&g), 0x08090a0b0c0d0e0f);
	CU_ASSERT_EQUAL(get_left(&g), 0);
	CU_ASSERT_FALSE(g.flaw);
}

static void big_endian_put(void)
{
	uint8_t out[15];
	struct put p = put_into(out, sizeof(out));

	put8(&p, 0x01);
	put16(&p, 0x0203);
	put32(&p, 0x04050607);
	put64(&p, 0x08090a0b0c0d0e0f);
	CU_ASSERT_EQUAL(put_left(&p), 0);
	CU_ASSERT_FALSE(p.flaw);
	CU_ASSERT_EQUAL(memcmp(out, fifteen, sizeof(out)), 0);
}

static void every_bit_survives(void)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		uint8_t octets[8];
		uint64_t v = (uint64_t)1 << bit;
		struct put p = put_into(octets, 8);
		struct get g = get_from(octets, 8);
		put64(&p, v);
		CU_ASSERT_EQUAL(get64(&g), v);
		p = put_into(octets, 4);
		g = get_from(octets, 4);
		put32(&p, (uint32_t)v);
		CU_ASSERT_EQUAL(get32(&g), (uint32_t)v);
	}
}

static void get_past_the_end_yields_zeros(void)
{
	struct get g = get_from(fifteen, 3);

	CU_ASSERT_EQUAL(get32(&g), 0);
	CU_ASSERT_TRUE(g.flaw);
	/* Sticky: three octets are left, and none of them is given. */
	CU_ASSERT_EQUAL(get8(&g), 0);
	CU_ASSERT_EQUAL(get16(&g), 0);
	CU_ASSERT_EQUAL(get64(&g), 0);
	CU_ASSERT_PTR_NULL(get_octets(&g, 1));
	CU_ASSERT_EQUAL(get_left(&g), 3);
	CU_ASSERT_PTR_EQUAL(g.at, fifteen);
}

static void every_short_get_is_a_flaw(void)
{
	for (size_t n = 0; n < 8; n++) {
		uint8_t *octets = exact_copy(fifteen, n);
		struct get a = get_from(octets, n);
		struct get b = a, c = a, d = a, e = a;
		get8(&a);
		get16(&b);
		get32(&c);
		get64(&d);
		CU_ASSERT_EQUAL(a.flaw, n < 1);
		CU_ASSERT_EQUAL(b.flaw, n < 2);
		CU_ASSERT_EQUAL(c.flaw, n < 4);
		CU_ASSERT_EQUAL(d.flaw, n < 8);
		CU_ASSERT_PTR_EQUAL(get_octets(&e, n), octets);
		CU_ASSERT_FALSE(e.flaw);
		CU_ASSERT_PTR_NULL(get_octets(&e, 1));
		CU_ASSERT_TRUE(e.flaw);
		free(octets);
	}
}

static void put_past_the_end_writes_nothing(void)
{
	uint8_t out[4] = {0xa5, 0xa5, 0xa5, 0xa5};
	struct put p = put_into(out, 3);

	put32(&p, 0);
	CU_ASSERT_TRUE(p.flaw);
	put8(&p, 0);
	put16(&p, 0);
	put64(&p, 0);
	put_octets(&p, fifteen, 1);
	CU_ASSERT_EQUAL(put_left(&p), 3);
	for (size_t i = 0; i < sizeof(out); i++)
		CU_ASSERT_EQUAL(out[i], 0xa5);
}

static void no_octets_are_no_flaw(void)
{
	struct get g = get_from(NULL, 0);
	struct put p = put_into(NULL, 0);

	put_octets(&p, NULL, 0);
	CU_ASSERT_FALSE(p.flaw);
	CU_ASSERT_EQUAL(get_left(&g), 0);
	CU_ASSERT_FALSE(g.flaw);
	put8(&p, 1);
	CU_ASSERT_TRUE(p.flaw);
	CU_ASSERT_EQUAL(get8(&g), 0);
	CU_ASSERT_TRUE(g.flaw);
}

static const struct unit_test tests[] = {
	{"big_endian_get", big_endian_get},
	{"big_endian_put", big_endian_put},
	{"every_bit_survives", every_bit_survives},
	{"get_past_the_end_yields_zeros", get_past_the_end_yields_zeros},
	{"every_short_get_is_a_flaw", every_short_get_is_a_flaw},
	{"put_past_the_end_writes_nothing", put_past_the_end_writes_nothing},
	{"no_octets_are_no_flaw", no_octets_are_no_flaw},
};

int main(void)
{
	return unit_run("cursor", tests, UNIT_COUNT(tests));
}
