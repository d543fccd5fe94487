/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/language/peer/peer_judge.h"

#include <limits.h>

/* Faults that a stimulus can name. */
enum {
	NAMES_CRC = 1 << 0,
	NAMES_PAD = 1 << 1,
	NAMES_MARKER = 1 << 2,
	NAMES_FRAMING =
		1 << 3, /* the end of the FPDU cannot be found any more */
	NAMES_EARLY = 1 << 4,
	NAMES_T = 1 << 5,
	NAMES_L = 1 << 6,
	NAMES_DDP_RESERVED = 1 << 7,
	NAMES_DV = 1 << 8,
	NAMES_RV = 1 << 9,
	NAMES_RDMAP_RESERVED = 1 << 10,
	NAMES_OPCODE = 1 << 11,
	NAMES_QN = 1 << 12,
	NAMES_MSN = 1 << 13,
	NAMES_MO = 1 << 14,
	NAMES_STAG = 1 << 15,
	NAMES_TO = 1 << 16,
	NAMES_INVAL = 1 << 17,
	NAMES_LENGTH = 1 << 18,
	NAMES_TERMINATE = 1 << 19, /* its reserved bits, what it returns */
	NAMES_ATOMIC_RESERVED = 1 << 20,
	/* of startup frames */
	NAMES_KEY = 1 << 21,
	NAMES_FLAGS = 1 << 22,
	NAMES_R = 1 << 23,
	NAMES_REV = 1 << 24,
	NAMES_S = 1 << 25,
	NAMES_PD_LENGTH = 1 << 26,
	/* not of the peer: the model cannot follow the device */
	NAMES_DEVICE = 1 << 27,

	/* After these the receiver expects something else than before. */
	LEAVES_OVER = NAMES_T | NAMES_L | NAMES_OPCODE | NAMES_QN | NAMES_MSN |
		      NAMES_MO | NAMES_STAG | NAMES_TO | NAMES_LENGTH,
};

/* The faults that excuse an objection; 0: it has to be declared. */
static const unsigned named_by[MODEL_FAULT_COUNT] = {
	[MODEL_FAULT_KEY] = NAMES_KEY,
	[MODEL_FAULT_RESERVED_FLAGS] = NAMES_FLAGS,
	[MODEL_FAULT_REJECT_FLAG] = NAMES_R,
	[MODEL_FAULT_REV] = NAMES_REV,
	[MODEL_FAULT_PD_LENGTH] = NAMES_PD_LENGTH,
	[MODEL_FAULT_NOT_ENHANCED] = NAMES_S | NAMES_REV | NAMES_PD_LENGTH,
	[MODEL_FAULT_ENHANCED] = NAMES_S,
	[MODEL_FAULT_CRC] = NAMES_CRC,
	[MODEL_FAULT_PAD] = NAMES_PAD,
	[MODEL_FAULT_PAD_LENGTH] = NAMES_PAD,
	[MODEL_FAULT_MARKER_RESERVED] = NAMES_MARKER,
	[MODEL_FAULT_MARKER_POINTER] = NAMES_MARKER,
	[MODEL_FAULT_MARKERS_USED] = NAMES_MARKER,
	[MODEL_FAULT_MARKERS_MISSING] = NAMES_MARKER,
	[MODEL_FAULT_NOT_RELEASED] = NAMES_EARLY | NAMES_DEVICE,
	[MODEL_FAULT_SHORT_HEADER] = NAMES_LENGTH | NAMES_T,
	[MODEL_FAULT_DDP_RESERVED] = NAMES_DDP_RESERVED,
	[MODEL_FAULT_DV] = NAMES_DV,
	[MODEL_FAULT_RV] = NAMES_RV,
	[MODEL_FAULT_RDMAP_RESERVED] = NAMES_RDMAP_RESERVED,
	[MODEL_FAULT_OPCODE] = NAMES_OPCODE,
	[MODEL_FAULT_T_FLAG] = NAMES_T | NAMES_OPCODE,
	[MODEL_FAULT_QN] = NAMES_QN | NAMES_OPCODE,
	[MODEL_FAULT_MSN] = NAMES_MSN | NAMES_QN,
	[MODEL_FAULT_MO] = NAMES_MO,
	[MODEL_FAULT_MO_ORDER] = NAMES_MO,
	[MODEL_FAULT_TO] = NAMES_TO,
	[MODEL_FAULT_TO_ORDER] = NAMES_TO,
	[MODEL_FAULT_STAG_CHANGED] = NAMES_STAG,
	[MODEL_FAULT_HEADER_CHANGED] = NAMES_OPCODE | NAMES_INVAL,
	[MODEL_FAULT_INVALIDATE_STAG] = NAMES_INVAL,
	[MODEL_FAULT_LAST_FLAG] = NAMES_L | NAMES_MO,
	[MODEL_FAULT_LENGTH] = NAMES_LENGTH,
	[MODEL_FAULT_RESPONSE_UNASKED] = NAMES_DEVICE,
	[MODEL_FAULT_RESPONSE_ORDER] = NAMES_DEVICE,
	[MODEL_FAULT_ORD_EXCEEDED] = NAMES_DEVICE,
	[MODEL_FAULT_RESPONSE_STAG] = NAMES_STAG,
	[MODEL_FAULT_RESPONSE_TO] = NAMES_TO,
	[MODEL_FAULT_ATOMIC_RESERVED] = NAMES_ATOMIC_RESERVED,
	[MODEL_FAULT_TERMINATE_RESERVED] = NAMES_TERMINATE,
	[MODEL_FAULT_TERMINATE_LENGTH] = NAMES_LENGTH,
	[MODEL_FAULT_TERMINATE_SEGMENT_LENGTH] = NAMES_TERMINATE,
	[MODEL_FAULT_TERMINATE_DDP_HEADER] = NAMES_TERMINATE,
	[MODEL_FAULT_TERMINATE_RDMA_HEADER] = NAMES_TERMINATE,
};

