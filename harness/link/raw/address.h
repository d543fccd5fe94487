/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a link: which hosts are on its segment, and which are behind
 * the gateway. Nothing here uses the network.
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
 * `text` is "ADDRESS/PREFIX". The link gets the address that is `index` after
 * it. `gateway` is numeric; NULL or "": there is no gateway. False: one line in
 * `why`.
 */
bool address_make(struct address *a, const char *text, unsigned index,
		  const char *gateway, char why[LINK_WHY]);
/* The numeric IP address. */
void address_text(const struct address *a, char out[LINK_ADDRESS]);

/* Ports are ignored. */
bool address_equal(const struct link_end *a, const struct link_end *b);
/* 0.0.0.0 or :: */
bool address_is_unspecified(const struct link_end *e);

/* The next hop to a host: the host itself if it is on the segment, otherwise
 * the gateway. NULL: there is no gateway. */
const struct link_end *address_next_hop(const struct address *a,
					const struct link_end *to);

#endif
