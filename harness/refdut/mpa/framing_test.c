/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/crc/crc.h"
#include "harness/refdut/mpa/framing.h"
#include "harness/unit.h"

#include <stdlib.h>
#include <string.h>

static uint8_t octets[MULPDU_MAX];

/* RFC 5044 s4.4, its example with a leading marker: a Send of 24 zero
 * octets as the first FPDU of a stream. */
static void the_example_with_a_leading_marker(void)
{
	static const uint8_t header[18] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0,
					   0,    0,    0, 0, 1, 0, 0, 0, 0};
	static const uint8_t crc[4] = {0x52, 0x23, 0x99, 0x83};
	struct framing tx = {.markers = true, .crc = true};
	struct buf out = {0};

	memset(octets, 0, 24);
	framing_put(&tx, &out, header, sizeof(header), octets, 24);
	CU_ASSERT_EQUAL_FATAL(buf_len(&out), 52);
	CU_ASSERT_EQUAL(be32(buf_head(&out)), 0);
	CU_ASSERT_EQUAL(be16(buf_head(&out) + 4), 42);
	CU_ASSERT_EQUAL(memcmp(buf_head(&out) + 48, crc, 4), 0);
	CU_ASSERT_EQUAL(tx.at, 52);
	buf_free(&out);
}

/* The other example: the same message 492 octets into the stream, with the
 * marker 20 octets after ULPDU_Length. */
static void the_example_with_an_inner_marker(void)
{
	static const uint8_t header[18] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0,
					   0,    0,    0, 0, 2, 0, 0, 0, 0};
	static const uint8_t marker[4] = {0, 0, 0, 0x14};
	static const uint8_t crc[4] = {0x84, 0x92, 0x58, 0x98};
	struct framing tx = {.markers = true, .crc = true, .at = 492};
	struct buf out = {0};

	memset(octets, 0, 24);
	framing_put(&tx, &out, header, sizeof(header), octets, 24);
	CU_ASSERT_EQUAL_FATAL(buf_len(&out), 52);
	CU_ASSERT_EQUAL(memcmp(buf_head(&out) + 20, marker, 4), 0);
	CU_ASSERT_EQUAL(memcmp(buf_head(&out) + 48, crc, 4), 0);
	buf_free(&out);
}

/* Every FPDU that is put comes back, at any place of the stream and any length,
 * and not one octet too early. */
static void everything_put_comes_back(void)
{
	for (int mode = 0; mode < 4; mode++) {
		struct framing tx = {.markers = mode & 1, .crc = mode & 2};
		struct framing rx = tx;
		struct buf out = {0};
		struct ulpdu u;

		srand(5044);
		for (int i = 0; i < 3000; i++) {
			uint32_t len = 1 + (uint32_t)rand() % 1500;
			size_t head = len < 18 ? len : 18;
			size_t n;

			if (i % 500 == 499)
				len = MULPDU_MAX;
			for (uint32_t j = 0; j < len; j++)
				octets[j] = (uint8_t)rand();
			framing_put(&tx, &out, octets, head, octets + head,
				    len - head);
			n = buf_len(&out);
			CU_ASSERT_EQUAL(n % 4, 0);
			CU_ASSERT_EQUAL(
				framing_get(&rx, buf_head(&out), n - 1, &u),
				FRAMING_MORE);
			CU_ASSERT_EQUAL(framing_get(&rx, buf_head(&out), n, &u),
					FRAMING_ULPDU);
			CU_ASSERT_EQUAL(u.raw, n);
			CU_ASSERT_EQUAL_FATAL(u.len, len);
			CU_ASSERT_EQUAL(memcmp(u.octets, octets, len), 0);
			CU_ASSERT_EQUAL(rx.at, tx.at);
			buf_take(&out, n);
		}
		buf_free(&out);
	}
}

/* Markers stand at every multiple of 512 and nowhere else. */
static void markers_are_where_they_belong(void)
{
	struct framing tx = {.markers = true, .crc = true};
	struct buf out = {0};

	memset(octets, 0xee, sizeof(octets));
	framing_put(&tx, &out, octets, 14, octets, 5000);
	for (size_t at = 0; at < buf_len(&out); at += MARKER_INTERVAL) {
		CU_ASSERT_EQUAL(be16(buf_head(&out) + at), 0);
		CU_ASSERT_EQUAL(be16(buf_head(&out) + at + 2), at ? at - 4 : 0);
	}
	buf_free(&out);
}

