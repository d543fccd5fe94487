/* SPDX-License-Identifier: BSD-2-Clause */
/* The provider: connections and listeners over the end point of tcp.h, their
 * ends, and waiting for them. */
#include "harness/link/raw/raw.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/raw_internal.h"

enum {
	RAW_FIRST_PORT = 32768,
	RAW_WINDOW = 32000, /* a frame holds no more than it: ETHERNET_FRAME */
};

/* How often it is asked again where somebody is, and how long a connection
 * that nobody has any more may take to end. */
#define RAW_ASK_NS    (200ull * CLOCK_NS_PER_MS)
#define RAW_ORPHAN_NS (1ull * CLOCK_NS_PER_S)

/* --- connections ---------------------------------------- */

struct raw_conn *raw_conn_new(struct raw_link *r, const struct link_end *local,
			      const struct link_end *remote,
			      const uint8_t mac[PACKET_MAC])
{
	struct raw_conn *c = r->spare;
	struct tcp *tcp = c ? c->tcp : tcp_new();

	if (!tcp)
		return NULL;
	if (c)
		r->spare = c->next;
	else
		c = malloc(sizeof(*c));
	if (!c) {
		tcp_free(tcp);
		return NULL;
	}
	*c = (struct raw_conn){.tcp = tcp, .raw = r, .next = r->conns};
	c->conn.local = c->path.from = *local;
	c->conn.remote = c->path.to = *remote;
	memcpy(c->path.mac_from, r->mac, PACKET_MAC);
	memcpy(c->path.mac_to, mac, PACKET_MAC);
	r->conns = c;
	return c;
}

void raw_conn_drop(struct raw_conn *c)
{
	struct raw_link *r = c->raw;
	struct raw_conn **at = &r->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->next = r->spare;
	r->spare = c;
}

struct tcp_config raw_config(struct raw_conn *c, const struct link_options *o)
{
	struct raw_link *r = c->raw;
	uint32_t headers = raw_headers(r->own.family);
	uint32_t most = ethernet_mtu(r->wire) - headers;
	uint32_t mss = o->mss && o->mss < most ? o->mss : most;

	if (most > ETHERNET_FRAME - PACKET_HEADERS)
		most = ETHERNET_FRAME - PACKET_HEADERS;
	return (struct tcp_config){
		/* RFC 9293 s3.4.1: a clock, so that a device that remembers
		 * the ports takes it for a new connection. */
		.isn = o->isn_chosen ? o->isn : (uint32_t)(r->now / 4000),
		.mss = mss < UINT16_MAX ? mss : UINT16_MAX,
		.most = most,
		.window = RAW_WINDOW,
		.rcvbuf = o->rcvbuf,
		.times = !o->no_times,
		.no_scale = o->no_scale,
		.scale = o->scale,
		.acks = o->acks,
		.peer_isn_least = o->peer_isn_least,
		.emit = raw_emit,
		.user = c,
	};
}

static uint16_t fresh_port(struct raw_link *r)
{
	for (;;) {
		uint16_t port = RAW_FIRST_PORT | r->next_port++;
		bool used = false;

		for (struct raw_conn *c = r->conns; c; c = c->next)
			used |= c->conn.local.port == port;
		for (struct raw_listener *l = r->listeners; l; l = l->next)
			used |= l->listener.local.port == port;
		if (!used)
			return port;
	}
}

/* Wait for a frame or the time, whichever comes first. */
static void idle(struct raw_link *r, uint64_t until)
{
	struct pollfd p = {.fd = ethernet_fd(r->wire), .events = POLLIN};
	uint64_t timer = raw_settle(r);

	poll(&p, 1, clock_poll_ms(timer < until ? timer : until));
	raw_service(r);
}

static const struct neighbour *resolve(struct raw_link *r,
				       const struct link_end *to,
				       uint64_t deadline)
{
	const struct neighbour *n = raw_neighbour(r, to);
	uint64_t again = 0;

	while (!n && !r->link.down) {
		uint64_t now = clock_now_ns();

		if (now >= again) {
			raw_who_has(r, to, false);
			again = now + RAW_ASK_NS;
		}
		if (now >= deadline)
			break;
		idle(r, again < deadline ? again : deadline);
		n = raw_neighbour(r, to);
	}
	return n;
}

static bool is_near(const struct raw_link *r, const struct link_end *to)
{
	for (unsigned bit = 0; bit < r->prefix; bit++)
		if ((r->own.addr[bit / 8] ^ to->addr[bit / 8]) >>
			    (7 - bit % 8) &
		    1)
			return false;
	return to->family == r->own.family;
}

/* Because nobody sent it, or because nothing can come? */
static int nothing_came(struct raw_link *r)
{
	r->link.down = r->link.down || !ethernet_is_up(r->wire, r->link.why);
	return r->link.down ? LINK_ERROR : LINK_TIMEOUT;
}

