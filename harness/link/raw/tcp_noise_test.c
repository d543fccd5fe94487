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

/* A third host has found a number in the window, and guesses what it has to
 * acknowledge: RFC 5961 s5.2. */
static void a_guess_is_not_an_acknowledgement(void)
{
	static const uint8_t octets[4] = "evil";
	struct segment s = {.flags = SEGMENT_ACK | SEGMENT_PSH,
			    .window = 0,
			    .octets = octets,
			    .n = sizeof(octets)};

	connected();
	say(&b, "right");
	s.seq = on_wire(&b)->seq;
	for (uint32_t back = TCP_SEND_BUFFER + 1; back < 1u << 31;
	     back += 1u << 22) {
		s.ack = on_wire(&b)->ack - back;
		tcp_input(a.tcp, &s, now);
		CU_ASSERT_EQUAL(on_wire(&a)->n, 0);
		lose(&a);
	}
	CU_ASSERT_EQUAL(tcp_readable(a.tcp), 0);
	settle();
	got(&a, "right");
	say(&a, "and the window is open");
	settle();
	got(&b, "and the window is open");
}

/* What a report of a router quotes is in flight, or it is forged. */
static void numbers_in_flight(void)
{
	connected();
	say(&a, "abc");
	uint32_t first = on_wire(&a)->seq;

	CU_ASSERT_TRUE(tcp_has_in_flight(a.tcp, first));
	CU_ASSERT_TRUE(tcp_has_in_flight(a.tcp, first + 2));
	CU_ASSERT_FALSE(tcp_has_in_flight(a.tcp, first + 3));
	CU_ASSERT_FALSE(tcp_has_in_flight(a.tcp, first - 1));
	CU_ASSERT_FALSE(tcp_has_in_flight(a.tcp, first + (1u << 31)));
	settle();
	CU_ASSERT_FALSE(tcp_has_in_flight(a.tcp, first));
}

/* The device sends its octets again, and others in their place: what came first
 * counts, and what lies beside it still arrives. */
static void other_octets_the_second_time(void)
{
	struct segment s;

	connected();
	say(&b, "first");
	s = *on_wire(&b);
	lose(&b);
	tcp_input(a.tcp, &s, now);
	s.octets = (const uint8_t *)"FIRST and more";
	s.n = 14;
	tcp_input(a.tcp, &s, now);
	s.seq += 2;
	s.octets = (const uint8_t *)"RST";
	s.n = 3;
	tcp_input(a.tcp, &s, now);
	got(&a, "first and more");
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"a bad wire", a_bad_wire},
		{"noise", noise_is_ignored},
		{"a guess is not an acknowledgement",
		 a_guess_is_not_an_acknowledgement},
		{"numbers in flight", numbers_in_flight},
		{"other octets the second time", other_octets_the_second_time},
	};

	return run_tests("tcp noise", tests, UNIT_COUNT(tests));
}
