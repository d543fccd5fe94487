/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Terminate of the DUT: whether one is due, whether its numbers fit the first
 * message at fault, and which headers it returns (RFC 5040 s4.8, s5.4, s7.1);
 * and how the stream ends (s6.2.1).
 */
#include <string.h>

#include "suite/model/internal.h"

/* No RFC gives these numbers a meaning. */
enum { OPCODE_UNASSIGNED = 15 };

static uint64_t packed(unsigned layer, unsigned etype, unsigned code)
{
	return (uint64_t)layer << 12 | etype << 8 | code;
}

/* M, D and R. */
static uint64_t bits(bool m, bool d, bool r)
{
	return (uint64_t)m << 2 | (uint64_t)d << 1 | r;
}

/* ---- the message that it is about ---------------------------------------- */

static bool names(const struct rdmap_terminate *t,
		  const struct model_suspect *s)
{
	uint8_t header[DDP_UNTAGGED_OCTETS];
	size_t n = ddp_header_encode(&s->ddp, header);

	return t->ddp_header && t->ddp_header_octets == n &&
	       memcmp(t->ddp_header, header, n) == 0;
}

static bool has_length_of(const struct rdmap_terminate *t,
			  const struct model_suspect *s)
{
	return t->m && t->has_segment_length &&
	       t->segment_length == s->ulpdu_length;
}

static bool fits(const struct model *m, const struct model_outcomes *o,
		 const struct rdmap_terminate *t)
{
	return model_outcomes_terminate(o, t->layer, t->etype, t->code) ||
	       (m->config.unspecified &&
		model_outcomes_unspecified(o, t->layer, t->etype, t->code));
}

/* What it returns is of this suspect: above all the header, then the length. */
static unsigned likeness(const struct rdmap_terminate *t,
			 const struct model_suspect *s)
{
	return 2u * names(t, s) + has_length_of(t, s);
}

/*
 * The suspect that these numbers fit; NULL if there is none. If they fit
 * several, the returned header decides; if it belongs to several of them or to
 * none, the returned length; without one, the earliest suspect.
 */
static const struct model_suspect *suspect_of(const struct model *m,
					      const struct rdmap_terminate *t)
{
	const struct model_suspect *found = NULL;
	unsigned i;

	for (i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (fits(m, &s->outcomes, t) &&
		    (!found || likeness(t, s) > likeness(t, found)))
			found = s;
	}
	return found;
}

/* The suspect that has to be refused, else the first. */
static const struct model_suspect *culprit(const struct model *m)
{
	unsigned i;

	for (i = 0; i < m->suspects; i++)
		if (!model_outcomes_has(&m->suspect[i].outcomes, MODEL_PROCESS))
			return &m->suspect[i];
	return m->suspects ? &m->suspect[0] : NULL;
}

/*
 * Whether the header that it claims to return, which may be incomplete, is a
 * tagged one: that of the message that its numbers fit, else of the first one
 * at fault.
 */
static bool returns_tagged(const struct model *m,
			   const struct rdmap_terminate *t)
{
	const struct model_suspect *s = suspect_of(m, t);

	if (t->ddp_header)
		return t->ddp_header_octets == DDP_TAGGED_OCTETS;
	if (!s)
		s = culprit(m);
	return s ? s->ddp.tagged : t->layer == TERM_DDP && t->etype == 1;
}

/* ---- its form ------------------------------------------------------------------ */

static unsigned short registry_row(const struct rdmap_terminate *t)
{
	switch (t->layer) {
	case TERM_RDMA:
		return LEVEL(IANA_3_1_01);
	case TERM_DDP:
		return t->etype == 2 && t->code == 0 ? LEVEL(DDP_7_2_13)
						     : LEVEL(IANA_3_2_01);
	case TERM_LLP:
		return LEVEL(IANA_3_3_01);
	default:
		return LEVEL(RDMAP_4_8_06);
	}
}

/*
 * RFC 5041 s7.2 reserves error type 3 for the LLP, RFC 6580 s3.3 registers the
 * errors of MPA under type 0: type 3 is read as type 0.
 */
static void judge_mpa_type(struct rdmap_terminate *t,
			   struct model_objections *out)
{
	if (t->layer != TERM_LLP || t->etype != 3 ||
	    !model_terminate_registered(TERM_LLP, 0, t->code))
		return;
	model_object(out, LEVEL(IANA_3_3_02),
		     MODEL_FAULT_TERMINATE_UNREGISTERED,
		     packed(t->layer, t->etype, t->code), MODEL_NOTHING);
	t->etype = 0;
}

