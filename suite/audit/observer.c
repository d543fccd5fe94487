/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/observer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"

/* --- startup ---------------------------------------------------------------- */

/* A side offers what its frame says; whether its ULP asked for that is not
 * visible. */
static struct model_device sender_of(const struct mpa_startup *f, bool enhanced,
				     bool sctp)
{
	struct mpa_enhanced e;
	struct model_device d = {.enhanced = enhanced,
				 .asks_revision_2 = f->rev >= 2,
				 .ird_open = true,
				 .sctp = sctp,
				 .rejects = f->flags & MPA_R};

	if (!model_enhanced(f, &e))
		return d;
	d.ord = e.ord == MPA_NOT_NEGOTIATED ? MPA_NOT_NEGOTIATED : 0;
	d.rtr = model_rtr_named(&e);
	return d;
}

void observer_request(const struct mpa_startup *request, bool sctp,
		      struct model_objections *out)
{
	struct mpa_enhanced e;
	bool s = request->flags & MPA_S;
	struct model_device d =
		sender_of(request, s || request->rev >= 2, sctp);

	d.asks_enhanced = s;
	if (model_enhanced(request, &e)) {
		d.ird = e.ird;
		d.ord = e.ord;
		d.p2p = e.a;
	}
	model_request_check(&d, request, out);
}

void observer_reply(const struct mpa_startup *request,
		    const struct mpa_startup *reply, bool sctp,
		    struct model_objections *out)
{
	struct model_device knows = sender_of(reply, true, sctp);
	struct model_device plain = sender_of(reply, false, sctp);
	struct model_objections other;

	model_reply_check(&knows, request, reply, out);
	model_reply_check(&plain, request, reply, &other);
	/* Whether it knows RFC 6581 is its own choice. */
	if (other.n < out->n)
		*out = other;
}

/* --- both models ------------------------------------------------------------ */

static uint32_t depth(uint16_t agreed)
{
	return agreed == MPA_NOT_NEGOTIATED ? MODEL_UNLIMITED : agreed;
}

static bool make(struct observer *o, const struct model_config *initiator,
		 const struct model_config *responder)
{
	const struct model_config *config[2] = {initiator, responder};

	for (unsigned i = 0; i < 2; i++) {
		o->model[i] = text_held(malloc(sizeof(*o->model[i])));
		o->sent[i] = text_held(
			malloc(OBSERVED_SEGMENTS * sizeof(*o->sent[i])));
		if (!o->model[i] || !o->sent[i])
			return false;
		model_init(o->model[i], config[i]);
	}
	return true;
}

/* No EMSS is above what the other end's SYN announces. */
static uint32_t mulpdu(uint16_t mss, bool markers)
{
	return mss ? fpdu_mulpdu(mss, markers) : 0;
}

bool observer_starts(struct observer *o, const struct observed_start *s)
{
	const struct mpa_startup *request = s->request, *reply = s->reply;
	struct model_agreed a = model_agree(request, reply);
	struct model_config initiator = {
		.dut_initiates = true,
		.profile = s->profile,
		.sctp = s->sctp,
		.features = UINT_MAX,
		.crc = a.crc,
		.crc_by_wish = !(reply->flags & MPA_C),
		.dut_markers = a.markers_by_initiator,
		.ird = depth(a.initiator_ird),
		.ord = depth(a.initiator_ord),
		.rtr = a.p2p ? a.rtr : 0,
		.mulpdu = mulpdu(s->mss[OBSERVED_RESPONDER],
				 a.markers_by_initiator),
		.observed = true,
	};
	struct model_config responder = initiator;
	struct model_device d = {.enhanced = true, .sctp = s->sctp};

	responder.dut_initiates = false;
	responder.crc_by_wish = !(request->flags & MPA_C);
	responder.dut_markers = a.markers_by_responder;
	responder.ird = depth(a.responder_ird);
	responder.ord = depth(a.responder_ord);
	responder.mulpdu =
		mulpdu(s->mss[OBSERVED_INITIATOR], a.markers_by_responder);
	if (!make(o, &initiator, &responder))
		return false;
	struct model_answers due = model_reply_judge(&d, request, reply);

	if (due.terminate.n) {
		model_setup_terminate(o->model[OBSERVED_INITIATOR],
				      &due.terminate);
		if (!due.open && !(due.set & MODEL_ANSWER_ACCEPT))
			o->terminate_due = due.terminate;
	}
	return memory_begins(&o->memory, s->places,
			     o->model[OBSERVED_RESPONDER], reply);
}

