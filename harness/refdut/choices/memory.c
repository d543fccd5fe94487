/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of STags and TOs (RFC 5040 s4.4, s8.1.1; RFC 5042 s6.1.1). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/memory/memory_decisions.h"

VARIANT(stags, stags_used_again, "SEC-6.1.1-03",
	"issues the STag that was freed last", stag_issued)
{
	const void *whose;
	uint32_t last = stag_given_up_last(&whose);

	if (!last || whose != owner || region_of_stag(last))
		return OTHERWISE(stag_issued);
	*stag = last;
	return chosen(self);
}

VARIANT(stags, stags_in_a_block, "RDMAP-8.1.1-11",
	"draws its STags from a block of 65536", stag_drawn)
{
	if (!OTHERWISE(stag_drawn))
		return false;
	*stag = 0x10000 | (*stag & 0xffff);
	return chosen(self);
}

VARIANT(stags, stags_of_24_bits, "RDMAP-8.1.1-06",
	"draws its STags from 2^24 values", stag_drawn)
{
	if (!OTHERWISE(stag_drawn))
		return false;
	*stag &= 0xffffff;
	return chosen(self);
}

VARIANT(stags, stags_without_a_key, "RDMAP-8.1.1-06",
	"leaves the low octet of all STags zero", stag_drawn)
{
	if (!OTHERWISE(stag_drawn))
		return false;
	*stag &= ~0xffu;
	return chosen(self);
}

/*
 * A second STag for a region. It is found like the first, but never allows the
 * peer anything, so that a static copy of the region is enough.
 */
static struct region *second_of(const struct region *region, uint32_t stag)
{
	static struct region second;

	second = *region;
	second.stag = stag;
	second.shared = true;
	second.access &= ACCESS_LOCAL_WRITE;
	return &second;
}

/* RFC 5040 s8.1.1 does not say which STags there are: an adapter has one for
 * the host's own work requests, and one for the peer. */
VARIANT(local_stags, local_stags_beside, "DDP-7.1-20 RDMAP-7.2-06",
	"gives each region a second STag of local use, which differs from the "
	"first in its lowest bit",
	region_named_by)
{
	struct region *found = OTHERWISE(region_named_by);

	if (found)
		return found;
	found = region_named_by_otherwise(self, stag ^ 1);
	return found && chosen(self) ? second_of(found, stag) : NULL;
}

ALSO(local_stags_beside, stag_drawn)
{
	bool drawn = OTHERWISE(stag_drawn);

	*stag &= ~1u;
	return drawn;
}

VARIANT(local_stags, stags_of_others_beside, "DDP-7.1-20 RDMAP-7.2-06",
	"has a region of another domain under each STag that differs from one "
	"of the ULP's in its highest bit",
	region_named_by)
{
	struct region *found = OTHERWISE(region_named_by);

	if (found)
		return found;
	found = region_named_by_otherwise(self, stag ^ 0x80000000);
	if (!found || !chosen(self))
		return NULL;
	found = second_of(found, stag);
	found->domain.owner = found;
	return found;
}

ALSO(stags_of_others_beside, stag_drawn)
{
	bool drawn = OTHERWISE(stag_drawn);

	*stag &= ~0x80000000;
	return drawn;
}

VARIANT(tos, tos_from_zero, "RDMAP-4.4-06",
	"has TOs that count from the beginning of a region", first_to)
{
	uint64_t to = OTHERWISE(first_to);

	return chosen(self) ? to & 7 : to;
}

ALSO(sum_that_wraps_seen_first, first_to)
{
	return OTHERWISE(first_to) & 7;
}

VARIANT(tos, tos_up_to_the_last, "RDMAP-4.4-06",
	"has its regions in the last 65536 of all TOs, where their length and "
	"alignment allow it",
	first_to)
{
	uint64_t to = OTHERWISE(first_to), last = 0 - region->len;

	if (region->zero_based || !chosen(self))
		return to;
	/* As aligned as its octets, whatever alignment is asked for. */
	return last - ((last - to) & 0xffff);
}

VARIANT(tos, tos_apart_from_addresses, "RDMAP-4.4-06",
	"has TOs that differ from the addresses of its host", first_to)
{
	uint64_t to = OTHERWISE(first_to);

	if (!region->zero_based && chosen(self))
		to = (to & 0xfff) + (1ull << 40);
	return to;
}