/* Rules for every Terminate, whatever error it reports. */
static bool check_form(struct model *m, const struct ddp_segment *seg,
		       struct rdmap_terminate *t, struct model_objections *out)
{
	const struct ddp *d = &seg->ddp;
	uint64_t seen = DDP_UNTAGGED_OCTETS + seg->payload_octets;
	struct model_objection split = {
		.req = LEVEL(RDMAP_4_8_23),
		.fault = MODEL_FAULT_LAST_FLAG,
		.field = d->mo ? MODEL_FIELD_MO : MODEL_FIELD_NONE,
		.seen = d->mo ? d->mo : d->last,
		.due = !d->mo,
	};
	struct model_objection length = {.fault = MODEL_FAULT_TERMINATE_LENGTH,
					 .seen = seen};
	bool tagged;

	if (!d->last || d->mo)
		model_object_to(out, &split);
	if (d->msn != m->config.first_msn)
		model_object(out, LEVEL(DDP_4_3_05), MODEL_FAULT_MSN, d->msn,
			     m->config.first_msn);
	if (!rdmap_terminate_decode(t, seg->payload, seg->payload_octets)) {
		length.req = LEVEL(RDMAP_4_8_01);
		length.due = model_terminate_ulpdu(false, false, false, false);
		length.due_max = UINT64_MAX;
		model_object_to(out, &length);
		return false;
	}
	/* The parts that it claims to return are incomplete, or there are
	 * more. */
	tagged = returns_tagged(m, t);
	length.req = !t->truncated || !t->d || t->ddp_header
			     ? LEVEL(RDMAP_4_2_11)
		     : tagged ? LEVEL(RDMAP_4_8_14)
			      : LEVEL(RDMAP_4_8_15);
	length.due = model_terminate_ulpdu(t->m, t->d, t->r, tagged);
	length.at = bits(t->m, t->d, t->r);
	if (t->truncated || (t->tail.n && !model_terminate_set_to_zero(t))) {
		model_object_to(out, &length);
	} else if (t->tail.n && m->config.observed) {
		length.req = LEVEL(RDMAP_4_8_32);
		model_object_to(out, &length);
	}
	if (t->reserved)
		model_object(out, LEVEL(RDMAP_4_8_07),
			     MODEL_FAULT_TERMINATE_RESERVED, t->reserved, 0);
	judge_mpa_type(t, out);
	if (!model_terminate_registered(t->layer, t->etype, t->code)) {
		model_object(out, registry_row(t),
			     MODEL_FAULT_TERMINATE_UNREGISTERED,
			     packed(t->layer, t->etype, t->code),
			     MODEL_NOTHING);
		return false;
	}
	return true;
}

/* ---- the headers that it returns ----------------------------------------- */

static void check_bits(const struct model_headers_due *due,
		       const struct rdmap_terminate *t,
		       struct model_objections *out)
{
	const struct model_bit_due *of[] = {&due->r, &due->d, &due->m};
	struct model_objection o = {
		.fault = MODEL_FAULT_TERMINATE_BITS,
		.seen = bits(t->m, t->d, t->r),
		.due = bits(due->m.due == MODEL_DUE_SET,
			    due->d.due == MODEL_DUE_SET,
			    due->r.due == MODEL_DUE_SET),
		.due_max = bits(due->m.due != MODEL_DUE_CLEAR,
				due->d.due != MODEL_DUE_CLEAR,
				due->r.due != MODEL_DUE_CLEAR),
	};
	uint64_t wrong = (o.due & ~o.seen) | (o.seen & ~o.due_max);
	unsigned i;

	for (i = sizeof(of) / sizeof(of[0]); i-- > 0;) {
		o.req = of[i]->req;
		if (wrong >> i & 1)
			model_object_to(out, &o);
	}
}

static void check_ddp_header(const struct rdmap_terminate *t,
			     const struct model_suspect *s,
			     struct model_objections *out)
{
	uint8_t due[DDP_UNTAGGED_OCTETS];
	size_t n = ddp_header_encode(&s->ddp, due);
	struct model_objection o = {
		.req = s->ddp.tagged ? LEVEL(RDMAP_4_8_14)
				     : LEVEL(RDMAP_4_8_15),
		.fault = MODEL_FAULT_TERMINATE_DDP_HEADER,
	};

