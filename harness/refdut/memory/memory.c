/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STags are drawn at random from the whole 32-bit space, so that they are
 * sparse, unpredictable, and not reused soon (RFC 5040 s8.1.1). Without
 * base=zero a TO is the host's address, so that alignment "by address" (RFC
 * 7306 s5.1) has its real meaning.
 */
#include "harness/refdut/memory/memory_decisions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { BUCKETS = 4096, POOL = 256, RECENT = 512 };

static struct region *buckets[BUCKETS];
static struct {
	const void *owner;
	uint32_t stag;
} recent[RECENT]; /* the last invalidated STags */
static unsigned nrecent;

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
		if (recent[i].stag == stag)
			return true;
	return false;
}

uint32_t stag_given_up_last(const void **owner)
{
	unsigned last = (nrecent - 1) % RECENT;

	*owner = nrecent ? recent[last].owner : NULL;
	return nrecent ? recent[last].stag : 0;
}

RULE(stag_drawn)
{
	return random_octets(stag, sizeof(*stag));
}

RULE(stag_issued)
{
	do {
		if (!stag_drawn(stag))
			return false;
	} while (*stag == 0 || *stag == UINT32_MAX || find(*stag) ||
		 given_up_lately(*stag));
	return true;
}

RULE(first_to)
{
	return region->zero_based ? 0 : (uintptr_t)region->octets;
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
	    !stag_issued(options->domain.owner, &region->stag)) {
		region_put(region);
		return NULL;
	}
	at = (uintptr_t)region->block;
	at = (at + options->align - 1) / options->align * options->align;
	region->octets = (uint8_t *)(uintptr_t)(at + options->skew);
	region->len = options->len;
	region->domain = options->domain;
	region->access = options->access;
	region->zero_based = options->zero_based;
	region->to = first_to(region);
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
	recent[nrecent % RECENT].owner = region->domain.owner;
	recent[nrecent++ % RECENT].stag = region->stag;
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
	/* An end of exactly 2^64 is not a wrap; no region ends there. */
	if (len && to + (len - 1) < to)
		return MEMORY_WRAP;
	if (to < region->to || to - region->to > region->len)
		return MEMORY_BOUNDS;
	if (len > region->len - (to - region->to))
		return MEMORY_BOUNDS;
	return MEMORY_FINE;
}

RULE(region_named_by)
{
	return find(stag);
}

RULE(stag_associated)
{
	return region->domain.owner == domain->owner &&
	       region->domain.number == domain->number &&
	       (!region->stream || region->stream == stream);
}

enum memory_flaw memory_check(const struct domain *domain, const void *stream,
			      uint32_t stag, uint64_t to, uint64_t len,
			      unsigned access, struct region **region)
{
	struct region *found = region_named_by(stag);
	enum memory_flaw flaw;

	if (!found)
		return MEMORY_NO_STAG;
	if (!stag_associated(domain, stream, found))
		return MEMORY_NOT_ASSOCIATED;
	flaw = memory_range(found, to, len);
	if (flaw != MEMORY_FINE)
		return flaw;
	if (~found->access & access)
		return MEMORY_ACCESS;
	*region = found;
	return MEMORY_FINE;
}
