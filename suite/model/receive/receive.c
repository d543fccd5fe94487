/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment that the TP sent: its FPDU, the fields that both layers check,
 * and tagged messages. Every check that fails is noted, because the order of
 * checks inside one segment is free; between segments the first error wins
 * (RFC 5040 s7.1 item 4).
 */
#include <string.h>

#include "suite/model/internal.h"
#include "suite/model/startup/negotiate.h"

bool ring_full(unsigned count)
{
	return count == MODEL_REQUESTS;
}

struct model_request *ask_at(struct model *m, unsigned i)
{
	return &m->ask[(m->asked_first + i) % MODEL_REQUESTS];
}

struct model_request *want_at(struct model *m, unsigned i)
{
	return &m->want[(m->wanted_first + i) % MODEL_REQUESTS];
}

static bool outcome_is_in(const struct model_outcomes *o,
			  const struct model_outcome *x)
{
	unsigned i;

	for (i = 0; i < o->n; i++)
		if (o->outcome[i].kind == x->kind &&
		    o->outcome[i].layer == x->layer &&
		    o->outcome[i].etype == x->etype &&
		    o->outcome[i].code == x->code)
			return true;
	return false;
}

/*
 * Two faults in one segment: any reaction to either is allowed; processing it
 * only if both allow that.
 */
void verdict_add(struct verdict *v, enum model_stimulus s)
{
	struct model_outcomes more = model_fault_outcomes(s);
	bool refuses = !model_outcomes_has(&more, MODEL_PROCESS);
	unsigned i, n;

	if (v->first == MODEL_STIM_NONE || (refuses && !v->refused)) {
		v->first = s;
		v->o.req = more.req;
		v->o.silent_req = more.silent_req;
		v->o.open = more.open;
	} else if (refuses) {
		v->o.open = v->o.open && more.open;
		if (more.silent_req == MODEL_REQ_NONE)
			v->o.silent_req = MODEL_REQ_NONE;
	}
	for (i = 0; i < more.n; i++)
		if (!outcome_is_in(&v->o, &more.outcome[i]) &&
		    v->o.n < MODEL_OUTCOMES)
			v->o.outcome[v->o.n++] = more.outcome[i];
	v->refused = v->refused || refuses;
	if (!v->refused)
		return;
	for (i = n = 0; i < v->o.n; i++)
		if (v->o.outcome[i].kind != MODEL_PROCESS)
			v->o.outcome[n++] = v->o.outcome[i];
	v->o.n = n;
}

void suspect_add(struct model *m, const struct verdict *v,
		 const struct ddp *ddp, size_t ulpdu_length, bool no_header)
{
	struct model_suspect *s;
	unsigned i;

	if (m->suspects == MODEL_SUSPECTS) {
		/* Too many to track individually: the last one stands for the
		 * others. */
		s = &m->suspect[MODEL_SUSPECTS - 1];
		no_header = true;
	} else {
		s = &m->suspect[m->suspects++];
	}
	*s = (struct model_suspect){
		.stimulus = v->first,
		.outcomes = v->o,
		.ddp = *ddp,
		.ulpdu_length = (uint16_t)ulpdu_length,
		.no_header = no_header,
		.has_rdma_header = v->has_read,
	};
	/* RFC 5040 s7.1 lists the messages whose errors require a Terminate,
	 * and a Terminate is not among them. */
	if (ddp->opcode == RDMAP_TERMINATE &&
	    s->outcomes.silent_req == LEVEL(RDMAP_7_1_08))
		s->outcomes.silent_req = LEVEL(RDMAP_6_2_1_01);
	if (v->has_read)
		rdmap_read_request_encode(&v->read, s->rdma_header,
					  sizeof(s->rdma_header));

	/* The DUT may end the stream here: earlier Requests may stay
	 * unanswered. */
	for (i = 0; i < m->asked; i++)
		ask_at(m, i)->optional = true;
	m->uncertain = true;
	if (!v->refused)
		return;
	if (model_outcomes_has(&v->o, MODEL_BACK_PRESSURE))
		m->held = true;
	else if (model_outcomes_has(&v->o, MODEL_WAIT))
		m->lossy = true;
	else
		m->failed = true;
}

