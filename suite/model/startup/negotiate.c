/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an end may do about its peer's startup frame, and the result of the
 * negotiation (RFC 5044 s7.1, RFC 6581 s6, s9, s10). startup.c has the rules
 * for a device's own frames.
 */
#include <string.h>

#include "suite/model/startup/negotiate.h"

#define LEVEL(ident) REQ_INDEX_##ident

bool model_enhanced(const struct mpa_startup *f, struct mpa_enhanced *e)
{
	if (!(f->flags & MPA_S) || f->rev < 2 ||
	    f->private_octets < MPA_ENHANCED_OCTETS ||
	    f->pd_length < MPA_ENHANCED_OCTETS)
		return false;
	mpa_enhanced_decode(e, f->private_data);
	return true;
}

static struct model_answers answer(unsigned set, unsigned short req)
{
	struct model_answers a = {.set = set, .req = req};

	a.open = req_table[req].kind == REQ_KIND_open;
	a.terminate.req = a.terminate.silent_req = MODEL_REQ_NONE;
	return a;
}

static void add_terminate(struct model_answers *a, unsigned code,
			  unsigned short req)
{
	struct model_outcomes *o = &a->terminate;

	a->set |= MODEL_ANSWER_TERMINATE;
	o->outcome[o->n++] = (struct model_outcome){MODEL_TERMINATE, TERM_LLP,
						    0, (uint16_t)code, req};
	if (o->n == 1)
		o->req = req;
}

/* A device that continues, or ends without a Terminate, is correct, too. */
static void add_alternative(struct model_answers *a,
			    enum model_outcome_kind kind)
{
	struct model_outcomes *o = &a->terminate;

	o->outcome[o->n++] = (struct model_outcome){kind, 0, 0, 0, a->req};
}

uint8_t model_rtr_named(const struct mpa_enhanced *e)
{
	return (uint8_t)((e->b ? MODEL_RTR_SEND : 0) |
			 (e->c ? MODEL_RTR_WRITE : 0) |
			 (e->d ? MODEL_RTR_READ : 0));
}

/* ---- a Request, at the responder -------------------------------------------- */

static struct model_answers judge_revision(const struct model_device *d,
					   const struct mpa_startup *f)
{
	const unsigned any =
		MODEL_ANSWER_CLOSE | MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT;

	/* RDMA Consortium mode is allowed, and so is a Reply that rejects. */
	if (f->rev == 0)
		return answer(any, LEVEL(MPA_7_1_1_22));
	if (f->rev > 2)
		return answer(any, LEVEL(MPA_7_1_1_21));
	if (f->rev == 1)
		return (f->flags & MPA_S) ? answer(any, LEVEL(EMPA_6_13))
					  : answer(0, 0);
	if (!d->enhanced)
		return (f->flags & MPA_S)
			       ? answer(MODEL_ANSWER_CLOSE, LEVEL(EMPA_10_06))
			       : answer(any, LEVEL(MPA_7_1_1_21));
	if ((f->flags & MPA_S) && f->pd_length < MPA_ENHANCED_OCTETS)
		return answer(MODEL_ANSWER_CLOSE | MODEL_ANSWER_REJECT,
			      LEVEL(EMPA_6_11));
	return answer(0, 0);
}

