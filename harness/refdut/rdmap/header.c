/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is a message legal at all? RDMAP's control field and its queue (RFC 5040 s4.1
 * and s4.2, RFC 7306 s4.1), and the length of the delivered message.
 *
 * Where the RFCs leave a choice:
 * - an opcode on the wrong queue or with the wrong T flag is an unexpected
 *   opcode, and so is an AOpCode that is not assigned, a Read Response
 *   without a Read, or an Atomic Response that is not due;
 * - a message whose length is not that of its header, or which has holes, is
 *   an unspecified operation error.
 */
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/agent/features.h"

/* RFC 5040 s4.1: version 1. Reserved bits are not checked on reception. */
RULE(rdmap_version_fits)
{
	return rdmap_version(ulpdu) == 1;
}

/* The assigned opcodes, except those that this device does not support. */
static bool opcode_offered(unsigned opcode)
{
	switch (opcode) {
	case OPCODE_WRITE:
	case OPCODE_READ_REQUEST:
	case OPCODE_READ_RESPONSE:
	case OPCODE_SEND:
	case OPCODE_TERMINATE:
		return true;
	case OPCODE_SEND_INV:
		return feature(FEATURE_SEND_INV);
	case OPCODE_SEND_SE:
		return feature(FEATURE_SEND_SE);
	case OPCODE_SEND_SE_INV:
		return feature(FEATURE_SEND_SE_INV);
	case OPCODE_IMMEDIATE:
		return feature(FEATURE_IMM);
	case OPCODE_IMMEDIATE_SE:
		return feature(FEATURE_IMM_SE);
	case OPCODE_ATOMIC_REQUEST:
	case OPCODE_ATOMIC_RESPONSE:
		return feature_atomics();
	default:
		return false;
	}
}

RULE(opcode_on_its_queue)
{
	static const int8_t queue_of[] = {
		[OPCODE_WRITE] = -1,         [OPCODE_READ_REQUEST] = 1,
		[OPCODE_READ_RESPONSE] = -1, [OPCODE_SEND] = 0,
		[OPCODE_SEND_INV] = 0,       [OPCODE_SEND_SE] = 0,
		[OPCODE_SEND_SE_INV] = 0,    [OPCODE_TERMINATE] = 2,
		[OPCODE_IMMEDIATE] = 0,      [OPCODE_IMMEDIATE_SE] = 0,
		[OPCODE_ATOMIC_REQUEST] = 1, [OPCODE_ATOMIC_RESPONSE] = 3,
	};
	int queue = queue_of[rdmap_opcode(ulpdu)]; /* -1: tagged */

	if (rdmap_is_tagged(ulpdu))
		return queue < 0;
	return queue == (int64_t)rdmap_qn(ulpdu);
}

RULE(opcode_expected)
{
	return opcode_offered(rdmap_opcode(ulpdu)) &&
	       opcode_on_its_queue(ulpdu);
}

/* RFC 5040 s4.8, s7.1: the header of a Read Request is returned. For an
 * unexpected segment it is unknown whether it is a Read Request. */
RULE(returned_rdma_header)
{
	if (rdmap_is_tagged(ulpdu) ||
	    rdmap_opcode(ulpdu) != OPCODE_READ_REQUEST ||
	    len < UNTAGGED_HEADER + READ_REQUEST_HEADER)
		return NULL;
	return ulpdu + UNTAGGED_HEADER;
}

RULE(refuse_operation)
{
	const uint8_t *header = NULL;

	if (code != UNEXPECTED_OPCODE)
		header = returned_rdma_header(ulpdu, len);
	fault(c, ERR_RDMA_OPERATION, code, ulpdu, len, header);
}

bool rdmap_knows(struct conn *c, const uint8_t *ulpdu, uint32_t len)
{
	if (rdmap_version_fits(ulpdu) && opcode_offered(rdmap_opcode(ulpdu)))
		return true;
	return rdmap_admit(c, ulpdu, len);
}

bool rdmap_admit(struct conn *c, const uint8_t *ulpdu, uint32_t len)
{
	if (!rdmap_version_fits(ulpdu)) {
		refuse_operation(c, INVALID_VERSION, ulpdu, len);
		return false;
	}
	if (!opcode_expected(ulpdu)) {
		refuse_operation(c, UNEXPECTED_OPCODE, ulpdu, len);
		return false;
	}
	return true;
}

/* RFC 5040 s4.8: the M, D and R bits of the control word define what follows
 * it. More octets may follow. */
static bool terminate_has(const uint8_t *t, uint32_t len)
{
	uint32_t want = 4;

	if (t[2] & (TERMINATE_M | TERMINATE_D))
		want += 2;
	if (t[2] & TERMINATE_D) {
		bool tagged = len <= want || (t[want] & 0x80);

		want += tagged ? TAGGED_HEADER : UNTAGGED_HEADER;
	}
	if (t[2] & TERMINATE_R)
		want += READ_REQUEST_HEADER;
	return len >= want;
}

static uint32_t request_size(const uint8_t *ulpdu)
{
	return rdmap_opcode(ulpdu) == OPCODE_ATOMIC_REQUEST
		       ? ATOMIC_REQUEST_HEADER
		       : READ_REQUEST_HEADER;
}

RULE(message_well_formed)
{
	uint32_t qn = rdmap_qn(ulpdu);
	const struct untagged *queue = &c->queue[qn];

	switch (qn) {
	case 0: /* RFC 7306 s6.3: Immediate Data */
		return message_len == IMMEDIATE_SIZE &&
		       queue->placed >= IMMEDIATE_SIZE;
	case 1: /* RFC 5040 s4.4, RFC 7306 s5.2.1 */
		return message_len == request_size(ulpdu) &&
		       queue->placed == message_len;
	case 2: /* RFC 5040 s4.8 */
		return message_len >= 4 && queue->placed >= message_len &&
		       terminate_has(queue->own, message_len);
	default: /* RFC 7306 s5.2.2 */
		return message_len == ATOMIC_RESPONSE_HEADER &&
		       queue->placed == message_len;
	}
}
