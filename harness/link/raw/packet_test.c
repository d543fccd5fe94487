/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames written, read back, and then hurt. */
#include "harness/link/raw/packet.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"

enum { FRAME = 2048, TCP_AT_4 = 14 + 20, TCP_AT_6 = 14 + 40 };

static struct packet_path path(bool v6)
{
	struct packet_path p = {.mac_to = {2, 0, 0, 0, 0, 1},
				.mac_from = {2, 0, 0, 0, 0, 2}};

	link_end_parse(&p.from, v6 ? "fd77::3" : "10.77.0.3", 1000);
	link_end_parse(&p.to, v6 ? "fd77::2" : "10.77.0.2", 2000);
	return p;
}

static const struct segment full = {
	.seq = 0xfffffffe,
	.ack = 0x01020304,
	.window = 500,
	.flags = SEGMENT_SYN | SEGMENT_ACK,
	.mss = 1460,
	.has_scale = true,
	.scale = 7,
	.has_timestamps = true,
	.tsval = 0xaabbccdd,
	.tsecr = 0x11223344,
	.octets = (const uint8_t *)"hello",
	.n = 5,
};

static size_t make(uint8_t *frame, bool v6)
{
	struct packet_path p = path(v6);

	return packet_tcp(frame, FRAME, &p, &full);
}

/* The frame in memory of its very size, so that a read beyond it is seen. */
static struct packet read_back(const uint8_t *frame, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1);
	struct packet p;

	memcpy(exact, frame, n);
	packet_decode(&p, exact, n, n);
	free(exact);
	p.tcp.octets = NULL;
	return p;
}

static void a_segment_reads_back(void)
{
	for (int v6 = 0; v6 < 2; v6++) {
		struct packet_path to = path(v6);
		uint8_t frame[FRAME];
		size_t n = make(frame, v6);
		struct packet p;

		packet_decode(&p, frame, n, n);
		CU_ASSERT_EQUAL_FATAL(p.kind, PACKET_TCP);
		CU_ASSERT_EQUAL(memcmp(&p.from, &to.from, sizeof(p.from)), 0);
		CU_ASSERT_EQUAL(memcmp(&p.to, &to.to, sizeof(p.to)), 0);
		CU_ASSERT_EQUAL(p.tcp.seq, full.seq);
		CU_ASSERT_EQUAL(p.tcp.ack, full.ack);
		CU_ASSERT_EQUAL(p.tcp.flags, full.flags);
		CU_ASSERT_EQUAL(p.tcp.window, 500);
		CU_ASSERT_EQUAL(p.tcp.mss, 1460);
		CU_ASSERT_TRUE(p.tcp.has_scale && p.tcp.scale == 7);
		CU_ASSERT_TRUE(p.tcp.has_timestamps);
		CU_ASSERT_EQUAL(p.tcp.tsval, full.tsval);
		CU_ASSERT_EQUAL(p.tcp.tsecr, full.tsecr);
		CU_ASSERT_EQUAL(p.tcp.n, 5);
		CU_ASSERT_EQUAL(memcmp(p.tcp.octets, "hello", 5), 0);
		CU_ASSERT_FALSE(p.checksum_offloaded);
		CU_ASSERT_EQUAL(packet_tcp(frame, n - 1, &to, &full), 0);
	}
}

/* What an Ethernet fills a short frame up with is not part of it. */
static void padding_is_not_octets(void)
{
	uint8_t frame[FRAME] = {0};
	struct packet_path to = path(false);
	struct segment ack = {.flags = SEGMENT_ACK};

	CU_ASSERT_EQUAL(packet_tcp(frame, FRAME, &to, &ack), 54);
	struct packet p = read_back(frame, 60);

	CU_ASSERT_EQUAL(p.kind, PACKET_TCP);
	CU_ASSERT_EQUAL(p.tcp.n, 0);
}

static void a_checksum_left_to_the_hardware(void)
{
	uint8_t frame[FRAME];
	size_t n = make(frame, false);
	/* The pseudo-header of path(): both addresses, TCP, the length. */
	uint32_t sum = 0x0a4d + 3 + 0x0a4d + 2 + 6 + (uint32_t)(n - TCP_AT_4);

	frame[TCP_AT_4 + 16] = (uint8_t)(sum >> 8);
	frame[TCP_AT_4 + 17] = (uint8_t)sum;
	struct packet p = read_back(frame, n);

	CU_ASSERT_EQUAL(p.kind, PACKET_TCP);
	CU_ASSERT_TRUE(p.checksum_offloaded);
}

static void flawed(const uint8_t *frame, size_t n, enum packet_flaw flaw)
{
	struct packet p = read_back(frame, n);

	CU_ASSERT_EQUAL(p.kind, PACKET_OTHER);
	CU_ASSERT_EQUAL(p.flaw, flaw);
}

