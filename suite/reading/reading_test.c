/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/reading/reading.h"

#include <string.h>

#include "harness/unit.h"

static const struct reading *named(const char *name)
{
	size_t n;
	const struct reading *r = reading_table(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(r[i].name, name) == 0)
			return &r[i];
	CU_FAIL_FATAL("no such reading");
	return NULL;
}

static void pictures_hold_the_same(void)
{
	size_t n;
	const struct reading *r = reading_table(&n);

	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_TRUE(reading_is_sound(&r[i]));
		for (size_t k = 0; k < i; k++)
			CU_ASSERT_STRING_NOT_EQUAL(r[i].name, r[k].name);
	}
}

static void unsound_pictures_are_told(void)
{
	struct reading r = {READING_CRC, "x", "ccc", ""};

	CU_ASSERT_FALSE(reading_is_sound(&r));
	r.picture = "ccccc";
	CU_ASSERT_FALSE(reading_is_sound(&r));
	r.picture = "cccd";
	CU_ASSERT_FALSE(reading_is_sound(&r));
	r.picture = "CCcc";
	CU_ASSERT_FALSE(reading_is_sound(&r));
	r.picture = "cc cc";
	CU_ASSERT_TRUE(reading_is_sound(&r));
}

/* Each reading changes something, and can be undone. */
static void readings_are_undone(void)
{
	size_t n;
	const struct reading *r = reading_table(&n);

	for (size_t i = 0; i < n; i++) {
		unsigned octets = reading_group(r[i].group)->octets;
		uint8_t sent[READING_OCTETS_MAX], meant[READING_OCTETS_MAX],
			again[READING_OCTETS_MAX];
		bool changes = false;

		for (unsigned seed = 0; seed < 64; seed++) {
			for (unsigned k = 0; k < octets; k++)
				sent[k] = (uint8_t)(seed * 37 + k * 101 + 1);
			if (seed == 0 && r[i].group == READING_MPA_ERROR)
				sent[0] = 0x23;
			/* A value has two ways to be sent, and is sent in one. */
			else if (r[i].group == READING_MPA_ERROR &&
				 sent[0] == 0x20)
				continue;
			reading_meant(&r[i], sent, meant);
			reading_sent(&r[i], meant, again);
			CU_ASSERT_EQUAL(memcmp(sent, again, octets), 0);
			changes |= memcmp(sent, meant, octets) != 0;
		}
		CU_ASSERT_TRUE(changes);
	}
}

