/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read and Atomic Requests from the TP (RFC 5040 s5.2, s7.2; RFC 7306 s5), and the
 * TP's Responses to Requests from the DUT.
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
	unsigned ahead = 0;

	for (unsigned i = 0; i < m->asked; i++)
		ahead += !ask_at(m, i)->gone;
	q = ask_at(m, m->asked++);
	memset(q, 0, sizeof(*q));
	q->ahead = (uint8_t)ahead;
	q->behind = m->placed;
	q->msn = in->msn;
	q->optional = m->uncertain || v->first != MODEL_STIM_NONE;
	q->ulpdu_length = (uint16_t)(DDP_UNTAGGED_OCTETS + seg->payload_octets);
	ddp_header_encode(&seg->ddp, q->header);
	return q;
}

/* RFC 5040 s6.1. No rule defines the answer to an excess Request. */
static void judge_depth(struct model *m, struct verdict *v)
{
	if (m->config.ird != MODEL_UNLIMITED && m->asked >= m->config.ird)
		verdict_add(v, MODEL_STIM_BEYOND_IRD);
}

/* TO plus size may be said to wrap, also where the last octet is the last of
 * all (RFC 5040 s7.2). */
static unsigned source_access(const struct model *m,
			      const struct rdmap_read_request *h)
{
	unsigned faults = memory_check(m, h->source_stag, h->source_to, h->size,
				       MODEL_RR);

	if (faults & ACCESS_BOUNDS && h->source_to + h->size == 0)
		faults ^= ACCESS_BOUNDS | ACCESS_WRAP;
	return faults;
}

/* RFC 5040 s7.2, Request Messages, item 4: c. is about the TO alone, d. about
 * the TO plus the size. */
static enum model_stimulus out_of_bounds(const struct model *m,
					 const struct rdmap_read_request *h)
{
	unsigned first = memory_check(m, h->source_stag, h->source_to, 1, 0);

	return first & ACCESS_BOUNDS ? MODEL_STIM_READ_TO
				     : MODEL_STIM_READ_BOUNDS;
}

