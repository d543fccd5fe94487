/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about a tagged segment (RFC 5041 s7.1, RFC 5040 s7.2). */
#ifndef HARNESS_REFDUT_DDP_TAGGED_DECISIONS_H
#define HARNESS_REFDUT_DDP_TAGGED_DECISIONS_H

#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/decision/decision.h"

/* The flaw in STag, TO or length (RFC 5041 s7.1). On MEMORY_FINE, *region is
 * the buffer. */
#define DECISION_tagged_flaw                                                   \
	enum memory_flaw,                                                      \
		(struct conn * c, const uint8_t *u, uint32_t len,              \
		 struct region **region),                                      \
		(c, u, len, region)
DECISION(tagged_flaw)

/* The error code for such a flaw (RFC 5041 s7.2). */
#define DECISION_tagged_error_code                                             \
	enum tagged_error, (enum memory_flaw flaw), (flaw)
DECISION(tagged_error_code)

/* The rights that a buffer has to grant for this segment (RFC 5040 s7.2); 0:
 * none. */
#define DECISION_rights_needed                                                 \
	unsigned, (struct conn * c, const uint8_t *u), (c, u)
DECISION(rights_needed)

/* May a segment arrive while a message of the other buffer model is incomplete
 * (RFC 5041 s5.3)? */
#define DECISION_interleaving_accepted                                         \
	bool, (const struct conn *c, const uint8_t *u), (c, u)
DECISION(interleaving_accepted)

/* May this segment continue its Write? False: it has ended the stream. */
#define DECISION_write_goes_on                                                 \
	bool, (struct conn * c, const uint8_t *u, uint32_t len), (c, u, len)
DECISION(write_goes_on)

/* Is a Read Response accepted if no Read waits for it (RFC 5040 s5.2.2)? */
#define DECISION_unasked_response_taken bool, (const struct conn *c), (c)
DECISION(unasked_response_taken)

/* Does a segment of a Read Response go to the sink that the Read Request named
 * (RFC 5040 s5.2.2)? */
#define DECISION_response_in_sink                                              \
	bool, (const struct work *read, const uint8_t *u, uint32_t n),         \
		(read, u, n)
DECISION(response_in_sink)

#endif