static int connect_status(struct raw_link *r, const struct raw_conn *c)
{
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.refused)
		return LINK_REFUSED;
	if (e.reset_in)
		return LINK_RESET;
	return nothing_came(r);
}

static int open_tcp(struct raw_conn *c, uint64_t deadline)
{
	struct raw_link *r = c->raw;
	struct tcp_config config = raw_config(c, &r->link.options);

	tcp_open(c->tcp, &config, r->now);
	raw_service(r);
	/* That a RST came right after it, is the connection's to tell. */
	while (!tcp_ends(c->tcp).opened) {
		if (tcp_state(c->tcp) == TCP_CLOSED || r->link.down ||
		    clock_now_ns() >= deadline)
			return connect_status(r, c);
		idle(r, deadline);
	}
	return LINK_OK;
}

static int raw_connect(struct link *link, const struct link_end *to,
		       uint64_t deadline, struct link_conn **conn)
{
	struct raw_link *r = raw_link_of(link);
	struct link_end local = r->own;
	char text[LINK_END_TEXT];

	link_end_text(to, text);
	raw_service(r);
	const struct link_end *hop = is_near(r, to) ? to : &r->gateway;

	if (!hop->family)
		return link_fail(link->why, LINK_ERROR,
				 "connect to %s: not on the segment of %s/%u, "
				 "and there is no [link] gateway",
				 text, link->address, r->prefix);
	const struct neighbour *n = resolve(r, hop, deadline);

	if (!n && nothing_came(r) == LINK_ERROR)
		return LINK_ERROR;
	if (!n)
		return link_fail(link->why, LINK_TIMEOUT,
				 "connect to %s: nobody has %s address", text,
				 hop == to ? "that" : "the gateway's");
	local.port = fresh_port(r);
	for (;;) {
		struct raw_conn *c = raw_conn_new(r, &local, to, n->mac);

		if (!c)
			return link_fail(link->why, LINK_ERROR,
					 "out of memory");
		int status = open_tcp(c, deadline);

		if (status == LINK_OK) {
			*conn = &c->conn;
			return LINK_OK;
		}
		bool again = tcp_ends(c->tcp).unwanted;

		raw_conn_drop(c);
		local.port = fresh_port(r);
		if (again)
			continue;
		if (status == LINK_ERROR)
			return status;
		return link_fail(link->why, status, "connect to %s: %s", text,
				 link_status_name(status));
	}
}

static int raw_listen(struct link *link, const struct link_end *at,
		      struct link_listener **listener)
{
	struct raw_link *r = raw_link_of(link);
	struct raw_listener *l = calloc(1, sizeof(*l));

	if (!l)
		return link_fail(link->why, LINK_ERROR, "out of memory");
	raw_service(r);
	l->listener.local = r->own;
	l->listener.local.port = at->port ? at->port : fresh_port(r);
	l->options = link->options;
	l->next = r->listeners;
	r->listeners = l;
	*listener = &l->listener;
	return LINK_OK;
}

static int raw_accept_now(struct link_listener *listener,
			  struct link_conn **conn)
{
	struct raw_listener *l = (struct raw_listener *)listener;
	struct raw_link *r = raw_link_of(listener->link);
	struct raw_conn *found = NULL;

	raw_service(r);
	for (struct raw_conn *c = r->conns, *next; c; c = next) {
		next = c->next;
		if (c->listener != l || c->role != RAW_WAITING)
			continue;
		/* Also one that was reset while it waited, as Linux does it;
		 * the last one in the row came first. */
		if (tcp_ends(c->tcp).opened)
			found = c;
		else if (tcp_state(c->tcp) == TCP_CLOSED)
			raw_conn_drop(c);
	}
	if (!found && r->link.down)
		return LINK_ERROR;
	if (!found)
		return LINK_TIMEOUT;
	found->role = RAW_IN_USE;
	found->listener = NULL;
	*conn = &found->conn;
	return LINK_OK;
}

static void raw_listener_close(struct link_listener *listener)
{
	struct raw_listener *l = (struct raw_listener *)listener;
	struct raw_link *r = raw_link_of(listener->link);
	struct raw_listener **at = &r->listeners;

	raw_service(r);
	for (struct raw_conn *c = r->conns, *next; c; c = next) {
		next = c->next;
		if (c->listener != l)
			continue;
		tcp_reset(c->tcp, r->now);
		raw_conn_drop(c);
	}
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	free(l);
}

/* --- ends ---------------------------------------- */

static int raw_half_close(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	int status = raw_trouble(conn);

	if (status == LINK_OK)
		tcp_fin(c->tcp, c->raw->now);
	return status;
}

static bool raw_reset(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);
	struct tcp_ends e;

	raw_service(c->raw);
	e = tcp_ends(c->tcp);
	/* After both FINs there is no connection left to reset. */
	bool there =
		tcp_state(c->tcp) != TCP_CLOSED && !(e.fin_in && e.fin_acked);

	if (there)
		tcp_reset(c->tcp, c->raw->now);
	return there;
}