static enum model_stimulus invalid_stag(const struct model *m,
					const struct ddp *d)
{
	if (!d->stag && d->opcode == RDMAP_WRITE)
		return MODEL_STIM_STAG_ZERO;
	if (d->opcode == RDMAP_WRITE && memory_is_near(m, d->stag))
		return MODEL_STIM_STAG_NEAR;
	return m->rx_tagged_open && d->stag != m->rx_tagged.stag
		       ? MODEL_STIM_STAG_ANOTHER
		       : MODEL_STIM_STAG;
}

/* RFC 5041 s7.1 on a tagged segment with payload. */
static void judge_access(const struct model *m, const struct ddp_segment *seg,
			 unsigned faults, struct verdict *v)
{
	/* The sum of both wraps, also where the last octet is the last of all. */
	if (faults & ACCESS_BOUNDS && seg->ddp.to + seg->payload_octets == 0)
		faults ^= ACCESS_BOUNDS | ACCESS_WRAP;
	if (faults & ACCESS_WRAP)
		verdict_add(v, MODEL_STIM_TAGGED_WRAP);
	if (faults & ACCESS_STAG)
		verdict_add(v, invalid_stag(m, &seg->ddp));
	if (faults & ACCESS_STREAM)
		verdict_add(v, MODEL_STIM_STAG_STREAM);
	if (faults & ACCESS_BOUNDS)
		verdict_add(v, MODEL_STIM_TAGGED_BOUNDS);
	if (faults & ACCESS_RIGHTS)
		verdict_add(v, MODEL_STIM_WRITE_ACCESS);
}

struct place {
	uint32_t stag;
	uint64_t to;
	bool elsewhere; /* than the header says */
};

/*
 * The destination of a tagged segment. The Request names the sink of a Read,
 * which may have another STag and TO than the region (RFC 5040 s4.4). No
 * address in the region corresponds to octets past the end of all TOs.
 */
static struct place place_of(struct model *m, const struct ddp_segment *seg)
{
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets;
	unsigned i;

	if (!m->config.sinks_elsewhere || d->opcode != RDMAP_READ_RESPONSE ||
	    !n || d->to > UINT64_MAX - (n - 1))
		return (struct place){d->stag, d->to, false};
	for (i = 0; i < m->wanted; i++) {
		const struct model_request *q = want_at(m, i);
		const struct model_work *w = work_of(m, q);

		if (!q->atomic && q->sink_stag == d->stag && w && w->local)
			return (struct place){
				w->local_stag,
				w->local_to + (d->to - q->sink_to), true};
	}
	return (struct place){d->stag, d->to, false};
}

/* A sink that the DUT has named in its own Request is valid there. */
static unsigned response_access(struct model *m, const struct ddp_segment *seg,
				const struct place *at)
{
	unsigned i;
	uint64_t n = seg->payload_octets;
	unsigned faults = memory_check(m, at->stag, at->to, n, 0);

	/* The DUT has named it, and knows where that is. */
	if (m->config.observed && (faults & ACCESS_UNKNOWN))
		return ACCESS_UNKNOWN;
	if (at->elsewhere)
		return faults & ACCESS_WRAP
			       ? (faults & ~ACCESS_WRAP) | ACCESS_BOUNDS
			       : faults;
	if (!(faults & ACCESS_STAG) || memory_find(m, seg->ddp.stag) >= 0)
		return faults;
	for (i = 0; i < m->wanted; i++) {
		const struct model_request *q = want_at(m, i);

		if (!q->atomic && q->sink_stag == seg->ddp.stag)
			return faults & ACCESS_WRAP ? faults & ~ACCESS_STAG
						    : ACCESS_UNKNOWN;
	}
	return faults;
}

