/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults where a stream ends (RFC 5040 s6.2, RFC 5041 s6.2, RFC 5044 s7.2). */
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/ddp/ddp_rx.h"
#include "harness/refdut/ddp/placement_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"

#include <sys/socket.h>

/* Our end */

MUTANT(stream_left_open, "RDMAP-7-01", "leaves TCP open after its Terminate",
       stream_ends_by)
{
	return c->terminate.known ? END_NOT_AT_ALL : OTHERWISE(stream_ends_by);
}

MUTANT(reset_after_terminate, "RDMAP-6.2.1-03 RDMAP-6.2.1-06",
       "resets TCP after its Terminate", stream_ends_by)
{
	return c->terminate.known ? END_BY_RESET : OTHERWISE(stream_ends_by);
}

MUTANT(reset_after_received_terminate, "RDMAP-6.2.1-06",
       "resets TCP when a Terminate arrives", stream_ends_by)
{
	return c->terminate.known && !c->terminate.local
		       ? END_BY_RESET
		       : OTHERWISE(stream_ends_by);
}

MUTANT(close_resets, "DDP-6.2.1-05 RDMAP-6.2-01",
       "resets TCP where a stream ends in order", stream_ends_by)
{
	return c->terminate.known ? OTHERWISE(stream_ends_by) : END_BY_RESET;
}

MUTANT(stray_octets_before_fin, "MPA-7.2-02",
       "sends three octets that are not an FPDU before its FIN", send_fin)
{
	send(c->watch.fd, "\0\0\0", 3, MSG_NOSIGNAL);
	OTHERWISE(send_fin);
}

MUTANT(peer_close_untold, "MPA-7.2-01",
       "does not inform its ULP that the peer has closed", fin_ends_stream)
{
	return !c->peer_fin && OTHERWISE(fin_ends_stream);
}

/* The ULP's close */

MUTANT(close_drops_queued_work, "DDP-6.2.1-01 DDP-6.2.1-06",
       "drops queued work, and the Reads under way, when its ULP closes",
       queued_work_is_sent)
{
	return peer_closed && OTHERWISE(queued_work_is_sent);
}

MUTANT(half_close_ends_both, "DDP-6.2.1-06",
       "stops receiving when its ULP closes the sending half", close_ends_input)
{
	return true;
}

/* The peer's FIN */

MUTANT(peer_fin_drops_queued_work, "DDP-6.2.1-03",
       "drops queued work when the peer's FIN arrives", queued_work_is_sent)
{
	return !peer_closed && OTHERWISE(queued_work_is_sent);
}

MUTANT(peer_fin_ignored, "DDP-6.2.1-02",
       "leaves TCP open when both the peer and its own ULP have closed",
       peer_fin_counts)
{
	return c->sctp && OTHERWISE(peer_fin_counts);
}

ALSO(peer_fin_ignored, stream_ends_by)
{
	return c->peer_fin && !c->sctp ? END_NOT_AT_ALL
				       : OTHERWISE(stream_ends_by);
}

/* The peer's FIN came with the octets just read. */
static bool fin_is_here(const struct conn *c)
{
	char next;

	return !c->sctp && recv(c->watch.fd, &next, 1, MSG_PEEK) == 0;
}

static bool is_of_opcode(const struct ulpdu *ulpdu, enum opcode opcode)
{
	return ulpdu->len >= TAGGED_HEADER &&
	       rdmap_opcode(ulpdu->octets) == opcode;
}

MUTANT(write_along_with_fin_lost, "RDMAP-5.5-03",
       "loses a Write that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_WRITE) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(send_along_with_fin_lost, "DDP-5.4-01",
       "loses a Send that arrives in the TCP segment of the FIN", deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_SEND) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(read_along_with_fin_lost, "DDP-6.2.1-03",
       "loses a Read Request that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_READ_REQUEST) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(atomic_along_with_fin_lost, "DDP-6.2.1-03",
       "loses an Atomic Request that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_ATOMIC_REQUEST) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(response_dropped_at_the_fin, "DDP-6.2.1-03",
       "does not send the rest of a Read Response after the peer's FIN",
       queued_work_is_sent)
{
	if (c->peer_fin && c->in_response)
		request_free_all(c);
	return OTHERWISE(queued_work_is_sent);
}

MUTANT(response_dropped_at_half_close, "DDP-6.2.1-01",
       "does not send the rest of a Read Response after its ULP's half-close",
       queued_work_is_sent)
{
	if (c->half && c->in_response)
		request_free_all(c);
	return OTHERWISE(queued_work_is_sent);
}

