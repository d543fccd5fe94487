/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing frames. */
#include <string.h>

#include "harness/link/raw/packet_internal.h"

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v >> 16);
	put16(at + 2, v);
}

static uint8_t *put_ether(uint8_t *out, const uint8_t *to, const uint8_t *from,
			  unsigned type)
{
	memcpy(out, to, PACKET_MAC);
	memcpy(out + 6, from, PACKET_MAC);
	put16(out + 12, type);
	return out + PACKET_ETHER_OCTETS;
}

static uint8_t *put_ip(uint8_t *ip, const struct link_end *from,
		       const struct link_end *to, unsigned proto, unsigned hops,
		       size_t n)
{
	if (from->family == 6) {
		memset(ip, 0, IP6_OCTETS);
		ip[0] = 0x60;
		put16(ip + 4, (uint32_t)n);
		ip[6] = (uint8_t)proto;
		ip[7] = (uint8_t)hops;
		memcpy(ip + 8, from->addr, 16);
		memcpy(ip + 24, to->addr, 16);
		return ip + IP6_OCTETS;
	}
	memset(ip, 0, IP4_OCTETS);
	ip[0] = 0x45;
	put16(ip + 2, (uint32_t)(IP4_OCTETS + n));
	ip[6] = 0x40; /* do not fragment */
	ip[8] = (uint8_t)hops;
	ip[9] = (uint8_t)proto;
	memcpy(ip + 12, from->addr, 4);
	memcpy(ip + 16, to->addr, 4);
	put16(ip + 10, packet_checksum(packet_sum(0, ip, IP4_OCTETS)));
	return ip + IP4_OCTETS;
}

/* Options, each filled up to a multiple of 4; their octets. */
static size_t put_options(uint8_t *at, const struct segment *s)
{
	size_t n = 0;

	if (s->mss) {
		at[n] = OPTION_MSS;
		at[n + 1] = 4;
		put16(at + n + 2, s->mss);
		n += 4;
	}
	if (s->has_scale) {
		at[n] = OPTION_NOP;
		at[n + 1] = OPTION_SCALE;
		at[n + 2] = 3;
		at[n + 3] = s->scale;
		n += 4;
	}
	if (s->has_timestamps) {
		at[n] = OPTION_NOP;
		at[n + 1] = OPTION_NOP;
		at[n + 2] = OPTION_TIMESTAMPS;
		at[n + 3] = 10;
		put32(at + n + 4, s->tsval);
		put32(at + n + 8, s->tsecr);
		n += 12;
	}
	return n;
}

size_t packet_tcp(uint8_t *out, size_t cap, const struct packet_path *path,
		  const struct segment *s)
{
	uint8_t options[24];
	size_t m = put_options(options, s);
	size_t n = TCP_OCTETS + m + s->n;
	size_t ip = path->from.family == 6 ? IP6_OCTETS : IP4_OCTETS;
	size_t total = PACKET_ETHER_OCTETS + ip + n;

	if (total > cap)
		return 0;
	uint8_t *at = put_ether(out, path->mac_to, path->mac_from,
				path->from.family == 6 ? ETHER_IP6 : ETHER_IP4);
	uint8_t *tcp = put_ip(at, &path->from, &path->to, PROTO_TCP, 64, n);

	put16(tcp, path->from.port);
	put16(tcp + 2, path->to.port);
	put32(tcp + 4, s->seq);
	put32(tcp + 8, s->ack);
	tcp[12] = (uint8_t)((TCP_OCTETS + m) / 4 << 4);
	tcp[13] = s->flags;
	put16(tcp + 14, s->window);
	put32(tcp + 16, 0);
	memcpy(tcp + TCP_OCTETS, options, m);
	if (s->n)
		memcpy(tcp + TCP_OCTETS + m, s->octets, s->n);
	uint64_t sum = packet_sum_pseudo(&path->from, &path->to, PROTO_TCP, n);

	put16(tcp + 16, packet_checksum(packet_sum(sum, tcp, n)));
	return total;
}

static const uint8_t everyone[PACKET_MAC] = {255, 255, 255, 255, 255, 255};

static size_t put_arp(uint8_t *out, size_t cap, const struct packet_path *path,
		      unsigned op, bool probe)
{
	if (cap < PACKET_ETHER_OCTETS + ARP_OCTETS)
		return 0;
	uint8_t *at = put_ether(out, op == 1 ? everyone : path->mac_to,
				path->mac_from, ETHER_ARP);

	memset(at, 0, ARP_OCTETS);
	put16(at, 1);
	put16(at + 2, ETHER_IP4);
	at[4] = 6;
	at[5] = 4;
	put16(at + 6, op);
	memcpy(at + 8, path->mac_from, PACKET_MAC);
	if (!probe)
		memcpy(at + 14, path->from.addr, 4);
	if (op == 2)
		memcpy(at + 18, path->mac_to, PACKET_MAC);
	memcpy(at + 24, path->to.addr, 4);
	return PACKET_ETHER_OCTETS + ARP_OCTETS;
}

