/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults at the end of a message (RFC 5041 s5.4). */
#include "harness/refdut/ddp/delivery_decisions.h"
#include "harness/refdut/ddp/segment_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/memory/memory.h"
#include "harness/refdut/rdmap/fields.h"

#include <string.h>

/* Which segment is the last */

MUTANT(delivered_without_last_flag,
       "DDP-4.1-09 DDP-4.1-08 DDP-4.3-03 RDMAP-5.2.1-15",
       "delivers a Send with its first segment", is_last_segment)
{
	return !(u[0] & T_FLAG) || OTHERWISE(is_last_segment);
}

MUTANT(read_completes_on_first_segment, "RDMAP-5.5-15 RDMAP-5.2.2-03",
       "completes a Read with the first segment of its Response",
       is_last_segment)
{
	return (u[0] & T_FLAG) || OTHERWISE(is_last_segment);
}

MUTANT(read_completes_without_last_flag, "DDP-4.1-09 RDMAP-5.5-15",
       "completes a Read once all octets of its Response are there, whatever "
       "the L flag is",
       is_last_segment)
{
	const struct work *read = work_awaited(c);
	bool whole = (u[0] & T_FLAG) && read && read->op == OP_READ &&
		     read->placed == read->len;

	return whole || OTHERWISE(is_last_segment);
}

/* MSNs */

MUTANT(atomic_keeps_msn, "RDMAPX-5.2-02",
       "does not count Atomic Requests in the MSN of queue 1", msn_counted)
{
	if (opcode_of(u) != OPCODE_ATOMIC_REQUEST)
		OTHERWISE(msn_counted);
}

MUTANT(rx_imm_keeps_msn, "RDMAPX-6.3-13",
       "does not count Immediate Data in the MSN of queue 0", msn_counted)
{
	if (!is_immediate(u))
		OTHERWISE(msn_counted);
}

MUTANT(rtr_read_keeps_msn, "EMPA-9.2-20",
       "does not count a Read RTR in the MSN of queue 1", msn_counted)
{
	if (!first || qn_of(u) != 1 || !c->agreed.peer_to_peer)
		OTHERWISE(msn_counted);
}

MUTANT(rx_msn_shared_by_queues, "DDP-4.3-07",
       "counts Sends in the MSN of queue 1, too", msn_counted)
{
	OTHERWISE(msn_counted);
	if (qn_of(u) == 0)
		c->queue[1].msn++;
}

/* The ready-to-receive indication */

MUTANT(later_empty_send_is_rtr, "RDMAP-5.3-02",
       "takes every empty Send for the Send RTR that was agreed on",
       is_rtr_send)
{
	return is_rtr_send_otherwise(self, c, u, len, true);
}

MUTANT(rtr_send_keeps_msn, "EMPA-9.2-21",
       "does not count a Send RTR in the MSN of queue 0", rtr_send_taken)
{
}

MUTANT(rtr_send_refused, "EMPA-9.2-19",
       "refuses the Send that was agreed on as RTR", rtr_send_taken)
{
	operation_refused(c, UNEXPECTED_OPCODE, u, len);
	OTHERWISE(rtr_send_taken);
}

static bool is_rtr_read(const struct conn *c, const uint8_t *u, bool first)
{
	return first && qn_of(u) == 1 && !c->initiator &&
	       c->agreed.peer_to_peer;
}

MUTANT(rtr_read_unanswered, "EMPA-9.2-18",
       "does not answer the Read that is the RTR", message_delivered)
{
	if (!is_rtr_read(c, u, first))
		OTHERWISE(message_delivered);
}

MUTANT(rtr_read_source_checked, "RDMAP-5.2.1-12",
       "refuses a Read RTR whose source STag is unknown", message_delivered)
{
	const uint8_t *header = c->queue[1].own;
	uint32_t stag = read_source_stag(header);

	if (is_rtr_read(c, u, first) && stag && !region_of_stag(stag))
		fault(c, ERR_RDMA_PROTECTION, INVALID_STAG, u, len, header);
	else
		OTHERWISE(message_delivered);
}

MUTANT(rtr_read_counted_as_sent, "DDP-4.3-05",
       "counts a Read RTR of the peer in its own MSN of queue 1",
       message_delivered)
{
	if (is_rtr_read(c, u, first))
		c->tx_msn[1]++;
	OTHERWISE(message_delivered);
}

MUTANT(send_before_rtr_response_refused, "RDMAP-5.3-02",
       "refuses a Send that comes before the Response to its own Read RTR",
       message_delivered)
{
	const struct work *work = work_awaited(c);

	if (qn_of(u) == 0 && work && work->silent && !work->local)
		operation_refused(c, UNEXPECTED_OPCODE, u, len);
	else
		OTHERWISE(message_delivered);
}

/* Messages on wrong queues: they are accepted, but have no effect */

MUTANT(send_on_wrong_queue_dropped, "RDMAP-4.1-34 RDMAP-4.1-35",
       "drops a Send on a queue other than 0", message_delivered)
{
	if (qn_of(u) == 0 || opcode_of(u) != OPCODE_SEND)
		OTHERWISE(message_delivered);
}

MUTANT(read_on_wrong_queue_dropped, "RDMAP-4.1-36 RDMAP-4.1-39",
       "drops a Read Request on a queue other than 1", message_delivered)
{
	if (qn_of(u) == 1 || opcode_of(u) != OPCODE_READ_REQUEST)
		OTHERWISE(message_delivered);
}

MUTANT(terminate_on_wrong_queue_dropped, "RDMAP-4.1-37 RDMAP-4.1-38",
       "drops a Terminate on a queue other than 2", message_delivered)
{
	if (qn_of(u) == 2 || opcode_of(u) != OPCODE_TERMINATE)
		OTHERWISE(message_delivered);
}

/* Tagged messages */

MUTANT(write_uses_receive, "RDMAP-5.1-02 RDMAP-5.1-10 DDP-4.1-01 DDP-4.1-02",
       "completes a receive for every Write", write_complete)
{
	if (c->receives)
		receive_complete(c, OP_RECV, STATUS_OK, 0);
}

MUTANT(empty_response_dropped, "RDMAP-5.2.2-03 RDMAP-5.2.2-09",
       "drops a Read Response without a payload", response_segment_counts)
{
	return n && OTHERWISE(response_segment_counts);
}

/* As if L were set. */
MUTANT(empty_segment_ends_a_send, "DDP-5.4-01",
       "delivers a Send at an empty segment behind its first, although L=0",
       untagged_taken)
{
	uint8_t copy[UNTAGGED_HEADER];

	if (len != UNTAGGED_HEADER || qn_of(u) || !mo_of(u)) {
		OTHERWISE(untagged_taken);
		return;
	}
	memcpy(copy, u, sizeof(copy));
	copy[0] |= L_FLAG;
	untagged_taken_otherwise(self, c, copy, len, first);
}
