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
	/* The accepting end is in this process, too: a capture of the
	 * connecting end has everything, one of both would have it twice. */
	bool both_ends;
	/* The provider captures frames itself: link.c records nothing. */
	bool sniffs;
	int (*connect)(struct link *link, const struct link_end *to,
		       uint64_t deadline, struct link_conn **conn);
	int (*listen)(struct link *link, const struct link_end *at,
		      struct link_listener **listener);
	/* LINK_TIMEOUT: no answer. */
	int (*accept_now)(struct link_listener *listener,
			  struct link_conn **conn);
	/* Octets taken as the end of a write, 0 when nothing fits. */
	long (*send_now)(struct link_conn *conn, const void *octets, size_t n);
	/* Octets, 0 for FIN; LINK_TIMEOUT: nothing there; LINK_RESET every
	 * time from the RST on, but not before the last octet. */
	long (*recv_now)(struct link_conn *conn, void *octets, size_t cap);
	int (*half_close)(struct link_conn *conn);
	/* True when a RST went out, or will. */
	bool (*reset)(struct link_conn *conn);
	/* Frees. True when the close is a RST: octets were never read. */
	bool (*close)(struct link_conn *conn);
	void (*listener_close)(struct link_listener *listener);
	int (*wait)(struct link *link, struct link_wait *waits, size_t n,
		    uint64_t deadline);
	void (*destroy)(struct link *link);
	/* Its contribution to link->lost; called once, at its end. NULL: none.
	 * The provider counts connections that are never handed out. */
	uint64_t (*lost)(const struct link_conn *conn);
	/* Of these, those that a small rcvbuf may explain. NULL: none. */
	uint64_t (*unproven)(const struct link_conn *conn);
	/* NULL: what was sent has arrived. */
	uint64_t (*unacknowledged)(const struct link_conn *conn);
	/* NULL: no TCP, or none that says. */
	uint32_t (*emss)(const struct link_conn *conn);
	uint32_t (*mss)(const struct link_conn *conn);
	uint32_t (*emss_out)(const struct link_conn *conn);
	/* NULL: rcvbuf stays unchanged. */
	bool (*make_room)(struct link_conn *conn);
	/* With LINK_CAP_SEGMENTS. False: no room. */
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
	/* NULL: it needs no service. */
	int (*fd)(const struct link *link);
	uint64_t (*serve)(struct link *link);
	/* NULL: this host never drops what it has received. */
	uint64_t (*dropped)(const struct link *link);
};

/* Keep the first error of a call, from errno, unless peers can cause it. */
void link_trouble(struct link *link, const char *call);
/* One line of context, cut to fit; returns status. */
int link_fail(char why[LINK_WHY], int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