void receive_read_request(struct model *m, const struct ddp_segment *seg,
			  const struct model_incoming *in, struct verdict *v)
{
	struct access_names names = {
		.stag = MODEL_STIM_READ_STAG,
		.stream = MODEL_STIM_READ_STREAM,
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
	/* A host may have STag 0 for itself, without the right. */
	if (!h->source_stag || memory_is_near(m, h->source_stag))
		names.stag = MODEL_STIM_READ_STAG_NEAR;
	names.bounds = out_of_bounds(m, h);
	/* A Read of no octets refers to no memory: RFC 5040 s5.2.1. */
	if (h->size)
		judge_request_access(v, source_access(m, h), &names);
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

/* AOpCodes without an operation, of which RFC 7306 s5.2.1 lists each. */
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

static uint64_t result_of(unsigned aopcode, const struct model_operands *o,
			  uint64_t old)
{
	switch (aopcode) {
	case RDMAP_FETCHADD:
		return model_fetchadd(old, o->data, o->mask);
	case RDMAP_CMPSWAP:
		return model_cmpswap(old, o->compare, o->compare_mask, o->data,
				     o->mask);
	default:
		return model_swap(old, o->data);
	}
}

static struct model_operands operands_of(const struct rdmap_atomic_request *h)
{
	return (struct model_operands){h->data, h->mask, h->compare,
				       h->compare_mask};
}

/* Perform the atomic on the shadow, if the value there is certain. */
static void perform(struct model *m, const struct rdmap_atomic_request *h,
		    struct model_request *q, bool certain)
{
	int i = memory_find(m, h->stag);
	uint8_t *at = memory_at(m, i, h->to, 8);
	uint8_t word[8];
	uint64_t old, new;

	q->value_known = at && certain && memory_certain(m, i, h->to, 8) &&
			 !m->region[i].known;
	if (!q->value_known) {
		memory_atomic(m, h->stag, h->to, NULL);
		return;
	}
	const struct model_operands o = operands_of(h);

	old = model_word_load(at, m->config.big_endian);
	new = result_of(h->aopcode, &o, old);
	q->value = old;
	model_word_store(word, new, m->config.big_endian);
	memory_atomic(m, h->stag, h->to, word);
}

static const unsigned short atomic_rows[] = {
	LEVEL(RDMAPX_5_1_1_01),   LEVEL(RDMAPX_5_1_1_06),
	LEVEL(RDMAPX_5_1_1_07),   LEVEL(RDMAPX_5_1_1_08),
	LEVEL(RDMAPX_5_1_2_01),   LEVEL(RDMAPX_5_1_2_02),
	LEVEL(RDMAPX_5_1_2_03),   LEVEL(RDMAPX_5_1_2_04),
	LEVEL(RDMAPX_5_1_2_05),   LEVEL(RDMAPX_5_1_2_06),
	LEVEL(RDMAPX03_5_1_2_01),
};

unsigned short atomic_row(unsigned why, unsigned short otherwise)
{
	return why >= MODEL_OCTET_ATOMIC ? atomic_rows[why - MODEL_OCTET_ATOMIC]
					 : otherwise;
}

static unsigned short fetchadd_row(const struct model_operands *o)
{
	if (o->mask == UINT64_MAX)
		return LEVEL(RDMAPX_5_1_1_06);
	if (o->mask == UINT64_C(1) << 63)
		return LEVEL(RDMAPX_5_1_1_07);
	return o->mask ? LEVEL(RDMAPX_5_1_1_08) : LEVEL(RDMAPX_5_1_1_01);
}

static unsigned short cmpswap_row(const struct model_operands *o, uint64_t old)
{
	bool all = o->compare_mask == UINT64_MAX;

	if (!model_cmpswap_matches(old, o->compare, o->compare_mask))
		return all ? LEVEL(RDMAPX_5_1_2_02) : LEVEL(RDMAPX_5_1_2_03);
	if (o->mask != UINT64_MAX)
		return o->mask ? LEVEL(RDMAPX_5_1_2_06)
			       : LEVEL(RDMAPX_5_1_2_05);
	return all               ? LEVEL(RDMAPX_5_1_2_01)
	       : o->compare_mask ? LEVEL(RDMAPX_5_1_2_03)
				 : LEVEL(RDMAPX_5_1_2_04);
}

/* The origin of an octet that this atomic leaves: enum model_octet. */
static unsigned left_by(unsigned aopcode, const struct model_operands *o,
			uint64_t old)
{
	unsigned short row = aopcode == RDMAP_FETCHADD ? fetchadd_row(o)
			     : aopcode == RDMAP_CMPSWAP
				     ? cmpswap_row(o, old)
				     : LEVEL(RDMAPX03_5_1_2_01);
	unsigned i = 0;

	while (atomic_rows[i] != row)
		i++;
	return MODEL_OCTET_ATOMIC + i;
}

/* The original value is not the one that was there: an earlier atomic left
 * another, or this one reports another than it found. */
static unsigned short original_row(const struct model *m,
				   const struct model_request *q)
{
	return atomic_row(memory_why(m, q->source_stag, q->source_to),
			  q->aopcode == RDMAP_FETCHADD
				  ? LEVEL(RDMAPX_5_1_1_09)
				  : LEVEL(RDMAPX_5_1_2_08));
}

/*
 * A host chooses the order of the octets of a word (RFC 7306 s5.1.1). Each order
 * that fits is considered until a value rules one out.
 */
void atomic_answered(struct model *m, unsigned slot, uint64_t original,
		     struct model_objections *out)
{
	const struct model_request *q = &m->ask[slot];
	int i = memory_find(m, q->source_stag);
	const uint8_t *at = memory_at(m, i, q->source_to, 8);
	const struct model_operands *o;
	uint8_t before[8], after[2][8];
	bool fits[2], known;

	if (!at || !m->region[i].known)
		return;
	if (q->disturbed || m->uncertain || m->atomics_astray) {
		memory_doubt(m, q->source_stag, q->source_to, 8);
		return;
	}
	o = &m->region[i].operands[slot];
	known = memory_certain(m, i, q->source_to, 8);
	for (unsigned big = 0; big < 2; big++) {
		model_word_store(before, original, big);
		fits[big] = !(big ? m->not_big : m->not_little) &&
			    (!known || memcmp(before, at, 8) == 0);
		model_word_store(after[big], result_of(q->aopcode, o, original),
				 big);
	}
	m->atomics_astray = !fits[0] && !fits[1];
	if (m->atomics_astray) {
		model_object(out, original_row(m, q), MODEL_FAULT_ATOMIC_VALUE,
			     original, model_word_load(at, m->not_little));
		memory_doubt(m, q->source_stag, q->source_to, 8);
		return;
	}
	m->not_little |= !fits[0];
	m->not_big |= !fits[1];
	if (fits[0] && fits[1] && memcmp(after[0], after[1], 8) != 0)
		memory_doubt(m, q->source_stag, q->source_to, 8);
	else
		memory_shows(m, q->source_stag, q->source_to, after[!fits[0]],
			     8, (struct model_run){0, 0},
			     left_by(q->aopcode, o, original));
}

/*
 * No rule defines an access right for remote atomics: memory that may be read and
 * written remotely may be the target of one, or may not (RFC 7306 s9, RFC 5040
 * s8.1.1).
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

/* Whether the address of a TO in region i, or in none, is known. */
static bool knows_address(const struct model *m, int i)
{
	if (m->config.observed)
		return i >= 0 && m->region[i].by_address;
	return i >= 0 || m->config.regions_known;
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
	if (((h.to + residue) & 7) && knows_address(m, i))
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
	if (i >= 0 && m->region[i].known)
		m->region[i].operands[q - m->ask] = operands_of(&h);
}

/* The DUT's oldest unanswered Request is finished. */
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

	uint32_t ahead = seg->ddp.msn - m->rx_msn[DDP_QN_ATOMIC_RESPONSE];

	if (ahead)
		verdict_add(v, MODEL_STIM_ATOMIC_RESPONSE_MSN);
	/* The message may have a buffer, and wait for earlier ones (RFC 5041
	 * s7.1 item 5). The number of buffers is not visible. */
	if (m->config.observed && ahead && ahead < MODEL_REQUESTS)
		v->o.outcome[v->o.n++] = (struct model_outcome){
			MODEL_WAIT, 0, 0, 0, LEVEL(DDP_7_1_16)};
	/* That of an MSN used before had one. */
	if ((!q || !q->atomic) && ahead <= INT32_MAX)
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
	 * Any order of TOs is right within the octets requested. If none were,
	 * DDP looks at neither STag nor TO (RFC 5041 s5.2), but RDMAP may (RFC
	 * 5040 s5.2.2).
	 */
	fits = d->stag == q->sink_stag && d->to - q->sink_to <= q->size &&
	       n <= q->size - (d->to - q->sink_to);
	if (d->last && q->done + n != q->size)
		fits = false;
	/* An observer does not know the buffers; the DUT may place it anywhere,
	 * or refuse it. */
	if (m->config.observed && access == ACCESS_UNKNOWN)
		access = 0;
	if (access & ACCESS_STAG || (!fits && access)) {
		/* RDMAP may have compared first, or ended a Read whose sink was
		 * revoked: any code is right. */
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
