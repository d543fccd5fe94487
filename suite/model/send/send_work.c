/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the DUT sends, against the work that was posted on it: one message
 * for each, in posting order (RFC 5040 s5.5, RFC 7306 s5.2.1, s6.3), with the
 * STag, TO and octets given; and its own Requests against the ORD (RFC 5040
 * s6.1).
 */
#include <string.h>

#include "suite/model/internal.h"
#include "suite/model/startup/negotiate.h"

#define NO_WORK 0xffffffffu

static struct model_posted *work_at(struct model *m, uint32_t i)
{
	return &m->posted[i % MODEL_WORKS];
}

/* It was not overwritten by one posted later. */
static bool is_remembered(const struct model *m, uint32_t work)
{
	return work != NO_WORK && m->works - work <= MODEL_WORKS;
}

const struct model_work *work_of(struct model *m, const struct model_request *q)
{
	return is_remembered(m, q->work) ? &work_at(m, q->work)->work : NULL;
}

void work_answered(struct model *m, uint32_t work)
{
	if (is_remembered(m, work))
		work_at(m, work)->state = MODEL_WORK_ANSWERED;
}

/* The opcode of the message that this work has to send next. */
static unsigned work_opcode(const struct model_work *w, bool imm_due)
{
	switch (w->op) {
	case MODEL_WORK_SEND:
		if (w->inv)
			return w->se ? RDMAP_SEND_SE_INV : RDMAP_SEND_INV;
		return w->se ? RDMAP_SEND_SE : RDMAP_SEND;
	case MODEL_WORK_WRITE_IMM:
		if (!imm_due)
			return RDMAP_WRITE;
		return w->se ? RDMAP_IMM_SE : RDMAP_IMM;
	case MODEL_WORK_IMM:
		return w->se ? RDMAP_IMM_SE : RDMAP_IMM;
	case MODEL_WORK_WRITE:
		return RDMAP_WRITE;
	case MODEL_WORK_READ:
		return RDMAP_READ_REQUEST;
	default:
		return RDMAP_ATOMIC_REQUEST;
	}
}

static unsigned short order_row(unsigned opcode)
{
	switch (opcode) {
	case RDMAP_WRITE:
		return LEVEL(RDMAP_5_1_06);
	case RDMAP_READ_REQUEST:
		return LEVEL(RDMAP_5_2_1_05);
	case RDMAP_ATOMIC_REQUEST:
		return LEVEL(RDMAPX_5_2_1_23);
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		return LEVEL(RDMAPX_6_3_07);
	default:
		return LEVEL(RDMAP_5_3_10);
	}
}

/* Whether this first segment could belong to that work. */
static bool fits(const struct model_work *w, const struct ddp_segment *seg,
		 bool imm_due)
{
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets;

	if (work_opcode(w, imm_due) != d->opcode)
		return false;
	switch (d->opcode) {
	case RDMAP_WRITE:
		if (w->len && (d->stag != w->stag || d->to != w->to))
			return false;
		break;
	case RDMAP_SEND:
	case RDMAP_SEND_INV:
	case RDMAP_SEND_SE:
	case RDMAP_SEND_SE_INV:
		break;
	default:
		return true;
	}
	if (n > w->len || (d->last && n != w->len))
		return false;
	return !w->data || !n || memcmp(w->data, seg->payload, n) == 0;
}

/* ---- one message against one work ------------------------------------------ */

static void object_to_data(unsigned short req, uint64_t at, const uint8_t *seen,
			   const uint8_t *due, size_t n,
			   struct model_objections *out)
{
	struct model_objection o = {.req = req, .fault = MODEL_FAULT_POST_DATA};

	if (!model_octets_differ(&o, seen, due, n))
		return;
	o.at += at;
	model_object_to(out, &o);
}

static void check_payload(struct model *m, const struct ddp_segment *seg,
			  const struct model_work *w,
			  struct model_objections *out)
{
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets;
	uint64_t at = d->tagged ? d->to - w->to : d->mo;

