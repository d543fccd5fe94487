/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows the SCTP associations of a capture (RFC 9260; in UDP, RFC 6951) while
 * it is read, in bounded memory. It delivers the messages of each direction in
 * the order of their TSNs, whole and once. It delivers cause before effect: a
 * packet that acknowledges a TSN waits until this TSN has been delivered. A TSN
 * that does not appear was not captured; then a gap is reported before anything
 * that it may have caused.
 *
 * An association is known by its ports and its verification tags, so that an
 * end may use several addresses, and packets of strangers do not count. It does
 * for SCTP what assembly.h does for TCP.
 */
#ifndef SUITE_AUDIT_SCTP_ASSOCIATIONS_H
#define SUITE_AUDIT_SCTP_ASSOCIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"
#include "harness/link/raw/assembly.h"
#include "harness/wire/session.h"

/* Associations followed at a time. A new one replaces the oldest. */
enum { ASSOCIATIONS_MOST = 1024 };

/* What the INIT or INIT ACK of an end says. */
struct association_setup {
	bool seen;
	uint16_t outbound, inbound; /* streams: OS, MIS */
	enum session_adaptation adaptation;
	uint32_t indication;
};

struct association_flow {
	struct link_end end[2]; /* end[0] sent the INIT, or was seen first */
	bool opened;            /* its INIT was seen */
	/* Its INIT or INIT ACK came before its messages: the first message is
	 * its first. */
	bool anchored[2];
	struct association_setup setup[2];
	bool ignored; /* the caller sets it to get no more events */
	void *user;
};

struct association_data {
	uint16_t stream;
	uint32_t ppid;
	bool ordered;
	const uint8_t *octets; /* valid during the event */
	size_t n;
	unsigned chunks; /* in which it came */
	size_t most;     /* octets of the largest message that the same end had
			  * sent in one chunk before */
};

struct associations_events {
	/* A new association; its first event. */
	void (*begins)(void *user, struct association_flow *f);
	/* The next message that end `from` has sent. `received`: it has
	 * acknowledged all captured messages of the other end. */
	void (*message)(void *user, struct association_flow *f, unsigned from,
			bool received, const struct association_data *m,
			const struct assembly_at *at);
	/* The next messages, or parts of one, were not captured. */
	void (*gap)(void *user, struct association_flow *f, unsigned from,
		    const struct assembly_at *at);
	/* End `from` has sent ABORT. */
	void (*aborts)(void *user, struct association_flow *f, unsigned from,
		       bool received, const struct assembly_at *at);
	/* The last event of an association. */
	void (*over)(void *user, struct association_flow *f);
};

enum associations_took {
	ASSOCIATIONS_FOREIGN, /* not a packet of SCTP */
	ASSOCIATIONS_TAKEN,
	ASSOCIATIONS_DAMAGED, /* a wrong checksum, cut, or malformed */
	ASSOCIATIONS_FULL,    /* no memory */
};

struct associations;

/* NULL: no memory. */
struct associations *associations_new(const struct associations_events *events,
				      void *user);
/* Take a packet that begins with IP: n of its `length` octets. */
enum associations_took associations_packet(struct associations *a,
					   const uint8_t *octets, size_t n,
					   size_t length,
					   const struct assembly_at *at);
/* Associations that were followed no longer, because too many others were
 * open. */
uint64_t associations_evicted(const struct associations *a);
/* The capture has ended: deliver all messages that still wait. */
void associations_end(struct associations *a);
void associations_free(struct associations *a);

#endif
