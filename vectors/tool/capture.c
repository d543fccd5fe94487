/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/wire/cursor.h"
#include "harness/wire/ddp.h"
#include "harness/wire/fpdu.h"
#include "harness/wire/mpa.h"
#include "harness/wire/sctp.h"
#include "vectors/tool/capture.h"

#define IP_OCTETS      20
#define TCP_OCTETS     20
#define HEADERS        (IP_OCTETS + TCP_OCTETS)
#define SEGMENT_MAX    (65535 - HEADERS)
#define INITIATOR_PORT 50000
#define RESPONDER_PORT 50001

enum { IP_TCP = 6, IP_SCTP = 132 };
enum tcp_flag { TCP_SYN = 0x02, TCP_PSH = 0x08, TCP_ACK = 0x10 };

struct vec_capture {
	pcap_t *pcap;
	pcap_dumper_t *dump;
	const char *path;
	unsigned frames;
	uint32_t connection;
	/* next TCP sequence number of initiator and responder */
	uint32_t seq[2];
};

/* The one's complement sum of RFC 1071, unfolded. */
static uint32_t sum16(uint32_t sum, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sum += (uint32_t)p[i] << (i % 2 ? 0 : 8);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static void put_checksum(uint8_t at[2], uint32_t sum)
{
	uint16_t folded = (uint16_t) ~((sum & 0xffff) + (sum >> 16));

	at[0] = (uint8_t)(folded >> 8);
	at[1] = (uint8_t)folded;
}

static void put_ip(uint8_t *packet, uint16_t total, uint8_t protocol,
		   uint32_t from, uint32_t to)
{
	struct put p = put_into(packet, IP_OCTETS);

	put16(&p, 0x4500);
	put16(&p, total);
	put32(&p, 0x00004000); /* don't fragment */
	put16(&p, (uint16_t)(64 << 8 | protocol));
	put16(&p, 0);
	put32(&p, from);
	put32(&p, to);
	put_checksum(packet + 10, sum16(0, packet, IP_OCTETS));
}

static void put_tcp(struct vec_capture *c, uint8_t *packet, size_t total,
		    unsigned from, uint8_t flags)
{
	struct put p = put_into(packet + IP_OCTETS, TCP_OCTETS);
	size_t segment = total - IP_OCTETS;

	put16(&p, from ? RESPONDER_PORT : INITIATOR_PORT);
	put16(&p, from ? INITIATOR_PORT : RESPONDER_PORT);
	put32(&p, c->seq[from]);
	put32(&p, flags & TCP_ACK ? c->seq[!from] : 0);
	put8(&p, TCP_OCTETS / 4 << 4);
	put8(&p, flags);
	put16(&p, 65535);
	put32(&p, 0);
	/* The pseudo-header: both addresses, protocol, length. */
	put_checksum(packet + IP_OCTETS + 16,
		     sum16(sum16((uint32_t)(6 + segment), packet + 12, 8),
			   packet + IP_OCTETS, segment));
}

static unsigned dump(struct vec_capture *c, const uint8_t *packet, size_t n)
{
	struct pcap_pkthdr header = {.caplen = (bpf_u_int32)n,
				     .len = (bpf_u_int32)n};

	c->frames++;
	/* Time counts packets: a capture is the same octets every time. */
	header.ts.tv_sec = c->frames / 1000;
	header.ts.tv_usec = c->frames % 1000 * 1000;
	if (c->dump)
		pcap_dump((u_char *)c->dump, &header, packet);
	return c->frames;
}

/* One segment from the initiator (0) or responder (1); its frame number. */
static unsigned segment(struct vec_capture *c, unsigned from, uint8_t flags,
			const uint8_t *octets, size_t n)
{
	static uint8_t packet[HEADERS + SEGMENT_MAX];
	uint32_t initiator = 0x0a000000 | c->connection << 1;

	memset(packet, 0, HEADERS);
	if (n)
		memcpy(packet + HEADERS, octets, n);
	put_ip(packet, (uint16_t)(HEADERS + n), IP_TCP, initiator | from,
	       initiator | !from);
	put_tcp(c, packet, HEADERS + n, from, flags);
	c->seq[from] += (uint32_t)n + (flags & TCP_SYN ? 1 : 0);
	return dump(c, packet, HEADERS + n);
}

/* SYN to ACK, such that the octet after a Request of n is number `origin`. */
static void connection(struct vec_capture *c, uint32_t origin, size_t n)
{
	c->connection++;
	c->seq[0] = origin - (uint32_t)n - 1;
	c->seq[1] = 0x10000000;
	segment(c, 0, TCP_SYN, NULL, 0);
	segment(c, 1, TCP_SYN | TCP_ACK, NULL, 0);
	segment(c, 0, TCP_ACK, NULL, 0);
}

static void startup(struct vec_capture *c, bool reply, uint8_t flags)
{
	uint8_t octets[MPA_HEADER_OCTETS];
	struct mpa_startup f = {.flags = flags, .rev = 1};

	memcpy(f.key, reply ? mpa_key_reply : mpa_key_request, MPA_KEY_OCTETS);
	mpa_startup_encode(&f, octets, sizeof(octets));
	segment(c, reply, TCP_PSH | TCP_ACK, octets, sizeof(octets));
}

static void add_startup(struct vec_capture *c, const struct vec *v,
			struct vec_frames *where)
{
	bool reply = v->kind == VEC_MPA_REPLY;

	connection(c, 1, reply ? MPA_HEADER_OCTETS : v->n);
	if (reply)
		startup(c, false, MPA_C);
	where->frame[where->n++] =
		segment(c, reply, TCP_PSH | TCP_ACK, v->octets, v->n);
	if (!reply)
		startup(c, true, MPA_C);
}

/*
 * Markers have a phase of 512: a vector that starts at another phase gets one
 * preceding RDMA Write that fills the gap. 0 if none fits.
 */
static uint16_t filler_length(uint32_t gap)
{
	for (uint16_t n = DDP_TAGGED_OCTETS; n <= 2 * FPDU_MARKER_SPACING; n++)
		if (fpdu_octets(n, true, 0) == gap)
			return n;
	return 0;
}

static void filler(struct vec_capture *c, uint16_t ulpdu_length)
{
	uint8_t ulpdu[2 * FPDU_MARKER_SPACING] = {0xc1, 0x40};
	uint8_t octets[3 * FPDU_MARKER_SPACING];
	struct fpdu f;
	size_t n;

	fpdu_init(&f, ulpdu, ulpdu_length, true, 0);
	n = fpdu_encode(&f, octets, sizeof(octets));
	crc_put(octets + n - FPDU_CRC_OCTETS,
		crc32c(octets, n - FPDU_CRC_OCTETS));
	segment(c, 0, TCP_PSH | TCP_ACK, octets, n);
}

static void add_fpdus(struct vec_capture *c, const struct vec *v,
		      struct vec_frames *where)
{
	uint32_t gap = v->markers ? v->offset % FPDU_MARKER_SPACING : 0;
	uint8_t flags = v->crc ? MPA_C : 0;
	static uint8_t room[65536];
	struct fpdu f;
	size_t used;

	if (v->n > SEGMENT_MAX) {
		where->why_not = "longer than an IP datagram";
		return;
	}
	connection(c, v->offset - gap, MPA_HEADER_OCTETS);
	startup(c, false, flags);
	startup(c, true, flags | (v->markers ? MPA_M : 0));
	if (gap)
		filler(c, filler_length(gap));
	for (size_t at = 0; at < v->n && where->n < VEC_CAPTURE_FPDUS;
	     at += used) {
		if (fpdu_decode(&f, v->octets + at, v->n - at, v->markers,
				v->offset + (uint32_t)at, room, sizeof(room),
				&used) != FPDU_OK)
			return;
		where->frame[where->n++] =
			segment(c, 0, TCP_PSH | TCP_ACK, v->octets + at, used);
	}
}

/* A packet of its own, in an association of its own: only the chunk. */
static void add_chunk(struct vec_capture *c, const struct vec *v,
		      struct vec_frames *where)
{
	static uint8_t packet[65536];
	struct sctp_packet p = {
		.source = INITIATOR_PORT,
		.destination = RESPONDER_PORT,
		.chunks = v->octets,
		.chunk_octets = v->n,
	};
	uint8_t *at = packet + IP_OCTETS;
	size_t n;

	c->connection++;
	/* RFC 9260 s8.5.1: an INIT has no tag. */
	p.tag = v->octets[0] == SCTP_CHUNK_INIT ? 0 : c->connection;
	n = sctp_packet_encode(&p, at, sizeof(packet) - IP_OCTETS);
	if (!n) {
		where->why_not = "longer than an IP datagram";
		return;
	}
	crc_put(p.checksum, crc32c(at, n));
	sctp_packet_encode(&p, at, n);

	uint32_t initiator = 0x0a000000 | c->connection << 1;

	memset(packet, 0, IP_OCTETS);
	put_ip(packet, (uint16_t)(IP_OCTETS + n), IP_SCTP, initiator,
	       initiator | 1);
	where->frame[where->n++] = dump(c, packet, IP_OCTETS + n);
}

struct vec_capture *vec_capture_open(const char *path, char *why, size_t cap)
{
	struct vec_capture *c = calloc(1, sizeof(*c));

	if (!c || !path)
		return c;
	c->path = path;
	c->pcap = pcap_open_dead(DLT_RAW, 262144);
	if (c->pcap)
		c->dump = pcap_dump_open(c->pcap, path);
	if (c->dump)
		return c;
	snprintf(why, cap, "%s: %s", path,
		 c->pcap ? pcap_geterr(c->pcap) : "no memory for a capture");
	if (c->pcap)
		pcap_close(c->pcap);
	free(c);
	return NULL;
}

void vec_capture_add(struct vec_capture *c, const struct vec *v,
		     struct vec_frames *where)
{
	*where = (struct vec_frames){.why_not = "not a frame"};
	switch (v->kind) {
	case VEC_MPA_REQUEST:
	case VEC_MPA_REPLY:
		add_startup(c, v, where);
		break;
	case VEC_FPDU:
	case VEC_STREAM:
		add_fpdus(c, v, where);
		break;
	case VEC_SCTP:
		add_chunk(c, v, where);
		break;
	case VEC_CRC:
	case VEC_ATOMIC:
	case VEC_MULPDU:
		break;
	}
}

int vec_capture_close(struct vec_capture *c, char *why, size_t cap)
{
	int status = 0;

	if (c->dump) {
		if (pcap_dump_flush(c->dump) != 0) {
			snprintf(why, cap, "%s: %s", c->path, strerror(errno));
			status = -1;
		}
		pcap_dump_close(c->dump);
		pcap_close(c->pcap);
	}
	free(c);
	return status;
}
