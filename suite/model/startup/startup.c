/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules for a device's own Request and Reply (RFC 5044 s7.1.1, RFC 6581 s6,
 * s9, s10).
 */
#include <string.h>

#include "suite/model/startup/negotiate.h"

#define LEVEL(ident) REQ_INDEX_##ident

static bool several(uint8_t set)
{
	return set & (set - 1);
}

/* Only its Rev, which is judged separately, makes it invalid (RFC 6581 s6). */
static bool enhanced_but_for_rev(const struct mpa_startup *f)
{
	return f->flags & MPA_S && f->rev < 2 &&
	       f->private_octets >= MPA_ENHANCED_OCTETS;
}

/* It should be enhanced, and is not: an objection of its own. */
static bool lacks_enhanced(const struct model_objections *out)
{
	for (unsigned i = 0; i < out->n; i++)
		if (out->list[i].fault == MODEL_FAULT_NOT_ENHANCED)
			return true;
	return false;
}

/* PD_Length, and whether the ULP's private data follows the enhanced data. */
static void check_private(const struct model_device *d,
			  const struct mpa_startup *f, bool enhanced,
			  unsigned short plain, unsigned short with_enhanced,
			  struct model_objections *out)
{
	size_t skip = enhanced ? MPA_ENHANCED_OCTETS : 0;
	unsigned short req = enhanced ? with_enhanced : plain;

	struct model_objection length = {.req = req,
					 .fault = MODEL_FAULT_PD_LENGTH,
					 .seen = f->pd_length};
	struct model_objection data = {.req = req,
				       .fault = MODEL_FAULT_PRIVATE_DATA};

	if (f->pd_length != f->private_octets) {
		length.due = f->private_octets;
		model_object_to(out, &length);
		return;
	}
	if (f->pd_length > MPA_PRIVATE_MAX) {
		length.due_max = MPA_PRIVATE_MAX;
		model_object_to(out, &length);
		return;
	}
	if (!d->private_known || f->private_octets < skip)
		return;
	/* Carrying the ULP's private data is a MAY: RFC 5044 s7.1.2 rules 1 and
	 * 2. */
	if (f->private_octets == skip)
		return;
	/* The enhanced data is there: only S, or the Rev, does not say so. */
	if ((enhanced_but_for_rev(f) || lacks_enhanced(out)) &&
	    f->private_octets >= MPA_ENHANCED_OCTETS &&
	    f->private_octets - MPA_ENHANCED_OCTETS == d->private_octets)
		return;
	if (f->private_octets - skip != d->private_octets) {
		length.field = MODEL_FIELD_PRIVATE_DATA;
		length.due = d->private_octets + skip;
		length.at = skip;
		model_object_to(out, &length);
	} else if (d->private_octets &&
		   model_octets_differ(&data, f->private_data + skip,
				       d->private_data, d->private_octets)) {
		model_object_to(out, &data);
	}
}

static void check_key(const struct mpa_startup *f,
		      const uint8_t due[MPA_KEY_OCTETS], unsigned short req,
		      struct model_objections *out)
{
	struct model_objection o = {.req = req, .fault = MODEL_FAULT_KEY};

	if (memcmp(f->key, due, MPA_KEY_OCTETS) == 0)
		return;
	model_octets_put(&o.seen_octets, f->key, MPA_KEY_OCTETS);
	model_octets_put(&o.due_octets, due, MPA_KEY_OCTETS);
	model_object_to(out, &o);
}

static void check_rev(const struct mpa_startup *f, unsigned rev_min,
		      unsigned rev_max, unsigned short req,
		      struct model_objections *out)
{
	if (f->rev < rev_min || f->rev > rev_max)
		model_object_to(out, &(struct model_objection){
					     .req = req,
					     .fault = MODEL_FAULT_REV,
					     .seen = f->rev,
					     .due = rev_min,
					     .due_max = rev_max == UINT8_MAX
								? UINT64_MAX
								: rev_max});
}

