/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings, for the files of this folder alone; exploration.h has what others
 * call. Each file calls only those below it:
 *
 *   finding.c   a program that fails
 *   refusal.c   a program with a step that the agent refuses
 *   crash.c     a program that takes the device down
 *   ids.c       the ids of findings
 *   conclude.c  what is kept of a finding
 *   avoid.c     what later programs leave out
 *   showing.c   a program performed again, and the evidence
 */
#ifndef SUITE_EXPLORE_FINDING_FINDING_H
#define SUITE_EXPLORE_FINDING_FINDING_H

#include <jansson.h>

#include "suite/explore/exploration.h"
#include "suite/explore/shrink.h"

enum {
	SHRINK_MOST = 600,
	AGAIN_MOST = 4,    /* programs more that show the same */
	CRASHES_MOST = 24, /* of a device, until a program is short enough */
};

/* A fault while it is examined. */
struct showing {
	struct exploration *e;
	const char *signature; /* the first requirement counts */
	struct outcome last;
	/* For a program that takes the device down: */
	struct result *result;
	struct hook_result *seen;
	unsigned crashes;
	json_t *evidence; /* the last performance that has shown it; NULL:
			   * none */
};

/* --- ids.c ------------------------------------------------------------ */

/* By its necessary part: explore/device-crashed/peer-reads/wrap. It lives as
 * long as the process. */
const char *id_by_essence(const char *what, const struct program *p);

/* --- conclude.c ------------------------------------------------------- */

/* A text that lives as long as the process; "" if there is no memory. */
const char *conclude_text(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
/* The finding is complete, with this result, which is copied. `how`: lines
 * before its program, or "". */
void conclude_finding(struct showing *s, struct finding *f,
		      const struct result *r, const char *how);
/* The same, and from now on it is avoided: the memory that the result refers to
 * is reused by the next performance. */
void conclude_and_avoid(struct finding *f, const struct result *r,
			shows_fn *does, struct showing *s);

/* --- avoid.c ---------------------------------------------------------- */

/* The necessary part of the shortest program, in its most specific step. False:
 * none. */
bool avoid_essence_of(const struct program *p, struct avoided *a);
/* `does` tells whether another program shows the fault, too. */
void avoid_program(struct exploration *e, const struct program *p,
		   shows_fn *does, struct showing *s);

/* --- showing.c -------------------------------------------------------- */

/* Whether a signature contains the first requirement of another one. */
bool showing_has_requirement(const char *signature, const char *first);
/* False: it was not performed, or has taken the device down, which is a
 * different fault. */
bool showing_performs(struct showing *s, const struct program *p,
		      struct result *result);
/* The same, with evidence; false also if it does not show this fault. */
bool showing_performs_so(struct showing *s, const struct program *p);
/* The program just performed has shown it: it is the only one known, until a
 * shorter one does. */
void showing_take_evidence(struct showing *s, const struct result *r);
void showing_drop_evidence(struct showing *s);
/* Moves it into the result, for the rest of the process. */
void showing_give_evidence(struct showing *s, struct result *r);

#endif