/* A peer that broke off a message, or left its position, cannot simply
 * continue. */
static const unsigned followed_by[MODEL_FAULT_COUNT] = {
	[MODEL_FAULT_INTERLEAVED] = NAMES_MSN | NAMES_MO | NAMES_TO | NAMES_L,
	[MODEL_FAULT_STAG_CHANGED] = NAMES_TO,
};

/* --- what a stimulus names ------------------------------------------------ */

static bool invalidates(const struct msg *m)
{
	return m->opcode == RDMAP_SEND_INV || m->opcode == RDMAP_SEND_SE_INV;
}

/* If the message is a header, the case determines its octets. */
static bool is_by_hand(const struct msg *m)
{
	switch (m->opcode) {
	case RDMAP_READ_REQUEST:
	case RDMAP_ATOMIC_REQUEST:
	case RDMAP_ATOMIC_RESPONSE:
	case RDMAP_TERMINATE:
		return m->octets || m->n;
	default:
		return false;
	}
}

static unsigned named_in_header(const struct msg *m)
{
	const struct rdmap_terminate *term = &m->terminate;

	return (m->t.set ? NAMES_T : 0) | (m->l.set ? NAMES_L : 0) |
	       (m->rsvd.set ? NAMES_DDP_RESERVED : 0) |
	       (m->dv.set ? NAMES_DV : 0) | (m->rv.set ? NAMES_RV : 0) |
	       (m->rdmap_rsvd.set ? NAMES_RDMAP_RESERVED : 0) |
	       (m->opcode_field.set || m->opcode > RDMAP_ATOMIC_RESPONSE
			? NAMES_OPCODE
			: 0) |
	       (m->qn.set ? NAMES_QN : 0) |
	       (m->msn.set || m->keeps_msn ? NAMES_MSN : 0) |
	       (m->mo.set ? NAMES_MO : 0) |
	       (m->stag_field.set ? NAMES_STAG : 0) |
	       (m->to_field.set ? NAMES_TO : 0) |
	       (m->inval && !invalidates(m) ? NAMES_INVAL : 0) |
	       (m->cut_to.set || m->tail_octets ? NAMES_LENGTH : 0) |
	       (is_by_hand(m) ? NAMES_LENGTH | NAMES_TERMINATE : 0) |
	       (m->atomic.reserved ? NAMES_ATOMIC_RESERVED : 0) |
	       (term->reserved || term->has_segment_length ||
				term->ddp_header || term->rdma_header
			? NAMES_TERMINATE
			: 0);
}

