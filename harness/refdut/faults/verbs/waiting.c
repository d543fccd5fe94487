/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of work that has to wait, at a fence, for a slot of the ORD or for
 * Full Operation (RFC 5040 s5.5, s6.1, RFC 5044 s7.1.2, RFC 7306 s5.2): what is
 * sent in the end is not what was posted.
 */
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/verbs/work_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

enum { WORD = 8 };

/* The work request of the ULP, in which a fault changes a field. */
static struct work *in_queue(const struct work *work)
{
	return (struct work *)work;
}

/* At a fence (RFC 5040 s5.5) */

MUTANT(fenced_send_sent_plain,
       "RDMAP-4.1-25 RDMAP-4.1-26 RDMAP-4.1-27 RDMAP-1.2-01",
       "sends any Send that has waited at a fence as a plain Send",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_SEND)
		in_queue(work)->se = in_queue(work)->has_inv = false;
	return waits;
}

MUTANT(fenced_invalidate_stag_lost, "RDMAP-4.1-20 RDMAP-5.3-13",
       "sends a Send with Invalidate that has waited at a fence with STag 0",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits)
		in_queue(work)->inv = 0;
	return waits;
}

MUTANT(fenced_immediate_without_event, "RDMAPX-4.1-02 RDMAPX-4.1-06",
       "sends Immediate Data with Solicited Event that has waited at a fence "
       "as Immediate Data",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_IMM)
		in_queue(work)->se = false;
	return waits;
}

MUTANT(fenced_write_rounded_down, "DDP-5.2-07",
       "sends a Write that has waited at a fence to the multiple of eight "
       "below its TO",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_WRITE)
		in_queue(work)->rto -= work->rto % WORD;
	return waits;
}

MUTANT(fenced_read_rounded_up, "RDMAP-4.4-01",
       "asks for a multiple of eight octets in a Read that has waited at a "
       "fence",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_READ)
		in_queue(work)->len += -work->len % WORD;
	return waits;
}

MUTANT(fenced_fetchadd_without_mask, "RDMAPX-5.2.1-01",
       "sends a FetchAdd that has waited at a fence with Add Mask 0",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_FETCHADD)
		in_queue(work)->mask = 0;
	return waits;
}

MUTANT(fenced_send_with_event, "RDMAP-4.1-24 RDMAP-1.2-01",
       "sends a plain Send that has waited at a fence with Solicited Event",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_SEND && !work->has_inv)
		in_queue(work)->se = true;
	return waits;
}

MUTANT(fenced_write_of_zeros, "DDP-5.2-03",
       "sends zeros for the octets of a Write that has waited at a fence",
       waits_at_a_fence)
{
	bool waits = OTHERWISE(waits_at_a_fence);

	if (waits && work->op == OP_WRITE && work->octets)
		memset(in_queue(work)->octets, 0, work->len);
	return waits;
}

/* For a slot (RFC 5040 s6.1, RFC 7306 s5.2) */

MUTANT(cmpswap_without_a_slot_compares_all, "RDMAPX-5.2.1-30",
       "sends a CmpSwap that has waited for a slot of its ORD with Compare "
       "Mask "
       "all ones",
       outbound_room)
{
	bool room = OTHERWISE(outbound_room);

	if (!room && work->op == OP_CMPSWAP)
		in_queue(work)->compare_mask = UINT64_MAX;
	return room;
}

MUTANT(read_without_a_slot_rounded_down, "RDMAP-4.4-01",
       "reads from the multiple of eight below the source TO in a Read that "
       "has "
       "waited for a slot of its ORD",
       outbound_room)
{
	bool room = OTHERWISE(outbound_room);

	if (!room && work->op == OP_READ)
		in_queue(work)->rto -= work->rto % WORD;
	return room;
}

