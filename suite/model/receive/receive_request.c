/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the TP asks of the DUT (Read and Atomic Requests: RFC 5040 s5.2, s7.2;
 * RFC 7306 s5) and what it answers to the DUT's own Requests.
 */
#include <string.h>

#include "suite/model/atomic/atomic.h"
#include "suite/model/internal.h"

/* The faults of memory_check(), under the names that one operation has. */
struct access_names {
	enum model_stimulus stag, stream, bounds, wrap, rights;
};

static void judge_request_access(struct verdict *v, unsigned faults,
				 const struct access_names *names)
{
	if (faults & ACCESS_STAG)
		verdict_add(v, names->stag);
	if (faults & ACCESS_STREAM)
		verdict_add(v, names->stream);
	if (faults & ACCESS_BOUNDS)
		verdict_add(v, names->bounds);
	if (faults & ACCESS_WRAP)
		verdict_add(v, names->wrap);
	if (faults & ACCESS_RIGHTS)
		verdict_add(v, names->rights);
}

static struct model_request *ask_add(struct model *m,
				     const struct ddp_segment *seg,
				     const struct model_incoming *in,
				     const struct verdict *v)
{
	struct model_request *q;

	if (ring_full(m->asked)) {
		m->lossy = true;
		return NULL;
	}
	q = ask_at(m, m->asked++);
	memset(q, 0, sizeof(*q));
	q->msn = in->msn;
	q->optional = m->uncertain || v->first != MODEL_STIM_NONE;
	q->ulpdu_length = (uint16_t)(DDP_UNTAGGED_OCTETS + seg->payload_octets);
	ddp_header_encode(&seg->ddp, q->header);
	return q;
}

/* RFC 5040 s6.1; what an excess Request gets, no text says. */
static void judge_depth(struct model *m, struct verdict *v)
{
	if (m->config.ird != MODEL_UNLIMITED && m->asked >= m->config.ird)
		verdict_add(v, MODEL_STIM_BEYOND_IRD);
}

void receive_read_request(struct model *m, const struct ddp_segment *seg,
			  const struct model_incoming *in, struct verdict *v)
{
	static const struct access_names names = {
		.stag = MODEL_STIM_READ_STAG,
		.stream = MODEL_STIM_READ_STREAM,
		.bounds = MODEL_STIM_READ_BOUNDS,
		.wrap = MODEL_STIM_READ_WRAP,
		.rights = MODEL_STIM_READ_ACCESS,
	};
	const struct rdmap_read_request *h = &v->read;
	struct model_request *q;

	if (!incoming_whole(in) || in->total < RDMAP_READ_REQUEST_OCTETS) {
		verdict_add(v, MODEL_STIM_READ_SHORT);
		return;
	}
	if (in->total > RDMAP_READ_REQUEST_OCTETS)
		verdict_add(v, MODEL_STIM_READ_LONG);
	v->has_read = rdmap_read_request_decode(&v->read, in->head,
						RDMAP_READ_REQUEST_OCTETS);
	/* A Read of nothing names nothing: RFC 5040 s5.2.1. */
	if (h->size)
		judge_request_access(v,
				     memory_check(m, h->source_stag,
						  h->source_to, h->size,
						  MODEL_RR),
				     &names);
	if (h->size && h->sink_to > UINT64_MAX - (h->size - 1))
		verdict_add(v, MODEL_STIM_READ_SINK_WRAP);
	judge_depth(m, v);
	if (v->refused)
		return;
	q = ask_add(m, seg, in, v);
	if (!q)
		return;
	q->sink_stag = h->sink_stag;
	q->sink_to = h->sink_to;
	q->size = h->size;
	q->source_stag = h->source_stag;
	q->source_to = h->source_to;
}

static bool aopcode_known(const struct model *m, unsigned aopcode)
{
	if (aopcode == RDMAP_SWAP)
		return (m->config.features & MODEL_SWAP) &&
		       (m->config.profile == MODEL_DRAFT_03 ||
			m->config.profile == MODEL_DRAFT_01);
	return aopcode == RDMAP_FETCHADD || aopcode == RDMAP_CMPSWAP;
}

