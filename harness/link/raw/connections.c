/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/connections.h"

#include <stdlib.h>
#include <string.h>

enum {
	RAW_BACKLOG = 64,
	RAW_BACKLOG_OF_HOST = 32,
	RAW_ORPHANS = 16,
	RAW_EPHEMERAL_PORTS = 32768, /* and up from there */
	RAW_WINDOW = 32000, /* a frame holds no more than it: ETHERNET_FRAME */
};

#define RAW_ORPHAN_NS (1ull * CLOCK_NS_PER_S)

/* --- connections ---------------------------------------- */

static struct raw_conn *new_conn(struct raw_link *r,
				 const struct link_end *local,
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
	memcpy(c->path.mac_from, r->address.mac, PACKET_MAC);
	memcpy(c->path.mac_to, mac, PACKET_MAC);
	r->conns = c;
	return c;
}

/* What its TCP sends. */
static void emit(void *user, const struct segment *s)
{
	struct raw_conn *c = user;

	frames_send_segment(&c->raw->frames, &c->path, s);
}

/* What one connection has found out holds for all later ones, and for what the
 * device sends on them. */
static void narrowed(void *user, uint32_t mss)
{
	struct raw_conn *c = user;
	uint64_t *least = &c->raw->stats->black_hole_mss;

	if (!*least || mss < *least)
		*least = mss;
}

static struct tcp_config configure(struct raw_conn *c,
				   const struct link_options *o)
{
	struct raw_link *r = c->raw;
	uint32_t headers = packet_tcp_headers(r->address.ip.family);
	uint32_t path = ethernet_mtu(r->frames.ethernet) - headers;

	if (r->stats->black_hole_mss && r->stats->black_hole_mss < path)
		path = (uint32_t)r->stats->black_hole_mss;
	uint32_t mss = o->mss && o->mss < path ? o->mss : path;

	if (path > ETHERNET_FRAME - PACKET_HEADERS)
		path = ETHERNET_FRAME - PACKET_HEADERS;
	return (struct tcp_config){
		/* RFC 9293 s3.4.1: a clock, so that a device that remembers
		 * the ports takes it for a new connection. */
		.isn = o->isn_chosen ? o->isn : (uint32_t)(r->now / 4000),
		.mss = mss < UINT16_MAX ? mss : UINT16_MAX,
		.path_mss = path,
		.max_window = RAW_WINDOW,
		.rcvbuf = o->rcvbuf,
		.timestamps = !o->no_times,
		.no_scale = o->no_scale,
		.scale = o->scale,
		.acks = o->acks,
		.peer_isn_least = o->peer_isn_least,
		.emit = emit,
		.narrowed = narrowed,
		.user = c,
	};
}

struct raw_conn *raw_conn_open(struct raw_link *r, const struct link_end *local,
			       const struct link_end *remote,
			       const uint8_t mac[PACKET_MAC])
{
	struct raw_conn *c = new_conn(r, local, remote, mac);

	if (!c)
		return NULL;
	struct tcp_config config = configure(c, &r->link.options);

	tcp_open(c->tcp, &config, r->now);
	return c;
}

/*
 * In a full backlog the connection that has been half open for longest makes
 * room: a flood of SYNs from hosts that do not exist does not keep the device
 * away. No host has more than a part of it, so that another one that opens
 * connections does not either.
 */
static bool has_room(struct raw_link *r, const struct raw_listener *l,
		     const struct link_end *from)
{
	struct raw_conn *oldest = NULL;
	unsigned n = 0, of_host = 0;

	for (struct raw_conn *c = r->conns; c; c = c->next) {
		if (c->listener != l)
			continue;
		n++;
		of_host += address_equal(&c->conn.remote, from);
		if (tcp_state(c->tcp) == TCP_SYN_RECEIVED)
			oldest = c; /* the latest one is first */
	}
	if (of_host >= RAW_BACKLOG_OF_HOST)
		return false;
	if (n >= RAW_BACKLOG && oldest) {
		raw_conn_drop(oldest);
		n--;
	}
	return n < RAW_BACKLOG;
}

