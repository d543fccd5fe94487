/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STags are drawn at random from the whole 32-bit space, so that they are
 * sparse and neither predictable nor soon used again (RFC 5040 s8.1.1).
 * Without base=zero a TO is the host's address, so that alignment "by
 * address" (RFC 7306 s5.1) is the real thing.
 */
#include "harness/refdut/memory.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BUCKETS = 4096, POOL = 256, RECENT = 512 };

static struct region *buckets[BUCKETS];
static uint32_t recent[RECENT]; /* STags given up last */
static unsigned nrecent;
static struct {
	const void *owner;
	uint32_t stag;
} given_up; /* the last one of all */

bool random_octets(void *octets, size_t n)
{
	static uint8_t pool[POOL];
	static size_t left;

	if (n > POOL)
		return getrandom(octets, n, 0) == (ssize_t)n;
	if (left < n) {
		if (getrandom(pool, POOL, 0) != POOL)
			return false;
		left = POOL;
	}
	left -= n;
	memcpy(octets, pool + left, n);
	return true;
}

static struct region **bucket(uint32_t stag)
{
	return &buckets[(stag ^ stag >> 12 ^ stag >> 24) % BUCKETS];
}

static struct region *find(uint32_t stag)
{
	struct region *region = *bucket(stag);

	while (region && region->stag != stag)
		region = region->hash_next;
	return region;
}

struct region *region_of_stag(uint32_t stag)
{
	return find(stag);
}

static bool given_up_lately(uint32_t stag)
{
	for (unsigned i = 0; i < RECENT; i++)
		if (recent[i] == stag)
			return true;
	return false;
}

static bool draw_stag(const void *owner, uint32_t *stag)
{
	static uint32_t last = 0x100;

	if (mutant(MUTANT_stags_counted)) {
		last += 0x100;
		*stag = last;
		return true;
	}
	if (given_up.stag && given_up.owner == owner && !find(given_up.stag) &&
	    variant(VARIANT_stags_used_again)) {
		*stag = given_up.stag;
		return true;
	}
	if (mutant(MUTANT_stag_reused_at_once) && nrecent) {
		*stag = recent[(nrecent - 1) % RECENT];
		if (!find(*stag))
			return true;
	}
	do {
		if (!random_octets(stag, sizeof(*stag)))
			return false;
		if (mutant(MUTANT_stags_dense) ||
		    variant(VARIANT_stags_in_a_block))
			*stag = 0x10000 | (*stag & 0xffff);
		if (variant(VARIANT_stags_without_a_key))
			*stag &= ~0xffu;
	} while (*stag == 0 || *stag == UINT32_MAX || find(*stag) ||
		 given_up_lately(*stag));
	return true;
}

struct region *region_register(const char *name,
			       const struct region_options *options)
{
	struct region *region = calloc(1, sizeof(*region));
	size_t slack = (size_t)(options->align + options->skew);
	uintptr_t at;

	if (!region)
		return NULL;
	region->name = strdup(name);
	region->block = calloc(1, (size_t)options->len + slack);
	if (!region->name || !region->block ||
	    !draw_stag(options->domain.owner, &region->stag)) {
		region_put(region);
		return NULL;
	}
	at = (uintptr_t)region->block;
	at = (at + options->align - 1) / options->align * options->align;
	region->octets = (uint8_t *)(at + options->skew);
	region->to = options->zero_based ? 0 : at + options->skew;
	if (!options->zero_based && variant(VARIANT_tos_apart_from_addresses))
		region->to = (region->to & 0xfff) + (1ull << 40);
	region->len = options->len;
	region->domain = options->domain;
	region->access = options->access;
	region->zero_based = options->zero_based;
	region->shared = options->shared;
	region->stream = options->stream;
	region->valid = true;
	region->refs = 1;
	region->hash_next = *bucket(region->stag);
	*bucket(region->stag) = region;
	return region;
}

void region_invalidate(struct region *region)
{
	struct region **at = bucket(region->stag);

	if (!region->valid)
		return;
	region->valid = false;
	while (*at != region)
		at = &(*at)->hash_next;
	*at = region->hash_next;
	recent[nrecent++ % RECENT] = region->stag;
	given_up.owner = region->domain.owner;
	given_up.stag = region->stag;
}

struct region *region_get(struct region *region)
{
	if (region)
		region->refs++;
	return region;
}

void region_put(struct region *region)
{
	if (!region || (region->refs && --region->refs))
		return;
	region_invalidate(region);
	free(region->block);
	free(region->name);
	free(region);
}

enum memory_flaw memory_range(const struct region *region, uint64_t to,
			      uint64_t len)
{
	/* An end of exactly 2^64 is no wrap; no region ends there. */
	if (len && to + (len - 1) < to)
		return MEMORY_WRAP;
	if (to < region->to || to - region->to > region->len)
		return MEMORY_BOUNDS;
	if (len > region->len - (to - region->to))
		return MEMORY_BOUNDS;
	return MEMORY_FINE;
}

static bool associated(const struct domain *domain, const void *stream,
		       const struct region *region)
{
	if (region->domain.owner != domain->owner)
		return false;
	if (region->domain.number != domain->number &&
	    !mutant(MUTANT_domain_not_checked))
		return false;
	if (region->stream && region->stream != stream &&
	    !mutant(MUTANT_stream_not_checked))
		return false;
	return true;
}

enum memory_flaw memory_check(const struct domain *domain, const void *stream,
			      uint32_t stag, uint64_t to, uint64_t len,
			      unsigned access, struct region **region)
{
	struct region *found = region_of_stag(stag);
	enum memory_flaw flaw;

	if (!found && mutant(MUTANT_stag_key_ignored)) {
		for (unsigned i = 0; i < BUCKETS && !found; i++)
			for (found = buckets[i]; found;
			     found = found->hash_next)
				if ((found->stag ^ stag) >> 8 == 0)
					break;
	}
	if (!found)
		return MEMORY_NO_STAG;
	if (!associated(domain, stream, found))
		return MEMORY_NOT_ASSOCIATED;
	flaw = memory_range(found, to, len);
	if (flaw != MEMORY_FINE)
		return flaw;
	if (~found->access & access)
		return MEMORY_ACCESS;
	*region = found;
	return MEMORY_FINE;
}