/* Enhanced data is due, but missing: the reason. */
static void object_to_plain(const struct mpa_startup *f, unsigned short req,
			    unsigned short pd_length,
			    struct model_objections *out)
{
	struct model_objection o = {
		.req = req,
		.fault = MODEL_FAULT_NOT_ENHANCED,
		.due_max = UINT64_MAX,
	};

	if (!(f->flags & MPA_S)) {
		o.field = MODEL_FIELD_S;
		o.due = o.due_max = 1;
	} else if (f->rev < 2) {
		o.field = MODEL_FIELD_REV;
		o.seen = f->rev;
		o.due = 2;
	} else {
		o.req = pd_length;
		o.field = MODEL_FIELD_PD_LENGTH;
		o.seen = f->pd_length;
		o.due = MPA_ENHANCED_OCTETS;
	}
	model_object_to(out, &o);
}

static const uint8_t every_rtr =
	MODEL_RTR_SEND | MODEL_RTR_WRITE | MODEL_RTR_READ;

/* Flags B, C and D: those of `due`, and optionally more of `due_max`. */
static void object_to_rtr(enum model_fault fault, unsigned short req,
			  uint8_t seen, uint8_t due, uint8_t due_max,
			  struct model_objections *out)
{
	model_object_to(out, &(struct model_objection){.req = req,
						       .fault = fault,
						       .seen = seen,
						       .due = due,
						       .due_max = due_max});
}

/* At least one of those in `any`. */
static void object_to_no_rtr(unsigned short req, uint8_t seen, uint8_t any,
			     struct model_objections *out)
{
	model_object_to(
		out, &(struct model_objection){.req = req,
					       .fault = MODEL_FAULT_RTR_FLAGS,
					       .seen = seen,
					       .due = any ? any : every_rtr,
					       .one_of = true});
}

/* ---- Reply ----------------------------------------------------------------------- */

static void due_depths(const struct model_device *d,
		       const struct mpa_enhanced *asked,
		       struct model_reply_due *due)
{
	due->ord_min = 0;
	due->ird_min = 0;
	due->ird_open = d->ird_open;
	if (asked->ord == MPA_NOT_NEGOTIATED) {
		due->ird_min = due->ird_max = MPA_NOT_NEGOTIATED;
	} else {
		/* It covers the requested ORD, as far as it has room. */
		if (asked->ord <= d->ird && !d->ird_low)
			due->ird_min = asked->ord;
		due->ird_max = d->ird_max ? d->ird_max : MPA_NOT_NEGOTIATED - 1;
		if (d->ird == MPA_NOT_NEGOTIATED)
			due->ird_max = MPA_NOT_NEGOTIATED;
	}
	if (asked->ird == MPA_NOT_NEGOTIATED)
		due->ord_min = due->ord_max = MPA_NOT_NEGOTIATED;
	else
		due->ord_max = d->ord == MPA_NOT_NEGOTIATED ? MPA_NOT_NEGOTIATED
							    : asked->ird;
}

struct model_reply_due model_reply_due(const struct model_device *d,
				       const struct mpa_startup *request)
{
	struct model_reply_due due = {.rev_min = 1,
				      .rev_max = 1,
				      .ird_max = MPA_NOT_NEGOTIATED,
				      .ord_max = MPA_NOT_NEGOTIATED};
	struct mpa_enhanced asked;
	uint8_t common;

	/* A Rev 2 frame without enhanced data may be answered either way. */
	if (request->rev >= 2)
		due.rev_max = 2;
	due.enhanced = d->enhanced && model_enhanced(request, &asked);
	if (!due.enhanced)
		return due;
	due.rev_min = 2;
	due.rev_max = UINT8_MAX;
	due_depths(d, &asked, &due);
	due.a = asked.a;
	if (!due.a)
		return due;
	common = model_rtr_named(&asked) & d->rtr;
	due.rtr_any = several(common) ? common : d->rtr;
	due.rtr_should = common;
	return due;
}

static void check_reply_rtr(const struct model_device *d,
			    const struct model_reply_due *due,
			    const struct mpa_enhanced *given,
			    struct model_objections *out)
{
	uint8_t rtr = model_rtr_named(given);

