/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Untagged segments of the TP: queues and their MSNs (RFC 5041 s4.3, s7.1),
 * receive buffers, delivery (RFC 5040 s5.3, RFC 7306 s6) and Terminate (RFC
 * 5040 s5.4).
 */
#include <string.h>

#include "suite/model/internal.h"
#include "suite/model/startup/negotiate.h"

/* How far this MSN is ahead of the one expected; negative: behind it, or more
 * than half of all MSNs ahead. */
static int32_t msn_ahead(const struct model *m, const struct ddp *d)
{
	return (int32_t)(d->msn - m->rx_msn[d->qn]);
}

/* Of an MSN that is not ahead: one that the stream has had, or the one before
 * its first; else it is far ahead. */
static enum model_stimulus msn_behind(const struct model *m,
				      const struct ddp *d)
{
	uint32_t before = m->config.first_msn - 1;

	return d->msn - before < m->rx_msn[d->qn] - before
		       ? MODEL_STIM_MSN_OLD
		       : MODEL_STIM_MSN_AHEAD;
}

static void run_add(struct model_incoming *in, uint64_t from, uint64_t to,
		    bool *overlap)
{
	unsigned i;

	*overlap = false;
	if (from == to)
		return;
	for (i = 0; i < in->runs; i++) {
		struct model_run *r = &in->run[i];

		if (run_overlaps(*r, from, to))
			*overlap = true;
		if (from > r->to || to < r->from)
			continue;
		/* Merge it into this one, and then that one into the others. */
		from = from < r->from ? from : r->from;
		to = to > r->to ? to : r->to;
		*r = in->run[--in->runs];
		i = (unsigned)-1;
	}
	if (in->runs == MODEL_RUNS) {
		in->doubtful = true;
		in->run[0] = run_union(in->run[0], from, to);
		return;
	}
	in->run[in->runs++] = (struct model_run){from, to};
}

bool incoming_whole(const struct model_incoming *in)
{
	if (!in->last_seen)
		return false;
	if (in->total == 0)
		return true;
	return in->runs == 1 && in->run[0].from == 0 &&
	       in->run[0].to >= in->total;
}

/* The message that this segment belongs to; opened if this is its first
 * segment. */
static struct model_incoming *incoming(struct model *m,
				       const struct ddp_segment *seg,
				       struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	struct model_incoming *in = &m->rx[d->qn];
	uint64_t from = d->mo, to = from + seg->payload_octets;
	bool overlap;

	if (!in->open) {
		memset(in, 0, sizeof(*in));
		in->open = true;
		in->msn = d->msn;
		in->first = *d;
	} else if (d->opcode != in->first.opcode ||
		   d->inval_stag != in->first.inval_stag ||
		   d->rdmap_rsvd != in->first.rdmap_rsvd) {
		verdict_add(v, MODEL_STIM_CHANGED_HEADER);
	}
	in->segments++;
	if (!seg->payload_octets && (!d->last || in->segments > 1))
		verdict_add(v, MODEL_STIM_EMPTY_SEGMENT);
	run_add(in, from, to, &overlap);
	in->doubtful |= overlap;
	/* A device that adds up the lengths detects it at the end. */
	if (overlap || (d->last && in->doubtful))
		verdict_add(v, MODEL_STIM_OVERLAP);
	if (from < sizeof(in->head)) {
		size_t room = sizeof(in->head) - (size_t)from;
		size_t n =
			seg->payload_octets < room ? seg->payload_octets : room;

		if (n)
			memcpy(in->head + from, seg->payload, n);
	}
	if (d->last) {
		in->last_seen = true;
		in->total = to;
	}
	return in;
}

static void message_done(struct model *m, struct model_incoming *in)
{
	m->rx_msn[in->first.qn]++;
	in->open = false;
}

/* ---- queue 0 ------------------------------------------------------------ */

/* The buffers that are tracked individually, and all of them. */
static uint32_t known_buffers_left(const struct model *m)
{
	return m->receives - m->receives_used;
}

static uint32_t buffers_left(const struct model *m)
{
	return known_buffers_left(m) + m->receives_beyond;
}

/* NULL: it is not tracked individually. */
static const struct model_receive *buffer_at(const struct model *m,
					     uint32_t ahead)
{
	if (ahead >= known_buffers_left(m))
		return NULL;
	return &m->receive[(m->receives_used + ahead) % MODEL_RECEIVES];
}

