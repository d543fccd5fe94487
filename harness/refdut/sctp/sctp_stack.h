/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SCTP for the device: usrsctp as a library without threads, in UDP datagrams
 * (RFC 6951) of one socket in the event loop. It knows messages, streams and
 * an adaptation indication; what DDP makes of them is sctp_assoc.c's.
 *
 * usrsctp is one per process. What its sockets report is read by jobs of
 * the loop: nothing of it is called back from inside usrsctp.
 */
#ifndef HARNESS_REFDUT_SCTP_STACK_H
#define HARNESS_REFDUT_SCTP_STACK_H

#include "harness/refdut/address.h"
#include "harness/refdut/buf.h"

struct socket; /* usrsctp's */
struct stack_path;

/* What an INIT or INIT ACK of the device says, and how large its packets
 * are. For what is opened from then on. */
struct stack_options {
	bool adaptation;
	uint32_t indication;
	uint16_t outbound;
	uint16_t inbound;
	bool bundled; /* short messages wait for others */
};

struct stack_message {
	uint16_t stream;
	uint32_t ppid;
	bool ordered;
	bool cut;              /* into fragments of SCTP */
	const uint8_t *octets; /* for the time of the call */
	size_t n;
};

struct stack_wire;

/* Events of an association. Each may abort it or let it go. */
struct stack_user {
	/* It is up: indication, streams and peer stand in it. */
	void (*up)(struct stack_wire *wire);
	void (*message)(struct stack_wire *wire,
			const struct stack_message *message);
	/* A message of ours on this stream was acknowledged. */
	void (*acknowledged)(struct stack_wire *wire, uint16_t stream);
	/* There were acknowledgments, or there is room to send again. */
	void (*progress)(struct stack_wire *wire);
	/* It is no more: shut down, or aborted, refused, lost. */
	void (*over)(struct stack_wire *wire, bool in_order);
};

/* An association as SCTP has it; at the head of what its user knows of it. */
struct stack_wire {
	const struct stack_user *user;
	struct socket *so; /* NULL: it is over, or was let go */
	struct job job;
	struct stack_path *path;
	struct stack_wire *next;
	uint16_t local_port;
	uint16_t peer_port;
	bool up;
	bool indicated;
	uint32_t indication;
	uint16_t streams; /* that are there in both directions */
	uint32_t largest; /* message that goes into one packet */
	struct buf in;    /* of a message, until it is whole */
	bool cut;
	/* Chunks sent and not acknowledged: stream, and whether it is the
	 * last of its message. */
	struct buf flight;
	uint32_t next_tsn;
	bool tsn_known;
};

/* A port of SCTP that takes associations. */
struct stack_door {
	struct socket *so;
	struct job job;
	struct stack_door *next;
	uint16_t port;
	/* May there be an association with who says this in its INIT? */
	bool (*admits)(const struct stack_door *door, bool indicated,
		       uint32_t indication);
	/* One came: zeroed memory for it with `user` set, or NULL. */
	struct stack_wire *(*came)(struct stack_door *door);
};

/* Serve SCTP in UDP at this address, at a port of its own. 0, or -1 with
 * errno. */
int stack_start(const struct address *at);
void stack_stop(void);
/* The UDP port; 0: there is no SCTP. */
uint16_t stack_udp_port(void);

/* Take associations at door->port, or at any port where it is 0. 0, or -1 with
 * errno. */
int stack_listen(struct stack_door *door, const struct stack_options *options);
void stack_close_door(struct stack_door *door);

/* Open an association with a port of SCTP at a UDP address. 0, or -1 with
 * errno. */
int stack_connect(struct stack_wire *wire, const struct address *udp,
		  uint16_t port, const struct stack_options *options);

/* Is this the end it has an association with? */
bool stack_is_with(const struct stack_wire *wire, const struct address *udp,
		   uint16_t port);
void stack_peer_text(const struct stack_wire *wire, char text[ADDRESS_TEXT]);

/* 1: taken; 0: no room now, progress() says when; -1: it is over. */
int stack_send(struct stack_wire *wire, const struct stack_message *message);

/* Let it go: by an ABORT, or by SCTP's SHUTDOWN behind what was sent. What is
 * told of it ends here. */
void stack_abort(struct stack_wire *wire);
void stack_shut_down(struct stack_wire *wire);

#endif
