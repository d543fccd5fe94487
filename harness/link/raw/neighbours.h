/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The neighbour cache: the MAC addresses of hosts on the segment, by ARP (RFC
 * 826) and neighbour discovery (RFC 4861). It also detects other hosts that use
 * our address.
 *
 * It learns from answers to its own questions, and from hosts that ask for our
 * address. An entry stays until neighbours_forget(), or until the cache needs
 * room. If another host claims an address in the cache, the entry does not
 * change, and the conflict is reported as `trouble` of the link. A host that
 * claims our address is reported in the same way.
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
	struct link_end asked; /* the last address that was asked for */
	bool conflict;         /* a host uses ours (RFC 5227, RFC 4862 s5.4) */
	uint8_t conflict_mac[PACKET_MAC]; /* of that host */
};

/* Ask for the MAC address of this host. A probe does not contain our own IP
 * address. */
void neighbours_ask(struct neighbours *n, const struct link_end *ip,
		    bool probe);
/* Announce our address to all hosts (RFC 5227 s2.3, RFC 4861 s7.2.6). */
void neighbours_announce(struct neighbours *n);
/* NULL: unknown. */
const uint8_t *neighbours_mac(const struct neighbours *n,
			      const struct link_end *ip);
/* Remove an entry, because the host has not answered: it may have another
 * interface now. */
void neighbours_forget(struct neighbours *n, const struct link_end *ip);
/* Learn from a received packet, and answer it. */
void neighbours_input(struct neighbours *n, const struct packet *p);

#endif
