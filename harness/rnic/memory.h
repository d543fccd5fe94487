/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a session: regions, which the client has named and may read and
 * write, and blocks, which hold the octets of work that names no region.
 */
#ifndef HARNESS_RNIC_MEMORY_H
#define HARNESS_RNIC_MEMORY_H

#include "harness/rnic/request.h"

enum {
	VERBS_NAME = 64, /* octets of a region's name, with NUL */
	VERBS_SESSION_MEMORY = 1 << 30, /* octets of all its regions */
};

struct verbs_region {
	struct verbs_region *next;
	char name[VERBS_NAME];
	struct verbs_memory memory;
	void *map;
	size_t map_len;
	unsigned access; /* as requested; the device may have more */
	bool valid;
};

struct verbs_block {
	struct verbs_memory memory;
	unsigned refs;
};

/* reg access fill dump digest inval dereg */
extern const struct verb verbs_of_memory[];

/* The region that this key names. NULL: the request was refused. */
struct verbs_region *verbs_region_of(struct verbs_session *s,
				     const struct line *l, const char *key);
void verbs_release_regions(struct verbs_session *s);

/* Registered memory of n octets; verbs_block_put() releases it. NULL: the
 * request was refused. */
struct verbs_block *verbs_block_new(struct verbs_session *s, uint64_t pd,
				    size_t n);
void verbs_block_put(struct verbs_session *s, struct verbs_block *b);

#endif