/* Those that concern the FPDU. */
static unsigned named_in_fpdu(const struct msg *m)
{
	return (m->crc != CRC_RIGHT || m->pad_after.set ||
				m->marker_reserved_after.set ||
				m->marker_pointer_or_after.set
			? NAMES_CRC
			: 0) |
	       (m->pad.set || m->pad_after.set ? NAMES_PAD : 0) |
	       (m->marker_reserved.set || m->marker_pointer_add.set ||
				m->marker_reserved_after.set ||
				m->marker_pointer_or_after.set
			? NAMES_MARKER
			: 0) |
	       (m->ulpdu_length.set || m->flip.set || m->no_markers ||
				m->extra_marker
			? NAMES_FRAMING
			: 0) |
	       (m->ulpdu_cut.set ? NAMES_LENGTH : 0);
}

unsigned peer_judge_named(const struct send_opts *o, bool last)
{
	return (o->early ? NAMES_EARLY : 0) | named_in_header(&o->msg) |
	       (last ? named_in_fpdu(&o->msg) : 0);
}

unsigned peer_judge_startup_named(const struct startup *f)
{
	size_t octets =
		f->private_octets + (f->enhanced ? MPA_ENHANCED_OCTETS : 0);

	return (f->key ? NAMES_KEY : 0) | (f->reserved ? NAMES_FLAGS : 0) |
	       (f->r && !f->reply ? NAMES_R : 0) |
	       (f->rev.set ? NAMES_REV : 0) | (f->s.set ? NAMES_S : 0) |
	       (f->pd_length.set || octets > MPA_PRIVATE_MAX ? NAMES_PD_LENGTH
							     : 0);
}

/* --- the judgement -------------------------------------------------------- */

/* Segments of at least 128 octets are a duty of MPA in the size it offers to
 * DDP (RFC 5044 s4.5); DDP may post any size (s3). */
static bool binds(const struct model_objection *o)
{
	return req_table[o->req].kind == REQ_KIND_must &&
	       o->fault != MODEL_FAULT_ULPDU_TOO_SHORT;
}

/* Keep the binding objections that are not named. */
static void drop_named(struct model_objections *o, unsigned named,
		       unsigned *left_over)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->n; i++) {
		unsigned by = named_by[o->list[i].fault];

		if (!binds(&o->list[i]))
			continue;
		*left_over |= (by & named & LEAVES_OVER) |
			      followed_by[o->list[i].fault];
		if (!(by & (named | *left_over)))
			o->list[n++] = o->list[i];
	}
	o->n = n;
}

static uint32_t depth(uint16_t agreed, uint32_t otherwise)
{
	return agreed == MPA_NOT_NEGOTIATED ? otherwise : agreed;
}

void peer_judge_start(struct peer_judge *j, const struct model_config *device,
		      const struct model_agreed *a, bool markers)
{
	bool initiates = !device->dut_initiates;

	j->left_over = 0;
	j->latest = (struct ddp){.last = true};
	j->terminate_due = (struct model_outcomes){0};
	model_init(&j->model,
		   &(struct model_config){
			   .dut_initiates = initiates,
			   .profile = device->profile,
			   /* The peer uses every operation, whatever the device
			    * claims. */
			   .features = UINT_MAX,
			   .crc = device->crc,
			   .dut_markers = markers,
			   .ird = depth(initiates ? a->initiator_ird
						  : a->responder_ird,
					device->ord),
			   .ord = depth(initiates ? a->initiator_ord
						  : a->responder_ord,
					device->ird),
			   .rtr = device->rtr,
			   .sctp = device->sctp,
			   .stream = device->stream,
			   .big_endian = device->big_endian,
			   .first_msn = device->first_msn,
		   });
}

bool peer_judge_is_certain(const struct peer_judge *j)
{
	return !(j->left_over & NAMES_DEVICE);
}

