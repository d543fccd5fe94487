/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of devices that have a path of their own for some kind of message, or
 * for some segments of a message, and lack a check of DDP there (RFC 5041 s4,
 * s7.1).
 */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/ddp/delivery_decisions.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/untagged_decisions.h"
#include "harness/refdut/decision/override.h"

#include <stdlib.h>
#include <string.h>

static bool is_untagged(const uint8_t *u, unsigned opcode)
{
	return !(u[0] & T_FLAG) && opcode_of(u) == opcode;
}

/* Neither the first nor the last of an untagged message. */
static bool is_in_the_middle(const uint8_t *u)
{
	return !(u[0] & (T_FLAG | L_FLAG)) && mo_of(u);
}

/* --- version ----------------------------------------------------------------- */

MUTANT(dv_zero_taken_in_atomic_responses, "DDP-4.1-18",
       "takes DDP version 0 in an Atomic Response", dv_accepted)
{
	return (is_untagged(u, OPCODE_ATOMIC_RESPONSE) && !(u[0] & 3)) ||
	       OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_in_sends_with_se,
       "DDP-4.1-18 DDP-4.1-19 DDP-4.1-20 DDP-4.1-21",
       "takes any DDP version in a Send with SE", dv_accepted)
{
	return is_untagged(u, OPCODE_SEND_SE) || OTHERWISE(dv_accepted);
}

MUTANT(dv_three_taken_in_immediate_data, "DDP-4.1-20",
       "takes DDP version 3 in Immediate Data with SE", dv_accepted)
{
	return (is_untagged(u, OPCODE_IMMEDIATE_SE) && (u[0] & 3) == 3) ||
	       OTHERWISE(dv_accepted);
}

MUTANT(dv_unchecked_in_the_middle,
       "DDP-4.1-18 DDP-4.1-19 DDP-4.1-20 DDP-4.1-21",
       "takes any DDP version in a segment in the middle of a Send",
       dv_accepted)
{
	return is_in_the_middle(u) || OTHERWISE(dv_accepted);
}

MUTANT(reserved_bits_checked_in_atomic_responses, "DDP-4.1-12 RDMAPX-4.1-11",
       "refuses an Atomic Response with a reserved bit set in DDP's control "
       "octet",
       reserved_bits_accepted)
{
	return !(is_untagged(u, OPCODE_ATOMIC_RESPONSE) && u[0] & 0x3c) &&
	       OTHERWISE(reserved_bits_accepted);
}

MUTANT(reserved_bits_checked_in_the_middle, "DDP-4.1-12",
       "refuses a segment in the middle of a Send with a reserved bit set in "
       "DDP's control octet",
       reserved_bits_accepted)
{
	return !(is_in_the_middle(u) && u[0] & 0x3c) &&
	       OTHERWISE(reserved_bits_accepted);
}

/* --- queue and MSN ------------------------------------------------------------ */

/* The segment as if it had this queue and MSN. */
static void taken_as(struct override *self, struct conn *c, const uint8_t *u,
		     uint32_t len, bool first, uint32_t qn, uint32_t msn)
{
	uint8_t *copy = alloc_zeroed(len);

	memcpy(copy, u, len);
	be32_put(copy + 6, qn);
	be32_put(copy + 10, msn);
	untagged_taken_otherwise(self, c, copy, len, first);
	free(copy);
}

MUTANT(qn_unchecked_in_immediate_data, "DDP-7.1-01 DDP-7.1-02",
       "takes Immediate Data on any queue for one on queue 0", untagged_taken)
{
	if (is_immediate(u) && qn_of(u) > 3)
		taken_as(self, c, u, len, first, 0, msn_of(u));
	else
		OTHERWISE(untagged_taken);
}

MUTANT(qn_unchecked_in_atomic_requests, "DDP-7.1-01 DDP-7.1-02",
       "takes an Atomic Request on any queue for one on queue 1",
       untagged_taken)
{
	if (opcode_of(u) == OPCODE_ATOMIC_REQUEST && qn_of(u) > 3)
		taken_as(self, c, u, len, first, 1, msn_of(u));
	else
		OTHERWISE(untagged_taken);
}

MUTANT(qn_unchecked_in_the_middle, "DDP-7.1-01 DDP-7.1-02",
       "takes a segment in the middle of a Send on any queue for one on queue "
       "0",
       untagged_taken)
{
	if (is_in_the_middle(u) && qn_of(u) > 3)
		taken_as(self, c, u, len, first, 0, msn_of(u));
	else
		OTHERWISE(untagged_taken);
}

