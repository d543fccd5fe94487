/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided about Read and Atomic Requests of the peer (RFC 5040 s5.2.1
 * and s7.2, RFC 7306 s5.2). */
#ifndef HARNESS_REFDUT_RDMAP_REQUEST_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_REQUEST_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* A delivered Request, which is this decision's to free: it is validated, and
 * then answered in its turn. */
#define DECISION_accept_request                                                \
	void, (struct conn * c, struct request * request), (c, request)
DECISION(accept_request)

/* A Request that was validated, and the region it may use (NULL: none), goes
 * where it waits for its turn. */
#define DECISION_take_request                                                  \
	void,                                                                  \
		(struct conn * c, struct request * request,                    \
		 const struct region *region),                                 \
		(c, request, region)
DECISION(take_request)

/* Which Responses go before this one: Requests are answered in the order in
 * which they came (RFC 5040 s5.2.1, RFC 7306 s5.2.1). */
#define DECISION_queue_request                                                 \
	void, (struct conn * c, struct request * request), (c, request)
DECISION(queue_request)

/* Whether a Response is made as soon as its Request was taken (RFC 5040 s5.5
 * leaves it to the device). */
#define DECISION_answered_at_once bool, (const struct conn *c), (c)
DECISION(answered_at_once)

/* Whether the source of a Read is validated: not that of a Read of size 0
 * (RFC 5040 s5.2.1). */
#define DECISION_read_source_validated                                         \
	bool, (const struct request *request), (request)
DECISION(read_source_validated)

/* What is wrong with what is left to be read (RFC 5040 s7.2). */
#define DECISION_read_source_flaw                                              \
	enum memory_flaw,                                                      \
		(const struct conn *c, const struct request *request,          \
		 struct region **region),                                      \
		(c, request, region)
DECISION(read_source_flaw)

/* The Read Request header that goes back in a Terminate: 28 octets, that of a
 * Read in progress brought up to date (RFC 5040 s4.8). */
#define DECISION_terminated_read_header                                        \
	void, (const struct request *request, uint8_t *header),                \
		(request, header)
DECISION(terminated_read_header)

/* A flaw of memory as a code of a remote protection error (RFC 5040 s4.8). */
#define DECISION_protection_code unsigned, (enum memory_flaw flaw), (flaw)
DECISION(protection_code)

#endif