	/* In a Request of several segments, any one may be at fault. */
	if (!t->ddp_header || s->stimulus == MODEL_STIM_READ_SEGMENTED ||
	    s->stimulus == MODEL_STIM_ATOMIC_SEGMENTED ||
	    (t->ddp_header_octets == n && memcmp(t->ddp_header, due, n) == 0))
		return;
	model_octets_put(&o.seen_octets, t->ddp_header, t->ddp_header_octets);
	model_octets_put(&o.due_octets, due, n);
	model_object_to(out, &o);
}

/* A field of the returned Read Request header, after k octets were answered. */
static void check_rdma_field(enum model_field field, unsigned short req,
			     uint64_t seen, uint64_t due, uint32_t k,
			     struct model_objections *out)
{
	if (seen != due)
		model_object_to(
			out, &(struct model_objection){
				     .req = req,
				     .fault = MODEL_FAULT_TERMINATE_RDMA_HEADER,
				     .field = field,
				     .seen = seen,
				     .due = due,
				     .at = k,
			     });
}

/*
 * After k octets of the answer the returned header describes the rest (RFC 5040
 * s4.8). The TP only sees how many octets arrived, so that a Request that is
 * completely answered is not compared.
 */
static void check_rdma_header(struct model *m, const struct rdmap_terminate *t,
			      const struct model_suspect *s,
			      struct model_objections *out)
{
	struct rdmap_read_request due, seen;
	unsigned short req;
	uint32_t k = 0;
	unsigned i;

	if (!t->rdma_header || !s->has_rdma_header ||
	    !rdmap_read_request_decode(&due, s->rdma_header,
				       sizeof(s->rdma_header)) ||
	    !rdmap_read_request_decode(&seen, t->rdma_header,
				       RDMAP_READ_REQUEST_OCTETS))
		return;
	if (s->stimulus == MODEL_STIM_READ_REVOKED) {
		for (i = 0; i < m->asked; i++)
			if (!ask_at(m, i)->atomic && !ask_at(m, i)->gone &&
			    ask_at(m, i)->msn == s->ddp.msn)
				break;
		if (i == m->asked)
			return;
		k = ask_at(m, i)->done;
	}
	req = k ? LEVEL(RDMAP_4_8_22) : LEVEL(RDMAP_4_8_19);
	check_rdma_field(MODEL_FIELD_SINK_STAG, req, seen.sink_stag,
			 due.sink_stag, k, out);
	check_rdma_field(MODEL_FIELD_SOURCE_STAG, req, seen.source_stag,
			 due.source_stag, k, out);
	req = k ? LEVEL(RDMAP_4_8_20) : LEVEL(RDMAP_4_8_19);
	check_rdma_field(MODEL_FIELD_SINK_TO, req, seen.sink_to,
			 due.sink_to + k, k, out);
	check_rdma_field(MODEL_FIELD_SOURCE_TO, req, seen.source_to,
			 due.source_to + k, k, out);
	req = k ? LEVEL(RDMAP_4_8_21) : LEVEL(RDMAP_4_8_19);
	check_rdma_field(MODEL_FIELD_SIZE, req, seen.size, due.size - k, k,
			 out);
}

/* RFC 7306 binds implementations of it: for others its opcodes are
 * unassigned. */
static unsigned opcode_to_it(const struct model *m, unsigned opcode)
{
	bool of_an_extension =
		opcode > RDMAP_TERMINATE && opcode <= RDMAP_ATOMIC_RESPONSE;

	return of_an_extension && !opcode_known(m, opcode) ? OPCODE_UNASSIGNED
							   : opcode;
}

/*
 * RFC 5040 s7.1 item 1: if no message is at fault, none is returned. For a
 * local catastrophic error s4.8 says so itself.
 */
static void check_nothing_returned(const struct rdmap_terminate *t,
				   struct model_objections *out)
{
	static const uint8_t zero[RDMAP_READ_REQUEST_OCTETS];
	struct model_objection o = {
		.req = t->layer == TERM_RDMA && t->etype == 0
			       ? LEVEL(RDMAP_4_8_16)
			       : LEVEL(RDMAP_7_1_02),
		.fault = MODEL_FAULT_TERMINATE_DDP_HEADER,
	};

	if (t->ddp_header &&
	    memcmp(t->ddp_header, zero, t->ddp_header_octets) != 0)
		model_octets_put(&o.seen_octets, t->ddp_header,
				 t->ddp_header_octets);
	else if (t->rdma_header &&
		 memcmp(t->rdma_header, zero, sizeof(zero)) != 0)
		model_octets_put(&o.seen_octets, t->rdma_header, sizeof(zero));
	else
		return;
	model_object_to(out, &o);
}

