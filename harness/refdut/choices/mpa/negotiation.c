/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices in what startup frames agree on (RFC 5044 s7.1.2, RFC 6581 s9, s10). */
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/negotiation_decisions.h"

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Whether the Request is answered, and how */

VARIANT(own_reject, plain_rejects_close, "MPA-7.1.2-06",
	"closes without a Reply if its ULP rejects a plain Request",
	request_refused)
{
	bool enhanced = request->enhanced && params->rev != 1;

	return OTHERWISE(request_refused) ||
	       (params->reject && !enhanced && !request->is_session &&
		chosen(self));
}

static bool above(uint32_t depth, uint32_t limit)
{
	return depth > limit && depth != NOT_NEGOTIATED;
}

VARIANT(huge_depths, huge_depths_rejected, "EMPA-9.1-21 MPA-7.1.2-09",
	"rejects a Request whose depths are above its own limits",
	request_rejected)
{
	bool enhanced = request->enhanced && params->rev != 1;
	bool huge = above(request->ird, limit_ord()) ||
		    above(request->ord, limit_ird());

	return (enhanced && huge && chosen(self)) ||
	       OTHERWISE(request_rejected);
}

/* RFC 6581 s9.1: where the initiator's IRD is not sufficient for the ORD that the
 * ULP requires, the responder MAY reject. */
VARIANT(no_ird, no_ird_rejected, "EMPA-9.1-08",
	"rejects a Request that lets it have no Read outstanding",
	request_rejected)
{
	bool none = request->enhanced && params->rev != 1 && !request->ird &&
		    params->ord;

	return (none && chosen(self)) || OTHERWISE(request_rejected);
}

/* RFC 6581 s9.2 has its own types in that Reply, and does not say that it
 * accepts. */
VARIANT(no_common_rtr, no_common_rtr_rejected_over_tcp,
	"EMPA-9.2-08 MPA-7.1.2-09",
	"rejects a Request that lists no RTR it supports, and lists its own",
	request_rejected)
{
	bool none = request->enhanced && params->rev != 1 &&
		    request->peer_to_peer && !(request->rtr & params->rtr) &&
		    request->rtr;

	return (none && chosen(self)) || OTHERWISE(request_rejected);
}

VARIANT(need_ord, needed_ord_lowered, "EMPA-9.1-08 EMPA-9.1-09",
	"accepts an IRD below the ORD that its ULP needs", needed_ord_missing)
{
	return OTHERWISE(needed_ord_missing) && !chosen(self);
}

/* RFC 6581 s9.1: the responder MAY reject and specify the ORD that it needs. */
VARIANT(depths_of_a_reject, reject_depths_zero, "EMPA-9.1-08",
	"has IRD 0 and ORD 0 in a Reply that rejects", reject_has_depths)
{
	return !chosen(self);
}

/* The RTR types that a Reply lists */

VARIANT(rtr_list, reply_lists_what_was_offered, "EMPA-9.2-07 EMPA-9.2-06",
	"lists those of its RTR types that were offered, or all if none was",
	reply_rtr)
{
	unsigned rtr = OTHERWISE(reply_rtr);

	return rtr & request->rtr && chosen(self) ? rtr & request->rtr : rtr;
}

VARIANT(rtr_list, reply_lists_one_rtr, "EMPA-9.2-05 EMPA-9.2-06",
	"lists one RTR type, an offered one if it supports one", reply_rtr)
{
	unsigned rtr = OTHERWISE(reply_rtr);

	chosen(self);
	if (rtr & request->rtr)
		rtr &= request->rtr;
	return rtr & (~rtr + 1);
}

/* IRD and ORD of a responder */

VARIANT(reply_ird, reply_ird_covers_request, "RDMAP-8.1.1-08",
	"raises its IRD to the ORD of the Request", responder_ird)
{
	if (request->ord == NOT_NEGOTIATED || request->ord <= ird)
		return OTHERWISE(responder_ird);
	chosen(self);
	return lower(request->ord, limit_ird());
}

/* RFC 6581 s9.1: 3fff says that negotiation is not desired. */
VARIANT(reply_ird, reply_ird_unneg, "EMPA-9.1-22",
	"has 3fff as the IRD of its Replies, whatever the Request asks for",
	reply_ird)
{
	chosen(self);
	return NOT_NEGOTIATED;
}

VARIANT(reply_ird, reply_ird_no_more_than_asked, "EMPA-9.1-03 EMPA-9.1-07",
	"lowers its IRD to the ORD of the Request, even if that is 0",
	responder_ird)
{
	if (request->ord >= ird)
		return OTHERWISE(responder_ird);
	chosen(self);
	return request->ord;
}

VARIANT(reply_ird, reply_ird_is_what_was_asked, "EMPA-9.1-03",
	"lowers its IRD to the ORD of the Request", responder_ird)
{
	if (request->ord == NOT_NEGOTIATED)
		return OTHERWISE(responder_ird);
	chosen(self);
	return lower(ird, request->ord ? request->ord : 1);
}

VARIANT(reply_ird, reply_ird_halved, "EMPA-9.1-03",
	"has half the IRD that its ULP allows, whatever the Request asks for",
	responder_ird)
{
	if (request->ord == NOT_NEGOTIATED)
		return OTHERWISE(responder_ird);
	chosen(self);
	return (ird + 1) / 2;
}

VARIANT(reply_ord, reply_ord_halved, "EMPA-9.1-01",
	"takes half the ORD that the Request allows", responder_ord)
{
	uint32_t in_force = OTHERWISE(responder_ord);

	chosen(self);
	return request->ird == NOT_NEGOTIATED ? in_force : (in_force + 1) / 2;
}

/* An initiator */

VARIANT(plain_reply, plain_reply_taken, "EMPA-10-08",
	"continues without enhanced data if the Reply has none", reply_refused)
{
	bool plain = params->enhanced && !reply->enhanced;

	return OTHERWISE(reply_refused) && !(plain && chosen(self));
}

VARIANT(initiator_ird, initiator_ird_is_responder_ord, "EMPA-9.1-10",
	"as initiator, lowers its IRD to the ORD of the Reply", initiator_ird)
{
	if (reply->ord >= ird)
		return OTHERWISE(initiator_ird);
	chosen(self);
	return reply->ord;
}

static bool of_another_model(const struct params *params,
			     const struct startup_frame *reply)
{
	return params->peer_to_peer != reply->peer_to_peer;
}

VARIANT(model_mismatch, other_model_taken, "EMPA-9.2-29 EMPA-9.2-30",
	"as initiator, adopts the model of the Reply", initiator_model)
{
	if (of_another_model(params, reply))
		chosen(self);
	return reply->peer_to_peer;
}

ALSO(other_model_taken, initiator_rtr)
{
	return of_another_model(params, reply) ? reply->rtr
					       : OTHERWISE(initiator_rtr);
}

ALSO(other_model_taken, no_matching_rtr)
{
	return !of_another_model(params, reply) && OTHERWISE(no_matching_rtr);
}