static void enter_midway(struct observer *o, enum observed_side side)
{
	struct model *sends = o->model[side], *receives = o->model[!side];

	memory_lost(&o->memory, o->model[OBSERVED_RESPONDER]);
	o->foggy = true;
	o->midway[side] = true;
	for (unsigned q = 0; q < 4; q++)
		o->adopts[side][q] = true;
	sends->tx_open = false;
	sends->tx_ask = -1;
	receives->rx_tagged_open = false;
	for (unsigned q = 0; q < 4; q++)
		receives->rx[q].open = false;
	for (unsigned i = 0; i < 2; i++) {
		struct model *m = o->model[i];

		m->lossy = true;
		m->wanted = m->asked = 0;
		/* The first FPDU of either side may be missing. */
		m->tx_frames += !m->tx_frames;
		m->rx_frames += !m->rx_frames;
	}
}

bool observer_enters(struct observer *o, bool crc, bool sctp,
		     enum model_profile profile)
{
	struct model_config either = {.dut_initiates = true,
				      .profile = profile,
				      .features = UINT_MAX,
				      .crc = crc,
				      .sctp = sctp,
				      .ird = MODEL_UNLIMITED,
				      .ord = MODEL_UNLIMITED,
				      .observed = true};

	if (!make(o, &either, &either))
		return false;
	for (unsigned i = 0; i < 2; i++)
		enter_midway(o, i);
	return true;
}

void observer_ends(struct observer *o)
{
	if (o->model[OBSERVED_RESPONDER])
		memory_shared(&o->memory, o->model[OBSERVED_RESPONDER]);
	memory_ends(&o->memory);
	for (unsigned i = 0; i < 2; i++) {
		free(o->model[i]);
		free(o->sent[i]);
		o->model[i] = NULL;
		o->sent[i] = NULL;
	}
}

/* --- FPDUs ------------------------------------------------------------------ */

static bool is_response(const struct ddp *d)
{
	return d->opcode == RDMAP_READ_RESPONSE ||
	       d->opcode == RDMAP_ATOMIC_RESPONSE;
}

/* The number of a queue that was not followed before. */
static void adopt(struct observer *o, enum observed_side side,
		  const struct ddp *d)
{
	if (d->tagged || d->qn > 3 || !o->adopts[side][d->qn])
		return;
	o->adopts[side][d->qn] = false;
	/* There is one message on it. */
	if (d->qn == DDP_QN_TERMINATE)
		return;
	o->model[side]->tx_msn[d->qn] = d->msn;
	o->model[!side]->rx_msn[d->qn] = d->msn;
}

/* After a gap: whether this message is not followed. */
static bool is_passed_over(struct observer *o, enum observed_side side,
			   const struct ddp_segment *seg, bool right)
{
	if (!o->foggy)
		return false;
	if (!right && !o->midway[side] && !seg->short_header &&
	    !seg->ddp.tagged && seg->ddp.qn <= 3 &&
	    o->adopts[side][seg->ddp.qn])
		/* Any number may be correct, but none to continue from: the
		 * number itself may be damaged. */
		o->model[side]->tx_msn[seg->ddp.qn] = seg->ddp.msn;
	if (!right || seg->short_header)
		return o->midway[side];
	if (seg->ddp.opcode == RDMAP_TERMINATE)
		o->midway[side] = false;
	if (o->midway[side]) {
		o->midway[side] = !seg->ddp.last;
		return true;
	}
	if (is_response(&seg->ddp))
		return true;
	adopt(o, side, &seg->ddp);
	return false;
}

/* The initiator continues where a Terminate is due. */
static void object_to_going_on(struct observer *o, enum observed_side side,
			       const struct ddp_segment *seg,
			       struct model_objections *out)
{
	/* What follows its Terminate is another matter. */
	if (side != OBSERVED_INITIATOR || !o->terminate_due.n || o->foggy ||
	    o->model[side]->terminated ||
	    (!seg->short_header && seg->ddp.opcode == RDMAP_TERMINATE))
		return;
	model_object_to(out, &(struct model_objection){
				     .req = o->terminate_due.silent_req,
				     .fault = MODEL_FAULT_TERMINATE_MISSING,
				     .seen = MODEL_END_FIN,
				     .allowed = o->terminate_due,
			     });
}

/* --- the contents of a Terminate --------------------------------------- */

static void remember(struct observer *o, enum observed_side side,
		     const struct ddp_segment *seg)
{
	size_t octets =
		(seg->ddp.tagged ? DDP_TAGGED_OCTETS : DDP_UNTAGGED_OCTETS) +
		seg->payload_octets;
	struct observed_segment *s =
		&o->sent[side][o->sent_count[side]++ % OBSERVED_SEGMENTS];
	size_t n = seg->payload_octets < sizeof(s->head) ? seg->payload_octets
							 : sizeof(s->head);

	*s = (struct observed_segment){.ddp = seg->ddp,
				       .octets = (uint16_t)octets};
	if (n)
		memcpy(s->head, seg->payload, n);
}

