/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Framing and markers against octets checked by hand, and against an
 * inserter that puts one octet after the other and knows no formula.
 */
#include "harness/wire/fpdu.h"

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "harness/wire/testing.h"

static uint8_t wire[FPDU_OCTETS_MAX], again[FPDU_OCTETS_MAX];
static uint8_t room[65536];

/* Octets from a text, one FPDU at a stream offset. */
struct example {
	const char *name;
	bool markers;
	uint32_t offset;
	uint16_t ulpdu_length;
	uint8_t pad_octets;
	unsigned marker_count;
	uint16_t fpduptr; /* of the first marker */
	const char *hex;
};

#define ZEROS24 "00000000 00000000 00000000 00000000 00000000 00000000 "

static const struct example examples[] = {
	{"RFC 5044 figure 5", true, 0, 42, 0, 1, 0,
	 "00 00 00 00 00 2a 41 43 00000000 00000000 00000001 00000000" ZEROS24
	 "52 23 99 83"},
	{"RFC 5044 figure 6", true, 492, 42, 0, 1, 0x14,
	 "00 2a 41 43 00000000 00000000 00000002 00000000 00 00 00 14" ZEROS24
	 "84 92 58 98"},
	{"a Send of hello", false, 0, 23, 3, 0, 0,
	 "00 17 41 43 00 00 00 00 00 00 00 00 00 00 00 01"
	 "00 00 00 00 68 65 6c 6c 6f 00 00 00 b9 90 b1 0c"},
	{"the same behind the first marker", true, 0, 23, 3, 1, 0,
	 "00 00 00 00 00 17 41 43 00 00 00 00 00 00 00 00"
	 "00 00 00 01 00 00 00 00 68 65 6c 6c 6f 00 00 00"
	 "7a 61 e9 71"},
	{"a marker between PAD and CRC", true, 484, 25, 1, 1, 0x1c,
	 "00 19 41 43 00 00 00 00 00 00 00 00 00 00 00 02"
	 "00 00 00 00 01 02 03 04 05 06 07 00 00 00 00 1c"
	 "bd 3c 04 13"},
	{"an RDMA Write", false, 0, 18, 0, 0, 0,
	 "00 12 c1 40 00 00 12 34 00 00 00 00 00 00 10 00"
	 "de ad be ef bd bc 30 f4"},
};

static void examples_by_hand(void)
{
	const char *why;

	CU_ASSERT_EQUAL_FATAL(crc_init(&why), 0);
	for (size_t i = 0; i < UNIT_COUNT(examples); i++) {
		const struct example *x = &examples[i];
		size_t n = octets_of(wire, x->hex), used;
		struct fpdu f;

		CU_ASSERT_EQUAL_FATAL(fpdu_decode(&f, wire, n, x->markers,
						  x->offset, room, sizeof(room),
						  &used),
				      FPDU_OK);
		CU_ASSERT_EQUAL(used, n);
		CU_ASSERT_EQUAL(f.ulpdu_length, x->ulpdu_length);
		CU_ASSERT_EQUAL(f.ulpdu[0] | 0x80, 0xc1);
		CU_ASSERT_EQUAL(f.pad_octets, x->pad_octets);
		CU_ASSERT_EQUAL(f.marker_count, x->marker_count);
		if (f.marker_count > 0) {
			CU_ASSERT_EQUAL(f.marker[0].reserved, 0);
			CU_ASSERT_EQUAL(f.marker[0].fpduptr, x->fpduptr);
		}
		/* The CRC covers all octets but its own four. */
		CU_ASSERT_EQUAL(crc_get(f.crc), crc32c(wire, n - 4));
		CU_ASSERT_EQUAL(memcmp(f.crc, wire + n - 4, 4), 0);

		/* And from nothing but the ULPDU. */
		struct fpdu g;
		fpdu_init(&g, f.ulpdu, x->ulpdu_length, x->markers, x->offset);
		CU_ASSERT_EQUAL(
			fpdu_octets(x->ulpdu_length, x->markers, x->offset), n);
		CU_ASSERT_EQUAL(fpdu_encode(&g, again, n), n);
		crc_put(again + n - 4, crc32c(again, n - 4));
		CU_ASSERT_EQUAL(memcmp(wire, again, n), 0);
	}
}

