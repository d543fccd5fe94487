/* SPDX-License-Identifier: BSD-2-Clause */
/* The socket link over loopback, both ends in this thread. */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/link/link.h"
#include "harness/unit.h"

enum { SECOND = 1000, SOON = 20, BIG = 8 << 20 };

static struct link *sock;

/* Once, a send fails as if the peer were gone. */
static bool send_fails;

ssize_t send(int fd, const void *octets, size_t n, int flags)
{
	if (!send_fails)
		return sendto(fd, octets, n, flags, NULL, 0);
	send_fails = false;
	errno = ECONNRESET;
	return -1;
}

/* Two connected ends; us is the one that connected. */
struct ends {
	struct link_listener *listener;
	struct link_conn *us, *peer;
};

static struct ends connected(const char *addr)
{
	struct ends e = {0};
	uint16_t port = 0;

	CU_ASSERT_EQUAL_FATAL(link_listen(sock, addr, &port, &e.listener),
			      LINK_OK);
	CU_ASSERT_NOT_EQUAL(port, 0);
	CU_ASSERT_EQUAL_FATAL(
		link_connect(sock, addr, port, clock_after_ms(SECOND), &e.us),
		LINK_OK);
	CU_ASSERT_EQUAL_FATAL(
		link_accept(e.listener, clock_after_ms(SECOND), &e.peer),
		LINK_OK);
	return e;
}

static void closed(struct ends *e)
{
	link_close(e->us);
	link_close(e->peer);
	link_listener_close(e->listener);
}

static void exchange(const char *addr, uint8_t family)
{
	struct ends e = connected(addr);
	char got[16];

	CU_ASSERT_EQUAL(e.us->local.family, family);
	CU_ASSERT_EQUAL(e.us->local.port, e.peer->remote.port);
	CU_ASSERT_EQUAL(e.us->remote.port, e.peer->local.port);
	CU_ASSERT_EQUAL(memcmp(e.us->local.addr, e.peer->remote.addr, 16), 0);
	CU_ASSERT_EQUAL(
		link_send(e.us, "hello", 5, NULL, 0, clock_after_ms(SECOND)),
		LINK_OK);
	CU_ASSERT_EQUAL(
		link_recv(e.peer, got, sizeof(got), clock_after_ms(SECOND)), 5);
	CU_ASSERT_EQUAL(memcmp(got, "hello", 5), 0);
	CU_ASSERT_EQUAL(e.us->sent, 5);
	CU_ASSERT_EQUAL(e.peer->received, 5);
	closed(&e);
}

static void over_ipv4(void)
{
	exchange("127.0.0.1", 4);
}

static void over_ipv6(void)
{
	struct link_listener *l;
	uint16_t port = 0;

	if (link_listen(sock, "::1", &port, &l) != LINK_OK) {
		printf("link: no IPv6 loopback here: %s\n", sock->why);
		CU_PASS("no IPv6");
		return;
	}
	link_listener_close(l);
	exchange("::1", 6);
}

static void addresses(void)
{
	struct link_end e;
	char text[LINK_END_TEXT];

	CU_ASSERT_TRUE(link_end_parse(&e, "192.0.2.1", 7));
	link_end_text(&e, text);
	CU_ASSERT_STRING_EQUAL(text, "192.0.2.1:7");
	CU_ASSERT_TRUE(link_end_parse(&e, "2001:db8::1", 7));
	link_end_text(&e, text);
	CU_ASSERT_STRING_EQUAL(text, "[2001:db8::1]:7");
	CU_ASSERT_TRUE(link_end_parse(&e, "fe80::1%lo", 7));
	CU_ASSERT_NOT_EQUAL(e.scope, 0);
	CU_ASSERT_FALSE(link_end_parse(&e, "localhost", 7));
	CU_ASSERT_FALSE(link_end_parse(&e, "1.2.3", 7));
	CU_ASSERT_FALSE(link_end_parse(&e, "", 7));
	CU_ASSERT_FALSE(link_end_parse(&e, "fe80::1%no-such-interface", 7));
}

