/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The in-process pair: two ends of one pipe, each direction a ring. Both
 * ends own the pipe; the last one to close frees it.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/provider.h"

enum { PAIR_RING = 65536, PAIR_FIRST_PORT = 32768 };

/* From one end to the other. */
struct ring {
	uint8_t *octets;
	size_t from, n;
	bool fin;
};

struct pipe {
	struct ring ring[2]; /* [i]: written by end i */
	bool reset[2];       /* end i has reset the connection */
	bool closed[2];      /* end i was freed */
	size_t cap;
	uint8_t memory[];
};

struct pair_conn {
	struct link_conn conn;
	struct pipe *pipe;
	unsigned end; /* 0: the one that connected */
};

/* Ends that were connected to and not accepted yet, as a list. */
struct waiting {
	struct pair_conn *conn;
	struct waiting *next;
};

struct pair_listener {
	struct link_listener listener;
	struct waiting *first, **last;
	struct pair_listener *next;
};

struct pair_link {
	struct link link;
	struct pair_listener *listeners;
	uint16_t next_port;
};

static struct ring *out_ring(const struct pair_conn *c)
{
	return &c->pipe->ring[c->end];
}

static struct ring *in_ring(const struct pair_conn *c)
{
	return &c->pipe->ring[1 - c->end];
}

static struct link_end loopback(uint16_t port)
{
	return (struct link_end){
		.family = 4, .addr = {127, 0, 0, 1}, .port = port};
}

static uint16_t fresh_port(struct pair_link *l)
{
	if (l->next_port < PAIR_FIRST_PORT)
		l->next_port = PAIR_FIRST_PORT;
	return l->next_port++;
}

static int make_pair(struct pair_link *l, uint16_t to,
		     struct pair_conn *ends[2])
{
	size_t cap =
		l->link.options.rcvbuf ? l->link.options.rcvbuf : PAIR_RING;
	struct pipe *pipe = calloc(1, sizeof(*pipe) + 2 * cap);

	ends[0] = calloc(1, sizeof(*ends[0]));
	ends[1] = calloc(1, sizeof(*ends[1]));
	if (!pipe || !ends[0] || !ends[1]) {
		free(pipe);
		free(ends[0]);
		free(ends[1]);
		link_fail(l->link.why, LINK_ERROR, "out of memory");
		return LINK_ERROR;
	}
	pipe->cap = cap;
	uint16_t port[2] = {fresh_port(l), to};
	for (unsigned i = 0; i < 2; i++) {
		pipe->ring[i].octets = pipe->memory + i * cap;
		ends[i]->pipe = pipe;
		ends[i]->end = i;
		ends[i]->conn.local = loopback(port[i]);
		ends[i]->conn.remote = loopback(port[1 - i]);
	}
	return LINK_OK;
}

int link_pair(struct link *pair, struct link_conn **a, struct link_conn **b)
{
	struct pair_link *l = (struct pair_link *)pair;
	struct pair_conn *ends[2];
	int status = make_pair(l, fresh_port(l), ends);

	*a = *b = NULL;
	if (status != LINK_OK)
		return status;
	*a = &ends[0]->conn;
	*b = &ends[1]->conn;
	(*a)->link = (*b)->link = pair;
	(*a)->flow =
		capture_flow(pair->capture, &(*a)->local, &(*a)->remote, true);
	(*b)->flow = -1;
	return LINK_OK;
}

static struct pair_listener *find_listener(struct pair_link *l, uint16_t port)
{
	for (struct pair_listener *p = l->listeners; p; p = p->next)
		if (p->listener.local.port == port)
			return p;
	return NULL;
}