static void buffer_length(const struct model *m, uint32_t ahead,
			  uint32_t *shortest, uint32_t *longest)
{
	const struct model_receive *r = buffer_at(m, ahead);

	*shortest = r ? r->len : m->beyond_shortest;
	*longest = r ? r->len : m->beyond_longest;
}

static void buffer_used(struct model *m)
{
	if (!known_buffers_left(m)) {
		m->receives_beyond--;
		m->receives++;
	}
	m->receives_used++;
}

/*
 * An RTR Send may or may not have consumed a buffer (RFC 6581 s9.2 does not
 * say), so that a later message may go to either of two buffers. Returns the
 * shortest and the longest of them; false if there certainly is none.
 */
static bool buffer_lengths(const struct model *m, uint32_t ahead,
			   uint32_t *shortest, uint32_t *longest)
{
	uint32_t left = buffers_left(m);

	if (ahead >= left)
		return false;
	buffer_length(m, ahead, shortest, longest);
	if (m->rtr_used_receive) {
		uint32_t less = 0, more = 0;

		if (ahead + 1 < left)
			buffer_length(m, ahead + 1, &less, &more);
		if (less < *shortest)
			*shortest = less;
		if (more > *longest)
			*longest = more;
	}
	return true;
}

/* RFC 5041 s7.1 items 2 to 5 on queue 0. */
static void judge_buffer(struct model *m, const struct ddp_segment *seg,
			 struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	bool imm = d->opcode == RDMAP_IMM || d->opcode == RDMAP_IMM_SE;
	uint64_t n = seg->payload_octets, end = d->mo + n;
	int32_t ahead = msn_ahead(m, d);
	uint32_t shortest, longest;

	if (ahead < 0) {
		/* If it is uncertain what was accepted, the MSN is uncertain,
		 * too. */
		verdict_add(v, m->lossy ? MODEL_STIM_MSN_SKIPPED
					: msn_behind(m, d));
		return;
	}
	if (!m->config.receives_known) {
		if (ahead > 0)
			verdict_add(v, MODEL_STIM_MSN_SKIPPED);
		return;
	}
	if (!buffer_lengths(m, (uint32_t)ahead, &shortest, &longest)) {
		if (ahead > 0)
			verdict_add(v, MODEL_STIM_MSN_AHEAD);
		else
			verdict_add(v, n ? MODEL_STIM_NO_BUFFER
					 : MODEL_STIM_NO_BUFFER_EMPTY);
		return;
	}
	if (ahead > 0)
		verdict_add(v, MODEL_STIM_MSN_SKIPPED);
	if (imm && end <= RDMAP_IMM_OCTETS) {
		if (end > shortest)
			verdict_add(v, MODEL_STIM_IMM_BUFFER);
	} else if (n && d->mo >= longest) {
		verdict_add(v, d->mo == longest ? MODEL_STIM_MO_AT_END
						: MODEL_STIM_MO);
		/* RDMAP may see first that the message is too long. */
		if (imm && d->last)
			verdict_add(v, MODEL_STIM_IMM_LONG);
	} else if (n && end > longest) {
		verdict_add(v, MODEL_STIM_TOO_LONG);
	} else if (end > shortest && m->rtr_used_receive) {
		verdict_add(v, MODEL_STIM_MSN_SKIPPED);
	}
}

/* RFC 5040 s5.3, s7.2: the STag is judged and invalidated on delivery. */
static void invalidate(struct model *m, uint32_t stag, struct verdict *v)
{
	unsigned faults = memory_check(m, stag, 0, 0, 0);
	int i = memory_find(m, stag);

	if (faults & ACCESS_STAG)
		verdict_add(v, memory_is_near(m, stag)
				       ? MODEL_STIM_INVALIDATE_STAG_NEAR
				       : MODEL_STIM_INVALIDATE_STAG);
	else if (faults & ACCESS_STREAM)
		verdict_add(v, MODEL_STIM_INVALIDATE_STREAM);
	else if (i >= 0 && m->region[i].shared)
		verdict_add(v, MODEL_STIM_INVALIDATE_SHARED);
	else if (i >= 0 && !v->refused)
		model_region_invalidate(m, stag);
}