static void refused(void)
{
	struct link_listener *l;
	struct link_conn *c;
	uint16_t port = 0;

	CU_ASSERT_EQUAL_FATAL(link_listen(sock, "127.0.0.1", &port, &l),
			      LINK_OK);
	link_listener_close(l);
	CU_ASSERT_EQUAL(link_connect(sock, "127.0.0.1", port,
				     clock_after_ms(SECOND), &c),
			LINK_REFUSED);
	CU_ASSERT_PTR_NULL(c);
	CU_ASSERT_PTR_NOT_NULL(strstr(sock->why, "127.0.0.1"));
	CU_ASSERT_EQUAL(
		link_connect(sock, "nowhere", 1, clock_after_ms(SECOND), &c),
		LINK_ERROR);
}

static void fin_is_told_after_the_octets(void)
{
	struct ends e = connected("127.0.0.1");
	char got[8];

	CU_ASSERT_EQUAL(
		link_send(e.peer, "abc", 3, NULL, 0, clock_after_ms(SECOND)),
		LINK_OK);
	CU_ASSERT_EQUAL(link_half_close(e.peer), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 2, clock_after_ms(SECOND)), 2);
	CU_ASSERT_FALSE(e.us->fin_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 2, clock_after_ms(SECOND)), 1);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 2, clock_after_ms(SECOND)), 0);
	CU_ASSERT_TRUE(e.us->fin_seen);
	CU_ASSERT_FALSE(e.us->reset_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 2, clock_after_ms(SECOND)), 0);
	closed(&e);
}

static void half_close_goes_on_receiving(void)
{
	struct ends e = connected("127.0.0.1");
	char got[8];

	CU_ASSERT_EQUAL(link_half_close(e.us), LINK_OK);
	CU_ASSERT_EQUAL(link_half_close(e.us), LINK_OK);
	CU_ASSERT_TRUE(e.us->fin_sent);
	CU_ASSERT_EQUAL(link_recv(e.peer, got, 8, clock_after_ms(SECOND)), 0);
	CU_ASSERT_EQUAL(
		link_send(e.peer, "late", 4, NULL, 0, clock_after_ms(SECOND)),
		LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)), 4);
	closed(&e);
}

static void reset_is_told_after_the_octets(void)
{
	struct ends e = connected("127.0.0.1");
	char got[8];

	CU_ASSERT_EQUAL(
		link_send(e.peer, "abc", 3, NULL, 0, clock_after_ms(SECOND)),
		LINK_OK);
	CU_ASSERT_EQUAL(link_reset(e.peer), LINK_OK);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)), 3);
	CU_ASSERT_FALSE(e.us->reset_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)),
			LINK_RESET);
	CU_ASSERT_TRUE(e.us->reset_seen);
	CU_ASSERT_FALSE(e.us->fin_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)),
			LINK_RESET);
	closed(&e);
}

/* A send that meets the RST consumes the kernel's error: unread octets must
 * still be delivered, and the end must still be a RST, not a FIN. */
static void reset_met_by_a_send(void)
{
	struct ends e = connected("127.0.0.1");
	char got[8];

	link_send(e.peer, "abc", 3, NULL, 0, clock_after_ms(SECOND));
	link_reset(e.peer);
	CU_ASSERT_EQUAL(
		link_send(e.us, "x", 1, NULL, 0, clock_after_ms(SECOND)),
		LINK_RESET);
	CU_ASSERT_TRUE(e.us->reset_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)), 3);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)),
			LINK_RESET);
	CU_ASSERT_FALSE(e.us->fin_seen);
	CU_ASSERT_EQUAL(link_half_close(e.us), LINK_RESET);
	closed(&e);
}

/* FIN first, RST after it: both are seen, in this order. */
/* The octets have not left: this must not look like silence of the peer. */
static void a_failed_send_is_an_end(void)
{
	struct ends e = connected("127.0.0.1");
	char got[16];

	send_fails = true;
	CU_ASSERT_EQUAL(
		link_send(e.us, "hello", 5, NULL, 0, clock_after_ms(SECOND)),
		LINK_RESET);
	CU_ASSERT_EQUAL(link_recv(e.us, got, sizeof(got), clock_after_ms(SOON)),
			LINK_RESET);
	CU_ASSERT_TRUE(e.us->reset_seen);
	closed(&e);
}

