/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, the stream both ways, time, and its ends. */
#include "harness/link/raw/tcp.h"

#include <string.h>

#include "harness/link/raw/tcp_fixture.h"

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

	ca.timestamps = cb.timestamps = true;
	ca.scale = 3;
	ca.mss = 1000;
	connect_with(&ca, &cb);
	CU_ASSERT_EQUAL(tcp_emss_in(a.tcp), 1000 - 12);
	CU_ASSERT_EQUAL(tcp_emss_in(b.tcp), MSS - 12);
	char many[3000] = {0};

	CU_ASSERT_EQUAL(tcp_write(b.tcp, many, sizeof(many), now), 3000);
	CU_ASSERT_EQUAL(on_wire(&b)->n, 988);
	CU_ASSERT_TRUE(on_wire(&b)->has_timestamps);
	settle();
	CU_ASSERT_EQUAL(tcp_readable(a.tcp), 3000);

	cb.timestamps = false;
	cb.no_scale = true;
	connect_with(&ca, &cb);
	say(&a, "x");
	CU_ASSERT_FALSE(on_wire(&a)->has_timestamps);
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
	/* Octets that arrive together are acknowledged once. */
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

/* Both ends know of it: one retransmits, the other has seen a gap. Losses that
 * one of them has chosen do not count. */
static void both_ends_know_what_was_lost(void)
{
	connected();
	say(&a, "one");
	lose(&a);
	say(&a, "two");
	settle();
	CU_ASSERT_EQUAL(tcp_lost(a.tcp), 0);
	CU_ASSERT_EQUAL(tcp_lost(b.tcp), 1);
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	settle();
	got(&b, "onetwo");
	CU_ASSERT_EQUAL(tcp_lost(a.tcp), 1);
	tcp_set_window(a.tcp, 100, now);
	CU_ASSERT_EQUAL(tcp_lost(a.tcp), 0);
}

/* RFC 6582 s3.2: one wait for all of them. */
static void two_lost_cost_one_wait(void)
{
	connected();
	say(&a, "one");
	lose(&a);
	say(&a, "two");
	lose(&a);
	say(&a, "three");
	settle();
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	settle();
	got(&b, "onetwothree");
	CU_ASSERT_EQUAL(tcp_retransmitted(a.tcp), 2);
}

/* From a buffer that was full, continuing into one that is not. */
static void room_can_be_made(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	cb.rcvbuf = 8;
	connect_with(&ca, &cb);
	say(&a, "abcdefgh");
	settle();
	say(&a, "ijklmnop");
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 8);
	CU_ASSERT_TRUE(tcp_make_room(b.tcp, now));
	settle();
	got(&b, "abcdefghijklmnop");
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

/* Of half a segment, of old octets, of octets that were never sent. */
static void odd_acknowledgements(void)
{
	struct segment ack = {.seq = 0xfffffff1u,
			      .ack = 0xfffffff1u + 4,
			      .window = 32000,
			      .flags = SEGMENT_ACK};

	connected();
	say(&a, "halfdone");
	lose(&a);
	tcp_input(a.tcp, &ack, now);
	now = tcp_deadline(a.tcp);
	tcp_tick(a.tcp, now);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 4);
	CU_ASSERT_EQUAL(on_wire(&a)->seq, 0xfffffff1u + 4);
	lose(&a);
	ack.ack -= 4;
	tcp_input(a.tcp, &ack, now);
	CU_ASSERT_EQUAL(a.count, 0);
	ack.ack += 9;
	tcp_input(a.tcp, &ack, now);
	CU_ASSERT_EQUAL_FATAL(a.count, 1);
	CU_ASSERT_EQUAL(on_wire(&a)->n, 0);
	CU_ASSERT_NOT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
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

	/* It gives up itself. */
	prepare();
	tcp_open(a.tcp, &ca, now);
	lose(&a);
	tcp_reset(a.tcp, now);
	CU_ASSERT_EQUAL(on_wire(&a)->flags, SEGMENT_RST);
	CU_ASSERT_EQUAL(on_wire(&a)->seq, ca.isn + 1);
	CU_ASSERT_EQUAL(tcp_state(a.tcp), TCP_CLOSED);
	CU_ASSERT_EQUAL(tcp_deadline(a.tcp), UINT64_MAX);
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

/* A device that does not read: the writer stops at the window, probes from time
 * to time, and continues. */
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

