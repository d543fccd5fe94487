/* SPDX-License-Identifier: BSD-2-Clause */
/* What raw.c, raw_frames.c and raw_open.c share: the link and its parts. */
#ifndef HARNESS_LINK_RAW_INTERNAL_H
#define HARNESS_LINK_RAW_INTERNAL_H

#include "harness/link/packet.h"
#include "harness/link/provider.h"
#include "harness/link/raw.h"
#include "harness/link/tcp.h"
#include "harness/link/wire.h"

enum {
	RAW_NEIGHBOURS = 16,
	RAW_BACKLOG = 64,
	RAW_ORPHANS = 16,
	RAW_STASH = 4 << 20, /* octets; more than any window */
	RAW_BURST = 24,      /* frames sent before it is looked what came */
};

struct raw_listener;

enum raw_role {
	RAW_IN_USE,
	RAW_WAITING, /* not accepted yet */
	RAW_ORPHAN,  /* closed by its owner, and not over */
};

struct raw_conn {
	struct link_conn conn;
	struct tcp *tcp;
	struct packet_path path;
	enum raw_role role;
	struct raw_listener *listener;
	uint64_t orphan_until;
	struct raw_link *raw;
	struct raw_conn *next;
};

struct raw_listener {
	struct link_listener listener;
	struct link_options options;
	struct raw_listener *next;
};

struct neighbour {
	struct link_end at; /* family 0: free */
	uint8_t mac[PACKET_MAC];
};

struct raw_link {
	struct link link;
	struct wire *wire;
	struct link_end own;
	unsigned prefix;
	struct link_end gateway; /* family 0: none */
	uint8_t mac[PACKET_MAC];
	struct raw_conn *conns, *spare;
	struct raw_listener *listeners;
	struct neighbour neighbour[RAW_NEIGHBOURS];
	unsigned next_neighbour;
	uint16_t next_port;
	/*
	 * Frames that were taken from the wire and not dealt with yet: taking
	 * and dealing are apart because the latter sends, and what is sent
	 * and seen must not fill the kernel's buffer meanwhile.
	 */
	uint8_t *stash;
	size_t stash_from, stash_to;
	unsigned burst;
	uint64_t now; /* when what is being dealt with was taken */
	bool taken;   /* somebody else has our address, at: */
	uint8_t taken_by[PACKET_MAC];
	struct link_raw_seen counted, *seen; /* the former, or another's */
};

/* --- raw_frames.c ---------------------------------------- */

/* Deal with what has come and with what time has brought. */
void raw_service(struct raw_link *r);
/* ... and with what is owed before a wait; when to come back. */
uint64_t raw_settle(struct raw_link *r);

void raw_send(struct raw_link *r, const uint8_t *frame, size_t n);
void raw_emit(void *user, const struct segment *s);
void raw_who_has(struct raw_link *r, const struct link_end *at, bool probe);
const struct neighbour *raw_neighbour(const struct raw_link *r,
				      const struct link_end *at);

/* --- raw.c ---------------------------------------- */

extern const struct link_ops raw_ops;
struct raw_conn *raw_conn_new(struct raw_link *r, const struct link_end *local,
			      const struct link_end *remote,
			      const uint8_t mac[PACKET_MAC]);
struct tcp_config raw_config(struct raw_conn *c, const struct link_options *o);
/* Take it out of the row, keep its memory. */
void raw_conn_drop(struct raw_conn *c);

#endif