static void reset_after_fin(void)
{
	struct ends e = connected("127.0.0.1");
	char got[8];

	link_half_close(e.peer);
	link_reset(e.peer);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)), 0);
	CU_ASSERT_TRUE(e.us->fin_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)),
			LINK_RESET);
	CU_ASSERT_TRUE(e.us->reset_seen);
	closed(&e);

	e = connected("127.0.0.1");
	link_half_close(e.peer);
	link_reset(e.peer);
	CU_ASSERT_EQUAL(
		link_send(e.us, "x", 1, NULL, 0, clock_after_ms(SECOND)),
		LINK_RESET);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)), 0);
	CU_ASSERT_TRUE(e.us->fin_seen);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, clock_after_ms(SECOND)),
			LINK_RESET);
	closed(&e);
}

static void drain_tells_how_it_ended(void)
{
	struct ends e = connected("127.0.0.1");

	link_send(e.peer, "abc", 3, NULL, 0, clock_after_ms(SECOND));
	CU_ASSERT_EQUAL(link_drain(e.us, clock_after_ms(SOON)), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(e.us->received, 3);
	link_send(e.peer, "def", 3, NULL, 0, clock_after_ms(SECOND));
	link_half_close(e.peer);
	CU_ASSERT_EQUAL(link_drain(e.us, clock_after_ms(SECOND)), LINK_OK);
	CU_ASSERT_EQUAL(e.us->received, 6);
	closed(&e);

	e = connected("127.0.0.1");
	link_reset(e.peer);
	CU_ASSERT_EQUAL(link_drain(e.us, clock_after_ms(SECOND)), LINK_RESET);
	closed(&e);
}

/*
 * How many data segments reach a plain socket when n octets are sent to it
 * with these cuts; the receiving kernel counts them.
 */
static unsigned segments(size_t n, const size_t *cuts, size_t ncuts)
{
	static const uint8_t octets[4096];
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof(at);
	struct tcp_info info = {0};
	struct link_conn *c = NULL;
	uint8_t got[4096];
	size_t total = 0;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	CU_ASSERT_EQUAL_FATAL(
		bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	CU_ASSERT_EQUAL_FATAL(link_connect(sock, "127.0.0.1",
					   ntohs(at.sin_port),
					   clock_after_ms(SECOND), &c),
			      LINK_OK);
	int fd = accept(listener, NULL, NULL);
	CU_ASSERT_EQUAL(
		link_send(c, octets, n, cuts, ncuts, clock_after_ms(SECOND)),
		LINK_OK);
	CU_ASSERT_EQUAL(c->torn, 0);
	CU_ASSERT_EQUAL(c->sent, n);
	while (total < n) {
		ssize_t k = recv(fd, got, sizeof(got), 0);
		CU_ASSERT_FATAL(k > 0);
		total += (size_t)k;
	}
	len = sizeof(info);
	CU_ASSERT_EQUAL(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len), 0);
	close(fd);
	close(listener);
	link_close(c);
	return info.tcpi_data_segs_in;
}

static void cuts_are_segments(void)
{
	static const size_t some[] = {1, 3, 1000};
	size_t every[199];

	for (size_t i = 0; i < 199; i++)
		every[i] = i + 1;
	CU_ASSERT_EQUAL(segments(2000, NULL, 0), 1);
	CU_ASSERT_EQUAL(segments(2000, some, 3), 4);
	CU_ASSERT_EQUAL(segments(200, every, 199), 200);
	CU_ASSERT_EQUAL(segments(0, NULL, 0), 0);
}

static void the_segment_size_is_clamped(void)
{
	sock->options.mss = 536;
	unsigned n = segments(4096, NULL, 0);
	sock->options.mss = 0;
	CU_ASSERT(n >= 8);
}

static void deadlines_expire(void)
{
	struct ends e = connected("127.0.0.1");
	struct link_conn *c;
	char got[8];
	uint64_t deadline = clock_after_ms(SOON);

	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, deadline), LINK_TIMEOUT);
	CU_ASSERT(clock_now_ns() >= deadline);
	CU_ASSERT_EQUAL(link_recv(e.us, got, 8, CLOCK_NOW), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_recv_now(e.us, got, 8), LINK_TIMEOUT);
	CU_ASSERT_EQUAL(link_accept(e.listener, clock_after_ms(SOON), &c),
			LINK_TIMEOUT);
	CU_ASSERT_PTR_NULL(c);
	closed(&e);
}

