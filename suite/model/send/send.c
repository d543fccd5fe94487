/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment that the DUT sent: its FPDU (RFC 5044 s4), whether the DUT may send
 * at all (RFC 5044 s7.1.2, RFC 6581 s9.2), the fields of both headers, and
 * whether the segments of a message belong together (RFC 5041 s4, s5.2).
 */
#include <string.h>

#include "suite/model/internal.h"
#include "suite/model/startup/negotiate.h"

/*
 * A segment that is not the last of its message. MULPDU is never below
 * (RFC 5044 s4.5), but DDP may post a smaller ULPDU (s3), which it should not.
 */
#define ULPDU_MIN 128

bool opcode_known(const struct model *m, unsigned opcode)
{
	switch (opcode) {
	case RDMAP_IMM:
		return m->config.features & MODEL_IMM;
	case RDMAP_IMM_SE:
		return m->config.features & MODEL_IMM_SE;
	case RDMAP_ATOMIC_REQUEST:
	case RDMAP_ATOMIC_RESPONSE:
		return m->config.features & (MODEL_ATOMICS | MODEL_SWAP);
	default:
		return opcode <= RDMAP_TERMINATE;
	}
}

bool opcode_tagged(unsigned opcode)
{
	return opcode == RDMAP_WRITE || opcode == RDMAP_READ_RESPONSE;
}

uint32_t opcode_queue(unsigned opcode)
{
	switch (opcode) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
		return DDP_QN_READ_REQUEST;
	case RDMAP_TERMINATE:
		return DDP_QN_TERMINATE;
	case RDMAP_ATOMIC_RESPONSE:
		return DDP_QN_ATOMIC_RESPONSE;
	default:
		return DDP_QN_SEND;
	}
}

uint8_t rtr_form(const struct ddp_segment *seg)
{
	struct rdmap_read_request h;

	if (seg->short_header || !seg->ddp.last)
		return 0;
	switch (seg->ddp.opcode) {
	case RDMAP_SEND:
		return seg->payload_octets || seg->ddp.tagged ? 0
							      : MODEL_RTR_SEND;
	case RDMAP_WRITE:
		return seg->payload_octets || !seg->ddp.tagged
			       ? 0
			       : MODEL_RTR_WRITE;
	case RDMAP_READ_REQUEST:
		if (seg->ddp.tagged ||
		    !rdmap_read_request_decode(&h, seg->payload,
					       seg->payload_octets))
			return 0;
		return h.size ? 0 : MODEL_RTR_READ;
	default:
		return 0;
	}
}

/* ---- the FPDU ----------------------------------------------------------- */

static void object_to_marker(enum model_fault fault, unsigned short req,
			     unsigned i, uint16_t seen, uint16_t due,
			     struct model_objections *out)
{
	model_object_to(out, &(struct model_objection){.req = req,
						       .fault = fault,
						       .seen = seen,
						       .due = due,
						       .at = i});
}

static void check_markers(const struct model *m, const struct fpdu *f,
			  struct model_objections *out)
{
	unsigned i;

	if (f->markers != m->config.dut_markers) {
		model_object(out,
			     f->markers ? LEVEL(MPA_7_1_1_07)
					: LEVEL(MPA_4_3_01),
			     f->markers ? MODEL_FAULT_MARKERS_USED
					: MODEL_FAULT_MARKERS_MISSING,
			     f->markers, m->config.dut_markers);
		return;
	}
	for (i = 0; f->markers && i < f->marker_count; i++) {
		uint16_t due = fpdu_marker_pointer(i, f->offset);
		uint16_t seen = f->marker[i].fpduptr;

		if (f->marker[i].reserved)
			object_to_marker(MODEL_FAULT_MARKER_RESERVED,
					 LEVEL(MPA_4_2_02), i,
					 f->marker[i].reserved, 0, out);
		if (seen == due)
			continue;
		object_to_marker(MODEL_FAULT_MARKER_POINTER,
				 (seen & ~3u) == due ? LEVEL(MPA_4_2_05)
				 : due               ? LEVEL(MPA_4_2_08)
						     : LEVEL(MPA_4_3_08),
				 i, seen, due, out);
	}
}

/*
 * A marker is missing where one is due, or present where none is due: neither
 * half is that of a marker; or its pointer is not, and the CRC shows that it is
 * not a marker; or four zeros and no CRC make an FPDU. The octets that follow
 * cannot be separated.
 */
