/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of one TCP connection (RFC 9293), without I/O: its inputs are
 * segments and the time, and it passes its segments to `emit` of its
 * configuration. The same calls with the same times give the same segments.
 *
 * It is a peer for tests, not for the Internet: segments keep the boundaries of
 * the writes, also when they are retransmitted; there is no congestion control,
 * no delay of small segments and no wait before a close. Its output can be
 * scripted segment by segment (tcp_write_segments, tcp_release).
 *
 * Memory: a send buffer, a receive buffer and a table of pieces, all bounded
 * and kept from one connection to the next. Times are nanoseconds of any
 * clock that does not go back.
 */
#ifndef HARNESS_LINK_RAW_TCP_H
#define HARNESS_LINK_RAW_TCP_H

#include "harness/link/link.h"
#include "harness/link/raw/segment.h"

enum {
	TCP_SEND_BUFFER = 1 << 20, /* the upper bound of a script */
	TCP_SEND_QUEUE = 1 << 18,  /* the part of it that tcp_write() uses */
	TCP_RECEIVE_BUFFER = 1 << 20,
	TCP_PIECES = 8192, /* queued or sent, and not acknowledged */
	TCP_SCRIPT = LINK_SEGMENTS_MAX,
	TCP_ARRIVALS = 256,
};

struct tcp_config {
	uint32_t isn;
	uint32_t mss;        /* announced to the peer; 16 bits */
	uint32_t path_mss;   /* largest segment of ours, with options, octets */
	uint32_t max_window; /* the largest to offer, in octets */
	uint32_t rcvbuf;     /* receive buffer; 0: TCP_RECEIVE_BUFFER */
	bool timestamps;     /* offer and accept time stamps */
	bool no_scale;       /* neither offer nor accept window scaling */
	uint8_t scale;
	enum link_acks acks;
	/* If the sequence number of a SYN-ACK is lower, answer it with RST. */
	uint32_t peer_isn_least;
	/* Called with a segment to send; its octets are valid only during the
	 * call. */
	void (*emit)(void *user, const struct segment *s);
	/* Called, unless it is NULL, after the path has turned out to be a
	 * black hole: it drops large segments, and no router reports it (RFC
	 * 2923 s2.1). From now on ours have at most mss octets, options
	 * included. */
	void (*narrowed)(void *user, uint32_t mss);
	void *user;
};

enum tcp_state {
	TCP_CLOSED,
	TCP_SYN_SENT,
	TCP_SYN_RECEIVED,
	TCP_SYNCHRONIZED, /* tcp_ends() shows which directions have ended */
};

struct tcp;

/* NULL: no memory. A new one is TCP_CLOSED. It can be opened any number of
 * times. */
struct tcp *tcp_new(void);
void tcp_free(struct tcp *t); /* NULL is fine */

/* tcp_open() sends a SYN; tcp_accept() answers a received one. Both first
 * return to the initial state. */
void tcp_open(struct tcp *t, const struct tcp_config *c, uint64_t now);
void tcp_accept(struct tcp *t, const struct tcp_config *c,
		const struct segment *syn, uint64_t now);

void tcp_input(struct tcp *t, const struct segment *s, uint64_t now);
/* The time at which tcp_tick() has to be called; UINT64_MAX: never. */
uint64_t tcp_deadline(const struct tcp *t);
/* Run the timers that are due. */
void tcp_tick(struct tcp *t, uint64_t now);
/* Acknowledge received octets, unless another segment has already done so:
 * octets that arrive together are acknowledged once. To be called before any
 * wait. */
void tcp_flush_ack(struct tcp *t, uint64_t now);

enum tcp_state tcp_state(const struct tcp *t);
/* How its two directions ended. */
struct tcp_ends {
	bool opened;    /* it is, or once was, TCP_SYNCHRONIZED */
	bool refused;   /* RST in answer to our SYN */
	bool unwanted;  /* the peer's SYN was below peer_isn_least */
	bool reset_in;  /* the peer's RST */
	bool reset_out; /* our RST */
	bool gave_up;   /* too many retransmissions without an answer */
	bool fin_in;    /* the peer's FIN, after all its octets */
	bool fin_out, fin_acked;
};
struct tcp_ends tcp_ends(const struct tcp *t);

/*
 * Queue octets: they become segments of their own, as large as the peer
 * accepts. Returns how many octets were queued; 0: there is no room.
 */
