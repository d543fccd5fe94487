/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/crc/crc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/crc/provider.h"

#define PROBE_OCTETS 32
#define CRC_EXIT     4 /* an error of the suite */
/* Every residue of every word and block size a provider may work in. */
#define COMPARED_OCTETS 272

/* Octets first, first + step, ...: the patterns of RFC 3720 B.4. */
struct published {
	uint8_t first, step;
	uint32_t crc;
};

static const struct published published[] = {
	{0x00, 0x00, 0x8a9136aa},
	{0xff, 0x00, 0x62a8ab43},
	{0x00, 0x01, 0x46dd794e},
	{0x1f, 0xff, 0x113fdb5c},
};

static const struct crc_provider *const providers[] = {
	&crc_isal,
	&crc_openssl,
};

static const struct crc_provider *chosen;
static char reason[128];

static bool check_published(const struct crc_provider *p)
{
	static const char digits[] = "123456789";

	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		uint8_t octets[PROBE_OCTETS];
		for (size_t k = 0; k < PROBE_OCTETS; k++)
			octets[k] = (uint8_t)(published[i].first +
					      k * published[i].step);
		if (p->crc32c(octets, PROBE_OCTETS) != published[i].crc) {
			snprintf(reason, sizeof(reason),
				 "CRC32c by %s fails published vector %zu",
				 p->name, i + 1);
			return false;
		}
	}
	if (p->crc32c((const uint8_t *)digits, 9) != 0xe3069283) {
		snprintf(reason, sizeof(reason),
			 "CRC32c by %s fails on \"123456789\"", p->name);
		return false;
	}
	return true;
}

static bool check_agreement(const struct crc_provider *a,
			    const struct crc_provider *b)
{
	uint8_t octets[COMPARED_OCTETS];

	for (size_t i = 0; i < COMPARED_OCTETS; i++)
		octets[i] = (uint8_t)(i * 151 + (i >> 3) + 7);
	/* The start moves with the length: a provider may align itself. */
	for (size_t n = 0; n <= COMPARED_OCTETS; n++) {
		const uint8_t *at = octets + COMPARED_OCTETS - n;
		if (a->crc32c(at, n) != b->crc32c(at, n)) {
			snprintf(reason, sizeof(reason),
				 "CRC32c: %s and %s disagree over %zu octets",
				 a->name, b->name, n);
			return false;
		}
	}
	return true;
}

const char *crc_check(const struct crc_provider *a,
		      const struct crc_provider *b)
{
	if (check_published(a) && check_published(b) && check_agreement(a, b))
		return NULL;
	return reason;
}

static const struct crc_provider *choose(void)
{
	const char *name = getenv("WARPSPEC_CRC");

	if (!name || !*name)
		return &crc_isal;
	for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
		if (strcmp(name, providers[i]->name) == 0)
			return providers[i];
	}
	snprintf(reason, sizeof(reason),
		 "WARPSPEC_CRC=%.40s: the providers are isal and openssl",
		 name);
	return NULL;
}

int crc_init(const char **why)
{
	const struct crc_provider *p = choose();
	const char *wrong = p ? crc_check(&crc_isal, &crc_openssl) : reason;

	if (crc_openssl_is_short)
		wrong = "CRC32c: out of memory";
	if (wrong) {
		*why = wrong;
		return -1;
	}
	chosen = p;
	return 0;
}

const char *crc_provider(void)
{
	assert(chosen);
	return chosen->name;
}

uint32_t crc32c(const void *octets, size_t n)
{
	assert(chosen);
	uint32_t crc = chosen->crc32c(octets, n);

	if (crc_openssl_is_short) {
		/* There is no value to continue with; a worker is a process,
		 * too. */
		fprintf(stderr, "CRC32c: out of memory\n");
		_exit(CRC_EXIT);
	}
	return crc;
}

void crc_put(uint8_t wire[4], uint32_t crc)
{
	wire[0] = (uint8_t)crc;
	wire[1] = (uint8_t)(crc >> 8);
	wire[2] = (uint8_t)(crc >> 16);
	wire[3] = (uint8_t)(crc >> 24);
}

uint32_t crc_get(const uint8_t wire[4])
{
	return (uint32_t)wire[0] | (uint32_t)wire[1] << 8 |
	       (uint32_t)wire[2] << 16 | (uint32_t)wire[3] << 24;
}

int8_t crc_off(const uint8_t *octets, size_t n, size_t have)
{
	enum { CRC = 4, PAD_MOST = 3, TOO_LONG_MOST = 4 };

	for (int off = -PAD_MOST; off <= TOO_LONG_MOST; off++) {
		size_t end = n + (size_t)off; /* after the CRC */

		if (off && end <= have && end > 2 * CRC &&
		    crc_get(octets + end - CRC) == crc32c(octets, end - CRC))
			return (int8_t)off;
	}
	return 0;
}
