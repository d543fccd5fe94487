/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/crc/crc.h"

#include <stdlib.h>
#include <string.h>

#include "harness/crc/provider.h"
#include "harness/unit.h"

static const char *const names[] = {"isal", "openssl"};

static int init_with(const char *name, const char **why)
{
	if (name)
		setenv("WARPSPEC_CRC", name, 1);
	else
		unsetenv("WARPSPEC_CRC");
	*why = NULL;
	return crc_init(why);
}

static void provider_is_chosen(void)
{
	const char *why;

	CU_ASSERT_EQUAL(init_with(NULL, &why), 0);
	CU_ASSERT_STRING_EQUAL(crc_provider(), "isal");
	for (size_t i = 0; i < UNIT_COUNT(names); i++) {
		CU_ASSERT_EQUAL(init_with(names[i], &why), 0);
		CU_ASSERT_PTR_NULL(why);
		CU_ASSERT_STRING_EQUAL(crc_provider(), names[i]);
	}
}

static void unknown_provider_is_refused(void)
{
	const char *why;

	CU_ASSERT_EQUAL(init_with(NULL, &why), 0);
	CU_ASSERT_EQUAL(init_with("zlib", &why), -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(why);
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "zlib"));
	CU_ASSERT_PTR_NULL(strchr(why, '\n'));
	/* The provider of the last good call stays. */
	CU_ASSERT_STRING_EQUAL(crc_provider(), "isal");
}

/* The octets on the wire, in order; from RFC 3720 B.4. */
static void published_vectors_on_the_wire(void)
{
	static const struct {
		uint8_t first, step, wire[4];
	} rows[] = {
		{0x00, 0, {0xaa, 0x36, 0x91, 0x8a}},
		{0xff, 0, {0x43, 0xab, 0xa8, 0x62}},
		{0x00, 1, {0x4e, 0x79, 0xdd, 0x46}},
		{0x1f, 0xff, {0x5c, 0xdb, 0x3f, 0x11}},
	};

	for (size_t p = 0; p < UNIT_COUNT(names); p++) {
		const char *why;
		CU_ASSERT_EQUAL(init_with(names[p], &why), 0);
		for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
			uint8_t octets[32], wire[4];
			for (size_t k = 0; k < sizeof(octets); k++)
				octets[k] = (uint8_t)(rows[i].first +
						      k * rows[i].step);
			uint32_t crc = crc32c(octets, sizeof(octets));
			crc_put(wire, crc);
			CU_ASSERT_EQUAL(memcmp(wire, rows[i].wire, 4), 0);
			CU_ASSERT_EQUAL(crc_get(rows[i].wire), crc);
		}
		CU_ASSERT_EQUAL(crc32c("123456789", 9), 0xe3069283);
		CU_ASSERT_EQUAL(crc32c("", 0), 0);
	}
}

/* Lengths around the block sizes of both, at every alignment. */
static void providers_agree(void)
{
	static const size_t lengths[] = {1,    2,    3,    4,    7,    1460,
					 4095, 4096, 4097, 8192, 8193, 65534};
	static uint8_t octets[65536 + 8];
	uint32_t seed = 1;

	for (size_t i = 0; i < sizeof(octets); i++) {
		seed = seed * 1664525 + 1013904223;
		octets[i] = (uint8_t)(seed >> 24);
	}
	for (size_t i = 0; i < UNIT_COUNT(lengths); i++) {
		for (size_t at = 0; at < 8; at++) {
			uint32_t a, b;
			a = crc_isal.crc32c(octets + at, lengths[i]);
			b = crc_openssl.crc32c(octets + at, lengths[i]);
			CU_ASSERT_EQUAL(a, b);
		}
	}
}

/* Wrong for everything except the octets that the check knows. */
static uint32_t by_heart(const uint8_t *octets, size_t n)
{
	return n == 9 || n == 32 ? crc_isal.crc32c(octets, n) : 0;
}

static uint32_t zero(const uint8_t *octets, size_t n)
{
	(void)octets;
	(void)n;
	return 0;
}

static uint32_t wrong_for_nine(const uint8_t *octets, size_t n)
{
	return crc_isal.crc32c(octets, n) ^ (n == 9);
}

static uint32_t wrong_for_many(const uint8_t *octets, size_t n)
{
	return crc_isal.crc32c(octets, n) ^ (n > 256);
}

static void a_wrong_provider_is_found(void)
{
	static const struct {
		struct crc_provider provider;
		const char *reason;
	} rows[] = {
		{{"zero", zero}, "vector 1"},
		{{"nine", wrong_for_nine}, "123456789"},
		{{"heart", by_heart}, "heart disagree over 1 octets"},
		{{"many", wrong_for_many}, "many disagree over 257 octets"},
	};

	CU_ASSERT_PTR_NULL(crc_check(&crc_isal, &crc_openssl));
	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		const char *why = crc_check(&crc_openssl, &rows[i].provider);
		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, rows[i].reason));
		CU_ASSERT_PTR_NOT_NULL(strstr(why, rows[i].provider.name));
		why = crc_check(&rows[i].provider, &crc_openssl);
		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, rows[i].provider.name));
	}
}

static void every_flipped_bit_is_seen(void)
{
	uint8_t octets[64] = {0};
	const char *why;

	CU_ASSERT_EQUAL(init_with(NULL, &why), 0);
	uint32_t right = crc32c(octets, sizeof(octets));
	for (size_t bit = 0; bit < 8 * sizeof(octets); bit++) {
		octets[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CU_ASSERT_NOT_EQUAL(crc32c(octets, sizeof(octets)), right);
		octets[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void wire_order(void)
{
	static const uint8_t wire[4] = {0x52, 0x23, 0x99, 0x83};
	uint8_t out[4];

	/* RFC 5044 s4.4, figure 5. */
	crc_put(out, 0x83992352);
	CU_ASSERT_EQUAL(memcmp(out, wire, 4), 0);
	CU_ASSERT_EQUAL(crc_get(wire), 0x83992352);
}

static const struct unit_test tests[] = {
	{"provider_is_chosen", provider_is_chosen},
	{"unknown_provider_is_refused", unknown_provider_is_refused},
	{"published_vectors_on_the_wire", published_vectors_on_the_wire},
	{"providers_agree", providers_agree},
	{"a_wrong_provider_is_found", a_wrong_provider_is_found},
	{"every_flipped_bit_is_seen", every_flipped_bit_is_seen},
	{"wire_order", wire_order},
};

int main(void)
{
	return unit_run("crc", tests, UNIT_COUNT(tests));
}
