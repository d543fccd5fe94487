/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registered memory: regions, their STags, rights, protection domains and
 * streams, and the checks of RFC 5041 s7.1 and RFC 5040 s7.2 on them.
 *
 * A region exists while it is registered or referenced. Its STag is valid until
 * it is invalidated or deregistered.
 */
#ifndef HARNESS_REFDUT_MEMORY_H
#define HARNESS_REFDUT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access {
	ACCESS_LOCAL_WRITE = 1,
	ACCESS_REMOTE_READ = 2,
	ACCESS_REMOTE_WRITE = 4,
	ACCESS_REMOTE_ATOMIC = 8,
};

/* A protection domain. Domains of different sessions have different owners. */
struct domain {
	const void *owner;
	uint64_t number;
};

struct region {
	struct region *hash_next;
	struct region *next; /* from the owner's list */
	char *name;
	unsigned refs;
	uint32_t stag;
	bool valid;
	bool given_up; /* its ULP has invalidated it, or assumes so */
	bool zero_based;
	bool shared;        /* remote invalidation is refused */
	const void *stream; /* the only stream that may use it, or NULL */
	struct domain domain;
	unsigned access;
	uint64_t to; /* the TO of its first octet */
	uint64_t len;
	uint8_t *octets;
	void *block; /* the allocated memory */
};

struct region_options {
	struct domain domain;
	uint64_t len;
	uint64_t align;
	uint64_t skew;
	unsigned access;
	bool zero_based;
	bool shared;
	const void *stream;
};

/* Make a zeroed region with an unpredictable STag and one reference, that of
 * its name. NULL: no memory, or no randomness. */
struct region *region_register(const char *name,
			       const struct region_options *options);

/* Invalidate the STag; the octets stay. */
void region_invalidate(struct region *region);

/* Drop a reference, and free the region with the last one; NULL is fine. Or add
 * a reference. */
void region_put(struct region *region);
struct region *region_get(struct region *region);

/* The region with this valid STag, or NULL. */
struct region *region_of_stag(uint32_t stag);

/* The STag that became invalid last, and its owner; 0: there is none. */
uint32_t stag_given_up_last(const void **owner);

/* The flaw in a use of memory, in the order of the checks. */
enum memory_flaw {
	MEMORY_FINE,
	MEMORY_NO_STAG,
	MEMORY_NOT_ASSOCIATED,
	MEMORY_WRAP,
	MEMORY_BOUNDS,
	MEMORY_ACCESS,
};

/* May this stream of this domain use len octets at stag:to with all of these
 * rights? On MEMORY_FINE, *region is the region. */
enum memory_flaw memory_check(const struct domain *domain, const void *stream,
			      uint32_t stag, uint64_t to, uint64_t len,
			      unsigned access, struct region **region);

/* The same for a given region, without looking up its STag. */
enum memory_flaw memory_range(const struct region *region, uint64_t to,
			      uint64_t len);

/* The octets at a TO that was checked. */
static inline uint8_t *region_at(const struct region *region, uint64_t to)
{
	return region->octets + (to - region->to);
}

/* Fill n octets with unpredictable values. False: the system has none. */
bool random_octets(void *octets, size_t n);

#endif
