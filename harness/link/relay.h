/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections through this host: for each connection that it accepts, the
 * relay opens one to another address. It reports the octets of both ends to the
 * caller, which passes them on with relay_pass(), or passes other octets. It
 * uses one thread, no privileges and bounded memory: it does not read from an
 * end while the other end is too slow.
 */
#ifndef HARNESS_LINK_RELAY_H
#define HARNESS_LINK_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/link/link.h"

enum { RELAY_WHY = 256, RELAY_PAIRS = 64 };

struct relay;

/* The two connections of a relayed stream. */
struct relay_pair {
	struct link_end end[2]; /* end[0] has connected to end[1] */
	uint16_t mss[2]; /* of the SYN of each end, as the relay announces it
			  * to the other one; 0: unknown */
	void *user;
};

struct relay_events {
	/* Both ends are connected; nothing has arrived from either. */
	void (*begins)(void *user, struct relay_pair *p);
	/* End `from` has sent these octets. */
	void (*came)(void *user, struct relay_pair *p, unsigned from,
		     const uint8_t *octets, size_t n);
	/* TCP has accepted these octets for end `to`. */
	void (*passed)(void *user, struct relay_pair *p, unsigned to,
		       const uint8_t *octets, size_t n);
	/* End `from` has sent FIN, after all octets reported so far; `acked`:
	 * it has certainly received everything that was sent to it. `reset`: it
	 * has sent RST. The relay passes both on. */
	void (*ended)(void *user, struct relay_pair *p, unsigned from,
		      bool reset, bool acked);
	void (*over)(void *user, struct relay_pair *p);
	/* A new connection cannot be relayed: the other address cannot be
	 * reached, or this host has no room for the connection. */
	void (*refused)(void *user, const char *why);
};

/*
 * `listen` and `to` are HOST:PORT: a name or a numeric address, IPv6 in
 * brackets. Port 0 in `listen`: the system chooses one. NULL: one line in
 * `why`.
 */
struct relay *relay_open(const char *listen, const char *to,
			 const struct relay_events *events, void *user,
			 char why[RELAY_WHY]);
/* The address at which the relay listens: HOST:PORT. */
const char *relay_place(const struct relay *r);
/*
 * Run until the deadline (UINT64_MAX: none), or until the descriptor `stop` is
 * readable (-1: none). Then reset open connections. False: one line in `why`.
 */
bool relay_run(struct relay *r, uint64_t deadline, int stop,
	       char why[RELAY_WHY]);
void relay_close(struct relay *r);

/*
 * Send these octets to end `to`: in a segment of their own, as far as TCP
 * allows, and not before the time `not_before` (CLOCK_NOW: at once). Octets
 * that are passed later wait for them. False: no memory.
 */
bool relay_pass(struct relay_pair *p, unsigned to, const uint8_t *octets,
		size_t n, uint64_t not_before);

#endif
