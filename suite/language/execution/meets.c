/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/execution/meets.h"

#include "suite/dimension/axes.h"

#define PAGE DIMENSION_PAGE_OCTETS

static void met(struct test *t, enum dimension d, uint64_t value)
{
	dimension_met(&t->bed->met, d, value);
}

/* Which of the streams, and in which role: whatever happens on it. */
static void meets_on(struct test *t, const struct stream *s)
{
	axes_add(&t->axes, AXIS_ROLE,
		 s->role == RESPONDER ? ROLE_IS_RESPONDER : ROLE_IS_INITIATOR);
	axes_add(&t->axes, AXIS_STREAM,
		 s == t->stream ? STREAM_IS_FIRST : STREAM_IS_SECOND);
}

static void meets_segment(struct test *t, enum axis a, bool first, bool last)
{
	axes_add(&t->axes, a,
		 first && last ? SEGMENT_IS_ONLY
		 : first       ? SEGMENT_IS_FIRST
		 : last        ? SEGMENT_IS_LAST
			       : SEGMENT_IS_MIDDLE);
}

/* --- startup ---------------------------------------------------------- */

static unsigned rtr_bits(bool b, bool c, bool d)
{
	return (b ? RTR_SEND : 0u) | (c ? RTR_WRITE : 0u) | (d ? RTR_READ : 0u);
}

void meets_startup_sent(struct test *t, const struct startup *f, size_t from,
			size_t to, size_t n, const size_t *cuts, size_t ncuts)
{
	/* Of several pieces the first one ends at the first cut. */
	if (from == 0 && ncuts)
		met(t, DIM_STARTUP_CUT, cuts[0]);
	else if (from == 0 && to < n)
		met(t, DIM_STARTUP_CUT, to);
	if (from)
		return;
	met(t, DIM_PEER_PRIVATE, f->private_octets);
	axes_add_value(&t->axes, AXIS_PEER_PRIVATE, f->private_octets);
	if (!f->enhanced)
		return;
	met(t, DIM_PEER_IRD, f->ird);
	met(t, DIM_PEER_ORD, f->ord);
	if (f->a)
		met(t, DIM_PEER_RTR, rtr_bits(f->b, f->c, f->d));
}

void meets_parameters(struct test *t, const struct stream *s)
{
	meets_on(t, s);
	if (s->opts.dut_ird)
		met(t, DIM_DUT_IRD, depth_of(s->opts.dut_ird, 0));
	if (s->opts.dut_ord)
		met(t, DIM_DUT_ORD, depth_of(s->opts.dut_ord, 0));
}

void meets_startup_seen(struct test *t, const struct mpa_startup *f)
{
	struct mpa_enhanced e;
	bool enhanced = model_enhanced(f, &e);

	size_t octets =
		f->private_octets - (enhanced ? MPA_ENHANCED_OCTETS : 0);

	met(t, DIM_DUT_PRIVATE, octets);
	axes_add_value(&t->axes, AXIS_DUT_PRIVATE, octets);
	if (enhanced && e.a)
		met(t, DIM_DUT_RTR, rtr_bits(e.b, e.c, e.d));
}

void meets_stream(struct test *t, const struct stream *s)
{
	unsigned peer = s->sent_frame.flags, dut = s->seen_frame.flags, n = 0;
	struct mpa_enhanced e;

	if (!s->association)
		met(t, DIM_STARTUP_FORM,
		    (peer & MPA_M ? 1u : 0) | (peer & MPA_C ? 2u : 0) |
			    (dut & MPA_M ? 4u : 0) | (dut & MPA_C ? 8u : 0) |
			    (model_enhanced(&s->seen_frame, &e) ? 16u : 0));
	for (unsigned i = 0; i < t->streams; i++)
		n += t->stream[i].full && t->stream[i].live &&
		     t->stream[i].end == STREAM_UP;
	met(t, DIM_STREAMS, n);
	meets_on(t, s);
}

/* --- the peer --------------------------------------------------------- */

/* Edges of pages between the first of these octets and the last. */
static uint64_t edges_within(uint64_t from, uint64_t n)
{
	return n ? (from % PAGE + n - 1) / PAGE : 0;
}

