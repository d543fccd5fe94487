/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The neighbour cache: who on the segment has which address, by ARP (RFC 826)
 * and neighbour discovery (RFC 4861); and whether somebody has ours.
 *
 * It learns from answers to its own questions, and from those who ask for us.
 * What it knows stays until it is forgotten: another host that says that it has
 * the same address changes nothing, but is the `trouble` of the link, as is a
 * host that says that it has ours.
 */
#ifndef HARNESS_LINK_RAW_NEIGHBOURS_H
#define HARNESS_LINK_RAW_NEIGHBOURS_H

#include "harness/link/raw/frames.h"

enum { NEIGHBOURS = 16 };

struct neighbours {
	struct frames *frames;
	const struct address *own;
	struct neighbour {
		struct link_end ip; /* family 0: free */
		uint8_t mac[PACKET_MAC];
	} cache[NEIGHBOURS];
	unsigned next;
	struct link_end asked; /* for this, the last time */
	bool conflict; /* with our address (RFC 5227, RFC 4862 s5.4), of: */
	uint8_t conflict_mac[PACKET_MAC];
};

/* Ask who has it; a probe does not say who asks. */
void neighbours_ask(struct neighbours *n, const struct link_end *ip,
		    bool probe);
/* Say to everyone who has our address (RFC 5227 s2.3, RFC 4861 s7.2.6). */
void neighbours_announce(struct neighbours *n);
/* NULL: not known. */
const uint8_t *neighbours_mac(const struct neighbours *n,
			      const struct link_end *ip);
/* Nobody was found there: the host may have another interface now. */
void neighbours_forget(struct neighbours *n, const struct link_end *ip);
/* Learn of what has come, and answer it. */
void neighbours_input(struct neighbours *n, const struct packet *p);

#endif