static bool aopcode_claimed(const struct model *m, unsigned aopcode)
{
	return aopcode == RDMAP_FETCHADD
		       ? m->config.features & MODEL_FETCHADD
		       : aopcode != RDMAP_CMPSWAP ||
				 m->config.features & MODEL_CMPSWAP;
}

/* AOpCodes that are no operation: RFC 7306 s5.2.1 has them one by one. */
static enum model_stimulus unknown_aopcode(const struct model *m,
					   unsigned aopcode)
{
	if (aopcode > RDMAP_CMPSWAP && m->config.profile >= MODEL_DRAFT_03)
		return MODEL_STIM_AOPCODE_DRAFT;
	return aopcode == 1   ? MODEL_STIM_AOPCODE_1
	       : aopcode == 3 ? MODEL_STIM_AOPCODE_3
			      : MODEL_STIM_AOPCODE;
}

static enum model_stimulus unaligned(unsigned aopcode)
{
	return aopcode == RDMAP_CMPSWAP ? MODEL_STIM_CMPSWAP_UNALIGNED
	       : aopcode == RDMAP_SWAP  ? MODEL_STIM_SWAP_UNALIGNED
					: MODEL_STIM_ATOMIC_UNALIGNED;
}

/* Do it to the shadow, if what stands there is certain. */
static void perform(struct model *m, const struct rdmap_atomic_request *h,
		    struct model_request *q, bool certain)
{
	int i = memory_find(m, h->stag);
	uint8_t *at = memory_at(m, i, h->to, 8);
	uint8_t word[8];
	uint64_t old, new;

	q->value_known = at && certain && memory_certain(m, i, h->to, 8);
	if (!q->value_known) {
		memory_atomic(m, h->stag, h->to, NULL);
		return;
	}
	old = model_word_load(at, m->config.big_endian);
	switch (h->aopcode) {
	case RDMAP_FETCHADD:
		new = model_fetchadd(old, h->data, h->mask);
		break;
	case RDMAP_CMPSWAP:
		new = model_cmpswap(old, h->compare, h->compare_mask, h->data,
				    h->mask);
		break;
	default:
		new = model_swap(old, h->data);
		break;
	}
	q->value = old;
	model_word_store(word, new, m->config.big_endian);
	memory_atomic(m, h->stag, h->to, word);
}

/*
 * No text has a right of remote atomics: what may be read and written from afar
 * may be the target of one, or may not (RFC 7306 s9, RFC 5040 s8.1.1).
 */
static void judge_atomic_access(const struct model *m, uint32_t stag,
				uint64_t to, struct verdict *v)
{
	struct access_names names = {
		.stag = MODEL_STIM_ATOMIC_STAG,
		.stream = MODEL_STIM_ATOMIC_STREAM,
		.bounds = MODEL_STIM_ATOMIC_BOUNDS,
		.wrap = MODEL_STIM_ATOMIC_BOUNDS,
		.rights = MODEL_STIM_ATOMIC_ACCESS,
	};
	int i = memory_find(m, stag);

	if (i >= 0 && m->region[i].access & MODEL_RR &&
	    m->region[i].access & MODEL_RW)
		names.rights = MODEL_STIM_ATOMIC_READ_WRITE;
	judge_request_access(v, memory_check(m, stag, to, 8, MODEL_RA), &names);
}

