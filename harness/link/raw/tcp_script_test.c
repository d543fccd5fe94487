/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions for cases: scripted segments, paths, losses. */
#include "harness/link/raw/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_fixture.h"

static void segments_in_any_order(void)
{
	static const struct link_segment plan[] = {
		{.from = 7, .to = 10}, {.from = 3, .to = 7},
		{.from = 3, .to = 7},  {.from = 0, .to = 4},
		{.from = 2, .to = 9},
	};

	connected();
	CU_ASSERT_TRUE(
		tcp_write_segments(a.tcp, "0123456789", 10, plan, 5, now));
	CU_ASSERT_EQUAL_FATAL(a.count, 5);
	CU_ASSERT_EQUAL(on_wire(&a)->seq, 0xfffffff1u + 7);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 3);
	settle();
	got(&b, "0123456789");
	CU_ASSERT_EQUAL(tcp_withheld(a.tcp), 0);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
}

static void withheld_and_released(void)
{
	static const struct link_segment plan[] = {{.from = 0, .to = 2},
						   {.from = 4, .to = 6}};

	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcdef", 6, plan, 2, now));
	settle();
	got(&b, "ab");
	CU_ASSERT_EQUAL(tcp_withheld(a.tcp), 2);
	/* It is the case that withholds: time sends nothing. */
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
	say(&a, "gh");
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	tcp_release(a.tcp, now);
	CU_ASSERT_EQUAL(a.count, 1);
	settle();
	got(&b, "cdefgh");
}

static void other_octets_overlap(void)
{
	static const struct link_segment plan[] = {
		{.from = 2, .to = 4, .other = (const uint8_t *)"XX"},
		{.from = 0, .to = 4},
	};

	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcd", 4, plan, 2, now));
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 4);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
	/* Lost, it comes again with the right octets. */
	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcd", 4, plan, 1, now));
	lose(&a);
	tcp_release(a.tcp, now);
	settle();
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	settle();
	got(&b, "abcd");
}

static void fin_and_rst_where_told(void)
{
	static const struct link_segment fin[] = {
		{.from = 3, .to = 5, .fin = true}};
	static const struct link_segment rst[] = {{.from = 0, .to = 3},
						  {.from = 3, .rst = true}};

	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcde", 5, fin, 1, now));
	settle();
	CU_ASSERT_FALSE(tcp_ends(b.tcp).fin_in);
	tcp_release(a.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(b.tcp).fin_in);
	CU_ASSERT_TRUE(tcp_ends(a.tcp).fin_acked);
	got(&b, "abcde");

	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcde", 5, rst, 2, now));
	settle();
	CU_ASSERT_TRUE(tcp_ends(b.tcp).reset_in);
	got(&b, "abc");

	/* A RST ends the other side although it has not got everything. */
	connected();
	CU_ASSERT_TRUE(tcp_write_segments(a.tcp, "abcde", 5, fin, 1, now));
	tcp_reset(a.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(b.tcp).reset_in);
}

/* Outside of the stream: before its end, or beyond it. */
static void strays(void)
{
	connected();
	say(&a, "said");
	settle();
	got(&b, "said");
	tcp_send_stray(a.tcp, 2, "XY", 2, now);
	CU_ASSERT_EQUAL(on_wire(&a)->seq, 0xfffffff1u + 2);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	tcp_fin(a.tcp, now);
	settle();
	tcp_send_stray(a.tcp, 0, "Z", 1, now);
	CU_ASSERT_EQUAL(on_wire(&a)->seq, 0xfffffff1u + 5);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
}

static void no_room_for_a_script(void)
{
	static const struct link_segment plan[] = {{.from = 0, .to = 1}};
	static const uint8_t many[TCP_SEND_BUFFER + 1];

	connected();
	uint64_t before = a.emitted;

	CU_ASSERT_FALSE(
		tcp_write_segments(a.tcp, many, sizeof(many), plan, 1, now));
	CU_ASSERT_EQUAL(a.emitted, before);
	CU_ASSERT_TRUE(
		tcp_write_segments(a.tcp, many, TCP_SEND_BUFFER, plan, 1, now));
	settle();
	CU_ASSERT_EQUAL(tcp_withheld(a.tcp), TCP_SEND_BUFFER - 1);
	tcp_reset(a.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(b.tcp).reset_in);
	CU_ASSERT_FALSE(tcp_write_segments(a.tcp, many, 1, plan, 1, now));
}

static void a_smaller_path(void)
{
	char many[3000];

	memset(many, 'p', sizeof(many));
	connected();
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, sizeof(many), now), 3000);
	while (a.count)
		lose(&a);
	tcp_lower_path_mss(a.tcp, 500, now);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 500);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
	/* Another offer of it does not make it wider. */
	tcp_lower_path_mss(a.tcp, 1000, now);
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, 600, now), 600);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 500);
}

