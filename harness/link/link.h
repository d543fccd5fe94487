/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Links: octets and connections, without MPA. Several providers implement this
 * one interface. Capability bits show what a provider can do; a case that needs
 * more is not applicable on it.
 *
 * Everything here runs in one thread, and blocks at most until the given
 * deadline (absolute, clock.h; CLOCK_NOW: do not wait). Failures are negative
 * values of link_status, with one line of context in `why` of the connection,
 * or in `why` of the link if there is no connection yet.
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
	LINK_TIMEOUT = -1, /* the deadline has passed */
	LINK_RESET = -2,   /* the peer reset the connection, now or before */
	LINK_REFUSED = -3, /* there is no listener at that address */
	LINK_ERROR = -4,   /* the environment failed: see `why` */
};

enum link_cap {
	/* A cut is a segment boundary as long as the window is open. */
	LINK_CAP_CUTS = 1 << 0,
	LINK_CAP_HALF_CLOSE = 1 << 1,
	LINK_CAP_RESET = 1 << 2,
	LINK_CAP_LISTEN = 1 << 3,
	/* A case chooses segments, their order, loss, overlap and the
	 * window. */
	LINK_CAP_SEGMENTS = 1 << 4,
	/* rcvbuf takes effect: a small one closes the peer's window. */
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

/* When received octets are acknowledged. The raw link has all of these. The
 * SCTP link has LINK_ACKS_WITHHELD; it takes any other value for
 * LINK_ACKS_AT_ONCE. */
enum link_acks {
	LINK_ACKS_AT_ONCE,
	LINK_ACKS_DELAYED,  /* after 200 ms, or with data of ours */
	LINK_ACKS_WITHHELD, /* never, not even with data of ours */
};

/* 0: the system chooses the value. */
struct link_options {
	uint32_t rcvbuf; /* receive buffer in octets; a small one stalls the
			  * peer */
	uint32_t mss;    /* upper bound of TCP's maximum segment size */
	/* The rest needs LINK_CAP_SEGMENTS, and is ignored on other links. Only
	 * `acks` also works on the SCTP link. */
	bool isn_chosen;
	uint32_t isn;  /* the sequence number of our SYN */
	bool no_times; /* do not offer time stamps */
	bool no_scale; /* do not offer window scaling */
	uint8_t scale; /* the shift count that is offered */
	enum link_acks acks;
	/* The least sequence number of the peer's SYN. link_connect() resets a
	 * connection with a lower one, and tries again until the deadline.
	 * `unwanted` of the link counts the connections that it has reset. */
	uint32_t peer_isn_least;
};

struct capture;
struct link_ops;

/* The part that all providers have; a provider's own part follows it. */
struct link {
	const struct link_ops *ops;
	const char *name;            /* "socket", "pair", "raw", "sctp" */
	unsigned caps;               /* enum link_cap */
	struct link_options options; /* of connections made from now on */
	struct capture *capture;     /* NULL: nothing is recorded */
	/* The link's own numeric address; "": the system may have several. */
	char address[LINK_ADDRESS];
	unsigned unwanted; /* by the last link_connect(): peer_isn_least */
	bool down;         /* the interface or socket of the link has failed,
			    * permanently: see `why` */
	/* Packets of the link's finished connections that were lost on the way,
	 * as far as their TCP knows: the number of retransmitted ones, and of
	 * those received after a gap. If a case drops packets of a connection,
	 * or chooses its segments, that connection does not count. */
	uint64_t lost;
	/* How many of these were received after a gap by connections with a
	 * rcvbuf. Such a gap proves nothing about the network: once the buffer
	 * is full, the kernel of this host drops packets. */
	uint64_t unproven;
	/* One line about a failure of this host to send or receive packets, the
	 * first one since the caller emptied it: packets may be missing. */
	char trouble[LINK_WHY];
	char why[LINK_WHY];
};

struct link_listener {
	struct link *link;
	struct link_end local;
	bool narrow; /* rcvbuf is set for its connections */
};

/*
 * A connection. fin_seen and reset_seen are set when the peer's FIN or RST has
 * been read. Both can be true: first FIN, then RST.
 */
struct link_conn {
	struct link *link;
	bool fin_seen, reset_seen;
	bool fin_sent, reset_sent;
	uint64_t sent;     /* octets that the link has accepted */
	uint64_t received; /* octets that the caller has received */
	/* Pieces that were split because the window was full: their cuts are
	 * not exact. */
	uint64_t torn;
	bool narrow; /* rcvbuf is set */
	struct link_end local, remote;
	int flow;            /* in the capture; -1: not recorded */
	bool reset_recorded; /* the capture has the peer's RST, or ours */
	char why[LINK_WHY];
};

/*
 * The kernel's TCP. Needs no privileges. NULL: out of memory. Close all
 * connections of a link before the link; this holds for every provider.
 */
struct link *link_socket_open(void);
/* The source address of this host for packets to `to` (numeric). False: there
 * is no route. */
bool link_socket_own_address(const char *to, char own[LINK_ADDRESS]);

/* The number of packets that a TCP socket of the kernel knows to be lost so
 * far, in both directions; 0 if it is not such a socket. */
uint64_t link_socket_lost(int fd);

/*
 * A link within this process: link_connect() finds a listener of the same
 * provider by its port, and ignores the address. Each direction is a ring of
 * options.rcvbuf octets (64 KiB if 0). A wait never blocks: nothing else can
 * happen in one thread.
 */
struct link *link_pair_open(void);
/* Make two connected ends. LINK_OK or LINK_ERROR. */
int link_pair(struct link *pair, struct link_conn **a, struct link_conn **b);

void link_close_provider(struct link *link); /* NULL is fine */

/* The name of a status: "ok", "timeout", "reset", "refused", "error". */
const char *link_status_name(int status);

/*
 * Parse a numeric address: IPv4, or IPv6 with or without a scope. False: it is
 * neither. link_end_text() writes "192.0.2.1:5" or "[::1]:5", and returns the
 * length.
 */
bool link_end_parse(struct link_end *end, const char *addr, uint16_t port);
#define LINK_END_TEXT 64
int link_end_text(const struct link_end *end, char out[LINK_END_TEXT]);

/* Connect to a numeric address. On LINK_OK the caller has to close *conn. */
int link_connect(struct link *link, const char *addr, uint16_t port,
		 uint64_t deadline, struct link_conn **conn);

/* Listen at *port. If it is 0, the link chooses a port, and sets *port. */
int link_listen(struct link *link, const char *addr, uint16_t *port,
		struct link_listener **listener);
int link_accept(struct link_listener *listener, uint64_t deadline,
		struct link_conn **conn);
void link_listener_close(struct link_listener *listener); /* NULL is fine */

/*
 * Send n octets. cuts are offsets (ascending, within 1..n-1) at which a
 * write must end: every piece between them is a write of its own, never
 * joined with its neighbours. LINK_OK: the link has accepted all of them.
 * Otherwise conn->sent shows how many it has accepted.
 */
int link_send(struct link_conn *conn, const void *octets, size_t n,
	      const size_t *cuts, size_t ncuts, uint64_t deadline);

/* Send as many octets as possible without waiting. Returns how many the link
 * has accepted (0: no room), or a status. */
long link_send_now(struct link_conn *conn, const void *octets, size_t n);

/* A segment of a scripted write: its octets, and its special properties. */
struct link_segment {
	size_t from, to;      /* from == to: no octets */
	const uint8_t *other; /* to - from octets instead of the right ones */
	bool fin;             /* with FIN; `to` is the end of the write */
	bool rst;             /* instead, a RST at `from`, without octets */
};

#define LINK_SEGMENTS_MAX 1024

/*
 * Send exactly these segments of n octets, at once, in this order. A plan may
 * repeat segments, let them overlap, or have the last one first. The window is
 * ignored. Octets that are in no segment are withheld. A segment with fin or
 * rst counts as link_half_close() or link_reset(). LINK_OK, LINK_RESET, or
 * LINK_ERROR: no room, or the link has no LINK_CAP_SEGMENTS.
 */
int link_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count);
/* Send the withheld octets, in the order of the stream. */
int link_release(struct link_conn *conn);
/*
 * Send one segment that is not part of the stream: its first octet is `back`
 * octets before the end of the octets sent (a FIN counts as one), and it is
 * never retransmitted. If back is 0 after FIN, it lies beyond the end of the
 * stream. LINK_OK, LINK_RESET, or LINK_ERROR: the link has no
 * LINK_CAP_SEGMENTS.
 */
