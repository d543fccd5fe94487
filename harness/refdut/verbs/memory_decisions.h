/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when the ULP registers, changes and invalidates memory (RFC 5040
 * s8.1.1, RFC 5042 s6). */
#ifndef HARNESS_REFDUT_VERBS_MEMORY_DECISIONS_H
#define HARNESS_REFDUT_VERBS_MEMORY_DECISIONS_H

#include "harness/refdut/agent/session.h"
#include "harness/refdut/memory/memory.h"
#include "harness/refdut/decision/decision.h"

/* Whether a region may have all of these rights at once (RFC 5042 s6.3.5). */
#define DECISION_rights_go_together bool, (unsigned access), (access)
DECISION(rights_go_together)

/* The rights of a region for which the ULP requests these (RFC 5040 s8.1.1). */
#define DECISION_changed_rights                                                \
	unsigned, (const struct region *region, unsigned access),              \
		(region, access)
DECISION(changed_rights)

/* May the ULP of this session invalidate the region now? RFC 5040 says nothing
 * about a Read that uses it. */
#define DECISION_may_be_invalidated                                            \
	bool, (const struct session *s, const struct region *region),          \
		(s, region)
DECISION(may_be_invalidated)

/* Does the invalidation wait for a Read that uses the region? */
#define DECISION_invalidation_waits                                            \
	bool, (const struct session *s, const struct region *region),          \
		(s, region)
DECISION(invalidation_waits)

/* Invalidate an STag for its ULP (RFC 5041 s7.1, s8.3.1, RFC 5042 s6.2.2). */
#define DECISION_invalidate_for_ulp void, (struct region * region), (region)
DECISION(invalidate_for_ulp)

/* The same when its ULP deregisters the region. */
#define DECISION_invalidate_deregistered                                       \
	void, (struct region * region), (region)
DECISION(invalidate_deregistered)

#endif
