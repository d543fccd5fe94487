/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SCTP for the device: usrsctp as a library without threads, in UDP datagrams
 * (RFC 6951) of one socket in the event loop. It knows messages, streams and an
 * adaptation indication; sctp_assoc.c uses them for DDP.
 *
 * There is one usrsctp per process. Jobs of the loop read messages and
 * notifications from its sockets: usrsctp itself calls no event function.
 */
#ifndef HARNESS_REFDUT_SCTP_STACK_H
#define HARNESS_REFDUT_SCTP_STACK_H

#include "harness/refdut/address.h"
#include "harness/refdut/buf.h"

struct socket; /* usrsctp's */
struct stack_path;

/* The contents of the device's INIT or INIT ACK, and whether it bundles
 * messages. They apply to associations that are opened from then on. */
struct stack_options {
	bool adaptation;
	uint32_t indication;
	uint16_t outbound;
	uint16_t inbound;
	bool bundled; /* short messages wait to be bundled */
};

struct stack_message {
	uint16_t stream;
	uint32_t ppid;
	bool ordered;
	bool cut;              /* split into SCTP fragments */
	const uint8_t *octets; /* valid during the call */
	size_t n;
};

struct stack_wire;

/* Events of an association. Each function may abort or release it. */
struct stack_user {
	/* The association is up: its indication, streams and peer are set. */
	void (*up)(struct stack_wire *wire);
	void (*message)(struct stack_wire *wire,
			const struct stack_message *message);
	/* A message of ours on this stream was acknowledged. */
	void (*acknowledged)(struct stack_wire *wire, uint16_t stream);
	/* Acknowledgments arrived, or there is room to send again. */
	void (*progress)(struct stack_wire *wire);
	/* The association has ended: shut down, aborted, refused, or lost. */
	void (*over)(struct stack_wire *wire, bool in_order);
};

/* An association at the level of SCTP; the first member of its user's
 * structure. */
struct stack_wire {
	const struct stack_user *user;
	struct socket *so; /* NULL: the association is over, or was released */
	struct job job;
	struct stack_path *path;
	struct stack_wire *next;
	uint16_t local_port;
	uint16_t peer_port;
	bool up;
	bool indicated;
	uint32_t indication;
	uint16_t streams; /* the streams that exist in both directions */
	uint32_t largest; /* the largest message that fits into one packet */
	struct buf in;    /* the octets of an incomplete message */
	bool cut;
	/* Chunks sent and not acknowledged: their stream, and whether they are
	 * the last of their message. */
	struct buf flight;
	uint32_t next_tsn;
	bool tsn_known;
};

/* An SCTP port that accepts associations. */
struct stack_door {
	struct socket *so;
	struct job job;
	struct stack_door *next;
	uint16_t port;
	/* Whether to accept an association with a peer whose INIT has this
	 * adaptation indication. */
	bool (*admits)(const struct stack_door *door, bool indicated,
		       uint32_t indication);
	/* An association was opened. Returns zeroed memory for it with `user`
	 * set, or NULL. */
	struct stack_wire *(*came)(struct stack_door *door);
};

/* Run SCTP in UDP at this address; the system chooses the port. Returns 0, or
 * -1 with errno. */
int stack_start(const struct address *at);
void stack_stop(void);
/* The UDP port; 0: there is no SCTP. */
uint16_t stack_udp_port(void);

/* Accept associations at door->port, or at any port if it is 0. Returns 0, or
 * -1 with errno. */
int stack_listen(struct stack_door *door, const struct stack_options *options);
void stack_close_door(struct stack_door *door);

/* Open an association with an SCTP port at a UDP address. Returns 0, or -1 with
 * errno. */
int stack_connect(struct stack_wire *wire, const struct address *udp,
		  uint16_t port, const struct stack_options *options);

/* Whether this is the remote end of the association. */
bool stack_is_with(const struct stack_wire *wire, const struct address *udp,
		   uint16_t port);
void stack_peer_text(const struct stack_wire *wire, char text[ADDRESS_TEXT]);

/* 1: accepted; 0: there is no room now, and progress() is called when there is
 * room; -1: the association is over. */
int stack_send(struct stack_wire *wire, const struct stack_message *message);

/* Release the association: with an ABORT, or with SCTP's SHUTDOWN after the
 * data sent. No further event is reported. */
void stack_abort(struct stack_wire *wire);
void stack_shut_down(struct stack_wire *wire);

#endif
