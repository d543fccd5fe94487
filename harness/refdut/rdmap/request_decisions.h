/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about Read and Atomic Requests of the peer (RFC 5040 s5.2.1 and
 * s7.2, RFC 7306 s5.2). */
#ifndef HARNESS_REFDUT_RDMAP_REQUEST_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_REQUEST_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Validate a delivered Request, and answer it in its turn. This decision frees
 * the Request. */
#define DECISION_accept_request                                                \
	void, (struct conn * c, struct request * request), (c, request)
DECISION(accept_request)

/* Queue a validated Request until its turn. `region` is the memory that it may
 * use (NULL: none). */
#define DECISION_take_request                                                  \
	void,                                                                  \
		(struct conn * c, struct request * request,                    \
		 const struct region *region),                                 \
		(c, request, region)
DECISION(take_request)

/* Append a Request to the queue: Requests are answered in the order of their
 * arrival (RFC 5040 s5.2.1, RFC 7306 s5.2.1). */
#define DECISION_queue_request                                                 \
	void, (struct conn * c, struct request * request), (c, request)
DECISION(queue_request)

/* Whether a Response is made as soon as its Request was accepted (RFC 5040 s5.5
 * leaves this to the device). */
#define DECISION_answered_at_once bool, (const struct conn *c), (c)
DECISION(answered_at_once)

/* Whether the source of a Read is validated: not for a Read of size 0 (RFC 5040
 * s5.2.1). */
#define DECISION_read_source_validated                                         \
	bool, (const struct request *request), (request)
DECISION(read_source_validated)

/* The flaw in the part of the source that is not sent yet (RFC 5040 s7.2). */
#define DECISION_read_source_flaw                                              \
	enum memory_flaw,                                                      \
		(const struct conn *c, const struct request *request,          \
		 struct region **region),                                      \
		(c, request, region)
DECISION(read_source_flaw)

/* The Read Request header that a Terminate returns: 28 octets. For a Read in
 * progress, it describes the part that is not sent yet (RFC 5040 s4.8). */
#define DECISION_terminated_read_header                                        \
	void, (const struct request *request, uint8_t *header),                \
		(request, header)
DECISION(terminated_read_header)

/* The code of the remote protection error for a memory flaw (RFC 5040 s4.8). */
#define DECISION_protection_code unsigned, (enum memory_flaw flaw), (flaw)
DECISION(protection_code)

#endif