	if (given->a != due->a) {
		model_object(out,
			     due->a ? LEVEL(EMPA_9_2_04) : LEVEL(EMPA_9_2_26),
			     MODEL_FAULT_A_FLAG, given->a, due->a);
		return;
	}
	if (!due->a) {
		if (rtr)
			object_to_rtr(MODEL_FAULT_RTR_FLAGS, LEVEL(EMPA_9_2_26),
				      rtr, 0, 0, out);
		return;
	}
	if (!rtr)
		object_to_no_rtr(LEVEL(EMPA_9_2_03), rtr, due->rtr_any, out);
	else if (several(due->rtr_should) && !(rtr & due->rtr_any))
		object_to_no_rtr(LEVEL(EMPA_9_2_06), rtr, due->rtr_any, out);
	else if (d->rtr && (rtr & ~d->rtr))
		object_to_rtr(MODEL_FAULT_RTR_FLAGS, LEVEL(EMPA_9_2_08), rtr, 0,
			      d->rtr, out);
	else if (due->rtr_should & ~rtr)
		object_to_rtr(MODEL_FAULT_RTR_NOT_ALL, LEVEL(EMPA_9_2_05), rtr,
			      due->rtr_should, every_rtr, out);
}

static void check_depth(enum model_fault fault, unsigned short req,
			unsigned seen, unsigned min, unsigned max,
			struct model_objections *out)
{
	if (seen < min || seen > max)
		model_object_to(out, &(struct model_objection){.req = req,
							       .fault = fault,
							       .seen = seen,
							       .due = min,
							       .due_max = max});
}

/* A depth with its octets in the other order. */
static uint16_t exchanged(uint16_t depth)
{
	return (uint16_t)((depth << 8 | depth >> 8) & 0x3fff);
}

static void check_reply_ird(const struct model_reply_due *due,
			    const struct mpa_enhanced *given,
			    struct model_objections *out)
{
	if (given->ird == MPA_NOT_NEGOTIATED && due->ird_open)
		return;
	check_depth(MODEL_FAULT_IRD,
		    due->ird_min == MPA_NOT_NEGOTIATED ? LEVEL(EMPA_9_1_14)
		    : given->ird < due->ird_min        ? LEVEL(EMPA_9_1_03)
		    : given->ird == MPA_NOT_NEGOTIATED ? LEVEL(EMPA_9_1_20)
		    : exchanged(given->ird) <= due->ird_max
			    ? LEVEL(EMPA_9_02)
			    : LEVEL(EMPA_9_1_02),
		    given->ird, due->ird_min, due->ird_max, out);
}

static void check_reply_depths(const struct model_reply_due *due,
			       const struct mpa_enhanced *given,
			       struct model_objections *out)
{
	check_reply_ird(due, given, out);
	check_depth(MODEL_FAULT_ORD,
		    due->ord_min == MPA_NOT_NEGOTIATED ? LEVEL(EMPA_9_1_15)
						       : LEVEL(EMPA_9_1_01),
		    given->ord, due->ord_min, due->ord_max, out);
}

static void check_answer(const struct model_answers *a,
			 const struct mpa_startup *reply,
			 struct model_objections *out)
{
	bool rejects = reply->flags & MPA_R;

	if (!(a->set & (MODEL_ANSWER_ACCEPT | MODEL_ANSWER_REJECT)))
		model_object(out, a->req, MODEL_FAULT_NOT_ANSWERED_SO, rejects,
			     a->set);
	else if (!(a->set &
		   (rejects ? MODEL_ANSWER_REJECT : MODEL_ANSWER_ACCEPT)))
		model_object(out, a->req, MODEL_FAULT_REJECT_FLAG, rejects,
			     !rejects);
}

/*
 * If the Request may be refused, the form of a Reply is open; but A has to be
 * answered with A (RFC 6581 s9.2). `given` is NULL in a Reply without enhanced
 * data.
 */
