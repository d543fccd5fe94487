/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Placement: the payload of a segment that passed all checks goes to its
 * buffer, by STag and TO (RFC 5041 s4.2) or by QN, MSN and MO (RFC 5041 s4.3).
 *
 * Where the RFCs leave a choice:
 * - a payload is placed only after all checks have passed, so a refused segment
 *   leaves no trace;
 * - it is placed when it arrives;
 * - Immediate Data consumes a receive, but its octets go to the completion.
 */
#include "harness/refdut/ddp/placement_decisions.h"

#include "harness/refdut/control.h"

#include <string.h>

RULE(tagged_placed)
{
	if (n && !control_places_nothing())
		memcpy(region_at(region, to), u + TAGGED_HEADER, n);
}

/* Nothing waits: each segment is placed when it arrives. */
RULE(all_placed) {}

void writes_place(void)
{
	all_placed(NULL, 0);
}

static void copy_within(uint8_t *to, uint64_t size, uint64_t mo,
			const uint8_t *from, uint64_t n)
{
	if (mo < size)
		memcpy(to + mo, from, (size_t)(n < size - mo ? n : size - mo));
}

RULE(untagged_placed)
{
	const uint8_t *payload = u + UNTAGGED_HEADER;
	uint8_t *to;

	if (qn) {
		copy_within(c->queue[qn].own, OWN_BUFFER, mo, payload, n);
		return true;
	}
	if (control_places_nothing())
		return true;
	if (is_immediate(u)) {
		copy_within(c->imm, IMMEDIATE_SIZE, mo, payload, n);
		return true;
	}
	to = receive_octets(c, c->receives);
	if (!to) {
		receive_complete(c, OP_RECV, STATUS_LOCAL_ERROR, 0);
		fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
		return false;
	}
	copy_within(to, c->receives->len, mo, payload, n);
	return true;
}
