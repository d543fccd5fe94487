/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a link, and what follows from them alone: which hosts are on
 * its segment, and which are behind the gateway. It does not use the network.
 */
#ifndef HARNESS_LINK_RAW_ADDRESS_H
#define HARNESS_LINK_RAW_ADDRESS_H

#include "harness/link/link.h"
#include "harness/link/raw/packet.h"

struct address {
	struct link_end ip; /* port 0 */
	unsigned prefix;
	struct link_end gateway; /* family 0: none */
	uint8_t mac[PACKET_MAC];
};

/*
 * Out of "ADDRESS/PREFIX", that many addresses further on, and a numeric
 * gateway, NULL or "" for none. False: one line in why.
 */
bool address_make(struct address *a, const char *text, unsigned index,
		  const char *gateway, char why[LINK_WHY]);
/* The IP address in numbers. */
void address_text(const struct address *a, char out[LINK_ADDRESS]);

/* Ports are ignored. */
bool address_equal(const struct link_end *a, const struct link_end *b);
/* 0.0.0.0 or :: */
bool address_is_unspecified(const struct link_end *e);

/* A host on the segment is its own next hop. NULL: it is not on it, and there
 * is no gateway. */
const struct link_end *address_next_hop(const struct address *a,
					const struct link_end *to);

#endif
