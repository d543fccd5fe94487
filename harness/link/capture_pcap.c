/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to packets. Sequence numbers are what they would be on a
 * network without loss; every packet acknowledges all that came before it.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/link/capture_record.h"

enum {
	IP4_OCTETS = 20,
	IP6_OCTETS = 40,
	TCP_OCTETS = 20,
	SYN_OPTIONS = 8,
	PACKET_MAX = IP6_OCTETS + TCP_OCTETS + CAPTURE_SEGMENT,
	SNAPLEN = 262144,
	TCP_FIN = 1,
	TCP_SYN = 2,
	TCP_RST = 4,
	TCP_PSH = 8,
	TCP_ACK = 16,
};

/* Wide open, so that no reader believes a window full. */
enum { WINDOW = 65535, WINDOW_SHIFT = 14 };

struct writer {
	const struct capture *c;
	pcap_dumper_t *out;
	uint16_t ip_id;
	uint32_t seq[CAPTURE_FLOWS][2]; /* next of each direction */
	uint8_t packet[PACKET_MAX];
};

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

/* The Internet checksum's sum over n octets, not folded. */
static uint64_t sum16(uint64_t sum, const uint8_t *at, size_t n)
{
	for (; n > 1; n -= 2, at += 2)
		sum += (uint32_t)at[0] << 8 | at[1];
	return n ? sum + ((uint32_t)at[0] << 8) : sum;
}