struct model_answers model_request_judge(const struct model_device *d,
					 const struct mpa_startup *f)
{
	struct model_answers a;
	struct mpa_enhanced e;

	switch (mpa_kind(f)) {
	case MPA_KIND_REPLY:
		return answer(MODEL_ANSWER_CLOSE, LEVEL(MPA_7_1_2_22));
	case MPA_KIND_NEITHER:
		return answer(MODEL_ANSWER_CLOSE, LEVEL(MPA_7_1_1_03));
	default:
		break;
	}
	if (f->pd_length > MPA_PRIVATE_MAX)
		return answer(MODEL_ANSWER_CLOSE,
			      f->flags & MPA_S && f->rev >= 2
				      ? LEVEL(EMPA_6_15)
				      : LEVEL(MPA_7_1_1_27));
	a = judge_revision(d, f);
	if (a.set)
		return a;
	if (f->private_octets < f->pd_length)
		return answer(MODEL_ANSWER_WAIT, LEVEL(MPA_7_1_1_31));
	if (f->private_octets > f->pd_length)
		return answer(MODEL_ANSWER_CLOSE | MODEL_ANSWER_ACCEPT |
				      MODEL_ANSWER_REJECT,
			      LEVEL(MPA_7_1_1_30));
	if (model_enhanced(f, &e)) {
		if (e.a && !model_rtr_named(&e))
			return answer(MODEL_ANSWER_ACCEPT |
					      MODEL_ANSWER_REJECT |
					      MODEL_ANSWER_CLOSE,
				      LEVEL(EMPA_9_2_09));
		/* RFC 6581 s9.1: the device may need what it offers, too. */
		if (!d->rejects && e.ird != MPA_NOT_NEGOTIATED &&
		    (d->need_ord > e.ird || d->ord > e.ird))
			return answer(MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT,
				      LEVEL(EMPA_9_1_08));
		/* RFC 6581 s7: the ULP may never learn of it. */
		if (d->sctp && e.a && d->rtr && !(model_rtr_named(&e) & d->rtr))
			return answer(MODEL_ANSWER_ACCEPT |
					      MODEL_ANSWER_REJECT |
					      MODEL_ANSWER_CLOSE,
				      LEVEL(SCTPX_6581_7_08));
	}
	if (d->rejects)
		return answer(MODEL_ANSWER_REJECT, LEVEL(MPA_7_1_2_06));
	return answer(MODEL_ANSWER_ACCEPT, LEVEL(MPA_7_1_2_09));
}

/* ---- a Reply, at the initiator ------------------------------------------------ */

/*
 * RFC 6581 s9.1: room for the responder's ORD, or TERM 2/0/06. An IRD of 0x3fff
 * does not announce the available room, and an ORD with a number is not an
 * answer to it: only the initiator knows its room.
 */
static void judge_depths(const struct model_device *d,
			 const struct mpa_enhanced *request,
			 const struct mpa_enhanced *reply,
			 struct model_answers *a, bool *must_refuse)
{
	bool told = request->ird != MPA_NOT_NEGOTIATED;

	if (reply->ord == MPA_NOT_NEGOTIATED ||
	    (told && reply->ord <= request->ird))
		return;
	add_terminate(a, 0x06, LEVEL(EMPA_9_1_13));
	if (told && d->ird_max && reply->ord > d->ird_max)
		*must_refuse = true;
}

/* RFC 6581 s9.2: one of the forms listed, or TERM 2/0/07. */
static void judge_model(const struct model_device *d,
			const struct mpa_enhanced *request,
			const struct mpa_enhanced *reply,
			struct model_answers *a, bool *must_refuse)
{
	uint8_t listed = model_rtr_named(reply);

	if (request->a && reply->a) {
		if (listed & (d->rtr ? d->rtr : model_rtr_named(request)))
			return;
		add_terminate(a, 0x07,
			      listed ? LEVEL(EMPA_9_2_16) : LEVEL(EMPA_9_2_31));
		*must_refuse = true;
	} else if (request->a != reply->a) {
		add_terminate(a, 0x07,
			      request->a ? LEVEL(EMPA_9_2_29)
					 : LEVEL(EMPA_9_2_30));
		a->set |= MODEL_ANSWER_CLOSE;
		a->open = true;
		a->req = a->terminate.req;
	}
}

static struct model_answers judge_enhanced_reply(
	const struct model_device *d, const struct mpa_enhanced *request,
	const struct mpa_enhanced *reply)
{
	struct model_answers a =
		answer(MODEL_ANSWER_ACCEPT, LEVEL(MPA_7_1_2_15));
	bool must_refuse = false;

	judge_depths(d, request, reply, &a, &must_refuse);
	judge_model(d, request, reply, &a, &must_refuse);
	if (!a.terminate.n)
		return a;
	a.terminate.open = a.open;
	if (must_refuse) {
		unsigned i;

		a.set &= ~(unsigned)MODEL_ANSWER_ACCEPT;
		/* The one without a choice names the set. */
		for (i = 0; i < a.terminate.n; i++)
			if (req_table[a.terminate.outcome[i].req].kind ==
			    REQ_KIND_must)
				a.req = a.terminate.outcome[i].req;
		a.open = false;
		a.terminate.open = false;
		a.terminate.req = a.terminate.silent_req = a.req;
	} else {
		add_alternative(&a, MODEL_PROCESS);
		if (a.set & MODEL_ANSWER_CLOSE)
			add_alternative(&a, MODEL_END);
	}
	return a;
}

