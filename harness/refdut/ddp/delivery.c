/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Delivery: the last segment of a message delivers it to RDMAP (RFC 5041 s5.4),
 * and its queue expects the next MSN (RFC 5041 s4.3).
 */
#include "harness/refdut/ddp/delivery_decisions.h"

RULE(is_last_segment)
{
	return u[0] & L_FLAG;
}

/* DDP does not add up the lengths of segments. */
RULE(send_adds_up)
{
	return true;
}

RULE(message_delivered)
{
	uint32_t message_len = mo_of(u) + len - UNTAGGED_HEADER;

	switch (qn_of(u)) {
	case 0:
		rdmap_deliver_send(c, u, len, message_len);
		break;
	case 1:
		rdmap_deliver_request(c, u, len, message_len);
		break;
	case 2:
		rdmap_deliver_terminate(c, u, len, message_len);
		break;
	default:
		rdmap_deliver_atomic_response(c, u, len, message_len);
	}
}

RULE(msn_counted)
{
	c->queue[qn_of(u)].msn++;
}

RULE(is_rtr_send)
{
	return first && !c->initiator && c->agreed.peer_to_peer &&
	       (c->agreed.rtr & RTR_SEND) && len == UNTAGGED_HEADER &&
	       (u[0] & L_FLAG) && u[1] == (0x40 | OPCODE_SEND) &&
	       qn_of(u) == 0 && mo_of(u) == 0 && msn_of(u) == c->queue[0].msn;
}

/* It uses its MSN and nothing else. */
RULE(rtr_send_taken)
{
	c->queue[0].msn++;
}

/* The ULP at the Data Sink is not notified. */
RULE(write_complete) {}

/* Also if it has no payload: it may be the whole Response. */
RULE(response_segment_counts)
{
	return true;
}
