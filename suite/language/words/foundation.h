/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ground that cases stand on: the few things which many of them need
 * before they come to what they are about. Each is tried before the cases
 * that stand on it; where it does not stand, these are BLOCKED, by the case
 * that tells why, and no requirement of theirs is judged.
 *
 * What a case stands on is what it says:
 *
 *   connects()      a stream in its role, with the startup that it asks for,
 *                   and the exchange that proves it
 *   awaits_request(), awaits_reply()
 *                   enhanced startup, where the case asks for it
 *   peer_sends(m)   that the device takes a message of this kind without a
 *                   fault: a refusal counts only beside its right sibling.
 *                   An empty one is of the kind of any other: whoever ignores
 *                   all Writes has not accepted an empty one
 *   dut_posts(p)    that the device's work of this kind leaves
 *   stream_works()  the known-answer exchange
 *   closed_*()      that the device does not close on a right startup
 *
 * A case that is about what has fallen, by judging a sentence that the trial
 * has found broken, runs all the same, to tell why; but there only what was
 * seen counts, and not what has not come.
 *
 * Other things a case only rests on, since it does them on its way (RESTING):
 * it runs, and what it judges well counts. Where it fails, and one of these
 * has fallen, it is BLOCKED - unless it is about that: then what the golden
 * model objects to is a consequence of it, as in the case that tells why:
 *
 *   peer_sends(m)   several messages on one stream, one behind another, on
 *                   several queues; of several segments; in pieces; to the
 *                   last octet of a buffer
 *   dut_posts(p)    pads; messages of several segments, or longer than what
 *                   TCP takes at once
 *   what comes      Terminates of the device
 *   not_delivered() receives left behind at the end
 *
 * A foundation may have several ways, the next best where the first does not
 * work: the cases that tried them say which (`.way`). What does itself what
 * the first way does, an empty Read, is BLOCKED where the next best is used.
 */
#ifndef SUITE_LANGUAGE_FOUNDATION_H
#define SUITE_LANGUAGE_FOUNDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "suite/req/req.h"

enum foundation {
	STANDS_ALONE, /* of a case: it founds nothing */
#define FOUNDATION(ident, floor, text) FOUNDATION_##ident,
#define RESTING                        FOUNDATION
#define BROAD                          FOUNDATION
#include "suite/language/words/foundations.def"
#undef BROAD
#undef RESTING
#undef FOUNDATION
	FOUNDATION_COUNT
};
#define FOUNDATION_FLOORS 8
#define FOUNDATION_ROLES  3 /* indexed by enum case_role */

/* One foundation, in one role of the device. */
struct footing {
	bool fallen;
	uint8_t way; /* the one that works, where it stands */
	/* Ids of cases, which live as long as the process. */
	const char *told_by;   /* tells why it has fallen, or showed that it
				* stands */
	const char *better_by; /* tells why a better way does not work; NULL:
				* none was tried in vain */
};

/* All of them; all zeros: they stand. */
struct ground {
	bool again; /* what has not held is tried once more */
	/* So many cases have ended with a Terminate on a stream that the device
	 * did not end after it. */
	unsigned left_open;
	/* So many have found that the device reads no more of a stream that it
	 * has to end. */
	unsigned left_unread;
	struct footing at[FOUNDATION_ROLES][FOUNDATION_COUNT];
	/* By requirement: a case that tried it has found that one broken. */
	bool told[FOUNDATION_COUNT][REQ_COUNT];
	/* By requirement: what the golden model objects to in the startup frames
	 * of this role where a stream comes about at all. The cases that found
	 * it tell so, and those that judge it; no other does. */
	bool always[FOUNDATION_ROLES][REQ_COUNT];
};

/* 0 to FOUNDATION_FLOORS - 1. */
unsigned foundation_floor(enum foundation f);
/* That a stream, enhanced or not, comes about. */
static inline bool founds_startup(enum foundation f)
{
	return f == FOUNDATION_STREAM || f == FOUNDATION_ENHANCED ||
	       f == FOUNDATION_P2P;
}
/* Whoever judges a sentence of the same section is about it. */
bool foundation_broad(enum foundation f);
/* "the device takes a Send". */
const char *foundation_text(enum foundation f);

#endif