/* A Request that is not answered in full: its header is returned, less what was
 * answered (RFC 5040 s4.8). */
static bool is_unanswered(const struct model *m, const struct ddp *d)
{
	for (unsigned i = 0; i < m->asked; i++) {
		const struct model_request *q =
			&m->ask[(m->asked_first + i) % MODEL_REQUESTS];

		if (!q->atomic && !q->gone && q->msn == d->msn)
			return true;
	}
	return false;
}

/* The segment whose header the Terminate returns; if several have the same
 * header, one of the returned length. */
static const struct observed_segment *returned_by(
	const struct observer *o, enum observed_side side,
	const struct rdmap_terminate *t)
{
	const struct observed_segment *found = NULL;
	uint8_t header[DDP_UNTAGGED_OCTETS];

	for (uint64_t i = 0; i < o->sent_count[side]; i++) {
		const struct observed_segment *s = &o->sent[side][i];

		if (ddp_header_encode(&s->ddp, header) !=
			    t->ddp_header_octets ||
		    memcmp(header, t->ddp_header, t->ddp_header_octets) != 0)
			continue;
		if (!found || s->octets == t->segment_length)
			found = s;
	}
	return found;
}

/*
 * A Terminate returns the header of a segment. That segment is then at fault,
 * for a reason that only its receiver knows: everything else that it returns
 * must belong to that segment, too.
 */
static void suspect_returned(struct observer *o, enum observed_side side,
			     const struct ddp_segment *seg)
{
	struct model *m = o->model[side];
	struct rdmap_terminate t;
	const struct observed_segment *s;

	if (o->foggy || m->suspects ||
	    o->sent_count[!side] > OBSERVED_SEGMENTS ||
	    !rdmap_terminate_decode(&t, seg->payload, seg->payload_octets) ||
	    t.truncated || !t.d || !t.ddp_header)
		return;
	s = returned_by(o, !side, &t);
	/* Some devices do not know the opcodes of extensions. */
	if (!s || s->ddp.opcode > RDMAP_TERMINATE ||
	    !model_cause_may_be_hidden(m, &t, &s->ddp))
		return;
	bool unanswered = s->ddp.opcode == RDMAP_READ_REQUEST &&
			  is_unanswered(m, &s->ddp);
	struct model_suspect suspect = {
		.stimulus =
			unanswered ? MODEL_STIM_READ_REVOKED : MODEL_STIM_NONE,
		.outcomes = {.n = 1,
			     .outcome = {{.kind = MODEL_TERMINATE,
					  .layer = t.layer,
					  .etype = t.etype,
					  .code = t.code}}},
		.ddp = s->ddp,
		.ulpdu_length = s->octets,
		.has_rdma_header = unanswered,
	};

	memcpy(suspect.rdma_header, s->head, sizeof(suspect.rdma_header));
	m->suspect[m->suspects++] = suspect;
}

/* An error about a message returns the header of one that came (RFC 5040 s4.8),
 * and not of none. */
static void object_to_returned(const struct observer *o,
			       enum observed_side side,
			       const struct ddp_segment *seg,
			       struct model_objections *out)
{
	uint64_t n = o->sent_count[!side];
	uint8_t due[DDP_UNTAGGED_OCTETS];
	struct rdmap_terminate t;

	if (o->foggy || !n || n > OBSERVED_SEGMENTS || out->n ||
	    !rdmap_terminate_decode(&t, seg->payload, seg->payload_octets) ||
	    !t.ddp_header || t.layer > TERM_DDP || !t.etype || t.etype > 2 ||
	    returned_by(o, !side, &t))
		return;
	const struct ddp *last = &o->sent[!side][n - 1].ddp;
	struct model_objection wrong = {
		.req = last->tagged ? REQ_INDEX_RDMAP_4_8_14
				    : REQ_INDEX_RDMAP_4_8_15,
		.fault = MODEL_FAULT_TERMINATE_DDP_HEADER,
	};

	model_octets_put(&wrong.seen_octets, t.ddp_header, t.ddp_header_octets);
	model_octets_put(&wrong.due_octets, due, ddp_header_encode(last, due));
	model_object_to(out, &wrong);
}

/* A marker does not point at its FPDU, and the CRC shows that it was sent so. */
static bool has_wrong_marker(const struct fpdu *f)
{
	for (unsigned i = 0; f && f->markers && i < f->marker_count; i++)
		if (f->marker[i].fpduptr != fpdu_marker_pointer(i, f->offset))
			return true;
	return false;
}

