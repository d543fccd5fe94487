/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in the checks of untagged segments (RFC 5041 s7.1). */
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/ddp/untagged_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/faults/overlooked.h"

/* QN */

MUTANT(unknown_queue_dropped,
       "DDP-7.1-01 DDP-7.1-02 DDP-7.2-07 IANA-7306-10.2-01 RDMAP-4.1-30 "
       "RDMAP-7.2-01",
       "drops segments on queues that do not exist", untagged_refused)
{
	if (error != INVALID_QN)
		OTHERWISE(untagged_refused);
}

MUTANT(empty_send_to_no_queue_delivered, "RDMAP-7.2-18",
       "delivers an empty Send whatever its queue is", untagged_refused)
{
	if (len == UNTAGGED_HEADER && qn_of(u) >= QUEUES && c->receives &&
	    opcode_of(u) == OPCODE_SEND)
		rdmap_deliver_send(c, u, len, 0);
	else
		OTHERWISE(untagged_refused);
}

/* Buffers */

MUTANT(empty_receive_takes_nothing, "RDMAP-5.3-12",
       "does not accept a zero-length Send for a receive buffer of length zero",
       untagged_range_flaw)
{
	if (!n && !size && opcode_of(u) == OPCODE_SEND)
		return MESSAGE_TOO_LONG;
	return OTHERWISE(untagged_range_flaw);
}

/* MSN */

MUTANT(rx_msn_wrap_skips_zero, "DDP-4.3-10", "expects MSN 1 after ffffffff",
       msn_is_due)
{
	return c->queue[qn].msn ? OTHERWISE(msn_is_due) : msn == 1;
}

MUTANT(rx_repeated_msn_taken, "DDP-7.1-14 DDP-7.1-39 DDP-7.2-09",
       "accepts a message with the MSN of the one before", msn_is_due)
{
	if (msn == c->queue[qn].msn - 1 && msn != c->params.first_msn - 1)
		return true;
	return OTHERWISE(msn_is_due);
}

MUTANT(skipped_msn_delivered, "DDP-5.4-01",
       "delivers a message at once although its MSN is ahead", msn_is_due)
{
	return msn_is_ahead(c, qn, msn) || OTHERWISE(msn_is_due);
}

MUTANT(rx_msn_unchecked,
       "DDP-7.1-13 DDP-7.1-15 RDMAPX-5.2.2-08 RDMAPX-8.2-01 RDMAPX-8.2-02 "
       "DDP-7.1-17 DDP-5.4-01",
       "accepts any MSN", msn_is_due)
{
	return true;
}

MUTANT(rx_terminate_msn_unchecked, "DDP-5.4-01",
       "delivers a Terminate whatever its MSN is", msn_is_due)
{
	return qn == 2 || OTHERWISE(msn_is_due);
}

MUTANT(rx_first_msn_dropped, "DDP-4.3-11",
       "treats MSN 1 on queue 0 as one that it has seen, and drops it",
       untagged_taken)
{
	if (qn_of(u) == 0 && msn_of(u) == c->params.first_msn &&
	    c->queue[0].msn == c->params.first_msn)
		c->queue[0].msn += (u[0] & L_FLAG) != 0;
	else
		OTHERWISE(untagged_taken);
}

/* Buffers */

MUTANT(send_without_buffer_dropped, "DDP-7.1-04 DDP-7.1-05 DDP-7.2-08",
       "drops a Send for which no buffer is posted", untagged_refused)
{
	if (error == NO_BUFFER && qn_of(u) == 0)
		c->queue[0].msn++;
	else
		OTHERWISE(untagged_refused);
}

MUTANT(ird_one_short, "RDMAP-5.2.2-02 RDMAP-6.1-05",
       "has one buffer fewer for Read Requests than its IRD", buffer_posted)
{
	bool rtr = first && c->agreed.peer_to_peer;

	if (qn == 1 && c->inbound + 1 >= c->agreed.ird && !rtr)
		return false;
	return OTHERWISE(buffer_posted);
}

MUTANT(ird_one_short_for_both, "RDMAP-6.1-05",
       "has one buffer fewer than its IRD while both Reads and atomics of the "
       "peer wait",
       buffer_posted)
{
	unsigned kinds = 0;

	for (const struct request *r = c->requests; r; r = r->next)
		kinds |= r->atomic ? 1 : 2;
	if (qn == 1 && kinds == 3 && c->inbound + 1 >= c->agreed.ird)
		return false;
	return OTHERWISE(buffer_posted);
}

MUTANT(request_room_shared, "RDMAP-8.1.2-01",
       "keeps the Requests of all streams in one queue", buffer_posted)
{
	if (qn == 1 && requests_inbound >= c->agreed.ird)
		return false;
	return OTHERWISE(buffer_posted);
}

MUTANT(terminate_shares_request_buffers, "RDMAP-5.4-03",
       "accepts a Terminate only while it could accept a Read Request",
       buffer_posted)
{
	return qn == 2 ? c->inbound < c->agreed.ird : OTHERWISE(buffer_posted);
}