static int pair_connect(struct link *link, const struct link_end *to,
			uint64_t deadline, struct link_conn **conn)
{
	struct pair_link *l = (struct pair_link *)link;
	struct pair_listener *at = find_listener(l, to->port);
	struct pair_conn *ends[2];

	(void)deadline;
	if (!at)
		return link_fail(link->why, LINK_REFUSED,
				 "connect: nobody listens at port %u",
				 to->port);
	struct waiting *w = calloc(1, sizeof(*w));
	if (!w)
		return link_fail(link->why, LINK_ERROR, "out of memory");
	int status = make_pair(l, to->port, ends);
	if (status != LINK_OK) {
		free(w);
		return status;
	}
	w->conn = ends[1];
	w->conn->conn.link = link;
	*at->last = w;
	at->last = &w->next;
	*conn = &ends[0]->conn;
	return LINK_OK;
}

static int pair_listen(struct link *link, const struct link_end *at,
		       struct link_listener **listener)
{
	struct pair_link *l = (struct pair_link *)link;

	if (at->port != 0 && find_listener(l, at->port))
		return link_fail(link->why, LINK_ERROR,
				 "listen: port %u is taken", at->port);
	struct pair_listener *p = calloc(1, sizeof(*p));
	if (!p)
		return link_fail(link->why, LINK_ERROR, "out of memory");
	p->listener.local = loopback(at->port ? at->port : fresh_port(l));
	p->last = &p->first;
	p->next = l->listeners;
	l->listeners = p;
	*listener = &p->listener;
	return LINK_OK;
}

static int pair_accept_now(struct link_listener *listener,
			   struct link_conn **conn)
{
	struct pair_listener *p = (struct pair_listener *)listener;
	struct waiting *w = p->first;

	if (!w)
		return LINK_TIMEOUT;
	p->first = w->next;
	if (!p->first)
		p->last = &p->first;
	*conn = &w->conn->conn;
	free(w);
	return LINK_OK;
}

static bool pair_reset(struct link_conn *conn)
{
	struct pair_conn *c = (struct pair_conn *)conn;

	if (conn->fin_sent && conn->fin_seen)
		return false;
	c->pipe->reset[c->end] = true;
	return true;
}

static bool pair_close(struct link_conn *conn)
{
	struct pair_conn *c = (struct pair_conn *)conn;
	struct pipe *pipe = c->pipe;
	/* As a kernel does: unread octets are answered with a RST. */
	bool unread = in_ring(c)->n > 0 && !pipe->reset[1 - c->end] &&
		      !pipe->reset[c->end];

	if (unread)
		pipe->reset[c->end] = true;
	else if (!pipe->reset[c->end])
		out_ring(c)->fin = true;
	pipe->closed[c->end] = true;
	if (pipe->closed[0] && pipe->closed[1])
		free(pipe);
	free(c);
	return unread;
}

static void pair_listener_close(struct link_listener *listener)
{
	struct pair_listener *p = (struct pair_listener *)listener;
	struct pair_link *l = (struct pair_link *)listener->link;
	struct pair_listener **at = &l->listeners;
	struct link_conn *conn;

	while (pair_accept_now(listener, &conn) == LINK_OK) {
		pair_reset(conn);
		pair_close(conn);
	}
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	free(p);
}

static long pair_send_now(struct link_conn *conn, const void *octets, size_t n)
{
	struct pair_conn *c = (struct pair_conn *)conn;
	struct ring *r = out_ring(c);
	size_t cap = c->pipe->cap;

	if (c->pipe->reset[1 - c->end] || c->pipe->closed[1 - c->end]) {
		c->pipe->reset[1 - c->end] = true;
		return link_fail(conn->why, LINK_RESET,
				 "send: the peer has reset the connection");
	}
	if (n > cap - r->n)
		n = cap - r->n;
	size_t at = (r->from + r->n) % cap;
	size_t first = n < cap - at ? n : cap - at;
	memcpy(r->octets + at, octets, first);
	memcpy(r->octets, (const uint8_t *)octets + first, n - first);
	r->n += n;
	return (long)n;
}

