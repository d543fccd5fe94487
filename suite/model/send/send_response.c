/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DUT's answers to the TP's Requests: one for each, in the order of the
 * Requests, Reads and atomics together (RFC 5040 s5.2.2, RFC 7306 s5.2.2,
 * s7), with the buffer, size and octets asked for.
 */
#include <string.h>

#include "suite/model/internal.h"

/* Take the Request in this slot out, and all in front that are done with. */
static void ask_done(struct model *m, unsigned slot)
{
	m->ask[slot].gone = true;
	m->serves = true;
	memory_settles(m, &m->ask[slot]);
	while (m->asked && m->ask[m->asked_first].gone) {
		m->asked_first = (m->asked_first + 1) % MODEL_REQUESTS;
		m->asked--;
	}
}

static unsigned slot_of(const struct model *m, unsigned i)
{
	return (m->asked_first + i) % MODEL_REQUESTS;
}

/* Answered before one that was not answered at all. */
static void skip_optional(struct model *m, unsigned upto)
{
	unsigned i;

	for (i = 0; i < upto; i++) {
		m->passed_over |= !ask_at(m, i)->gone;
		ask_at(m, i)->gone = true;
	}
}

/* What had to be refused, and its stream ended: what comes later asks for
 * nothing. NULL if there is none. */
static const struct model_suspect *went_on(const struct model *m)
{
	for (unsigned i = 0; i < m->suspects; i++)
		if (!model_outcomes_has(&m->suspect[i].outcomes, MODEL_PROCESS))
			return &m->suspect[i];
	return NULL;
}

/* It has not refused these: the header that a later Terminate returns may be
 * that of any message behind them. */
static void compare_no_headers(struct model *m)
{
	for (unsigned i = 0; i < m->suspects; i++)
		m->suspect[i].no_header |= !model_outcomes_has(
			&m->suspect[i].outcomes, MODEL_PROCESS);
}

/*
 * Nobody asked for this. If a Request at fault did, or one behind any message
 * at fault, the answer breaks the requirement to refuse that.
 */
static void unasked(struct model *m, unsigned request, unsigned short req,
		    struct model_objections *out)
{
	unsigned i;

	compare_no_headers(m);
	for (i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (s->ddp.opcode == request &&
		    !model_outcomes_has(&s->outcomes, MODEL_PROCESS)) {
			model_object_to(
				out,
				&(struct model_objection){
					.req = s->outcomes.req,
					.fault = MODEL_FAULT_RESPONSE_REFUSABLE,
					.seen = s->ddp.msn,
					.stimulus = s->stimulus,
					.allowed = s->outcomes,
				});
			return;
		}
	}
	if (!m->lossy)
		model_object(out,
			     went_on(m)       ? went_on(m)->outcomes.req
			     : m->passed_over ? LEVEL(RDMAP_5_2_2_05)
					      : req,
			     MODEL_FAULT_RESPONSE_UNASKED,
			     request == RDMAP_ATOMIC_REQUEST
				     ? RDMAP_ATOMIC_RESPONSE
				     : RDMAP_READ_RESPONSE,
			     MODEL_NOTHING);
}

/* `seen` is the Request that this answers instead, NULL if none is found. */
static void out_of_turn(unsigned short req, const struct model_request *seen,
			const struct model_request *due,
			struct model_objections *out)
{
	model_object_to(
		out, &(struct model_objection){
			     .req = req,
			     .fault = MODEL_FAULT_RESPONSE_ORDER,
			     .seen = seen ? seen->msn : MODEL_NOTHING,
			     .due = due->msn,
			     .due_opcode = due->atomic ? RDMAP_ATOMIC_RESPONSE
						       : RDMAP_READ_RESPONSE,
		     });
}

/* The first one that has to be answered, else the first; -1 if none. */
static int next_due(struct model *m)
{
	unsigned i;
	int first = -1;

	for (i = 0; i < m->asked; i++) {
		if (ask_at(m, i)->gone)
			continue;
		if (!ask_at(m, i)->optional)
			return (int)i;
		if (first < 0)
			first = (int)i;
	}
	return first;
}

