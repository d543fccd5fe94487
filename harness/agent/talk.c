/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/agent/talk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/agent/line.h"
#include "harness/agent/reach.h"
#include "harness/link/clock.h"

/* A line of the largest size, and the octets that arrive with its end. */
enum { CHUNK = 64 << 10, ROOM = LINE_MAX_OCTETS + CHUNK };

struct talk {
	int fd;
	bool closed;
	size_t from, to; /* of the octets that arrived and were not returned */
	char in[ROOM];
};

struct talk *talk_open(const char *host, uint16_t port, uint64_t deadline,
		       char *why, size_t cap)
{
	struct talk *t = malloc(sizeof(*t));

	if (!t) {
		snprintf(why, cap, "out of memory");
		return NULL;
	}
	t->closed = false;
	t->from = t->to = 0;
	t->fd = agent_reach(host, port, deadline, why, cap);
	if (t->fd >= 0)
		return t;
	free(t);
	return NULL;
}

void talk_close(struct talk *t)
{
	if (!t)
		return;
	close(t->fd);
	free(t);
}

static void read_some(struct talk *t)
{
	if (t->from) {
		memmove(t->in, t->in + t->from, t->to - t->from);
		t->to -= t->from;
		t->from = 0;
	}
	if (t->to == ROOM)
		return;
	ssize_t k = recv(t->fd, t->in + t->to, ROOM - t->to, MSG_DONTWAIT);

	if (k > 0)
		t->to += (size_t)k;
	else if (k == 0 || (errno != EAGAIN && errno != EINTR))
		t->closed = true;
}

/* Wait for this, and read the available octets. False: the deadline. */
static bool turn(struct talk *t, short events, uint64_t deadline)
{
	struct pollfd p = {.fd = t->fd, .events = events};
	int n = poll(&p, 1, clock_poll_ms(deadline));

	if (n > 0 && p.revents & (POLLIN | POLLHUP | POLLERR))
		read_some(t);
	return n > 0 || (n < 0 && errno == EINTR);
}

bool talk_put(struct talk *t, const void *octets, size_t n, uint64_t deadline)
{
	const char *at = octets;

	while (n && !t->closed) {
		ssize_t k = send(t->fd, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (k > 0) {
			at += k;
			n -= (size_t)k;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (!turn(t, POLLIN | POLLOUT, deadline)) {
			return false;
		}
	}
	return n == 0;
}

enum talk_result talk_get(struct talk *t, uint64_t deadline, char **line,
			  size_t *n)
{
	for (;;) {
		char *start = t->in + t->from;
		char *end = memchr(start, '\n', t->to - t->from);

		if (end) {
			*end = '\0';
			*line = start;
			*n = (size_t)(end - start);
			t->from += *n + 1;
			return *n < LINE_MAX_OCTETS ? TALK_LINE : TALK_ENDLESS;
		}
		if (t->to - t->from >= LINE_MAX_OCTETS)
			return TALK_ENDLESS;
		if (t->closed)
			return TALK_CLOSED;
		if (!turn(t, POLLIN, deadline))
			return TALK_SILENT;
	}
}
