/* SPDX-License-Identifier: BSD-2-Clause */
/* A wire that does what wires do, and segments that mean nothing. */
#include "harness/link/raw/tcp.h"

#include <string.h>

#include "harness/link/raw/tcp_fixture.h"

/* xorshift64*: the same noise in every run. */
static uint32_t noise(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return (uint32_t)((x * 2685821657736338717ull) >> 32);
}

/* A wire that loses, duplicates and reorders: the stream arrives complete and
 * in order. */
static void a_bad_wire(void)
{
	static uint8_t sent[60000], seen[60000];
	size_t put = 0, have = 0;

	connected();
	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (uint8_t)noise();
	for (unsigned round = 0; have < sizeof(sent); round++) {
		CU_ASSERT_FATAL(round < 100000);
		if (put < sizeof(sent) && a.count < WIRE / 4) {
			size_t n = 1 + noise() % 700;

			if (n > sizeof(sent) - put)
				n = sizeof(sent) - put;
			put += tcp_write(a.tcp, sent + put, n, now);
		}
		while (a.count) {
			unsigned luck = noise() % 10;

			if (luck < 2) {
				lose(&a);
			} else if (luck < 3 && a.count < WIRE / 2) {
				a.wire[(a.first + a.count) % WIRE] =
					a.wire[a.first];
				a.count++;
				deliver(&a, &b);
			} else {
				deliver(&a, &b);
			}
		}
		tcp_flush_ack(b.tcp, now);
		while (b.count) {
			if (noise() % 10 < 2)
				lose(&b);
			else
				deliver(&b, &a);
		}
		have += tcp_read(b.tcp, seen + have, sizeof(seen) - have);
		now += 10000000;
		tcp_tick(a.tcp, now);
		tcp_tick(b.tcp, now);
	}
	CU_ASSERT_EQUAL(memcmp(sent, seen, sizeof(sent)), 0);
}

/* Segments of no meaning: nothing is delivered that was not sent. */
static void noise_is_ignored(void)
{
	static const uint8_t octets[64] = {0};

	connected();
	for (unsigned i = 0; i < 20000; i++) {
		struct segment s = {
			.seq = noise() | 0x40000000u,
			.ack = noise(),
			.flags = (uint8_t)(noise() & 63 & ~SEGMENT_RST),
			.window = (uint16_t)noise(),
			.octets = octets,
			.n = noise() % 64,
		};

		/* Far outside the window. */
		s.seq = (s.seq & 0x3fffffffu) + 0x20000000u;
		tcp_input(a.tcp, &s, now);
		a.count = 0;
	}
	CU_ASSERT_EQUAL(tcp_readable(a.tcp), 0);
	CU_ASSERT_EQUAL(tcp_state(a.tcp), TCP_SYNCHRONIZED);
	say(&b, "calm");
	settle();
	got(&a, "calm");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a bad wire", a_bad_wire},
		{"noise", noise_is_ignored},
	};

	return run_tests("tcp noise", tests, UNIT_COUNT(tests));
}