int link_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n);

/* Drop the next n received segments with octets (SCTP: packets with DATA), as
 * if they were lost on the way. False: the link cannot do it. */
bool link_lose(struct link_conn *conn, unsigned n);
/* From now on drop everything, in both directions. False: the link cannot do
 * it. */
bool link_fall_silent(struct link_conn *conn);
/* Send an ICMP message to the peer, as a router would: the path takes no
 * packets larger than `mtu` octets. link_emss() takes this into account. The
 * peer may remember the MTU for this address. False: the link has no
 * LINK_CAP_SEGMENTS. */
bool link_tell_path_mtu(struct link_conn *conn, uint32_t mtu);
/* Where the peer's latest segments with octets start and end in its stream, in
 * the order of arrival. Returns how many, at most cap; 0: unknown. A
 * retransmitted segment is listed again. */
size_t link_arrivals(const struct link_conn *conn, struct link_segment *out,
		     size_t cap);

/* From now on the receive buffer is large, whatever rcvbuf was: the case no
 * longer needs a small window. False: the link cannot do it. */
bool link_make_room(struct link_conn *conn);

/* Acknowledge received octets in this way from now on. If acknowledgements were
 * withheld, and no longer are, an overdue one is sent at once. False: the link
 * cannot do it. */
bool link_set_acks(struct link_conn *conn, enum link_acks acks);
/* From now on offer a window of this size, and announce it at once. Below 0: as
 * many octets as there is room for. False: the link has no
 * LINK_CAP_SEGMENTS. */