MUTANT(unasked_atomic_response_dropped, "RDMAPX-5.2.2-07",
       "drops an Atomic Response that it did not ask for", buffer_posted)
{
	return qn == 3 || OTHERWISE(buffer_posted);
}

MUTANT(read_has_a_buffer_for_an_atomic, "RDMAPX-5.2.2-07",
       "drops an Atomic Response that it did not ask for if an answer of "
       "another kind is due",
       buffer_posted)
{
	const struct work *work = c->work;

	while (work && work != c->unsent &&
	       !(work->op == OP_READ && work->begun && !work->answered))
		work = work->next;
	return (qn == 3 && work && work != c->unsent) ||
	       OTHERWISE(buffer_posted);
}

MUTANT(full_buffer_told_as_none, "DDP-7.1-08",
       "reports that there is no buffer if a segment follows the one that "
       "filled the buffer",
       untagged_error_code)
{
	if (error == INVALID_MO && mo_of(u) == c->queue[qn_of(u)].placed)
		return NO_BUFFER;
	return OTHERWISE(untagged_error_code);
}

/* MO and length */

MUTANT(mo_beyond_buffer_ignored,
       "DDP-7.1-07 DDP-7.1-08 RDMAPX-8.2-02 DDP-7.2-10",
       "accepts a segment that begins at the end of its buffer or beyond",
       mo_flaw)
{
	if (mo > size || (mo == size && n))
		return UNTAGGED_FINE;
	return OTHERWISE(mo_flaw);
}

MUTANT(message_limit_one_too_far, "DDP-7.1-09 DDP-7.1-10",
       "accepts one octet more than its buffer has", mo_flaw)
{
	return mo + n == size + 1 ? UNTAGGED_FINE : OTHERWISE(mo_flaw);
}

MUTANT(size_of_the_first_receive_kept, "DDP-7.1-09 DDP-7.1-12",
       "takes all receive buffers of a stream to be as long as the first",
       buffer_size)
{
	uint64_t *size = remember(&((struct conn *)(uintptr_t)c)->remembered,
				  self, sizeof(*size));

	if (qn_of(u))
		return OTHERWISE(buffer_size);
	if (!*size)
		*size = OTHERWISE(buffer_size);
	return *size;
}

MUTANT(mo_added_in_32_bits, "DDP-7.1-11", "adds MO and length in 32 bits",
       mo_flaw)
{
	return (uint32_t)(mo + n) > size ? MESSAGE_TOO_LONG : UNTAGGED_FINE;
}

MUTANT(message_exact_fit_refused, "DDP-7.1-12 RDMAP-5.3-02",
       "refuses a Send that exactly fills its buffer", untagged_range_flaw)
{
	if (qn_of(u) == 0 && n && mo_of(u) + n == size)
		return MESSAGE_TOO_LONG;
	return OTHERWISE(untagged_range_flaw);
}

MUTANT(send_cut_to_buffer, "DDP-7.1-09 RDMAP-5.3-04 DDP-7.1-10 DDP-7.2-11",
       "cuts a Send that is too long and completes it", untagged_range_flaw)
{
	enum untagged_error error = OTHERWISE(untagged_range_flaw);

	if (error == MESSAGE_TOO_LONG && qn_of(u) == 0)
		return UNTAGGED_FINE;
	return error;
}

MUTANT(out_of_range_placed_first, "DDP-7.1-13 DDP-7.1-15",
       "places a Send whose MSN is out of range in the next receive buffer, "
       "and then refuses it",
       untagged_refused)
{
	const struct receive *receive = c->receives;
	bool has_buffer = qn_of(u) == 0 && receive && receive->local;

	if (error == MSN_OUT_OF_RANGE && has_buffer)
		place_what_fits(receive->local,
				receive->local->to + receive->off + mo_of(u),
				u + UNTAGGED_HEADER, len - UNTAGGED_HEADER);
	OTHERWISE(untagged_refused);
}

MUTANT(overrun_placed_first, "DDP-7.1-33 DDP-7.1-09 DDP-7.1-10 DDP-7.2-11",
       "places the octets that overrun its receive buffer, and then refuses "
       "the segment",
       untagged_refused)
{
	const struct receive *receive = c->receives;

	if (error == MESSAGE_TOO_LONG && qn_of(u) == 0 && receive->local)
		place_what_fits(receive->local,
				receive->local->to + receive->off + mo_of(u),
				u + UNTAGGED_HEADER, len - UNTAGGED_HEADER);
	OTHERWISE(untagged_refused);
}

/* As if it were zero. */
MUTANT(request_mo_ignored, "RDMAPX-8.2-01 RDMAP-5.2.1-14",
       "accepts a Request whatever its MO is", untagged_taken)
{
	uint8_t copy[UNTAGGED_HEADER + OWN_BUFFER];

	if (qn_of(u) != 1) {
		OTHERWISE(untagged_taken);
		return;
	}
	if (len > sizeof(copy))
		len = sizeof(copy);
	memcpy(copy, u, len);
	be32_put(copy + 14, 0);
	untagged_taken_otherwise(self, c, copy, len, first);
}
