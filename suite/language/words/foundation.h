/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The foundations of cases: the few things that many cases need before they get
 * to their point. Each foundation is tested before the cases that depend on it.
 * If it fails, these cases are BLOCKED, with a reference to the case that
 * tested it, and none of their requirements is judged.
 *
 * The statements of a case determine the foundations that it depends on:
 *
 *   connects()      a stream in its role, with the startup that it asks for,
 *                   and the exchange that proves it
 *   awaits_request(), awaits_reply()
 *                   enhanced startup, if the case asks for it
 *   peer_sends(m)   the device accepts a message of this kind without a
 *                   fault: a refusal counts only if the correct message is
 *                   accepted. An empty message is of the same kind: a device
 *                   that ignores all Writes has not accepted an empty one
 *   dut_posts(p)    the device sends work of this kind
 *   stream_works()  the known-answer exchange
 *   closed_*()      the device does not close on a correct startup
 *
 * The test of a failed foundation has found some sentences broken. A case that
 * judges one of these sentences is about that foundation. It still runs, to
 * show the cause. There only observed events count as failures, not missing
 * ones.
 *
 * A case only rests on other things, because it does them along the way
 * (RESTING). It runs even if one of them has failed, and its lines that hold
 * count. If the case fails and one of them has failed, the case is BLOCKED. But
 * if the case is about that thing, it is judged, and the objections of the
 * golden model are consequences, as in the case that shows the cause. A case
 * rests on:
 *
 *   peer_sends(m)   several messages on one stream, one after another, on
 *                   several queues; of several segments; in pieces; to the
 *                   last octet of a buffer
 *   dut_posts(p)    pads; messages of several segments, or longer than TCP
 *                   takes at once
 *   frames          Terminates of the device
 *   the end of a stream, also as its ULP sees it
 *                   a device ends a stream with an error, or goes on
 *   not_delivered() receives left over at the end
 *
 * A foundation may have several ways. If the first does not work, the suite
 * uses the next best. `.way` of a case is the way that it tests. A case that
 * itself uses the first way, an empty Read, is BLOCKED if the next best is in
 * use.
 */
#ifndef SUITE_LANGUAGE_FOUNDATION_H
#define SUITE_LANGUAGE_FOUNDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "suite/req/req.h"

enum foundation {
	STANDS_ALONE, /* the case tests no foundation */
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
	uint8_t way; /* the way that works, if it has not failed */
	/* Ids of cases, which live as long as the process. */
	const char *told_by;   /* the case that shows why the foundation has
			        * failed, or that it works */
	const char *better_by; /* the case that shows why a better way does not
			        * work; NULL: no better way has failed */
};

/* All foundations; all zeros: none has failed. */
struct ground {
	bool again; /* a failed test is repeated once */
	/* The number of cases that have ended with a Terminate on a stream that
	 * the device did not end after it. */
	unsigned left_open;
	/* The number of cases that have found that the device no longer reads a
	 * stream that it has to end. */
	unsigned left_unread;
	struct footing at[FOUNDATION_ROLES][FOUNDATION_COUNT];
	/* By requirement: a case that tested the foundation has found the
	 * requirement broken. */
	bool told[FOUNDATION_COUNT][REQ_COUNT];
	/* By requirement: objections of the golden model that hold for every
	 * stream in this role (founds_always). Only the cases that found them,
	 * and those that judge the requirement, report them. */
	bool always[FOUNDATION_ROLES][REQ_COUNT];
};

/* 0 to FOUNDATION_FLOORS - 1. */
unsigned foundation_floor(enum foundation f);
/* True if an objection of the golden model in a case of this foundation holds
 * for every stream: to its startup frames, if a stream is established at all,
 * or to a reset behind a Terminate. */
static inline bool founds_always(enum foundation f, unsigned short req)
{
	switch (f) {
	case FOUNDATION_STREAM:
	case FOUNDATION_ENHANCED:
	case FOUNDATION_P2P:
		return true;
	case FOUNDATION_ERRORS_END:
		return req == REQ_INDEX_RDMAP_6_2_1_03;
	case FOUNDATION_TERMINATE_TAKEN:
		return req == REQ_INDEX_RDMAP_6_2_1_06;
	default:
		return false;
	}
}
/* True if every case that judges a sentence of the same section is about this
 * foundation. */
bool foundation_broad(enum foundation f);
/* "the device accepts a Send". */
const char *foundation_text(enum foundation f);

#endif