/* Octets at the very end of a sink are at the start of another's. */
static bool read_fits(const struct model_request *q,
		      const struct ddp_segment *seg)
{
	uint64_t at = seg->ddp.to - q->sink_to;

	if (q->atomic || q->gone || q->sink_stag != seg->ddp.stag)
		return false;
	return at < q->size || (at == q->size && !seg->payload_octets) || !at;
}

/*
 * RFC 5040 s4.4 has STag and TO copied, RFC 5041 s5.2 gives them no meaning in
 * a segment without payload. One case reports that.
 */
static bool empty_fits(const struct model_request *q,
		       const struct ddp_segment *seg)
{
	return !q->atomic && !q->gone && !q->size && !seg->payload_octets &&
	       seg->ddp.last;
}

/* ---- Read Response ------------------------------------------------------- */

static void find_read(struct model *m, const struct ddp_segment *seg,
		      struct model_objections *out)
{
	unsigned i;
	int due = next_due(m);

	m->tx_ask = -1;
	for (i = 0; i < m->asked; i++) {
		if (read_fits(ask_at(m, i), seg)) {
			skip_optional(m, i);
			m->tx_ask = (int)slot_of(m, i);
			return;
		}
		if (!ask_at(m, i)->optional && !ask_at(m, i)->gone)
			break;
	}
	if (due >= 0 && empty_fits(ask_at(m, (unsigned)due), seg)) {
		skip_optional(m, (unsigned)due);
		m->tx_ask = (int)slot_of(m, (unsigned)due);
		return;
	}
	if (due < 0) {
		unasked(m, RDMAP_READ_REQUEST, LEVEL(RDMAP_5_2_01), out);
		return;
	}
	for (i = (unsigned)due + 1; i < m->asked; i++)
		if (read_fits(ask_at(m, i), seg))
			break;
	if (i < m->asked || ask_at(m, (unsigned)due)->atomic) {
		bool atomic = ask_at(m, (unsigned)due)->atomic;

		out_of_turn(atomic ? LEVEL(RDMAPX_7_10) : LEVEL(RDMAP_5_2_2_05),
			    i < m->asked ? ask_at(m, i) : NULL,
			    ask_at(m, (unsigned)due), out);
		if (i < m->asked)
			m->tx_ask = (int)slot_of(m, i);
		return;
	}
	m->tx_ask = (int)slot_of(m, (unsigned)due);
}

/*
 * Octets that two legal orders would leave different are not compared, nor
 * reported as those that were due.
 */
static bool source_differs(const struct model *m, const struct model_request *q,
			   uint64_t from, const uint8_t *octets, uint64_t n,
			   struct model_objection *o)
{
	int i = memory_find(m, q->source_stag);
	const uint8_t *due = memory_at(m, i, from, n);
	uint64_t k, start;

	if (!due || !n)
		return false;
	if (memcmp(due, octets, n) == 0)
		return false;
	for (k = start = 0; k < n; k++) {
		uint64_t to = from + k;

		if (!run_overlaps(q->touched, to, to + 1) &&
		    memory_certain(m, i, to, 1))
			continue;
		if (model_octets_differ(o, octets + start, due + start,
					k - start))
			break;
		start = k + 1;
	}
	if (!o->due_octets.n &&
	    !model_octets_differ(o, octets + start, due + start, n - start))
		return false;
	o->at += start;
	return true;
}

