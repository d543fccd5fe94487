/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when a Request is answered (RFC 5040 s5.2, RFC 7306 s5). */
#ifndef HARNESS_REFDUT_RDMAP_TX_RESPONSE_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TX_RESPONSE_DECISIONS_H

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/decision/decision.h"

/* Whether a Read Request is answered: always, even if its size is 0 (RFC 5040
 * s5.2.1). */
#define DECISION_read_is_answered                                              \
	bool, (struct conn * c, const struct request *request), (c, request)
DECISION(read_is_answered)

/* The Read Response: the requested octets, for the data sink that the Request
 * names (RFC 5040 s4.4, s4.5). The region is NULL if no octets were requested,
 * or if a control device has checked nothing: it sends zeros. */
#define DECISION_read_response                                                 \
	struct message,                                                        \
		(struct conn * c, const struct request *request,               \
		 const struct region *region),                                 \
		(c, request, region)
DECISION(read_response)

/* Perform an atomic, and return the original value (RFC 7306 s5.1). If the
 * region is NULL, nothing is performed. */
#define DECISION_original_value                                                \
	uint64_t,                                                              \
		(struct conn * c, struct request * request,                    \
		 struct region * region),                                      \
		(c, request, region)
DECISION(original_value)

/* The queue of Atomic Responses (RFC 7306 s4.1). */
#define DECISION_atomic_response_queue                                         \
	uint32_t, (const struct request *request), (request)
DECISION(atomic_response_queue)

/* The Atomic Response (RFC 7306 s5.2.2). */
#define DECISION_atomic_response                                               \
	struct message,                                                        \
		(struct conn * c, const struct request *request, uint32_t msn, \
		 uint64_t original),                                           \
		(c, request, msn, original)
DECISION(atomic_response)

/* What happens after the last segment of a Response was queued. */
#define DECISION_response_is_issued                                            \
	void, (struct conn * c, struct request * request), (c, request)
DECISION(response_is_issued)

#endif
