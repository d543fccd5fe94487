/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The TCP connections in a capture of another program: for each the octets of
 * both directions, in order. It is read after the fact: retransmissions and
 * reordered segments are put in their places, and a direction ends where octets
 * were not captured.
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
	const struct captured_piece *pieces; /* one at least where n > 0 */
	size_t piece_count;
	size_t lost; /* octets after a gap: they are left out */
	bool fin, reset;
	/* until they are put together */
	bool known; /* the number of the first octet */
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
	/* Packets of no use: not of TCP; cut, fragmented or damaged. */
	unsigned other, damaged;
	bool full; /* there was more than is kept */
	size_t octets;
};

/* The beginning of a packet. */
enum captured_link { CAPTURED_ETHERNET, CAPTURED_IP };

/* One packet of n octets, in the order of the capture. False: no memory. */
bool captured_packet(struct captured *c, enum captured_link link,
		     const uint8_t *octets, size_t n, size_t length,
		     uint64_t at_ns);
/* All of a pcap or pcapng file, which is closed. False: one line in why. */
bool captured_read(struct captured *c, FILE *file, char why[CAPTURED_WHY]);
/* There are no more packets: put the octets in order. False: no memory. */
bool captured_end(struct captured *c);
void captured_free(struct captured *c);

/* The packet with this octet of a direction. */
const struct captured_piece *captured_at(const struct captured_direction *d,
					 size_t at);

#endif
