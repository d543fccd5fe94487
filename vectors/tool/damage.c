/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every truncation and every single-bit flip of a vector. The truncated octets
 * are copied into a block of exactly their size, so that a sanitizer detects a
 * read past the end. Vectors above WHOLE_OCTETS are damaged at their first and
 * last EDGE octets and at every STRIDE-th between, not everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "vectors/tool/check.h"

#define WHOLE_OCTETS 4096
#define EDGE         96
#define STRIDE       997

static bool chosen(size_t i, size_t n)
{
	return n <= WHOLE_OCTETS || i < EDGE || i + EDGE >= n ||
	       i % STRIDE == 0;
}

static uint8_t *exact(const uint8_t *octets, size_t n)
{
	/* malloc(0) may be NULL; one octet more would hide an overrun. */
	uint8_t *p = malloc(n ? n : 1);

	if (p && n)
		memcpy(p, octets, n);
	return p;
}

/* ---- startup frames --------------------------------------------------- */

static bool startup_same(const uint8_t *p, size_t n, uint8_t *out)
{
	struct mpa_startup s;

	return mpa_startup_decode(&s, p, n) &&
	       mpa_startup_encode(&s, out, VEC_ROOM) == n &&
	       memcmp(out, p, n) == 0;
}

static void cut_startup(const struct vec *v, size_t n, uint8_t *out,
			struct vec_tally *tally)
{
	uint8_t *p = exact(v->octets, n);
	size_t need = MPA_HEADER_OCTETS;
	struct mpa_startup s;

	if (!p)
		return;
	tally->truncations++;
	if (n >= MPA_HEADER_OCTETS)
		need += (size_t)(v->octets[18] << 8 | v->octets[19]);
	if (mpa_startup_octets(p, n) != need)
		vec_fail(v, tally, "cut to %zu octets: %zu wanted, not %zu", n,
			 mpa_startup_octets(p, n), need);
	if (n < MPA_HEADER_OCTETS ? mpa_startup_decode(&s, p, n)
				  : !startup_same(p, n, out))
		vec_fail(v, tally, "cut to %zu octets: decoded wrongly", n);
	free(p);
}

static void flip_startup(const struct vec *v, size_t bit, uint8_t *p,
			 uint8_t *out, struct vec_tally *tally)
{
	struct mpa_startup s;

	tally->flips++;
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	if (!startup_same(p, v->n, out))
		vec_fail(v, tally, "bit %zu of octet %zu flipped: not kept",
			 bit % 8, bit / 8);
	/* The two keys differ in one bit: 71 and 70. */
	mpa_startup_decode(&s, p, v->n);
	if (bit / 8 < MPA_KEY_OCTETS && memcmp(s.key, v->octets, 16) == 0)
		vec_fail(v, tally, "a flip in the key is not seen");
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
}

void vec_check_startup_damaged(const struct vec *v, struct vec_tally *tally)
{
	uint8_t *p = exact(v->octets, v->n), *out = malloc(VEC_ROOM);

	for (size_t n = 0; p && out && n < v->n; n++)
		cut_startup(v, n, out, tally);
	for (size_t bit = 0; p && out && bit < v->n * 8; bit++)
		flip_startup(v, bit, p, out, tally);
	free(p);
	free(out);
}

/* ---- truncated FPDUs -------------------------------------------------- */

static size_t header_octets(enum vec_header header)
{
	switch (header) {
	case VEC_READ_REQUEST:
		return RDMAP_READ_REQUEST_OCTETS;
	case VEC_TERMINATE:
		return RDMAP_TERMINATE_OCTETS;
	case VEC_IMM:
		return RDMAP_IMM_OCTETS;
	case VEC_ATOMIC_REQUEST:
		return RDMAP_ATOMIC_REQUEST_OCTETS;
	case VEC_ATOMIC_RESPONSE:
		return RDMAP_ATOMIC_RESPONSE_OCTETS;
	case VEC_NO_HEADER:
		break;
	}
	return 0;
}

