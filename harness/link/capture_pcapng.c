/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to packets, and these to a file: pcapng, a section with one
 * interface. Sequence numbers are those of a network without loss; every packet
 * acknowledges everything before it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/link/capture_record.h"

enum {
	IP4_OCTETS = 20,
	IP6_OCTETS = 40,
	IP_TCP = 6,
	IP_SCTP = 132,
	TCP_OCTETS = 20,
	SYN_OPTIONS = 8,
	PACKET_MAX = IP6_OCTETS + TCP_OCTETS + CAPTURE_SEGMENT,
	SNAPLEN = 262144,
	COMMENT_MAX = 60000, /* an option has 65535 octets at most */
	TCP_FIN = 1,
	TCP_SYN = 2,
	TCP_RST = 4,
	TCP_PSH = 8,
	TCP_ACK = 16,
};

/* Wide open, so that no reader believes a window full. */
enum { WINDOW = 65535, WINDOW_SHIFT = 14 };

/* pcapng: blocks, options, and their contents. */
enum {
	BLOCK_SECTION = 0x0a0d0d0a,
	BLOCK_INTERFACE = 1,
	BLOCK_PACKET = 6,
	BYTE_ORDER_MAGIC = 0x1a2b3c4d,
	BLOCK_FRAME_OCTETS = 12, /* type, length, length again */
	OPTION_END = 0,
	OPTION_COMMENT = 1,
	OPTION_APPLICATION = 4, /* of a section */
	OPTION_NAME = 2,        /* of an interface */
	OPTION_RESOLUTION = 9,
	OPTION_FLAGS = 2, /* of a packet: its direction */
	FLAG_INBOUND = 1,
	FLAG_OUTBOUND = 2,
	NANOSECONDS = 9,
	LINKTYPE_ETHERNET = 1,
	LINKTYPE_IP = 101,
};

struct writer {
	const struct capture *c;
	const struct capture_about *about;
	FILE *out;        /* NULL: only count */
	uint64_t octets;  /* so far */
	unsigned packets; /* likewise */
	unsigned all;     /* packets, when they were counted */
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

/* --- blocks and their options ---------------------------------------------- */

static void put_octets(struct writer *w, const void *octets, size_t n)
{
	w->octets += n;
	if (!w->out || !n)
		return;
	(void)!fwrite(octets, 1, n, w->out);
	if (w->about->written)
		w->about->written(w->about->user, octets, n);
}

static void put_number(struct writer *w, uint32_t v)
{
	put_octets(w, &v, sizeof(v));
}

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static void put_padded(struct writer *w, const void *octets, size_t n)
{
	static const uint8_t zeros[4];

	put_octets(w, octets, n);
	put_octets(w, zeros, padded(n) - n);
}

struct option {
	unsigned code;
	const void *value; /* NULL: there is none */
	size_t n;
};

static struct option text_option(unsigned code, const char *text)
{
	size_t n = text ? strnlen(text, COMMENT_MAX) : 0;

	/* Not in the middle of a character. */
	while (n == COMMENT_MAX && n && ((uint8_t)text[n] & 0xc0) == 0x80)
		n--;
	return (struct option){code, n ? text : NULL, n};
}

/* A block of `fixed` octets, data (padded), and options. */
static void put_block(struct writer *w, uint32_t type, const void *fixed,
		      size_t n, const void *data, size_t data_octets,
		      const struct option *options, size_t count)
{
	size_t total = BLOCK_FRAME_OCTETS + n + padded(data_octets) + 4;

	for (size_t i = 0; i < count; i++)
		total += options[i].value ? 4 + padded(options[i].n) : 0;
	put_number(w, type);
	put_number(w, (uint32_t)total);
	put_octets(w, fixed, n);
	put_padded(w, data, data_octets);
	for (size_t i = 0; i < count; i++) {
		uint16_t head[2] = {(uint16_t)options[i].code,
				    (uint16_t)options[i].n};

		if (!options[i].value)
			continue;
		put_octets(w, head, sizeof(head));
		put_padded(w, options[i].value, options[i].n);
	}
	put_number(w, OPTION_END);
	put_number(w, (uint32_t)total);
}

static void put_section(struct writer *w)
{
	const struct capture_about *about = w->about;
	uint32_t fixed[] = {BYTE_ORDER_MAGIC, 0, UINT32_MAX, UINT32_MAX};
	uint16_t version[] = {1, 0};
	const struct option options[] = {
		text_option(OPTION_COMMENT, about->comment),
		text_option(OPTION_APPLICATION, about->application),
	};

	memcpy(&fixed[1], version, sizeof(version));
	put_block(w, BLOCK_SECTION, fixed, sizeof(fixed), NULL, 0, options, 2);
}

static void put_interface(struct writer *w)
{
	uint16_t link = w->c->frames ? LINKTYPE_ETHERNET : LINKTYPE_IP;
	uint8_t resolution = NANOSECONDS;
	uint32_t fixed[] = {0, SNAPLEN};
	const struct option options[] = {
		text_option(OPTION_NAME, w->about->link),
		{OPTION_RESOLUTION, &resolution, sizeof(resolution)},
	};

	memcpy(fixed, &link, sizeof(link));
	put_block(w, BLOCK_INTERFACE, fixed, sizeof(fixed), NULL, 0, options,
		  2);
}

/* Flags: which way it went, or 0. */
static void put_captured(struct writer *w, uint64_t at_ns, uint32_t flags,
			 const void *octets, size_t n, size_t length,
			 const char *comment)
{
	uint32_t fixed[] = {0, (uint32_t)(at_ns >> 32), (uint32_t)at_ns,
			    (uint32_t)n, (uint32_t)length};
	bool first = w->packets == 0, last = ++w->packets == w->all;
	const struct option options[] = {
		text_option(OPTION_COMMENT, comment),
		text_option(OPTION_COMMENT, first ? w->about->first : NULL),
		text_option(OPTION_COMMENT, last ? w->about->last : NULL),
		{OPTION_FLAGS, flags ? &flags : NULL, sizeof(flags)},
	};

	put_block(w, BLOCK_PACKET, fixed, sizeof(fixed), octets, n, options, 4);
}

/* --- packets ------------------------------------------------------------------ */

static size_t put_ip(struct writer *w, const struct link_end *from,
		     const struct link_end *to, uint8_t protocol, size_t octets)
{
	uint8_t *ip = w->packet;

	if (from->family == 6) {
		memset(ip, 0, IP6_OCTETS);
		ip[0] = 0x60;
		put16(ip + 4, (uint32_t)octets);
		ip[6] = protocol;
		ip[7] = 64;
		memcpy(ip + 8, from->addr, 16);
		memcpy(ip + 24, to->addr, 16);
		return IP6_OCTETS;
	}
	memset(ip, 0, IP4_OCTETS);
	ip[0] = 0x45;
	put16(ip + 2, (uint32_t)(IP4_OCTETS + octets));
	put16(ip + 4, w->ip_id++);
	ip[6] = 0x40; /* do not fragment */
	ip[8] = 64;
	ip[9] = protocol;
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
	size_t ip = put_ip(w, from, to, IP_TCP, header + n);
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
			2, 4, CAPTURE_MSS >> 8, CAPTURE_MSS & 0xff, 1,
			3, 3, WINDOW_SHIFT};
		memcpy(tcp + TCP_OCTETS, options, SYN_OPTIONS);
	}
	if (n > 0)
		memcpy(tcp + header, octets, n);
	/* The pseudo-header: both addresses, the protocol, the length. */
	size_t addr = from->family == 6 ? 16 : 4;
	uint64_t sum = IP_TCP + header + n;
	sum = sum16(sum, from->addr, addr);
	sum = sum16(sum, to->addr, addr);
	put16(tcp + 16, fold16(sum16(sum, tcp, header + n)));

	seq[dir] += (uint32_t)n + (flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
	put_captured(w, r->at_ns + w->c->epoch_ns,
		     dir == CAPTURE_SENT ? FLAG_OUTBOUND : FLAG_INBOUND,
		     w->packet, ip + header + n, ip + header + n, NULL);
}