/* 1000 octets written at offset 512: three markers in 1032 octets. */
static void three_markers(void)
{
	static uint8_t ulpdu[1014];
	static const size_t at[] = {0, 512, 1024};
	static const uint16_t pointers[] = {0, 0x1fc, 0x3fc};
	struct fpdu f;

	CU_ASSERT_EQUAL(fpdu_octets(1014, true, 512), 1032);
	CU_ASSERT_EQUAL(fpdu_marker_count(1014, true, 512), 3);
	memset(ulpdu, 0xee, sizeof(ulpdu));
	fpdu_init(&f, ulpdu, 1014, true, 512);
	CU_ASSERT_EQUAL_FATAL(fpdu_encode(&f, wire, sizeof(wire)), 1032);
	for (unsigned i = 0; i < 3; i++) {
		const uint8_t *m = wire + at[i];
		CU_ASSERT_EQUAL(fpdu_marker_at(i, true, 512), at[i]);
		CU_ASSERT_EQUAL(fpdu_marker_pointer(i, 512), pointers[i]);
		CU_ASSERT_EQUAL(m[0] | m[1], 0);
		CU_ASSERT_EQUAL(m[2] << 8 | m[3], pointers[i]);
	}
	/* Next to the last two stand ULPDU octets. */
	CU_ASSERT_EQUAL(wire[511], 0xee);
	CU_ASSERT_EQUAL(wire[516], 0xee);
}

static void pad_fills_up_to_four(void)
{
	for (unsigned length = 0; length <= 65535; length++) {
		uint8_t pad = fpdu_pad((uint16_t)length);
		CU_ASSERT_TRUE(pad <= 3 && (length + 2 + pad) % 4 == 0);
	}
}

/*
 * The inserter: before every octet, is the stream at a multiple of 512? Its
 * only other knowledge is where ULPDU_Length starts. Returns the octets.
 */
static size_t insert(uint8_t *out, const uint8_t *plain, size_t n,
		     uint32_t offset)
{
	size_t at = 0, length_at = 0;

	for (size_t i = 0; i < n; i++) {
		if ((uint32_t)(offset + at) % 512 == 0) {
			size_t pointer = i == 0 ? 0 : at - length_at;
			out[at++] = 0;
			out[at++] = 0;
			out[at++] = (uint8_t)(pointer >> 8);
			out[at++] = (uint8_t)pointer;
		}
		if (i == 0)
			length_at = at;
		out[at++] = plain[i];
	}
	return at;
}

/* Encode and decode one FPDU, each against the inserter. */
static void against_the_inserter(uint16_t length, uint32_t offset)
{
	static uint8_t plain[65536 + 16], expected[FPDU_OCTETS_MAX];
	struct chance c = {length};
	struct fpdu f;
	size_t n = 0, used;

	plain[n++] = (uint8_t)(length >> 8);
	plain[n++] = (uint8_t)length;
	draw_octets(&c, plain + n, length);
	n += length;
	while (n % 4 != 0)
		plain[n++] = 0;
	memset(plain + n, 0, 4);
	n = insert(expected, plain, n + 4, offset);

	CU_ASSERT_EQUAL_FATAL(fpdu_octets(length, true, offset), n);
	fpdu_init(&f, plain + 2, length, true, offset);
	CU_ASSERT_EQUAL_FATAL(fpdu_encode(&f, wire, n), n);
	CU_ASSERT_EQUAL_FATAL(memcmp(wire, expected, n), 0);

	CU_ASSERT_EQUAL_FATAL(
		fpdu_decode(&f, wire, n, true, offset, room, length, &used),
		FPDU_OK);
	CU_ASSERT_EQUAL(used, n);
	CU_ASSERT_EQUAL(f.ulpdu_length, length);
	CU_ASSERT_EQUAL(memcmp(f.ulpdu, plain + 2, length), 0);
	CU_ASSERT_TRUE_FATAL(f.marker_count <= FPDU_MARKERS_MAX);
	CU_ASSERT_EQUAL(f.marker_count,
			fpdu_marker_count(length, true, offset));
	for (unsigned i = 0; i < f.marker_count; i++) {
		size_t at = fpdu_marker_at(i, true, offset);
		CU_ASSERT_EQUAL((uint32_t)(offset + at) % 512, 0);
		CU_ASSERT_EQUAL(f.marker[i].fpduptr,
				fpdu_marker_pointer(i, offset));
	}
}

static void every_phase_and_length(void)
{
	for (uint32_t offset = 0; offset < 512; offset += 4) {
		for (unsigned length = 0; length < 600; length++)
			against_the_inserter((uint16_t)length, offset);
		against_the_inserter((uint16_t)(1000 + offset), offset);
	}
}

static void the_longest_in_every_phase(void)
{
	for (uint32_t offset = 0; offset < 512; offset += 4) {
		against_the_inserter(FPDU_ULPDU_MAX, offset);
		against_the_inserter(65535, offset);
	}
}

