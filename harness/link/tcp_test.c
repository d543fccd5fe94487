/* SPDX-License-Identifier: BSD-2-Clause */
/* Two end points and a wire between them that the test holds. */
#include "harness/link/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "harness/unit.h"

enum { WIRE = 256, OCTETS = 2048, MSS = 1460 };

struct flying {
	struct segment s;
	uint8_t octets[OCTETS];
};

/* An end, and what it has sent that is still on its way. */
static struct end {
	struct tcp *tcp;
	struct flying wire[WIRE];
	size_t first, count;
	uint64_t emitted;
} a, b;
static uint64_t now;

static void emit(void *user, const struct segment *s)
{
	struct end *e = user;
	struct flying *f = &e->wire[(e->first + e->count++) % WIRE];

	CU_ASSERT_FATAL(e->count <= WIRE && s->n <= OCTETS);
	f->s = *s;
	if (s->n)
		memcpy(f->octets, s->octets, s->n);
	f->s.octets = f->octets;
	e->emitted++;
}

static struct tcp_config config(struct end *e)
{
	return (struct tcp_config){.isn = 0xfffffff0u,
				   .mss = MSS,
				   .most = MSS,
				   .window = 32000,
				   .emit = emit,
				   .user = e};
}

static struct segment *on_wire(struct end *e)
{
	CU_ASSERT_FATAL(e->count > 0);
	return &e->wire[e->first].s;
}

static void lose(struct end *e)
{
	CU_ASSERT_FATAL(e->count > 0);
	e->first = (e->first + 1) % WIRE;
	e->count--;
}

static void deliver(struct end *from, struct end *to)
{
	struct flying f = from->wire[from->first];

	lose(from);
	f.s.octets = f.octets;
	tcp_input(to->tcp, &f.s, now);
}

/* All that is on its way, and what comes of it, until it is quiet. */
static void settle(void)
{
	for (unsigned i = 0; i < 10000; i++) {
		while (a.count)
			deliver(&a, &b);
		while (b.count)
			deliver(&b, &a);
		if (a.count || b.count)
			continue;
		tcp_flush(a.tcp, now);
		tcp_flush(b.tcp, now);
		if (!a.count && !b.count)
			return;
	}
	CU_FAIL("it never gets quiet");
}

static void prepare(void)
{
	now = 1000000;
	a.first = a.count = a.emitted = 0;
	b.first = b.count = b.emitted = 0;
}

static void connect_with(const struct tcp_config *ca,
			 const struct tcp_config *cb)
{
	prepare();
	tcp_open(a.tcp, ca, now);
	CU_ASSERT_EQUAL(on_wire(&a)->flags, SEGMENT_SYN);
	struct segment syn = *on_wire(&a);

	lose(&a);
	tcp_accept(b.tcp, cb, &syn, now);
	settle();
	CU_ASSERT_EQUAL_FATAL(tcp_state(a.tcp), TCP_SYNCHRONIZED);
	CU_ASSERT_EQUAL_FATAL(tcp_state(b.tcp), TCP_SYNCHRONIZED);
}

static void connected(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	connect_with(&ca, &cb);
}

static void got(struct end *e, const char *text)
{
	char octets[256];
	size_t n = tcp_read(e->tcp, octets, sizeof(octets));

	CU_ASSERT_EQUAL(n, strlen(text));
	CU_ASSERT_EQUAL(memcmp(octets, text, n), 0);
}

static void say(struct end *e, const char *text)
{
	CU_ASSERT_EQUAL(tcp_write(e->tcp, text, strlen(text), now),
			strlen(text));
}

/* The sequence numbers wrap within the first 16 octets. */
static void octets_cross_the_wrap(void)
{
	connected();
	say(&a, "to the other end");
	say(&b, "and back");
	settle();
	got(&b, "to the other end");
	got(&a, "and back");
	say(&a, "again");
	settle();
	got(&b, "again");
	CU_ASSERT_EQUAL(tcp_retransmitted(a.tcp), 0);
}

static void options_are_agreed_on(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	ca.times = cb.times = true;
	ca.scale = 3;
	ca.mss = 1000;
	connect_with(&ca, &cb);
	CU_ASSERT_EQUAL(tcp_emss_in(a.tcp), 1000 - 12);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), MSS - 12);
	char many[3000] = {0};

	CU_ASSERT_EQUAL(tcp_write(b.tcp, many, sizeof(many), now), 3000);
	CU_ASSERT_EQUAL(on_wire(&b)->n, 988);
	CU_ASSERT_TRUE(on_wire(&b)->has_times);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(a.tcp), 3000);

	cb.times = false;
	cb.no_scale = true;
	connect_with(&ca, &cb);
	say(&a, "x");
	CU_ASSERT_FALSE(on_wire(&a)->has_times);
	CU_ASSERT(on_wire(&a)->window > 20000);
	settle();
	got(&b, "x");
}