static void put_sctp(struct writer *w, const struct record *r,
		     const uint8_t *octets)
{
	struct capture_sctp_head head;
	size_t n = r->n - sizeof(head);

	memcpy(&head, octets, sizeof(head));
	size_t ip =
		put_ip(w, &head.end[r->dir], &head.end[1 - r->dir], IP_SCTP, n);

	memcpy(w->packet + ip, octets + sizeof(head), n);
	put_captured(w, r->at_ns + w->c->epoch_ns,
		     r->dir == CAPTURE_SENT ? FLAG_OUTBOUND : FLAG_INBOUND,
		     w->packet, ip + n, ip + n, head.comment);
}

static void put_frame(struct writer *w, const struct record *r,
		      const uint8_t *octets)
{
	uint32_t length;

	memcpy(&length, octets, sizeof(length));
	put_captured(w, r->at_ns, 0, octets + sizeof(length),
		     r->n - sizeof(length), length, NULL);
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
	case RECORD_SCTP:
		put_sctp(w, r, octets);
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

static void put_all(struct writer *w)
{
	w->octets = 0;
	w->packets = 0;
	w->ip_id = 0;
	put_section(w);
	put_interface(w);
	put_records(w);
}

static void writer_init(struct writer *w, const struct capture *c,
			const struct capture_about *about)
{
	static const struct capture_about nothing;

	w->c = c;
	w->about = about ? about : &nothing;
	w->out = NULL;
	w->all = 0;
	put_all(w);
	w->all = w->packets;
}

uint64_t capture_octets(const struct capture *c,
			const struct capture_about *about)
{
	struct writer *w = malloc(sizeof(*w));
	uint64_t n = UINT64_MAX;

	if (!w)
		return n;
	writer_init(w, c, about);
	w->all = w->packets;
	put_all(w); /* with the note about the last one */
	n = w->octets;
	free(w);
	return n;
}

/* Never overwrite a file of somebody else, wherever a link of that name leads:
 * the remains of an earlier process of this number are removed, and the file is
 * a new one. */
static FILE *new_file(const char *name)
{
	int fd;

	unlink(name);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	FILE *out = fdopen(fd, "w");

	if (!out)
		close(fd);
	return out;
}

/* 0, or an errno. */
static int write_file(const struct capture *c,
		      const struct capture_about *about, struct writer *w,
		      const char *name)
{
	writer_init(w, c, about);
	errno = 0;
	w->out = new_file(name);
	if (!w->out)
		return errno ? errno : EIO;
	put_all(w);
	bool bad = fflush(w->out) != 0 || ferror(w->out);
	int error = errno ? errno : EIO;

	bad |= fclose(w->out) != 0;
	return bad ? error : 0;
}

int capture_save(const struct capture *c, const struct capture_about *about,
		 const char *path, char why[CAPTURE_WHY])
{
	size_t n = strlen(path) + 32;
	char *tmp = malloc(n);
	struct writer *w = malloc(sizeof(*w));
	int error = ENOMEM;

	if (tmp && w) {
		snprintf(tmp, n, "%s.%ld.part", path, (long)getpid());
		error = write_file(c, about, w, tmp);
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