static uint16_t fold16(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static size_t put_ip(struct writer *w, const struct link_end *from,
		     const struct link_end *to, size_t tcp_octets)
{
	uint8_t *ip = w->packet;

	if (from->family == 6) {
		memset(ip, 0, IP6_OCTETS);
		ip[0] = 0x60;
		put16(ip + 4, (uint32_t)tcp_octets);
		ip[6] = 6;
		ip[7] = 64;
		memcpy(ip + 8, from->addr, 16);
		memcpy(ip + 24, to->addr, 16);
		return IP6_OCTETS;
	}
	memset(ip, 0, IP4_OCTETS);
	ip[0] = 0x45;
	put16(ip + 2, (uint32_t)(IP4_OCTETS + tcp_octets));
	put16(ip + 4, w->ip_id++);
	ip[6] = 0x40; /* do not fragment */
	ip[8] = 64;
	ip[9] = 6;
	memcpy(ip + 12, from->addr, 4);
	memcpy(ip + 16, to->addr, 4);
	put16(ip + 10, fold16(sum16(0, ip, IP4_OCTETS)));
	return IP4_OCTETS;
}

static void put_packet(struct writer *w, const struct record *r,
		       enum capture_dir dir, unsigned flags,
		       const uint8_t *octets, size_t n)
{
	const struct link_end *from = &w->c->flow[r->flow].end[dir];
	const struct link_end *to = &w->c->flow[r->flow].end[1 - dir];
	uint32_t *seq = w->seq[r->flow];
	size_t header = TCP_OCTETS + (flags & TCP_SYN ? SYN_OPTIONS : 0);
	size_t ip = put_ip(w, from, to, header + n);
	uint8_t *tcp = w->packet + ip;

	memset(tcp, 0, header);
	put16(tcp, from->port);
	put16(tcp + 2, to->port);
	put32(tcp + 4, seq[dir]);
	if (flags & TCP_ACK)
		put32(tcp + 8, seq[1 - dir]);
	tcp[12] = (uint8_t)(header / 4 << 4);
	tcp[13] = (uint8_t)flags;
	if (!(flags & TCP_RST))
		put16(tcp + 14, WINDOW);
	if (flags & TCP_SYN) {
		static const uint8_t options[SYN_OPTIONS] = {
			2, 4, CAPTURE_SEGMENT >> 8, CAPTURE_SEGMENT & 0xff, 1,
			3, 3, WINDOW_SHIFT};
		memcpy(tcp + TCP_OCTETS, options, SYN_OPTIONS);
	}
	if (n > 0)
		memcpy(tcp + header, octets, n);
	/* The pseudo-header: both addresses, the protocol, the length. */
	size_t addr = from->family == 6 ? 16 : 4;
	uint64_t sum = 6 + header + n;
	sum = sum16(sum, from->addr, addr);
	sum = sum16(sum, to->addr, addr);
	put16(tcp + 16, fold16(sum16(sum, tcp, header + n)));

	seq[dir] += (uint32_t)n + (flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
	uint64_t at = r->at_ns + w->c->epoch_ns;
	struct pcap_pkthdr h = {
		.ts = {.tv_sec = (time_t)(at / CLOCK_NS_PER_S),
		       /* nanoseconds, as the file says */
		       .tv_usec = (suseconds_t)(at % CLOCK_NS_PER_S)},
		.caplen = (bpf_u_int32)(ip + header + n),
		.len = (bpf_u_int32)(ip + header + n)};
	pcap_dump((u_char *)w->out, &h, w->packet);
}

static void put_frame(struct writer *w, const struct record *r,
		      const uint8_t *octets)
{
	uint32_t length;

	memcpy(&length, octets, sizeof(length));
	struct pcap_pkthdr h = {
		.ts = {.tv_sec = (time_t)(r->at_ns / CLOCK_NS_PER_S),
		       .tv_usec = (suseconds_t)(r->at_ns % CLOCK_NS_PER_S)},
		.caplen = (bpf_u_int32)(r->n - sizeof(length)),
		.len = length};
	pcap_dump((u_char *)w->out, &h, octets + sizeof(length));
}

static void put_record(struct writer *w, const struct record *r,
		       const uint8_t *octets)
{
	enum capture_dir dir = r->dir;
	enum capture_dir other = 1 - dir;

	switch ((enum record_kind)r->kind) {
	case RECORD_OPEN:
		w->seq[r->flow][dir] = 0x10000000u;
		w->seq[r->flow][other] = 0x20000000u;
		put_packet(w, r, dir, TCP_SYN, NULL, 0);
		put_packet(w, r, other, TCP_SYN | TCP_ACK, NULL, 0);
		put_packet(w, r, dir, TCP_ACK, NULL, 0);
		break;
	case RECORD_DATA:
		put_packet(w, r, dir, TCP_PSH | TCP_ACK, octets, r->n);
		break;
	case RECORD_FIN:
		put_packet(w, r, dir, TCP_FIN | TCP_ACK, NULL, 0);
		put_packet(w, r, other, TCP_ACK, NULL, 0);
		break;
	case RECORD_RESET:
		put_packet(w, r, dir, TCP_RST | TCP_ACK, NULL, 0);
		break;
	case RECORD_FRAME:
		put_frame(w, r, octets);
		break;
	}
}

static void put_records(struct writer *w)
{
	const struct capture *c = w->c;
	struct record r;

	for (size_t at = 0; at < c->used; at += sizeof(r) + r.n) {
		memcpy(&r, c->octets + at, sizeof(r));
		if (c->frames && r.kind != RECORD_FRAME)
			continue;
		put_record(w, &r, c->octets + at + sizeof(r));
	}
}

/* 0, or an errno. */
static int write_file(const struct capture *c, struct writer *w,
		      const char *name)
{
	pcap_t *p = pcap_open_dead_with_tstamp_precision(
		c->frames ? DLT_EN10MB : DLT_RAW, SNAPLEN,
		PCAP_TSTAMP_PRECISION_NANO);

	if (!p)
		return ENOMEM;
	errno = 0;
	w->out = pcap_dump_open(p, name);
	if (!w->out) {
		int error = errno ? errno : EIO;
		pcap_close(p);
		return error;
	}
	w->c = c;
	w->ip_id = 0;
	put_records(w);
	int bad = pcap_dump_flush(w->out) != 0;
	int error = errno ? errno : EIO;
	bad |= ferror(pcap_dump_file(w->out)) != 0;
	pcap_dump_close(w->out);
	pcap_close(p);
	return bad ? error : 0;
}

int capture_save(const struct capture *c, const char *path,
		 char why[CAPTURE_WHY])
{
	size_t n = strlen(path) + 32;
	char *tmp = malloc(n);
	struct writer *w = malloc(sizeof(*w));
	int error = ENOMEM;

	if (tmp && w) {
		snprintf(tmp, n, "%s.%ld.part", path, (long)getpid());
		error = write_file(c, w, tmp);
		if (!error && rename(tmp, path) != 0)
			error = errno;
		if (error)
			unlink(tmp);
	}
	free(w);
	free(tmp);
	if (!error)
		return 0;
	snprintf(why, CAPTURE_WHY, "capture %.180s: %s", path, strerror(error));
	return -1;
}
