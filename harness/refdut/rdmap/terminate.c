/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors and Terminate messages (RFC 5040 s4.8, s7; RFC 7306 s8).
 *
 * Where the RFCs leave a choice: an RDMAP error in a Read Request returns its
 * RDMA header for every error type, as in the list of RFC 5040 s7.1 (its figure
 * 10 has none for type 2); a responder that may not send yet closes without a
 * Terminate, because a Terminate is an FPDU; a local catastrophic error of DDP
 * returns no header; a header that is not returned is left out.
 */
#include "harness/refdut/rdmap/terminate_decisions.h"
#include "harness/refdut/control.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/rdmap/header_decisions.h"
#include "harness/refdut/memory/layout.h"

#include <string.h>

RULE(error_numbers)
{
	return e;
}

/* RFC 5040 s7.1 and figure 10: the headers of DDP and RDMAP, if a segment
 * caused the error. */
static bool returns_headers(unsigned type)
{
	return type == ERR_RDMA_PROTECTION || type == ERR_RDMA_OPERATION ||
	       type == ERR_DDP_TAGGED || type == ERR_DDP_UNTAGGED;
}

RULE(terminated_ddp_header_size)
{
	return rdmap_is_tagged(e->ulpdu) ? TAGGED_HEADER : UNTAGGED_HEADER;
}

RULE(header_not_returned)
{
	return n;
}

RULE(terminated_headers)
{
	uint32_t n = 4, header;

	if (!e->ulpdu)
		return header_not_returned(
			t, n, UNTAGGED_HEADER + READ_REQUEST_HEADER);
	if (!returns_headers(e->type))
		return n;
	header = terminated_ddp_header_size(e);
	if (e->len < header)
		return n;
	t[2] |= TERMINATE_M | TERMINATE_D;
	be16_put(t + n, (uint16_t)e->len);
	n += 2;
	memcpy(t + n, e->ulpdu, header);
	n += header;
	if (!e->request)
		return header_not_returned(t, n, READ_REQUEST_HEADER);
	t[2] |= TERMINATE_R;
	memcpy(t + n, e->request, READ_REQUEST_HEADER);
	return n + READ_REQUEST_HEADER;
}

/* The message from its control word on; returns its length. */
static uint32_t build(uint8_t *t, const struct stream_error *found)
{
	struct stream_error e = error_numbers(*found);

	t[0] = (uint8_t)e.type;
	t[1] = (uint8_t)e.code;
	t[2] = t[3] = 0;
	return terminated_headers(t, &e);
}

static void finish(struct conn *c)
{
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	conn_drain(c);
}

/* RFC 5044 s7.1.2 rule 4: a responder sends nothing before the first FPDU. */
RULE(terminate_is_sent)
{
	return c->released && !c->fin_sent;
}

RULE(send_terminate)
{
	struct terminate *t = &c->terminate;

	t->len = build(t->octets, e);
	layout_terminate(t->octets);
	t->known = true;
	t->local = true;
	conn_final(c, CONN_TERMINATED);
	tx_terminate(c, t->octets, t->len);
}

RULE(end_behind_terminate)
{
	finish(c);
}

RULE(end_by_error)
{
	if (!terminate_is_sent(c, e)) {
		conn_final(c, CONN_ERROR);
		finish(c);
		return;
	}
	send_terminate(c, e);
	end_behind_terminate(c, e);
}

RULE(error_found)
{
	if ((c->rx_over && !c->closing) || c->phase != PHASE_FULL ||
	    c->terminate.known)
		return;
	c->rx_over = true;
	end_by_error(c, e);
}

void fault(struct conn *c, unsigned type, unsigned code, const uint8_t *ulpdu,
	   uint32_t len, const uint8_t *request)
{
	if (control_fault(c, &type, &code))
		return;

	struct stream_error e = {type, code, ulpdu, len, request};

	error_found(c, &e);
}

/* Does the returned header belong to the message of this work request? */
static bool names(const struct work *work, const uint8_t *header)
{
	unsigned opcode = header[1] & 0x0f;

	if (!work->begun)
		return false;
	if (header[0] & 0x80)
		return opcode == OPCODE_WRITE && work->op == OP_WRITE &&
		       work->rstag == be32(header + 2) &&
		       be64(header + 6) - work->rto <= work->len;
	switch (opcode) {
	case OPCODE_READ_REQUEST:
	case OPCODE_ATOMIC_REQUEST:
		return work_needs_answer(work) &&
		       work->msn == be32(header + 10);
	case OPCODE_IMMEDIATE:
	case OPCODE_IMMEDIATE_SE:
		return work->op == OP_IMM && work->msn == be32(header + 10);
	case OPCODE_SEND:
	case OPCODE_SEND_INV:
	case OPCODE_SEND_SE:
	case OPCODE_SEND_SE_INV:
		return work->op == OP_SEND && work->msn == be32(header + 10);
	default:
		return false;
	}
}

RULE(report_terminate)
{
	conn_final(c, CONN_TERMINATED);
}

/* RFC 5040 s6.2.1 allows either side to close. */
RULE(end_by_terminate)
{
	finish(c);
}

/* The work that the peer refuses, if its header was returned. */
static void fail_refused(struct conn *c, const uint8_t *octets)
{
	struct work *work = c->work;

	if (!(octets[2] & TERMINATE_D))
		return;
	while (work && !names(work, octets + 6))
		work = work->next;
	if (work && work->status == STATUS_NONE && !work->answered)
		work->status = STATUS_REMOTE_ERROR;
}

RULE(take_terminate)
{
	struct terminate *t = &c->terminate;

	t->len = len < TERMINATE_MAX ? len : TERMINATE_MAX;
	memcpy(t->octets, octets, t->len);
	t->known = true;
	c->rx_over = true;
	report_terminate(c, t);
	fail_refused(c, octets);
	end_by_terminate(c);
}

void terminate_received(struct conn *c, const uint8_t *octets, uint32_t len)
{
	take_terminate(c, octets, len);
}

/* RFC 5040 s5.4: an invalid Terminate is an error. */
void rdmap_deliver_terminate(struct conn *c, const uint8_t *ulpdu, uint32_t len,
			     uint32_t message_len)
{
	if (!message_well_formed(c, ulpdu, message_len))
		refuse_operation(c, UNSPECIFIED, ulpdu, len);
	else
		terminate_received(c, c->queue[2].own, message_len);
}
