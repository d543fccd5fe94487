/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tcp.c, tcp_send.c and tcp_receive.c share: a connection. The first
 * calls the other two, and tcp_send.c asks tcp_receive.c what an ACK is to
 * say; no call goes the other way.
 */
#ifndef HARNESS_LINK_RAW_TCP_INTERNAL_H
#define HARNESS_LINK_RAW_TCP_INTERNAL_H

#include "harness/link/raw/tcp.h"

enum { TCP_RANGES = 32, TCP_TRIES = 12, TCP_TIMES_OCTETS = 12 };

#define TCP_RTO_FIRST (300ull * CLOCK_NS_PER_MS)
#define TCP_RTO_MOST  (5ull * CLOCK_NS_PER_S)
#define TCP_ACK_DELAY (200ull * CLOCK_NS_PER_MS)

/* A part of the stream that goes out, and goes out again, as one segment. */
struct piece {
	uint64_t at;
	uint32_t n;
	bool sent, held;
};

/*
 * Places in both streams are 64-bit offsets; the first octet is at 0. On the
 * wire, offset o is sequence number isn + 1 + o, modulo 2^32.
 */
struct tcp {
	struct tcp_config c;
	enum tcp_state state;
	struct tcp_ends ends;

	/* sending */
	uint8_t *out; /* octets from out_base on, TCP_SEND_BUFFER in all */
	uint64_t out_base;
	uint64_t una;         /* all before it is acknowledged */
	uint64_t highest;     /* all after it was never sent */
	uint64_t end;         /* all that was written */
	struct piece *pieces; /* a ring, in the order of the stream */
	size_t piece_first, piece_count;
	size_t unsent;  /* pieces before it need not be looked at */
	bool fin_asked; /* FIN is at `end` */
	uint32_t peer_window, peer_mss;
	uint8_t peer_scale;
	uint32_t window_seq, window_ack; /* of the segment that told it */
	bool times;
	uint32_t peer_time;
	uint64_t rto, rto_at; /* rto_at 0: the timer is off */
	unsigned tries, duplicates;
	uint64_t again, torn; /* segments sent again; pieces cut in two */

	/* receiving */
	uint32_t peer_isn;
	uint8_t *in;      /* a ring of in_cap octets */
	uint64_t in_from; /* the offset that lies at its start */
	size_t in_size, in_cap;
	uint64_t read, next; /* taken by the caller; expected next */
	uint64_t told;       /* the offset our ACKs say */
	bool told_fin;       /* and whether they count the FIN */
	uint64_t edge;       /* end of the window offered */
	long window_set;     /* below 0: not set */
	uint64_t fin_at;
	bool fin_known; /* a FIN has come, at fin_at */
	struct range {
		uint64_t from, to;
	} range[TCP_RANGES]; /* beyond `next`, apart, in order */
	size_t ranges;
	bool ack_due;
	uint64_t ack_at; /* a delayed ACK; 0: none */
	unsigned losing; /* segments that are to be lost */
	bool silent;
	struct link_segment arrival[TCP_ARRIVALS]; /* a ring */
	uint64_t arrivals;
};

/* --- tcp_send.c ---------------------------------------- */

uint32_t send_seq(const struct tcp *t, uint64_t offset);
/* A segment with this sequence number and what every segment tells. */
void send_segment(struct tcp *t, unsigned flags, uint32_t seq,
		  const uint8_t *octets, size_t n, uint64_t now);
void send_ack(struct tcp *t, uint64_t now);
/* As much as the window takes, and FIN if it is due. */
void send_more(struct tcp *t, uint64_t now);
void send_again(struct tcp *t, uint64_t now);
/* All before this offset is acknowledged. */
void send_acked(struct tcp *t, uint64_t offset, bool fin, uint64_t now);
void send_timer(struct tcp *t, uint64_t now);
/* Octets are out and not acknowledged. */
bool send_in_flight(const struct tcp *t);

/* --- tcp_receive.c ---------------------------------------- */

/* The offset of a sequence number of the peer, near what is expected. */
int64_t receive_offset(const struct tcp *t, uint32_t seq);
/* True: an ACK has to say so at once. */
bool receive_octets(struct tcp *t, int64_t at, const uint8_t *octets, size_t n,
		    bool fin, uint64_t now);
/* Move the end of the window, if by enough to be worth telling. */
void receive_window(struct tcp *t);
uint32_t receive_window_field(const struct tcp *t);
/* A segment of the peer has come, with these octets of its stream. */
void receive_arrival(struct tcp *t, int64_t at, size_t n);
/* What an ACK says now. */
uint32_t receive_ack(struct tcp *t);

#endif