/* Any flipped bit is detected: by the CRC, or because the FPDU stays
 * incomplete. */
static void a_flipped_bit_is_noticed(void)
{
	struct framing tx = {.markers = true, .crc = true};
	struct buf out = {0};
	size_t n;

	for (int i = 0; i < 600; i++)
		octets[i] = (uint8_t)i;
	framing_put(&tx, &out, octets, 18, octets + 18, 582);
	n = buf_len(&out);
	for (size_t bit = 0; bit < 8 * n; bit++) {
		struct framing rx = {.markers = true, .crc = true};
		enum framing_result result;
		struct ulpdu u;

		buf_head(&out)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		result = framing_get(&rx, buf_head(&out), n, &u);
		CU_ASSERT_TRUE(result == FRAMING_MORE ||
			       result == FRAMING_BAD_CRC);
		buf_head(&out)[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	buf_free(&out);
}

static void a_wrong_marker_is_noticed(void)
{
	struct framing tx = {.markers = true};
	struct framing rx = tx;
	struct buf out = {0};
	struct ulpdu u;

	framing_put(&tx, &out, octets, 18, octets, 600);
	be16_put(buf_head(&out) + 514, 504);
	CU_ASSERT_EQUAL(framing_get(&rx, buf_head(&out), buf_len(&out), &u),
			FRAMING_BAD_MARKER);
	rx = (struct framing){.markers = true};
	be16_put(buf_head(&out) + 514, 508 | 3);
	be16_put(buf_head(&out) + 512, 0xffff);
	CU_ASSERT_EQUAL(framing_get(&rx, buf_head(&out), buf_len(&out), &u),
			FRAMING_ULPDU);
	buf_free(&out);
}

/* RFC 5044 s4.5. */
static void mulpdu_follows_its_formula(void)
{
	static const struct {
		uint32_t emss, without, with;
	} rows[] = {
		{512, 506, 502},    {536, 530, 522},       {1448, 1442, 1430},
		{1457, 1450, 1438}, {1458, 1450, 1438},    {1459, 1450, 1438},
		{1460, 1454, 1442}, {8948, 8942, 8870},    {8960, 8954, 8882},
		{88, 128, 128},     {65495, 64768, 64768},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		CU_ASSERT_EQUAL(framing_mulpdu(rows[i].emss, false),
				rows[i].without);
		CU_ASSERT_EQUAL(framing_mulpdu(rows[i].emss, true),
				rows[i].with);
	}
}

/* No input makes framing read beyond it, or return more than it contains. */
static void noise_is_handled_calmly(void)
{
	unsigned long results[4] = {0};

	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct framing rx = {.markers = i & 1,
				     .crc = i & 2,
				     .at = (uint64_t)(rand() % 2048) & ~3ull};
		size_t n = (size_t)rand() % 300;
		uint8_t *noise = malloc(n + 1);
		enum framing_result result;
		struct ulpdu u = {0};

		for (size_t j = 0; j < n; j++)
			noise[j] = (uint8_t)rand();
		if (n > 6 && i % 4)
			noise[0] = noise[4] = 0;
		result = framing_get(&rx, noise, n, &u);
		results[result]++;
		if (result != FRAMING_MORE)
			CU_ASSERT_TRUE(u.raw <= n && u.len < u.raw);
		free(noise);
	}
	CU_ASSERT_TRUE(results[FRAMING_MORE] && results[FRAMING_ULPDU] &&
		       results[FRAMING_BAD_CRC]);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"the example with a leading marker",
		 the_example_with_a_leading_marker},
		{"the example with an inner marker",
		 the_example_with_an_inner_marker},
		{"everything put comes back", everything_put_comes_back},
		{"markers are where they belong",
		 markers_are_where_they_belong},
		{"a flipped bit is noticed", a_flipped_bit_is_noticed},
		{"a wrong marker is noticed", a_wrong_marker_is_noticed},
		{"MULPDU follows its formula", mulpdu_follows_its_formula},
		{"noise is handled calmly", noise_is_handled_calmly},
	};
	const char *why;

	if (crc_init(&why) < 0)
		return 1;
	return unit_run("refdut framing", tests, UNIT_COUNT(tests));
}
