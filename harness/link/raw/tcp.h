/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of one TCP connection (RFC 9293), sans I/O: segments and the time
 * go in, segments come out of the `emit` of its configuration, and nothing
 * else happens. The same calls with the same times give the same segments.
 *
 * It is a peer for tests, not for the Internet: what a write cuts stays cut,
 * also when it is sent again; there is no congestion control, no delay of
 * small segments and no wait before a close. What it sends can be scripted
 * segment by segment (tcp_write_segments, tcp_release).
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
	TCP_SEND_BUFFER = 1 << 20, /* a script is no larger */
	TCP_SEND_QUEUE = 1 << 18,  /* what tcp_write takes of it */
	TCP_RECEIVE_BUFFER = 1 << 20,
	TCP_PIECES = 8192, /* sent or to be sent, and not acknowledged */
	TCP_SCRIPT = LINK_SEGMENTS_MAX,
	TCP_ARRIVALS = 256,
};

struct tcp_config {
	uint32_t isn;
	uint32_t mss;        /* announced to the peer; 16 bits */
	uint32_t path_mss;   /* octets of a segment of ours, options included */
	uint32_t max_window; /* to be offered, in octets */
	uint32_t rcvbuf;     /* octets kept unread; 0: TCP_RECEIVE_BUFFER */
	bool timestamps;     /* offer, and accept them */
	bool no_scale;       /* neither offer nor accept a window scale */
	uint8_t scale;
	enum link_acks acks;
	/* A SYN and ACK with a lower number than this is refused. */
	uint32_t peer_isn_least;
	/* Called with a segment to be sent; its octets are only lent. */
	void (*emit)(void *user, const struct segment *s);
	void *user;
};

enum tcp_state {
	TCP_CLOSED,
	TCP_SYN_SENT,
	TCP_SYN_RECEIVED,
	TCP_SYNCHRONIZED, /* how far it has ended: tcp_ends() */
};

struct tcp;

/* NULL: no memory. It is TCP_CLOSED, and can be opened any number of times. */
struct tcp *tcp_new(void);
void tcp_free(struct tcp *t); /* NULL is fine */

/* Send a SYN; answer the SYN that has come. Back to the start with it. */
void tcp_open(struct tcp *t, const struct tcp_config *c, uint64_t now);
void tcp_accept(struct tcp *t, const struct tcp_config *c,
		const struct segment *syn, uint64_t now);

void tcp_input(struct tcp *t, const struct segment *s, uint64_t now);
/* When something is to be done without input; UINT64_MAX: never. */
uint64_t tcp_deadline(const struct tcp *t);
void tcp_tick(struct tcp *t, uint64_t now);
/* Acknowledge what has come, unless a segment has done so meanwhile: what
 * comes in one go is acknowledged once. To be called before any wait. */
void tcp_flush_ack(struct tcp *t, uint64_t now);

enum tcp_state tcp_state(const struct tcp *t);
/* How it has come to its ends. */
struct tcp_ends {
	bool opened;    /* it was TCP_SYNCHRONIZED, whatever came after */
	bool refused;   /* RST in answer to our SYN */
	bool unwanted;  /* its number was below peer_isn_least */
	bool reset_in;  /* the peer's RST */
	bool reset_out; /* ours */
	bool gave_up;   /* never acknowledged, however often it was sent */
	bool fin_in;    /* the peer's FIN, after all its octets */
	bool fin_out, fin_acked;
};
struct tcp_ends tcp_ends(const struct tcp *t);

/*
 * Queue octets: they become segments of their own, as large as the peer
 * takes. Returns how many were taken, 0 when there is no room.
 */
size_t tcp_write(struct tcp *t, const void *octets, size_t n, uint64_t now);
/* Whether tcp_write would take anything. */
bool tcp_can_write(const struct tcp *t);

/*
 * Queue octets and send exactly these segments of them, at once, in this
 * order, whatever the window. What none of them carries is kept back until
 * tcp_release. What is lost is sent again, with the right octets. False:
 * there is no room for all of it, and nothing was sent.
 */
bool tcp_write_segments(struct tcp *t, const void *octets, size_t n,
			const struct link_segment *plan, size_t count,
			uint64_t now);
void tcp_release(struct tcp *t, uint64_t now);
/*
 * Send one segment that stands outside of all that: its first octet is `back`
 * octets before the end of what was sent, its FIN included. Nothing of it is
 * remembered, and it is not sent again.
 */
void tcp_send_stray(struct tcp *t, uint32_t back, const void *octets, size_t n,
		    uint64_t now);
/* Octets that are kept back. */
size_t tcp_withheld(const struct tcp *t);

/* FIN after all that was written; RST at once, where the peer expects it. */
void tcp_fin(struct tcp *t, uint64_t now);
void tcp_reset(struct tcp *t, uint64_t now);

/* Take octets that came in order; 0: none. */
size_t tcp_read(struct tcp *t, void *octets, size_t cap);
size_t tcp_readable(const struct tcp *t);

/* From now on: when to acknowledge, and how many octets to offer (below 0:
 * as many as there is room for). A segment says so at once. */
void tcp_set_acks(struct tcp *t, enum link_acks acks, uint64_t now);
void tcp_set_window(struct tcp *t, long octets, uint64_t now);

/* From now on rcvbuf is TCP_RECEIVE_BUFFER, and a segment says so. False: no
 * memory. */
bool tcp_make_room(struct tcp *t, uint64_t now);

/* The next n segments with octets that come are lost. */
void tcp_lose(struct tcp *t, unsigned n);
/* From now on nothing goes out, and what comes is lost. */
void tcp_fall_silent(struct tcp *t);
/*
 * Segments with octets that have come, the oldest first, TCP_ARRIVALS at most:
 * where in the peer's stream each starts and ends; what came again is there
 * again. One that an offload made larger than a segment can be counts as
 * those it would have been cut into.
 */
size_t tcp_arrivals(const struct tcp *t, struct link_segment *out, size_t cap);
/* No segment of the peer can be larger from now on, options included: a router
 * says so, of a segment with the number that is returned. */
uint32_t tcp_lower_peer_mss(struct tcp *t, uint32_t mss);

/* No segment of ours may be larger from now on; what is queued is cut. */
void tcp_lower_path_mss(struct tcp *t, uint32_t mss, uint64_t now);
/* The most octets the peer can put into one segment: what was announced, less
 * the options in use (RFC 5044 calls it EMSS). */
uint32_t tcp_emss_in(const struct tcp *t);
/* The same with no options taken off. */
uint32_t tcp_mss_in(const struct tcp *t);
/* What a segment of ours carries at most. */
uint32_t tcp_emss_out(const struct tcp *t);
/* Segments that were sent again; pieces that a narrow window tore in two. */
uint64_t tcp_retransmitted(const struct tcp *t);
uint64_t tcp_torn(const struct tcp *t);
/* Segments that were lost on the way, as far as is known here, both ways. Of a
 * connection whose segments, acknowledgements or window were chosen nothing is
 * known: what is missing there is as it was chosen. */
uint64_t tcp_lost(const struct tcp *t);

#endif