static long pair_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	struct pair_conn *c = (struct pair_conn *)conn;
	struct ring *r = in_ring(c);
	size_t n = cap < r->n ? cap : r->n;

	if (conn->reset_sent)
		return LINK_RESET;
	if (n == 0) {
		if (r->fin && !conn->fin_seen)
			return 0;
		if (c->pipe->reset[1 - c->end])
			return link_fail(conn->why, LINK_RESET,
					 "receive: the peer reset the "
					 "connection");
		return r->fin ? 0 : LINK_TIMEOUT;
	}
	size_t first = n < c->pipe->cap - r->from ? n : c->pipe->cap - r->from;
	memcpy(octets, r->octets + r->from, first);
	memcpy((uint8_t *)octets + first, r->octets, n - first);
	r->from = (r->from + n) % c->pipe->cap;
	r->n -= n;
	return (long)n;
}

static int pair_half_close(struct link_conn *conn)
{
	struct pair_conn *c = (struct pair_conn *)conn;

	if (c->pipe->reset[1 - c->end])
		return link_fail(conn->why, LINK_RESET,
				 "close: the peer has reset the connection");
	out_ring(c)->fin = true;
	return LINK_OK;
}

static unsigned pair_ready(const struct link_wait *w)
{
	unsigned ready = 0;

	if (!w->conn)
		return ((const struct pair_listener *)w->listener)->first
			       ? w->want & LINK_READ
			       : 0;
	const struct pair_conn *c = (const struct pair_conn *)w->conn;
	if (c->pipe->reset[0] || c->pipe->reset[1] ||
	    c->pipe->closed[1 - c->end])
		return w->want;
	if (in_ring(c)->n > 0 || in_ring(c)->fin)
		ready |= LINK_READ;
	if (out_ring(c)->n < c->pipe->cap)
		ready |= LINK_WRITE;
	return ready & w->want;
}

/* Descriptors are asked once, without waiting: see link.h. */
static unsigned fd_ready(const struct link_wait *w)
{
	struct pollfd p = {.fd = w->fd};
	unsigned ready = 0;

	p.events = (short)((w->want & LINK_READ ? POLLIN : 0) |
			   (w->want & LINK_WRITE ? POLLOUT : 0));
	if (poll(&p, 1, 0) <= 0)
		return 0;
	if (p.revents & POLLIN)
		ready |= LINK_READ;
	if (p.revents & POLLOUT)
		ready |= LINK_WRITE;
	if (p.revents & ~(POLLIN | POLLOUT))
		ready |= w->want;
	return ready;
}

static int pair_wait(struct link *link, struct link_wait *waits, size_t n,
		     uint64_t deadline)
{
	int count = 0;

	(void)link;
	(void)deadline;
	for (size_t i = 0; i < n; i++) {
		waits[i].ready = waits[i].conn || waits[i].listener
					 ? pair_ready(&waits[i])
					 : fd_ready(&waits[i]);
		count += waits[i].ready != 0;
	}
	return count ? count : LINK_TIMEOUT;
}

static void pair_destroy(struct link *link)
{
	assert(!((struct pair_link *)link)->listeners);
	free(link);
}

static const struct link_ops pair_ops = {
	.both_ends = true,
	.connect = pair_connect,
	.listen = pair_listen,
	.accept_now = pair_accept_now,
	.send_now = pair_send_now,
	.recv_now = pair_recv_now,
	.half_close = pair_half_close,
	.reset = pair_reset,
	.close = pair_close,
	.listener_close = pair_listener_close,
	.wait = pair_wait,
	.destroy = pair_destroy,
};

struct link *link_pair_open(void)
{
	struct pair_link *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->link.ops = &pair_ops;
	l->link.name = "pair";
	l->link.caps = LINK_CAP_HALF_CLOSE | LINK_CAP_RESET | LINK_CAP_LISTEN |
		       LINK_CAP_RCVBUF;
	return &l->link;
}
