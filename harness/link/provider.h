/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface that a provider of link.h implements. link.c does the rest:
 * cuts, deadlines, the state of a connection and its recording. Only connect
 * and wait block.
 */
#ifndef HARNESS_LINK_PROVIDER_H
#define HARNESS_LINK_PROVIDER_H

#include "harness/link/capture.h"
#include "harness/link/link.h"

/*
 * A provider's link, listener and connection begin with the public struct.
 * A new connection is zeroed, with both ends set; link.c fills in the rest.
 * Failures leave one line in `why`.
 */
struct link_ops {
	/* The accepting end is in this process, too: only the connecting end is
	 * captured, because a capture of both would have everything twice. */
	bool both_ends;
	/* The provider records the capture itself; link.c records nothing. */
	bool sniffs;
	int (*connect)(struct link *link, const struct link_end *to,
		       uint64_t deadline, struct link_conn **conn);
	int (*listen)(struct link *link, const struct link_end *at,
		      struct link_listener **listener);
	/* LINK_TIMEOUT: there is no connection to accept. */
	int (*accept_now)(struct link_listener *listener,
			  struct link_conn **conn);
	/* Returns the number of octets accepted, or a status; 0: no room. A
	 * write ends with the last of these octets. */
	long (*send_now)(struct link_conn *conn, const void *octets, size_t n);
	/* Returns the number of octets, or 0 for FIN. LINK_TIMEOUT: there are
	 * none. LINK_RESET: a RST came, and all octets before it were read;
	 * every later call returns it again. */
	long (*recv_now)(struct link_conn *conn, void *octets, size_t cap);
	int (*half_close)(struct link_conn *conn);
	/* True: a RST was sent, or will be. */
	bool (*reset)(struct link_conn *conn);
	/* Close and free. True: this sent a RST, because octets were not
	 * read. */
	bool (*close)(struct link_conn *conn);
	void (*listener_close)(struct link_listener *listener);
	int (*wait)(struct link *link, struct link_wait *waits, size_t n,
		    uint64_t deadline);
	void (*destroy)(struct link *link);
	/* The number of lost packets of a connection, to be added to
	 * link->lost; called once, when it ends. NULL: 0. The provider itself
	 * adds those of connections that it never returns to a caller. */
	uint64_t (*lost)(const struct link_conn *conn);
	/* How many of these a small rcvbuf may explain. NULL: 0. */
	uint64_t (*unproven)(const struct link_conn *conn);
	/* NULL: everything that was sent has arrived. */
	uint64_t (*unacknowledged)(const struct link_conn *conn);
	/* NULL: it is not TCP, or the TCP does not report these. */
	uint32_t (*emss)(const struct link_conn *conn);
	uint32_t (*mss)(const struct link_conn *conn);
	uint32_t (*emss_out)(const struct link_conn *conn);
	/* NULL: the receive buffer stays as it is. */
	bool (*make_room)(struct link_conn *conn);
	/* NULL down to `arrivals`: the link cannot do it. A link with
	 * LINK_CAP_SEGMENTS has all of these. False: no room. */
	bool (*send_segments)(struct link_conn *conn, const void *octets,
			      size_t n, const struct link_segment *plan,
			      size_t count);
	void (*release)(struct link_conn *conn);
	void (*send_stray)(struct link_conn *conn, uint32_t back,
			   const void *octets, size_t n);
	void (*set_acks)(struct link_conn *conn, enum link_acks acks);
	void (*set_window)(struct link_conn *conn, long octets);
	void (*lose)(struct link_conn *conn, unsigned n);
	void (*fall_silent)(struct link_conn *conn);
	void (*tell_path_mtu)(struct link_conn *conn, uint32_t mtu);
	size_t (*arrivals)(const struct link_conn *conn,
			   struct link_segment *out, size_t cap);
	/* NULL: the link makes progress without calls. */
	int (*fd)(const struct link *link);
	uint64_t (*serve)(struct link *link);
	/* NULL: the number of dropped packets is 0, or unknown. */
	uint64_t (*dropped)(const struct link *link);
};

/* A system call has failed with errno: record it in link->trouble. Only the
 * first failure is kept, and no error that a peer or the network can cause. */
void link_trouble(struct link *link, const char *call);
/* Write one line of context, truncated to LINK_WHY; returns status. */
int link_fail(char why[LINK_WHY], int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