static bool goes_adrift(const struct model *m, const struct fpdu *f,
			const uint8_t *crc)
{
	bool wrong = m->config.crc && crc;
	unsigned i;

	for (i = 0; f->markers && i < f->marker_count; i++) {
		unsigned due = fpdu_marker_pointer(i, f->offset);
		unsigned seen = f->marker[i].fpduptr;

		if ((wrong && seen != due) ||
		    (f->marker[i].reserved && (seen & ~3u) != due))
			return true;
	}
	return (f->markers || m->tx_frames == 1) && f->ulpdu_length == 0 &&
	       (wrong || !m->config.crc);
}

/* The CRC matches with another pad than the one due. */
static void object_to_pad_length(const struct fpdu *f,
				 struct model_objections *out)
{
	model_object(out, LEVEL(MPA_4_1_04), MODEL_FAULT_PAD_LENGTH,
		     (uint64_t)(f->pad_octets + f->crc_off), f->pad_octets);
}

static void check_crc(const struct model *m, const struct fpdu *f,
		      const uint8_t *crc, struct model_objections *out)
{
	if (!crc)
		return;
	/* RFC 5044 s4.4 binds a sender that knows that its peer wants CRCs,
	 * s7.1.1 one that wants them itself. */
	struct model_objection o = {.req = m->config.crc_by_wish
						   ? LEVEL(MPA_7_1_1_10)
						   : LEVEL(MPA_4_4_04),
				    .fault = MODEL_FAULT_CRC};

	model_octets_put(&o.seen_octets, f->crc, sizeof(f->crc));
	model_octets_put(&o.due_octets, crc, sizeof(f->crc));
	model_object_to(out, &o);
}

static void check_pad(const struct fpdu *f, struct model_objections *out)
{
	static const uint8_t zero[sizeof(f->pad)];
	size_t n = f->pad_octets < sizeof(zero) ? f->pad_octets : sizeof(zero);

	if (memcmp(f->pad, zero, n) == 0)
		return;
	struct model_objection o = {.req = LEVEL(MPA_4_1_03),
				    .fault = MODEL_FAULT_PAD};

	model_octets_put(&o.seen_octets, f->pad, n);
	model_octets_put(&o.due_octets, zero, n);
	model_object_to(out, &o);
}

static void check_ulpdu_length(const struct fpdu *f, enum model_fault fault,
			       unsigned short req, uint64_t min, uint64_t max,
			       struct model_objections *out)
{
	if (f->ulpdu_length < min || f->ulpdu_length > max)
		model_object_to(
			out, &(struct model_objection){.req = req,
						       .fault = fault,
						       .seen = f->ulpdu_length,
						       .due = min,
						       .due_max = max});
}

/*
 * The wire does not show the MULPDU that MPA has reported to DDP. RFC 5044 s2
 * derives EMSS from the MSS of RFC 793, which does not include TCP options;
 * s4.5 and s5.1 require them to be counted. All long FPDUs of a device that
 * does not count them are too long: the case about MPA-4.5-03 reports that.
 */
static void check_mulpdu(const struct model *m, const struct fpdu *f,
			 struct model_objections *out)
{
	const struct model_config *c = &m->config;
	uint32_t most = c->mulpdu_most > c->mulpdu ? c->mulpdu_most : c->mulpdu;

	if (most && f->ulpdu_length > most)
		check_ulpdu_length(f, MODEL_FAULT_MULPDU, LEVEL(DDP_5_2_01), 0,
				   most, out);
}

static void check_fpdu(const struct model *m, const struct ddp_segment *seg,
		       const struct fpdu *f, const uint8_t *crc,
		       struct model_objections *out)
{
	if (m->config.crc)
		check_crc(m, f, crc, out);
	check_pad(f, out);
	check_ulpdu_length(f, MODEL_FAULT_ULPDU_TOO_LONG, LEVEL(MPA_3_03), 0,
			   FPDU_ULPDU_MAX, out);
	check_mulpdu(m, f, out);
	if (!seg->short_header && !seg->ddp.last && !m->config.short_ulpdus)
		check_ulpdu_length(f, MODEL_FAULT_ULPDU_TOO_SHORT,
				   LEVEL(MPA_4_5_05), ULPDU_MIN, UINT64_MAX,
				   out);
	check_markers(m, f, out);
}

/* ---- when it may send ---------------------------------------------------- */

