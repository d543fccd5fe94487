/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vectors that are not frames: atomic results, MULPDU, CRCs. The rule for
 * atomics is written here a second time, independent of the golden model, bit
 * by bit as in RFC 7306 s5.1, so that a wrong number in a vector is found
 * before the model is blamed for it.
 */
#include <string.h>

#include "harness/crc/crc.h"
#include "vectors/tool/check.h"

/* RFC 7306 s5.1.1: ripple addition; a mask bit stops the carry above it. */
static uint64_t fetch_add(uint64_t old, uint64_t data, uint64_t mask)
{
	uint64_t result = 0;
	unsigned carry = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned sum = carry + (unsigned)(old >> bit & 1) +
			       (unsigned)(data >> bit & 1);

		result |= (uint64_t)(sum & 1) << bit;
		carry = mask >> bit & 1 ? 0 : sum >> 1;
	}
	return result;
}

/* RFC 7306 s5.1.2, one bit at a time: compared under the mask, then
 * replaced. */
static uint64_t cmp_swap(uint64_t old, uint64_t data, uint64_t mask,
			 uint64_t compare, uint64_t compare_mask)
{
	uint64_t result = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (compare_mask >> bit & 1 &&
		    (compare >> bit & 1) != (old >> bit & 1))
			return old;
	for (unsigned bit = 0; bit < 64; bit++)
		result |= ((mask >> bit & 1 ? data : old) >> bit & 1) << bit;
	return result;
}

bool vec_atomic_result(uint8_t aopcode, uint64_t old, uint64_t data,
		       uint64_t mask, uint64_t compare, uint64_t compare_mask,
		       uint64_t *result)
{
	switch (aopcode) {
	case RDMAP_FETCHADD:
		*result = fetch_add(old, data, mask);
		return true;
	case RDMAP_SWAP:
		/* Drafts up to -03 s5.1: unconditional, mask ignored. */
		*result = data;
		return true;
	case RDMAP_CMPSWAP:
		*result = cmp_swap(old, data, mask, compare, compare_mask);
		return true;
	default:
		return false;
	}
}

static uint64_t stated(const struct vec *v, const char *name,
		       struct vec_tally *tally)
{
	const char *text = vec_stated(v, name);
	uint64_t n = 0;

	tally->checks++;
	if (!text || !vec_number(text, &n))
		vec_fail(v, tally, "states no number '%s'", name);
	return n;
}

/* The eight octets in a little-endian host's memory, where stated. */
static void check_memory(const struct vec *v, const char *name, uint64_t value,
			 struct vec_tally *tally)
{
	const char *text = vec_stated(v, name);
	uint8_t is[8];

	if (!text)
		return;
	tally->checks++;
	if (vec_octets(text, is, sizeof(is)) != 8) {
		vec_fail(v, tally, "'%s' is not eight octets", name);
		return;
	}
	for (unsigned i = 0; i < 8; i++)
		if (is[i] != (uint8_t)(value >> 8 * i)) {
			vec_fail(v, tally, "%s: octet %u is not %02x", name, i,
				 (uint8_t)(value >> 8 * i));
			return;
		}
}

void vec_check_atomic(const struct vec *v, struct vec_tally *tally)
{
	uint8_t aopcode = (uint8_t)stated(v, "aopcode", tally);
	uint64_t old = stated(v, "old", tally);
	uint64_t new = stated(v, "new", tally), result = 0;
	uint64_t compare = stated(v, "compare", tally);
	uint64_t compare_mask = stated(v, "compare_mask", tally);

	if (!vec_atomic_result(aopcode, old, stated(v, "data", tally),
			       stated(v, "mask", tally), compare, compare_mask,
			       &result))
		vec_fail(v, tally, "unknown aopcode");
	else if (result != new)
		vec_fail(v, tally, "result is 0x%016llx, stated 0x%016llx",
			 (unsigned long long)result, (unsigned long long)new);
	/* Unused operands have the value with which they are sent. */
	if (aopcode != RDMAP_CMPSWAP && (compare || compare_mask != UINT64_MAX))
		vec_fail(v, tally, "compare operands of an operation without");
	check_memory(v, "before_le", old, tally);
	check_memory(v, "after_le", new, tally);
}

void vec_check_mulpdu(const struct vec *v, struct vec_tally *tally)
{
	uint64_t emss = stated(v, "emss", tally);
	uint64_t want = stated(v, "mulpdu", tally);
	uint32_t is = fpdu_mulpdu((uint32_t)emss, v->markers);

	if (is != want)
		vec_fail(v, tally, "MULPDU is %u, stated %llu", is,
			 (unsigned long long)want);
}

void vec_check_crc(const struct vec *v, struct vec_tally *tally)
{
	const char *wire = vec_stated(v, "wire");
	uint64_t want = stated(v, "value", tally);
	uint8_t is[4], made[4];
	uint32_t crc = crc32c(v->octets, v->n);

	if (crc != want)
		vec_fail(v, tally, "CRC32c is 0x%08x, stated 0x%08llx", crc,
			 (unsigned long long)want);
	crc_put(made, crc);
	if (!wire || vec_octets(wire, is, sizeof(is)) != 4)
		vec_fail(v, tally, "'wire' is not four octets");
	else if (memcmp(is, made, 4) != 0 || crc_get(is) != crc)
		vec_fail(v, tally, "on the wire it is %02x %02x %02x %02x",
			 made[0], made[1], made[2], made[3]);
	for (size_t bit = 0; bit < v->n * 8; bit++) {
		v->octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		tally->flips++;
		if (crc32c(v->octets, v->n) == crc)
			vec_fail(v, tally, "bit %zu flipped: CRC blind", bit);
		v->octets[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	}
}