struct model_answers model_reply_judge(const struct model_device *d,
				       const struct mpa_startup *request,
				       const struct mpa_startup *f)
{
	const unsigned either = MODEL_ANSWER_CLOSE | MODEL_ANSWER_ACCEPT;
	struct mpa_enhanced asked, given;
	struct model_answers a;

	switch (mpa_kind(f)) {
	case MPA_KIND_REQUEST:
		return answer(MODEL_ANSWER_CLOSE, LEVEL(MPA_7_1_2_20));
	case MPA_KIND_NEITHER:
		return answer(MODEL_ANSWER_CLOSE, LEVEL(MPA_7_1_1_04));
	default:
		break;
	}
	if (f->pd_length > MPA_PRIVATE_MAX)
		return answer(MODEL_ANSWER_CLOSE, LEVEL(MPA_7_1_1_29));
	/* The initiator decides which revisions are usable. */
	if (f->rev == 0 || f->rev > 2)
		return answer(either, LEVEL(MPA_7_1_1_23));
	if (f->rev == 2 && request->rev < 2) {
		/* A device that reads it as enhanced may find that fault in
		 * it. */
		a = answer(either, LEVEL(MPA_7_1_1_23));
		for (unsigned code = 0x05; code <= 0x07; code++)
			add_terminate(&a, code, LEVEL(MPA_7_1_1_23));
		a.terminate.open = true;
		add_alternative(&a, MODEL_END);
		add_alternative(&a, MODEL_PROCESS);
		return a;
	}
	if (f->private_octets < f->pd_length)
		return answer(MODEL_ANSWER_WAIT, LEVEL(MPA_7_1_1_36));
	if (f->flags & MPA_R)
		return answer(MODEL_ANSWER_LEAVE, LEVEL(MPA_7_1_2_14));
	if (f->private_octets > f->pd_length)
		return answer(either, LEVEL(MPA_7_1_2_33));
	if (!model_enhanced(request, &asked))
		return answer(MODEL_ANSWER_ACCEPT, LEVEL(MPA_7_1_2_15));
	if (model_enhanced(f, &given))
		return judge_enhanced_reply(d, &asked, &given);
	if (f->rev < 2 || !(f->flags & MPA_S))
		return answer(either, LEVEL(EMPA_10_08));
	a = answer(MODEL_ANSWER_CLOSE, LEVEL(EMPA_6_12));
	add_terminate(&a, 0x05, LEVEL(EMPA_6_12));
	a.terminate.open = true;
	add_alternative(&a, MODEL_END);
	return a;
}

/* ---- the agreement ------------------------------------------------------------- */

struct model_agreed model_agree(const struct mpa_startup *request,
				const struct mpa_startup *reply)
{
	struct model_agreed g = {
		/* If either end asks for it, both are bound: RFC 5044
		 * s7.1.1. */
		.crc = (request->flags | reply->flags) & MPA_C,
		/* M announces what its sender wants to receive. */
		.markers_by_initiator = reply->flags & MPA_M,
		.markers_by_responder = request->flags & MPA_M,
		.initiator_ird = MPA_NOT_NEGOTIATED,
		.initiator_ord = MPA_NOT_NEGOTIATED,
		.responder_ird = MPA_NOT_NEGOTIATED,
		.responder_ord = MPA_NOT_NEGOTIATED,
	};
	struct mpa_enhanced asked, given;

	if (!model_enhanced(request, &asked) || !model_enhanced(reply, &given))
		return g;
	g.enhanced = true;
	g.p2p = asked.a && given.a;
	g.rtr = g.p2p ? model_rtr_named(&asked) & model_rtr_named(&given) : 0;
	g.responder_ird = given.ird;
	g.responder_ord = given.ord;
	if (given.ird != MPA_NOT_NEGOTIATED)
		g.initiator_ord = asked.ord < given.ird ? asked.ord : given.ird;
	if (given.ord != MPA_NOT_NEGOTIATED) {
		g.initiator_ird = asked.ird > given.ord ? asked.ird : given.ord;
		if (asked.ird == MPA_NOT_NEGOTIATED)
			g.initiator_ird = MPA_NOT_NEGOTIATED;
	}
	return g;
}