/* Correct the checksum after damaging the frame. */
static void mend(uint8_t *frame, size_t n, bool v6)
{
	size_t at = v6 ? TCP_AT_6 : TCP_AT_4;
	size_t addr = v6 ? 14 + 8 : 14 + 12;
	uint64_t sum = 6 + n - at;

	frame[at + 16] = frame[at + 17] = 0;
	for (size_t i = addr; i < n; i++)
		sum += (i - addr) % 2 ? frame[i] : (uint64_t)frame[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	frame[at + 16] = (uint8_t)(~sum >> 8);
	frame[at + 17] = (uint8_t)~sum;
}

static void what_is_hurt_is_ignored(void)
{
	uint8_t frame[FRAME];
	size_t n = make(frame, false);

	frame[TCP_AT_4 + 4] ^= 1;
	flawed(frame, n, PACKET_BAD_CHECKSUM);
	n = make(frame, false);
	frame[14 + 8] ^= 1;
	flawed(frame, n, PACKET_BAD_CHECKSUM);
	n = make(frame, false);
	frame[14] = 0x44;
	flawed(frame, n, PACKET_BAD_HEADER);
	n = make(frame, false);
	frame[14 + 6] = 0x20; /* more fragments */
	frame[14 + 10] += 0x20;
	flawed(frame, n, PACKET_FOREIGN);
	n = make(frame, false);
	frame[12] = 0x81; /* a VLAN tag */
	frame[13] = 0;
	flawed(frame, n, PACKET_FOREIGN);
	n = make(frame, true);
	frame[14 + 6] = 44; /* a fragment header */
	flawed(frame, n, PACKET_FOREIGN);

	n = make(frame, false);
	frame[TCP_AT_4 + 12] = 0x40;
	mend(frame, n, false);
	flawed(frame, n, PACKET_BAD_HEADER);
	frame[TCP_AT_4 + 12] = 0xf0;
	mend(frame, n, false);
	flawed(frame, n, PACKET_BAD_HEADER);
	for (unsigned octets = 0; octets < 256; octets++) {
		n = make(frame, octets & 1);
		size_t at = (octets & 1 ? TCP_AT_6 : TCP_AT_4) + 20;

		frame[at + 1] = (uint8_t)octets;
		mend(frame, n, octets & 1);
		if (octets != 4)
			flawed(frame, n, PACKET_BAD_OPTION);
	}
}

static void what_is_cut_is_ignored(void)
{
	uint8_t frame[FRAME];

	for (int v6 = 0; v6 < 2; v6++) {
		size_t n = make(frame, v6);

		for (size_t k = 0; k < n; k++)
			flawed(frame, k, PACKET_SHORT);
	}
	struct packet_path to = path(false);
	size_t n = packet_who_has(frame, FRAME, &to, false);

	for (size_t k = 0; k < n; k++)
		flawed(frame, k, PACKET_SHORT);
}

static void who_has_and_is_at(void)
{
	for (int v6 = 0; v6 < 2; v6++) {
		struct packet_path to = path(v6);
		uint8_t frame[FRAME];
		size_t n = packet_who_has(frame, FRAME, &to, false);
		struct packet p = read_back(frame, n);

		CU_ASSERT_EQUAL(p.kind, v6 ? PACKET_ND_SOLICITATION
					   : PACKET_ARP_REQUEST);
		CU_ASSERT_EQUAL(memcmp(p.to.addr, to.to.addr, 16), 0);
		CU_ASSERT_EQUAL(memcmp(p.from.addr, to.from.addr, 16), 0);
		CU_ASSERT_EQUAL(memcmp(p.lladdr, to.mac_from, 6), 0);
		CU_ASSERT_EQUAL(p.mac_to[0], v6 ? 0x33 : 0xff);

		n = packet_who_has(frame, FRAME, &to, true);
		p = read_back(frame, n);
		static const uint8_t none[16];

		CU_ASSERT_EQUAL(memcmp(p.from.addr, none, 16), 0);

		n = packet_is_at(frame, FRAME, &to);
		p = read_back(frame, n);
		CU_ASSERT_EQUAL(p.kind, v6 ? PACKET_ND_ADVERTISEMENT
					   : PACKET_ARP_REPLY);
		CU_ASSERT_EQUAL(
			memcmp(v6 ? p.to.addr : p.from.addr, to.from.addr, 16),
			0);
		CU_ASSERT_EQUAL(memcmp(p.lladdr, to.mac_from, 6), 0);
	}
	/* From another link, it does not come from a neighbour. */
	struct packet_path to = path(true);
	uint8_t frame[FRAME];
	size_t n = packet_is_at(frame, FRAME, &to);

	frame[14 + 7] = 254;
	flawed(frame, n, PACKET_BAD_HEADER);
}

static void a_router_says_too_big(void)
{
	uint8_t frame[FRAME] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0};
	uint8_t sent[FRAME], *ip = frame + 14, *icmp = ip + 20;
	uint64_t sum = 0;

	make(sent, false);
	ip[0] = 0x45;
	ip[3] = 20 + 8 + 28;
	ip[8] = 64;
	ip[9] = 1;
	memcpy(ip + 12, sent + 14 + 16, 4);
	memcpy(ip + 16, sent + 14 + 12, 4);
	for (size_t i = 0; i < 20; i += 2)
		sum += (uint64_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	ip[10] = (uint8_t)(~sum >> 8);
	ip[11] = (uint8_t)~sum;
	icmp[0] = 3;
	icmp[1] = 4;
	icmp[6] = 1000 >> 8;
	icmp[7] = 1000 & 0xff;
	memcpy(icmp + 8, sent + 14, 28);
	sum = 0;
	for (size_t i = 0; i < 36; i += 2)
		sum += (uint64_t)(icmp[i] << 8 | icmp[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	icmp[2] = (uint8_t)(~sum >> 8);
	icmp[3] = (uint8_t)~sum;
	struct packet p = read_back(frame, 14 + 56);

	CU_ASSERT_EQUAL(p.kind, PACKET_TOO_BIG);
	CU_ASSERT_EQUAL(p.mtu, 1000);
	CU_ASSERT_EQUAL(p.from.port, 1000);
	CU_ASSERT_EQUAL(p.to.port, 2000);
	for (size_t k = 14; k < 14 + 56; k++)
		flawed(frame, k, PACKET_SHORT);
}

/* Its `from` is the sender of the segment it speaks of. */
static void too_big_reads_back(void)
{
	for (int v6 = 0; v6 < 2; v6++) {
		struct packet_path to = path(v6);
		uint8_t frame[FRAME];
		size_t n = packet_too_big(frame, FRAME, &to, 0x01020304, 1400);
		struct packet p = read_back(frame, n);

		CU_ASSERT_EQUAL(p.kind, PACKET_TOO_BIG);
		CU_ASSERT_EQUAL(p.flaw, PACKET_FINE);
		CU_ASSERT_EQUAL(p.mtu, 1400);
		CU_ASSERT_EQUAL(p.from.port, to.to.port);
		CU_ASSERT_EQUAL(p.to.port, to.from.port);
		CU_ASSERT_EQUAL(memcmp(frame + n - 4, "\1\2\3\4", 4), 0);
		CU_ASSERT_EQUAL(
			packet_too_big(frame, n - 1, &to, 0x01020304, 1400), 0);
	}
}

/* Every octet of every kind of frame, set to any value: only the flaw may
 * result, and no read beyond the frame. */
static void noise(void)
{
	uint64_t x = 88172645463325252ull;
	uint8_t frames[6][FRAME];
	size_t n[6];
	unsigned kinds = 0;

	for (int v6 = 0; v6 < 2; v6++) {
		struct packet_path to = path(v6);

		n[v6] = make(frames[v6], v6);
		n[2 + v6] = packet_who_has(frames[2 + v6], FRAME, &to, false);
		n[4 + v6] = packet_is_at(frames[4 + v6], FRAME, &to);
	}
	for (unsigned i = 0; i < 200000; i++) {
		uint8_t frame[FRAME];

		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		uint64_t r = x * 2685821657736338717ull;
		unsigned which = (unsigned)(r % 6);
		size_t size = n[which];

		memcpy(frame, frames[which], size);
		frame[(r >> 8) % size] = (uint8_t)(r >> 32);
		frame[(r >> 16) % size] = (uint8_t)(r >> 40);
		if (r >> 63)
			size = (r >> 24) % size;
		struct packet p = read_back(frame, size);

		kinds |= 1u << p.kind;
		CU_ASSERT_FATAL(p.kind == PACKET_OTHER ||
				p.flaw == PACKET_FINE);
	}
	CU_ASSERT(kinds & 1u << PACKET_OTHER);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a segment reads back", a_segment_reads_back},
		{"padding", padding_is_not_octets},
		{"checksums left to the hardware",
		 a_checksum_left_to_the_hardware},
		{"what is hurt", what_is_hurt_is_ignored},
		{"what is cut", what_is_cut_is_ignored},
		{"who has, is at", who_has_and_is_at},
		{"too big", a_router_says_too_big},
		{"too big, both ways", too_big_reads_back},
		{"noise", noise},
	};

	return unit_run("packet", tests, UNIT_COUNT(tests));
}
