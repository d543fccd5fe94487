/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by packet_decode.c and packet_encode.c: the constants of the formats,
 * and the checksum (packet_checksum.c).
 */
#ifndef HARNESS_LINK_RAW_PACKET_INTERNAL_H
#define HARNESS_LINK_RAW_PACKET_INTERNAL_H

#include "harness/link/raw/packet.h"

enum {
	ETHER_IP4 = 0x0800,
	ETHER_ARP = 0x0806,
	ETHER_IP6 = 0x86dd,
	IP4_OCTETS = 20,
	IP6_OCTETS = 40,
	TCP_OCTETS = 20,
	UDP_OCTETS = 8,
	ARP_OCTETS = 28,
	ND_OCTETS = 24,
	ND_OPTION_OCTETS = 8,
	PROTO_ICMP = 1,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_ICMP6 = 58,
	PROTO_SCTP = 132,
	ICMP_UNREACHABLE = 3,
	ICMP_FRAGMENTATION_NEEDED = 4, /* its code */
	ICMP6_TOO_BIG = 2,
	ICMP6_SOLICITATION = 135,
	ICMP6_ADVERTISEMENT = 136,
	ND_OPTION_SOURCE = 1,
	ND_OPTION_TARGET = 2,
	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_MSS = 2,
	OPTION_SCALE = 3,
	OPTION_TIMESTAMPS = 8,
};

/* The Internet checksum (RFC 1071): a running sum, and the value that is
 * sent. */
uint64_t packet_sum(uint64_t sum, const uint8_t *at, size_t n);
uint16_t packet_checksum(uint64_t sum);
/* The sum of the pseudo-header of TCP and ICMPv6. */
uint64_t packet_sum_pseudo(const struct link_end *from,
			   const struct link_end *to, unsigned proto, size_t n);

#endif