MUTANT(used_msn_taken_in_sends_with_invalidate, "DDP-7.1-13 DDP-7.1-14",
       "takes the MSN before the one that is due in a Send with SE and "
       "Invalidate",
       untagged_taken)
{
	uint32_t due = c->queue[0].msn;

	if (opcode_of(u) == OPCODE_SEND_SE_INV && msn_of(u) + 1 == due)
		taken_as(self, c, u, len, first, 0, due);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(msn_zero_taken_in_sends_with_se, "DDP-7.1-13",
       "takes MSN 0 for the one that is due in a Send with SE", untagged_taken)
{
	if (opcode_of(u) == OPCODE_SEND_SE && !msn_of(u))
		taken_as(self, c, u, len, first, 0, c->queue[0].msn);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(far_msn_taken_in_atomic_responses, "DDP-7.1-15",
       "takes an MSN beyond any buffer in an Atomic Response", untagged_taken)
{
	if (opcode_of(u) == OPCODE_ATOMIC_RESPONSE && qn_of(u) == 3 &&
	    msn_of(u) - c->queue[3].msn > 0xffff &&
	    msn_of(u) - c->queue[3].msn < 0x80000000)
		taken_as(self, c, u, len, first, 3, c->queue[3].msn);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(msn_of_the_end_taken_in_immediate_data, "DDP-7.1-17",
       "takes Immediate Data with SE whose MSN is just beyond the last buffer",
       untagged_taken)
{
	uint32_t due = c->queue[0].msn;

	if (opcode_of(u) == OPCODE_IMMEDIATE_SE &&
	    msn_of(u) == due + c->nreceives)
		taken_as(self, c, u, len, first, 0, due);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(msn_unchecked_in_the_middle,
       "DDP-7.1-13 DDP-7.1-14 DDP-7.1-15 DDP-7.1-17 DDP-7.2-09",
       "takes any MSN in a segment in the middle of a Send", untagged_taken)
{
	if (is_in_the_middle(u) && qn_of(u) == 0)
		taken_as(self, c, u, len, first, 0, c->queue[0].msn);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(msn_of_immediate_data_skips_zero, "DDP-4.3-10",
       "expects MSN 1 after Immediate Data with MSN ffffffff", msn_counted)
{
	OTHERWISE(msn_counted);
	if (is_immediate(u) && !c->queue[0].msn)
		c->queue[0].msn = 1;
}

MUTANT(msn_of_requests_skips_zero, "DDP-4.3-10",
       "expects MSN 1 after a Read or Atomic Request with MSN ffffffff",
       msn_counted)
{
	OTHERWISE(msn_counted);
	if (qn_of(u) == 1 && !c->queue[1].msn)
		c->queue[1].msn = 1;
}

MUTANT(atomic_request_with_msn_zero_refused, "DDP-4.3-10",
       "refuses an Atomic Request with MSN 0 behind MSN ffffffff",
       untagged_taken)
{
	if (opcode_of(u) == OPCODE_ATOMIC_REQUEST && !msn_of(u) &&
	    !c->queue[1].msn)
		taken_as(self, c, u, len, first, 1, UINT32_MAX);
	else
		OTHERWISE(untagged_taken);
}

MUTANT(msn_of_atomic_responses_skips_zero, "DDP-4.3-10",
       "expects MSN 1 after an Atomic Response with MSN ffffffff", msn_counted)
{
	OTHERWISE(msn_counted);
	if (qn_of(u) == 3 && !c->queue[3].msn)
		c->queue[3].msn = 1;
}

/* --- MO and length ------------------------------------------------------------ */

/* What lies outside is not placed: no fault overwrites other memory. */
static enum untagged_error unless(bool overlooked, enum untagged_error error)
{
	return overlooked && (error == INVALID_MO || error == MESSAGE_TOO_LONG)
		       ? UNTAGGED_FINE
		       : error;
}

MUTANT(mo_unchecked_in_sends_with_invalidate,
       "DDP-7.1-07 DDP-7.1-08 DDP-7.1-11",
       "takes any MO in a Send with Invalidate", untagged_range_flaw)
{
	enum untagged_error error = OTHERWISE(untagged_range_flaw);

	return unless(opcode_of(u) == OPCODE_SEND_INV && error == INVALID_MO,
		      error);
}

MUTANT(mo_in_31_bits_in_atomic_requests, "DDP-7.1-07 RDMAPX-5.2.1-26",
       "overlooks the highest bit of MO in an Atomic Request", untagged_taken)
{
	uint8_t *copy;

	if (opcode_of(u) != OPCODE_ATOMIC_REQUEST || mo_of(u) != 0x80000000) {
		OTHERWISE(untagged_taken);
		return;
	}
	copy = alloc_zeroed(len);
	memcpy(copy, u, len);
	be32_put(copy + 14, 0);
	untagged_taken_otherwise(self, c, copy, len, first);
	free(copy);
}

MUTANT(range_unchecked_in_the_middle,
       "DDP-7.1-07 DDP-7.1-08 DDP-7.1-09 DDP-7.1-10 DDP-7.1-11 DDP-7.1-33 "
       "DDP-7.2-10 DDP-7.2-11 DDP-5.2-17",
       "takes a segment in the middle of a Send at any place",
       untagged_range_flaw)
{
	return unless(is_in_the_middle(u), OTHERWISE(untagged_range_flaw));
}

MUTANT(length_unchecked_in_the_last_of_sends_with_se,
       "DDP-7.1-09 DDP-7.1-10 DDP-7.1-33 DDP-5.2-17",
       "takes a last segment of any length in a Send with SE and Invalidate",
       untagged_range_flaw)
{
	enum untagged_error error = OTHERWISE(untagged_range_flaw);

	return unless(opcode_of(u) == OPCODE_SEND_SE_INV && (u[0] & L_FLAG) &&
			      mo_of(u) && error == MESSAGE_TOO_LONG,
		      error);
}

MUTANT(full_buffer_refused_in_sends_with_invalidate, "DDP-7.1-12",
       "refuses a Send with Invalidate that fills its buffer exactly",
       untagged_range_flaw)
{
	if (opcode_of(u) == OPCODE_SEND_INV && mo_of(u) + n == size && n)
		return MESSAGE_TOO_LONG;
	return OTHERWISE(untagged_range_flaw);
}

MUTANT(mo_ignored_in_sends_with_se, "DDP-5.2-16 DDP-4.3-13",
       "places the segments of a Send with SE one behind the other, whatever "
       "their MO is",
       untagged_placed)
{
	if (qn == 0 && opcode_of(u) == OPCODE_SEND_SE)
		mo = c->queue[0].placed;
	return OTHERWISE(untagged_placed);
}

/* --- the end of a message, and headers that are cut off ------------------------ */

MUTANT(l_unchecked_in_immediate_data, "DDP-4.1-09",
       "delivers Immediate Data with SE with its first segment, L or not",
       is_last_segment)
{
	return opcode_of(u) == OPCODE_IMMEDIATE_SE ||
	       OTHERWISE(is_last_segment);
}

MUTANT(unfinished_send_delivered_at_fin, "DDP-4.1-09 DDP-5.4-01",
       "delivers what has come of a Send with SE and Invalidate when the peer "
       "closes",
       peer_fin_counts)
{
	struct untagged *queue = &c->queue[0];

	if (queue->open && opcode_of(queue->first) == OPCODE_SEND_SE_INV &&
	    c->receives)
		receive_complete(c, OP_RECV, STATUS_OK, queue->placed);
	return OTHERWISE(peer_fin_counts);
}

MUTANT(short_header_taken_in_sends_with_se, "DDP-4.4-02 DDP-6.2.2-02",
       "takes 17 octets of header in a Send with SE", segment_in_turn)
{
	uint8_t whole[UNTAGGED_HEADER] = {0};

	if (len != UNTAGGED_HEADER - 1 || !is_untagged(u, OPCODE_SEND_SE)) {
		OTHERWISE(segment_in_turn);
		return;
	}
	memcpy(whole, u, len);
	segment_in_turn_otherwise(self, c, whole, sizeof(whole));
}

MUTANT(header_of_13_octets_taken, "DDP-4.4-01 DDP-6.2.2-02",
       "takes a Send whose header ends after 13 octets for the one that is due",
       segment_in_turn)
{
	uint8_t whole[UNTAGGED_HEADER] = {0};

	if (len != 13 || !is_untagged(u, OPCODE_SEND)) {
		OTHERWISE(segment_in_turn);
		return;
	}
	memcpy(whole, u, len);
	whole[len] = (uint8_t)c->queue[0].msn;
	segment_in_turn_otherwise(self, c, whole, sizeof(whole));
}

MUTANT(short_middle_ignored, "DDP-4.4-02 DDP-6.2.2-02",
       "ignores a segment of fewer than 18 octets in the middle of a Send",
       too_short)
{
	if (!c->queue[0].open)
		OTHERWISE(too_short);
}

MUTANT(unexpected_send_with_se_dropped, "DDP-7.1-04 DDP-7.1-05",
       "drops a Send with SE without a receive buffer, and continues",
       untagged_refused)
{
	if (error == NO_BUFFER && opcode_of(u) == OPCODE_SEND_SE)
		msn_counted(c, u, false);
	else
		OTHERWISE(untagged_refused);
}
