/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checks of a tagged segment before its payload is placed: RFC 5041 s7.1
 * for STag, TO and length, RFC 5040 s7.2 for rights, and RFC 5040 s5.2.2 for
 * the Read that a Read Response may answer.
 *
 * Where the RFCs leave a choice:
 * - empty tagged segments are not checked against memory, last or not;
 * - a Write to an STag without the access right is RDMAP's "access rights"
 *   error, because DDP has no number for it;
 * - a Read Response has to stay within the sink of the Read it answers.
 */
#include "harness/refdut/ddp/tagged_decisions.h"

/* RFC 5041 s7.1; s5.2 exempts a segment without a payload. */
RULE(tagged_flaw)
{
	uint32_t n = len - TAGGED_HEADER;

	if (n == 0)
		return MEMORY_FINE;
	return memory_check(&c->domain, c, stag_of(u), to_of(u), n, 0, region);
}

RULE(tagged_error_code)
{
	switch (flaw) {
	case MEMORY_BOUNDS:
		return TAGGED_BOUNDS;
	case MEMORY_NOT_ASSOCIATED:
		return TAGGED_NOT_ASSOCIATED;
	case MEMORY_WRAP:
		return TAGGED_TO_WRAP;
	default:
		return TAGGED_INVALID_STAG;
	}
}

bool tagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
		    struct region **region)
{
	enum memory_flaw flaw;

	*region = NULL;
	flaw = tagged_flaw(c, u, len, region);
	if (flaw == MEMORY_FINE)
		return true;
	fault(c, ERR_DDP_TAGGED, tagged_error_code(flaw), u, len, NULL);
	return false;
}

/* The sink of a Read is the reader's own buffer, and the peer needs no right to
 * it. */
RULE(rights_needed)
{
	return opcode_of(u) == OPCODE_READ_RESPONSE ? ACCESS_LOCAL_WRITE
						    : ACCESS_REMOTE_WRITE;
}

bool access_checked(struct conn *c, const uint8_t *u, uint32_t len,
		    const struct region *region)
{
	unsigned rights = rights_needed(c, u);

	if ((region->access & rights) == rights)
		return true;
	fault(c, ERR_RDMA_PROTECTION, ACCESS_VIOLATION, u, len, NULL);
	return false;
}

/* RFC 5041 s5.3 and RFC 5040 s5.3 forbid this to the sender; a receiver does
 * not need to check. */
RULE(interleaving_accepted)
{
	return true;
}

/* RFC 5041 s4.2: each segment has an STag and a TO of its own. */
RULE(write_goes_on)
{
	return true;
}

RULE(unasked_response_taken)
{
	return false;
}

RULE(response_in_sink)
{
	uint64_t sink = read->local ? read->local->to + read->off : 0;

	if (n == 0)
		return true;
	return read->local && stag_of(u) == read->local->stag &&
	       to_of(u) - sink <= read->len &&
	       n <= read->len - (to_of(u) - sink);
}

bool response_checked(struct conn *c, const uint8_t *u, uint32_t len,
		      struct work **read)
{
	struct work *work = work_awaited(c);

	*read = NULL;
	if (!work || work->op != OP_READ)
		return unasked_response_taken(c) ||
		       operation_refused(c, UNEXPECTED_OPCODE, u, len);
	*read = work;
	return response_in_sink(work, u, len - TAGGED_HEADER) ||
	       operation_refused(c, UNSPECIFIED, u, len);
}
