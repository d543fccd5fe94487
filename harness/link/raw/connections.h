/* SPDX-License-Identifier: BSD-2-Clause */
/* A link, with its connections and listeners. */
#ifndef HARNESS_LINK_RAW_CONNECTIONS_H
#define HARNESS_LINK_RAW_CONNECTIONS_H

#include "harness/link/provider.h"
#include "harness/link/raw/address.h"
#include "harness/link/raw/frames.h"
#include "harness/link/raw/neighbours.h"
#include "harness/link/raw/raw.h"
#include "harness/link/raw/tcp.h"

struct raw_conn {
	struct link_conn conn;
	struct tcp *tcp;
	struct packet_path path;
	struct raw_listener *listener; /* it waits in the backlog; or NULL */
	uint64_t orphan_until;         /* 0: it has an owner */
	struct raw_link *raw;
	struct raw_conn *next;
};

struct raw_listener {
	struct link_listener listener;
	struct link_options options;
	struct raw_listener *next;
};

struct raw_link {
	struct link link;
	struct address address;
	struct frames frames;
	struct neighbours neighbours;
	struct raw_conn *conns, *spare; /* the newest one first */
	struct raw_listener *listeners;
	uint16_t next_port;
	uint64_t now;     /* when received frames were last processed */
	uint64_t dropped; /* frames_dropped() after the last pause */
	struct link_raw_stats own_stats, *stats; /* own_stats or the caller's */
};

static inline struct raw_link *raw_link_of(const struct link *link)
{
	return (struct raw_link *)(uintptr_t)link;
}

static inline struct raw_conn *raw_conn_of(const struct link_conn *conn)
{
	return (struct raw_conn *)(uintptr_t)conn;
}

static inline struct raw_listener *raw_listener_of(struct link_listener *l)
{
	return (struct raw_listener *)l;
}

/* Make a connection, and send its SYN, with the options of the link. NULL: no
 * memory. */
struct raw_conn *raw_conn_open(struct raw_link *r, const struct link_end *local,
			       const struct link_end *remote,
			       const uint8_t mac[PACKET_MAC]);
/* Make a connection that answers a SYN, if the backlog has room for it. */
void raw_conn_answer(struct raw_link *r, struct raw_listener *l,
		     const struct packet *syn);
/* The connection with this local port and remote end, or NULL. */
struct raw_conn *raw_conn_find(const struct raw_link *r, uint16_t local,
			       const struct link_end *remote);
/* The owner has closed a connection, which still has to exchange its FINs. Only
 * a few such connections are kept, each for a short time. */
void raw_conn_orphan(struct raw_conn *c);
/* Take a connection off the list, and keep its memory for the next one. */
void raw_conn_drop(struct raw_conn *c);
void raw_conns_free(struct raw_link *r);

/* Make a listener, with the options of the link. NULL: no memory. */
struct raw_listener *raw_listener_new(struct raw_link *r, uint16_t port);
struct raw_listener *raw_listener_find(const struct raw_link *r, uint16_t port);
/* The oldest open connection in the backlog of a listener, or NULL. */
struct raw_conn *raw_listener_first(const struct raw_link *r,
				    const struct raw_listener *l);
/* Take this connection out of the backlog. NULL: there is none. */
struct raw_conn *raw_listener_accept(struct raw_link *r,
				     struct raw_listener *l);
/* Send a RST on each connection in the backlog, and free the listener. */
void raw_listener_free(struct raw_link *r, struct raw_listener *l);

/* A port that no connection or listener of the link uses. */
uint16_t raw_ephemeral_port(struct raw_link *r);

#endif
