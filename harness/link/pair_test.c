/* SPDX-License-Identifier: BSD-2-Clause */
/* The in-process pair behaves as the socket link does, without waiting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/link.h"
#include "harness/unit.h"

/* No wait blocks: a deadline that never comes must not be waited for. */
static const uint64_t never = UINT64_MAX;

static struct link *pair;
static struct link_conn *us, *peer;

static void start(uint32_t ring)
{
	pair = link_pair_open();
	if (!pair) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	pair->options.rcvbuf = ring;
	CU_ASSERT_EQUAL_FATAL(link_pair(pair, &us, &peer), LINK_OK);
}

static void stop(void)
{
	link_close(us);
	link_close(peer);
	link_close_provider(pair);
}

static void octets_pass_both_ways(void)
{
	char got[8];

	start(0);
	CU_ASSERT_EQUAL(link_recv(us, got, 8, never), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_send(us, "ab", 2, NULL, 0, never), LINK_OK);
	CU_ASSERT_EQUAL(link_send(peer, "xyz", 3, NULL, 0, never), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 2);
	CU_ASSERT_EQUAL(memcmp(got, "ab", 2), 0);
	CU_ASSERT_EQUAL(link_recv(us, got, 1, never), 1);
	CU_ASSERT_EQUAL(link_recv(us, got + 1, 8, never), 2);
	CU_ASSERT_EQUAL(memcmp(got, "xyz", 3), 0);
	CU_ASSERT_EQUAL(us->local.port, peer->remote.port);
	stop();
}

/* Around the ring at every offset, and never past its bound. */
static void the_ring_wraps_and_is_bounded(void)
{
	uint8_t in[7], out[7];
	uint8_t next = 0, due = 0;

	start(7);
	for (unsigned i = 0; i < 100; i++) {
		size_t n = 1 + i % 7;
		for (size_t k = 0; k < n; k++)
			in[k] = next++;
		CU_ASSERT_EQUAL(link_send(us, in, n, NULL, 0, never), LINK_OK);
		CU_ASSERT_EQUAL(link_recv(peer, out, 7, never), (long)n);
		for (size_t k = 0; k < n; k++)
			CU_ASSERT_EQUAL(out[k], due++);
	}
	CU_ASSERT_EQUAL(link_send(us, "123456789", 9, NULL, 0, never),
			LINK_TIMEOUT);
	CU_ASSERT_EQUAL(us->torn, 1);
	CU_ASSERT_EQUAL(link_send_now(us, "x", 1), 0);
	CU_ASSERT_EQUAL(link_recv(peer, out, 7, never), 7);
	CU_ASSERT_EQUAL(memcmp(out, "1234567", 7), 0);
	stop();
}

static void fin_and_half_close(void)
{
	char got[8];

	start(0);
	link_send(us, "ab", 2, NULL, 0, never);
	CU_ASSERT_EQUAL(link_half_close(us), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 2);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 0);
	CU_ASSERT_TRUE(peer->fin_seen);
	CU_ASSERT_EQUAL(link_send(peer, "late", 4, NULL, 0, never), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(us, got, 8, never), 4);
	CU_ASSERT_EQUAL(link_recv(us, got, 8, never), LINK_TIMEOUT);
	link_close(peer);
	peer = NULL;
	CU_ASSERT_EQUAL(link_drain(us, never), LINK_OK);
	CU_ASSERT_TRUE(us->fin_seen);
	CU_ASSERT_FALSE(us->reset_seen);
	stop();
}

static void reset_comes_after_the_octets(void)
{
	char got[8];

	start(0);
	link_send(us, "ab", 2, NULL, 0, never);
	CU_ASSERT_EQUAL(link_reset(us), LINK_OK);
	CU_ASSERT_EQUAL(link_send(peer, "x", 1, NULL, 0, never), LINK_RESET);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 2);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), LINK_RESET);
	CU_ASSERT_TRUE(peer->reset_seen);
	CU_ASSERT_FALSE(peer->fin_seen);
	CU_ASSERT_EQUAL(link_half_close(peer), LINK_RESET);
	stop();

	start(0);
	link_half_close(us);
	link_reset(us);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 0);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), LINK_RESET);
	CU_ASSERT_TRUE(peer->fin_seen);
	stop();
}

static void a_close_with_unread_octets_is_a_reset(void)
{
	char got[8];

	start(0);
	link_send(us, "ab", 2, NULL, 0, never);
	link_close(peer);
	peer = NULL;
	CU_ASSERT_EQUAL(link_recv(us, got, 8, never), LINK_RESET);
	stop();
}

static void connect_and_accept_meet_by_port(void)
{
	struct link_listener *l;
	uint16_t port = 0;
	char got[8];

	pair = link_pair_open();
	us = peer = NULL;
	CU_ASSERT_EQUAL(link_connect(pair, "127.0.0.1", 5, never, &us),
			LINK_REFUSED);
	CU_ASSERT_EQUAL_FATAL(link_listen(pair, "127.0.0.1", &port, &l),
			      LINK_OK);
	CU_ASSERT_EQUAL(link_accept(l, never, &peer), LINK_TIMEOUT);
	CU_ASSERT_EQUAL_FATAL(link_connect(pair, "127.0.0.1", port, never, &us),
			      LINK_OK);
	struct link_wait w = {.listener = l, .want = LINK_READ};
	CU_ASSERT_EQUAL(link_wait(pair, &w, 1, never), 1);
	CU_ASSERT_EQUAL_FATAL(link_accept(l, never, &peer), LINK_OK);
	w = (struct link_wait){.conn = peer, .want = LINK_READ};
	CU_ASSERT_EQUAL(link_wait(pair, &w, 1, never), LINK_TIMEOUT);
	link_send(us, "x", 1, NULL, 0, never);
	CU_ASSERT_EQUAL(link_wait(pair, &w, 1, never), 1);
	CU_ASSERT_EQUAL(link_recv(peer, got, 8, never), 1);
	/* A connection that was not accepted is reset with its listener. */
	struct link_conn *lost;
	CU_ASSERT_EQUAL(link_connect(pair, "127.0.0.1", port, never, &lost),
			LINK_OK);
	link_listener_close(l);
	CU_ASSERT_EQUAL(link_recv(lost, got, 8, never), LINK_RESET);
	link_close(lost);
	stop();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"octets pass both ways", octets_pass_both_ways},
		{"the ring wraps and is bounded",
		 the_ring_wraps_and_is_bounded},
		{"FIN and half close", fin_and_half_close},
		{"RST comes after the octets", reset_comes_after_the_octets},
		{"a close with unread octets is a RST",
		 a_close_with_unread_octets_is_a_reset},
		{"connect and accept meet by port",
		 connect_and_accept_meet_by_port},
	};

	return unit_run("pair", tests, UNIT_COUNT(tests));
}