/* RFC 9293 s3.7.1: 536 octets, and 16 bits announce no more. */
static void a_peer_without_options(void)
{
	struct tcp_config cb = config(&b);
	struct segment syn = {.seq = 7, .window = 1000, .flags = SEGMENT_SYN};
	char many[1000] = {0};

	cb.timestamps = true;
	cb.scale = 5;
	prepare();
	tcp_accept(b.tcp, &cb, &syn, now);
	CU_ASSERT_EQUAL(on_wire(&b)->flags, SEGMENT_SYN | SEGMENT_ACK);
	CU_ASSERT_EQUAL(on_wire(&b)->ack, 8);
	CU_ASSERT_EQUAL(on_wire(&b)->mss, MSS);
	CU_ASSERT_FALSE(on_wire(&b)->has_timestamps);
	CU_ASSERT_FALSE(on_wire(&b)->has_scale);
	lose(&b);
	/* The ACK of it may carry octets. */
	struct segment first = {.seq = 8,
				.ack = cb.isn + 1,
				.window = 1000,
				.flags = SEGMENT_ACK,
				.octets = (const uint8_t *)"hi",
				.n = 2};

	tcp_input(b.tcp, &first, now);
	CU_ASSERT_EQUAL(tcp_state(b.tcp), TCP_SYNCHRONIZED);
	got(&b, "hi");
	CU_ASSERT_EQUAL(tcp_write(b.tcp, many, sizeof(many), now), 1000);
	CU_ASSERT_EQUAL_FATAL(b.count, 2);
	CU_ASSERT_EQUAL(on_wire(&b)->n, 536);
	CU_ASSERT_EQUAL(on_wire(&b)->window, 32000 - 2);
}

static void a_window_is_scaled(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);
	char many[5000] = {0};

	ca.scale = 40; /* as many bits as there may be */
	cb.scale = 3;
	connect_with(&ca, &cb);
	tcp_set_window(b.tcp, 4000, now);
	CU_ASSERT_EQUAL(on_wire(&b)->window, 500);
	settle();
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, sizeof(many), now), 5000);
	size_t sent = 0;

	for (size_t i = 0; i < a.count; i++)
		sent += a.wire[(a.first + i) % WIRE].s.n;
	CU_ASSERT_EQUAL(sent, 2 * MSS); /* the third is beyond it */
	settle();
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 5000);
	tcp_set_window(a.tcp, 3 << 14, now);
	CU_ASSERT_EQUAL(on_wire(&a)->window, 3);
}

/* RFC 7323 s5.3 */
static void what_is_old_is_not_taken(void)
{
	struct tcp_config ca = config(&a), cb = config(&b);

	ca.timestamps = cb.timestamps = true;
	connect_with(&ca, &cb);
	now += 5000 * (uint64_t)CLOCK_NS_PER_MS;
	say(&a, "new");
	struct segment old = *on_wire(&a);

	settle();
	got(&b, "new");
	old.seq += 3;
	old.tsval -= 1000;
	old.octets = (const uint8_t *)"old";
	uint64_t before = b.emitted;

	tcp_input(b.tcp, &old, now);
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	CU_ASSERT_EQUAL(b.emitted, before + 1);
	settle();
	old.tsval += 1000;
	tcp_input(b.tcp, &old, now);
	got(&b, "old");
}

static void a_handshake_that_is_not_one(void)
{
	struct tcp_config cb = config(&b);
	struct segment syn = {.seq = 7, .window = 1000, .flags = SEGMENT_SYN};
	struct segment ack = {
		.seq = 8, .ack = cb.isn + 9, .window = 1, .flags = SEGMENT_ACK};

	/* It acknowledges octets that were never sent: refused, and nothing
	 * else happens. */
	prepare();
	tcp_accept(b.tcp, &cb, &syn, now);
	lose(&b);
	tcp_input(b.tcp, &ack, now);
	CU_ASSERT_EQUAL(on_wire(&b)->flags, SEGMENT_RST);
	CU_ASSERT_EQUAL(on_wire(&b)->seq, ack.ack);
	CU_ASSERT_EQUAL(tcp_state(b.tcp), TCP_SYN_RECEIVED);
	lose(&b);
	/* The SYN again: so is its answer. */
	tcp_input(b.tcp, &syn, now);
	CU_ASSERT_EQUAL(on_wire(&b)->flags, SEGMENT_SYN | SEGMENT_ACK);
	lose(&b);
	ack.flags = SEGMENT_RST;
	tcp_input(b.tcp, &ack, now);
	CU_ASSERT_EQUAL(tcp_state(b.tcp), TCP_CLOSED);
	CU_ASSERT_TRUE(tcp_ends(b.tcp).reset_in);
	CU_ASSERT_FALSE(tcp_ends(b.tcp).opened);
	CU_ASSERT_EQUAL(tcp_deadline(b.tcp), UINT64_MAX);
}

