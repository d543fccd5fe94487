/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw link: a TCP end point of our own at the link layer of an Ethernet.
 * It receives frames with libpcap and sends them with libnet. It has a MAC and
 * an IP address that the host does not have, and answers for them itself, so
 * that the host's stack is not involved.
 *
 * It makes progress only while it is called: by link_wait(), or by link_serve()
 * if the caller waits for something else (link.h).
 *
 * These are its files, from top to bottom. Each file calls only those below it.
 * A lower one passes a received frame, or a segment that TCP sends, to a
 * function that it was given.
 *
 *   raw.c          opens the link; the table of its operations
 *   claim.c        checks that no host has the address of the link
 *   connect.c      makes connections: connect, listen, accept
 *   stream.c       octets of a connection, its ends, scripted segments
 *   wait.c         waits until something has arrived
 *   input.c        passes received frames to connections; runs timers
 *   connections.c  the lists of connections and listeners
 *   tcp.c          one end of one TCP connection, without I/O;
 *                  tcp_send.c and below it tcp_receive.c are its halves
 *   neighbours.c   the MAC addresses of hosts on the segment
 *   frames.c       sends frames, and queues received ones
 *   address.c      the addresses of the link itself
 *   packet.h       frames as values: packet_decode.c, packet_encode.c, and
 *                  below both packet_checksum.c; a TCP segment is segment.h
 *   ethernet.c     the interface: libpcap and libnet
 */
#ifndef HARNESS_LINK_RAW_RAW_H
#define HARNESS_LINK_RAW_RAW_H

#include "harness/link/link.h"

/*
 * Counts of the received frames. Offloads are not faults: an interface may have
 * joined segments, or may cut them later, so that one exceeds the MTU; it may
 * also compute checksums later.
 */
struct link_raw_stats {
	uint64_t frames, bad, foreign;
	uint64_t checksum_offloaded; /* TCP segments, seen without checksum */
	uint64_t large;              /* IP datagrams larger than the MTU */
	uint64_t largest;            /* octets of the largest one */
	/* 0; or the MSS in use since the path dropped larger segments, and no
	 * router reported it. */
	uint64_t black_hole_mss;
};

struct link_raw {
	const char *interface;
	const char *address; /* numeric, with its prefix: "10.77.0.3/24" */
	unsigned index;      /* use the address this many after `address` */
	const char *gateway; /* numeric; NULL or "": only hosts on the segment
			      * can be reached */
	struct link_raw_stats *stats; /* where to count, or NULL */
};

/* Check the interface and the addresses. False: one line in `why`. */
bool link_raw_check(const struct link_raw *c, char why[LINK_WHY]);

/*
 * NULL: one line in `why`; *privilege is set if CAP_NET_RAW is missing. Nothing
 * is sent.
 */
struct link *link_raw_open(const struct link_raw *c, bool *privilege,
			   char why[LINK_WHY]);

/*
 * Ask whether another host has the address of one of these links, for all links
 * at once (RFC 5227 s2.1.1, RFC 4862 s5.4); this takes 0.2 seconds. LINK_OK, or
 * LINK_ERROR with one line in `why`: the MAC address of that host, or that this
 * host has the address, or that a link is down.
 */
int link_raw_claim(struct link *const *links, size_t n, char why[LINK_WHY]);

struct link_raw_stats link_raw_stats(const struct link *link);

#endif
