/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw link: a TCP end point of our own at the link layer of an Ethernet.
 * Frames are seen with libpcap and sent with libnet. It has a MAC and an IP
 * address that the host does not have, and answers for them itself, so the
 * host's stack takes no part.
 *
 * It lives while it is called: link_wait, or link_serve by whoever waits for
 * something else (link.h).
 */
#ifndef HARNESS_LINK_RAW_H
#define HARNESS_LINK_RAW_H

#include "harness/link/link.h"

struct link_raw {
	const char *interface;
	const char *address; /* numeric, with its prefix: "10.77.0.3/24" */
	unsigned index;      /* this many addresses further on */
	const char *gateway; /* numeric; NULL or "": what is far is not there */
};

/* Whether a link of that kind could be made of this. False: one line. */
bool link_raw_check(const struct link_raw *c, char why[LINK_WHY]);

/*
 * NULL: one line in why; *privilege tells whether it is one that is missing
 * (CAP_NET_RAW). Nothing is sent.
 */
struct link *link_raw_open(const struct link_raw *c, bool *privilege,
			   char why[LINK_WHY]);

/*
 * Ask, for all of them at once, whether somebody has their addresses (RFC
 * 5227 s2.1.1, RFC 4862 s5.4); takes a fifth of a second. LINK_OK, or
 * LINK_ERROR with one line that says whose MAC it is.
 */
int link_raw_claim(struct link *const *links, size_t n, char why[LINK_WHY]);

/* What it made of the frames it saw. */
struct link_raw_seen {
	uint64_t frames, offloaded, bad, foreign;
	uint64_t dropped; /* by the kernel: they came too fast */
};
struct link_raw_seen link_raw_seen(const struct link *link);

#endif
