/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links: octets and connections, without MPA. One interface over several
 * providers; capability bits show what a provider can do, and a case that needs
 * more is not applicable on it.
 *
 * Everything here runs in one thread and blocks at most until the deadline
 * it is given (absolute, clock.h; CLOCK_NOW: do not wait). Results are
 * negative link_status values; the one line of context is in `why` of the
 * connection, or of the link where there is no connection yet.
 *
 * An action of a peer - FIN, RST, silence - is a result, never an error.
 */
#ifndef HARNESS_LINK_LINK_H
#define HARNESS_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/clock.h"

#define LINK_WHY     160
#define LINK_ADDRESS 48

enum link_status {
	LINK_OK = 0,
	LINK_TIMEOUT = -1, /* the deadline came first */
	LINK_RESET = -2,   /* the peer reset the connection, now or before */
	LINK_REFUSED = -3, /* nobody listens there */
	LINK_ERROR = -4,   /* the environment failed: see `why` */
};

enum link_cap {
	/* A cut falls on a segment boundary as long as the window is open. */
	LINK_CAP_CUTS = 1 << 0,
	LINK_CAP_HALF_CLOSE = 1 << 1,
	LINK_CAP_RESET = 1 << 2,
	LINK_CAP_LISTEN = 1 << 3,
	/* Segments, their order, loss, overlap and window are the case's. */
	LINK_CAP_SEGMENTS = 1 << 4,
	/* A stalled window: rcvbuf is honoured. */
	LINK_CAP_RCVBUF = 1 << 5,
	LINK_CAP_MSS = 1 << 6,
	/* Message boundaries and many streams in one connection (SCTP). */
	LINK_CAP_MESSAGES = 1 << 7,
};

/* One end of a connection, IPv4 or IPv6. */
struct link_end {
	uint8_t family;   /* 4 or 6 */
	uint8_t addr[16]; /* the first 4 octets for IPv4 */
	uint16_t port;
	uint32_t scope; /* index of the interface, link-local IPv6 only */
};

/* When received octets are acknowledged; LINK_CAP_SEGMENTS. */
enum link_acks {
	LINK_ACKS_AT_ONCE,
	LINK_ACKS_DELAYED,  /* after 200 ms, or with data of ours */
	LINK_ACKS_WITHHELD, /* not at all, also not with data of ours */
};

/* 0 leaves a value to the system. */
struct link_options {
	uint32_t rcvbuf; /* octets of receive buffer: small stalls the peer */
	uint32_t mss;    /* clamp of TCP's maximum segment size */
	/* The rest needs LINK_CAP_SEGMENTS and is ignored elsewhere. */
	bool isn_chosen;
	uint32_t isn;  /* the number of our SYN */
	bool no_times; /* offer no time stamps */
	bool no_scale; /* offer no window scale */
	uint8_t scale; /* the one that is offered */
	enum link_acks acks;
	/* For connect, until the peer's SYN has this number or a higher one: a
	 * connection with another one is reset before it is reported. If the
	 * time is over before, `unwanted` of the link counts them. */
	uint32_t peer_isn_least;
};

struct capture;
struct link_ops;

/* Common to all providers; a provider's own part follows it. */
struct link {
	const struct link_ops *ops;
	const char *name;            /* "socket", "pair" */
	unsigned caps;               /* enum link_cap */
	struct link_options options; /* for connections made from now on */
	struct capture *capture;     /* records what passes; NULL: nothing */
	/* Its own numeric address; "" where the system has several. */
	char address[LINK_ADDRESS];
	unsigned unwanted; /* of the last connect: peer_isn_least */
	bool down;         /* the interface or socket that it depends on has
			    * failed, for good: `why` */
	/* Packets of its finished connections that were lost on the way, as far
	 * as their TCP knows: those retransmitted, and those received after a
	 * gap. Packets lost on purpose by a case, and all of a connection whose
	 * segments it chose, are not included. */
	uint64_t lost;
	/* Of these, those received after a gap by connections with a rcvbuf:
	 * once it is full, the kernel of this host drops packets, so that a gap
	 * proves nothing about the network. */
	uint64_t unproven;
	/* What this host was short of while it sent or received packets, since
	 * the caller emptied it: packets may be missing because of that. */
	char trouble[LINK_WHY];
	char why[LINK_WHY];
};

struct link_listener {
	struct link *link;
	struct link_end local;
	bool narrow; /* its connections have a rcvbuf */
};