/*
 * A Terminate before the initiator's first valid FPDU is ignored: RFC 5044
 * forbids it, RFC 5040 s6.2.1 requires it. A device that does not wait may
 * send several FPDUs too early: that is one error.
 */
static void check_release(const struct model *m, const struct ddp *d,
			  struct model_objections *out)
{
	if (m->config.dut_initiates || m->config.sctp || m->rx_frames ||
	    d->opcode == RDMAP_TERMINATE || (!m->failed && m->tx_frames > 1))
		return;
	model_object(out, m->failed ? LEVEL(MPA_7_1_2_18) : LEVEL(MPA_7_1_2_16),
		     MODEL_FAULT_NOT_RELEASED, d->opcode, MODEL_NOTHING);
}

/*
 * The first message is not an RTR: it has a negotiated type but another form,
 * or is a message that should have followed the RTR (RFC 6581 s5).
 */
static unsigned short rtr_requirement(struct model *m,
				      const struct ddp_segment *seg)
{
	unsigned op = seg->ddp.opcode;

	if (!work_is_next(m, seg)) {
		if (op == RDMAP_SEND && m->config.rtr & MODEL_RTR_SEND)
			return LEVEL(EMPA_9_2_11);
		if (op == RDMAP_WRITE && m->config.rtr & MODEL_RTR_WRITE)
			return LEVEL(EMPA_9_2_12);
		if (op == RDMAP_READ_REQUEST && m->config.rtr & MODEL_RTR_READ)
			return LEVEL(EMPA_9_2_13);
	}
	return LEVEL(EMPA_5_01);
}

/* It has a negotiated type, but is not an RTR: the part that does not fit. */
static void rtr_flaw(const struct ddp_segment *seg, struct model_objection *o)
{
	const struct ddp *d = &seg->ddp;
	struct rdmap_read_request h;

	o->field = MODEL_FIELD_LENGTH;
	o->seen = seg->payload_octets;
	if (!d->last) {
		o->field = MODEL_FIELD_L;
	} else if (d->tagged != opcode_tagged(d->opcode)) {
		o->field = MODEL_FIELD_T;
		o->seen = d->tagged;
	} else if (d->opcode == RDMAP_READ_REQUEST &&
		   rdmap_read_request_decode(&h, seg->payload,
					     seg->payload_octets)) {
		o->field = MODEL_FIELD_SIZE;
		o->seen = h.size;
	}
}

static bool opens_with_rtr(const struct model *m, const struct ddp *d)
{
	return m->config.dut_initiates && m->config.rtr && m->tx_frames == 1 &&
	       d->opcode != RDMAP_TERMINATE;
}

static void check_rtr(struct model *m, const struct ddp_segment *seg,
		      struct model_objections *out)
{
	uint8_t form = rtr_form(seg);
	unsigned op = seg->ddp.opcode;
	bool kind = op == RDMAP_SEND || op == RDMAP_WRITE ||
		    op == RDMAP_READ_REQUEST;

	if (!opens_with_rtr(m, &seg->ddp) || (form & m->config.rtr))
		return;
	struct model_objection o = {
		.req = form ? LEVEL(EMPA_9_2_14) : rtr_requirement(m, seg),
		.fault = kind ? MODEL_FAULT_RTR_FORM : MODEL_FAULT_RTR_DUE,
		.seen = form,
		.due = m->config.rtr,
		.one_of = true,
	};

	if (kind && !form)
		rtr_flaw(seg, &o);
	model_object_to(out, &o);
}

/* ---- header fields -------------------------------------------------------- */

static bool rfc7306_opcode(unsigned opcode)
{
	return opcode >= RDMAP_IMM && opcode <= RDMAP_ATOMIC_RESPONSE;
}

unsigned short opcode_row(unsigned opcode)
{
	static const unsigned short rows[] = {
		[RDMAP_WRITE] = LEVEL(RDMAP_4_1_21),
		[RDMAP_READ_REQUEST] = LEVEL(RDMAP_4_1_22),
		[RDMAP_READ_RESPONSE] = LEVEL(RDMAP_4_1_23),
		[RDMAP_SEND] = LEVEL(RDMAP_4_1_24),
		[RDMAP_SEND_INV] = LEVEL(RDMAP_4_1_25),
		[RDMAP_SEND_SE] = LEVEL(RDMAP_4_1_26),
		[RDMAP_SEND_SE_INV] = LEVEL(RDMAP_4_1_27),
		[RDMAP_TERMINATE] = LEVEL(RDMAP_4_1_28),
		[RDMAP_IMM] = LEVEL(RDMAPX_4_1_05),
		[RDMAP_IMM_SE] = LEVEL(RDMAPX_4_1_06),
		[RDMAP_ATOMIC_REQUEST] = LEVEL(RDMAPX_4_1_07),
		[RDMAP_ATOMIC_RESPONSE] = LEVEL(RDMAPX_4_1_08),
	};

	return rows[opcode];
}

