/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection, shared by tcp.c, tcp_send.c and tcp_receive.c. The first calls
 * the other two, and tcp_send.c asks tcp_receive.c for the contents of an ACK;
 * no call goes the other way.
 */
#ifndef HARNESS_LINK_RAW_TCP_INTERNAL_H
#define HARNESS_LINK_RAW_TCP_INTERNAL_H

#include "harness/link/raw/tcp.h"

enum {
	TCP_OUT_OF_ORDER = 32,
	TCP_RETRIES = 12,
	TCP_TIMESTAMPS_OCTETS = 12,
	TCP_MSS_DEFAULT = 536, /* RFC 9293 s3.7.1 */
	TCP_MSS_IPV6 = 1220,   /* RFC 8200 s5: an MTU of 1,280 */
	TCP_HOLES = 2,
};

#define TCP_RTO_INITIAL (300ull * CLOCK_NS_PER_MS)
#define TCP_RTO_MAX     (5ull * CLOCK_NS_PER_S)
#define TCP_ACK_DELAY   (200ull * CLOCK_NS_PER_MS)

/* A part of the stream that is sent, and retransmitted, as one segment. */
struct piece {
	uint64_t at;
	uint32_t n;
	bool sent, withheld;
};

/*
 * Names are those of RFC 9293 s3.3.1 and RFC 7323. Places in both streams are
 * 64-bit offsets; the first octet is at 0. On the wire, offset o is sequence
 * number isn + 1 + o, modulo 2^32.
 */
struct tcp {
	struct tcp_config c;
	enum tcp_state state;
	struct tcp_ends ends;

	/* sending */
	uint8_t *snd_buf;      /* TCP_SEND_BUFFER octets */
	uint64_t snd_buf_base; /* the offset of its first octet */
	uint64_t snd_una;
	uint64_t snd_max;     /* the end of all octets ever sent */
	uint64_t snd_end;     /* the end of all octets written */
	struct piece *pieces; /* a ring, in the order of the stream */
	size_t piece_first, piece_count;
	size_t first_unsent; /* the pieces before it are sent or withheld */
	bool fin_queued;     /* at snd_end */
	uint32_t snd_wnd, snd_wl1, snd_wl2;
	uint32_t peer_mss;
	uint8_t peer_scale;
	bool timestamps;
	uint32_t ts_recent;
	uint64_t rto, rto_at; /* rto_at 0: the timer is off */
	unsigned retries, duplicate_acks;
	uint64_t recover; /* the end of the octets sent when a loss was
			   * detected: RFC 6582 */
	bool asked;       /* a segment without octets followed a large one that
			 * was retransmitted */
	unsigned holes;   /* how often only the small one of these arrived */
	uint64_t retransmitted, torn; /* segments; pieces */
	bool chosen; /* the caller has chosen segments, ACKs or the window */

	/* receiving */
	uint32_t peer_isn;
	uint8_t *rcv_buf;      /* a ring */
	uint64_t rcv_buf_base; /* the offset of its first octet */
	size_t rcv_buf_size;
	uint64_t rcv_read; /* the caller has read all octets before it */
	uint64_t rcv_nxt;
	uint64_t rcv_edge; /* end of the window offered */
	uint64_t last_ack_sent;
	bool fin_in_acked; /* our ACKs include the peer's FIN */
	long window_set;   /* by the caller; below 0: not set */
	uint64_t fin_at;
	bool fin_known; /* a FIN has arrived, at fin_at */
	struct range {
		uint64_t from, to;
	} out_of_order[TCP_OUT_OF_ORDER]; /* after rcv_nxt, disjoint, sorted */
	size_t out_of_order_count;
	bool ack_due;
	uint64_t delayed_ack_at; /* 0: no ACK is delayed */
	unsigned to_lose;        /* received segments to drop */
	uint64_t beyond;         /* segments received after a gap */
	bool silent;
	struct link_segment arrival[TCP_ARRIVALS]; /* a ring */
	uint64_t arrivals;
};

/* --- tcp_send.c ---------------------------------------- */

/* The sequence number of an offset. */
uint32_t tcp_seq_of(const struct tcp *t, uint64_t offset);
/* Send a segment with this sequence number; ACK, window and options are filled
 * in. */
void tcp_send_segment(struct tcp *t, unsigned flags, uint32_t seq,
		      const uint8_t *octets, size_t n, uint64_t now);
void tcp_send_ack(struct tcp *t, uint64_t now);
/* Send as much as the window allows, and FIN if it is due. */
void tcp_output(struct tcp *t, uint64_t now);
/* Retransmit the first piece (or SYN, or FIN) that is not acknowledged. If
 * there is only a closed window, probe it. */
void tcp_retransmit(struct tcp *t, uint64_t now);
/* Ask, after a large segment was retransmitted in vain, whether small ones
 * arrive; and note that the peer answered without acknowledging octets. */
void tcp_ask_about_size(struct tcp *t, uint64_t now);
void tcp_small_arrived(struct tcp *t, uint64_t now);
/* The peer has acknowledged everything before this offset; `fin`: FIN, too. */
void tcp_acknowledged(struct tcp *t, uint64_t offset, bool fin, uint64_t now);
/* Set the retransmission timer for the current state. */
void tcp_set_timer(struct tcp *t, uint64_t now);
/* Whether octets or FIN were sent and are not acknowledged. */
bool tcp_in_flight(const struct tcp *t);

/* --- tcp_receive.c ---------------------------------------- */

/* The offset of a sequence number of the peer: of all possible offsets, the one
 * nearest to rcv_nxt. */
int64_t tcp_offset_of(const struct tcp *t, uint32_t seq);
/* Octets from this offset on have arrived; `fin`: FIN follows them. True: an
 * ACK has to be sent at once. */
bool tcp_receive(struct tcp *t, int64_t at, const uint8_t *octets, size_t n,
		 bool fin, uint64_t now);
/* Move the end of the window, unless the step is too small to announce. */
void tcp_update_window(struct tcp *t);
uint32_t tcp_window_field(const struct tcp *t);
/* Record a segment of the peer that has arrived with n octets of its stream,
 * from offset `at` on. */
void tcp_note_arrival(struct tcp *t, int64_t at, size_t n);
/* Enlarge the receive buffer to its maximum. False: no memory. */
bool tcp_widen(struct tcp *t);
/* The acknowledgement number to send now; it is recorded as sent. */
uint32_t tcp_ack_number(struct tcp *t);

#endif
