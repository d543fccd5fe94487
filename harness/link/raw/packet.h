/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of an Ethernet: ARP (RFC 826), neighbour discovery (RFC 4861),
 * TCP over IPv4 and IPv6, and the two ICMP messages about a path's MTU.
 * Values in, octets out, and back; nothing is kept and nothing is called.
 *
 * What comes from a wire may be anything: it is read through a cursor that
 * never leaves the octets captured, and what is not understood in full is
 * PACKET_OTHER with the reason as a flaw.
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
};

enum packet_flaw {
	PACKET_FINE,
	PACKET_SHORT,        /* ends before its headers say so */
	PACKET_FOREIGN,      /* another protocol, a VLAN tag, a fragment */
	PACKET_BAD_HEADER,   /* a length or a version that cannot be */
	PACKET_BAD_CHECKSUM, /* of IP, TCP or ICMP */
	PACKET_BAD_OPTION,   /* a TCP option of impossible length */
};

struct packet {
	enum packet_kind kind;
	enum packet_flaw flaw;
	uint8_t mac_to[PACKET_MAC], mac_from[PACKET_MAC];
	/* Of the IP header, with TCP's ports. ARP: sender and target. ND: the
	 * sender, and in `to` the address that is asked about or announced. Too
	 * big: both ends of the segment it speaks of, `from` being ours. */
	struct link_end from, to;
	/* ARP, ND: of the sender, or of the address that is announced. */
	uint8_t lladdr[PACKET_MAC];
	struct segment tcp; /* too big: the quoted seq alone */
	size_t cut; /* octets of it that were not captured: its last ones */
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
/* The same of one that begins with IP, as a capture has it: its last octets
 * may be missing (`cut`), and then no checksum of TCP is compared. */
void packet_decode_ip(struct packet *p, const uint8_t *octets, size_t n,
		      size_t length);

/* From whom to whom a frame goes: both Ethernet addresses and both ends. */
struct packet_path {
	uint8_t mac_to[PACKET_MAC], mac_from[PACKET_MAC];
	struct link_end from, to;
};

/*
 * Each writes one frame and returns its octets; 0 when cap is too small. A
 * segment takes PACKET_HEADERS and its own octets at most.
 */
size_t packet_tcp(uint8_t *out, size_t cap, const struct packet_path *path,
		  const struct segment *s);
/* Who has path->to? To everyone (IPv4), to its solicited-node group (IPv6);
 * path->mac_to is not looked at. `probe`: the question does not say who asks,
 * because the address asked for might be its own. */
size_t packet_who_has(uint8_t *out, size_t cap, const struct packet_path *path,
		      bool probe);
/* path->from is at path->mac_from. */
size_t packet_is_at(uint8_t *out, size_t cap, const struct packet_path *path);
/* To path->to, as of a segment it has sent to path->from with the number seq:
 * the path takes no more than mtu octets (RFC 1191, RFC 4443 s3.2). */
size_t packet_too_big(uint8_t *out, size_t cap, const struct packet_path *path,
		      uint32_t seq, uint32_t mtu);

#endif