	if (d->tagged && w->len && d->stag != w->stag)
		model_object(out, LEVEL(DDP_4_2_04), MODEL_FAULT_POST_STAG,
			     d->stag, w->stag);
	if (d->tagged && w->len && d->last && m->tx_span.from != w->to)
		model_object(out, LEVEL(DDP_5_2_07), MODEL_FAULT_POST_TO,
			     m->tx_span.from, w->to);
	else if (!m->tx_disorder && w->data && at <= w->len && n <= w->len - at)
		object_to_data(LEVEL(DDP_5_2_03), at, seg->payload,
			       w->data + at, n, out);
	if ((d->last && m->tx_octets != w->len) || m->tx_octets > w->len)
		model_object(out, LEVEL(DDP_5_2_03), MODEL_FAULT_POST_LENGTH,
			     m->tx_octets, w->len);
	if ((d->opcode == RDMAP_SEND_INV || d->opcode == RDMAP_SEND_SE_INV) &&
	    d->inval_stag != w->inv_stag)
		model_object(out,
			     d->opcode == RDMAP_SEND_INV ? LEVEL(RDMAP_4_1_20)
							 : LEVEL(RDMAP_5_3_13),
			     MODEL_FAULT_INVALIDATE_STAG, d->inval_stag,
			     w->inv_stag);
}

/* A field of a Request. */
static void check_field(enum model_fault fault, enum model_field field,
			unsigned short req, uint64_t seen, uint64_t due,
			struct model_objections *out)
{
	if (seen != due)
		model_object_to(out, &(struct model_objection){.req = req,
							       .fault = fault,
							       .field = field,
							       .seen = seen,
							       .due = due});
}

static void check_operand(enum model_field field, unsigned short req,
			  uint64_t seen, uint64_t due,
			  struct model_objections *out)
{
	check_field(MODEL_FAULT_ATOMIC_OPERAND, field, req, seen, due, out);
}

static void check_read_request(const struct rdmap_read_request *h,
			       const struct model_work *w,
			       struct model_objections *out)
{
	unsigned short req = LEVEL(RDMAP_4_4_01);

	check_field(MODEL_FAULT_POST_LENGTH, MODEL_FIELD_SIZE, req, h->size,
		    w->len, out);
	if (!w->len)
		return;
	check_field(MODEL_FAULT_POST_STAG, MODEL_FIELD_SOURCE_STAG, req,
		    h->source_stag, w->stag, out);
	check_field(MODEL_FAULT_POST_TO, MODEL_FIELD_SOURCE_TO, req,
		    h->source_to, w->to, out);
}

/* The rules for every Atomic Request, whoever requested it. Its AOpCode is that
 * of the work, if this is known. */
static void check_atomic_form(const struct model *m,
			      const struct rdmap_atomic_request *h, bool known,
			      struct model_objections *out)
{
	bool draft = m->config.profile >= MODEL_DRAFT_03;
	bool swap = draft && h->aopcode == RDMAP_SWAP;

	if (h->reserved)
		model_object(out,
			     draft ? LEVEL(RDMAPX03_5_2_1_01)
				   : LEVEL(RDMAPX_5_2_1_02),
			     MODEL_FAULT_ATOMIC_RESERVED, h->reserved, 0);
	if (!known && h->aopcode != RDMAP_FETCHADD &&
	    h->aopcode != RDMAP_CMPSWAP && !swap)
		model_object_to(out,
				&(struct model_objection){
					.req = LEVEL(RDMAPX_5_2_1_04),
					.fault = MODEL_FAULT_ATOMIC_AOPCODE,
					.seen = h->aopcode,
					.due = 1u << RDMAP_FETCHADD |
					       1u << RDMAP_CMPSWAP |
					       (unsigned)draft << RDMAP_SWAP,
					.one_of = true,
				});
	if (swap) {
		unsigned short req = LEVEL(RDMAPX03_5_2_1_04);

		check_operand(MODEL_FIELD_MASK, req, h->mask, UINT64_MAX, out);
		check_operand(MODEL_FIELD_COMPARE, req, h->compare, 0, out);
		check_operand(MODEL_FIELD_COMPARE_MASK, req, h->compare_mask,
			      UINT64_MAX, out);
	}
	if (h->aopcode == RDMAP_FETCHADD) {
		check_operand(MODEL_FIELD_COMPARE, LEVEL(RDMAPX_5_2_1_17),
			      h->compare, 0, out);
		check_operand(MODEL_FIELD_COMPARE_MASK, LEVEL(RDMAPX_5_2_1_18),
			      h->compare_mask, UINT64_MAX, out);
	}
}

static void check_atomic_request(const struct rdmap_atomic_request *h,
				 const struct model_work *w,
				 struct model_objections *out)
{
	unsigned short form = LEVEL(RDMAPX_5_2_1_01);
	unsigned short swap = LEVEL(RDMAPX_5_2_1_30);
	unsigned aopcode = w->op == MODEL_WORK_FETCHADD  ? RDMAP_FETCHADD
			   : w->op == MODEL_WORK_CMPSWAP ? RDMAP_CMPSWAP
							 : RDMAP_SWAP;