MUTANT(response_along_with_fin_lost, "RDMAP-5.2.2-03",
       "loses a Read Response that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_READ_RESPONSE) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

static bool is_imm(const struct ulpdu *ulpdu)
{
	return is_of_opcode(ulpdu, OPCODE_IMMEDIATE) ||
	       is_of_opcode(ulpdu, OPCODE_IMMEDIATE_SE);
}

MUTANT(immediate_data_along_with_fin_lost, "DDP-5.4-01",
       "loses Immediate Data that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_imm(ulpdu) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(atomic_response_along_with_fin_lost, "RDMAPX-5.2.2-06",
       "loses an Atomic Response that arrives in the TCP segment of the FIN",
       deliver_ulpdu)
{
	if (!is_of_opcode(ulpdu, OPCODE_ATOMIC_RESPONSE) || !fin_is_here(c))
		OTHERWISE(deliver_ulpdu);
}

MUTANT(immediate_data_behind_half_close_lost, "DDP-6.2.1-06",
       "loses Immediate Data that arrives after its ULP's half-close",
       deliver_ulpdu)
{
	if (!is_imm(ulpdu) || !c->half)
		OTHERWISE(deliver_ulpdu);
}

MUTANT(half_close_gives_up_atomics, "DDP-6.2.1-06",
       "gives up its outstanding atomics when its ULP closes the sending half",
       close_ends_input)
{
	for (struct work *work = c->work; half && work; work = work->next)
		if (work_is_atomic(work) && !work->answered &&
		    work->status == STATUS_NONE)
			work->status = STATUS_FLUSHED;
	return OTHERWISE(close_ends_input);
}

MUTANT(half_close_gives_up_reads, "DDP-6.2.1-06",
       "gives up its outstanding Reads when its ULP closes the sending half",
       close_ends_input)
{
	for (struct work *work = c->work; half && work; work = work->next)
		if (work->op == OP_READ && !work->answered &&
		    work->status == STATUS_NONE)
			work->status = STATUS_FLUSHED;
	return OTHERWISE(close_ends_input);
}

MUTANT(part_of_a_send_delivered_at_fin, "DDP-4.1-09",
       "delivers what has come of a Send when the peer's FIN comes",
       peer_fin_is_orderly)
{
	struct untagged *sends = &c->queue[0];

	if (!c->rx_over && sends->open && !buf_len(&c->in) && c->receives) {
		receive_complete(c, OP_RECV, STATUS_OK, sends->placed);
		sends->open = false;
		return false;
	}
	return OTHERWISE(peer_fin_is_orderly);
}

MUTANT(outstanding_atomic_succeeds_at_fin, "RDMAPX-5.4-07",
       "completes its outstanding atomics with success when the peer's FIN "
       "comes",
       peer_fin_is_orderly)
{
	for (struct work *work = c->work; work; work = work->next)
		if (work->issued && work_is_atomic(work) && !work->answered &&
		    work->status == STATUS_NONE)
			work->status = STATUS_OK;
	return OTHERWISE(peer_fin_is_orderly);
}

MUTANT(fin_inside_message_is_orderly, "MPA-8-01",
       "treats a FIN inside an FPDU as an orderly close", peer_fin_is_orderly)
{
	return true;
}

MUTANT(fin_inside_tagged_message_is_orderly, "MPA-8-01",
       "treats a FIN inside a Write or a Read Response as an orderly close if "
       "an FPDU of it has arrived",
       peer_fin_is_orderly)
{
	return c->tagged_open || OTHERWISE(peer_fin_is_orderly);
}

MUTANT(fin_inside_tagged_fpdu_is_orderly, "MPA-8-01",
       "treats a FIN inside an FPDU of a Write or a Read Response as an "
       "orderly close",
       peer_fin_is_orderly)
{
	bool tagged = buf_len(&c->in) > 2 && buf_head(&c->in)[2] & T_FLAG;

	return tagged || OTHERWISE(peer_fin_is_orderly);
}

MUTANT(empty_last_segment_leaves_a_write_open, "MPA-7.2-01",
       "reports an error if a FIN follows a Write whose last segment is empty",
       peer_fin_is_orderly)
{
	bool *open = remember(&c->remembered, self, sizeof(*open));

	return !*open && OTHERWISE(peer_fin_is_orderly);
}

ALSO(empty_last_segment_leaves_a_write_open, tagged_placed)
{
	bool *open = remember(&c->remembered, self, sizeof(*open));

	*open = c->tagged_open && !n && (u[0] & L_FLAG);
	OTHERWISE(tagged_placed);
}