static void check_returned(struct model *m, const struct rdmap_terminate *t,
			   const struct model_suspect *s,
			   struct model_objections *out)
{
	struct model_headers_due due = model_terminate_headers_due(
		t->layer, t->etype, t->code, opcode_to_it(m, s->ddp.opcode));

	if (s->no_header)
		return;
	check_bits(&due, t, out);
	if (t->m && t->has_segment_length &&
	    t->segment_length != s->ulpdu_length)
		model_object(out, LEVEL(RDMAP_4_8_12),
			     MODEL_FAULT_TERMINATE_SEGMENT_LENGTH,
			     t->segment_length, s->ulpdu_length);
	if (t->layer == TERM_RDMA && t->etype == 0) {
		check_nothing_returned(t, out);
		return;
	}
	check_ddp_header(t, s, out);
	check_rdma_header(m, t, s, out);
}

/* ---- the fault that it answers ------------------------------------------- */

/* The set that was due, and the fault that it answers; NULL: from the
 * startup. */
static void object_against(const struct model_suspect *s,
			   const struct model_outcomes *allowed,
			   unsigned short req, enum model_fault fault,
			   uint64_t seen, struct model_objections *out)
{
	model_object_to(out,
			&(struct model_objection){
				.req = req,
				.fault = fault,
				.seen = seen,
				.stimulus = s ? s->stimulus : MODEL_STIM_NONE,
				.allowed = *allowed,
			});
}

/* A local catastrophic error: not about the contents of the FPDU. */
static bool names_no_cause(const struct rdmap_terminate *t)
{
	return t->layer == TERM_RDMA && t->etype == 0;
}

/* Who asks for the number. Which of its own MPA gives is a SHOULD, and that it
 * gives one (RFC 5044 s8); a number that names nothing of what the FPDU held
 * shows that the CRC was looked at first. Nor is
 * a source unchecked that is called invalid where it is another stream's: the
 * code is wrong (RFC 5040 s4.8), and the Read was refused (s7.2). */
static unsigned short code_row(const struct model_suspect *s,
			       const struct rdmap_terminate *t)
{
	if (s->stimulus == MODEL_STIM_CRC &&
	    (t->layer == TERM_LLP || names_no_cause(t)))
		return LEVEL(MPA_8_02);
	if (s->stimulus == MODEL_STIM_READ_STREAM && t->layer == TERM_RDMA &&
	    t->etype == 1 && t->code == 0)
		return LEVEL(RDMAP_4_8_31);
	return s->outcomes.req;
}

/* RDMAP's and DDP's errors about a message of the peer: RFC 5040 s4.8. Two of
 * RDMAP's are catastrophic, and need not be about a message. */
static bool is_about_a_message(const struct rdmap_terminate *t)
{
	if (t->layer == TERM_DDP)
		return t->etype == 1 || t->etype == 2;
	return t->layer == TERM_RDMA &&
	       (t->etype == 1 || (t->etype == 2 && t->code < 7));
}

/* Errors of the LLP, and local ones of RDMAP: they return nothing, whatever
 * their cause. */
static bool is_about_none(const struct rdmap_terminate *t)
{
	return t->layer == TERM_LLP || (t->layer == TERM_RDMA && !t->etype);
}

/* MPA's errors about a received FPDU: its CRC, or its markers (RFC 5044 s8). */
static bool is_about_an_fpdu(const struct rdmap_terminate *t)
{
	return t->layer == TERM_LLP && (t->code == 2 || t->code == 3);
}

/* It returns no header, or should not: the required bits, whatever is at
 * fault. */
static void check_no_header(const struct model *m,
			    const struct rdmap_terminate *t,
			    struct model_objections *out)
{
	struct model_headers_due due;

	if (is_about_none(t) && !is_about_an_fpdu(t)) {
		due = model_terminate_headers_due(t->layer, t->etype, t->code,
						  OPCODE_UNASSIGNED);
		if (t->layer == TERM_RDMA)
			check_bits(&due, t, out);
		check_nothing_returned(t, out);
		return;
	}
	if (!is_about_a_message(t) && !is_about_none(t))
		return;
	due = model_terminate_headers_due(
		t->layer, t->etype, t->code,
		m->suspects ? opcode_to_it(m, m->suspect[0].ddp.opcode)
			    : OPCODE_UNASSIGNED);
	if (is_about_a_message(t))
		due.m = due.r = (struct model_bit_due){MODEL_DUE_EITHER,
						       MODEL_REQ_NONE};
	check_bits(&due, t, out);
}

