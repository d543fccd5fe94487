/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/wire/mpa.h"

#include "harness/unit.h"
#include "harness/wire/testing.h"

#define REQUEST_KEY "4d504120 49442052 65712046 72616d65 "
#define REPLY_KEY   "4d504120 49442052 65702046 72616d65 "

/* Rev 1, CRC wanted, no private data. */
static void plain_request(void)
{
	uint8_t in[64], out[64];
	size_t n = octets_of(in, REQUEST_KEY "40 01 00 00");
	struct mpa_startup f;

	CU_ASSERT_EQUAL(mpa_startup_octets(in, n), 20);
	CU_ASSERT_TRUE_FATAL(mpa_startup_decode(&f, in, n));
	CU_ASSERT_EQUAL(mpa_kind(&f), MPA_KIND_REQUEST);
	CU_ASSERT_EQUAL(f.flags, MPA_C);
	CU_ASSERT_EQUAL(f.rev, 1);
	CU_ASSERT_EQUAL(f.pd_length, 0);
	CU_ASSERT_EQUAL(f.private_octets, 0);

	memcpy(f.key, mpa_key_request, MPA_KEY_OCTETS);
	CU_ASSERT_EQUAL(mpa_startup_encode(&f, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
}

/* Rev 2: peer-to-peer, RTR by Write or Read, IRD 8, ORD 4, "test". */
static void enhanced_request(void)
{
	uint8_t in[64], out[64];
	size_t n = octets_of(in,
			     REQUEST_KEY "50 02 00 08 80 08 c0 04 74 65 73 74");
	struct mpa_startup f;
	struct mpa_enhanced e;

	CU_ASSERT_EQUAL(mpa_startup_octets(in, n), 28);
	CU_ASSERT_TRUE_FATAL(mpa_startup_decode(&f, in, n));
	CU_ASSERT_EQUAL(f.flags, MPA_C | MPA_S);
	CU_ASSERT_EQUAL(f.rev, 2);
	CU_ASSERT_EQUAL(f.pd_length, 8);
	CU_ASSERT_EQUAL_FATAL(f.private_octets, 8);
	CU_ASSERT_PTR_EQUAL(f.private_data, in + MPA_HEADER_OCTETS);
	CU_ASSERT_EQUAL(memcmp(f.private_data + 4, "test", 4), 0);

	mpa_enhanced_decode(&e, f.private_data);
	CU_ASSERT_TRUE(e.a);
	CU_ASSERT_FALSE(e.b);
	CU_ASSERT_TRUE(e.c);
	CU_ASSERT_TRUE(e.d);
	CU_ASSERT_EQUAL(e.ird, 8);
	CU_ASSERT_EQUAL(e.ord, 4);
	mpa_enhanced_encode(&e, out);
	CU_ASSERT_EQUAL(memcmp(out, f.private_data, 4), 0);
	CU_ASSERT_EQUAL(mpa_startup_encode(&f, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
}

static void the_key_tells_the_kind(void)
{
	struct mpa_startup f = {.rev = 1};
	uint8_t key[MPA_KEY_OCTETS];

	octets_of(key, REQUEST_KEY);
	CU_ASSERT_EQUAL(memcmp(key, mpa_key_request, sizeof(key)), 0);
	octets_of(key, REPLY_KEY);
	CU_ASSERT_EQUAL(memcmp(key, mpa_key_reply, sizeof(key)), 0);

	memcpy(f.key, key, sizeof(key));
	CU_ASSERT_EQUAL(mpa_kind(&f), MPA_KIND_REPLY);
	for (size_t bit = 0; bit < 8 * sizeof(key); bit++) {
		memcpy(f.key, key, sizeof(key));
		f.key[bit / 8] ^= (uint8_t)(1 << bit % 8);
		/* The two keys are one bit apart: 70 and 71. */
		bool request = memcmp(f.key, mpa_key_request, 16) == 0;
		CU_ASSERT_EQUAL(mpa_kind(&f),
				request ? MPA_KIND_REQUEST : MPA_KIND_NEITHER);
	}
}

static void octets_needed(void)
{
	uint8_t in[MPA_HEADER_OCTETS];
	size_t n = octets_of(in, REPLY_KEY "40 01 ff ff");
	struct mpa_startup f;

	for (size_t i = 0; i < n; i++) {
		uint8_t *prefix = exact_copy(in, i);
		CU_ASSERT_EQUAL(mpa_startup_octets(prefix, i), 20);
		CU_ASSERT_FALSE(mpa_startup_decode(&f, prefix, i));
		free(prefix);
	}
	/* Too long for RFC 5044 s7.1.1, but still the value of the field. */
	CU_ASSERT_EQUAL(mpa_startup_octets(in, n), 20 + 65535);
}

static void a_wrong_pd_length_is_kept(void)
{
	uint8_t in[64], out[64];
	size_t n = octets_of(in, REPLY_KEY "ff 07 02 01 aa bb cc");
	struct mpa_startup f;

	CU_ASSERT_TRUE_FATAL(mpa_startup_decode(&f, in, n));
	CU_ASSERT_EQUAL(f.flags, 0xff);
	CU_ASSERT_EQUAL(f.pd_length, 513);
	CU_ASSERT_EQUAL(f.private_octets, 3);
	CU_ASSERT_EQUAL(mpa_startup_encode(&f, out, sizeof(out)), n);
	CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
	for (size_t cap = 0; cap < n; cap++) {
		uint8_t *room = exact_copy(out, cap);
		CU_ASSERT_EQUAL(mpa_startup_encode(&f, room, cap), 0);
		free(room);
	}
}

static void random_octets_come_back(void)
{
	struct chance c = {6581};

	for (unsigned i = 0; i < 5000; i++) {
		uint8_t in[600], out[600];
		size_t n = MPA_HEADER_OCTETS + draw(&c) % 560;
		struct mpa_startup f;
		draw_octets(&c, in, n);
		CU_ASSERT_TRUE_FATAL(mpa_startup_decode(&f, in, n));
		CU_ASSERT_EQUAL(mpa_startup_encode(&f, out, n), n);
		CU_ASSERT_EQUAL(memcmp(in, out, n), 0);
	}
}

static void every_enhanced_bit_comes_back(void)
{
	struct chance c = {14};

	for (unsigned i = 0; i < 32 + 1000; i++) {
		uint32_t v = i < 32 ? (uint32_t)1 << i : draw(&c);
		uint8_t in[4] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16),
				 (uint8_t)(v >> 8), (uint8_t)v};
		uint8_t out[4];
		struct mpa_enhanced e;
		mpa_enhanced_decode(&e, in);
		CU_ASSERT_EQUAL(e.a, v >> 31);
		CU_ASSERT_EQUAL(e.b, v >> 30 & 1);
		CU_ASSERT_EQUAL(e.ird, v >> 16 & 0x3fff);
		CU_ASSERT_EQUAL(e.c, v >> 15 & 1);
		CU_ASSERT_EQUAL(e.d, v >> 14 & 1);
		CU_ASSERT_EQUAL(e.ord, v & 0x3fff);
		mpa_enhanced_encode(&e, out);
		CU_ASSERT_EQUAL(memcmp(in, out, 4), 0);
	}
}

static const struct unit_test tests[] = {
	{"plain_request", plain_request},
	{"enhanced_request", enhanced_request},
	{"the_key_tells_the_kind", the_key_tells_the_kind},
	{"octets_needed", octets_needed},
	{"a_wrong_pd_length_is_kept", a_wrong_pd_length_is_kept},
	{"random_octets_come_back", random_octets_come_back},
	{"every_enhanced_bit_comes_back", every_enhanced_bit_comes_back},
};

int main(void)
{
	return unit_run("mpa", tests, UNIT_COUNT(tests));
}
