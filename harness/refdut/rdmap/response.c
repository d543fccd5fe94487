/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read Responses and Atomic Responses delivered: RFC 5040 s5.2.2, RFC 7306
 * s5.2.2.
 *
 * Where the RFCs leave a choice:
 * - a Read Response whose length differs from the Request is an unspecified
 *   operation error;
 * - the identifier of an Atomic Response is not compared: the order determines
 *   which atomic it answers.
 */
#include "harness/refdut/rdmap/response_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"

#include <string.h>

RULE(outstanding_behind)
{
	return c->outstanding - 1;
}

static void answered(struct conn *c, struct work *work)
{
	work->answered = true;
	c->outstanding = outstanding_behind(c, work);
	work_complete_done(c);
	conn_kick(c);
}

RULE(read_response_is_whole)
{
	return work->placed == work->len;
}

void rdmap_deliver_read_response(struct conn *c, const uint8_t *ulpdu,
				 uint32_t len)
{
	struct work *work = work_awaited(c);

	if (!read_response_is_whole(work)) {
		refuse_operation(c, UNSPECIFIED, ulpdu, len);
		return;
	}
	answered(c, work);
}

RULE(work_of_atomic_response)
{
	return work_awaited(c);
}

RULE(original_in_response)
{
	return atomic_response_original(header);
}

/* RFC 7306 s5.1: the host's own octet order. */
RULE(original_in_buffer)
{
	return original;
}

RULE(complete_atomic)
{
	work->value = original_in_response(c->queue[3].own);
	if (work->local) {
		uint64_t word;

		if (!work->local->valid ||
		    !(work->local->access & ACCESS_LOCAL_WRITE)) {
			work->status = STATUS_LOCAL_ERROR;
			fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
			return;
		}
		word = original_in_buffer(work->value);
		memcpy(work->local->octets + work->off, &word, sizeof(word));
	}
	answered(c, work);
}

void rdmap_deliver_atomic_response(struct conn *c, const uint8_t *ulpdu,
				   uint32_t len, uint32_t message_len)
{
	struct work *work = work_of_atomic_response(c);

	if (!work || work->op == OP_READ)
		refuse_operation(c, UNEXPECTED_OPCODE, ulpdu, len);
	else if (!message_well_formed(c, ulpdu, message_len))
		refuse_operation(c, UNSPECIFIED, ulpdu, len);
	else
		complete_atomic(c, work);
}