/* ---- what rules a cause out ---------------------------------------------- */

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

/* The row that the Terminate breaks, then; MODEL_REQ_NONE: nothing is ruled out. */
static unsigned short ruled_out(const struct model *m,
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
	       ruled_out(m, t, d) == MODEL_REQ_NONE;
}

/* The suspect whose header it returns; NULL if there is none. */
static const struct model_suspect *suspect_named(
	const struct model *m, const struct rdmap_terminate *t)
{
	for (unsigned i = 0; i < m->suspects; i++)
		if (names(t, &m->suspect[i]) && !m->suspect[i].no_header)
			return &m->suspect[i];
	return NULL;
}

/*
 * The numbers are checked against the returned message: either its octets show
 * the cause, or only its receiver can know the cause.
 */
static void check_cause(struct model *m, const struct rdmap_terminate *t,
			struct model_objections *out)
{
	const struct model_suspect *s = suspect_named(m, t);
	struct ddp_segment returned;

	ddp_decode(&returned, t->ddp_header, t->ddp_header_octets);
	/* With another version the message would be at fault: it is not a
	 * message. */
	if (returned.short_header || (!s && returned.ddp.dv != DDP_VERSION) ||
	    model_cause_may_be_hidden(m, t, &returned.ddp))
		return;
	unsigned short req = ruled_out(m, t, &returned.ddp);

	if (s)
		object_against(s, &s->outcomes, code_row(s, t),
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t->layer, t->etype, t->code), out);
	else if (!m->suspects)
		model_object(
			out, req == MODEL_REQ_NONE ? LEVEL(RDMAP_4_8_31) : req,
			MODEL_FAULT_TERMINATE_UNCALLED,
			packed(t->layer, t->etype, t->code), MODEL_NOTHING);
}

/*
 * MPA's own errors. A CRC that nobody uses is not wrong (RFC 5044 s4.4), and of
 * one FPDU at fault the CRC and the markers have codes of their own (s8).
 */
static void check_mpa_error(const struct model *m,
			    const struct rdmap_terminate *t,
			    struct model_objections *out)
{
	const struct model_suspect *s = &m->suspect[0];

	if (!is_about_an_fpdu(t) || t->etype)
		return;
	if (t->code == 2 && !m->config.crc)
		model_object(
			out, LEVEL(MPA_4_4_06), MODEL_FAULT_TERMINATE_UNCALLED,
			packed(t->layer, t->etype, t->code), MODEL_NOTHING);
	else if (m->suspects == 1 && !fits(m, &s->outcomes, t) &&
		 (s->stimulus == MODEL_STIM_CRC ||
		  s->stimulus == MODEL_STIM_MARKER))
		object_against(s, &s->outcomes,
			       s->stimulus == MODEL_STIM_CRC ? LEVEL(MPA_8_02)
							     : LEVEL(MPA_8_04),
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t->layer, t->etype, t->code), out);
}

/* The suspect whose header it returns, with a number that is due for it. Several
 * segments may have the same header: then the one of the returned length. */
static const struct model_suspect *suspect_answered(
	const struct model *m, const struct rdmap_terminate *t)
{
	const struct model_suspect *found = NULL;

	for (unsigned i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (!s->no_header && names(t, s) && fits(m, &s->outcomes, t) &&
		    (!found || likeness(t, s) > likeness(t, found)))
			found = s;
	}
	return found;
}

/*
 * For a DUT of which only the wire is seen. Memory, buffers and the ULP may be
 * the cause, so an error in the Terminate has to show in it, or in the message
 * that it returns. Octets protected by a CRC do not change on the way after the
 * observer.
 */
static void judge_observed(struct model *m, const struct rdmap_terminate *t,
			   struct model_objections *out)
{
	const struct model_suspect *answered = suspect_answered(m, t);

	if (answered) {
		check_returned(m, t, answered, out);
		return;
	}
	for (unsigned i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (s->no_header || !names(t, s))
			continue;
		if (model_outcomes_unspecified(&s->outcomes, t->layer, t->etype,
					       t->code))
			object_against(s, &s->outcomes, LEVEL(RDMAP_4_8_33),
				       MODEL_FAULT_TERMINATE_CODE,
				       packed(t->layer, t->etype, t->code),
				       out);
	}
	if (m->peer_terminated || m->lossy)
		return;
	check_mpa_error(m, t, out);
	if (!m->config.crc)
		return;
	if (!t->ddp_header || is_about_none(t))
		check_no_header(m, t, out);
	else
		check_cause(m, t, out);
}

