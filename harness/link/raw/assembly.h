/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the TCP connections of a capture while it is read, in bounded memory.
 * It delivers the octets of each direction in order. It delivers cause before
 * effect: whatever the order of the file, a segment that acknowledges octets
 * waits until these octets have been delivered. If they do not appear, they
 * were not captured; then a gap is reported before anything that they may have
 * caused.
 *
 * Unlike captured.h, it delivers octets at once.
 */
#ifndef HARNESS_LINK_RAW_ASSEMBLY_H
#define HARNESS_LINK_RAW_ASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

/* Connections followed at a time. A new one replaces the one that has been idle
 * for longest. */
enum { ASSEMBLY_FLOWS = 4096 };

struct assembly_flow {
	struct link_end end[2]; /* end[0] connected, or was seen first */
	bool opened;            /* its SYN was seen */
	uint16_t mss[2];        /* that the SYN of each announces; 0: none */
	bool anchored[2];       /* the capture has the SYN before the octets */
	bool ignored;           /* the caller sets it to get no more events */
	void *user;
};

/* A place in the capture. */
struct assembly_at {
	uint64_t packet, at_ns;
};

struct assembly_events {
	/* A new connection; its first event. */
	void (*begins)(void *user, struct assembly_flow *f);
	/* The next octets that end `from` has sent. */
	void (*octets)(void *user, struct assembly_flow *f, unsigned from,
		       const uint8_t *octets, size_t n,
		       const struct assembly_at *at);
	/* The next n octets were not captured; 0: the number is unknown. */
	void (*gap)(void *user, struct assembly_flow *f, unsigned from,
		    uint64_t n, const struct assembly_at *at);
	/* The octets of a retransmission differ from those sent before. */
	void (*changed)(void *user, struct assembly_flow *f, unsigned from,
			const struct assembly_at *at);
	/* End `from` has sent FIN, and all its octets were delivered; `acked`:
	 * it has acknowledged all captured octets of the other end. `reset`: it
	 * has sent RST. */
	void (*ends)(void *user, struct assembly_flow *f, unsigned from,
		     bool reset, bool acked, const struct assembly_at *at);
	/* The last event of a connection. */
	void (*over)(void *user, struct assembly_flow *f, bool evicted);
};

struct assembly_counts {
	uint64_t packets, other; /* other protocols, and fragments */
	uint64_t damaged;        /* a wrong length or checksum */
	uint64_t cut;            /* the capture lacks their last octets */
	uint64_t flows, evicted;
};

struct assembly;

/* NULL: no memory. */
struct assembly *assembly_new(const struct assembly_events *events, void *user);
/* Take a packet that begins with IP: n of its `length` octets. False: no
 * memory. */
bool assembly_packet(struct assembly *a, const uint8_t *octets, size_t n,
		     size_t length, const struct assembly_at *at);
/* Count a packet that is not IP. */
void assembly_other(struct assembly *a);
/* The capture has ended: deliver all segments that still wait. */
void assembly_end(struct assembly *a);
const struct assembly_counts *assembly_counts(const struct assembly *a);
void assembly_free(struct assembly *a);

#endif
