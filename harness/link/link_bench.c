/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of the link for a case: connect, one round trip, both FINs and close
 * over loopback, both ends in this process; with and without a recorded
 * capture. A figure, not a verdict: nothing fails because of time.
 */
#include <stdio.h>

#include "harness/link/capture.h"

enum { CYCLES = 5000, OCTETS = 64 };

static int cycle(struct link *us, struct link_listener *listener)
{
	struct link_conn *a = NULL, *b = NULL;
	uint8_t octets[OCTETS] = {0};
	uint64_t deadline = clock_after_ms(5000);
	int bad = link_connect(us, "127.0.0.1", listener->local.port, deadline,
			       &a) != LINK_OK ||
		  link_accept(listener, deadline, &b) != LINK_OK;

	bad = bad || link_send(a, octets, OCTETS, NULL, 0, deadline) ||
	      link_recv(b, octets, OCTETS, deadline) != OCTETS ||
	      link_send(b, octets, OCTETS, NULL, 0, deadline) ||
	      link_recv(a, octets, OCTETS, deadline) != OCTETS ||
	      link_half_close(b) || link_drain(a, deadline) ||
	      link_half_close(a) || link_drain(b, deadline);
	link_close(a);
	link_close(b);
	return bad ? -1 : 0;
}

static int measure(struct link *us, struct link *peer, const char *name)
{
	struct link_listener *listener;
	uint16_t port = 0;

	if (link_listen(peer, "127.0.0.1", &port, &listener) != LINK_OK) {
		fprintf(stderr, "link_bench: %s\n", peer->why);
		return -1;
	}
	uint64_t start = clock_now_ns();
	int bad = 0;
	for (int i = 0; i < CYCLES && !bad; i++) {
		capture_restart(us->capture);
		bad = cycle(us, listener);
	}
	double s = (double)(clock_now_ns() - start) / CLOCK_NS_PER_S;
	link_listener_close(listener);
	if (bad) {
		fprintf(stderr, "link_bench: %s: %s\n", name, us->why);
		return -1;
	}
	printf("bench link.%s %.0f connections/s\n", name, CYCLES / s);
	return 0;
}

int main(void)
{
	struct link *us = link_socket_open();
	struct link *peer = link_socket_open();
	int bad = 1;

	if (us && peer) {
		bad = measure(us, peer, "socket");
		us->capture = capture_open(CAPTURE_LIMIT);
		bad |= measure(us, peer, "socket.recorded");
		capture_close(us->capture);
	}
	link_close_provider(us);
	link_close_provider(peer);
	return bad != 0;
}