/* A ULPDU that ends too early: kept octet by octet, and seen to be short. */
static void cut_ulpdu(const struct vec *v, const uint8_t *ulpdu, size_t n,
		      struct vec_frame *f, uint8_t *out,
		      struct vec_tally *tally)
{
	uint8_t *p = exact(ulpdu, n);
	size_t need = 2, made;

	if (!p)
		return;
	tally->truncations++;
	ddp_decode(&f->seg, p, n);
	if (n > 0)
		need = ddp_header_octets(f->seg.ddp.tagged);
	if (f->seg.short_header != (n < need))
		vec_fail(v, tally, "ULPDU cut to %zu: short_header is %d", n,
			 f->seg.short_header);
	made = ddp_encode(&f->seg, out, VEC_ROOM);
	if (made != n || memcmp(out, p, n) != 0)
		vec_fail(v, tally, "ULPDU cut to %zu: not kept", n);
	vec_header_decode(f, f->seg.payload, f->seg.payload_octets);
	if (f->header_short !=
	    (f->seg.payload_octets < header_octets(f->header)))
		vec_fail(v, tally, "ULPDU cut to %zu: header_short is %d", n,
			 f->header_short);
	made = vec_header_encode(f, out, VEC_ROOM);
	if (f->header != VEC_NO_HEADER && !f->header_short &&
	    (made != f->seg.payload_octets ||
	     memcmp(out, f->seg.payload, made) != 0))
		vec_fail(v, tally, "ULPDU cut to %zu: header not kept", n);
	free(p);
}

/* The first n octets of an FPDU that needs `whole`. */
static void cut_fpdu(const struct vec *v, size_t at, size_t n, size_t whole,
		     struct vec_frame *f, struct vec_tally *tally)
{
	uint8_t *p = exact(v->octets + at, n);

	if (!p)
		return;
	tally->truncations++;
	if (vec_frame_decode(f, p, n, v->markers, v->offset + (uint32_t)at) !=
	    FPDU_MORE)
		vec_fail(v, tally, "octet %zu, cut to %zu: taken as whole", at,
			 n);
	else if (f->used <= n || f->used > whole)
		vec_fail(v, tally,
			 "octet %zu, cut to %zu: asks for %zu, whole is %zu",
			 at, n, f->used, whole);
	free(p);
}

void vec_check_truncations(const struct vec *v, struct vec_frame *f,
			   struct vec_tally *tally)
{
	uint8_t *ulpdu = malloc(VEC_ROOM), *out = malloc(VEC_ROOM);
	size_t at = 0, whole, length;

	while (ulpdu && out && at < v->n) {
		if (vec_frame_decode(f, v->octets + at, v->n - at, v->markers,
				     v->offset + (uint32_t)at) != FPDU_OK)
			break;
		whole = f->used;
		length = f->fpdu.ulpdu_length;
		memcpy(ulpdu, f->fpdu.ulpdu, length);
		for (size_t n = 0; n < whole; n++)
			if (chosen(n, whole))
				cut_fpdu(v, at, n, whole, f, tally);
		for (size_t n = 0; n <= length; n++)
			if (chosen(n, length))
				cut_ulpdu(v, ulpdu, n, f, out, tally);
		at += whole;
	}
	free(ulpdu);
	free(out);
}

/* ---- flipped bits ----------------------------------------------------- */

/* The original FPDU: its place, and whether its CRC was correct. */
struct place {
	size_t at, whole;
	bool crc;
};

static bool crc_right(const uint8_t *p, size_t n)
{
	return crc32c(p, n - FPDU_CRC_OCTETS) ==
	       crc_get(p + n - FPDU_CRC_OCTETS);
}

