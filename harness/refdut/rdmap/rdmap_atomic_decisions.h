/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when an atomic of the peer is validated and performed (RFC 7306
 * s5). */
#ifndef HARNESS_REFDUT_RDMAP_ATOMIC_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_ATOMIC_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* An atomic in progress. */
struct atomic_operation {
	struct conn *c;
	const struct request *request;
	struct region *region;
	uint8_t *at;       /* the word's octets */
	uint64_t original; /* the original value, as a number */
	uint64_t value;    /* the new value, as a number */
};

/* Whether the AOpCode is assigned, and the device supports the operation (RFC
 * 7306 s5.2.1). */
#define DECISION_aopcode_known bool, (unsigned aopcode), (aopcode)
DECISION(aopcode_known)

/* The flaw in the target of an atomic (RFC 7306 s5.2.1). */
#define DECISION_atomic_target_flaw                                            \
	enum memory_flaw,                                                      \
		(const struct conn *c, const struct request *request,          \
		 struct region **region),                                      \
		(c, request, region)
DECISION(atomic_target_flaw)

/* Whether the target's address is a multiple of eight (RFC 7306 s5.1). */
#define DECISION_atomic_is_aligned                                             \
	bool,                                                                  \
		(const struct conn *c, const struct request *request,          \
		 struct region *region),                                       \
		(c, request, region)
DECISION(atomic_is_aligned)

/* End the stream with the error for an unaligned atomic (RFC 7306 s8.2). */
#define DECISION_refuse_unaligned_atomic                                       \
	void,                                                                  \
		(struct conn * c, const struct request *request,               \
		 struct region *region),                                       \
		(c, request, region)
DECISION(refuse_unaligned_atomic)

/* The octets of the word that an atomic works on (RFC 7306 s5). */
#define DECISION_atomic_target                                                 \
	uint8_t *,                                                             \
		(const struct request *request, const struct region *region),  \
		(request, region)
DECISION(atomic_target)

/* Load the word, with its octets in memory order. */
#define DECISION_atomic_load                                                   \
	uint64_t, (const struct atomic_operation *atomic), (atomic)
DECISION(atomic_load)

/* Convert a number to a word of memory, or back, in the host's octet order (RFC
 * 7306 s5.1). */
#define DECISION_word_in_memory uint64_t, (uint64_t number), (number)
DECISION(word_in_memory)

/* The new value of the word, given the original one (RFC 7306 s5.1). */
#define DECISION_atomic_result                                                 \
	uint64_t, (const struct request *request, uint64_t original),          \
		(request, original)
DECISION(atomic_result)

/* The value that the Response returns (RFC 7306 s5.1). */
#define DECISION_original_returned                                             \
	uint64_t, (const struct atomic_operation *atomic), (atomic)
DECISION(original_returned)

/* Store the new value of the word (RFC 7306 s5.1). */
#define DECISION_atomic_store                                                  \
	void, (const struct atomic_operation *atomic, uint64_t word),          \
		(atomic, word)
DECISION(atomic_store)

/* Perform all answered atomics, because the ULP is going to read memory (RFC
 * 7306 s5.3). */
#define DECISION_atomics_done void, (const struct region *region), (region)
DECISION(atomics_done)

#endif
