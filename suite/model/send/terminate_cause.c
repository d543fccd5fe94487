/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cause that a Terminate of the DUT names, where the model knows that it
 * cannot be: the message came in turn, has no payload, or is in bounds (RFC 5040
 * s4.8, s5.2.1, RFC 5041 s5.2).
 */
#include "suite/model/send/suspect.h"

/* The unanswered Request with this header; NULL: there is none. */
static const struct model_request *request_of(const struct model *m,
					      const struct ddp *d)
{
	if (d->tagged || d->qn != DDP_QN_READ_REQUEST)
		return NULL;
	for (unsigned i = 0; i < m->asked; i++) {
		const struct model_request *q =
			&m->ask[(m->asked_first + i) % MODEL_REQUESTS];

		if (!q->gone && q->msn == d->msn)
			return q;
	}
	return NULL;
}

/* Queue 1 has no buffer for a Request, or not its MSN: but it came in turn, and
 * within an IRD that was agreed on, or alone to a DUT that serves some. */
static bool has_room(const struct model *m, const struct rdmap_terminate *t,
		     const struct ddp *d)
{
	const struct model_request *q = request_of(m, d);

	return t->layer == TERM_DDP && t->etype == 2 &&
	       (t->code == 0x02 || t->code == 0x03) && q &&
	       (m->config.ird == MODEL_UNLIMITED ? m->serves && !q->ahead
						 : q->ahead < m->config.ird);
}

/* Of a message without payload STag and TO are not looked at. */
static bool is_empty_write(const struct model *m,
			   const struct rdmap_terminate *t, const struct ddp *d)
{
	const struct ddp *last = &m->rx_tagged;

	return t->layer == TERM_DDP && t->etype == 1 && d->tagged && d->last &&
	       t->m && t->has_segment_length &&
	       t->segment_length == DDP_TAGGED_OCTETS &&
	       d->opcode == RDMAP_WRITE && last->opcode == RDMAP_WRITE &&
	       last->stag == d->stag && last->to == d->to &&
	       !m->rx_tagged_octets;
}

static bool is_empty_read(const struct rdmap_terminate *t, const struct ddp *d)
{
	struct rdmap_read_request h;

	return t->layer == TERM_RDMA && t->etype == 1 && !d->tagged &&
	       d->opcode == RDMAP_READ_REQUEST && t->rdma_header &&
	       rdmap_read_request_decode(&h, t->rdma_header,
					 RDMAP_READ_REQUEST_OCTETS) &&
	       !h.size;
}

/* Octets inside memory whose STag and bounds are known. A Write without the right
 * may be called one to an invalid STag: DDP has no number for it. */
static bool is_in_bounds(const struct model *m, const struct rdmap_terminate *t,
			 const struct ddp *d)
{
	const struct model_request *q = request_of(m, d);
	struct rdmap_read_request h;
	unsigned faults;

	if (t->etype != 1 ||
	    (t->code != 0x01 && (t->code != 0x00 || t->layer != TERM_RDMA)))
		return false;
	if (t->layer == TERM_DDP && d->tagged && t->m &&
	    t->has_segment_length && t->segment_length > DDP_TAGGED_OCTETS)
		faults = memory_check(m, d->stag, d->to,
				      t->segment_length - DDP_TAGGED_OCTETS, 0);
	else if (t->layer == TERM_RDMA && d->opcode == RDMAP_READ_REQUEST &&
		 t->rdma_header &&
		 rdmap_read_request_decode(&h, t->rdma_header,
					   RDMAP_READ_REQUEST_OCTETS))
		faults = memory_check(m, h.source_stag, h.source_to, h.size, 0);
	else if (t->layer == TERM_RDMA && q && q->atomic)
		faults = memory_check(m, q->source_stag, q->source_to, 8, 0);
	else
		return false;
	return !faults;
}

unsigned short model_cause_ruled_out(const struct model *m,
				     const struct rdmap_terminate *t,
				     const struct ddp *d)
{
	if (is_empty_write(m, t, d))
		return LEVEL(DDP_5_2_11);
	if (is_empty_read(t, d))
		return LEVEL(RDMAP_5_2_1_12);
	return has_room(m, t, d) || is_in_bounds(m, t, d) ? LEVEL(RDMAP_4_8_31)
							  : MODEL_REQ_NONE;
}

bool model_cause_may_be_hidden(const struct model *m,
			       const struct rdmap_terminate *t,
			       const struct ddp *d)
{
	return model_terminate_may_be_hidden(t->layer, t->etype, t->code, d) &&
	       model_cause_ruled_out(m, t, d) == MODEL_REQ_NONE;
}