static void flip_fpdu(const struct vec *v, const struct place *fpdu,
		      uint8_t *octets, size_t bit, struct vec_frame *f,
		      uint8_t *out, struct vec_tally *tally)
{
	uint8_t *p = octets + fpdu->at;
	size_t n;

	tally->flips++;
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	if (vec_frame_decode(f, p, v->n - fpdu->at, v->markers,
			     v->offset + (uint32_t)fpdu->at) == FPDU_OK) {
		n = vec_frame_encode(f, out, VEC_ROOM);
		if (n != f->used || memcmp(out, p, n) != 0)
			vec_fail(v, tally,
				 "octet %zu, bit %zu flipped: not kept",
				 fpdu->at + bit / 8, bit % 8);
		/* Also if the flip changed ULPDU_Length, so that the CRC field
		 * is read elsewhere. */
		if (fpdu->crc && crc_right(p, f->used))
			vec_fail(v, tally,
				 "octet %zu, bit %zu flipped: the CRC agrees",
				 fpdu->at + bit / 8, bit % 8);
	}
	if (fpdu->crc && crc_right(p, fpdu->whole))
		vec_fail(v, tally, "octet %zu, bit %zu flipped: CRC blind",
			 fpdu->at + bit / 8, bit % 8);
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
}

void vec_check_flips(const struct vec *v, struct vec_frame *f,
		     struct vec_tally *tally)
{
	uint8_t *octets = exact(v->octets, v->n), *out = malloc(VEC_ROOM);
	struct place fpdu = {.at = 0};

	while (octets && out && fpdu.at < v->n) {
		if (vec_frame_decode(f, octets + fpdu.at, v->n - fpdu.at,
				     v->markers,
				     v->offset + (uint32_t)fpdu.at) != FPDU_OK)
			break;
		fpdu.whole = f->used;
		fpdu.crc = v->crc && crc_right(octets + fpdu.at, fpdu.whole);
		for (size_t bit = 0; bit < fpdu.whole * 8; bit++)
			if (chosen(bit / 8, fpdu.whole))
				flip_fpdu(v, &fpdu, octets, bit, f, out, tally);
		fpdu.at += fpdu.whole;
	}
	free(octets);
	free(out);
}

/* ---- SCTP chunks ------------------------------------------------------ */

/* A chunk that ends too early is detected; if only its padding is missing, it
 * is complete, and kept. */
static void cut_chunk(const struct vec *v, size_t n, struct vec_chunk *c,
		      uint8_t *out, struct vec_tally *tally)
{
	uint8_t *p = exact(v->octets, n);
	size_t length = (size_t)(v->octets[2] << 8 | v->octets[3]);
	bool whole = n >= length;

	if (!p)
		return;
	tally->truncations++;
	if (vec_chunk_decode(c, p, n) != whole)
		vec_fail(v, tally, "cut to %zu octets: %s", n,
			 whole ? "not taken" : "taken as whole");
	else if (whole && (vec_chunk_encode(c, out, VEC_ROOM) != n ||
			   memcmp(out, p, n) != 0))
		vec_fail(v, tally, "cut to %zu octets: not kept", n);
	free(p);
}

static void flip_chunk(const struct vec *v, size_t bit, uint8_t *p,
		       struct vec_chunk *c, uint8_t *out,
		       struct vec_tally *tally)
{
	tally->flips++;
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	/* Another type has fields of its own. */
	if (vec_chunk_decode(c, p, v->n) &&
	    (vec_chunk_encode(c, out, VEC_ROOM) != v->n ||
	     memcmp(out, p, v->n) != 0))
		vec_fail(v, tally, "bit %zu of octet %zu flipped: not kept",
			 bit % 8, bit / 8);
	p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
}

void vec_check_chunk_damaged(const struct vec *v, struct vec_chunk *c,
			     struct vec_tally *tally)
{
	uint8_t *p = exact(v->octets, v->n), *out = malloc(VEC_ROOM);

	for (size_t n = 0; p && out && n < v->n; n++)
		cut_chunk(v, n, c, out, tally);
	for (size_t bit = 0; p && out && bit < v->n * 8; bit++)
		flip_chunk(v, bit, p, c, out, tally);
	free(p);
	free(out);
}
