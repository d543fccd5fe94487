/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of registered memory (RFC 5040 s7.2, s8.1.1; RFC 5042 s6.1.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/memory/memory_decisions.h"

/* Which STags are issued */

MUTANT(stags_counted, "RDMAP-8.1.1-06", "issues STags in fixed steps",
       stag_issued)
{
	static uint32_t last = 0x100;

	last += 0x100;
	*stag = last;
	return true;
}

MUTANT(stag_reused_at_once, "SEC-6.1.1-03",
       "issues the STag that was freed last", stag_issued)
{
	const void *whose;

	*stag = stag_given_up_last(&whose);
	if (*stag && !region_of_stag(*stag))
		return true;
	return OTHERWISE(stag_issued);
}

MUTANT(stags_dense, "RDMAP-8.1.1-11",
       "issues STags from a small part of their range", stag_drawn)
{
	if (!OTHERWISE(stag_drawn))
		return false;
	*stag = 0x10000 | (*stag & 0xffff);
	return true;
}

/* Who may use them */

MUTANT(stag_key_ignored,
       "DDP-7.1-21 RDMAP-5.2.1-11 RDMAP-7.2-06 RDMAPX-5.2.1-12 RDMAP-5.3-18 "
       "DDP-7.2-02",
       "does not compare the low octet of an STag", region_named_by)
{
	struct region *region = OTHERWISE(region_named_by);

	for (uint32_t key = 0; !region && key < 256; key++)
		region = region_of_stag((stag & ~0xffu) | key);
	return region;
}

MUTANT(stream_not_checked,
       "DDP-7.1-24 RDMAP-7.2-09 SEC-6.1.1-02 DDP-8.2-02 RDMAP-8.1.1-02",
       "lets any stream of the domain use an STag that is bound to another "
       "stream",
       stag_associated)
{
	stream = region->stream;
	return OTHERWISE(stag_associated);
}

MUTANT(domain_not_checked,
       "DDP-7.1-25 DDP-8.2-01 RDMAP-7.2-08 SEC-6.1.1-01 DDP-7.2-04 "
       "RDMAP-8.1.1-01",
       "lets a stream use an STag of another domain", stag_associated)
{
	struct domain any = {domain->owner, region->domain.number};

	domain = &any;
	return OTHERWISE(stag_associated);
}
