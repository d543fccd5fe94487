/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided as the ULP posts work, and asks for completions. */
#ifndef HARNESS_REFDUT_VERBS_POST_DECISIONS_H
#define HARNESS_REFDUT_VERBS_POST_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether an atomic may be posted: its target need not be aligned, which is
 * the responder's to check (RFC 7306 s5.1). */
#define DECISION_atomic_may_be_posted bool, (const struct work *work), (work)
DECISION(atomic_may_be_posted)

/* How many of the completions there are, at most max, the ULP is given: when
 * it learns of one is open (RFC 5040 s5.5). It may wait for more, or not. */
#define DECISION_completions_given                                             \
	uint64_t, (struct conn * c, uint64_t max, bool waits), (c, max, waits)
DECISION(completions_given)

#endif
