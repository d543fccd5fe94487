/* SPDX-License-Identifier: BSD-2-Clause */
/* FPDUs from octets: in pieces, after missing octets, and out of their
 * framing. */
#include "suite/audit/octets.h"

#include <string.h>

#include "harness/crc/crc.h"
#include "harness/unit.h"
#include "harness/wire/rdmap.h"

enum { FPDUS = 8, LONG = 40 };

static uint8_t stream[4096];
static size_t at[FPDUS + 1];            /* where each begins */
static unsigned seen[64], wrong, count; /* MSNs */

static void took(void *user, const struct fpdu *f,
		 const struct ddp_segment *seg, const uint8_t *crc,
		 const uint8_t *octets, size_t n)
{
	(void)user;
	(void)f;
	CU_ASSERT(octets && n);
	seen[count++ % 64] = seg->ddp.msn;
	wrong += crc != NULL;
}

static void make(bool markers)
{
	static const uint8_t payload[LONG + FPDUS];
	uint8_t ulpdu[128];
	struct fpdu f;

	at[0] = count = wrong = 0;
	for (unsigned i = 0; i < FPDUS; i++) {
		struct ddp_segment s = {.ddp = {.last = true,
						.dv = 1,
						.rv = 1,
						.opcode = RDMAP_SEND,
						.msn = i + 1},
					.payload = payload,
					.payload_octets = LONG + i};
		size_t n = ddp_encode(&s, ulpdu, sizeof(ulpdu));

		fpdu_init(&f, ulpdu, (uint16_t)n, markers, (uint32_t)at[i]);
		n = fpdu_encode(&f, stream + at[i], sizeof(stream) - at[i]);
		crc_put(stream + at[i] + n - 4, crc32c(stream + at[i], n - 4));
		at[i + 1] = at[i] + n;
	}
}

static void give(struct octets *o, size_t from, size_t to)
{
	octets_take(o, stream + from, to - from, took, NULL);
}

static void sees(struct octets *o, unsigned first, unsigned n)
{
	CU_ASSERT_EQUAL(count, n);
	for (unsigned i = 0; i < n; i++)
		CU_ASSERT_EQUAL(seen[i], first + i);
	octets_free(o);
}

static void in_pieces(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(true);
	octets_begin(&o, true, true);
	for (size_t i = 0; i < at[FPDUS]; i++)
		give(&o, i, i + 1);
	CU_ASSERT_EQUAL(wrong, 0);
	sees(&o, 1, FPDUS);
}

/* Its length is known, and therefore the start of the next one. */
static void a_gap_inside(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(false);
	octets_begin(&o, true, false);
	give(&o, 0, at[0] + 20);
	octets_gap(&o, 8);
	CU_ASSERT_EQUAL(o.state, OCTETS_SKIP);
	give(&o, 28, at[FPDUS]);
	CU_ASSERT_EQUAL(o.passed, 0);
	sees(&o, 2, FPDUS - 1);
}

static void a_gap_over_a_header(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(true);
	octets_begin(&o, true, true);
	give(&o, 0, at[1] + 1);
	octets_gap(&o, at[2] + 5 - at[1] - 1);
	CU_ASSERT_EQUAL(o.state, OCTETS_SEARCH);
	give(&o, at[2] + 5, at[FPDUS]);
	CU_ASSERT_EQUAL(count, FPDUS - 2);
	CU_ASSERT_EQUAL(seen[1], 4);
	CU_ASSERT_EQUAL(wrong, 0);
	octets_free(&o);
}

static void without_its_start(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(false);
	octets_begin_midway(&o, true);
	give(&o, 11, at[FPDUS]);
	sees(&o, 2, FPDUS - 1);
	/* An FPDU whose CRC does not match there is not one. */
	make(false);
	octets_begin_midway(&o, true);
	stream[at[3] + 25] ^= 1;
	give(&o, 0, at[FPDUS]);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(count, FPDUS - 1);
	octets_free(&o);
}

static void a_wrong_crc(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(false);
	octets_begin(&o, true, false);
	stream[at[3] + 25] ^= 1;
	give(&o, 0, at[FPDUS]);
	CU_ASSERT_EQUAL(wrong, 1);
	sees(&o, 1, FPDUS);
}

/* A length that is not its own: one FPDU is wrong, and nothing follows. */
static void a_wrong_length(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(false);
	octets_begin(&o, true, false);
	stream[at[3] + 1] += 4;
	give(&o, 0, at[FPDUS]);
	CU_ASSERT_EQUAL(wrong, 1);
	CU_ASSERT_EQUAL(o.state, OCTETS_LOST);
	sees(&o, 1, 4);
}

/* After a gap the same octets are not an FPDU, and nobody is accused. */
static void a_wrong_length_behind_a_gap(void)
{
	struct octets o = {.state = OCTETS_LOST};

	make(false);
	octets_begin(&o, true, false);
	stream[1] += 4;
	give(&o, 0, at[0] + 20);
	octets_gap(&o, 8);
	give(&o, 28, at[FPDUS]);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(count >= FPDUS - 2);
	octets_free(&o);
}

static void no_fpdus_at_all(void)
{
	struct octets o = {.state = OCTETS_LOST};
	uint8_t noise[8192];
	uint32_t state = 7;

	count = 0;
	octets_begin_midway(&o, true);
	for (unsigned i = 0; i < 64; i++) {
		for (size_t k = 0; k < sizeof(noise); k++)
			noise[k] = (uint8_t)((state = state * 1103515245u +
						      12345) >>
					     16);
		octets_take(&o, noise, sizeof(noise), took, NULL);
		CU_ASSERT(o.n < (1u << 18));
	}
	CU_ASSERT_EQUAL(count, 0);
	octets_free(&o);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"in pieces", in_pieces},
		{"a gap inside", a_gap_inside},
		{"a gap over a header", a_gap_over_a_header},
		{"without its start", without_its_start},
		{"a wrong CRC", a_wrong_crc},
		{"a wrong length", a_wrong_length},
		{"a wrong length behind a gap", a_wrong_length_behind_a_gap},
		{"no FPDUs at all", no_fpdus_at_all},
	};
	const char *fault;

	return crc_init(&fault) < 0 ||
	       unit_run("octets", tests, UNIT_COUNT(tests));
}
