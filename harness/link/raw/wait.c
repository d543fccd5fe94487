/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/wait.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "harness/link/raw/input.h"

void raw_idle(struct raw_link *r, uint64_t until)
{
	struct pollfd p = {.fd = ethernet_fd(r->frames.ethernet),
			   .events = POLLIN};
	uint64_t timer = raw_flush(r);

	poll(&p, 1, clock_poll_ms(timer < until ? timer : until));
	raw_process(r);
}

int raw_timeout_status(struct raw_link *r)
{
	r->link.down = r->link.down ||
		       !ethernet_is_up(r->frames.ethernet, r->link.why);
	return r->link.down ? LINK_ERROR : LINK_TIMEOUT;
}

static bool conn_readable(const struct link_conn *conn)
{
	const struct raw_conn *c = raw_conn_of(conn);
	struct tcp_ends e = tcp_ends(c->tcp);

	return tcp_readable(c->tcp) || e.fin_in ||
	       tcp_state(c->tcp) == TCP_CLOSED;
}

static unsigned readiness(const struct raw_link *r, const struct link_wait *w)
{
	unsigned ready = 0;

	if (w->conn) {
		bool over = tcp_state(raw_conn_of(w->conn)->tcp) == TCP_CLOSED;

		if (conn_readable(w->conn))
			ready |= LINK_READ;
		if (over || tcp_can_write(raw_conn_of(w->conn)->tcp))
			ready |= LINK_WRITE;
	} else if (w->listener) {
		if (raw_listener_first(r, raw_listener_of(w->listener)))
			ready |= LINK_READ;
	}
	return ready & w->want;
}

/* What else is waited for, and the interface. */
static int poll_all(struct raw_link *r, struct link_wait *waits, size_t n,
		    uint64_t until)
{
	struct pollfd p[LINK_WAIT_MAX + 1];
	int k;

	p[n] = (struct pollfd){.fd = ethernet_fd(r->frames.ethernet),
			       .events = POLLIN};
	for (size_t i = 0; i < n; i++) {
		bool own = waits[i].conn || waits[i].listener;

		p[i] = (struct pollfd){.fd = own ? -1 : waits[i].fd};
		if (waits[i].want & LINK_READ)
			p[i].events |= POLLIN;
		if (waits[i].want & LINK_WRITE)
			p[i].events |= POLLOUT;
	}
	do
		k = poll(p, n + 1, clock_poll_ms(until));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return link_fail(r->link.why, LINK_ERROR, "poll: %s",
				 strerror(errno));
	for (size_t i = 0; i < n; i++) {
		if (p[i].fd < 0)
			continue;
		waits[i].ready = 0;
		if (p[i].revents & POLLIN)
			waits[i].ready |= LINK_READ;
		if (p[i].revents & POLLOUT)
			waits[i].ready |= LINK_WRITE;
		if (p[i].revents & (POLLERR | POLLHUP | POLLNVAL))
			waits[i].ready |= waits[i].want;
	}
	return LINK_OK;
}

int raw_wait(struct link *link, struct link_wait *waits, size_t n,
	     uint64_t deadline)
{
	struct raw_link *r = raw_link_of(link);
	bool others = false;

	for (size_t i = 0; i < n; i++) {
		others |= !waits[i].conn && !waits[i].listener;
		waits[i].ready = 0;
	}
	for (bool looked = !others;; looked = true) {
		int ready = 0;

		raw_process(r);
		if (r->link.down)
			return LINK_ERROR;
		for (size_t i = 0; i < n; i++) {
			if (waits[i].conn || waits[i].listener)
				waits[i].ready = readiness(r, &waits[i]);
			ready += waits[i].ready != 0;
		}
		if (ready && looked)
			return ready;
		uint64_t timer = raw_flush(r);

		if (looked && deadline == CLOCK_NOW)
			return LINK_TIMEOUT;
		if (looked && r->now >= deadline)
			return raw_timeout_status(r);
		/* Once over, the other descriptors have been asked too. */
		if (ready || timer > deadline)
			timer = ready ? CLOCK_NOW : deadline;
		int status = poll_all(r, waits, n, timer);

		if (status != LINK_OK)
			return status;
	}
}
