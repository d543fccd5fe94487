/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when the ULP posts work, and asks for completions. */
#ifndef HARNESS_REFDUT_VERBS_POST_DECISIONS_H
#define HARNESS_REFDUT_VERBS_POST_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether an atomic may be posted: the responder checks the alignment of its
 * target (RFC 7306 s5.1). */
#define DECISION_atomic_may_be_posted bool, (const struct work *work), (work)
DECISION(atomic_may_be_posted)

/* How many of the available completions the ULP gets, at most max: the time of
 * a completion is open (RFC 5040 s5.5). `waits`: the ULP waits for more. */
#define DECISION_completions_given                                             \
	uint64_t, (struct conn * c, uint64_t max, bool waits), (c, max, waits)
DECISION(completions_given)

/* A completion, as reported to the ULP (RFC 5040 s5.3, s5.5). */
#define DECISION_reported_event                                                \
	struct event, (const struct conn *c, const struct event *event),       \
		(c, event)
DECISION(reported_event)

#endif