static void place_in_buffer(struct model *m, const struct ddp_segment *seg)
{
	const struct model_receive *r = buffer_at(m, 0);
	uint64_t n = seg->payload_octets;
	bool imm =
		seg->ddp.opcode == RDMAP_IMM || seg->ddp.opcode == RDMAP_IMM_SE;

	if (!r || m->rtr_used_receive || !n || seg->ddp.mo + n > r->len)
		return;
	/* The RFCs do not define how Immediate Data reaches the ULP (RFC 7306
	 * s6.3). */
	if (r->in_region && imm)
		memory_doubt(m, r->stag, r->to + seg->ddp.mo, n);
	else if (r->in_region)
		memory_place(m, r->stag, r->to + seg->ddp.mo, seg->payload, n);
	else if (r->shadow)
		memcpy(r->shadow + seg->ddp.mo, seg->payload, n);
}

static void deliver(struct model *m, const struct model_incoming *in,
		    bool certain)
{
	uint8_t op = in->first.opcode;
	bool imm = op == RDMAP_IMM || op == RDMAP_IMM_SE;
	struct model_delivery *d =
		&m->delivery[m->deliveries++ % MODEL_RECEIVES];

	memset(d, 0, sizeof(*d));
	d->opcode = op;
	d->len = imm ? RDMAP_IMM_OCTETS : (uint32_t)in->total;
	d->se = op == RDMAP_SEND_SE || op == RDMAP_SEND_SE_INV ||
		op == RDMAP_IMM_SE;
	d->inv = op == RDMAP_SEND_INV || op == RDMAP_SEND_SE_INV;
	d->inv_stag = d->inv ? in->first.inval_stag : 0;
	d->optional = m->uncertain || !certain;
	if (imm)
		memcpy(d->imm, in->head, sizeof(d->imm));
	if (buffers_left(m)) {
		const struct model_receive *r = buffer_at(m, 0);

		if (!m->rtr_used_receive) {
			d->ordinal = m->receives_used + 1;
			d->data = imm || !r ? NULL : r->shadow;
			d->data_known =
				d->data && certain && !in->doubtful &&
				(!r->in_region ||
				 memory_certain(m, memory_find(m, r->stag),
						r->to, in->total));
		}
		buffer_used(m);
	}
}

static void receive_send(struct model *m, const struct ddp_segment *seg,
			 struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	bool imm = d->opcode == RDMAP_IMM || d->opcode == RDMAP_IMM_SE;
	bool rtr = m->rx_frames == 1 && !m->config.dut_initiates &&
		   (rtr_form(seg) & m->config.rtr & MODEL_RTR_SEND);
	struct model_incoming *in;

	if (!rtr)
		judge_buffer(m, seg, v);
	if (v->refused)
		return;
	if (msn_ahead(m, d) != 0) {
		m->lossy = true;
		return;
	}
	in = incoming(m, seg, v);
	place_in_buffer(m, seg);
	if (imm && (!d->last || in->segments > 1))
		verdict_add(v, MODEL_STIM_IMM_SEGMENTED);
	if (!in->last_seen)
		return;
	if (imm && in->total != RDMAP_IMM_OCTETS)
		verdict_add(v, in->total < RDMAP_IMM_OCTETS
				       ? MODEL_STIM_IMM_SHORT
				       : MODEL_STIM_IMM_LONG);
	else if (!incoming_whole(in))
		verdict_add(v, MODEL_STIM_INCOMPLETE);
	if (in->first.opcode == RDMAP_SEND_INV ||
	    in->first.opcode == RDMAP_SEND_SE_INV)
		invalidate(m, in->first.inval_stag, v);
	if (v->refused)
		return;
	if (!incoming_whole(in))
		m->lossy = true;
	if (rtr) {
		uint32_t used = m->receives_used, all = m->receives;
		uint32_t beyond = m->receives_beyond;

		m->rtr_used_receive = true;
		deliver(m, in, false);
		m->receives_used = used;
		m->receives = all;
		m->receives_beyond = beyond;
	} else {
		deliver(m, in, v->first == MODEL_STIM_NONE);
	}
	message_done(m, in);
}

/* ---- queue 2 ------------------------------------------------------------ */

static void receive_terminate(struct model *m, const struct ddp_segment *seg,
			      struct verdict *v)
{
	struct rdmap_terminate t;