static void meets_placed(struct test *t, enum dimension start, uint64_t from,
			 uint64_t n)
{
	if (!n)
		return;
	/* The end and the edges follow in the list. */
	met(t, start, from % PAGE);
	met(t, (enum dimension)(start + 1), (from % PAGE + n) % PAGE);
	met(t, (enum dimension)(start + 2), edges_within(from, n));
	if (from % PAGE == 0)
		axes_add(&t->axes, AXIS_PEER_PAGE, PAGE_BEGINS);
	if ((from + n) % PAGE == 0)
		axes_add(&t->axes, AXIS_PEER_PAGE, PAGE_ENDS);
	if (edges_within(from, n))
		axes_add(&t->axes, AXIS_PEER_PAGE, PAGE_CROSSED);
}

/* Which part of an STag is right. */
static void meets_stag(struct test *t, const struct stream *s, uint32_t stag)
{
	bool index = false, key = false;

	for (unsigned i = 0; i < t->regions; i++) {
		const struct test_region *r = &t->region[i];
		uint32_t wrong = r->r.stag ^ stag;

		if (!wrong && !r->gone) {
			axes_add(&t->axes, AXIS_PEER_STAG,
				 r->opts.pd == s->opts.pd
					 ? STAG_IS_RIGHT
					 : STAG_IS_OF_OTHER_PD);
			return;
		}
		index |= wrong && !(wrong >> 8);
		key |= wrong && !(wrong & 0xff);
	}
	if (index)
		axes_add(&t->axes, AXIS_PEER_STAG, STAG_HAS_WRONG_KEY);
	else if (key)
		axes_add(&t->axes, AXIS_PEER_STAG, STAG_HAS_WRONG_INDEX);
}

/* Which part of an MSN is right; that of a message in turn is used up. */
static void meets_msn(struct test *t, const struct stream *s,
		      const struct msg *m, uint32_t qn)
{
	uint32_t by;

	if (qn >= PEER_QUEUES)
		return;
	by = (uint32_t)overridden(m->msn, s->peer.msn[qn]) - s->peer.msn[qn];
	if (!m->msn.set || !by)
		axes_add(&t->axes, AXIS_PEER_MSN_PART, MSN_IS_NEXT);
	else if (by % 256 == 0)
		axes_add(&t->axes, AXIS_PEER_MSN_PART, MSN_IS_WRONG_ABOVE);
	else if (by != UINT32_MAX)
		axes_add(&t->axes, AXIS_PEER_MSN_PART, MSN_IS_WRONG);
}

/* What the peer names of the device's memory, and how much of it. */
static void meets_named(struct test *t, const struct stream *s,
			const struct msg *m, size_t octets, bool own_header)
{
	bool tagged =
		m->opcode == RDMAP_WRITE || m->opcode == RDMAP_READ_RESPONSE;

	if (tagged) {
		meets_stag(t, s, (uint32_t)overridden(m->stag_field, m->stag));
		axes_add_value(&t->axes, AXIS_PEER_TO,
			       overridden(m->to_field, m->to));
	} else if (m->opcode == RDMAP_READ_REQUEST && own_header) {
		meets_stag(t, s, m->read.source_stag);
		axes_add_value(&t->axes, AXIS_PEER_TO, m->read.source_to);
		axes_add_value(&t->axes, AXIS_PEER_TO, m->read.sink_to);
		octets = m->read.size;
	} else if (m->opcode == RDMAP_ATOMIC_REQUEST && own_header) {
		meets_stag(t, s, m->atomic.stag);
		axes_add_value(&t->axes, AXIS_PEER_TO, m->atomic.to);
	} else if (m->inval) {
		meets_stag(t, s, m->inval);
	}
	axes_add_length(&t->axes, AXIS_PEER_LENGTH, octets,
			ddp_header_octets(tagged));
}

/* The operands for a word that several streams change depend on the values they
 * found, and so on chance. */
static bool is_raced(const struct test *t, uint32_t stag)
{
	for (unsigned i = 0; i < t->regions; i++)
		if (t->region[i].opts.raced && t->region[i].r.stag == stag)
			return true;
	return false;
}

static void meets_atomic(struct test *t, const struct rdmap_atomic_request *a)
{
	met(t, DIM_PEER_ATOMIC, a->aopcode);
	if (is_raced(t, a->stag))
		return;
	met(t, DIM_PEER_ATOMIC_DATA, a->data);
	met(t, DIM_PEER_ATOMIC_MASK, a->mask);
	met(t, DIM_PEER_ATOMIC_START, a->to % PAGE);
	if (a->aopcode != RDMAP_CMPSWAP)
		return;
	met(t, DIM_PEER_ATOMIC_COMPARE, a->compare);
	met(t, DIM_PEER_ATOMIC_COMPARE_MASK, a->compare_mask);
}

