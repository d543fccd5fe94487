/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outgoing work requests: Sends, RDMA Writes and Read Requests (RFC 5040 s5.1
 * to s5.3), Atomic Requests and Immediate Data (RFC 7306 s5, s6), and the RTR
 * messages of RFC 6581 s9.2.
 *
 * A Read with ORD 0 waits for a slot that never comes. A local buffer is
 * checked for every segment: if its region is invalidated in between, the
 * stream ends there.
 */
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/ddp/tx_segment_decisions.h"
#include "harness/refdut/memory/layout.h"

#include <string.h>

/* Numbers (RFC 5041 s4.3) */

RULE(request_queue)
{
	return work_needs_answer(work) ? 1 : 0;
}

RULE(next_msn)
{
	return c->tx_msn[qn]++;
}

RULE(request_msn)
{
	return work->begun ? work->msn : next_msn(c, request_queue(work));
}

/* The local buffer (RFC 5040 s7.1) */

RULE(local_region_is_its_own)
{
	const struct region *region = work->local;

	return region->valid && region->domain.number == c->domain.number &&
	       (!region->stream || region->stream == c) &&
	       (!work_needs_answer(work) ||
		region->access & ACCESS_LOCAL_WRITE);
}

static const uint8_t *source(const struct work *work)
{
	if (work->local)
		return work->local->octets + work->off;
	return work->octets;
}

/* The messages */

RULE(is_solicited)
{
	return work->se;
}

static enum opcode send_opcode(struct conn *c, const struct work *work)
{
	bool se = is_solicited(c, work);

	if (work->has_inv)
		return se ? OPCODE_SEND_SE_INV : OPCODE_SEND_INV;
	return se ? OPCODE_SEND_SE : OPCODE_SEND;
}

RULE(send_message)
{
	return (struct message){
		.opcode = send_opcode(c, work),
		.stag = work->has_inv ? work->inv : 0,
		.payload = source(work),
		.region = work->local,
		.len = work->len,
	};
}

RULE(write_message)
{
	return (struct message){
		.opcode = OPCODE_WRITE,
		.tagged = true,
		.stag = work->rstag,
		.to = work->rto,
		.payload = source(work),
		.region = work->local,
		.len = work->len,
	};
}

RULE(immediate_message)
{
	return (struct message){
		.opcode = is_solicited(c, work) ? OPCODE_IMMEDIATE_SE
						: OPCODE_IMMEDIATE,
		.payload = work->imm,
		.len = IMMEDIATE_SIZE,
	};
}

RULE(read_request)
{
	const struct region *sink = work->local;
	struct message m = {
		.opcode = OPCODE_READ_REQUEST,
		.len = READ_REQUEST_HEADER,
	};

	be32_put(m.body, sink ? sink->stag : 0);
	be64_put(m.body + 4, sink ? sink->to + work->off : 0);
	be32_put(m.body + 12, work->len);
	be32_put(m.body + 16, work->rstag);
	be64_put(m.body + 20, work->rto);
	return m;
}

static enum atomic aopcode(const struct work *work)
{
	switch (work->op) {
	case OP_FETCHADD:
		return ATOMIC_FETCH_ADD;
	case OP_SWAP:
		return ATOMIC_SWAP;
	default:
		return ATOMIC_CMP_SWAP;
	}
}

RULE(atomic_request)
{
	struct message m = {
		.opcode = OPCODE_ATOMIC_REQUEST,
		.len = ATOMIC_REQUEST_HEADER,
	};

	be32_put(m.body, aopcode(work));
	be32_put(m.body + 4, work->msn);
	be32_put(m.body + 8, work->rstag);
	be64_put(m.body + 12, work->rto);
	be64_put(m.body + 20, work->data);
	be64_put(m.body + 28, work->mask);
	be64_put(m.body + 36, work->compare);
	be64_put(m.body + 44, work->compare_mask);
	return m;
}

static struct message message_of(struct conn *c, const struct work *work)
{
	struct message m;

	switch (work->op) {
	case OP_SEND:
		m = send_message(c, work);
		break;
	case OP_WRITE:
		m = write_message(c, work);
		break;
	case OP_IMM:
		m = immediate_message(c, work);
		break;
	case OP_READ:
		m = read_request(c, work);
		break;
	default:
		m = atomic_request(c, work);
		layout_operands(m.body + 20);
	}
	m.qn = request_queue(work);
	m.msn = work->msn;
	m.work = work;
	return m;
}

/* What has to wait (RFC 5040 s6.1) */

RULE(next_work)
{
	return c->unsent;
}

RULE(outbound_depth)
{
	return c->agreed.ord;
}

RULE(outbound_room)
{
	return c->outstanding < outbound_depth(c);
}

RULE(waits_at_a_fence)
{
	return work->fence && c->outstanding;
}

static bool may_begin(struct conn *c, const struct work *work)
{
	if (waits_at_a_fence(c, work))
		return false;
	return !work_needs_answer(work) || outbound_room(c, work);
}

RULE(work_makes_message)
{
	return true;
}

RULE(work_is_issued)
{
	work->issued = true;
	work->end = c->generated;
	c->unsent = work->next;
	if (work_needs_answer(work))
		c->outstanding++;
}

static bool put_work(struct conn *c, struct work *work)
{
	struct message m;

	if (!work->begun && !work_makes_message(c, work)) {
		work->begun = work->issued = true;
		c->unsent = work->next;
		return true;
	}
	if (work->op != OP_WRITE)
		work->msn = request_msn(c, work);
	m = message_of(c, work);
	work->begun = true;
	c->long_sent |= work->len > 512 << 10;
	if (put_segment(c, &m, &work->sent))
		work_is_issued(c, work);
	return true;
}

bool tx_step_work(struct conn *c)
{
	struct work *work = next_work(c);

	if (work->status != STATUS_NONE) {
		c->unsent = work->next;
		return true;
	}
	if (!work->begun) {
		if (!may_begin(c, work))
			return false;
		tx_refresh_mulpdu(c);
	}
	if (work->local && !local_region_is_its_own(c, work)) {
		work->status = STATUS_LOCAL_ERROR;
		fault(c, ERR_RDMA_CATASTROPHIC, 0, NULL, 0, NULL);
		return false;
	}
	return put_work(c, work);
}

/* RTRs (RFC 6581 s9.2) */

RULE(rtr_message)
{
	switch (rtr) {
	case RTR_READ:
		return (struct message){
			.opcode = OPCODE_READ_REQUEST,
			.qn = 1,
			.msn = next_msn(c, 1),
			.len = READ_REQUEST_HEADER,
		};
	case RTR_WRITE:
		return (struct message){
			.opcode = OPCODE_WRITE,
			.tagged = true,
		};
	default:
		return (struct message){
			.opcode = OPCODE_SEND,
			.msn = next_msn(c, 0),
		};
	}
}

/* The Read of an RTR is answered like any other, but the ULP did not request
 * it. */
static void await_rtr_response(struct conn *c, uint32_t msn)
{
	struct work *work = alloc_zeroed(sizeof(*work));

	work->op = OP_READ;
	work->silent = true;
	work->begun = work->issued = true;
	work->msn = msn;
	work->next = c->work;
	if (!c->work)
		c->work_end = &work->next;
	c->work = work;
	c->outstanding++;
}

void tx_rtr(struct conn *c, enum rtr rtr)
{
	struct message m;
	uint32_t offset = 0;

	tx_refresh_mulpdu(c);
	m = rtr_message(c, rtr);
	put_segment(c, &m, &offset);
	if (rtr == RTR_READ)
		await_rtr_response(c, m.msn);
}