/* RFC 5044 s8: "FIN received" has code 1 of MPA, and RDMAP should send a Terminate
 * for an error of the LLP (RFC 5040 s6.2.1). */
static bool is_about_a_fin(const struct model *m,
			   const struct rdmap_terminate *t)
{
	return m->peer_closed && !m->config.sctp && t->layer == TERM_LLP &&
	       t->etype == 0 && t->code == 1;
}

void send_terminate(struct model *m, const struct ddp_segment *seg,
		    struct model_objections *out)
{
	struct rdmap_terminate t;
	const struct model_suspect *s;
	bool judge = check_form(m, seg, &t, out);

	m->terminated = true;
	if (!judge)
		return;
	m->term_layer = t.layer;
	m->term_etype = t.etype;
	m->term_code = t.code;
	if (m->config.observed) {
		judge_observed(m, &t, out);
		return;
	}
	s = suspect_of(m, &t);
	if (s) {
		check_returned(m, &t, s, out);
		return;
	}
	if (model_outcomes_terminate(&m->setup, t.layer, t.etype, t.code) ||
	    m->local_error || is_about_a_fin(m, &t) ||
	    (m->revoked && t.layer == TERM_RDMA && t.etype == 0)) {
		check_nothing_returned(&t, out);
		return;
	}
	/* The RFCs do not rule on a Terminate that answers a Terminate. */
	if (m->peer_terminated || m->lossy)
		return;
	s = culprit(m);
	/* One case reports that; it is so with every CRC. */
	if (s && s->stimulus == MODEL_STIM_CRC && names_no_cause(&t))
		return;
	if (s)
		object_against(s, &s->outcomes, code_row(s, &t),
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t.layer, t.etype, t.code), out);
	else if (m->setup.n)
		object_against(NULL, &m->setup, m->setup.req,
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t.layer, t.etype, t.code), out);
	else
		model_object(out, LEVEL(RDMAP_4_8_31),
			     MODEL_FAULT_TERMINATE_UNCALLED,
			     packed(t.layer, t.etype, t.code), MODEL_NOTHING);
}

/* ---- the end ---------------------------------------------------------------------- */

static bool may_be_silent(const struct model_outcomes *o)
{
	return model_outcomes_has(o, MODEL_PROCESS) ||
	       model_outcomes_has(o, MODEL_END) ||
	       model_outcomes_has(o, MODEL_WAIT) ||
	       model_outcomes_has(o, MODEL_BACK_PRESSURE);
}

static bool is_must(unsigned short req)
{
	return req != MODEL_REQ_NONE && req_table[req].kind == REQ_KIND_must;
}

void model_dut_ends(struct model *m, enum model_end end,
		    struct model_objections *out)
{
	const struct model_suspect *s = culprit(m);

	memset(out, 0, sizeof(*out));
	if (m->adrift)
		return;
	if (!m->terminated && !m->half_closed && s &&
	    !may_be_silent(&s->outcomes) &&
	    (m->config.dut_initiates || m->rx_frames)) {
		/* A reset may have destroyed the Terminate that a MUST requires
		 * (RFC 5040 s6.2.1): then nothing more can be said. */
		if (end == MODEL_END_RST && is_must(s->outcomes.silent_req))
			model_object(out, LEVEL(RDMAP_6_2_1_03),
				     MODEL_FAULT_NOT_GRACEFUL, end,
				     MODEL_END_FIN);
		else
			object_against(s, &s->outcomes, s->outcomes.silent_req,
				       MODEL_FAULT_TERMINATE_MISSING, end, out);
	} else if (!m->terminated && m->setup.n && !may_be_silent(&m->setup))
		object_against(NULL, &m->setup, m->setup.silent_req,
			       MODEL_FAULT_TERMINATE_MISSING, end, out);
	if (end == MODEL_END_RST && m->terminated)
		model_object(out, LEVEL(RDMAP_6_2_1_03),
			     MODEL_FAULT_NOT_GRACEFUL, end, MODEL_END_FIN);
	else if (end == MODEL_END_RST && m->peer_terminated)
		model_object(out, LEVEL(RDMAP_6_2_1_06),
			     MODEL_FAULT_NOT_GRACEFUL, end, MODEL_END_FIN);
}