static void a_fin_before_its_turn(void)
{
	connected();
	say(&a, "early");
	struct segment late = *on_wire(&a);
	uint8_t octets[8];

	memcpy(octets, "early", 5);
	late.octets = octets;
	lose(&a);
	tcp_fin(a.tcp, now);
	settle();
	CU_ASSERT_FALSE(tcp_ends(b.tcp).fin_in);
	tcp_input(b.tcp, &late, now);
	CU_ASSERT_TRUE(tcp_ends(b.tcp).fin_in);
	/* Nothing can follow it. */
	late.seq += 5;
	tcp_input(b.tcp, &late, now);
	got(&b, "early");
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	settle();
	CU_ASSERT_TRUE(tcp_ends(a.tcp).fin_acked);
}

/* Octets written ahead of the window are limited. */
static void a_full_queue(void)
{
	static char many[2 * TCP_SEND_QUEUE];

	connected();
	tcp_set_window(b.tcp, 0, now);
	settle();
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, sizeof(many), now),
			TCP_SEND_QUEUE);
	CU_ASSERT_EQUAL(tcp_write(a.tcp, many, 1, now), 0);
	CU_ASSERT_FALSE(tcp_can_write(a.tcp));
	tcp_set_window(b.tcp, -1, now);
	size_t have = 0;

	for (unsigned i = 0; i < 100 && have < TCP_SEND_QUEUE; i++) {
		settle();
		have += tcp_read(b.tcp, many, sizeof(many));
	}
	CU_ASSERT_EQUAL(have, TCP_SEND_QUEUE);
	CU_ASSERT_TRUE(tcp_can_write(a.tcp));
}

/* More than can be stored: the excess is retransmitted. The ring was used
 * before, so that it starts elsewhere. */
static void many_holes(void)
{
	enum { PIECES = 2 * 40 };
	uint8_t seen[PIECES];

	connected();
	say(&a, "before");
	settle();
	got(&b, "before");
	for (unsigned i = 0; i < PIECES; i++) {
		uint8_t octet = (uint8_t)i;

		CU_ASSERT_EQUAL(tcp_write(a.tcp, &octet, 1, now), 1);
		if (i % 2 == 0)
			lose(&a);
		else
			deliver(&a, &b);
	}
	CU_ASSERT_EQUAL(tcp_readable(b.tcp), 0);
	while (b.count)
		lose(&b);
	for (unsigned i = 0; tcp_readable(b.tcp) < PIECES; i++) {
		CU_ASSERT_FATAL(i < PIECES);
		now = tcp_deadline(a.tcp);
		tcp_tick(a.tcp, now);
		settle();
	}
	CU_ASSERT_EQUAL(tcp_read(b.tcp, seen, PIECES), PIECES);
	for (unsigned i = 0; i < PIECES; i++)
		CU_ASSERT_EQUAL(seen[i], i);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"octets cross the wrap", octets_cross_the_wrap},
		{"options", options_are_agreed_on},
		{"a peer without options", a_peer_without_options},
		{"window scale", a_window_is_scaled},
		{"old time stamps", what_is_old_is_not_taken},
		{"every write is a segment", every_write_is_a_segment},
		{"retransmission", what_is_lost_comes_again},
		{"both ends know what was lost", both_ends_know_what_was_lost},
		{"two that are lost cost one wait", two_lost_cost_one_wait},
		{"room can be made", room_can_be_made},
		{"three duplicate ACKs", three_duplicates_are_enough},
		{"odd acknowledgements", odd_acknowledgements},
		{"a lost handshake", a_lost_handshake_is_repeated},
		{"a handshake that is not one", a_handshake_that_is_not_one},
		{"simultaneous open", both_open_at_once},
		{"refused", refused},
		{"FIN both ways", fin_both_ways},
		{"a FIN before its turn", a_fin_before_its_turn},
		{"RST", resets},
		{"a shut window", a_shut_window},
		{"a full queue", a_full_queue},
		{"many holes", many_holes},
		{"delayed and withheld ACKs", acks_are_delayed_or_withheld},
	};

	return run_tests("tcp", tests, UNIT_COUNT(tests));
}