static void every_write_is_a_segment(void)
{
	connected();
	say(&a, "a");
	say(&a, "bc");
	say(&a, "def");
	CU_ASSERT_EQUAL_FATAL(a.count, 3);
	CU_ASSERT_EQUAL(a.wire[a.first].s.n, 1);
	CU_ASSERT_EQUAL(a.wire[(a.first + 2) % WIRE].s.n, 3);
	settle();
	got(&b, "abcdef");
	/* What comes in one go is acknowledged once. */
	CU_ASSERT_EQUAL(b.emitted, 2);
}

static void what_is_lost_comes_again(void)
{
	connected();
	say(&a, "one");
	lose(&a);
	say(&a, "two");
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	uint64_t at = tcp_deadline(a.tcp);

	CU_ASSERT(at > now && at != UINT64_MAX);
	now = at - 1;
	tcp_tick(a.tcp, now);
	CU_ASSERT_EQUAL(a.count, 0);
	now = at;
	tcp_tick(a.tcp, now);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 3);
	lose(&a);
	/* The second wait is twice the first. */
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp) - now, 600000000u);
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	settle();
	got(&b, "onetwo");
	CU_ASSERT_EQUAL(tcp_retransmitted(a.tcp), 2);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
}

static void three_duplicates_are_enough(void)
{
	connected();
	say(&a, "1");
	lose(&a);
	for (int i = 0; i < 3; i++)
		say(&a, "x");
	settle();
	CU_ASSERT_EQUAL(tcp_retransmitted(a.tcp), 1);
	got(&b, "1xxx");
}

static void a_lost_handshake_is_repeated(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	prepare();
	tcp_open(a.tcp, &ca, now);
	lose(&a);
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	struct segment syn = *on_wire(&a);

	lose(&a);
	tcp_accept(b.tcp, &cb, &syn, now);
	lose(&b);
	now = tcp_deadline(b.tcp);
	tcp_tick(b.tcp, now);
	deliver(&b, &a);
	lose(&a);
	now = tcp_deadline(b.tcp);
	tcp_tick(b.tcp, now);
	settle();
	CU_ASSERT_EQUAL(tcp_state(b.tcp), TCP_SYNCHRONIZED);

	prepare();
	tcp_open(a.tcp, &ca, now);
	while (tcp_state(a.tcp) != TCP_CLOSED) {
		a.count = 0;
		now = tcp_deadline(a.tcp);
		tcp_tick(a.tcp, now);
	}
	CU_ASSERT_TRUE(tcp_ends(a.tcp).gave_up);
}

static void both_open_at_once(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	prepare();
	tcp_open(a.tcp, &ca, now);
	tcp_open(b.tcp, &cb, now);
	settle();
	CU_ASSERT_EQUAL(tcp_state(a.tcp), TCP_SYNCHRONIZED);
	CU_ASSERT_EQUAL(tcp_state(b.tcp), TCP_SYNCHRONIZED);
	say(&a, "x");
	settle();
	got(&b, "x");
}

static void refused(void)
{
	struct tcp_config ca = config(&a);

	prepare();
	tcp_open(a.tcp, &ca, now);
	struct segment rst = {.ack = ca.isn,
			      .flags = SEGMENT_RST | SEGMENT_ACK};

	tcp_input(a.tcp, &rst, now);
	CU_ASSERT_EQUAL(tcp_state(a.tcp), TCP_SYN_SENT);
	rst.ack = ca.isn + 1;
	tcp_input(a.tcp, &rst, now);
	CU_ASSERT_EQUAL(tcp_state(a.tcp), TCP_CLOSED);
	CU_ASSERT_TRUE(tcp_ends(a.tcp).refused);
}

static void fin_both_ways(void)
{
	connected();
	say(&a, "bye");
	tcp_fin(a.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(b.tcp).fin_in);
	CU_ASSERT_TRUE(tcp_ends(a.tcp).fin_acked);
	got(&b, "bye");
	say(&b, "half closed");
	settle();
	got(&a, "half closed");
	tcp_fin(b.tcp, now);
	lose(&b);
	now = tcp_deadline(b.tcp);
	tcp_tick(b.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(a.tcp).fin_in);
	CU_ASSERT_TRUE(tcp_ends(b.tcp).fin_acked);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
	CU_ASSERT_EQUAL(tcp_deadline(b.tcp), UINT64_MAX);
}

static void resets(void)
{
	connected();
	say(&b, "unread");
	settle();
	tcp_reset(b.tcp, now);
	settle();
	CU_ASSERT_TRUE(tcp_ends(a.tcp).reset_in);
	got(&a, "unread");

	/* One that might be forged is asked about, and changes nothing. */
	connected();
	struct segment rst = {.seq = 0xfffffff1u + 10, .flags = SEGMENT_RST};
	uint64_t before = a.emitted;

	tcp_input(a.tcp, &rst, now);
	CU_ASSERT_FALSE(tcp_ends(a.tcp).reset_in);
	CU_ASSERT_EQUAL(a.emitted, before + 1);
	rst.seq = 0xfffffff1u + 100000;
	tcp_input(a.tcp, &rst, now);
	CU_ASSERT_EQUAL(a.emitted, before + 1);
	rst.flags = SEGMENT_SYN;
	rst.seq = 0xfffffff1u + 10;
	tcp_input(a.tcp, &rst, now);
	CU_ASSERT_EQUAL(a.emitted, before + 2);
	settle();
	say(&a, "still here");
	settle();
	got(&b, "still here");
}

