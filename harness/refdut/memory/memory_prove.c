/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/bounds.py. */
#include "harness/refdut/memory/memory.c"

#define ASKED __attribute__((used)) static

/* An access to the region: 1 is out of bounds, 2 wraps. */
ASKED unsigned range_flaw(uint64_t region_to, uint64_t region_len, uint64_t to,
			  uint64_t len)
{
	struct region region = {.to = region_to, .len = region_len};

	switch (memory_range(&region, to, len)) {
	case MEMORY_FINE:
		return 0;
	case MEMORY_BOUNDS:
		return 1;
	case MEMORY_WRAP:
		return 2;
	default:
		return 3;
	}
}