	if (msn_ahead(m, &seg->ddp) != 0 || !seg->ddp.last || seg->ddp.mo) {
		verdict_add(v, MODEL_STIM_TERMINATE_PARTIAL);
		return;
	}
	if (!rdmap_terminate_decode(&t, seg->payload, seg->payload_octets) ||
	    t.truncated)
		verdict_add(v, MODEL_STIM_TERMINATE_MALFORMED);
	if (v->refused)
		return;
	m->rx_msn[DDP_QN_TERMINATE]++;
	m->peer_terminated = true;
}

/* ---- all queues --------------------------------------------------------- */

/* RFC 5040 s4.1, s4.2 and RFC 7306 s4: the queue of each opcode. */
static void judge_opcode(struct model *m, const struct ddp *d, bool queue,
			 struct verdict *v)
{
	if (!opcode_known(m, d->opcode)) {
		if (d->opcode == RDMAP_ATOMIC_REQUEST &&
		    d->qn == DDP_QN_READ_REQUEST)
			verdict_add(v, MODEL_STIM_OPCODE_ATOMIC_REQUEST);
		else if (d->opcode == RDMAP_ATOMIC_RESPONSE &&
			 d->qn == DDP_QN_ATOMIC_RESPONSE)
			verdict_add(v, MODEL_STIM_OPCODE_ATOMIC_RESPONSE);
		else
			verdict_add(v, MODEL_STIM_OPCODE);
	} else if (opcode_tagged(d->opcode)) {
		verdict_add(v, MODEL_STIM_T_FLAG);
	} else if (queue && d->qn != opcode_queue(d->opcode)) {
		verdict_add(v, MODEL_STIM_QUEUE);
	}
}

static void receive_request(struct model *m, const struct ddp_segment *seg,
			    struct verdict *v)
{
	int32_t ahead = msn_ahead(m, &seg->ddp);
	struct model_incoming *in;

	if (ahead != 0)
		verdict_add(v, ahead > 0 ? MODEL_STIM_READ_SKIPPED
					 : msn_behind(m, &seg->ddp));
	if (v->refused)
		return;
	in = incoming(m, seg, v);
	/* It may be refused for this reason at once (RFC 5040 s1.2). */
	if (!seg->ddp.last || in->segments > 1)
		verdict_add(v, in->first.opcode == RDMAP_ATOMIC_REQUEST
				       ? MODEL_STIM_ATOMIC_SEGMENTED
				       : MODEL_STIM_READ_SEGMENTED);
	if (!in->last_seen)
		return;
	if (in->first.opcode == RDMAP_ATOMIC_REQUEST)
		receive_atomic_request(m, seg, in, v);
	else
		receive_read_request(m, seg, in, v);
	if (!v->refused)
		message_done(m, in);
}

void receive_untagged(struct model *m, const struct ddp_segment *seg,
		      struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	bool queue = d->qn <= DDP_QN_TERMINATE ||
		     (d->qn == DDP_QN_ATOMIC_RESPONSE &&
		      (m->config.features & MODEL_ATOMICS));

	if (d->opcode == RDMAP_READ_REQUEST)
		v->has_read = rdmap_read_request_decode(&v->read, seg->payload,
							seg->payload_octets);
	if (m->rx_tagged_open ||
	    (m->rx[DDP_QN_SEND].open && d->qn != DDP_QN_SEND) ||
	    (m->rx[DDP_QN_READ_REQUEST].open && d->qn != DDP_QN_READ_REQUEST))
		verdict_add(v, MODEL_STIM_INTERLEAVED);
	judge_opcode(m, d, queue, v);
	if (!queue) {
		if (d->opcode != RDMAP_ATOMIC_RESPONSE ||
		    d->qn != DDP_QN_ATOMIC_RESPONSE)
			verdict_add(v, seg->payload_octets
					       ? MODEL_STIM_QN
					       : MODEL_STIM_QN_EMPTY);
		return;
	}
	if (v->refused && d->qn != DDP_QN_SEND)
		return;
	switch (d->qn) {
	case DDP_QN_SEND:
		receive_send(m, seg, v);
		break;
	case DDP_QN_READ_REQUEST:
		receive_request(m, seg, v);
		break;
	case DDP_QN_TERMINATE:
		receive_terminate(m, seg, v);
		break;
	default:
		receive_atomic_response(m, seg, v);
		break;
	}
}