/* 2^32 is a multiple of 512: the phase continues over the wrap. */
static void offsets_wrap(void)
{
	for (uint32_t back = 4; back <= 1024; back += 4) {
		for (unsigned length = 14; length < 1500; length += 53)
			against_the_inserter((uint16_t)length, -back);
	}
	CU_ASSERT_EQUAL(fpdu_marker_at(0, true, 0xfffffffc), 4);
	CU_ASSERT_EQUAL(fpdu_marker_pointer(0, 0xfffffffc), 4);
	CU_ASSERT_EQUAL(fpdu_marker_at(0, true, 0xfffffe00), 0);
	CU_ASSERT_EQUAL(fpdu_marker_at(1, true, 0xfffffe00), 512);
}

/* No stream of FPDUs gets there, but a stream of rubbish does. */
static void offsets_off_the_grid(void)
{
	for (uint32_t offset = 0; offset < 512; offset++) {
		for (unsigned length = 0; length < 1100; length += 37)
			against_the_inserter((uint16_t)length, offset);
	}
}

static void markers_never_split_a_field(void)
{
	for (uint32_t offset = 0; offset < 512; offset += 4) {
		for (uint16_t length = 1; length < 1200; length++) {
			size_t n = fpdu_octets(length, true, offset);
			unsigned k = fpdu_marker_count(length, true, offset);
			for (unsigned i = 0; i < k; i++) {
				size_t at = fpdu_marker_at(i, true, offset);
				CU_ASSERT_TRUE(at % 4 == 0 && at + 8 <= n);
			}
		}
	}
}

static void every_prefix_asks_for_more(void)
{
	static const struct {
		uint16_t length;
		bool markers;
		uint32_t offset;
	} rows[] = {
		{23, false, 0},  {0, false, 0},   {70, true, 0},
		{70, true, 440}, {25, true, 484}, {1014, true, 512},
		{70, true, 511}, {70, true, 509}, {1442, true, 0xffffff00},
	};

	for (size_t r = 0; r < UNIT_COUNT(rows); r++) {
		struct fpdu f;
		size_t used, last = 0;
		memset(room, 0x5a, sizeof(room));
		fpdu_init(&f, room, rows[r].length, rows[r].markers,
			  rows[r].offset);
		size_t total = fpdu_encode(&f, wire, sizeof(wire));
		for (size_t n = 0; n < total; n++) {
			uint8_t *prefix = exact_copy(wire, n);
			CU_ASSERT_EQUAL(fpdu_decode(&f, prefix, n,
						    rows[r].markers,
						    rows[r].offset, again,
						    sizeof(again), &used),
					FPDU_MORE);
			CU_ASSERT_TRUE(used > n && used <= total);
			CU_ASSERT_TRUE(used >= last);
			last = used;
			free(prefix);
		}
		CU_ASSERT_EQUAL(last, total);
		/* The octets after an FPDU do not belong to it. */
		CU_ASSERT_EQUAL(fpdu_decode(&f, wire, total + 9,
					    rows[r].markers, rows[r].offset,
					    again, sizeof(again), &used),
				FPDU_OK);
		CU_ASSERT_EQUAL(used, total);
	}
}

static void wrong_fields_come_back(void)
{
	size_t n, used;
	struct fpdu f;

	memset(room, 0x33, sizeof(room));
	fpdu_init(&f, room, 1025, true, 512);
	CU_ASSERT_EQUAL_FATAL(f.marker_count, 3);
	f.marker[0].fpduptr = 0x0203;
	f.marker[1].reserved = 0xffff;
	f.marker[2].fpduptr = 0x03fe;
	f.pad[0] = 0xbd;
	memset(f.crc, 0xcc, 4);
	n = fpdu_encode(&f, wire, sizeof(wire));
	CU_ASSERT_EQUAL_FATAL(n, fpdu_octets(1025, true, 512));

	struct fpdu g;
	CU_ASSERT_EQUAL_FATAL(fpdu_decode(&g, wire, n, true, 512, again,
					  sizeof(again), &used),
			      FPDU_OK);
	CU_ASSERT_EQUAL(g.marker[0].fpduptr, 0x0203);
	CU_ASSERT_EQUAL(g.marker[1].reserved, 0xffff);
	CU_ASSERT_EQUAL(g.marker[1].fpduptr, 0x01fc);
	CU_ASSERT_EQUAL(g.marker[2].fpduptr, 0x03fe);
	CU_ASSERT_EQUAL(g.pad_octets, 1);
	CU_ASSERT_EQUAL(g.pad[0], 0xbd);
	CU_ASSERT_EQUAL(memcmp(g.crc, f.crc, 4), 0);
}