/* A peer that does not read: the send ends at its deadline, reports how far it
 * got, and the rest of the stream matches that. */
static void a_shut_window_ends_a_send(void)
{
	sock->options.rcvbuf = 4096;
	struct ends e = connected("127.0.0.1");
	sock->options.rcvbuf = 0;
	uint8_t *big = calloc(1, BIG);
	uint8_t *got = malloc(65536);
	uint64_t total = 0;
	long k;

	CU_ASSERT_EQUAL(
		link_send(e.us, big, BIG, NULL, 0, clock_after_ms(SOON)),
		LINK_TIMEOUT);
	CU_ASSERT(e.us->sent > 0 && e.us->sent < BIG);
	CU_ASSERT_EQUAL(e.us->torn, 1);
	CU_ASSERT_EQUAL(link_send_now(e.us, big, 1), 0);
	CU_ASSERT_EQUAL(link_half_close(e.us), LINK_OK);
	/* A window that has been shut is probed ever more seldom. */
	while ((k = link_recv(e.peer, got, 65536,
			      clock_after_ms(30 * SECOND))) > 0)
		total += (uint64_t)k;
	CU_ASSERT_EQUAL(k, 0);
	CU_ASSERT_EQUAL(total, e.us->sent);
	free(big);
	free(got);
	closed(&e);
}

static void several_are_waited_for(void)
{
	struct ends a = connected("127.0.0.1");
	struct ends b = connected("127.0.0.1");
	struct link_conn *c = NULL;
	struct link_wait w[] = {
		{.conn = a.us, .want = LINK_READ},
		{.conn = b.us, .want = LINK_READ},
		{.listener = a.listener, .want = LINK_READ},
	};

	CU_ASSERT_EQUAL(link_wait(sock, w, 3, clock_after_ms(SOON)),
			LINK_TIMEOUT);
	link_send(b.peer, "x", 1, NULL, 0, clock_after_ms(SECOND));
	CU_ASSERT_EQUAL(link_wait(sock, w, 3, clock_after_ms(SECOND)), 1);
	CU_ASSERT_EQUAL(w[0].ready, 0);
	CU_ASSERT_EQUAL(w[1].ready, LINK_READ);
	CU_ASSERT_EQUAL(w[2].ready, 0);
	link_reset(a.peer);
	CU_ASSERT_EQUAL(link_connect(sock, "127.0.0.1", a.listener->local.port,
				     clock_after_ms(SECOND), &c),
			LINK_OK);
	CU_ASSERT_EQUAL(link_wait(sock, w, 3, clock_after_ms(SECOND)), 3);
	link_close(c);
	closed(&a);
	closed(&b);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{"exchange over IPv4", over_ipv4},
		{"exchange over IPv6", over_ipv6},
		{"addresses", addresses},
		{"connection refused", refused},
		{"FIN is reported after the octets",
		 fin_is_told_after_the_octets},
		{"half close", half_close_goes_on_receiving},
		{"RST is reported after the octets",
		 reset_is_told_after_the_octets},
		{"RST met by a send", reset_met_by_a_send},
		{"a failed send is an end", a_failed_send_is_an_end},
		{"RST after FIN", reset_after_fin},
		{"drain", drain_tells_how_it_ended},
		{"cuts are segments", cuts_are_segments},
		{"deadlines expire", deadlines_expire},
		{"a shut window ends a send", a_shut_window_ends_a_send},
		{"the segment size is clamped", the_segment_size_is_clamped},
		{"several are waited for", several_are_waited_for},
	};

	sock = link_socket_open();
	int status = unit_run("link", tests, UNIT_COUNT(tests));
	link_close_provider(sock);
	return status;
}
