/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the SCTP link. */
#ifndef HARNESS_LINK_SCTP_SCTP_INTERNAL_H
#define HARNESS_LINK_SCTP_SCTP_INTERNAL_H

#include "harness/link/provider.h"
#include "harness/link/sctp/sctp.h"
#include "harness/link/sctp/stack.h"

enum {
	SCTP_PACKET_MAX = 65535,
	SCTP_COMMON_OCTETS = 12,
	SCTP_PATHS_MAX = 4096,
	SCTP_STREAMS = 10, /* RFC 6458; RFC 9260 s3.3.2 has no number */
	SCTP_MTU = 1500,
	SCTP_MTU_LEAST = 512,
	SCTP_TICK_MS = 10,       /* while packets are exchanged */
	SCTP_TICK_MOST_MS = 100, /* long after the last packet */
	SCTP_TAGS = 512,         /* associations whose tags are known */
	SCTP_TAGS_EACH = 8,
};

struct socket; /* usrsctp's */

/* A remote end. It exists as long as the link, because SCTP may still shut down
 * a closed association. */
struct sctp_path {
	struct stack_path path;
	struct link_sctp_link *link;
	struct link_end remote; /* with its UDP port, or 0 */
	struct sctp_path *next;
};

/* The verification tags of an association, from its beginning. */
struct sctp_tags {
	const struct sctp_path *path; /* NULL: unused */
	uint8_t local[2], remote[2];  /* ports, as in a packet */
	uint32_t ours[SCTP_TAGS_EACH], theirs;
	size_t count;
};

/* A packet that waits to be sent. */
struct sctp_held {
	uint8_t *octets;
	size_t n;
};

/* What an association shows of lost packets. */
struct sctp_losses {
	bool has_sent, has_received;
	uint32_t sent, received; /* the highest TSN, by direction */
	bool init_sent, cookie_sent;
	bool chosen; /* a case withholds or loses packets: nothing counts */
	uint64_t lost;
};

struct link_sctp_conn {
	struct link_conn conn;
	struct socket *so;
	struct sctp_path *path;
	struct link_sctp_conn *next;
	bool up, lost, ended, refused; /* as SCTP reported it */
	bool adaptation;
	uint32_t indication;
	bool fragments; /* from the options */
	/* The message that is being received, or that is complete and was not
	 * returned yet. */
	struct link_message m;
	uint8_t *in;
	size_t in_octets, in_cap;
	bool in_whole;
	/* Whether its packets are dropped, stripped of SACKs, or held. */
	bool silent, acks_withheld, holds;
	unsigned lose;
	struct sctp_held held[LINK_SCTP_HELD];
	size_t held_count;
	struct sctp_losses losses;
};

struct link_sctp_listener {
	struct link_listener listener;
	struct socket *so;
	struct link_sctp_listener *next;
};

struct link_sctp_link {
	struct link link;
	struct link_sctp_options options;
	struct link_end local; /* with its UDP port, or 0 */
	bool ip_alone;
	int fd;
	uint64_t packets; /* received so far */
	uint64_t moved;   /* when the last one was sent or received, ns */
	struct sctp_path *paths;
	size_t path_count;
	struct sctp_tags tags[SCTP_TAGS];
	size_t tags_next;
	struct link_sctp_conn *conns;
	struct link_sctp_listener *listeners;
	/* The last SACK that was withheld, alone in a packet. */
	struct sctp_held sack;
	struct sctp_path *sack_path;
	void (*seen)(void *arg, const struct link_sctp_packet *packet);
	void *arg;
	uint8_t packet[SCTP_PACKET_MAX]; /* the one that is being read */
};

static inline struct link_sctp_link *sctp_link(struct link *link)
{
	return (struct link_sctp_link *)link;
}

static inline struct link_sctp_conn *sctp_conn(struct link_conn *conn)
{
	return (struct link_sctp_conn *)conn;
}

/* --- chunks.c -------------------------------------------------------------- */

enum { SCTP_CHUNK_HEAD = 4 };
/* The types that the link knows. */
enum sctp_link_chunk {
	SCTP_LINK_DATA = 0,
	SCTP_LINK_INIT = 1,
	SCTP_LINK_INIT_ACK = 2,
	SCTP_LINK_SACK = 3,
	SCTP_LINK_ABORT = 6,
	SCTP_LINK_COOKIE_ECHO = 10,
	SCTP_LINK_SHUTDOWN_COMPLETE = 14,
};

/* In network byte order. */
uint16_t sctp_get16(const uint8_t *at);
uint32_t sctp_get32(const uint8_t *at);
/* The octets of the chunk at `at`, with its padding; 0: no complete chunk is
 * left. */
size_t sctp_chunk_octets(const uint8_t *packet, size_t n, size_t at);
bool sctp_has_chunk(const uint8_t *packet, size_t n, enum sctp_link_chunk type);
/* Remove the chunks of a type, and write the checksum again. Returns the octets
 * that are left. */
size_t sctp_strip(uint8_t *packet, size_t n, enum sctp_link_chunk type);

/* --- losses.c -------------------------------------------------------------- */

/* A packet of the association passes. */
void sctp_losses_see(struct sctp_losses *l, bool sent, const uint8_t *packet,
		     size_t n);
/* Packets that were lost on the way; 0 if a case has chosen losses. */
uint64_t sctp_losses(const struct sctp_losses *l);

/* --- datagram.c ---------------------------------------------------------- */

bool sctp_datagrams_open(struct link_sctp_link *l, const struct link_sctp *c,
			 char why[LINK_WHY]);
void sctp_datagrams_close(struct link_sctp_link *l);
/* Find the path to an end, or make one. NULL: too many, or no memory. */
struct sctp_path *sctp_path_to(struct link_sctp_link *l,
			       const struct link_end *remote);
/* Process received packets, and run timers. */
void sctp_serve(struct link_sctp_link *l);
/* The time until SCTP's timers have to be checked, in milliseconds. */
int sctp_tick_ms(const struct link_sctp_link *l);
void sctp_set_acks(struct link_conn *conn, enum link_acks acks);
void sctp_lose(struct link_conn *conn, unsigned n);
void sctp_fall_silent(struct link_conn *conn);
void sctp_forget_held(struct link_sctp_conn *c);

/* --- tags.c --------------------------------------------------------------- */

/* Record the tags of a packet that is sent. False: it answers a packet that
 * belongs to no association. */
bool sctp_tags_out(struct sctp_path *p, const uint8_t *packet, size_t n);
/* Whether a received packet belongs to an association of ours, or begins one.
 * The packet has to have a complete common header. */
bool sctp_tags_in(struct sctp_path *p, const uint8_t *packet, size_t n);

/* --- message.c ----------------------------------------------------------- */

/* Read from SCTP, until a message is complete or there is nothing more. */
void sctp_fill(struct link_sctp_conn *c);
/* Whether there is a complete message, or the association has ended. */
bool sctp_readable(struct link_sctp_conn *c);
uint64_t sctp_unacknowledged(const struct link_conn *conn);
long sctp_send_now(struct link_conn *conn, const void *octets, size_t n);
long sctp_recv_now(struct link_conn *conn, void *octets, size_t cap);

#endif