static void faults_the_encoder_can_make(void)
{
	struct fpdu f;

	/* The last marker left out. */
	fpdu_init(&f, room, 1014, true, 512);
	f.marker_count = 2;
	CU_ASSERT_EQUAL(fpdu_encode(&f, wire, sizeof(wire)), 1028);
	/* No marker at all, although the peer expects them. */
	f.marker_count = 0;
	CU_ASSERT_EQUAL(fpdu_encode(&f, wire, sizeof(wire)), 1020);
	/* One pad octet too few. */
	fpdu_init(&f, room, 23, false, 0);
	f.pad_octets = 2;
	CU_ASSERT_EQUAL(fpdu_encode(&f, wire, sizeof(wire)), 31);
}

static void a_short_cap_writes_no_fpdu(void)
{
	struct fpdu f;

	for (unsigned markers = 0; markers < 2; markers++) {
		fpdu_init(&f, room, 600, markers, 0);
		size_t n = fpdu_octets(600, markers, 0);
		for (size_t cap = 0; cap < n; cap++) {
			uint8_t *out = exact_copy(wire, cap);
			CU_ASSERT_EQUAL(fpdu_encode(&f, out, cap), 0);
			free(out);
		}
		CU_ASSERT_EQUAL(fpdu_encode(&f, wire, n), n);
	}
}

/* Whatever frames comes back octet for octet. */
static void random_octets_come_back(void)
{
	struct chance c = {5044};
	unsigned whole = 0;

	for (unsigned i = 0; i < 20000; i++) {
		size_t n = 8 + draw(&c) % 3000, used;
		bool markers = draw(&c) & 1;
		uint32_t offset = draw(&c);
		struct fpdu f;
		if (draw(&c) % 8 != 0)
			offset &= ~(uint32_t)3;
		draw_octets(&c, wire, n);
		/* Wherever the length is: most are short enough to frame. */
		for (unsigned k = 0; k < 6; k++)
			wire[k] &= i % 4 ? 0x07 : 0xff;
		if (fpdu_decode(&f, wire, n, markers, offset, room,
				sizeof(room), &used) != FPDU_OK) {
			CU_ASSERT_TRUE(used > n);
			continue;
		}
		whole++;
		CU_ASSERT_TRUE_FATAL(used <= n);
		CU_ASSERT_EQUAL(fpdu_encode(&f, again, used), used);
		CU_ASSERT_EQUAL(memcmp(wire, again, used), 0);
	}
	CU_ASSERT_TRUE(whole > 5000);
}

static void mulpdu_of_an_emss(void)
{
	static const struct {
		uint32_t emss, without, with;
	} rows[] = {
		{512, 506, 502},
		{536, 530, 522},
		{1448, 1442, 1430},
		{1460, 1454, 1442},
		{8948, 8942, 8870},
		{8960, 8954, 8882},
		{0, 128, 128},
		{127, 128, 128},
		{136, 130, 128},
		{65535, 64768, 64768},
		{0xffffffff, 64768, 64768},
	};

	for (size_t i = 0; i < UNIT_COUNT(rows); i++) {
		CU_ASSERT_EQUAL(fpdu_mulpdu(rows[i].emss, false),
				rows[i].without);
		CU_ASSERT_EQUAL(fpdu_mulpdu(rows[i].emss, true), rows[i].with);
	}
}

/* What MULPDU is for: wherever it starts, the FPDU fits one segment. */
static void a_mulpdu_fits_its_emss(void)
{
	for (uint32_t emss = 140; emss <= 9000; emss++) {
		uint16_t with = (uint16_t)fpdu_mulpdu(emss, true);
		uint16_t without = (uint16_t)fpdu_mulpdu(emss, false);
		CU_ASSERT_TRUE(fpdu_octets(without, false, 0) <= emss);
		for (uint32_t offset = 0; offset < 512; offset += 4)
			CU_ASSERT_TRUE(fpdu_octets(with, true, offset) <= emss);
	}
}

static const struct unit_test tests[] = {
	{"examples_by_hand", examples_by_hand},
	{"three_markers", three_markers},
	{"pad_fills_up_to_four", pad_fills_up_to_four},
	{"every_phase_and_length", every_phase_and_length},
	{"the_longest_in_every_phase", the_longest_in_every_phase},
	{"offsets_wrap", offsets_wrap},
	{"offsets_off_the_grid", offsets_off_the_grid},
	{"markers_never_split_a_field", markers_never_split_a_field},
	{"every_prefix_asks_for_more", every_prefix_asks_for_more},
	{"wrong_fields_come_back", wrong_fields_come_back},
	{"faults_the_encoder_can_make", faults_the_encoder_can_make},
	{"a_short_cap_writes_no_fpdu", a_short_cap_writes_no_fpdu},
	{"random_octets_come_back", random_octets_come_back},
	{"mulpdu_of_an_emss", mulpdu_of_an_emss},
	{"a_mulpdu_fits_its_emss", a_mulpdu_fits_its_emss},
};

int main(void)
{
	return unit_run("fpdu", tests, UNIT_COUNT(tests));
}