void send_read_response(struct model *m, const struct ddp_segment *seg,
			bool first, struct model_objections *out)
{
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets, at;
	struct model_objection data = {.fault = MODEL_FAULT_RESPONSE_DATA};
	struct model_request *q;

	if (first)
		find_read(m, seg, out);
	if (m->tx_ask < 0)
		return;
	q = &m->ask[m->tx_ask];
	at = d->to - q->sink_to;
	if (first && q->size && d->stag != q->sink_stag)
		model_object(out, LEVEL(RDMAP_4_4_02),
			     MODEL_FAULT_RESPONSE_STAG, d->stag, q->sink_stag);
	/* Offsets that leave no span are another fault, reported already. */
	if (d->last && q->size && m->tx_span.from != q->sink_to &&
	    m->tx_span.to - m->tx_span.from == m->tx_octets)
		model_object(out, LEVEL(RDMAP_4_4_04), MODEL_FAULT_RESPONSE_TO,
			     m->tx_span.from, q->sink_to);
	if ((d->last && m->tx_octets != q->size) || m->tx_octets > q->size)
		model_object(out,
			     q->size ? LEVEL(RDMAP_4_4_05)
				     : LEVEL(RDMAP_5_2_1_16),
			     MODEL_FAULT_RESPONSE_SIZE, m->tx_octets, q->size);
	else if (at <= q->size && n <= q->size - at &&
		 source_differs(m, q, q->source_to + at, seg->payload, n,
				&data)) {
		data.at += at;
		data.req = atomic_row(
			memory_why(m, q->source_stag, q->source_to + data.at),
			LEVEL(RDMAP_5_2_1_09));
		model_object_to(out, &data);
	}
	if (at <= q->size && n <= q->size - at)
		memory_shows(m, q->source_stag, q->source_to + at, seg->payload,
			     n, q->touched, MODEL_OCTET_SEEN);
	q->done = m->tx_octets > q->size ? q->size : (uint32_t)m->tx_octets;
	if (d->last) {
		ask_done(m, (unsigned)m->tx_ask);
		m->tx_ask = -1;
	}
}

bool response_whole(const struct model *m)
{
	return m->tx_ask >= 0 && m->ask[m->tx_ask].size == m->tx_octets;
}

void response_done(struct model *m)
{
	ask_done(m, (unsigned)m->tx_ask);
	m->tx_ask = -1;
}

/* ---- Atomic Response ------------------------------------------------------ */

static int find_atomic(struct model *m, uint32_t id,
		       struct model_objections *out)
{
	unsigned i;
	int due = next_due(m);

	for (i = 0; i < m->asked; i++) {
		const struct model_request *q = ask_at(m, i);

		if (q->atomic && !q->gone && (q->id == id || !q->optional)) {
			skip_optional(m, i);
			break;
		}
		if (!q->optional && !q->gone)
			break;
	}
	if (due < 0) {
		unasked(m, RDMAP_ATOMIC_REQUEST, LEVEL(RDMAPX_5_2_1_25), out);
		return -1;
	}
	if (i < m->asked && ask_at(m, i)->atomic && ask_at(m, i)->id == id)
		return (int)slot_of(m, i);

	/* Not the one that is due: is it one that comes later? */
	for (i = (unsigned)due + 1; i < m->asked; i++) {
		const struct model_request *q = ask_at(m, i);

		if (!q->atomic || q->gone || q->id != id)
			continue;
		out_of_turn(ask_at(m, (unsigned)due)->atomic
				    ? LEVEL(RDMAPX_5_2_2_09)
				    : LEVEL(RDMAPX_7_14),
			    q, ask_at(m, (unsigned)due), out);
		return (int)slot_of(m, i);
	}
	if (ask_at(m, (unsigned)due)->atomic)
		return (int)slot_of(m, (unsigned)due);
	unasked(m, RDMAP_ATOMIC_REQUEST, LEVEL(RDMAPX_5_2_1_25), out);
	return -1;
}

void send_atomic_response(struct model *m, const struct ddp_segment *seg,
			  struct model_objections *out)
{
	struct rdmap_atomic_response h;
	const struct model_request *q;
	int slot;

	if (!rdmap_atomic_response_decode(&h, seg->payload,
					  seg->payload_octets))
		return;
	slot = find_atomic(m, h.id, out);
	if (slot < 0)
		return;
	q = &m->ask[slot];
	if (h.id != q->id)
		model_object(out, LEVEL(RDMAPX_5_2_1_10), MODEL_FAULT_ATOMIC_ID,
			     h.id, q->id);
	if (q->value_known && h.value != q->value)
		model_object(out,
			     q->aopcode == RDMAP_FETCHADD
				     ? LEVEL(RDMAPX_5_1_1_09)
				     : LEVEL(RDMAPX_5_1_2_08),
			     MODEL_FAULT_ATOMIC_VALUE, h.value, q->value);
	atomic_answered(m, (unsigned)slot, h.value, out);
	ask_done(m, (unsigned)slot);
}
