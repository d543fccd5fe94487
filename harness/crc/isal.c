/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC32c by ISA-L: the fast provider. */
#include "harness/crc/provider.h"

#include <limits.h>

#include <isa-l/crc.h>

/*
 * crc32_iscsi() works on the bare register: it inverts neither its seed nor
 * its result, so both are done here, and a seed that is the last result
 * continues. It does not write to its buffer, whatever its type says; its
 * length is an int.
 */
static uint32_t isal_crc32c(const uint8_t *octets, size_t n)
{
	uint8_t *at = (uint8_t *)octets;
	uint32_t reg = 0xffffffff;

	while (n > INT_MAX) {
		reg = crc32_iscsi(at, INT_MAX, reg);
		at += INT_MAX;
		n -= INT_MAX;
	}
	return ~crc32_iscsi(at, (int)n, reg);
}

const struct crc_provider crc_isal = {"isal", isal_crc32c};