bool link_set_window(struct link_conn *conn, long octets);

/*
 * Receive the available octets, at most cap (which is not 0); wait for the
 * first one. Returns their number, 0 for FIN, or a status. After FIN, further
 * calls return 0, or LINK_RESET once a RST has followed.
 */
long link_recv(struct link_conn *conn, void *octets, size_t cap,
	       uint64_t deadline);
long link_recv_now(struct link_conn *conn, void *octets, size_t cap);

/*
 * Read and drop octets until the peer's FIN (LINK_OK), its RST (LINK_RESET) or
 * the deadline. A link reports the end of the stream only after its last octet.
 */
int link_drain(struct link_conn *conn, uint64_t deadline);

/*
 * The most octets that one TCP segment of the peer can carry: the maximum
 * segment size announced to it, less the options in use. 0: unknown.
 */
uint32_t link_emss(const struct link_conn *conn);
/* The most octets that one segment of ours can carry. 0: unknown. */
uint32_t link_emss_out(const struct link_conn *conn);
/* The maximum segment size announced to the peer: options are not subtracted.
 * 0: unknown. */
uint32_t link_mss(const struct link_conn *conn);

/* The number of octets (SCTP: of DATA chunks) sent or queued, and not
 * acknowledged. 0: none, or unknown. */
uint64_t link_unacknowledged(const struct link_conn *conn);

/* Send FIN and continue receiving. A second call does nothing. */
int link_half_close(struct link_conn *conn);

/* Send RST. After that the connection can only be closed. */
int link_reset(struct link_conn *conn);

/*
 * Close and free; NULL is fine. Sends FIN, unless this direction has already
 * ended. If octets were not read, a kernel sends RST instead: drain first. If
 * this end closes first, it stays in TIME_WAIT; link_reset() avoids that.
 */
void link_close(struct link_conn *conn);

enum { LINK_READ = 1, LINK_WRITE = 2 };

/* A connection, listener or descriptor to wait for: the first of conn and
 * listener that is not NULL, otherwise fd. LINK_READ means a connection to
 * accept on a listener, and octets, FIN or RST on a connection. */
struct link_wait {
	struct link_conn *conn;
	struct link_listener *listener;
	int fd;
	unsigned want;  /* LINK_READ, LINK_WRITE, or both */
	unsigned ready; /* out; a connection that has ended is ready */
};

#define LINK_WAIT_MAX 128

/*
 * Wait until one of n (at most LINK_WAIT_MAX) is ready. Returns how many are
 * ready, LINK_TIMEOUT or LINK_ERROR. All conns and listeners have to belong to
 * this link.
 */
int link_wait(struct link *link, struct link_wait *waits, size_t n,
	      uint64_t deadline);

/*
 * A provider that implements its protocol in this process makes progress only
 * while it is called. A caller that waits for something else also waits for
 * link_fd() (-1: not needed). It calls link_serve() whenever that descriptor is
 * readable, and at the time that link_serve() has returned (UINT64_MAX: never).
 */
int link_fd(const struct link *link);
uint64_t link_serve(struct link *link);

/* The number of packets that this host has dropped so far: it had no room for a
 * received one, or its interface did not accept one to be sent. */
uint64_t link_dropped(const struct link *link);

#endif