size_t tcp_write(struct tcp *t, const void *octets, size_t n, uint64_t now);
/* Whether half of tcp_write()'s queue is free: a caller waits for this. */
bool tcp_can_write(const struct tcp *t);

/*
 * Queue octets and send exactly these segments of them, at once, in this order,
 * whatever the window. Octets that are in no segment are withheld until
 * tcp_release(). Lost segments are retransmitted, with the correct octets.
 * False: there is no room, or the connection is not open, and no segment of the
 * script was sent.
 */
bool tcp_write_segments(struct tcp *t, const void *octets, size_t n,
			const struct link_segment *plan, size_t count,
			uint64_t now);
void tcp_release(struct tcp *t, uint64_t now);
/*
 * Send one segment that is not part of the stream: its first octet is `back`
 * octets before the end of the octets sent, including FIN. It is not
 * retransmitted.
 */
void tcp_send_stray(struct tcp *t, uint32_t back, const void *octets, size_t n,
		    uint64_t now);
/* The number of withheld octets. */
size_t tcp_withheld(const struct tcp *t);

/* tcp_fin() sends FIN after all written octets. tcp_reset() sends RST at once,
 * with the sequence number that the peer expects. */
void tcp_fin(struct tcp *t, uint64_t now);
void tcp_reset(struct tcp *t, uint64_t now);

/* Read octets that arrived in order. Returns how many; 0: there are none. */
size_t tcp_read(struct tcp *t, void *octets, size_t cap);
size_t tcp_readable(const struct tcp *t);

/* When to acknowledge from now on. If LINK_ACKS_AT_ONCE is set, an overdue ACK
 * is sent at once. */
void tcp_set_acks(struct tcp *t, enum link_acks acks, uint64_t now);
/* How many octets to offer from now on; below 0: as many as there is room for.
 * A segment announces the window at once. */
void tcp_set_window(struct tcp *t, long octets, uint64_t now);

/* From now on rcvbuf is TCP_RECEIVE_BUFFER; a segment announces the new window.
 * False: no memory. */
bool tcp_make_room(struct tcp *t, uint64_t now);

/* Drop the next n received segments with octets. */
void tcp_lose(struct tcp *t, unsigned n);
/* From now on send nothing, and drop everything received. */
void tcp_fall_silent(struct tcp *t);
/*
 * Where the last received segments with octets start and end in the peer's
 * stream, the oldest first, at most TCP_ARRIVALS. A retransmitted segment is
 * listed again. If an offload has joined segments, they are listed as if it had
 * not.
 */
size_t tcp_arrivals(const struct tcp *t, struct link_segment *out, size_t cap);
/* From now on the peer's segments have at most mss octets, options included,
 * because a router will report a smaller path MTU. Returns the sequence number
 * that the report has to quote. */
uint32_t tcp_lower_peer_mss(struct tcp *t, uint32_t mss);

/* Whether the octet with this sequence number was sent and is not acknowledged.
 * A report that quotes any other segment is forged or late (RFC 5927 s4.1). */
bool tcp_has_in_flight(const struct tcp *t, uint32_t seq);
/* From now on our segments have at most mss octets, options included. Queued
 * ones are cut, and unacknowledged ones are sent again. */
void tcp_lower_path_mss(struct tcp *t, uint32_t mss, uint64_t now);
/* The most octets that the peer can put into one segment: the announced MSS,
 * less the options in use (RFC 5044 calls it EMSS). */
uint32_t tcp_emss_in(const struct tcp *t);
/* The announced MSS: options are not subtracted. */
uint32_t tcp_mss_in(const struct tcp *t);
/* The most octets that we can put into one segment. */
uint32_t tcp_emss_out(const struct tcp *t);
/* The number of octets that were written and are not acknowledged. */
uint64_t tcp_unacknowledged(const struct tcp *t);
/* The number of retransmitted segments, and of pieces that were split because
 * the window was too small. */
uint64_t tcp_retransmitted(const struct tcp *t);
uint64_t tcp_torn(const struct tcp *t);
/* The number of segments lost on the way in both directions, as far as this end
 * knows. It is 0 if the caller has chosen segments, acknowledgements or the
 * window: missing segments may be intentional. */
uint64_t tcp_lost(const struct tcp *t);

#endif
