/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of an Ethernet: ARP (RFC 826), neighbour discovery (RFC 4861),
 * TCP over IPv4 and IPv6, and the two ICMP messages about a path's MTU.
 * Converts values to octets and back, without state or I/O.
 *
 * A received packet can contain anything: a cursor reads it, and never leaves
 * the captured octets. A packet that is not understood completely is
 * PACKET_OTHER, with the reason as its flaw.
 */
#ifndef HARNESS_LINK_RAW_PACKET_H
#define HARNESS_LINK_RAW_PACKET_H

#include "harness/link/link.h"
#include "harness/link/raw/segment.h"

enum {
	PACKET_MAC = 6,
	PACKET_ETHER_OCTETS = 14,
	PACKET_HEADERS = 14 + 40 + 60
};

enum packet_kind {
	PACKET_OTHER, /* nothing for us */
	PACKET_ARP_REQUEST,
	PACKET_ARP_REPLY,
	PACKET_ND_SOLICITATION,
	PACKET_ND_ADVERTISEMENT,
	PACKET_TCP,
	PACKET_TOO_BIG, /* a router could not forward a segment of ours */
	PACKET_SCTP,    /* of a capture: SCTP directly in IP, */
	PACKET_UDP,     /* and a datagram, which may have SCTP in it */
};

enum packet_flaw {
	PACKET_FINE,
	PACKET_SHORT,        /* shorter than its headers say */
	PACKET_FOREIGN,      /* another protocol, a VLAN tag, a fragment */
	PACKET_BAD_HEADER,   /* an impossible length, version or hop limit */
	PACKET_BAD_CHECKSUM, /* of IP, TCP or ICMP */
	PACKET_BAD_OPTION,   /* a TCP option of impossible length */
};

struct packet {
	enum packet_kind kind;
	enum packet_flaw flaw;
	uint8_t mac_to[PACKET_MAC], mac_from[PACKET_MAC];
	/* TCP: the addresses of the IP header, and the ports. ARP: sender and
	 * target. ND: the sender, and in `to` the address that is asked for or
	 * announced. Too big: both ends of the quoted segment; `from` is our
	 * own. */
	struct link_end from, to;
	/* ARP, ND: of the sender, or of the address that is announced. */
	uint8_t lladdr[PACKET_MAC];
	struct segment tcp; /* too big: only the quoted seq */
	/* SCTP, UDP: the octets behind the header of IP, or of UDP. Their
	 * checksum is not checked. */
	const uint8_t *octets;
	size_t n;
	size_t cut; /* number of last octets that were not captured */
	/* The sender has left the checksum to its hardware. */
	bool checksum_offloaded;
	uint32_t mtu; /* of PACKET_TOO_BIG; 0: not given */
};

/* Octets of the headers of IP and TCP, without options. */
static inline uint32_t packet_tcp_headers(uint8_t family)
{
	return family == 6 ? 60 : 40;
}

/* n octets were captured of a frame of `length` octets. */
void packet_decode(struct packet *p, const uint8_t *octets, size_t n,
		   size_t length);
/* The same for a packet of a capture that begins with IP. Its last octets may
 * be missing (`cut`); then the TCP checksum is not checked. */
void packet_decode_ip(struct packet *p, const uint8_t *octets, size_t n,
		      size_t length);

/* The sender and the receiver of a frame: their MAC addresses and their
 * ends. */
struct packet_path {
	uint8_t mac_to[PACKET_MAC], mac_from[PACKET_MAC];
	struct link_end from, to;
};

/*
 * Each function writes one frame and returns its size in octets; 0: cap is too
 * small. A frame with a segment needs at most PACKET_HEADERS and the segment's
 * octets.
 */
size_t packet_tcp(uint8_t *out, size_t cap, const struct packet_path *path,
		  const struct segment *s);
/* The question for the MAC address of path->to, as a broadcast (IPv4) or to the
 * solicited-node multicast address (IPv6); path->mac_to is ignored. `probe`:
 * the question does not contain the sender's IP address, because the sender
 * asks for the address that it wants to use. */
size_t packet_who_has(uint8_t *out, size_t cap, const struct packet_path *path,
		      bool probe);
/* The answer: path->from has the MAC address path->mac_from. */
size_t packet_is_at(uint8_t *out, size_t cap, const struct packet_path *path);
/* The ICMP message to path->to about a segment with the sequence number seq
 * that it has sent to path->from: the path takes no packets larger than mtu
 * octets (RFC 1191, RFC 4443 s3.2). */
size_t packet_too_big(uint8_t *out, size_t cap, const struct packet_path *path,
		      uint32_t seq, uint32_t mtu);

#endif
