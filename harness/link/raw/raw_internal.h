/* SPDX-License-Identifier: BSD-2-Clause */
/* What raw.c, stream.c, frames.c and open.c share: the link and
 * its parts. */
#ifndef HARNESS_LINK_RAW_RAW_INTERNAL_H
#define HARNESS_LINK_RAW_RAW_INTERNAL_H

#include "harness/link/raw/packet.h"
#include "harness/link/provider.h"
#include "harness/link/raw/raw.h"
#include "harness/link/raw/tcp.h"
#include "harness/link/raw/ethernet.h"

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
	struct ethernet *wire;
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

/* --- frames.c -------------------------------------------- */

/* Deal with what has come and with what time has brought. */
void raw_service(struct raw_link *r);
/* ... and with what is owed before a wait; when to come back. */
uint64_t raw_settle(struct raw_link *r);

void raw_send(struct raw_link *r, const uint8_t *frame, size_t n);
void raw_emit(void *user, const struct segment *s);
void raw_who_has(struct raw_link *r, const struct link_end *at, bool probe);
const struct neighbour *raw_neighbour(const struct raw_link *r,
				      const struct link_end *at);

/* Octets of the IP and TCP headers, without options. */
static inline uint32_t raw_headers(uint8_t family)
{
	return family == 6 ? 60 : 40;
}

static inline struct raw_link *raw_link_of(const struct link *link)
{
	return (struct raw_link *)(uintptr_t)link;
}

static inline struct raw_conn *raw_conn_of(const struct link_conn *conn)
{
	return (struct raw_conn *)(uintptr_t)conn;
}

/* --- stream.c: as in link_ops ---------------------------------------- */

/* What keeps octets from going either way; LINK_OK if nothing does. */
int raw_trouble(struct link_conn *conn);
long raw_send_now(struct link_conn *conn, const void *octets, size_t n);
bool raw_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count);
void raw_release(struct link_conn *conn);
void raw_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n);
void raw_set_acks(struct link_conn *conn, enum link_acks acks);
void raw_set_window(struct link_conn *conn, long octets);
void raw_lose(struct link_conn *conn, unsigned n);
void raw_fall_silent(struct link_conn *conn);
void raw_tell_path_mtu(struct link_conn *conn, uint32_t mtu);
size_t raw_arrivals(const struct link_conn *conn, struct link_segment *out,
		    size_t cap);
long raw_recv_now(struct link_conn *conn, void *octets, size_t cap);
uint32_t raw_emss(const struct link_conn *conn);
uint32_t raw_mss(const struct link_conn *conn);

/* --- raw.c ---------------------------------------- */

extern const struct link_ops raw_ops;
struct raw_conn *raw_conn_new(struct raw_link *r, const struct link_end *local,
			      const struct link_end *remote,
			      const uint8_t mac[PACKET_MAC]);
struct tcp_config raw_config(struct raw_conn *c, const struct link_options *o);
/* Take it out of the row, keep its memory. */
void raw_conn_drop(struct raw_conn *c);

#endif