void peer_judge_sees(struct peer_judge *j, const struct frame *f)
{
	struct model_outcomes ours;

	/* An answer that the device did not understand as requested, or a wrong
	 * device: the peer's duties after that are not certain. */
	if (model_peer_sends(&j->model, &f->seg,
			     f->crc_ok ? MODEL_FRAME_RIGHT
				       : MODEL_FRAME_CRC_WRONG,
			     &ours) != MODEL_STIM_NONE &&
	    !j->model.terminated)
		j->left_over |= NAMES_DEVICE;
}

/*
 * A segment of another message comes before the last segment of the open
 * message. The model takes messages that consist of a header only as complete,
 * whatever their L flag.
 */
static bool is_inside(const struct peer_judge *j, const struct ddp *d)
{
	const struct ddp *open = &j->latest;

	return !open->last && !j->model.tx_open &&
	       (d->opcode != open->opcode || d->qn != open->qn ||
		d->msn != open->msn);
}

void peer_judge_sends(struct peer_judge *j, const struct frame *f,
		      const struct ddp_segment *meant, unsigned named,
		      struct model_objections *out)
{
	bool readable = !(named & NAMES_FRAMING);
	const struct ddp_segment *seg = readable ? &f->seg : meant;
	bool terminate = !seg->ddp.tagged && seg->ddp.opcode == RDMAP_TERMINATE;
	bool inside = is_inside(j, &seg->ddp);

	/* Only the case knows what its ULP did. */
	if (terminate)
		model_provoked(&j->model);
	model_dut_sends(&j->model, seg, readable ? f->fpdu : NULL,
			f->crc_ok ? NULL : f->crc_due, out);
	if (inside)
		model_object(out, REQ_INDEX_DDP_5_3_01, MODEL_FAULT_INTERLEAVED,
			     seg->ddp.opcode, j->latest.opcode);
	if (!seg->short_header)
		j->latest = seg->ddp;
	if (!terminate && j->terminate_due.n)
		model_object_to(out,
				&(struct model_objection){
					.req = j->terminate_due.silent_req,
					.fault = MODEL_FAULT_TERMINATE_MISSING,
					.seen = MODEL_END_FIN,
					.allowed = j->terminate_due,
				});
	drop_named(out, named, &j->left_over);
}

/* --- startup -------------------------------------------------------------- */

static uint8_t rtr_of(const struct startup *f)
{
	return (uint8_t)((f->b ? MODEL_RTR_SEND : 0) |
			 (f->c ? MODEL_RTR_WRITE : 0) |
			 (f->d ? MODEL_RTR_READ : 0));
}

/* The case determines what it offers; this checks whether it may. */
static struct model_device as_device(const struct startup *f)
{
	return (struct model_device){
		.enhanced = true,
		.asks_enhanced = f->enhanced && !f->reply,
		.ird = (uint16_t)f->ird,
		.ord = (uint16_t)f->ord,
		.rtr = rtr_of(f),
		.p2p = f->a,
		.rejects = f->r,
	};
}

void peer_judge_startup(const struct startup *f, const struct mpa_startup *sent,
			const struct mpa_startup *request, unsigned named,
			struct model_objections *out)
{
	struct model_device peer = as_device(f);
	unsigned left_over = 0;

	if (f->reply)
		model_reply_check(&peer, request, sent, out);
	else
		model_request_check(&peer, sent, out);
	drop_named(out, named, &left_over);
}

void peer_judge_reply(struct peer_judge *j, const struct mpa_startup *request,
		      const struct mpa_startup *reply)
{
	struct mpa_enhanced asked;
	struct model_device peer = {.enhanced = true};

	/* It can open a stream in any form; it is bound by what it offers. */
	if (model_enhanced(request, &asked) && !model_rtr_named(&asked))
		peer.rtr = MODEL_RTR_SEND | MODEL_RTR_WRITE | MODEL_RTR_READ;
	struct model_answers due = model_reply_judge(&peer, request, reply);

	if (due.terminate.n && !due.open && !(due.set & MODEL_ANSWER_ACCEPT))
		j->terminate_due = due.terminate;
}