	if (h->aopcode != aopcode)
		model_object(out,
			     aopcode == RDMAP_CMPSWAP ? LEVEL(RDMAPX_5_2_1_05)
						      : LEVEL(RDMAPX_5_2_1_04),
			     MODEL_FAULT_ATOMIC_AOPCODE, h->aopcode, aopcode);
	check_field(MODEL_FAULT_POST_STAG, MODEL_FIELD_REMOTE_STAG, form,
		    h->stag, w->stag, out);
	check_field(MODEL_FAULT_POST_TO, MODEL_FIELD_REMOTE_TO, form, h->to,
		    w->to, out);
	switch (w->op) {
	case MODEL_WORK_FETCHADD:
		check_operand(MODEL_FIELD_DATA, form, h->data, w->add, out);
		check_operand(MODEL_FIELD_MASK, form, h->mask, w->mask, out);
		break;
	case MODEL_WORK_CMPSWAP:
		check_operand(MODEL_FIELD_DATA, swap, h->data, w->swap, out);
		check_operand(MODEL_FIELD_MASK, swap, h->mask, w->swap_mask,
			      out);
		check_operand(MODEL_FIELD_COMPARE, swap, h->compare, w->compare,
			      out);
		check_operand(MODEL_FIELD_COMPARE_MASK, swap, h->compare_mask,
			      w->compare_mask, out);
		break;
	default:
		check_operand(MODEL_FIELD_DATA, LEVEL(RDMAPX03_5_2_1_04),
			      h->data, w->swap, out);
		break;
	}
}

/* ---- the DUT's own Requests -------------------------------------------------- */

static void want_add(struct model *m, const struct ddp_segment *seg,
		     const struct model_work *w, bool rtr,
		     struct model_objections *out)
{
	struct rdmap_read_request read;
	struct rdmap_atomic_request atomic;
	bool is_atomic = seg->ddp.opcode == RDMAP_ATOMIC_REQUEST;
	struct model_request *q;
	uint32_t reads = 0;
	unsigned i;

	if (is_atomic) {
		if (!rdmap_atomic_request_decode(&atomic, seg->payload,
						 seg->payload_octets))
			return;
		check_atomic_form(m, &atomic, w != NULL, out);
		if (w)
			check_atomic_request(&atomic, w, out);
	} else {
		if (!rdmap_read_request_decode(&read, seg->payload,
					       seg->payload_octets))
			return;
		if (w)
			check_read_request(&read, w, out);
	}
	for (i = 0; i < m->wanted; i++)
		reads += !want_at(m, i)->atomic;
	/* Whether atomics count in the ORD is open: RFC 7306 s5.2. */
	if (!is_atomic && !rtr && m->config.ord != MODEL_UNLIMITED &&
	    reads >= m->config.ord)
		model_object_to(out, &(struct model_objection){
					     .req = LEVEL(RDMAP_6_1_02),
					     .fault = MODEL_FAULT_ORD_EXCEEDED,
					     .seen = reads + 1,
					     .due_max = m->config.ord,
				     });
	if (ring_full(m->wanted)) {
		m->lossy = true;
		return;
	}
	q = want_at(m, m->wanted++);
	memset(q, 0, sizeof(*q));
	q->atomic = is_atomic;
	q->msn = seg->ddp.msn;
	q->work = w ? m->tx_work : NO_WORK;
	if (is_atomic) {
		q->id = atomic.id;
		q->aopcode = atomic.aopcode;
		return;
	}
	q->sink_stag = read.sink_stag;
	q->sink_to = read.sink_to;
	q->size = read.size;
	q->own = m->tx_own;
}

/* ---- the work that it belongs to ----------------------------------------- */

static bool is_unsent(struct model *m, uint32_t i)
{
	return work_at(m, i)->state == MODEL_WORK_UNSENT;
}

/*
 * An RTR belongs to no work, unless the next work looks the same. If no RTR was
 * negotiated, an initiator may all the same open the stream with a zero-length
 * Write or Read: RFC 5040 s5.1 and s5.2.1 do not require a ULP behind it. If a
 * Terminate is due in place of the RTR, what comes is an RTR of any form, and
 * the missing Terminate is the error.
 */
