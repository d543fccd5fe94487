/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC32c by OpenSSL's arithmetic over GF(2): the fallback and the referee.
 *
 * RFC 5044 s4.4 takes the iSCSI digest: the octets, each with its least
 * significant bit first, are the coefficients of a polynomial; it is
 * multiplied by x^32, its first 32 coefficients are inverted, and the CRC is
 * the inverted remainder by the generator. Nothing here is a CRC algorithm:
 * the definition is computed as it is written.
 */
#include "harness/crc/provider.h"

#include <string.h>

#include <openssl/bn.h>

#define REMAINDER_OCTETS 4
#define CHUNK_OCTETS     4096

/* The exponents of 0x11edc6f41, highest first, as BN_GF2m_mod_arr asks. */
static const int generator[] = {32, 28, 27, 26, 25, 23, 22, 20, 19, 18,
				14, 13, 11, 10, 9,  8,  6,  0,  -1};

static uint8_t reflect(uint8_t v)
{
	v = (uint8_t)((v & 0x0f) << 4 | (v & 0xf0) >> 4);
	v = (uint8_t)((v & 0x33) << 2 | (v & 0xcc) >> 2);
	return (uint8_t)((v & 0x55) << 1 | (v & 0xaa) >> 1);
}

bool crc_openssl_is_short;

/*
 * Replace the running remainder by that of (remainder + octets * x^32),
 * where the remainder is lined up with the first octets. A remainder of all
 * ones to begin with is the inversion of the first 32 coefficients.
 */
static void divide(uint8_t remainder[REMAINDER_OCTETS], const uint8_t *octets,
		   size_t n)
{
	uint8_t dividend[CHUNK_OCTETS + REMAINDER_OCTETS];

	for (size_t i = 0; i < n; i++)
		dividend[i] = reflect(octets[i]);
	memset(dividend + n, 0, REMAINDER_OCTETS);
	for (size_t i = 0; i < REMAINDER_OCTETS; i++)
		dividend[i] ^= remainder[i];

	BIGNUM *a = BN_bin2bn(dividend, (int)(n + REMAINDER_OCTETS), NULL);
	BIGNUM *r = BN_new();
	if (!a || !r || !BN_GF2m_mod_arr(r, a, generator) ||
	    BN_bn2binpad(r, remainder, REMAINDER_OCTETS) != REMAINDER_OCTETS)
		crc_openssl_is_short = true;
	BN_free(a);
	BN_free(r);
}

static uint32_t openssl_crc32c(const uint8_t *octets, size_t n)
{
	uint8_t remainder[REMAINDER_OCTETS] = {0xff, 0xff, 0xff, 0xff};

	for (; n > CHUNK_OCTETS; n -= CHUNK_OCTETS, octets += CHUNK_OCTETS)
		divide(remainder, octets, CHUNK_OCTETS);
	divide(remainder, octets, n);

	/* The remainder's first octet, reflected, is the least significant. */
	return ~((uint32_t)reflect(remainder[0]) |
		 (uint32_t)reflect(remainder[1]) << 8 |
		 (uint32_t)reflect(remainder[2]) << 16 |
		 (uint32_t)reflect(remainder[3]) << 24);
}

const struct crc_provider crc_openssl = {"openssl", openssl_crc32c};
