/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the startup frames negotiate: CRCs, markers, IRD and ORD, the model and
 * its RTR types (RFC 5044 s7.1, RFC 6581 s9, s10).
 *
 * Where the RFCs leave a choice:
 * - a responder with mpa=1 accepts revision 1 only;
 * - a Reply without enhanced data to a Request with it is a bad frame;
 * - the Reply offers the whole local IRD, whatever ORD was requested, and at
 *   least 1 if only a Read can be the RTR;
 * - an A flag that differs from the Request's ends the setup with "no matching
 *   RTR"; a responder that wants more IRD than was offered ends it with
 *   "insufficient IRD", because we offered all we have.
 */
#include "harness/refdut/mpa/negotiation_decisions.h"
#include "harness/refdut/agent/limits.h"

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* RFC 5044 s4.3, s7.1.1. */
RULE(markers_agreed)
{
	return peer->markers;
}

/* --- The responder (RFC 5044 s7.1.2, RFC 6581 s9) ----------------------- */

RULE(request_refused)
{
	return params->rev == 1 && request->rev != 1;
}

RULE(request_rejected)
{
	return params->reject;
}

/* RFC 6581 s9.2. */
RULE(reply_a)
{
	return request->peer_to_peer;
}

RULE(reply_rtr)
{
	return request->peer_to_peer ? params->rtr : 0;
}

/* RFC 6581 s9.1. */
RULE(responder_ird)
{
	return ird;
}

RULE(responder_ord)
{
	return request->ird == NOT_NEGOTIATED ? ord : lower(ord, request->ird);
}

RULE(reply_ird)
{
	return request->ord == NOT_NEGOTIATED ? NOT_NEGOTIATED : ird;
}

RULE(reply_ord)
{
	return request->ird == NOT_NEGOTIATED ? NOT_NEGOTIATED : ord;
}

RULE(needed_ord_missing)
{
	return params->has_need_ord && request->ird != NOT_NEGOTIATED &&
	       request->ird < params->need_ord;
}

RULE(reject_has_depths)
{
	return true;
}

static void answer_depths(struct agreement *a, const struct params *params,
			  const struct startup_frame *request)
{
	uint32_t ird = a->ird;

	if (ird == 0 && request->peer_to_peer && params->rtr == RTR_READ)
		ird = 1;
	a->ird = responder_ird(ird, request);
	a->reply_ird = reply_ird(a->ird, request);
	a->ord = responder_ord(a->ord, request);
	a->reply_ord = reply_ord(a->ord, request);
	if (needed_ord_missing(params, request)) {
		a->rejected = true;
		a->reply_ord = params->need_ord;
	}
	if (a->rejected && !reject_has_depths(params))
		a->reply_ird = a->reply_ord = 0;
}

void startup_answer(struct agreement *a, const struct params *params,
		    const struct startup_frame *request)
{
	*a = (struct agreement){.rev = request->rev};
	a->refused = request_refused(params, request);
	if (a->refused)
		return;
	a->rejected = request_rejected(params, request);
	a->tx_markers = markers_agreed(params, request);
	a->crc = request->crc || params->crc;
	a->enhanced = request->enhanced && params->rev != 1;
	a->ird = lower(params->ird, limit_ird());
	a->ord = lower(params->ord, limit_ord());
	if (!a->enhanced)
		return;
	a->peer_to_peer = reply_a(params, request);
	a->rtr = reply_rtr(params, request);
	answer_depths(a, params, request);
}

/* --- The initiator (RFC 5044 s7.1.2, RFC 6581 s9) ----------------------- */

RULE(reply_refused)
{
	return params->enhanced != reply->enhanced;
}

RULE(reply_rejects)
{
	return reply->rejected;
}

/* RFC 6581 s9.1. */
RULE(initiator_ord)
{
	return reply->ird == NOT_NEGOTIATED ? ord : lower(ord, reply->ird);
}

RULE(initiator_ird)
{
	return ird;
}

RULE(ird_insufficient)
{
	return reply->ord != NOT_NEGOTIATED && reply->ord > ird;
}

/* RFC 6581 s9.2. */
RULE(initiator_model)
{
	return params->peer_to_peer;
}

RULE(initiator_rtr)
{
	return params->rtr & reply->rtr;
}

RULE(no_matching_rtr)
{
	return params->peer_to_peer != reply->peer_to_peer ||
	       (params->peer_to_peer && !rtr);
}

/* RFC 6581 s8. */
RULE(setup_terminate)
{
	if (ird_insufficient(ird, reply))
		return 0x06;
	return no_matching_rtr(params, rtr, reply) ? 0x07 : 0;
}

void startup_conclude(struct agreement *a, const struct params *params,
		      const struct startup_frame *reply)
{
	uint32_t ird = lower(params->ird, limit_ird());
	uint32_t ord = lower(params->ord, limit_ord());

	*a = (struct agreement){.rev = reply->rev};
	a->refused = reply_refused(params, reply);
	if (a->refused)
		return;
	a->rejected = reply_rejects(reply);
	a->tx_markers = markers_agreed(params, reply);
	a->crc = reply->crc || params->crc;
	a->enhanced = params->enhanced && reply->enhanced;
	a->ird = ird;
	a->ord = ord;
	if (!a->enhanced)
		return;
	a->ord = initiator_ord(ord, reply);
	a->ird = initiator_ird(ird, a->ord, reply);
	a->peer_to_peer = initiator_model(params, reply);
	a->rtr = initiator_rtr(params, reply);
	a->terminate = setup_terminate(params, ird, a->rtr, reply);
}