static bool is_bare_rtr(struct model *m, const struct ddp_segment *seg)
{
	uint8_t forms = m->config.rtr ? m->config.rtr
				      : MODEL_RTR_WRITE | MODEL_RTR_READ;
	const struct model_work *w;

	if (m->setup.n && !m->config.rtr)
		forms |= MODEL_RTR_SEND;
	if (!m->config.dut_initiates || m->tx_frames != 1 ||
	    !(rtr_form(seg) & forms))
		return false;
	if (m->works_sent == m->works)
		return true;
	w = &work_at(m, m->works_sent)->work;
	return w->len || work_opcode(w, false) != seg->ddp.opcode;
}

/* It names what this work does, whatever its length. */
static bool is_named_by(const struct model_work *w,
			const struct ddp_segment *seg)
{
	struct rdmap_read_request h;

	if (work_opcode(w, false) != seg->ddp.opcode)
		return false;
	if (seg->ddp.opcode == RDMAP_WRITE)
		return seg->ddp.stag == w->stag && seg->ddp.to == w->to;
	return rdmap_read_request_decode(&h, seg->payload,
					 seg->payload_octets) &&
	       h.source_stag == w->stag && h.source_to == w->to;
}

/* An empty message to the sink of a Read that waits for its Response. */
static bool is_sent_to_a_sink(struct model *m, const struct ddp *d)
{
	for (unsigned i = 0; d->tagged && i < m->asked; i++)
		if (!ask_at(m, i)->atomic &&
		    ask_at(m, i)->sink_stag == d->stag &&
		    ask_at(m, i)->sink_to == d->to)
			return true;
	return false;
}

/* The next work is a message of the same kind without octets. */
static bool looks_like(struct model *m, const struct ddp_segment *seg)
{
	const struct model_work *w = &work_at(m, m->works_sent)->work;

	return m->works_sent != m->works && !w->len &&
	       work_opcode(w, false) == seg->ddp.opcode;
}

/* It names posted work for which another empty message was taken. */
static bool is_of_lent_work(struct model *m, const struct ddp_segment *seg)
{
	uint32_t n = m->works < MODEL_WORKS ? m->works : MODEL_WORKS;

	if (!m->tx_lent)
		return false;
	for (uint32_t i = m->works - n; i != m->works; i++) {
		struct model_posted *p = work_at(m, i);

		if (p->lent && is_named_by(&p->work, seg)) {
			p->lent = false;
			m->tx_lent--;
			return true;
		}
	}
	return false;
}

/*
 * A device may send a zero-length Write or Read that its ULP has not posted
 * wherever it may begin a message: RFC 5040 s5.1 and s5.2.1 permit it, and name
 * no ULP. One that looks like the next work, or names what other work names, is
 * taken for that work, and one to the sink of a Read for its Response.
 */
static bool is_its_own(struct model *m, const struct ddp_segment *seg)
{
	if (!(rtr_form(seg) & (MODEL_RTR_WRITE | MODEL_RTR_READ)))
		return false;
	if (is_of_lent_work(m, seg))
		return true;
	if (is_sent_to_a_sink(m, &seg->ddp) ||
	    !(m->config.dut_initiates || m->config.sctp || m->rx_frames))
		return false;
	if (m->tx_imm_due) /* what is next is no Write */
		return true;
	if (looks_like(m, seg))
		return false;
	for (uint32_t i = m->works_sent; i != m->works; i++)
		if (is_unsent(m, i) && is_named_by(&work_at(m, i)->work, seg))
			return false;
	return true;
}

bool work_is_next(struct model *m, const struct ddp_segment *seg)
{
	return m->config.works_known && m->works_sent != m->works &&
	       fits(&work_at(m, m->works_sent)->work, seg, m->tx_imm_due);
}

/* The same message, without the request for an event. */
static unsigned without_event(unsigned opcode)
{
	switch (opcode) {
	case RDMAP_SEND_SE:
		return RDMAP_SEND;
	case RDMAP_SEND_SE_INV:
		return RDMAP_SEND_INV;
	case RDMAP_IMM_SE:
		return RDMAP_IMM;
	default:
		return opcode;
	}
}

static void find_work(struct model *m, const struct ddp_segment *seg,
		      struct model_objections *out)
{
	const struct model_work *next;
	unsigned due;
	uint32_t i;