static void check_open_form(const struct model_answers *a,
			    const struct model_reply_due *due,
			    const struct mpa_startup *reply,
			    const struct mpa_enhanced *given,
			    struct model_objections *out)
{
	uint8_t rtr = given ? model_rtr_named(given) : 0;

	if (reply->flags & MPA_R || (!given && enhanced_but_for_rev(reply)))
		return;
	if (!given && reply->flags & MPA_S && reply->rev >= 2)
		object_to_plain(reply, a->req, LEVEL(EMPA_6_09), out);
	else if (a->req == LEVEL(EMPA_9_2_09) && !(given && given->a && rtr))
		object_to_no_rtr(a->req, rtr, due->rtr_any, out);
}

/* CRCs, and whether it is enhanced if due. */
static void check_reply_form(const struct model_device *d,
			     const struct mpa_startup *request,
			     const struct mpa_startup *reply,
			     const struct model_reply_due *due, bool enhanced,
			     struct model_objections *out)
{
	bool rejects = reply->flags & MPA_R;

	/* RFC 5044 s4.4: by default a device requests CRCs; a Request with C
	 * set has already requested them for both. */
	if (d->crc && !((request->flags | reply->flags) & MPA_C))
		model_object(out, LEVEL(MPA_4_4_03), MODEL_FAULT_C_FLAG, 0, 1);
	if (!due->enhanced && (reply->flags & MPA_S))
		model_object(out,
			     request->rev == 1 ? LEVEL(MPA_7_1_1_17)
					       : LEVEL(EMPA_10_03),
			     MODEL_FAULT_ENHANCED, 1, 0);
	/* RFC 6581 s7 has it in an Accept over SCTP, but not in a Reject. */
	if (due->enhanced && !enhanced &&
	    !(d->sctp && rejects && reply->flags & MPA_S))
		object_to_plain(reply,
				rejects ? LEVEL(EMPA_10_02) : LEVEL(EMPA_10_01),
				LEVEL(EMPA_6_09), out);
}

void model_reply_check(const struct model_device *d,
		       const struct mpa_startup *request,
		       const struct mpa_startup *reply,
		       struct model_objections *out)
{
	struct model_answers a = model_request_judge(d, request);
	struct model_reply_due due = model_reply_due(d, request);
	bool rejects = reply->flags & MPA_R;
	struct mpa_enhanced given;
	bool enhanced;

	memset(out, 0, sizeof(*out));
	check_key(reply, mpa_key_reply, LEVEL(MPA_7_1_1_02), out);
	check_answer(&a, reply, out);
	if (reply->flags & MPA_RESERVED)
		model_object(out,
			     reply->flags & MPA_S ? LEVEL(EMPA_6_18)
						  : LEVEL(MPA_7_1_1_17),
			     MODEL_FAULT_RESERVED_FLAGS,
			     reply->flags & MPA_RESERVED, 0);
	enhanced = model_enhanced(reply, &given);
	if (a.set & MODEL_ANSWER_CLOSE && a.req != LEVEL(SCTPX_6581_7_08)) {
		check_open_form(&a, &due, reply, enhanced ? &given : NULL, out);
		return;
	}
	check_rev(reply, due.rev_min, due.rev_max,
		  due.enhanced        ? LEVEL(EMPA_10_01)
		  : request->rev == 1 ? LEVEL(MPA_7_1_1_37)
				      : LEVEL(EMPA_6_14),
		  out);
	check_reply_form(d, request, reply, &due, enhanced, out);
	check_private(d, reply, enhanced, LEVEL(MPA_7_1_1_25), LEVEL(EMPA_6_09),
		      out);
	if (!due.enhanced || !enhanced || rejects)
		return;
	check_reply_rtr(d, &due, &given, out);
	check_reply_depths(&due, &given, out);
}

/* ---- Request ---------------------------------------------------------------------- */

/*
 * A device may offer other depths than its ULP requested (an ORD of 1 for a
 * Read as RTR, a power of two): the RFCs do not require the ULP's values. The
 * ULP's values in another octet order than that of the network are wrong.
 */