/* The row that requires a zero Invalidate STag field; 0xffff: none. */
static unsigned short inval_row(unsigned opcode)
{
	switch (opcode) {
	case RDMAP_SEND:
		return LEVEL(RDMAP_4_1_12);
	case RDMAP_SEND_SE:
		return LEVEL(RDMAP_4_1_13);
	case RDMAP_READ_REQUEST:
		return LEVEL(RDMAP_4_1_14);
	case RDMAP_TERMINATE:
		return LEVEL(RDMAP_4_1_15);
	case RDMAP_SEND_INV:
	case RDMAP_SEND_SE_INV:
		return MODEL_REQ_NONE;
	default:
		return LEVEL(RDMAPX_4_1_03);
	}
}

static void check_control(const struct ddp *d, struct model_objections *out)
{
	bool new = rfc7306_opcode(d->opcode);

	if (d->rsvd)
		model_object(out,
			     new ? LEVEL(RDMAPX_4_1_10) : LEVEL(DDP_4_1_11),
			     MODEL_FAULT_DDP_RESERVED, d->rsvd, 0);
	if (d->dv != DDP_VERSION)
		model_object(out,
			     d->opcode == RDMAP_TERMINATE ? LEVEL(DDP_4_1_14)
							  : LEVEL(DDP_4_1_13),
			     MODEL_FAULT_DV, d->dv, DDP_VERSION);
	if (d->rv != RDMAP_VERSION)
		model_object(out,
			     new ? LEVEL(RDMAPX_4_1_01) : LEVEL(RDMAP_4_1_02),
			     MODEL_FAULT_RV, d->rv, RDMAP_VERSION);
	if (d->rdmap_rsvd)
		model_object(out,
			     new ? LEVEL(RDMAPX_4_1_10) : LEVEL(RDMAP_4_1_10),
			     MODEL_FAULT_RDMAP_RESERVED, d->rdmap_rsvd, 0);
}

/* The queue table of draft -01 has two errors; both readings are accepted. */
static bool draft_queue(const struct model *m, const struct ddp *d)
{
	return m->config.profile == MODEL_DRAFT_01 &&
	       (d->opcode == RDMAP_IMM_SE ||
		d->opcode == RDMAP_ATOMIC_RESPONSE) &&
	       d->qn == DDP_QN_READ_REQUEST;
}

/* Returns whether the segment can be followed any further. */
static bool check_opcode(const struct model *m, const struct ddp *d,
			 struct model_objections *out)
{
	uint32_t queue = opcode_queue(d->opcode);
	unsigned short inval = inval_row(d->opcode);

	if (!opcode_known(m, d->opcode)) {
		model_object(out, LEVEL(IANA_3_4_03), MODEL_FAULT_OPCODE,
			     d->opcode, 0);
		return false;
	}
	if (d->tagged != opcode_tagged(d->opcode)) {
		model_object(out, opcode_row(d->opcode), MODEL_FAULT_T_FLAG,
			     d->tagged, !d->tagged);
		return false;
	}
	if (d->tagged)
		return true;
	if (d->inval_stag && inval != MODEL_REQ_NONE)
		model_object(out, inval, MODEL_FAULT_INVALIDATE_STAG,
			     d->inval_stag, 0);
	if (d->qn != queue && !draft_queue(m, d))
		model_object(out,
			     m->tx_open && m->tx_first.opcode == d->opcode
				     ? LEVEL(DDP_4_3_04)
				     : opcode_row(d->opcode),
			     MODEL_FAULT_QN, d->qn, queue);
	return true;
}

/* ---- messages -------------------------------------------------------------- */

/* Messages that share a queue with others: how many of this kind were sent, or
 * NULL, and the row that makes them share it (RFC 7306 s5.2, s6.3). */
