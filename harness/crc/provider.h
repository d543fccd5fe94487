/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of a CRC32c provider. Private to harness/crc. Every function
 * accepts any length from 0 to INT_MAX, is stateless, and may be called from
 * any thread.
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

/* Memory ran out: results that were returned since then are not valid. */
extern bool crc_openssl_is_short;

/*
 * Check two providers against the published vectors and against each other.
 * Returns NULL, or one line about the error (static).
 */
const char *crc_check(const struct crc_provider *a,
		      const struct crc_provider *b);

#endif
