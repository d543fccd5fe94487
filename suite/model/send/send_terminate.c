/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Terminate of the DUT: whether one is due, whether its numbers fit the first
 * message at fault, and which headers it returns (RFC 5040 s4.8, s5.4, s7.1).
 */
#include <string.h>

#include "suite/model/send/suspect.h"

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

/*
 * Whether the header that it claims to return, which may be incomplete, is a
 * tagged one: that of the message that its numbers fit, else of the first one
 * at fault.
 */
static bool returns_tagged(const struct model *m,
			   const struct rdmap_terminate *t)
{
	const struct model_suspect *s = suspect_of_terminate(m, t);

	if (t->ddp_header)
		return t->ddp_header_octets == DDP_TAGGED_OCTETS;
	if (!s)
		s = suspect_culprit(m);
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
	unsigned short req = model_cause_ruled_out(m, t, &returned.ddp);

	if (s)
		suspect_object(s, &s->outcomes, code_row(s, t),
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
	else if (m->suspects == 1 && !suspect_fits(m, &s->outcomes, t) &&
		 (s->stimulus == MODEL_STIM_CRC ||
		  s->stimulus == MODEL_STIM_MARKER))
		suspect_object(s, &s->outcomes,
			       s->stimulus == MODEL_STIM_CRC ? LEVEL(MPA_8_02)
							     : LEVEL(MPA_8_04),
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t->layer, t->etype, t->code), out);
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

		if (s->no_header || !suspect_has_header(t, s))
			continue;
		if (model_outcomes_unspecified(&s->outcomes, t->layer, t->etype,
					       t->code))
			suspect_object(s, &s->outcomes, LEVEL(RDMAP_4_8_33),
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
	/* The RFCs do not rule on a Terminate that answers a Terminate. */
	if (m->peer_terminated && !t.m && !t.d && !t.r)
		return;
	s = suspect_of_terminate(m, &t);
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
	if (m->peer_terminated || m->lossy)
		return;
	s = suspect_culprit(m);
	/* One case reports that; it is so with every CRC. */
	if (s && s->stimulus == MODEL_STIM_CRC && names_no_cause(&t))
		return;
	if (s)
		suspect_object(s, &s->outcomes, code_row(s, &t),
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t.layer, t.etype, t.code), out);
	else if (m->setup.n)
		suspect_object(NULL, &m->setup, m->setup.req,
			       MODEL_FAULT_TERMINATE_CODE,
			       packed(t.layer, t.etype, t.code), out);
	else
		model_object(out, LEVEL(RDMAP_4_8_31),
			     MODEL_FAULT_TERMINATE_UNCALLED,
			     packed(t.layer, t.etype, t.code), MODEL_NOTHING);
}