/* A device that reads nothing: the writer stops at the window, asks from
 * time to time, and goes on. */
static void a_shut_window(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);
	char many[2000];

	memset(many, 'm', sizeof(many));
	cb.rcvbuf = 1000;
	connect_with(&ca, &cb);
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, 600, now), 600);
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, 600, now), 600);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 1000);
	CU_ASSERT_EQUAL(tcp_torn(a.tcp), 1);
	for (int i = 0; i < 50; i++) {
		now = tcp_deadline(a.tcp);
		CU_ASSERT_NOT_EQUAL_FATAL(now, UINT64_MAX);
		tcp_tick(a.tcp, now);
		CU_ASSERT_EQUAL(on_wire(&a)->n, 0);
		settle();
	}
	CU_ASSERT_EQUAL(tcp_read(b.tcp, many, 2000), 1000);
	settle();
	CU_ASSERT_EQUAL(tcp_read(b.tcp, many, 2000), 200);

	tcp_set_window(b.tcp, 0, now);
	settle();
	say(&a, "later");
	CU_ASSERT_EQUAL(a.count, 0);
	tcp_set_window(b.tcp, 2, now);
	CU_ASSERT_EQUAL(on_wire(&b)->window, 2);
	settle();
	got(&b, "later");
	CU_ASSERT_EQUAL(tcp_torn(a.tcp), 3);
	tcp_set_window(b.tcp, -1, now);
	settle();
	say(&a, "at once");
	CU_ASSERT_EQUAL(a.count, 1);
	settle();
	got(&b, "at once");
}

static void acks_are_delayed_or_withheld(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	cb.acks = LINK_ACKS_DELAYED;
	connect_with(&ca, &cb);
	say(&a, "x");
	uint64_t before = b.emitted;

	settle();
	CU_ASSERT_EQUAL(b.emitted, before);
	got(&b, "x");
	now = tcp_deadline(b.tcp);
	tcp_tick(b.tcp, now);
	CU_ASSERT_EQUAL(b.emitted, before + 1);
	settle();

	tcp_set_acks(b.tcp, LINK_ACKS_WITHHELD, now);
	say(&a, "y");
	settle();
	got(&b, "y");
	say(&b, "z");
	CU_ASSERT_EQUAL(on_wire(&b)->ack, 0xfffffff0u + 2);
	settle();
	CU_ASSERT_NOT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
	tcp_set_acks(b.tcp, LINK_ACKS_AT_ONCE, now);
	settle();
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
}

/* --- the script ---------------------------------------- */

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

static void a_smaller_path(void)
{
	char many[3000];

	memset(many, 'p', sizeof(many));
	connected();
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, sizeof(many), now), 3000);
	while (a.count)
		lose(&a);
	tcp_path_mtu(a.tcp, 500, now);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 500);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 3000);
}

/* xorshift64*: the same noise in every run. */
static uint32_t noise(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	return (uint32_t)((x * 2685821657736338717ull) >> 32);
}

/* A wire that loses, doubles and reorders: the stream arrives as it was. */
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
		tcp_flush(b.tcp, now);
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

	/* What is larger than a segment was cut on its way, or would be. */
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

/* A number below the one asked for is reset before it is a connection. */
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
	CU_ASSERT_EQUAL(tcp_narrow_in(b.tcp, 1000), 0xfffffff1u + 4);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), 1000);
	tcp_narrow_in(b.tcp, 1200);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), 1000);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"octets cross the wrap", octets_cross_the_wrap},
		{"options", options_are_agreed_on},
		{"every write is a segment", every_write_is_a_segment},
		{"retransmission", what_is_lost_comes_again},
		{"three duplicate ACKs", three_duplicates_are_enough},
		{"a lost handshake", a_lost_handshake_is_repeated},
		{"simultaneous open", both_open_at_once},
		{"refused", refused},
		{"FIN both ways", fin_both_ways},
		{"RST", resets},
		{"a shut window", a_shut_window},
		{"delayed and withheld ACKs", acks_are_delayed_or_withheld},
		{"any order, twice, overlapping", segments_in_any_order},
		{"withheld and released", withheld_and_released},
		{"overlap with other octets", other_octets_overlap},
		{"FIN and RST where told", fin_and_rst_where_told},
		{"a smaller path", a_smaller_path},
		{"arrivals", arrivals_are_told},
		{"lost on purpose", segments_can_be_lost_on_purpose},
		{"an ISN asked for", an_isn_can_be_asked_for},
		{"silence", an_end_falls_silent},
		{"a smaller path in", a_path_in_becomes_smaller},
		{"a bad wire", a_bad_wire},
		{"noise", noise_is_ignored},
	};

	a.tcp = tcp_new();
	b.tcp = tcp_new();
	int status = unit_run("tcp", tests, UNIT_COUNT(tests));

	tcp_free(a.tcp);
	tcp_free(b.tcp);
	return status;
}
