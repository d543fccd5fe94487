/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What computes a CRC32c. Private to harness/crc. Every function takes any
 * length from 0 to INT_MAX, is stateless and may be called from any thread.
 */
#ifndef HARNESS_CRC_PROVIDER_H
#define HARNESS_CRC_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crc_provider {
	const char *name;
	/* The finished CRC32c of n octets. */
	uint32_t (*crc32c)(const uint8_t *octets, size_t n);
};

extern const struct crc_provider crc_isal;
extern const struct crc_provider crc_openssl;

/* Some octets could not be allocated: results returned since are not valid. */
extern bool crc_openssl_is_short;

/*
 * Check two providers against the published vectors and against each other.
 * NULL if all is well, else one line about what is wrong (static).
 */
const char *crc_check(const struct crc_provider *a,
		      const struct crc_provider *b);

#endif