/* An end that nobody has any more is not kept for long, nor are many. */
static void disown(struct raw_conn *c)
{
	struct raw_conn *oldest = NULL;
	unsigned n = 0;

	c->role = RAW_ORPHAN;
	c->orphan_until = c->raw->now + RAW_ORPHAN_NS;
	for (struct raw_conn *o = c->raw->conns; o; o = o->next)
		if (o->role == RAW_ORPHAN) {
			n++;
			oldest = !oldest || o->orphan_until <
							 oldest->orphan_until
					 ? o
					 : oldest;
		}
	if (n > RAW_ORPHANS) {
		tcp_reset(oldest->tcp, c->raw->now);
		raw_conn_drop(oldest);
	}
}

static bool raw_close(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);
	bool unread = tcp_readable(c->tcp) > 0;

	raw_service(c->raw);
	unread |= tcp_readable(c->tcp) > 0;
	if (tcp_state(c->tcp) == TCP_CLOSED) {
		raw_conn_drop(c);
		return false;
	}
	if (unread) {
		tcp_reset(c->tcp, c->raw->now);
		raw_conn_drop(c);
		return true;
	}
	tcp_release(c->tcp, c->raw->now);
	tcp_fin(c->tcp, c->raw->now);
	tcp_flush(c->tcp, c->raw->now);
	disown(c);
	return false;
}

/* --- waiting ---------------------------------------- */

static bool conn_readable(const struct link_conn *conn)
{
	const struct raw_conn *c = raw_conn_of(conn);
	struct tcp_ends e = tcp_ends(c->tcp);

	return tcp_readable(c->tcp) || e.fin_in ||
	       tcp_state(c->tcp) == TCP_CLOSED;
}

static bool has_waiting(const struct raw_link *r,
			const struct link_listener *listener)
{
	for (const struct raw_conn *c = r->conns; c; c = c->next)
		if (c->role == RAW_WAITING &&
		    &c->listener->listener == listener &&
		    tcp_ends(c->tcp).opened)
			return true;
	return false;
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
		ready = has_waiting(r, w->listener) ? LINK_READ : 0;
	}
	return ready & w->want;
}

/* What else is waited for, and the wire. */
static int poll_all(struct raw_link *r, struct link_wait *waits, size_t n,
		    uint64_t until)
{
	struct pollfd p[LINK_WAIT_MAX + 1];
	int k;

	p[n] = (struct pollfd){.fd = ethernet_fd(r->wire), .events = POLLIN};
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

static int raw_wait(struct link *link, struct link_wait *waits, size_t n,
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

		raw_service(r);
		if (r->link.down)
			return LINK_ERROR;
		for (size_t i = 0; i < n; i++) {
			if (waits[i].conn || waits[i].listener)
				waits[i].ready = readiness(r, &waits[i]);
			ready += waits[i].ready != 0;
		}
		if (ready && looked)
			return ready;
		uint64_t timer = raw_settle(r);

		if (looked && deadline == CLOCK_NOW)
			return LINK_TIMEOUT;
		if (looked && r->now >= deadline)
			return nothing_came(r);
		/* Once over, the other descriptors have been asked too. */
		if (ready || timer > deadline)
			timer = ready ? CLOCK_NOW : deadline;
		int status = poll_all(r, waits, n, timer);

		if (status != LINK_OK)
			return status;
	}
}

static int raw_fd(const struct link *link)
{
	return ethernet_fd(raw_link_of(link)->wire);
}

static uint64_t raw_serve(struct link *link)
{
	raw_service(raw_link_of(link));
	return raw_settle(raw_link_of(link));
}

static void raw_destroy(struct link *link)
{
	struct raw_link *r = raw_link_of(link);

	assert(!r->listeners);
	while (r->conns)
		raw_conn_drop(r->conns);
	while (r->spare) {
		struct raw_conn *c = r->spare;

		r->spare = c->next;
		tcp_free(c->tcp);
		free(c);
	}
	ethernet_close(r->wire);
	free(r->stash);
	free(r);
}

const struct link_ops raw_ops = {
	.sniffs = true,
	.connect = raw_connect,
	.listen = raw_listen,
	.accept_now = raw_accept_now,
	.send_now = raw_send_now,
	.recv_now = raw_recv_now,
	.half_close = raw_half_close,
	.reset = raw_reset,
	.close = raw_close,
	.listener_close = raw_listener_close,
	.wait = raw_wait,
	.destroy = raw_destroy,
	.emss = raw_emss,
	.mss = raw_mss,
	.send_segments = raw_send_segments,
	.send_stray = raw_send_stray,
	.release = raw_release,
	.set_acks = raw_set_acks,
	.set_window = raw_set_window,
	.lose = raw_lose,
	.fall_silent = raw_fall_silent,
	.tell_path_mtu = raw_tell_path_mtu,
	.arrivals = raw_arrivals,
	.fd = raw_fd,
	.serve = raw_serve,
};
