/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with plain numbers, for suite/prove/bounds.py. */
#include "suite/model/receive/memory.c"

#define ASKED __attribute__((used)) static

/* An access to the only region: 1 is out of bounds, 2 wraps. */
ASKED unsigned region_faults(uint64_t region_to, uint64_t region_len,
			     uint64_t to, uint64_t len)
{
	static struct model m;
	unsigned faults;

	m.config.regions_known = true;
	m.regions = 1;
	m.region[0].stag = 0x10001;
	m.region[0].to = region_to;
	m.region[0].len = region_len;
	faults = memory_check(&m, 0x10001, to, len, 0);
	return faults == ACCESS_BOUNDS ? 1 : faults == ACCESS_WRAP ? 2 : faults;
}