static void arrivals_are_told(void)
{
	struct link_segment seg[4];

	connected();
	say(&a, "four");
	say(&a, "and more");
	settle();
	CU_ASSERT_EQUAL_FATAL(tcp_arrivals(b.tcp, seg, 4), 2);
	CU_ASSERT_EQUAL(seg[0].from, 0);
	CU_ASSERT_EQUAL(seg[0].to, 4);
	CU_ASSERT_EQUAL(seg[1].from, 4);
	CU_ASSERT_EQUAL(seg[1].to, 12);

	/* A segment that is too large was cut on its way, or would be. */
	struct segment large = {.seq = 0xfffffff1u + 12,
				.ack = 0xfffffff1u,
				.flags = SEGMENT_ACK,
				.n = 2 * MSS,
				.octets = calloc(2, MSS)};

	tcp_input(b.tcp, &large, now);
	CU_ASSERT_EQUAL_FATAL(tcp_arrivals(b.tcp, seg, 4), 4);
	CU_ASSERT_EQUAL(seg[2].to, 12 + MSS);
	CU_ASSERT_EQUAL(seg[3].from, 12 + MSS);
	free((void *)(uintptr_t)large.octets);

	/* No more than the latest are kept. */
	static struct link_segment many[TCP_ARRIVALS + 1];

	connected();
	for (unsigned i = 0; i < TCP_ARRIVALS + 10; i++) {
		say(&a, "x");
		settle();
	}
	CU_ASSERT_EQUAL(tcp_arrivals(b.tcp, many, TCP_ARRIVALS + 1),
			TCP_ARRIVALS);
	CU_ASSERT_EQUAL(many[0].from, 10);
	CU_ASSERT_EQUAL(many[TCP_ARRIVALS - 1].from, TCP_ARRIVALS + 9);
}

static void segments_can_be_lost_on_purpose(void)
{
	struct link_segment seg[4];

	connected();
	tcp_lose(b.tcp, 1);
	say(&a, "lost ");
	say(&a, "kept");
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	settle();
	got(&b, "lost kept");
	CU_ASSERT_EQUAL_FATAL(tcp_arrivals(b.tcp, seg, 4), 2);
	CU_ASSERT_EQUAL(seg[0].from, 5);
	CU_ASSERT_EQUAL(seg[1].from, 0);
}

/* A connection with a number below the requested one is reset before it is
 * reported. */
static void an_isn_can_be_asked_for(void)
{
	for (unsigned above = 0; above < 2; above++) {
		struct tcp_config ca = config(&a), cb = config(&b);

		ca.peer_isn_least = 1000;
		cb.isn = 999 + above;
		prepare();
		tcp_open(a.tcp, &ca, now);
		struct segment syn = *on_wire(&a);

		lose(&a);
		tcp_accept(b.tcp, &cb, &syn, now);
		settle();
		CU_ASSERT_EQUAL(tcp_ends(a.tcp).unwanted, !above);
		CU_ASSERT_EQUAL(tcp_state(a.tcp),
				above ? TCP_SYNCHRONIZED : TCP_CLOSED);
		CU_ASSERT_EQUAL(tcp_ends(b.tcp).reset_in, !above);
	}
}

static void an_end_falls_silent(void)
{
	connected();
	say(&a, "never acknowledged");
	tcp_fall_silent(b.tcp);
	settle();
	uint64_t emitted = b.emitted;

	for (unsigned i = 0; i < 3; i++) {
		now = tcp_deadline(a.tcp);
		tcp_tick(a.tcp, now);
		settle();
	}
	tcp_fin(b.tcp, now);
	tcp_reset(b.tcp, now);
	CU_ASSERT_EQUAL(b.emitted, emitted);
	CU_ASSERT_EQUAL(tcp_retransmitted(a.tcp), 3);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
}

static void a_path_in_becomes_smaller(void)
{
	connected();
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), MSS);
	say(&a, "seen");
	settle();
	CU_ASSERT_EQUAL(tcp_lower_peer_mss(b.tcp, 1000), 0xfffffff1u + 4);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), 1000);
	tcp_lower_peer_mss(b.tcp, 1200);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), 1000);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"any order, twice, overlapping", segments_in_any_order},
		{"withheld and released", withheld_and_released},
		{"overlap with other octets", other_octets_overlap},
		{"FIN and RST where the script has them",
		 fin_and_rst_where_told},
		{"strays", strays},
		{"no room for a script", no_room_for_a_script},
		{"a smaller path", a_smaller_path},
		{"arrivals", arrivals_are_told},
		{"lost on purpose", segments_can_be_lost_on_purpose},
		{"an ISN asked for", an_isn_can_be_asked_for},
		{"silence", an_end_falls_silent},
		{"a smaller path in", a_path_in_becomes_smaller},
	};

	return run_tests("tcp script", tests, UNIT_COUNT(tests));
}