/* Segments of one tagged message may come in any order (RFC 5041 s5.2). */
static void follow_tagged(struct model *m, const struct ddp_segment *seg,
			  bool first, struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets;

	if (first) {
		m->rx_tagged = *d;
		m->rx_tagged_span = (struct model_run){0, 0};
		m->rx_tagged_octets = 0;
	} else if (d->opcode != m->rx_tagged.opcode ||
		   d->rv != m->rx_tagged.rv ||
		   d->rdmap_rsvd != m->rx_tagged.rdmap_rsvd ||
		   (n && d->stag != m->rx_tagged.stag)) {
		verdict_add(v, MODEL_STIM_CHANGED_HEADER);
	}
	m->rx_tagged_span = run_union(m->rx_tagged_span, d->to, d->to + n);
	m->rx_tagged_octets += n;
	m->rx_tagged_open = !d->last;
	if (d->last && m->rx_tagged_span.to - m->rx_tagged_span.from !=
			       m->rx_tagged_octets)
		verdict_add(v, MODEL_STIM_INCOMPLETE);
}

static void receive_tagged(struct model *m, const struct ddp_segment *seg,
			   struct verdict *v)
{
	const struct ddp *d = &seg->ddp;
	bool first = !m->rx_tagged_open;
	bool response = d->opcode == RDMAP_READ_RESPONSE;
	struct place at = place_of(m, seg);
	unsigned faults = 0;

	if (m->rx[DDP_QN_SEND].open || m->rx[DDP_QN_READ_REQUEST].open)
		verdict_add(v, MODEL_STIM_INTERLEAVED);
	if (seg->payload_octets) {
		faults = response ? response_access(m, seg, &at)
				  : memory_check(m, d->stag, d->to,
						 seg->payload_octets, MODEL_RW);
		judge_access(m, seg, faults, v);
	} else if (!first || !d->last) {
		verdict_add(v, MODEL_STIM_EMPTY_SEGMENT);
	}
	if (!opcode_known(m, d->opcode))
		verdict_add(v, d->last ? MODEL_STIM_OPCODE
				       : MODEL_STIM_OPCODE_EARLY);
	else if (!opcode_tagged(d->opcode))
		verdict_add(v, d->last ? MODEL_STIM_T_FLAG
				       : MODEL_STIM_OPCODE_EARLY);
	if (!v->refused)
		follow_tagged(m, seg, first, v);
	if (response)
		receive_read_response(m, seg, first, faults, v);

	if (response && seg->payload_octets && memory_find(m, at.stag) < 0)
		memory_elsewhere(m);
	if (!v->refused) {
		memory_place(m, at.stag, at.to, seg->payload,
			     seg->payload_octets);
		if (v->first != MODEL_STIM_NONE)
			memory_doubt(m, at.stag, at.to, seg->payload_octets);
	} else if (!(faults & ~(unsigned)ACCESS_UNKNOWN) &&
		   d->dv == DDP_VERSION) {
		/*
		 * DDP had no reason to refuse it: the payload may have been
		 * placed before RDMAP saw the message.
		 */
		memory_doubt(m, at.stag, at.to, seg->payload_octets);
	}
}

/* RFC 6581 s9.2: the message that has to open a peer-to-peer stream. */
static void judge_first(struct model *m, const struct ddp_segment *seg,
			struct verdict *v)
{
	if (m->config.dut_initiates || !m->config.rtr || m->rx_frames != 1)
		return;
	if (seg->ddp.opcode == RDMAP_TERMINATE)
		return;
	if (!(rtr_form(seg) & m->config.rtr))
		verdict_add(v, MODEL_STIM_FIRST_NOT_RTR);
}