/* The part after the IPv6 header, complete except for its checksum. */
static size_t finish_nd(uint8_t *nd, const struct link_end *from,
			const struct link_end *to, size_t n)
{
	uint64_t sum = packet_sum_pseudo(from, to, PROTO_ICMP6, n);

	put16(nd + 2, packet_checksum(packet_sum(sum, nd, n)));
	return PACKET_ETHER_OCTETS + IP6_OCTETS + n;
}

static void put_nd_option(uint8_t *at, unsigned type, const uint8_t *mac)
{
	at[0] = (uint8_t)type;
	at[1] = 1;
	memcpy(at + 2, mac, PACKET_MAC);
}

static size_t put_solicitation(uint8_t *out, size_t cap,
			       const struct packet_path *path, bool probe)
{
	struct link_end from = {.family = 6}, group = {.family = 6};
	uint8_t mac[PACKET_MAC] = {0x33, 0x33, 0xff};
	size_t n = ND_OCTETS + (probe ? 0 : ND_OPTION_OCTETS);

	if (cap < PACKET_ETHER_OCTETS + IP6_OCTETS + n)
		return 0;
	/* ff02::1:ffXX:XXXX, from the last three octets of the requested
	 * address. */
	static const uint8_t prefix[13] = {0xff, 2, [11] = 1, [12] = 0xff};

	memcpy(group.addr, prefix, sizeof(prefix));
	memcpy(group.addr + 13, path->to.addr + 13, 3);
	memcpy(mac + 3, path->to.addr + 13, 3);
	if (!probe)
		from = path->from;
	uint8_t *at = put_ether(out, mac, path->mac_from, ETHER_IP6);
	uint8_t *nd = put_ip(at, &from, &group, PROTO_ICMP6, 255, n);

	memset(nd, 0, ND_OCTETS);
	nd[0] = ICMP6_SOLICITATION;
	memcpy(nd + 8, path->to.addr, 16);
	if (!probe)
		put_nd_option(nd + ND_OCTETS, ND_OPTION_SOURCE, path->mac_from);
	return finish_nd(nd, &from, &group, n);
}

size_t packet_who_has(uint8_t *out, size_t cap, const struct packet_path *path,
		      bool probe)
{
	return path->to.family == 6 ? put_solicitation(out, cap, path, probe)
				    : put_arp(out, cap, path, 1, probe);
}

size_t packet_is_at(uint8_t *out, size_t cap, const struct packet_path *path)
{
	if (path->from.family == 4)
		return put_arp(out, cap, path, 2, false);

	static const uint8_t all_nodes[16] = {0xff, 2, [15] = 1};
	static const uint8_t none[16];
	struct link_end to = path->to;
	size_t n = ND_OCTETS + ND_OPTION_OCTETS;
	bool solicited = memcmp(to.addr, none, 16) != 0;

	if (cap < PACKET_ETHER_OCTETS + IP6_OCTETS + n)
		return 0;
	/* A probe has no source address: the answer goes to everyone (RFC 4861
	 * s7.2.4). */
	if (!solicited)
		memcpy(to.addr, all_nodes, 16);
	uint8_t *at = put_ether(out, path->mac_to, path->mac_from, ETHER_IP6);
	uint8_t *nd = put_ip(at, &path->from, &to, PROTO_ICMP6, 255, n);

	memset(nd, 0, ND_OCTETS);
	nd[0] = ICMP6_ADVERTISEMENT;
	nd[4] = solicited ? 0x60 : 0x20; /* solicited, override */
	memcpy(nd + 8, path->from.addr, 16);
	put_nd_option(nd + ND_OCTETS, ND_OPTION_TARGET, path->mac_from);
	return finish_nd(nd, &path->from, &to, n);
}

size_t packet_too_big(uint8_t *out, size_t cap, const struct packet_path *path,
		      uint32_t seq, uint32_t mtu)
{
	enum { ICMP_OCTETS = 8, QUOTED_OCTETS = 8 };
	bool six = path->from.family == 6;
	size_t ip = six ? IP6_OCTETS : IP4_OCTETS;
	size_t n = ICMP_OCTETS + ip + QUOTED_OCTETS;
	unsigned proto = six ? PROTO_ICMP6 : PROTO_ICMP;

	if (cap < PACKET_ETHER_OCTETS + ip + n)
		return 0;
	uint8_t *at = put_ether(out, path->mac_to, path->mac_from,
				six ? ETHER_IP6 : ETHER_IP4);
	uint8_t *icmp = put_ip(at, &path->from, &path->to, proto, 64, n);

	memset(icmp, 0, ICMP_OCTETS);
	icmp[0] = six ? ICMP6_TOO_BIG : ICMP_UNREACHABLE;
	icmp[1] = six ? 0 : ICMP_FRAGMENTATION_NEEDED;
	put32(icmp + 4, mtu);
	/* The quoted packet had the previous size of the path. */
	uint8_t *tcp = put_ip(icmp + ICMP_OCTETS, &path->to, &path->from,
			      PROTO_TCP, 64, mtu);

	put16(tcp, path->to.port);
	put16(tcp + 2, path->from.port);
	put32(tcp + 4, seq);
	uint64_t sum =
		six ? packet_sum_pseudo(&path->from, &path->to, proto, n) : 0;

	put16(icmp + 2, packet_checksum(packet_sum(sum, icmp, n)));
	return PACKET_ETHER_OCTETS + ip + n;
}