static void meets_read(struct test *t, const struct rdmap_read_request *r)
{
	met(t, DIM_PEER_READ, r->size);
	met(t, DIM_PEER_READ_TO, r->source_to);
	met(t, DIM_PEER_SINK_TO, r->sink_to);
	meets_placed(t, DIM_PEER_READ_START, r->source_to, r->size);
}

void meets_message(struct test *t, const struct stream *s, const struct msg *m,
		   size_t octets, uint32_t qn)
{
	bool own_header = !m->octets && !m->n; /* the one of its kind */
	uint64_t to = overridden(m->to_field, m->to);
	bool send = m->opcode >= RDMAP_SEND && m->opcode <= RDMAP_SEND_SE_INV;

	if (!t->aside) {
		meets_named(t, s, m, octets, own_header);
		meets_msn(t, s, m, qn);
	}
	if (send) {
		met(t, DIM_PEER_SEND, octets);
		met(t, DIM_PEER_SEND_KIND, (unsigned)m->opcode - RDMAP_SEND);
	} else if (m->opcode == RDMAP_WRITE) {
		met(t, DIM_PEER_WRITE, octets);
		met(t, DIM_PEER_WRITE_TO, to);
		meets_placed(t, DIM_PEER_WRITE_START, to, octets);
	} else if (m->opcode == RDMAP_READ_REQUEST && own_header) {
		meets_read(t, &m->read);
	} else if (m->opcode == RDMAP_ATOMIC_REQUEST && own_header) {
		meets_atomic(t, &m->atomic);
	}
	if (qn == DDP_QN_SEND && !overridden(m->t, false) &&
	    (send || m->opcode == RDMAP_IMM || m->opcode == RDMAP_IMM_SE))
		met(t, DIM_CREDITS,
		    s->receives > s->sends ? s->receives - s->sends : 0);
	if (s->model && (m->opcode == RDMAP_READ_REQUEST ||
			 m->opcode == RDMAP_ATOMIC_REQUEST))
		met(t, DIM_PEER_OUTSTANDING, s->model->asked + 1);
}

void meets_segment_sent(struct test *t, const struct stream *s,
			const struct ddp_segment *seg, const struct frame *f)
{
	const struct ddp *d = &seg->ddp;

	if (!t->aside) {
		meets_on(t, s);
		meets_segment(t, AXIS_PEER_SEGMENT, !s->peer_inside, d->last);
		axes_add_opcode(&t->axes, AXIS_PEER_OPCODE, d->opcode);
		axes_add_length(
			&t->axes, AXIS_PEER_ULPDU,
			seg->payload_octets + ddp_header_octets(d->tagged), 0);
	}
	if (!t->aside && !d->tagged) {
		axes_add_value(&t->axes, AXIS_PEER_MSN, d->msn);
		axes_add_value(&t->axes, AXIS_PEER_MO, d->mo);
	}
	met(t, DIM_PEER_SEGMENT, seg->payload_octets);
	if (!f->chunk)
		met(t, DIM_PEER_PAD, f->fpdu->pad_octets);
	if (s->peer.tx_markers)
		met(t, DIM_PEER_PHASE, f->fpdu->offset % FPDU_MARKER_SPACING);
	if (d->tagged)
		return;
	met(t, DIM_PEER_MO, d->mo);
	if (d->qn == DDP_QN_SEND)
		met(t, DIM_PEER_MSN, d->msn);
	if (d->qn == DDP_QN_READ_REQUEST)
		met(t, DIM_PEER_REQUEST_MSN, d->msn);
}

void meets_message_sent(struct test *t, struct stream *s, const struct msg *m,
			size_t segments)
{
	met(t, DIM_PEER_SEGMENTS, segments);
	axes_add_count(&t->axes, AXIS_PEER_COUNT, ++s->peer_messages);
	/* A Request of the device has its answer. */
	if ((m->opcode == RDMAP_READ_RESPONSE ||
	     m->opcode == RDMAP_ATOMIC_RESPONSE) &&
	    s->asked)
		s->asked--;
}

/* The octets in front of the cut of the FPDU that is cut there. */
static bool cut_within(const struct stream *s, size_t at, size_t *within)
{
	size_t from = 0;

	for (unsigned i = 0; i < s->bounds; i++) {
		if (s->bound[i] > at) {
			*within = at - from;
			return true;
		}
		from = s->bound[i];
	}
	*within = 0;
	return s->bounds && from == at;
}