/* RFC 5041 s4.1: each value of DV, for either T flag. */
static enum model_stimulus dv_fault(const struct ddp *d)
{
	static const enum model_stimulus of[2][4] = {
		{MODEL_STIM_DV0_UNTAGGED, MODEL_STIM_NONE,
		 MODEL_STIM_DV2_UNTAGGED, MODEL_STIM_DV3_UNTAGGED},
		{MODEL_STIM_DV0_TAGGED, MODEL_STIM_NONE, MODEL_STIM_DV2_TAGGED,
		 MODEL_STIM_DV3_TAGGED},
	};

	return of[d->tagged][d->dv & 3];
}

static void judge_versions(const struct ddp *d, struct verdict *v)
{
	if (d->dv != DDP_VERSION)
		verdict_add(v, dv_fault(d));
	if (d->rv == 0)
		verdict_add(v, MODEL_STIM_RV_ZERO);
	else if (d->rv != RDMAP_VERSION)
		verdict_add(v, d->tagged && !d->last ? MODEL_STIM_RV_EARLY
						     : MODEL_STIM_RV);
}

static enum model_stimulus conclude(struct model *m,
				    const struct ddp_segment *seg,
				    struct verdict *v, size_t ulpdu_length,
				    struct model_outcomes *out)
{
	if (v->first == MODEL_STIM_NONE) {
		*out = model_fault_outcomes(MODEL_STIM_NONE);
		if (m->rx_tagged_open || m->rx[0].open || m->rx[1].open) {
			out->outcome[out->n++] = (struct model_outcome){
				MODEL_WAIT, 0, 0, 0, LEVEL(DDP_4_1_09)};
		}
		return MODEL_STIM_NONE;
	}
	*out = v->o;
	suspect_add(m, v, &seg->ddp, ulpdu_length, seg->short_header);
	return v->first;
}

enum model_stimulus model_peer_sends(struct model *m,
				     const struct ddp_segment *seg,
				     enum model_framing framing,
				     struct model_outcomes *out)
{
	struct verdict v = {.first = MODEL_STIM_NONE};
	size_t n = seg->payload_octets +
		   (seg->short_header ? 0 : ddp_header_octets(seg->ddp.tagged));

	if (m->failed || m->held || m->peer_terminated || m->terminated) {
		*out = model_fault_outcomes(MODEL_STIM_AFTER_FAILURE);
		/* MPA may check all FPDUs of a TCP segment, and report this one,
		 * before DDP sees the first (RFC 5044 s8). */
		if (m->failed && framing == MODEL_FRAME_CRC_WRONG &&
		    m->config.crc) {
			verdict_add(&v, MODEL_STIM_CRC);
			suspect_add(m, &v, &seg->ddp, n, seg->short_header);
		}
		if (m->held)
			out->outcome[out->n++] =
				(struct model_outcome){MODEL_BACK_PRESSURE, 0,
						       0, 0, LEVEL(DDP_7_1_06)};
		return MODEL_STIM_AFTER_FAILURE;
	}
	/* The CRC is checked before any field inside. */
	if (framing == MODEL_FRAME_CRC_WRONG && m->config.crc) {
		verdict_add(&v, MODEL_STIM_CRC);
		return conclude(m, seg, &v, n, out);
	}
	m->rx_frames++;
	if (framing == MODEL_FRAME_MARKER_WRONG)
		verdict_add(&v, MODEL_STIM_MARKER);
	if (n > FPDU_ULPDU_MAX)
		verdict_add(&v, MODEL_STIM_ULPDU_TOO_LONG);
	else if (m->config.mulpdu_most && n > m->config.mulpdu_most)
		verdict_add(&v, MODEL_STIM_ULPDU_ABOVE_MULPDU);
	if (seg->short_header) {
		verdict_add(&v, n ? MODEL_STIM_SHORT_HEADER
				  : MODEL_STIM_EMPTY_ULPDU);
		return conclude(m, seg, &v, n, out);
	}
	judge_versions(&seg->ddp, &v);
	judge_first(m, seg, &v);
	if (seg->ddp.tagged)
		receive_tagged(m, seg, &v);
	else
		receive_untagged(m, seg, &v);
	return conclude(m, seg, &v, n, out);
}
