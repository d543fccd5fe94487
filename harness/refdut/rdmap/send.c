/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends and Immediate Data delivered: RFC 5040 s5.3, RFC 7306 s6.
 *
 * Where the RFCs leave a choice: if the STag to invalidate is not valid, the
 * error is "invalid STag"; if the stream may not invalidate it, the error is
 * "cannot be invalidated".
 */
#include "harness/refdut/rdmap/send_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"

#include <string.h>

RULE(carries_invalidate_stag)
{
	return opcode == OPCODE_SEND_INV || opcode == OPCODE_SEND_SE_INV;
}

RULE(stag_in_domain)
{
	return region->domain.owner == c->domain.owner &&
	       region->domain.number == c->domain.number;
}

RULE(stag_on_stream)
{
	return !region->stream || region->stream == c;
}

RULE(remote_invalidation_allowed)
{
	return !region->shared;
}

RULE(barred_invalidation_code)
{
	return CANNOT_BE_INVALIDATED;
}

RULE(rdma_header_of_send)
{
	return NULL;
}

RULE(invalidate_stag)
{
	struct region *region = region_of_stag(rdmap_invalidate_stag(ulpdu));
	unsigned code;

	if (region && stag_in_domain(c, region) && stag_on_stream(c, region) &&
	    remote_invalidation_allowed(region)) {
		region_invalidate(region);
		return true;
	}
	code = region ? barred_invalidation_code(region) : INVALID_STAG;
	fault(c, ERR_RDMA_PROTECTION, code, ulpdu, len,
	      rdma_header_of_send(ulpdu));
	return false;
}

/* RFC 5040 s5.3: an Event may be raised for SE; it is not required for other
 * Sends. */
RULE(event_raised)
{
	return solicited;
}

/* RFC 7306 s6.3: the eight octets go to the completion. */
RULE(complete_immediate)
{
	struct event *event =
		receive_complete(c, OP_RECV_IMM, STATUS_OK, IMMEDIATE_SIZE);

	event->has_se = true;
	event->se = event_raised(rdmap_opcode(ulpdu) == OPCODE_IMMEDIATE_SE);
	memcpy(event->imm, c->imm, IMMEDIATE_SIZE);
	memset(c->imm, 0, IMMEDIATE_SIZE);
	return event;
}

RULE(received_length)
{
	return message_len < c->receives->len ? message_len : c->receives->len;
}

RULE(complete_send)
{
	unsigned opcode = rdmap_opcode(ulpdu);
	struct event *event =
		receive_complete(c, OP_RECV, STATUS_OK, message_len);

	event->has_se = true;
	event->se = event_raised(opcode == OPCODE_SEND_SE ||
				 opcode == OPCODE_SEND_SE_INV);
	event->has_inv = carries_invalidate_stag(opcode);
	event->inv = rdmap_invalidate_stag(ulpdu);
	return event;
}

void rdmap_deliver_send(struct conn *c, const uint8_t *ulpdu, uint32_t len,
			uint32_t message_len)
{
	unsigned opcode = rdmap_opcode(ulpdu);

	if (opcode == OPCODE_IMMEDIATE || opcode == OPCODE_IMMEDIATE_SE) {
		if (!message_well_formed(c, ulpdu, message_len))
			refuse_operation(c, UNSPECIFIED, ulpdu, len);
		else
			complete_immediate(c, ulpdu, len);
		return;
	}
	if (carries_invalidate_stag(opcode) && !invalidate_stag(c, ulpdu, len))
		return;
	complete_send(c, ulpdu, received_length(c, message_len));
}