void meets_write(struct test *t, const struct stream *s, size_t n,
		 const size_t *cuts, size_t ncuts, bool goes_on)
{
	size_t within;

	if (!n)
		return;
	met(t, DIM_PEER_PIECES, ncuts + 1);
	for (size_t i = 0; i < ncuts; i++)
		if (cut_within(s, cuts[i], &within))
			met(t, DIM_PEER_CUT, within);
	if (goes_on && cut_within(s, n, &within))
		met(t, DIM_PEER_CUT, within);
}

/* --- the device ------------------------------------------------------- */

/* What the device sends on its own, or for the case: not what answers the
 * suite's own question. */
static void meets_frame_of_case(struct test *t, const struct stream *s,
				const struct frame *f)
{
	const struct ddp *d = &f->seg.ddp;

	meets_on(t, s);
	meets_segment(t, AXIS_DUT_SEGMENT, s->segments == 1, d->last);
	axes_add_opcode(&t->axes, AXIS_DUT_OPCODE, d->opcode);
	axes_add_length(&t->axes, AXIS_DUT_ULPDU,
			f->seg.payload_octets + ddp_header_octets(d->tagged),
			0);
	if (d->last)
		axes_add_length(&t->axes, AXIS_DUT_LENGTH, s->octets,
				ddp_header_octets(d->tagged));
	if (d->tagged) {
		axes_add_value(&t->axes, AXIS_DUT_TO, d->to);
		return;
	}
	axes_add_value(&t->axes, AXIS_DUT_MSN, d->msn);
	axes_add_value(&t->axes, AXIS_DUT_MO, d->mo);
}

void meets_frame(struct test *t, struct stream *s, const struct frame *f,
		 bool is_answer)
{
	const struct ddp *d = &f->seg.ddp;

	if (f->seg.short_header)
		return;
	met(t, DIM_DUT_SEGMENT, f->seg.payload_octets);
	if (!f->chunk)
		met(t, DIM_DUT_PAD, f->fpdu->pad_octets);
	if (s->peer.rx_markers)
		met(t, DIM_DUT_PHASE, f->fpdu->offset % FPDU_MARKER_SPACING);
	s->segments++;
	s->octets += f->seg.payload_octets;
	if (!is_answer)
		meets_frame_of_case(t, s, f);
	if (d->last) {
		met(t, DIM_DUT_SEGMENTS, s->segments);
		axes_add_count(&t->axes, AXIS_DUT_COUNT, ++s->dut_messages);
		s->segments = 0;
		s->octets = 0;
	}
	if (d->tagged)
		return;
	met(t, DIM_DUT_MO, d->mo);
	if (d->qn == DDP_QN_SEND)
		met(t, DIM_DUT_MSN, d->msn);
	if (d->qn == DDP_QN_READ_REQUEST)
		met(t, DIM_DUT_REQUEST_MSN, d->msn);
}

void meets_region(struct test *t, const struct region_opts *o)
{
	met(t, DIM_REGION_OCTETS, o->len);
}

void meets_receives(struct test *t, size_t octets)
{
	met(t, DIM_RECEIVE, octets);
}

void meets_work(struct test *t, struct stream *s, const struct post *p)
{
	bool send = p->op == POST_OP_SEND;
	bool write = p->op == POST_OP_WRITE || p->op == POST_OP_WRITE_IMM;
	bool asks = !send && !write && p->op != POST_OP_IMM;

	if (send) {
		met(t, DIM_DUT_SEND, p->len);
		met(t, DIM_DUT_SEND_KIND,
		    (p->invalidate ? 1u : 0) | (p->se ? 2u : 0));
	} else if (write) {
		met(t, DIM_DUT_WRITE, p->len);
		met(t, DIM_DUT_WRITE_TO, p->rto);
	} else if (p->op == POST_OP_READ) {
		met(t, DIM_DUT_READ, p->len);
		met(t, DIM_DUT_READ_TO, p->rto);
		axes_add_length(&t->axes, AXIS_DUT_LENGTH, p->len,
				DDP_UNTAGGED_OCTETS);
		axes_add_value(&t->axes, AXIS_DUT_TO, p->rto);
	} else if (asks) {
		met(t, DIM_DUT_ATOMIC,
		    p->op == POST_OP_FETCHADD ? RDMAP_FETCHADD
		    : p->op == POST_OP_SWAP   ? RDMAP_SWAP
					      : RDMAP_CMPSWAP);
	}
	if (p->local)
		met(t, asks ? DIM_DUT_SINK_START : DIM_DUT_SOURCE_START,
		    p->off);
	if (p->fence)
		met(t, DIM_DUT_FENCED, s->asked);
	if (asks)
		met(t, DIM_DUT_OUTSTANDING, ++s->asked);
}