static uint32_t *sharing(struct model *m, unsigned opcode, unsigned short *req)
{
	switch (opcode) {
	case RDMAP_ATOMIC_REQUEST:
		*req = LEVEL(RDMAPX_5_2_01);
		return &m->tx_atomics;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		*req = LEVEL(RDMAPX_6_3_16);
		return &m->tx_imms;
	default:
		return NULL;
	}
}

static void check_msn(struct model *m, const struct ddp *d, bool astray,
		      struct model_objections *out)
{
	uint32_t due = m->tx_msn[d->qn];
	unsigned short req = LEVEL(DDP_4_3_06), shared = req;
	uint32_t *apart = sharing(m, d->opcode, &shared);

	/* On another queue it may have been counted there. */
	if (d->msn != due && !astray) {
		if (apart && d->msn == m->config.first_msn + *apart)
			req = shared;
		else if (due == m->config.first_msn)
			req = LEVEL(DDP_4_3_05);
		else if (due == 0)
			req = LEVEL(DDP_4_3_09);
		else if (d->qn == DDP_QN_ATOMIC_RESPONSE)
			req = LEVEL(RDMAPX_5_2_03);
		model_object(out, req, MODEL_FAULT_MSN, d->msn, due);
	}
	if (apart)
		++*apart;
	/* Follow the DUT, so that one error is one objection. */
	if (!astray || d->msn == due)
		m->tx_msn[d->qn] = d->msn + 1;
}

static bool message_whole(struct model *m)
{
	return m->tx_first.opcode == RDMAP_READ_RESPONSE ? response_whole(m)
							 : work_whole(m);
}

/* Whether this segment continues the open message. */
static bool continues(struct model *m, const struct ddp *d)
{
	const struct ddp *f = &m->tx_first;

	if (!m->tx_open || d->tagged != f->tagged || d->opcode != f->opcode)
		return false;
	if (!d->tagged)
		return d->qn == f->qn && d->msn == f->msn;
	/* Only its offset distinguishes the next tagged message from it. */
	return !message_whole(m) || (d->stag == f->stag && d->to == m->tx_next);
}

/*
 * One header field may be wrong in a segment that otherwise continues: accept
 * it as such if its offset is the next one.
 */
static bool seems_to_continue(const struct model *m, const struct ddp *d)
{
	const struct ddp *f = &m->tx_first;

	if (!m->tx_open || d->tagged != f->tagged || !m->tx_octets)
		return false;
	return d->tagged ? d->stag == f->stag && d->to == f->to + m->tx_octets
			 : d->mo == m->tx_octets;
}

/* What is reserved for the ULP: RFC 5041 s4.2, s4.3. */
static void object_to_ulp_field(const struct ddp *f, const struct ddp *d,
				struct model_objections *out)
{
	bool ulp = d->opcode != f->opcode;

	model_object_to(out, &(struct model_objection){
				     .req = d->tagged ? LEVEL(DDP_4_2_02)
						      : LEVEL(DDP_4_3_02),
				     .fault = MODEL_FAULT_HEADER_CHANGED,
				     .field = ulp ? MODEL_FIELD_OPCODE
						  : MODEL_FIELD_INVALIDATE_STAG,
				     .seen = ulp ? d->opcode : d->inval_stag,
				     .due = ulp ? f->opcode : f->inval_stag,
			     });
}

static void check_same_header(const struct ddp *f, const struct ddp *d,
			      struct model_objections *out)
{
	if (d->opcode != f->opcode ||
	    (!d->tagged && d->inval_stag != f->inval_stag))
		object_to_ulp_field(f, d, out);
	if (d->tagged && d->stag != f->stag)
		model_object(out, LEVEL(DDP_4_2_03), MODEL_FAULT_STAG_CHANGED,
			     d->stag, f->stag);
	if (!d->tagged && d->msn != f->msn)
		model_object(out, LEVEL(DDP_4_3_08), MODEL_FAULT_MSN, d->msn,
			     f->msn);
}

/*
 * Offsets. Rising order is a SHOULD, correct offsets are a MUST. Which of the
 * two a wrong step breaks shows when the message is complete: its octets then
 * either fill one span or they do not.
 */