MUTANT(event_lost_behind_work_that_waits,
       "RDMAP-4.1-26 RDMAP-4.1-27 RDMAPX-4.1-02 RDMAPX-4.1-06",
       "forgets the Solicited Event of what waits behind a Read or atomic that "
       "waits for a slot of its ORD",
       outbound_room)
{
	bool room = OTHERWISE(outbound_room);

	for (struct work *behind = work->next; behind && !room;
	     behind = behind->next)
		behind->se = false;
	return room;
}

MUTANT(early_reads_up_to_own_ord, "RDMAP-6.1-02 EMPA-9.1-11 EMPA-9.1-12",
       "issues as many of the Reads posted before the Reply as its own ORD "
       "allows, whatever the responder's IRD is",
       work_queued)
{
	uint32_t *early = remember(&c->remembered, self, sizeof(*early));

	*early += !c->released && work_needs_answer(work);
	OTHERWISE(work_queued);
}

ALSO(early_reads_up_to_own_ord, outbound_room)
{
	uint32_t *early = remember(&c->remembered, self, sizeof(*early));
	bool room = OTHERWISE(outbound_room) ||
		    (*early && c->outstanding < c->params.ord);

	*early -= room && *early;
	return room;
}

MUTANT(request_ird_zero_ignored, "RDMAP-6.1-02",
       "issues a Read as responder to an initiator with IRD 0", outbound_depth)
{
	return !c->initiator && c->agreed.ord == 0 ? c->params.ord
						   : OTHERWISE(outbound_depth);
}

/* For Full Operation (RFC 5044 s7.1.2) */

MUTANT(early_invalidate_sent_plain, "RDMAP-4.1-25 RDMAP-4.1-27 RDMAP-1.2-01",
       "sends a Send with Invalidate that was posted before Full Operation "
       "without Invalidate",
       work_queued)
{
	work->has_inv &= c->released;
	OTHERWISE(work_queued);
}

MUTANT(early_immediate_of_zeros, "RDMAPX-6.2-01",
       "sends eight zeros as Immediate Data that was posted before Full "
       "Operation",
       work_queued)
{
	for (int i = 0; i < IMMEDIATE_SIZE && !c->released; i++)
		work->imm[i] = 0;
	OTHERWISE(work_queued);
}

MUTANT(early_write_of_32_bits, "DDP-5.2-07",
       "sends a Write that was posted before Full Operation to the low 32 bits "
       "of its TO",
       work_queued)
{
	if (!c->released && work->op == OP_WRITE)
		work->rto = (uint32_t)work->rto;
	OTHERWISE(work_queued);
}

MUTANT(early_read_of_32_bits, "RDMAP-4.4-01",
       "reads from the low 32 bits of the source TO in a Read that was posted "
       "before Full Operation",
       work_queued)
{
	if (!c->released && work->op == OP_READ)
		work->rto = (uint32_t)work->rto;
	OTHERWISE(work_queued);
}

MUTANT(early_cmpswap_without_masks, "RDMAPX-5.2.1-30",
       "sends a CmpSwap that was posted before Full Operation with masks of "
       "all "
       "ones",
       work_queued)
{
	if (!c->released && work->op == OP_CMPSWAP)
		work->mask = work->compare_mask = UINT64_MAX;
	OTHERWISE(work_queued);
}

/* Two messages that were posted as one request: the second waits for the
 * first. */

MUTANT(write_of_a_pair_rounded_down, "DDP-5.2-07",
       "sends the Write of a Write with Immediate Data to the multiple of "
       "eight below its TO",
       work_queued)
{
	if (work->op == OP_WRITE && work->paired)
		work->rto -= work->rto % WORD;
	OTHERWISE(work_queued);
}

MUTANT(immediate_of_a_pair_of_zeros, "RDMAPX-6.2-01",
       "sends eight zeros as the Immediate Data of a Write with Immediate Data",
       work_queued)
{
	bool *paired = remember(&c->remembered, self, sizeof(*paired));

	if (work->op == OP_IMM && *paired)
		memset(work->imm, 0, sizeof(work->imm));
	*paired = work->paired;
	OTHERWISE(work_queued);
}
