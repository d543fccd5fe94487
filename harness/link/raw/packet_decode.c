/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading frames. */
#include "harness/link/raw/packet.h"

#include <string.h>

#include "harness/link/raw/packet_internal.h"

/* Never beyond its end: from the first read that would be, it is `out`, and
 * reads zeros. */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool out;
};

static const uint8_t *take(struct cursor *c, size_t n)
{
	static const uint8_t zeros[16];

	if (n > c->left) {
		c->out = true;
		c->left = 0;
		return zeros;
	}
	const uint8_t *at = c->at;

	c->at += n;
	c->left -= n;
	return at;
}

static uint8_t get8(struct cursor *c)
{
	return *take(c, 1);
}

static uint16_t get16(struct cursor *c)
{
	const uint8_t *at = take(c, 2);

	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t get32(struct cursor *c)
{
	uint32_t high = get16(c);

	return high << 16 | get16(c);
}

static void get(struct cursor *c, uint8_t *to, size_t n)
{
	memcpy(to, take(c, n), n);
}

static void skip(struct cursor *c, size_t n)
{
	if (n > c->left)
		c->out = true;
	else
		take(c, n);
}

static struct link_end get_end(struct cursor *c, uint8_t family)
{
	struct link_end e = {.family = family};

	get(c, e.addr, family == 6 ? 16 : 4);
	return e;
}

static void reject(struct packet *p, enum packet_flaw flaw)
{
	p->kind = PACKET_OTHER;
	p->flaw = flaw;
}

/* --- ARP and neighbour discovery --------------------------------------- */

static void decode_arp(struct packet *p, struct cursor *c)
{
	bool ether = get16(c) == 1 && get16(c) == ETHER_IP4 && get8(c) == 6 &&
		     get8(c) == 4;
	unsigned op = get16(c);

	get(c, p->lladdr, PACKET_MAC);
	p->from = get_end(c, 4);
	skip(c, PACKET_MAC);
	p->to = get_end(c, 4);
	if (c->out)
		reject(p, PACKET_SHORT);
	else if (!ether || op < 1 || op > 2)
		reject(p, PACKET_FOREIGN);
	else
		p->kind = op == 1 ? PACKET_ARP_REQUEST : PACKET_ARP_REPLY;
}

/* The link-layer address among the options; false: there is none. */
static bool nd_address(struct packet *p, struct cursor *c, unsigned wanted)
{
	while (c->left) {
		unsigned type = get8(c);
		size_t n = (size_t)get8(c) * 8;

		if (n < 2 || n - 2 > c->left) {
			reject(p, PACKET_BAD_HEADER);
			return false;
		}
		if (type == wanted && n == ND_OPTION_OCTETS) {
			get(c, p->lladdr, PACKET_MAC);
			return true;
		}
		skip(c, n - 2);
	}
	return false;
}

static void decode_nd(struct packet *p, struct cursor *c, unsigned type,
		      unsigned hops)
{
	bool asks = type == ICMP6_SOLICITATION;

	skip(c, 4);
	p->to = get_end(c, 6);
	if (c->out) {
		reject(p, PACKET_SHORT);
		return;
	}
	/* RFC 4861 s7.1: from another link, it has fewer hops left. */
	if (hops != 255) {
		reject(p, PACKET_BAD_HEADER);
		return;
	}
	p->kind = asks ? PACKET_ND_SOLICITATION : PACKET_ND_ADVERTISEMENT;
	if (!nd_address(p, c, asks ? ND_OPTION_SOURCE : ND_OPTION_TARGET) &&
	    p->kind != PACKET_OTHER)
		memcpy(p->lladdr, p->mac_from, PACKET_MAC);
}

/* --- ICMP about a segment of ours ---------------------------------------- */

/* The quoted part: an IP header and the first 8 octets after it, the last 4 of
 * which are the sequence number. */
static void decode_quoted(struct packet *p, struct cursor *c, uint8_t family)
{
	unsigned proto;

	if (family == 4) {
		size_t header = (size_t)(get8(c) & 15) * 4;

		skip(c, 8);
		proto = get8(c);
		skip(c, 2);
		p->from = get_end(c, 4);
		p->to = get_end(c, 4);
		if (header > IP4_OCTETS)
			skip(c, header - IP4_OCTETS);
	} else {
		skip(c, 6);
		proto = get8(c);
		skip(c, 1);
		p->from = get_end(c, 6);
		p->to = get_end(c, 6);
	}
	p->from.port = get16(c);
	p->to.port = get16(c);
	p->tcp.seq = get32(c);
	if (c->out)
		reject(p, PACKET_SHORT);
	else if (proto != PROTO_TCP)
		reject(p, PACKET_FOREIGN);
	else
		p->kind = PACKET_TOO_BIG;
}

static void decode_icmp(struct packet *p, struct cursor *c)
{
	if (packet_checksum(packet_sum(0, c->at, c->left)) != 0) {
		reject(p, PACKET_BAD_CHECKSUM);
		return;
	}
	bool too_big = get8(c) == ICMP_UNREACHABLE &&
		       get8(c) == ICMP_FRAGMENTATION_NEEDED;

	skip(c, 4);
	p->mtu = get16(c);
	if (too_big)
		decode_quoted(p, c, 4);
	else
		reject(p, PACKET_FOREIGN);
}

static void decode_icmp6(struct packet *p, struct cursor *c, unsigned hops)
{
	uint64_t sum =
		packet_sum_pseudo(&p->from, &p->to, PROTO_ICMP6, c->left);

	if (packet_checksum(packet_sum(sum, c->at, c->left)) != 0) {
		reject(p, PACKET_BAD_CHECKSUM);
		return;
	}
	unsigned type = get8(c);

	skip(c, 3);
	if (type == ICMP6_TOO_BIG) {
		p->mtu = get32(c);
		decode_quoted(p, c, 6);
	} else if (type == ICMP6_SOLICITATION || type == ICMP6_ADVERTISEMENT) {
		decode_nd(p, c, type, hops);
	} else {
		reject(p, PACKET_FOREIGN);
	}
}

/* --- TCP ---------------------------------------- */

static enum packet_flaw decode_options(struct segment *s, struct cursor *c)
{
	while (c->left) {
		unsigned kind = get8(c);

		if (kind == OPTION_END)
			break;
		if (kind == OPTION_NOP)
			continue;
		size_t n = get8(c);

		if (c->out || n < 2 || n - 2 > c->left)
			return PACKET_BAD_OPTION;
		if (kind == OPTION_MSS && n == 4) {
			s->mss = get16(c);
		} else if (kind == OPTION_SCALE && n == 3) {
			s->has_scale = true;
			s->scale = get8(c);
		} else if (kind == OPTION_TIMESTAMPS && n == 10) {
			s->has_timestamps = true;
			s->tsval = get32(c);
			s->tsecr = get32(c);
		} else if (kind == OPTION_MSS || kind == OPTION_SCALE ||
			   kind == OPTION_TIMESTAMPS) {
			return PACKET_BAD_OPTION;
		} else {
			skip(c, n - 2);
		}
	}
	return PACKET_FINE;
}

/* In a packet captured before it reached the hardware, the checksum is only
 * that of the pseudo-header, not complemented. */
static enum packet_flaw check_tcp(struct packet *p, const uint8_t *at, size_t n)
{
	uint64_t sum = packet_sum_pseudo(&p->from, &p->to, PROTO_TCP, n);
	uint16_t partial = (uint16_t)~packet_checksum(sum);

	if (packet_checksum(packet_sum(sum, at, n)) == 0)
		return PACKET_FINE;
	p->checksum_offloaded = (at[16] << 8 | at[17]) == partial;
	return p->checksum_offloaded ? PACKET_FINE : PACKET_BAD_CHECKSUM;
}

static void decode_tcp(struct packet *p, struct cursor *c)
{
	struct segment *s = &p->tcp;
	const uint8_t *start = c->at;
	size_t n = c->left;

	p->from.port = get16(c);
	p->to.port = get16(c);
	s->seq = get32(c);
	s->ack = get32(c);
	size_t header = (size_t)(get8(c) >> 4) * 4;

	s->flags = get8(c);
	s->window = get16(c);
	skip(c, 4);
	if (c->out) {
		reject(p, PACKET_SHORT);
		return;
	}
	if (header < TCP_OCTETS || header > n) {
		reject(p, PACKET_BAD_HEADER);
		return;
	}
	struct cursor options = {.at = c->at, .left = header - TCP_OCTETS};

	skip(c, options.left);
	s->octets = c->at;
	s->n = c->left;
	p->kind = PACKET_TCP;
	p->flaw = p->cut ? PACKET_FINE : check_tcp(p, start, n);
	if (p->flaw == PACKET_FINE)
		p->flaw = decode_options(s, &options);
	if (p->flaw != PACKET_FINE)
		reject(p, p->flaw);
}

/* --- SCTP and UDP, of captures ---------------------------------------- */

static void decode_datagram(struct packet *p, struct cursor *c, unsigned proto)
{
	if (proto == PROTO_UDP) {
		p->from.port = get16(c);
		p->to.port = get16(c);
		skip(c, UDP_OCTETS - 4);
	}
	if (c->out) {
		reject(p, PACKET_SHORT);
		return;
	}
	p->kind = proto == PROTO_UDP ? PACKET_UDP : PACKET_SCTP;
	p->octets = c->at;
	p->n = c->left;
}

/* --- IP ---------------------------------------- */

static void decode_ip4(struct packet *p, struct cursor *c, size_t length,
		       bool may_be_cut)
{
	const uint8_t *start = c->at;
	size_t there = c->left;
	unsigned version = get8(c);
	size_t header = (size_t)(version & 15) * 4;

	skip(c, 1);
	size_t total = get16(c);

	skip(c, 2);
	unsigned fragment = get16(c) & 0x3fff;

	skip(c, 1);
	unsigned proto = get8(c);

	skip(c, 2);
	p->from = get_end(c, 4);
	p->to = get_end(c, 4);
	/* Sent with segmentation offload beyond 64 KiB, it says 0. */
	if (total == 0 && (there == length || may_be_cut))
		total = length;
	if (may_be_cut && total > there && total <= length) {
		p->cut = total - there;
		total = there;
	}
	if (c->out || header > there || total > there) {
		reject(p, PACKET_SHORT);
		return;
	}
	if (version >> 4 != 4 || header < IP4_OCTETS || total < header) {
		reject(p, PACKET_BAD_HEADER);
		return;
	}
	if (packet_checksum(packet_sum(0, start, header)) != 0) {
		reject(p, PACKET_BAD_CHECKSUM);
		return;
	}
	c->at = start + header;
	c->left = total - header;
	if (fragment)
		reject(p, PACKET_FOREIGN);
	else if (proto == PROTO_TCP)
		decode_tcp(p, c);
	else if (proto == PROTO_ICMP)
		decode_icmp(p, c);
	else if (may_be_cut && (proto == PROTO_SCTP || proto == PROTO_UDP))
		decode_datagram(p, c, proto);
	else
		reject(p, PACKET_FOREIGN);
}

/* Extension headers, fragments among them, are not followed. */
static void decode_ip6(struct packet *p, struct cursor *c, size_t length,
		       bool may_be_cut)
{
	unsigned version = get8(c) >> 4;

	skip(c, 3);
	size_t n = get16(c);
	unsigned proto = get8(c);
	unsigned hops = get8(c);

	p->from = get_end(c, 6);
	p->to = get_end(c, 6);
	if (may_be_cut && n == 0 && length > IP6_OCTETS)
		n = length - IP6_OCTETS;
	if (may_be_cut && n > c->left && n + IP6_OCTETS <= length) {
		p->cut = n - c->left;
		n = c->left;
	}
	if (c->out || n > c->left) {
		reject(p, PACKET_SHORT);
		return;
	}
	if (version != 6) {
		reject(p, PACKET_BAD_HEADER);
		return;
	}
	c->left = n;
	if (proto == PROTO_TCP)
		decode_tcp(p, c);
	else if (proto == PROTO_ICMP6)
		decode_icmp6(p, c, hops);
	else if (may_be_cut && (proto == PROTO_SCTP || proto == PROTO_UDP))
		decode_datagram(p, c, proto);
	else
		reject(p, PACKET_FOREIGN);
}

void packet_decode(struct packet *p, const uint8_t *octets, size_t n,
		   size_t length)
{
	struct cursor c = {.at = octets, .left = n};

	*p = (struct packet){0};
	get(&c, p->mac_to, PACKET_MAC);
	get(&c, p->mac_from, PACKET_MAC);
	unsigned type = get16(&c);

	if (c.out)
		reject(p, PACKET_SHORT);
	else if (type == ETHER_ARP)
		decode_arp(p, &c);
	else if (type == ETHER_IP4)
		decode_ip4(p, &c, length - PACKET_ETHER_OCTETS, false);
	else if (type == ETHER_IP6)
		decode_ip6(p, &c, length - PACKET_ETHER_OCTETS, false);
	else
		reject(p, PACKET_FOREIGN);
}

void packet_decode_ip(struct packet *p, const uint8_t *octets, size_t n,
		      size_t length)
{
	struct cursor c = {.at = octets, .left = n};

	*p = (struct packet){0};
	if (n && octets[0] >> 4 == 6)
		decode_ip6(p, &c, length, true);
	else
		decode_ip4(p, &c, length, true);
}