void receive_atomic_request(struct model *m, const struct ddp_segment *seg,
			    const struct model_incoming *in, struct verdict *v)
{
	struct rdmap_atomic_request h;
	struct model_request *q, done;
	uint64_t residue;
	int i;

	if (!incoming_whole(in) || in->total < RDMAP_ATOMIC_REQUEST_OCTETS ||
	    !rdmap_atomic_request_decode(&h, in->head, sizeof(in->head))) {
		verdict_add(v, MODEL_STIM_ATOMIC_SHORT);
		return;
	}
	if (in->total > RDMAP_ATOMIC_REQUEST_OCTETS)
		verdict_add(v, MODEL_STIM_ATOMIC_LONG);
	if (!aopcode_known(m, h.aopcode))
		verdict_add(v, unknown_aopcode(m, h.aopcode));
	else if (!aopcode_claimed(m, h.aopcode))
		verdict_add(v, MODEL_STIM_ATOMIC_UNCLAIMED);
	judge_atomic_access(m, h.stag, h.to, v);
	/* The address counts, not the TO: RFC 7306 s5.1.1. */
	i = memory_find(m, h.stag);
	residue = i >= 0 ? m->region[i].residue : 0;
	if (((h.to + residue) & 7) && (i >= 0 || m->config.regions_known))
		verdict_add(v, unaligned(h.aopcode));
	judge_depth(m, v);
	if (v->refused)
		return;
	memset(&done, 0, sizeof(done));
	perform(m, &h, &done, v->first == MODEL_STIM_NONE && !m->uncertain);
	q = ask_add(m, seg, in, v);
	if (!q)
		return;
	q->atomic = true;
	q->aopcode = h.aopcode;
	q->id = h.id;
	q->source_stag = h.stag;
	q->source_to = h.to;
	q->value = done.value;
	q->value_known = done.value_known;
}

/* The DUT's oldest unanswered Request is done with. */
static void want_done(struct model *m)
{
	work_answered(m, want_at(m, 0)->work);
	m->wanted_first = (m->wanted_first + 1) % MODEL_REQUESTS;
	m->wanted--;
}

void receive_atomic_response(struct model *m, const struct ddp_segment *seg,
			     struct verdict *v)
{
	const struct model_request *q = m->wanted ? want_at(m, 0) : NULL;
	struct rdmap_atomic_response h;

	if (seg->ddp.msn != m->rx_msn[DDP_QN_ATOMIC_RESPONSE])
		verdict_add(v, MODEL_STIM_ATOMIC_RESPONSE_MSN);
	if (!q || !q->atomic)
		verdict_add(v, MODEL_STIM_ATOMIC_RESPONSE_UNASKED);
	if (!seg->ddp.last || seg->ddp.mo ||
	    seg->payload_octets != RDMAP_ATOMIC_RESPONSE_OCTETS ||
	    !rdmap_atomic_response_decode(&h, seg->payload,
					  seg->payload_octets)) {
		verdict_add(v, MODEL_STIM_ATOMIC_RESPONSE_LENGTH);
		return;
	}
	if (q && q->atomic && h.id != q->id)
		verdict_add(v, MODEL_STIM_ATOMIC_RESPONSE_ID);
	if (v->refused)
		return;
	m->rx_msn[DDP_QN_ATOMIC_RESPONSE]++;
	want_done(m);
}

/*
 * RFC 5040 s5.2.2: RDMAP may compare a Response with its Request, DDP checks
 * the buffer in any case; the access faults found by it are in v already.
 */
void receive_read_response(struct model *m, const struct ddp_segment *seg,
			   bool first, unsigned access, struct verdict *v)
{
	struct model_request *q = m->wanted ? want_at(m, 0) : NULL;
	const struct ddp *d = &seg->ddp;
	uint64_t n = seg->payload_octets;
	bool fits;

	(void)first;
	if (!q || q->atomic) {
		verdict_add(v, MODEL_STIM_RESPONSE_UNASKED);
		return;
	}
	/*
	 * Any order of TO will do, as long as it is within what was asked.
	 * Where nothing was, DDP looks at neither STag nor TO (RFC 5041 s5.2),
	 * but RDMAP may (RFC 5040 s5.2.2).
	 */
	fits = d->stag == q->sink_stag && d->to - q->sink_to <= q->size &&
	       n <= q->size - (d->to - q->sink_to);
	if (d->last && q->done + n != q->size)
		fits = false;
	if (!fits && access) {
		/* RDMAP may have compared first: any number will do. */
		struct model_outcomes any =
			model_fault_outcomes(MODEL_STIM_RESPONSE_UNASKED);

		if (v->o.n < MODEL_OUTCOMES)
			v->o.outcome[v->o.n++] = any.outcome[0];
	} else if (!fits) {
		verdict_add(v, MODEL_STIM_RESPONSE_MISMATCH);
	}
	if (v->refused)
		return;
	q->done += (uint32_t)n;
	if (d->last)
		want_done(m);
}
