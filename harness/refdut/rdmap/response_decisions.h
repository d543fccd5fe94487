/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about Responses to this device's own Requests (RFC 5040 s5.2.2, RFC
 * 7306 s5.2.2). */
#ifndef HARNESS_REFDUT_RDMAP_RESPONSE_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_RESPONSE_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether a Read Response is complete (RFC 5040 s5.2.2). */
#define DECISION_read_response_is_whole bool, (const struct work *work), (work)
DECISION(read_response_is_whole)

/* The number of Requests that are outstanding after this one was answered (RFC
 * 5040 s6.1). */
#define DECISION_outstanding_behind                                            \
	unsigned, (const struct conn *c, const struct work *work), (c, work)
DECISION(outstanding_behind)

/* The atomic that an Atomic Response answers: Responses arrive in the order of
 * their Requests (RFC 7306 s5.2.2). NULL: there is no such atomic. */
#define DECISION_work_of_atomic_response                                       \
	struct work *, (const struct conn *c), (c)
DECISION(work_of_atomic_response)

/* The Original Remote Data Value (RFC 7306 s5.2.2). */
#define DECISION_original_in_response                                          \
	uint64_t, (const uint8_t *header), (header)
DECISION(original_in_response)

/* The word to store in the atomic's own buffer for an original value. */
#define DECISION_original_in_buffer uint64_t, (uint64_t original), (original)
DECISION(original_in_buffer)

/* Complete the atomic of an Atomic Response (RFC 7306 s5.2.2). */
#define DECISION_complete_atomic                                               \
	void, (struct conn * c, struct work * work), (c, work)
DECISION(complete_atomic)

#endif