/* By hand: 1/2/06 with M and D, IRD 0x105 with A, and the like. */
static void octets_are_read_so(void)
{
	static const struct {
		const char *name;
		const char *sent, *meant;
		size_t n;
	} rows[] = {
		{"crc-byte-swapped", "\x83\x99\x23\x52", "\x52\x23\x99\x83", 4},
		{"tagged-little-endian",
		 "\4\3\2\1\x18\x17\x16\x15\x14\x13\x12\x11",
		 "\1\2\3\4\x11\x12\x13\x14\x15\x16\x17\x18", 12},
		{"to-halves-exchanged",
		 "\1\2\3\4\x15\x16\x17\x18\x11\x12\x13\x14",
		 "\1\2\3\4\x11\x12\x13\x14\x15\x16\x17\x18", 12},
		{"stag-behind-to", "\x11\x12\x13\x14\x15\x16\x17\x18\1\2\3\4",
		 "\1\2\3\4\x11\x12\x13\x14\x15\x16\x17\x18", 12},
		{"untagged-little-endian", "\2\0\0\0\1\0\0\0\4\3\0\0",
		 "\0\0\0\2\0\0\0\1\0\0\3\4", 12},
		{"msn-and-mo-exchanged", "\0\0\0\1\0\0\0\3\0\0\0\2",
		 "\0\0\0\1\0\0\0\2\0\0\0\3", 12},
		{"terminate-layer-type-swapped", "\x21\x06\xc0\0",
		 "\x12\x06\xc0\0", 4},
		{"terminate-flags-mirrored", "\x12\x06\x03\0", "\x12\x06\xc0\0",
		 4},
		{"terminate-flags-low", "\x12\x06\x06\0", "\x12\x06\xc0\0", 4},
		{"terminate-bit-fields-from-the-lowest", "\x21\x06\x03\0",
		 "\x12\x06\xc0\0", 4},
		{"terminate-exchanged-and-flags-low", "\x21\x06\x06\0",
		 "\x12\x06\xc0\0", 4},
		{"terminate-little-endian", "\0\xc0\x06\x12", "\x12\x06\xc0\0",
		 4},
		{"terminate-little-endian-and-exchanged", "\0\xc0\x06\x21",
		 "\x12\x06\xc0\0", 4},
		{"terminate-fields-in-reverse", "\0\x03\x06\x21",
		 "\x12\x06\xc0\0", 4},
		{"terminate-halves-little-endian", "\x06\x12\0\xc0",
		 "\x12\x06\xc0\0", 4},
		{"terminate-octets-mirrored", "\x48\x60\x03\0",
		 "\x12\x06\xc0\0", 4},
		{"terminate-word-mirrored", "\0\x03\x60\x48", "\x12\x06\xc0\0",
		 4},
		{"mpa-error-type-3", "\x23\x02\0\0", "\x20\x02\0\0", 4},
		{"mpa-error-type-3", "\x20\x05\0\0", "\x20\x05\0\0", 4},
		{"mpa-error-type-3", "\x13\x02\0\0", "\x13\x02\0\0", 4},
		{"request-ird-ord-little-endian", "\x05\x81\x07\x02",
		 "\x81\x05\x02\x07", 4},
		{"request-ird-ord-swapped", "\x82\x07\x01\x05",
		 "\x81\x05\x02\x07", 4},
		{"reply-enhanced-little-endian", "\x07\x02\x05\x81",
		 "\x81\x05\x02\x07", 4},
		/* 0x105 << 2 | A; 0x207 << 2 */
		{"reply-enhanced-flags-low", "\x04\x15\x08\x1c",
		 "\x81\x05\x02\x07", 4},
		{"reply-enhanced-bit-fields-from-the-lowest",
		 "\x15\x04\x1c\x08", "\x81\x05\x02\x07", 4},
		{"imm-sent-byte-swapped", "12345678", "87654321", 8},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		uint8_t out[READING_OCTETS_MAX];

		reading_meant(named(rows[i].name),
			      (const uint8_t *)rows[i].sent, out);
		CU_ASSERT_EQUAL(memcmp(out, rows[i].meant, rows[i].n), 0);
	}
}

static void fields_are_compared_in_their_places(void)
{
	const uint8_t a[4] = {0x12, 0x06, 0xc0, 0}, b[4] = {0x21, 6, 0xc0, 1};

	CU_ASSERT_TRUE(reading_fields_differ(READING_TERMINATE, "l", a, b));
	CU_ASSERT_TRUE(reading_fields_differ(READING_TERMINATE, "t", a, b));
	CU_ASSERT_FALSE(reading_fields_differ(READING_TERMINATE, "cmdr", a, b));
	CU_ASSERT_TRUE(reading_fields_differ(READING_TERMINATE, ".", a, b));
}

/* --- which one is it ----------------------------------------------------- */

/* The request to the device: numbers, and whether with M and D. */
struct asked {
	uint8_t numbers, code, flags;
};

static bool is_due(const uint8_t *meant, const void *arg)
{
	const struct asked *a = arg;

	return meant[0] == a->numbers && meant[1] == a->code &&
	       meant[2] == a->flags && meant[3] == 0;
}

static const struct asked asked[] = {{0x02, 0x06, 0xc0},
				     {0x01, 0x00, 0xe0},
				     {0x11, 0x00, 0xc0},
				     {0x20, 0x02, 0x00}};

/* The reading if the device sends these words, 0 for none. */
static const struct reading *chosen(const uint32_t *words, size_t n)
{
	struct reading_evidence e = {.group = READING_TERMINATE};

	for (size_t i = 0; i < n; i++) {
		const uint8_t w[4] = {
			(uint8_t)(words[i] >> 24), (uint8_t)(words[i] >> 16),
			(uint8_t)(words[i] >> 8), (uint8_t)words[i]};

		if (words[i])
			reading_observe(&e, w, is_due, &asked[i]);
	}
	return reading_choose(&e);
}
#define CHOSEN(...)                                                            \
	chosen((const uint32_t[]){__VA_ARGS__},                                \
	       UNIT_COUNT(((const uint32_t[]){__VA_ARGS__})))

static void one_reading_explains_all(void)
{
	CU_ASSERT_PTR_EQUAL(
		CHOSEN(0x20060300, 0x10000700, 0x11000300, 0x02020000),
		named("terminate-bit-fields-from-the-lowest"));
	CU_ASSERT_PTR_EQUAL(CHOSEN(0x2006c000, 0x1000e000, 0x1100c000),
			    named("terminate-layer-type-swapped"));
	/* The third word says the same under both. */
	CU_ASSERT_PTR_EQUAL(CHOSEN(0x00c00602, 0x00e00001, 0x00c00011),
			    named("terminate-little-endian"));
}