/*
 * A connection. fin_seen and reset_seen are the peer's actions, as far as they
 * have been read; both can be true: first FIN, then RST.
 */
struct link_conn {
	struct link *link;
	bool fin_seen, reset_seen;
	bool fin_sent, reset_sent;
	uint64_t sent;     /* octets the link has taken over */
	uint64_t received; /* octets given to the caller */
	/* Pieces that a full window tore: their cuts are not exact. */
	uint64_t torn;
	bool narrow; /* it has a rcvbuf */
	struct link_end local, remote;
	int flow;            /* in the capture; -1: not recorded */
	bool reset_recorded; /* there, the peer's RST or ours */
	char why[LINK_WHY];
};

/*
 * The kernel's TCP. Needs no privileges. NULL: out of memory. Close its
 * connections before closing it; the same holds for every provider.
 */
struct link *link_socket_open(void);
/* The source address of this host for packets to `to` (numeric). False: there
 * is no route. */
bool link_socket_own_address(const char *to, char own[LINK_ADDRESS]);

/* The number of packets that a TCP socket of the kernel knows to be lost so
 * far, in both directions; 0 if it is not such a socket. */
uint64_t link_socket_lost(int fd);

/*
 * In process: connect and listen meet inside one provider, by port; the address
 * is ignored. Each direction is a ring of options.rcvbuf octets (64 KiB if 0).
 * A wait never blocks: in one thread nothing else can happen.
 */
struct link *link_pair_open(void);
/* Two connected ends at once. LINK_OK or LINK_ERROR. */
int link_pair(struct link *pair, struct link_conn **a, struct link_conn **b);

void link_close_provider(struct link *link); /* NULL is fine */

/* A name for a status: "ok", "timeout", "reset", "refused", "error". */
const char *link_status_name(int status);

/*
 * A numeric address, IPv6 with or without a scope. False when it is neither.
 * link_end_text writes "192.0.2.1:5" or "[::1]:5"; returns its length.
 */
bool link_end_parse(struct link_end *end, const char *addr, uint16_t port);
#define LINK_END_TEXT 64
int link_end_text(const struct link_end *end, char out[LINK_END_TEXT]);

/* Connect to a numeric address. On LINK_OK *conn is the caller's to close. */
int link_connect(struct link *link, const char *addr, uint16_t port,
		 uint64_t deadline, struct link_conn **conn);

/* Listen; *port 0 chooses one and returns it. */
int link_listen(struct link *link, const char *addr, uint16_t *port,
		struct link_listener **listener);
int link_accept(struct link_listener *listener, uint64_t deadline,
		struct link_conn **conn);
void link_listener_close(struct link_listener *listener); /* NULL is fine */

/*
 * Send n octets. cuts are offsets (ascending, within 1..n-1) at which a
 * write must end: every piece between them is a write of its own, never
 * joined with its neighbours. LINK_OK: the link has taken them all.
 * Otherwise conn->sent says how far it came.
 */
int link_send(struct link_conn *conn, const void *octets, size_t n,
	      const size_t *cuts, size_t ncuts, uint64_t deadline);

/* What fits without waiting: octets taken (0: none), or a status. */
long link_send_now(struct link_conn *conn, const void *octets, size_t n);

/* A segment of a scripted write: its octets, and its special properties. */
struct link_segment {
	size_t from, to;      /* from == to: none */
	const uint8_t *other; /* to - from octets instead of the right ones */
	bool fin;             /* with FIN; `to` is the end of the write */
	bool rst;             /* a RST at `from` instead, without octets */
};

#define LINK_SEGMENTS_MAX 1024

/*
 * Send exactly these segments of n octets, at once, in this order: twice,
 * overlapping, the last one first, as the script says. The window is ignored.
 * Octets that no segment carries are withheld. A segment with fin or rst counts
 * as link_half_close or link_reset. LINK_OK, LINK_RESET, or LINK_ERROR: no
 * room, or not a link with LINK_CAP_SEGMENTS.
 */
int link_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count);
/* Send the withheld octets, in the order of the stream. */
int link_release(struct link_conn *conn);
/*
 * Send one segment outside of the stream: its first octet is `back` octets
 * before the end of the octets sent (a FIN counts as one), and it is never
 * retransmitted. With back 0 after FIN it lies beyond the end. LINK_ERROR: not
 * a link with LINK_CAP_SEGMENTS.
 */