static void check_request_depths(const struct model_device *d,
				 const struct mpa_enhanced *e,
				 struct model_objections *out)
{
	bool crossed = e->ird == d->ord && e->ord == d->ird;

	if (crossed || exchanged(e->ird) == d->ird)
		check_depth(MODEL_FAULT_IRD, LEVEL(EMPA_9_01), e->ird, d->ird,
			    d->ird, out);
	if (crossed || exchanged(e->ord) == d->ord)
		check_depth(MODEL_FAULT_ORD, LEVEL(EMPA_9_01), e->ord, d->ord,
			    d->ord, out);
}

static void check_request_enhanced(const struct model_device *d,
				   const struct mpa_enhanced *e,
				   struct model_objections *out)
{
	uint8_t rtr = model_rtr_named(e);

	check_request_depths(d, e, out);
	/* The initiator chooses the model: RFC 6581 s9.2. */
	if (d->p2p && !e->a) {
		model_object(out, LEVEL(EMPA_9_2_01), MODEL_FAULT_A_FLAG, 0, 1);
		return;
	}
	if (!e->a && rtr)
		object_to_rtr(MODEL_FAULT_RTR_FLAGS, LEVEL(EMPA_9_2_25), rtr, 0,
			      0, out);
	if (e->a && d->rtr && rtr != d->rtr)
		object_to_rtr(MODEL_FAULT_RTR_FLAGS, LEVEL(EMPA_9_2_02), rtr,
			      d->rtr, d->rtr, out);
	else if (e->a && !rtr)
		object_to_no_rtr(LEVEL(EMPA_9_2_02), rtr, every_rtr, out);
}

static void check_request_revision(const struct model_device *d,
				   const struct mpa_startup *f,
				   const struct mpa_enhanced *e,
				   struct model_objections *out)
{
	bool s = f->flags & MPA_S;

	if (d->asks_enhanced) {
		check_rev(f, 2, UINT8_MAX, LEVEL(EMPA_6_03), out);
		if (!s || (!e && f->rev >= 2))
			object_to_plain(f, LEVEL(EMPA_6_01), LEVEL(EMPA_6_08),
					out);
		return;
	}
	/* The peer-to-peer model is an enhanced feature, and in use. */
	if (s && e && e->a)
		return;
	if (s)
		model_object(out,
			     d->enhanced ? LEVEL(EMPA_10_04)
					 : LEVEL(MPA_7_1_1_16),
			     MODEL_FAULT_ENHANCED, 1, 0);
	/* Without enhanced features Rev 1 and 2 are both correct: RFC 6581
	 * s6. */
	check_rev(f, d->asks_revision_2 ? 2 : 1, d->enhanced ? 2 : 1,
		  LEVEL(MPA_7_1_1_20), out);
}

void model_request_check(const struct model_device *d,
			 const struct mpa_startup *f,
			 struct model_objections *out)
{
	struct mpa_enhanced e;
	bool enhanced = model_enhanced(f, &e);

	memset(out, 0, sizeof(*out));
	check_key(f, mpa_key_request, LEVEL(MPA_7_1_1_01), out);
	if (f->flags & MPA_R)
		model_object(out, LEVEL(MPA_7_1_1_13), MODEL_FAULT_REJECT_FLAG,
			     1, 0);
	if (f->flags & MPA_RESERVED)
		model_object(out,
			     f->flags & MPA_S ? LEVEL(EMPA_6_06)
					      : LEVEL(MPA_7_1_1_16),
			     MODEL_FAULT_RESERVED_FLAGS,
			     f->flags & MPA_RESERVED, 0);
	if (d->crc && !(f->flags & MPA_C))
		model_object(out, LEVEL(MPA_4_4_02), MODEL_FAULT_C_FLAG, 0, 1);
	check_request_revision(d, f, enhanced ? &e : NULL, out);
	check_private(d, f, enhanced, LEVEL(MPA_7_1_1_24), LEVEL(EMPA_6_08),
		      out);
	if (enhanced && (d->asks_enhanced || e.a))
		check_request_enhanced(d, &e, out);
}