void raw_conn_answer(struct raw_link *r, struct raw_listener *l,
		     const struct packet *syn)
{
	struct raw_conn *c;

	/* Too many: as if it had got lost. */
	if (!has_room(r, l, &syn->from))
		return;
	c = new_conn(r, &syn->to, &syn->from, syn->mac_from);
	if (!c)
		return;
	c->listener = l;
	struct tcp_config config = configure(c, &l->options);

	tcp_accept(c->tcp, &config, &syn->tcp, r->now);
}

struct raw_conn *raw_conn_find(const struct raw_link *r, uint16_t local,
			       const struct link_end *remote)
{
	for (struct raw_conn *c = r->conns; c; c = c->next)
		if (c->conn.local.port == local &&
		    c->conn.remote.port == remote->port &&
		    address_equal(&c->conn.remote, remote))
			return c;
	return NULL;
}

void raw_conn_orphan(struct raw_conn *c)
{
	struct raw_conn *oldest = NULL;
	unsigned n = 0;

	c->orphan_until = c->raw->now + RAW_ORPHAN_NS;
	for (struct raw_conn *o = c->raw->conns; o; o = o->next) {
		if (!o->orphan_until)
			continue;
		n++;
		if (!oldest || o->orphan_until < oldest->orphan_until)
			oldest = o;
	}
	if (n > RAW_ORPHANS) {
		tcp_reset(oldest->tcp, c->raw->now);
		raw_conn_drop(oldest);
	}
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

void raw_conns_free(struct raw_link *r)
{
	while (r->conns)
		raw_conn_drop(r->conns);
	while (r->spare) {
		struct raw_conn *c = r->spare;

		r->spare = c->next;
		tcp_free(c->tcp);
		free(c);
	}
}

/* --- listeners ---------------------------------------- */

struct raw_listener *raw_listener_new(struct raw_link *r, uint16_t port)
{
	struct raw_listener *l = malloc(sizeof(*l));

	if (!l)
		return NULL;
	*l = (struct raw_listener){.listener.local = r->address.ip,
				   .options = r->link.options,
				   .next = r->listeners};
	l->listener.local.port = port;
	r->listeners = l;
	return l;
}

struct raw_listener *raw_listener_find(const struct raw_link *r, uint16_t port)
{
	for (struct raw_listener *l = r->listeners; l; l = l->next)
		if (l->listener.local.port == port)
			return l;
	return NULL;
}

struct raw_conn *raw_listener_first(const struct raw_link *r,
				    const struct raw_listener *l)
{
	struct raw_conn *first = NULL;

	/* Also one that was reset while it waited, as Linux does it. */
	for (struct raw_conn *c = r->conns; c; c = c->next)
		if (c->listener == l && tcp_ends(c->tcp).opened)
			first = c;
	return first;
}

struct raw_conn *raw_listener_accept(struct raw_link *r, struct raw_listener *l)
{
	struct raw_conn *first = raw_listener_first(r, l);

	/* A connection that ended before it was open makes room. */
	for (struct raw_conn *c = r->conns, *next; c; c = next) {
		next = c->next;
		if (c->listener == l && !tcp_ends(c->tcp).opened &&
		    tcp_state(c->tcp) == TCP_CLOSED)
			raw_conn_drop(c);
	}
	if (first)
		first->listener = NULL;
	return first;
}

void raw_listener_free(struct raw_link *r, struct raw_listener *l)
{
	struct raw_listener **at = &r->listeners;

	for (struct raw_conn *c = r->conns, *next; c; c = next) {
		next = c->next;
		if (c->listener != l)
			continue;
		r->link.lost += tcp_lost(c->tcp);
		tcp_reset(c->tcp, r->now);
		raw_conn_drop(c);
	}
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	free(l);
}

uint16_t raw_ephemeral_port(struct raw_link *r)
{
	for (;;) {
		uint16_t port = RAW_EPHEMERAL_PORTS | r->next_port++;
		bool used = raw_listener_find(r, port);

		for (struct raw_conn *c = r->conns; c; c = c->next)
			used |= c->conn.local.port == port;
		if (!used)
			return port;
	}
}
