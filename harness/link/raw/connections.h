/* SPDX-License-Identifier: BSD-2-Clause */
/* A link, and the connections and listeners there are on it. */
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
	struct raw_listener *listener; /* in whose backlog it is, or NULL */
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
	struct raw_conn *conns, *spare; /* the latest one first */
	struct raw_listener *listeners;
	uint16_t next_port;
	uint64_t now;     /* when received data was last processed */
	uint64_t dropped; /* frames, when a pause was last made up for */
	struct link_raw_stats own_stats, *stats; /* the former, or another's */
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

/* A new one sends its SYN, with the options of the link. NULL: no memory. */
struct raw_conn *raw_conn_open(struct raw_link *r, const struct link_end *local,
			       const struct link_end *remote,
			       const uint8_t mac[PACKET_MAC]);
/* A new one answers a SYN, if the backlog has room for it. */
void raw_conn_answer(struct raw_link *r, struct raw_listener *l,
		     const struct packet *syn);
/* By the local port, and the remote end. */
struct raw_conn *raw_conn_find(const struct raw_link *r, uint16_t local,
			       const struct link_end *remote);
/* Closed by its owner: only a few are kept, and not for long. */
void raw_conn_orphan(struct raw_conn *c);
/* Take it off the list, and keep its memory for the next. */
void raw_conn_drop(struct raw_conn *c);
void raw_conns_free(struct raw_link *r);

/* With the options of the link. NULL: no memory. */
struct raw_listener *raw_listener_new(struct raw_link *r, uint16_t port);
struct raw_listener *raw_listener_find(const struct raw_link *r, uint16_t port);
/* The connection that was opened first of those in its backlog, or NULL. */
struct raw_conn *raw_listener_first(const struct raw_link *r,
				    const struct raw_listener *l);
/* It, taken out of the backlog. */
struct raw_conn *raw_listener_accept(struct raw_link *r,
				     struct raw_listener *l);
/* With a RST to all in its backlog. */
void raw_listener_free(struct raw_link *r, struct raw_listener *l);

/* One that nothing here has. */
uint16_t raw_ephemeral_port(struct raw_link *r);

#endif
