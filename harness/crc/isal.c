/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC32c by ISA-L: the fast provider. */
#include "harness/crc/provider.h"

#include <assert.h>
#include <limits.h>

#include <isa-l/crc.h>

/*
 * crc32_iscsi() works on the bare register: it inverts neither its seed nor its
 * result, so both are inverted here. It does not write to its buffer, in spite
 * of the type; its length is an int.
 */
static uint32_t isal_crc32c(const uint8_t *octets, size_t n)
{
	assert(n <= INT_MAX);
	return ~crc32_iscsi((uint8_t *)octets, (int)n, 0xffffffff);
}

const struct crc_provider crc_isal = {"isal", isal_crc32c};