static void check_offset(struct model *m, const struct ddp_segment *seg,
			 bool first, struct model_objections *out)
{
	const struct ddp *d = &seg->ddp;
	uint64_t at = d->tagged ? d->to : d->mo;
	uint64_t n = seg->payload_octets;
	/* TOs may wrap: distances from here are compared. */
	uint64_t base = d->tagged ? m->tx_first.to : m->tx_first.mo;
	bool filled;

	if (first) {
		m->tx_span = (struct model_run){at, at};
		m->tx_octets = 0;
		m->tx_disorder = false;
		m->tx_next = d->tagged ? at : 0;
	}
	if (at != m->tx_next && !m->tx_disorder) {
		m->tx_disorder = true;
		m->tx_stray = at;
		m->tx_stray_due = m->tx_next;
	}
	m->tx_next = at + n;
	if ((int64_t)(at - base) < (int64_t)(m->tx_span.from - base))
		m->tx_span.from = at;
	if ((int64_t)(at + n - base) > (int64_t)(m->tx_span.to - base))
		m->tx_span.to = at + n;
	m->tx_octets += n;
	if (!d->last)
		return;
	if (!first && m->tx_octets == 0)
		model_object(out, LEVEL(DDP_5_2_09), MODEL_FAULT_EMPTY_SEGMENT,
			     2, 1);
	if (!m->tx_disorder)
		return;
	if (!d->tagged && at + n < m->tx_span.to)
		model_object_to(out, &(struct model_objection){
					     .req = LEVEL(DDP_4_1_07),
					     .fault = MODEL_FAULT_LAST_FLAG,
					     .field = MODEL_FIELD_L,
					     .seen = at + n,
					     .due = m->tx_span.to,
				     });
	filled = m->tx_span.to - m->tx_span.from == m->tx_octets &&
		 (d->tagged || m->tx_span.from == 0);
	if (d->tagged)
		model_object(out,
			     filled ? LEVEL(DDP_5_3_03) : LEVEL(DDP_5_2_07),
			     filled ? MODEL_FAULT_TO_ORDER : MODEL_FAULT_TO,
			     m->tx_stray, m->tx_stray_due);
	else if (filled)
		model_object(out, LEVEL(DDP_5_3_02), MODEL_FAULT_MO_ORDER,
			     m->tx_stray, m->tx_stray_due);
	else
		model_object(out,
			     m->tx_span.from ? LEVEL(DDP_4_3_12)
					     : LEVEL(DDP_5_2_05),
			     MODEL_FAULT_MO, m->tx_stray, m->tx_stray_due);
}

/*
 * Messages that consist of a header only are one segment. Returns whether this
 * is a complete one, whether its L is set or not.
 */
static bool check_length(const struct ddp_segment *seg,
			 struct model_objections *out)
{
	size_t due;
	unsigned short req;

	switch (seg->ddp.opcode) {
	case RDMAP_READ_REQUEST:
		due = RDMAP_READ_REQUEST_OCTETS;
		req = LEVEL(RDMAP_4_2_10);
		break;
	case RDMAP_ATOMIC_REQUEST:
		due = RDMAP_ATOMIC_REQUEST_OCTETS;
		req = LEVEL(RDMAPX_5_2_1_01);
		break;
	case RDMAP_ATOMIC_RESPONSE:
		due = RDMAP_ATOMIC_RESPONSE_OCTETS;
		req = LEVEL(RDMAPX_5_2_2_01);
		break;
	case RDMAP_IMM:
	case RDMAP_IMM_SE:
		due = RDMAP_IMM_OCTETS;
		req = LEVEL(RDMAPX_6_3_06);
		break;
	default:
		return false;
	}
	if (seg->payload_octets != due)
		model_object(out, req, MODEL_FAULT_LENGTH,
			     DDP_UNTAGGED_OCTETS + seg->payload_octets,
			     DDP_UNTAGGED_OCTETS + due);
	else if (!seg->ddp.last)
		model_object(out, LEVEL(DDP_4_1_04), MODEL_FAULT_LAST_FLAG, 0,
			     1);
	return seg->payload_octets == due;
}

/*
 * A message starts while another one is open: either the other one lacks its L,
 * or the two are mixed.
 */
static void broken_off(struct model *m, const struct ddp *d,
		       struct model_objections *out)
{
	bool response = m->tx_first.opcode == RDMAP_READ_RESPONSE;

