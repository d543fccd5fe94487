/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections through this host: a connection to us is connected on to
 * another address, and the octets of either end are passed to a listener, which
 * forwards them, or other octets. One thread, no privileges, bounded memory: an
 * end is not read while the other one lags behind.
 */
#ifndef HARNESS_LINK_RELAY_H
#define HARNESS_LINK_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

enum { RELAY_WHY = 256, RELAY_PAIRS = 64 };

struct relay;

/* Two connections, as one. */
struct relay_pair {
	struct link_end end[2]; /* end[0] has connected, to end[1] */
	uint16_t mss[2];        /* that each of them was announced; 0: none */
	void *user;
};

struct relay_events {
	/* Both are connected; nothing has arrived from either. */
	void (*begins)(void *user, struct relay_pair *p);
	/* End `from` has sent these. */
	void (*came)(void *user, struct relay_pair *p, unsigned from,
		     const uint8_t *octets, size_t n);
	/* TCP has taken these for end `to`. */
	void (*passed)(void *user, struct relay_pair *p, unsigned to,
		       const uint8_t *octets, size_t n);
	/* Its FIN, all octets before it shown; `acked`: it surely had received
	 * all that it was sent. Or its RST. Either is passed on. */
	void (*ended)(void *user, struct relay_pair *p, unsigned from,
		      bool reset, bool acked);
	void (*over)(void *user, struct relay_pair *p);
	/* The other end could not be reached for a new connection. */
	void (*refused)(void *user, const char *why);
};

/*
 * HOST:PORT each, names or numbers, IPv6 in brackets; port 0 to listen on any.
 * NULL: one line in why.
 */
struct relay *relay_open(const char *listen, const char *to,
			 const struct relay_events *events, void *user,
			 char why[RELAY_WHY]);
/* The address at which it listens: HOST:PORT. */
const char *relay_place(const struct relay *r);
/*
 * Run until this deadline (UINT64_MAX: none), or until `stop`, a descriptor, is
 * readable (-1: none). Then open connections are reset. False: one line in why.
 */
bool relay_run(struct relay *r, uint64_t deadline, int stop,
	       char why[RELAY_WHY]);
void relay_close(struct relay *r);

/*
 * Send these octets to end `to`, in a segment of their own as far as TCP
 * allows, and not before `not_before` (CLOCK_NOW: at once); later octets follow
 * them. False: no memory.
 */
bool relay_pass(struct relay_pair *p, unsigned to, const uint8_t *octets,
		size_t n, uint64_t not_before);

#endif