int link_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n);

/* The next n received segments with octets are lost on the way. From now on
 * nothing gets through, in either direction. False: not a link with
 * LINK_CAP_SEGMENTS. */
bool link_lose(struct link_conn *conn, unsigned n);
bool link_fall_silent(struct link_conn *conn);
/* As a router would: report that the peer's path takes no larger packets than
 * these octets; link_emss knows it as well. The peer may remember it for this
 * address. False: not a link with
 * LINK_CAP_SEGMENTS. */
bool link_tell_path_mtu(struct link_conn *conn, uint32_t mtu);
/* Where the peer's latest segments with octets start and end in its stream, in
 * the order of arrival: returns how many, at most cap. A retransmitted segment
 * is listed again. 0 if this is unknown. */
size_t link_arrivals(const struct link_conn *conn, struct link_segment *out,
		     size_t cap);

/* From now on the window for the peer is at least 64 KiB, whatever rcvbuf was:
 * its small window has done its work. False: the link cannot do it. */
bool link_make_room(struct link_conn *conn);

/* From now on; a segment announces it at once. Octets of window below 0: as
 * much as there is room for. False: not a link with LINK_CAP_SEGMENTS. */
bool link_set_acks(struct link_conn *conn, enum link_acks acks);
bool link_set_window(struct link_conn *conn, long octets);

/*
 * Receive the available octets, at most cap; waits for the first one. Octets
 * received, 0 for FIN, or a status. After FIN it is 0 again, or LINK_RESET once
 * a RST has followed. cap is not 0.
 */
long link_recv(struct link_conn *conn, void *octets, size_t cap,
	       uint64_t deadline);
long link_recv_now(struct link_conn *conn, void *octets, size_t cap);

/*
 * Read and drop until the peer's FIN (LINK_OK), its RST (LINK_RESET) or the
 * deadline: how the stream ended is reported after the last octet, not before.
 */
int link_drain(struct link_conn *conn, uint64_t deadline);

/*
 * The most octets that one TCP segment of the peer can carry: the maximum
 * segment size announced to it, less the options in use. 0 if this is unknown.
 */
uint32_t link_emss(const struct link_conn *conn);
/* The capacity of one segment of ours, to this peer. */
uint32_t link_emss_out(const struct link_conn *conn);
/* link_emss() with no options taken off: the MSS that was announced to the
 * peer. */
uint32_t link_mss(const struct link_conn *conn);

/* How much of what was sent is not acknowledged: octets, or messages of SCTP. 0:
 * all of it has arrived, or it is unknown. */
uint64_t link_unacknowledged(const struct link_conn *conn);

/* Send FIN and continue receiving. A second call does nothing. */
int link_half_close(struct link_conn *conn);

/* Send RST. The connection can only be closed then. */
int link_reset(struct link_conn *conn);

/*
 * Close and free; NULL is fine. Sends FIN if nothing ended this direction.
 * A kernel answers octets that were never read with RST: drain first. A
 * connection closed first leaves TIME_WAIT here; link_reset leaves none.
 */
void link_close(struct link_conn *conn);

/* The subject of a wait, and its result. */
enum { LINK_READ = 1, LINK_WRITE = 2 };

/* One of conn, listener and fd, in this order; LINK_READ on a listener is a
 * connection to accept, on a connection octets, FIN or RST. */
struct link_wait {
	struct link_conn *conn;
	struct link_listener *listener;
	int fd;
	unsigned want;
	unsigned ready; /* out; whatever ended counts as ready */
};

#define LINK_WAIT_MAX 128

/*
 * Wait until one of n (LINK_WAIT_MAX at most) is ready: how many are, or
 * LINK_TIMEOUT or LINK_ERROR. All conns and listeners are of this link.
 */
int link_wait(struct link *link, struct link_wait *waits, size_t n,
	      uint64_t deadline);

/*
 * A provider without a kernel behind it only makes progress while it is called.
 * A caller that waits for something else waits for the descriptor as well (-1:
 * not needed), and serves the link when it is readable or at the time that
 * link_serve returned (UINT64_MAX: never).
 */
int link_fd(const struct link *link);
uint64_t link_serve(struct link *link);

/* The number of packets so far that this host received and had no room for, or
 * that its interface did not take. */
uint64_t link_dropped(const struct link *link);

#endif
