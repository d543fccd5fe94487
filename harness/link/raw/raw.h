/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw link: a TCP end point of our own at the link layer of an Ethernet.
 * Frames are seen with libpcap and sent with libnet. It has a MAC and an IP
 * address that the host does not have, and answers for them itself, so the
 * host's stack takes no part.
 *
 * It makes progress while it is called: by link_wait, or by link_serve if the
 * caller waits for something else (link.h).
 *
 * Its files, from top to bottom. Each calls only those below it. A lower one
 * reports through its return value, or through a function that it was given: a
 * frame that has arrived, a segment that TCP sends.
 *
 *   raw.c          opens the link; the table of its operations
 *   claim.c        is the address of the link free?
 *   connect.c      how connections are made: connect, listen, accept
 *   stream.c       octets of a connection, its ends, scripted segments
 *   wait.c         until something has arrived
 *   input.c        received frames, to their connections; the timers
 *   connections.c  the connections and listeners there are
 *   tcp.c          one end of one TCP connection, sans I/O;
 *                  tcp_send.c and below it tcp_receive.c are its halves
 *   neighbours.c   who on the segment has which address
 *   frames.c       frames out, and in by way of a queue
 *   address.c      the addresses of the link itself
 *   packet.h       frames as values: packet_decode.c, packet_encode.c, and
 *                  below both packet_checksum.c; a TCP segment is segment.h
 *   ethernet.c     the interface: libpcap and libnet
 */
#ifndef HARNESS_LINK_RAW_RAW_H
#define HARNESS_LINK_RAW_RAW_H

#include "harness/link/link.h"

/*
 * How it treated the frames that it saw. Offloads are not faults: an interface
 * may have joined segments, or not cut them yet, so that one exceeds the MTU,
 * and it may compute checksums.
 */
struct link_raw_stats {
	uint64_t frames, bad, foreign;
	uint64_t checksum_offloaded; /* TCP segments without theirs yet */
	uint64_t large;              /* IP datagrams larger than the MTU */
	uint64_t largest;            /* octets of the largest one */
};

struct link_raw {
	const char *interface;
	const char *address; /* numeric, with its prefix: "10.77.0.3/24" */
	unsigned index;      /* this many addresses further on */
	const char *gateway; /* numeric; NULL or "": distant hosts are not
			      * reachable */
	struct link_raw_stats *stats; /* counted there, or NULL */
};

/* Whether a link of that kind could be made of this. False: one line. */
bool link_raw_check(const struct link_raw *c, char why[LINK_WHY]);

/*
 * NULL: one line in why; *privilege says whether it is one that is missing
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

struct link_raw_stats link_raw_stats(const struct link *link);

#endif
