/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of one TCP connection (RFC 9293), sans I/O: segments and the time
 * go in, segments come out of the `emit` of its configuration, and nothing
 * else happens. The same calls with the same times give the same segments.
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

/* Send a SYN; answer the SYN that arrived. Return to the initial state with
 * it. */
void tcp_open(struct tcp *t, const struct tcp_config *c, uint64_t now);
void tcp_accept(struct tcp *t, const struct tcp_config *c,
		const struct segment *syn, uint64_t now);

void tcp_input(struct tcp *t, const struct segment *s, uint64_t now);
/* When it has to be called without input; UINT64_MAX: never. */
uint64_t tcp_deadline(const struct tcp *t);
void tcp_tick(struct tcp *t, uint64_t now);
/* Acknowledge received octets, unless a segment has done so meanwhile: octets
 * that arrive together are acknowledged once. To be called before any wait. */
void tcp_flush_ack(struct tcp *t, uint64_t now);

enum tcp_state tcp_state(const struct tcp *t);
/* How its two directions ended. */
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
 * accepts. Returns how many were taken, 0 if there is no room.
 */
size_t tcp_write(struct tcp *t, const void *octets, size_t n, uint64_t now);
/* Whether tcp_write would take anything. */
bool tcp_can_write(const struct tcp *t);

/*
 * Queue octets and send exactly these segments of them, at once, in this order,
 * whatever the window. Octets that are in no segment are held back until
 * tcp_release. Lost ones are retransmitted, with the correct octets. False:
 * there is no room for all of them, and nothing was sent.
 */
bool tcp_write_segments(struct tcp *t, const void *octets, size_t n,
			const struct link_segment *plan, size_t count,
			uint64_t now);
void tcp_release(struct tcp *t, uint64_t now);
/*
 * Send one additional segment: its first octet is `back` octets before the end
 * of the octets sent, including FIN. It is not recorded, and not retransmitted.
 */
void tcp_send_stray(struct tcp *t, uint32_t back, const void *octets, size_t n,
		    uint64_t now);
/* Octets that are kept back. */
size_t tcp_withheld(const struct tcp *t);

/* FIN after all written octets; RST at once, with the number that the peer
 * expects. */
void tcp_fin(struct tcp *t, uint64_t now);
void tcp_reset(struct tcp *t, uint64_t now);

/* Take octets that arrived in order; 0: none. */
size_t tcp_read(struct tcp *t, void *octets, size_t cap);
size_t tcp_readable(const struct tcp *t);

/* From now on: when to acknowledge, and how many octets to offer (below 0: as
 * much as there is room for). A segment announces it at once. */
void tcp_set_acks(struct tcp *t, enum link_acks acks, uint64_t now);
void tcp_set_window(struct tcp *t, long octets, uint64_t now);

/* From now on rcvbuf is TCP_RECEIVE_BUFFER, and a segment announces it. False:
 * no memory. */
bool tcp_make_room(struct tcp *t, uint64_t now);

/* The next n received segments with octets are lost. */
void tcp_lose(struct tcp *t, unsigned n);
/* From now on nothing is sent, and everything received is lost. */
void tcp_fall_silent(struct tcp *t);
/*
 * Received segments with octets, the oldest first, at most TCP_ARRIVALS: where
 * each starts and ends in the peer's stream; a retransmitted one is listed
 * again. One that an offload made too large counts as those into which it would
 * have been cut.
 */
size_t tcp_arrivals(const struct tcp *t, struct link_segment *out, size_t cap);
/* From now on the peer's segments are smaller, options included: a router
 * reports it, about a segment with the returned number. */
uint32_t tcp_lower_peer_mss(struct tcp *t, uint32_t mss);

/* Whether an octet with this number is sent and not acknowledged: what a report
 * quotes that is none of these is forged, or late (RFC 5927 s4.1). */
bool tcp_has_in_flight(const struct tcp *t, uint32_t seq);
/* From now on our segments may not be larger; queued ones are cut. */
void tcp_lower_path_mss(struct tcp *t, uint32_t mss, uint64_t now);
/* The most octets that the peer can put into one segment: the announced size,
 * less the options in use (RFC 5044 calls it EMSS). */
uint32_t tcp_emss_in(const struct tcp *t);
/* The same with no options taken off. */
uint32_t tcp_mss_in(const struct tcp *t);
/* The capacity of a segment of ours. */
uint32_t tcp_emss_out(const struct tcp *t);
/* Octets that were written and are not acknowledged. */
uint64_t tcp_unacknowledged(const struct tcp *t);
/* Segments that were sent again; pieces that a narrow window tore in two. */
uint64_t tcp_retransmitted(const struct tcp *t);
uint64_t tcp_torn(const struct tcp *t);
/* Segments lost on the way, as far as known here, in both directions. For a
 * connection whose segments, acknowledgements or window were chosen nothing is
 * known: missing ones may be intentional. */
uint64_t tcp_lost(const struct tcp *t);

#endif