	if (message_whole(m)) {
		model_object(out, LEVEL(DDP_4_1_04), MODEL_FAULT_LAST_FLAG, 0,
			     1);
		if (response)
			response_done(m);
		else
			work_done(m);
		return;
	}
	/* A Response inside another one is out of turn; any other message has
	 * overtaken one that was submitted before it. */
	response = response && (d->opcode == RDMAP_READ_RESPONSE ||
				d->opcode == RDMAP_ATOMIC_RESPONSE);
	model_object(out, response ? LEVEL(RDMAP_5_2_2_05) : LEVEL(DDP_5_3_01),
		     MODEL_FAULT_INTERLEAVED, d->opcode, m->tx_first.opcode);
}

static void check_message(struct model *m, struct ddp_segment *seg, bool astray,
			  struct model_objections *out)
{
	struct ddp *d = &seg->ddp;
	bool first = true;

	if (continues(m, d) || seems_to_continue(m, d)) {
		first = false;
		check_same_header(&m->tx_first, d, out);
	} else if (m->tx_open) {
		broken_off(m, d, out);
	}
	if (first) {
		m->tx_first = *d;
		if (!d->tagged)
			check_msn(m, d, astray, out);
	}
	check_offset(m, seg, first, out);
	/* One error is one objection: the message ends here all the same. */
	if (check_length(seg, out))
		d->last = true;
	m->tx_open = !d->last;

	switch (m->tx_first.opcode) {
	case RDMAP_READ_RESPONSE:
		send_read_response(m, seg, first, out);
		break;
	case RDMAP_ATOMIC_RESPONSE:
		send_atomic_response(m, seg, out);
		break;
	default:
		send_work(m, seg, first, out);
		break;
	}
}

static void object_to_short_header(const struct ddp_segment *seg,
				   struct model_objections *out)
{
	bool tagged = seg->ddp.tagged;

	model_object_to(
		out,
		&(struct model_objection){
			.req = tagged ? LEVEL(DDP_4_2_01) : LEVEL(DDP_4_3_01),
			.fault = MODEL_FAULT_SHORT_HEADER,
			.field = tagged ? MODEL_FIELD_T : MODEL_FIELD_NONE,
			.seen = seg->payload_octets,
			.due = ddp_header_octets(tagged),
			.due_max = UINT64_MAX,
		});
}

static void judge_segment(struct model *m, const struct ddp_segment *seg,
			  struct model_objections *out)
{
	const struct ddp *d = &seg->ddp;
	struct ddp_segment on_queue;

	if (m->terminated) {
		model_object(out, LEVEL(RDMAP_5_4_07),
			     MODEL_FAULT_AFTER_TERMINATE,
			     seg->short_header ? MODEL_NOTHING : d->opcode,
			     MODEL_NOTHING);
		return;
	}
	if (seg->short_header) {
		object_to_short_header(seg, out);
		return;
	}
	check_release(m, d, out);
	check_rtr(m, seg, out);
	check_control(d, out);
	if (!check_opcode(m, d, out))
		return;
	/* From here on it is followed on the queue to which it belongs. */
	on_queue = *seg;
	if (!d->tagged)
		on_queue.ddp.qn = opcode_queue(d->opcode);
	if (d->opcode == RDMAP_TERMINATE)
		send_terminate(m, &on_queue, out);
	else
		check_message(m, &on_queue, on_queue.ddp.qn != d->qn, out);
}

void model_dut_sends(struct model *m, const struct ddp_segment *seg,
		     const struct fpdu *fpdu, const uint8_t *crc,
		     struct model_objections *out)
{
	unsigned i;

	out->n = 0;
	out->more = false;
	m->tx_frames++;
	m->tx_own = false;
	if (!m->adrift && fpdu && goes_adrift(m, fpdu, crc)) {
		m->adrift = true;
		model_object(out,
			     fpdu->markers ? LEVEL(MPA_4_3_02)
					   : LEVEL(MPA_7_1_1_07),
			     fpdu->markers ? MODEL_FAULT_MARKERS_MISSING
					   : MODEL_FAULT_MARKERS_USED,
			     !fpdu->markers, fpdu->markers);
		return;
	}
	if (!m->adrift && fpdu && crc && fpdu->crc_off) {
		m->adrift = m->pad_adrift = true;
		object_to_pad_length(fpdu, out);
		return;
	}
	if (m->adrift)
		return;
	if (fpdu)
		check_fpdu(m, seg, fpdu, crc, out);
	judge_segment(m, seg, out);
	for (i = 0; i < out->n; i++) {
		out->list[i].opcode = seg->ddp.opcode;
		out->list[i].qn = opcode_queue(seg->ddp.opcode);
	}
}