static void a_right_device_is_read_as_the_rfcs_say(void)
{
	CU_ASSERT_PTR_NULL(CHOSEN(0x0206c000, 0x0100e000, 0x1100c000));
	CU_ASSERT_PTR_NULL(CHOSEN(0));
}

/* One number wrong, others right: no reading may excuse it. */
static void a_wrong_number_is_not_excused(void)
{
	CU_ASSERT_PTR_NULL(
		CHOSEN(0x2006c000, 0x0100e000, 0x1100c000, 0x20020000));
	CU_ASSERT_PTR_NULL(CHOSEN(0x0206c000, 0x1000e000));
	CU_ASSERT_PTR_NULL(
		CHOSEN(0x0205c000, 0x0102e000, 0x1101c000, 0x20030000));
}

static void one_word_is_not_enough(void)
{
	CU_ASSERT_PTR_NULL(CHOSEN(0x20060300));
	CU_ASSERT_PTR_NULL(CHOSEN(0x20060300, 0, 0, 0));
}

/* Another fault besides it must be rarer. */
static void strays_are_outnumbered(void)
{
	const struct reading *r = named("terminate-bit-fields-from-the-lowest");

	CU_ASSERT_PTR_EQUAL(
		CHOSEN(0x20060300, 0x10000700, 0xff030300, 0x02020000), r);
	CU_ASSERT_PTR_NULL(
		CHOSEN(0x20060300, 0x10000700, 0xff030300, 0xff020000));
}

static void the_first_right_word_settles_it(void)
{
	struct reading_evidence e = {.group = READING_TERMINATE};
	const uint8_t right[4] = {0x02, 0x06, 0xc0, 0};

	CU_ASSERT_FALSE(reading_settled(&e));
	reading_observe(&e, right, is_due, &asked[0]);
	CU_ASSERT_TRUE(reading_settled(&e));
}

static void what_is_adopted_tells_of_it(void)
{
	struct reading_evidence e = {.group = READING_TERMINATE};
	/* 1/1/00 without flags is the same both ways. */
	const struct asked same = {0x11, 0x00, 0x00};
	const uint8_t words[][4] = {
		{0x11, 0, 0, 0}, {0x20, 0x06, 0xc0, 0}, {0x10, 0x00, 0xe0, 0}};
	struct readings r = {0};

	reading_observe(&e, words[0], is_due, &same);
	reading_observe(&e, words[1], is_due, &asked[0]);
	reading_adopt(&r, &e);
	CU_ASSERT_PTR_NULL(r.of[READING_TERMINATE]);
	reading_observe(&e, words[2], is_due, &asked[1]);
	reading_adopt(&r, &e);
	CU_ASSERT_PTR_EQUAL(r.of[READING_TERMINATE],
			    named("terminate-layer-type-swapped"));
	CU_ASSERT_EQUAL(memcmp(r.sent[READING_TERMINATE], words[1], 4), 0);
}

static void names_are_listed(void)
{
	struct readings r = {0};
	char text[64];

	readings_names(&r, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "");
	r.of[READING_CRC] = named("crc-byte-swapped");
	r.of[READING_IMMEDIATE] = named("imm-sent-byte-swapped");
	readings_names(&r, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "crc-byte-swapped, imm-sent-byte-swapped");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"pictures hold the same", pictures_hold_the_same},
		{"unsound pictures are reported", unsound_pictures_are_told},
		{"readings are undone", readings_are_undone},
		{"octets are read so", octets_are_read_so},
		{"fields are compared in their places",
		 fields_are_compared_in_their_places},
		{"one reading explains all", one_reading_explains_all},
		{"a right device is read as the RFCs say",
		 a_right_device_is_read_as_the_rfcs_say},
		{"a wrong number is not excused",
		 a_wrong_number_is_not_excused},
		{"one word is not enough", one_word_is_not_enough},
		{"strays are outnumbered", strays_are_outnumbered},
		{"the first right word settles it",
		 the_first_right_word_settles_it},
		{"an adopted reading has its octets",
		 what_is_adopted_tells_of_it},
		{"names are listed", names_are_listed},
	};

	return unit_run("readings", tests, UNIT_COUNT(tests));
}
