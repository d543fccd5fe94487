/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices about atomics that are performed (RFC 7306 s5.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/rdmap_atomic_decisions.h"

ALSO(big_endian, word_in_memory)
{
	chosen(self);
	return __builtin_bswap64(OTHERWISE(word_in_memory));
}
