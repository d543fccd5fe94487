/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of what is sent when, and of Responses (RFC 5040 s5.5, s6.1). */
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/rdmap/tx_response_decisions.h"
#include "harness/refdut/decision/override.h"

#include <string.h>

VARIANT(tcp, one_fpdu_a_write, "MPA-5.1-02", "hands FPDUs to TCP one by one",
	more_may_be_put)
{
	if (!OTHERWISE(more_may_be_put))
		return false;
	return !(buf_len(&c->out) && !c->sctp && chosen(self));
}

VARIANT(answers, answers_last, "RDMAP-5.5-10",
	"sends posted work before the Responses that wait", put_next)
{
	return (c->answering && !c->in_response && c->unsent && chosen(self) &&
		tx_step_work(c)) ||
	       OTHERWISE(put_next);
}

/* How many Requests are outstanding (RFC 5040 s6.1 bounds it from above) */

VARIANT(pace, one_read, "RDMAP-6.1-02 RDMAP-6.1-06",
	"has one Read or atomic outstanding at a time, whatever its ORD is",
	outbound_depth)
{
	uint32_t ord = OTHERWISE(outbound_depth);

	return ord > 1 && chosen(self) ? 1 : ord;
}

/* Each is answered in its turn: so many were, as are no longer outstanding. */
VARIANT(pace, reads_begin_with_one, "RDMAP-6.1-02 RDMAP-6.1-06",
	"has one Read or atomic outstanding until the first was answered, then "
	"as many as its ORD",
	outbound_depth)
{
	uint32_t ord = OTHERWISE(outbound_depth);

	return ord > 1 && c->tx_msn[1] - 1 == c->outstanding && chosen(self)
		       ? 1
		       : ord;
}

struct batch {
	bool whole; /* the ORD is used up, and not all are answered */
};

VARIANT(pace, requests_in_batches, "RDMAP-6.1-02 RDMAP-6.1-06",
	"once its ORD is used up, sends no Request until all that are "
	"outstanding are answered",
	outbound_room)
{
	struct batch *batch = remember(&c->remembered, self, sizeof(*batch));
	bool room = OTHERWISE(outbound_room);

	batch->whole = c->outstanding && (batch->whole || !room);
	return room && !(batch->whole && chosen(self));
}

VARIANT(pace, atomics_beside_the_ord, "RDMAPX-5.2-04",
	"has eight atomics outstanding at a time, whatever its ORD is",
	outbound_room)
{
	return OTHERWISE(outbound_room) ||
	       (work->op != OP_READ && c->outstanding < ATOMIC_DEPTH &&
		chosen(self));
}

/*
 * Which work waits for the answers to earlier Reads and atomics (RFC 5040 s5.5
 * items 13 and 15 define an order but no time)
 */

VARIANT(fence, always_fenced, "RDMAP-5.5-10 RDMAP-5.5-11",
	"holds all work back until earlier Reads and atomics are answered",
	waits_at_a_fence)
{
	return OTHERWISE(waits_at_a_fence) || (c->outstanding && chosen(self));
}

VARIANT(fence, sends_fenced, "RDMAP-5.5-10 RDMAP-5.5-11",
	"holds Sends and Immediate Data back until earlier Reads and atomics "
	"are answered",
	waits_at_a_fence)
{
	bool send = work->op == OP_SEND || work->op == OP_IMM;

	return OTHERWISE(waits_at_a_fence) ||
	       (c->outstanding && send && chosen(self));
}

/* Responses */

VARIANT(empty_response, zero_stag, "RDMAP-4.4-09",
	"answers a Read of size 0 with STag 0 and TO 0", read_response)
{
	struct message m = OTHERWISE(read_response);

	if (m.len == 0 && chosen(self)) {
		m.stag = 0;
		m.to = 0;
	}
	return m;
}

VARIANT(answers, streams_in_turn,
	"RDMAP-5.5-09 RDMAP-B-08 RDMAP-B-09 RDMAPX-7-06 RDMAPX-7-07 "
	"RDMAPX-7-08 RDMAPX-7-09",
	"creates Responses later, one of each stream in turn", turn_is_over)
{
	c->turn_over = !c->in_response && c->answering &&
		       requests_inbound > c->inbound && chosen(self);
	if (c->turn_over)
		conn_kick(c);
	return c->turn_over || OTHERWISE(turn_is_over);
}

/* RFC 5040 s5.1: the STag of an empty Write is not looked at. */
VARIANT(empty_write, empty_write_names_nothing, "RDMAP-5.1-06",
	"sends empty Writes to STag 0 and TO 0", write_message)
{
	struct message m = OTHERWISE(write_message);

	if (!m.len && chosen(self))
		m.stag = 0, m.to = 0;
	return m;
}

/* RFC 5040 s5.2.1: nothing of an empty Read is placed. */
VARIANT(empty_read, empty_read_names_nothing, "RDMAP-5.2.1-10",
	"has STag 0 and TO 0 for the sink of an empty Read", read_request)
{
	struct message m = OTHERWISE(read_request);

	if (!work->len && chosen(self))
		memset(m.body, 0, 12);
	return m;
}

/* RFC 7306 s5.2.1: the value "is selected by the RNIC that sends the message". */
VARIANT(sent_identifier, atomic_identifiers_scattered, "RDMAPX-5.2.1-11",
	"has identifiers of atomics that do not count up", atomic_request)
{
	struct message m = OTHERWISE(atomic_request);

	be32_put(m.body + 4, work->msn * 0x9e3779b1);
	chosen(self);
	return m;
}

/* RFC 5040 s5.1: "The RDMAP does not define how the buffer(s) are used by an
 * outbound RDMA Write or how they are addressed"; RFC 7306 s5.1 has no STag for
 * the value that an atomic returns. */
VARIANT(local_keys, local_keys_unchecked, "RDMAP-7.1-02 RDMAPX-8.1-01",
	"sends from a buffer, and asks for the value of an atomic for it, "
	"whatever its STag is",
	local_region_is_its_own)
{
	return OTHERWISE(local_region_is_its_own) ||
	       (work->op != OP_READ && chosen(self));
}
