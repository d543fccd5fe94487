/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections of a capture, followed while it is read, in bounded memory:
 * the octets of each direction in their order, and both directions in an order
 * in which they can have caused one another. A segment that acknowledges octets
 * waits until these have been delivered, whatever the order of the file. If
 * they do not arrive they were not captured; a gap is then reported before
 * anything that they may have caused.
 *
 * Unlike captured.h, it delivers octets at once.
 */
#ifndef HARNESS_LINK_RAW_ASSEMBLY_H
#define HARNESS_LINK_RAW_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

/* Connections followed at a time; the one idle for longest gives way. */
enum { ASSEMBLY_FLOWS = 4096 };

struct assembly_flow {
	struct link_end end[2]; /* end[0] connected, or was seen first */
	bool opened;            /* its SYN was seen */
	uint16_t mss[2];        /* that the SYN of each announces; 0: none */
	bool anchored[2]; /* its octets begin after its SYN, seen so far */
	bool ignored;     /* set by a caller that wants no more of it */
	void *user;
};

/* Where in the capture something is. */
struct assembly_at {
	uint64_t packet, at_ns;
};

struct assembly_events {
	/* A connection, before anything of it. */
	void (*begins)(void *user, struct assembly_flow *f);
	/* The next octets that end `from` has sent. */
	void (*octets)(void *user, struct assembly_flow *f, unsigned from,
		       const uint8_t *octets, size_t n,
		       const struct assembly_at *at);
	/* So many were not captured; 0: the number is unknown. */
	void (*gap)(void *user, struct assembly_flow *f, unsigned from,
		    uint64_t n, const struct assembly_at *at);
	/* A retransmission has other octets than before. */
	void (*changed)(void *user, struct assembly_flow *f, unsigned from,
			const struct assembly_at *at);
	/* Its FIN, all octets before it delivered; `acked`: it has received
	 * all that was captured of the other end. Or its RST. */
	void (*ends)(void *user, struct assembly_flow *f, unsigned from,
		     bool reset, bool acked, const struct assembly_at *at);
	/* Nothing more will be delivered. */
	void (*over)(void *user, struct assembly_flow *f, bool evicted);
};

struct assembly_counts {
	uint64_t packets, other; /* of other protocols */
	uint64_t damaged;        /* fragments, impossible lengths, checksums */
	uint64_t cut;            /* not captured to their end */
	uint64_t flows, evicted;
};

struct assembly;

/* NULL: no memory. */
struct assembly *assembly_new(const struct assembly_events *events, void *user);
/* One that begins with IP. False: no memory. */
bool assembly_packet(struct assembly *a, const uint8_t *octets, size_t n,
		     size_t length, const struct assembly_at *at);
/* One that does not. */
void assembly_other(struct assembly *a);
/* The capture has ended: what still waits is delivered. */
void assembly_end(struct assembly *a);
const struct assembly_counts *assembly_counts(const struct assembly *a);
void assembly_free(struct assembly *a);

#endif
