/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Incoming DDP segments: from the header of a segment to the end of its
 * message.
 *
 * Where the RFCs leave a choice:
 * - the order of checks is DV, then DDP's own checks (tagged_checks.c,
 *   untagged_checks.c), then RDMAP's version and opcode, then access rights;
 * - a segment too short for its header has no error number of its own: it is a
 *   "local catastrophic" error of DDP, without headers.
 */
#include "harness/refdut/ddp/ddp_rx.h"

#include "harness/refdut/control.h"
#include "harness/refdut/ddp/delivery_decisions.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/tagged_decisions.h"
#include "harness/refdut/ddp/untagged_decisions.h"

#include <string.h>

/* RFC 5041 s4.1: this is version 1. */
RULE(dv_accepted)
{
	return (u[0] & 3) == 1;
}

/* RFC 5041 s4.1: they are ignored on reception. */
RULE(reserved_bits_accepted)
{
	return true;
}

RULE(too_short)
{
	fault(c, ERR_DDP_CATASTROPHIC, 0, NULL, 0, NULL);
}

/* DDP checks first. */
RULE(rdmap_takes_it_first)
{
	return true;
}

/* Is a Write or Read Response legal at this point, according to RDMAP's rules
 * and the rights of its buffer? */
static bool tagged_message_checked(struct conn *c, const uint8_t *u,
				   uint32_t len, const struct region *region,
				   struct work **read)
{
	*read = NULL;
	if (!interleaving_accepted(c, u))
		return operation_refused(c, UNSPECIFIED, u, len);
	if (region && !access_checked(c, u, len, region))
		return false;
	if (opcode_of(u) == OPCODE_WRITE)
		return write_goes_on(c, u, len);
	return opcode_of(u) != OPCODE_READ_RESPONSE ||
	       response_checked(c, u, len, read);
}

/* RFC 5041 s5.1.1, the tagged buffer model. */
static void tagged(struct conn *c, const uint8_t *u, uint32_t len)
{
	uint32_t n = len - TAGGED_HEADER;
	bool last = u[0] & L_FLAG;
	struct region *region;
	struct work *read;

	if (!tagged_checked(c, u, len, &region) || !rdmap_admit(c, u, len) ||
	    !tagged_message_checked(c, u, len, region, &read))
		return;
	tagged_placed(c, u, region, to_of(u), n);
	c->tagged_open = !last;
	if (last && opcode_of(u) == OPCODE_WRITE)
		write_complete(c);
	if (!read || !response_segment_counts(read, n))
		return;
	read->placed += n;
	if (is_last_segment(c, u))
		rdmap_deliver_read_response(c, u, len);
}

/* RFC 5041 s5.1.2, the untagged buffer model. */
RULE(untagged_taken)
{
	uint32_t n = len - UNTAGGED_HEADER;
	struct untagged *queue;

	if (!untagged_checked(c, u, len, first) || !rdmap_admit(c, u, len))
		return;
	queue = &c->queue[qn_of(u)];
	if (!queue->open)
		memcpy(queue->first, u, UNTAGGED_HEADER);
	if (!interleaving_accepted(c, u) || !segments_agree(c, u, len)) {
		operation_refused(c, UNSPECIFIED, u, len);
		return;
	}
	if (!untagged_placed(c, qn_of(u), u, mo_of(u), n))
		return;
	queue->open = true;
	queue->placed += n;
	if (!is_last_segment(c, u))
		return;
	if (!send_adds_up(c, u, len)) {
		operation_refused(c, UNSPECIFIED, u, len);
		return;
	}
	message_delivered(c, u, len, first);
	queue->open = false;
	queue->placed = 0;
	msn_counted(c, u, first);
}

/* An error of DV is reported in the buffer model of the segment (RFC 5041
 * s7.2). */
static void dv_refused(struct conn *c, const uint8_t *u, uint32_t len)
{
	if (u[0] & T_FLAG)
		fault(c, ERR_DDP_TAGGED, TAGGED_INVALID_DV, u, len, NULL);
	else
		fault(c, ERR_DDP_UNTAGGED, INVALID_DV, u, len, NULL);
}

RULE(segment_in_turn)
{
	bool is_tagged = len && (u[0] & T_FLAG);
	bool first = !c->first_seen;

	c->first_seen = true;
	all_placed(u, len);
	if (len < (is_tagged ? TAGGED_HEADER : UNTAGGED_HEADER)) {
		too_short(c, len);
		return;
	}
	if (control_segment(c, u, len, first))
		return;
	if (!dv_accepted(u, len) || !reserved_bits_accepted(u)) {
		dv_refused(c, u, len);
		return;
	}
	if (!rdmap_takes_it_first(c, u, len))
		return;
	if (is_tagged)
		tagged(c, u, len);
	else if (is_rtr_send(c, u, len, first))
		rtr_send_taken(c, u, len);
	else
		untagged_taken(c, u, len, first);
}

/* Segments arrive in order, and are processed in order. */
void ddp_receive(struct conn *c, const uint8_t *u, uint32_t len)
{
	segment_in_turn(c, u, len);
}
