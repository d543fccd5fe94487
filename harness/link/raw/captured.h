/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TCP connections in a capture of another program: for each connection, the
 * octets of both directions, in order. Retransmissions and reordered segments
 * are put in their places after the whole capture was read. A direction ends
 * where octets were not captured.
 */
#ifndef HARNESS_LINK_RAW_CAPTURED_H
#define HARNESS_LINK_RAW_CAPTURED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/link/link.h"

enum { CAPTURED_FLOWS = 4096, CAPTURED_WHY = 512 };
#define CAPTURED_MOST (256u << 20) /* octets of payload in all */

/* The octets from `at` on arrived in this packet of the capture, counted from
 * 1. */
struct captured_piece {
	size_t at;
	unsigned packet;
	uint64_t at_ns; /* of the capture's clock */
};

struct captured_segment;

struct captured_direction {
	uint8_t *octets;
	size_t n;
	const struct captured_piece *pieces; /* at least one if n > 0 */
	size_t piece_count;
	size_t lost; /* octets after a gap: they are left out */
	bool fin, reset;
	/* used until captured_end() */
	bool known; /* `first` is set: the sequence number of octet 0 */
	uint32_t first;
	struct captured_segment *segments, *last;
};

/* A connection; `end[0]` opened it, or was seen first. */
struct captured_flow {
	struct link_end end[2];
	struct captured_direction from[2];
	bool opened; /* its SYN was seen */
};

struct captured {
	struct captured_flow *flows; /* in the order of their first packets */
	size_t flow_count;
	unsigned packets;
	/* Packets that cannot be used: `other` are fragments, or not TCP;
	 * `damaged` are cut, or have a wrong length or checksum. */
	unsigned other, damaged;
	bool full; /* some connections or octets were not kept: too many */
	size_t octets;
};

/* The header with which a packet begins. */
enum captured_link { CAPTURED_ETHERNET, CAPTURED_IP };

/* Take the next packet: n of its `length` octets. Packets come in the order of
 * the capture. False: no memory. */
bool captured_packet(struct captured *c, enum captured_link link,
		     const uint8_t *octets, size_t n, size_t length,
		     uint64_t at_ns);
/* Take all packets of a pcap or pcapng file, and close it. False: one line in
 * `why`. */
bool captured_read(struct captured *c, FILE *file, char why[CAPTURED_WHY]);
/* There are no more packets: put the octets in order. False: no memory. */
bool captured_end(struct captured *c);
void captured_free(struct captured *c);

/* The piece with this octet of a direction. */
const struct captured_piece *captured_at(const struct captured_direction *d,
					 size_t at);

#endif
