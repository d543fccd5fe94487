/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets as a capture has them: in any order, twice, some missing. */
#include "harness/link/raw/captured.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/packet.h"
#include "harness/unit.h"

enum { FRAME = 2048 };

static struct captured c;

static void send(bool answers, uint32_t seq, uint8_t flags, const char *text)
{
	uint8_t frame[FRAME];
	struct packet_path path = {.mac_to = {2}, .mac_from = {2}};
	const struct segment s = {.seq = seq,
				  .flags = flags | SEGMENT_ACK,
				  .octets = (const uint8_t *)text,
				  .n = strlen(text)};

	link_end_parse(answers ? &path.to : &path.from, "10.77.0.3", 1000);
	link_end_parse(answers ? &path.from : &path.to, "10.77.0.2", 2000);
	size_t n = packet_tcp(frame, sizeof(frame), &path, &s);
	/* In a block of its exact size, so that a sanitizer detects reads past
	 * the end. */
	uint8_t *exact = malloc(n);

	memcpy(exact, frame, n);
	CU_ASSERT(captured_packet(&c, CAPTURED_ETHERNET, exact, n, n, 0));
	free(exact);
}

static void opens(uint32_t a, uint32_t b)
{
	uint8_t frame[FRAME];
	struct packet_path path = {.mac_to = {2}, .mac_from = {2}};
	struct segment s = {.seq = a, .flags = SEGMENT_SYN};

	link_end_parse(&path.from, "10.77.0.3", 1000);
	link_end_parse(&path.to, "10.77.0.2", 2000);
	size_t n = packet_tcp(frame, sizeof(frame), &path, &s);

	CU_ASSERT(captured_packet(&c, CAPTURED_ETHERNET, frame, n, n, 0));
	send(true, b, SEGMENT_SYN, "");
}

static void brings(size_t flow, unsigned from, const char *text, size_t lost)
{
	const struct captured_direction *d = &c.flows[flow].from[from];

	CU_ASSERT_EQUAL_FATAL(d->n, strlen(text));
	CU_ASSERT_EQUAL(d->n ? memcmp(d->octets, text, d->n) : 0, 0);
	CU_ASSERT_EQUAL(d->lost, lost);
}

static void in_any_order(void)
{
	opens(0xfffffffe, 500);
	send(false, 0xffffffff, 0, "abc"); /* the number wraps in it */
	send(true, 501, 0, "xy");
	send(false, 5, 0, "ghi");
	send(false, 2, 0, "def");
	send(false, 0xffffffff, 0, "abcd"); /* once more, and longer */
	send(true, 503, SEGMENT_FIN, "z");
	CU_ASSERT(captured_end(&c));
	CU_ASSERT_EQUAL_FATAL(c.flow_count, 1);
	CU_ASSERT(c.flows[0].opened);
	CU_ASSERT_EQUAL(c.flows[0].end[0].port, 1000);
	brings(0, 0, "abcdefghi", 0);
	brings(0, 1, "xyz", 0);
	CU_ASSERT(c.flows[0].from[1].fin);
	CU_ASSERT_EQUAL(captured_at(&c.flows[0].from[0], 2)->packet, 3);
	CU_ASSERT_EQUAL(captured_at(&c.flows[0].from[0], 3)->packet, 7);
	CU_ASSERT_EQUAL(captured_at(&c.flows[0].from[0], 8)->packet, 5);
	captured_free(&c);
}

static void behind_a_gap(void)
{
	opens(0, 0);
	send(false, 1, 0, "abc");
	send(false, 5, 0, "efg");
	CU_ASSERT(captured_end(&c));
	brings(0, 0, "abc", 3);
	captured_free(&c);
}

/* The same ends, and another number: another connection. */
static void one_behind_another(void)
{
	opens(0, 0);
	send(false, 1, 0, "one");
	opens(0, 0); /* once more the same SYN */
	send(false, 4, 0, "!");
	opens(70000, 9);
	send(true, 10, 0, "answer");
	send(false, 70001, 0, "two");
	CU_ASSERT(captured_end(&c));
	CU_ASSERT_EQUAL_FATAL(c.flow_count, 2);
	brings(0, 0, "one!", 0);
	brings(1, 0, "two", 0);
	brings(1, 1, "answer", 0);
	captured_free(&c);
}

/* Its beginning is unknown. */
static void entered_midway(void)
{
	send(true, 100, 0, "def");
	send(true, 97, 0, "abc");
	CU_ASSERT(captured_end(&c));
	CU_ASSERT_EQUAL_FATAL(c.flow_count, 1);
	CU_ASSERT_FALSE(c.flows[0].opened);
	brings(0, 0, "abcdef", 0);
	captured_free(&c);
}

static void noise(void)
{
	uint64_t state = 1;
	uint8_t octets[96];

	opens(0, 0);
	for (unsigned i = 0; i < 20000; i++) {
		for (size_t k = 0; k < sizeof(octets); k++) {
			state = state * 6364136223846793005u + 1;
			octets[k] = (uint8_t)(state >> 33);
		}
		octets[0] = i & 1 ? 0x45 : 0x60;
		CU_ASSERT(captured_packet(&c, CAPTURED_IP, octets,
					  i % sizeof(octets), sizeof(octets),
					  0));
	}
	CU_ASSERT(captured_end(&c));
	CU_ASSERT_EQUAL(c.packets, 20002);
	CU_ASSERT_EQUAL(c.other + c.damaged, 20000);
	captured_free(&c);
}

static void no_file_of_packets(void)
{
	static const char *const texts[] = {
		"", "\n", "\n\r\r\n\x1c", "\xd4\xc3\xb2\xa1",
		"\xa1\xb2\xc3\xd4 and no more of it, but some octets"};
	char why[CAPTURED_WHY];

	for (size_t i = 0; i < UNIT_COUNT(texts); i++) {
		char copy[64];

		strcpy(copy, texts[i]);
		FILE *f = fmemopen(copy, strlen(copy) + !*copy, "rb");

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_FALSE(captured_read(&c, f, why));
		CU_ASSERT(*why && !strchr(why, '\n'));
		captured_free(&c);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"in any order", in_any_order},
		{"behind a gap", behind_a_gap},
		{"one behind another", one_behind_another},
		{"entered midway", entered_midway},
		{"noise", noise},
		{"no file of packets", no_file_of_packets},
	};

	return unit_run("captured", tests, UNIT_COUNT(tests));
}