	m->tx_matched = false;
	if (m->works_sent == m->works) {
		model_object(out, LEVEL(RDMAP_1_2_01), MODEL_FAULT_NOT_POSTED,
			     seg->ddp.opcode, MODEL_NOTHING);
		return;
	}
	next = &work_at(m, m->works_sent)->work;
	m->tx_work = m->works_sent;
	if (!fits(next, seg, m->tx_imm_due)) {
		for (i = m->works_sent + 1; i != m->works; i++) {
			if (!is_unsent(m, i) ||
			    !fits(&work_at(m, i)->work, seg, false))
				continue;
			model_object_to(
				out, &(struct model_objection){
					     .req = order_row(seg->ddp.opcode),
					     .fault = MODEL_FAULT_POST_ORDER,
					     .seen = i,
					     .due = m->works_sent,
					     .due_opcode = (uint8_t)work_opcode(
						     next, m->tx_imm_due),
				     });
			m->tx_work = i;
			m->tx_matched = true;
			return;
		}
	}
	due = work_opcode(next, m->tx_imm_due);
	if (due != seg->ddp.opcode) {
		/* So there is work of the posted kind, and only its opcode is
		 * that of the other kind. */
		model_object(out,
			     without_event(due) ==
					     without_event(seg->ddp.opcode)
				     ? opcode_row(due)
				     : LEVEL(RDMAP_1_2_01),
			     MODEL_FAULT_NOT_POSTED, seg->ddp.opcode, due);
		return;
	}
	m->tx_matched = true;
}

static void message_sent(struct model *m, const struct model_work *w)
{
	if (w->op == MODEL_WORK_WRITE_IMM && !m->tx_imm_due) {
		m->tx_imm_due = true;
		return;
	}
	m->tx_imm_due = false;
	work_at(m, m->tx_work)->state = MODEL_WORK_SENT;
	while (m->works_sent != m->works && !is_unsent(m, m->works_sent))
		m->works_sent++;
}

bool work_whole(struct model *m)
{
	return m->tx_matched &&
	       work_at(m, m->tx_work)->work.len == m->tx_octets;
}

void work_done(struct model *m)
{
	message_sent(m, &work_at(m, m->tx_work)->work);
	m->tx_matched = false;
}

/* Which of two empty messages is that of the work is not known yet. */
static void lend_work(struct model *m, const struct ddp_segment *seg)
{
	struct model_posted *p;

	if (!rtr_form(seg) || !looks_like(m, seg))
		return;
	p = work_at(m, m->works_sent);
	p->lent = !is_named_by(&p->work, seg);
	m->tx_lent += p->lent;
}

void send_work(struct model *m, const struct ddp_segment *seg, bool first,
	       struct model_objections *out)
{
	const struct model_work *w = NULL;
	unsigned op = m->tx_first.opcode;
	struct rdmap_imm imm;
	bool rtr = first && is_bare_rtr(m, seg);
	bool own = first && !rtr && is_its_own(m, seg);

	if (first && m->config.works_known && !rtr && !own)
		lend_work(m, seg);

	m->tx_own = own || (rtr && !m->config.rtr);
	if (first && m->config.works_known && !rtr && !own)
		find_work(m, seg, out);
	else if (first)
		m->tx_matched = false;
	if (m->tx_matched)
		w = &work_at(m, m->tx_work)->work;
	switch (op) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
		if (first)
			want_add(m, seg, w, rtr, out);
		break;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		if (w &&
		    rdmap_imm_decode(&imm, seg->payload, seg->payload_octets))
			object_to_data(LEVEL(RDMAPX_6_2_01), 0, imm.data,
				       w->imm, sizeof(imm.data), out);
		break;
	default:
		if (w)
			check_payload(m, seg, w, out);
		break;
	}
	if (w && seg->ddp.last)
		message_sent(m, w);
}

bool model_post(struct model *m, const struct model_work *w, uint32_t *index)
{
	if (m->works - m->works_sent >= MODEL_WORKS)
		return false;
	m->revoked = m->revoked || w->no_room;
	m->tx_lent -= m->works >= MODEL_WORKS && work_at(m, m->works)->lent;
	*work_at(m, m->works) =
		(struct model_posted){.work = *w, .state = MODEL_WORK_UNSENT};
	*index = m->works++;
	return true;
}

enum model_work_state model_work_state(const struct model *m, uint32_t index)
{
	if (m->works - index > MODEL_WORKS || index >= m->works)
		return MODEL_WORK_FORGOTTEN;
	return m->posted[index % MODEL_WORKS].state;
}

bool model_own_is_due(const struct model *m)
{
	return m->wanted && m->want[m->wanted_first].own;
}
