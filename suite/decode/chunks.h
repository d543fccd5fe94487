/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages of DDP on the SCTP associations of a capture (RFC 5043 s5), in the
 * order of their TSNs. */
#ifndef SUITE_DECODE_CHUNKS_H
#define SUITE_DECODE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/link/link.h"

struct chunk_taken {
	unsigned association; /* from 0 */
	size_t turn;          /* its place among all messages of the capture */
	struct link_end end[2];
	unsigned from;
	unsigned packet; /* with its last octets */
	uint16_t stream;
	uint32_t ppid;
	uint8_t *octets; /* of the list */
	size_t n;
};

struct chunks_taken {
	struct chunk_taken *list;
	size_t n, cap, octets;
	unsigned associations;
	unsigned packets; /* of SCTP, */
	unsigned damaged; /* some of which were cut, or have a wrong checksum */
	bool gaps;        /* chunks were not captured */
	bool full;        /* some were not kept: too many octets */
	bool failed;      /* no memory */
};

/* Take all of a pcap or pcapng file, and close it: one association after the
 * other. What cannot be read is left out. */
void chunks_read(struct chunks_taken *c, FILE *file);
void chunks_free(struct chunks_taken *c);

#endif