/* Which messages have been taken is seen by the answers to Requests. */
static void follow_requests(struct observer *o, enum observed_side side,
			    const struct ddp_segment *seg, bool right)
{
	const struct ddp *d = &seg->ddp;
	uint64_t place = o->sent_count[side];

	if (seg->short_header || !right || !d->last)
		return;
	if (d->opcode == RDMAP_READ_REQUEST ||
	    d->opcode == RDMAP_ATOMIC_REQUEST)
		o->request[side][o->requests[side]++ % OBSERVED_SEGMENTS] =
			place;
	else if (is_response(d) && o->answers[!side] < o->requests[!side] &&
		 o->requests[!side] - o->answers[!side] <= OBSERVED_SEGMENTS)
		o->taken[!side] = o->request[!side][o->answers[!side]++ %
						    OBSERVED_SEGMENTS];
}

static bool is_terminate(const struct ddp_segment *seg)
{
	return !seg->short_header && !seg->ddp.tagged &&
	       seg->ddp.opcode == RDMAP_TERMINATE;
}

void observer_fpdu(struct observer *o, enum observed_side side,
		   const struct ddp_segment *seg, const struct fpdu *fpdu,
		   const uint8_t *crc, struct model_objections *out)
{
	struct model *sends = o->model[side], *receives = o->model[!side];
	bool right = !sends->config.crc || !crc;
	struct model_outcomes due;

	out->n = 0;
	if (is_passed_over(o, side, seg, right))
		return;
	if (is_terminate(seg))
		suspect_returned(o, side, seg);
	if (!seg->short_header)
		remember(o, side, seg);
	follow_requests(o, side, seg, right);
	memory_shared(&o->memory, o->model[OBSERVED_RESPONDER]);
	if (right && side == OBSERVED_RESPONDER)
		o->failed |= !memory_told(&o->memory, sends, seg);
	model_dut_sends(sends, seg, fpdu, crc, out);
	if (is_terminate(seg))
		object_to_returned(o, side, seg, out);
	object_to_going_on(o, side, seg, out);
	model_peer_sends(receives, seg,
			 !right                   ? MODEL_FRAME_CRC_WRONG
			 : has_wrong_marker(fpdu) ? MODEL_FRAME_MARKER_WRONG
						  : MODEL_FRAME_RIGHT,
			 &due);
	if (receives->suspects && !o->fault[side])
		o->fault[side] = o->sent_count[side] + seg->short_header;
	if (o->foggy)
		for (unsigned i = 0; i < 2; i++)
			o->model[i]->wanted = o->model[i]->asked = 0;
}

void observer_gap(struct observer *o, enum observed_side side)
{
	if (o->model[0] && o->model[1])
		enter_midway(o, side);
}

/*
 * The other side's one fault is a matter of MPA, of a header, or of memory that the
 * user has described, so that nothing that is not visible comes before it; and
 * everything before it was taken.
 */
static bool is_first_fault(const struct observer *o, enum observed_side side)
{
	const struct model *m = o->model[side];

	if (m->suspects != 1 || o->taken[!side] + 1 < o->fault[!side])
		return false;
	/* The other side has given up: nobody waits for a Terminate. */
	if (m->suspect[0].ddp.opcode == RDMAP_TERMINATE)
		return false;
	switch (m->suspect[0].stimulus) {
	case MODEL_STIM_CRC:
	case MODEL_STIM_DV0_TAGGED:
	case MODEL_STIM_DV2_TAGGED:
	case MODEL_STIM_DV3_TAGGED:
	case MODEL_STIM_DV0_UNTAGGED:
	case MODEL_STIM_DV2_UNTAGGED:
	case MODEL_STIM_DV3_UNTAGGED:
	case MODEL_STIM_QN:
	case MODEL_STIM_STAG:
	case MODEL_STIM_STAG_ANOTHER:
	case MODEL_STIM_STAG_ZERO:
	case MODEL_STIM_STAG_NEAR:
	case MODEL_STIM_STAG_STREAM:
	case MODEL_STIM_TAGGED_BOUNDS:
	case MODEL_STIM_TAGGED_WRAP:
	case MODEL_STIM_WRITE_ACCESS:
		return true;
	default:
		return false;
	}
}

void observer_end(struct observer *o, enum observed_side side,
		  enum model_end end, bool received,
		  struct model_objections *out)
{
	const struct model *m = o->model[side];

	memset(out, 0, sizeof(*out));
	/* Octets that have not reached the device require nothing, and if the
	 * other end has gone, nobody can be informed. After a fault that is
	 * visible, the device may have ended the stream for an earlier one that
	 * is not visible, for example of DDP, and need not have reported it
	 * (RFC 5041 s7.1). */
	if (m && received && !o->foggy && !o->ended[!side] && !o->ended[side] &&
	    (m->terminated || !m->suspects || is_first_fault(o, side)))
		model_dut_ends(o->model[side], end, out);
	o->ended[side] = true;
}
