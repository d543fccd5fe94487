/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of the Requests that are sent, and of what the ULP may ask for
 * (RFC 5044 s7.1.1, RFC 6581 s9, s9.2). */
#include "harness/refdut/verbs/setup.h"
#include "harness/refdut/verbs/setup_decisions.h"
#include "harness/refdut/decision/override.h"

static bool is_peer_to_peer(const struct request_form *form)
{
	return form->rev == 2 && form->enhanced && form->rtr;
}

VARIANT(model, always_p2p, "EMPA-9.2-01 EMPA-10-04",
	"sends only Requests of the peer-to-peer model, and its agent refuses "
	"to ask for another",
	form_is_offered)
{
	return !(!is_peer_to_peer(form) && chosen(self)) &&
	       OTHERWISE(form_is_offered);
}

static struct request_form peer_to_peer(struct request_form form)
{
	return (struct request_form){
		.rev = 2,
		.enhanced = true,
		.rtr = form.rtr ? form.rtr : setup_claimed_rtr(),
	};
}

VARIANT(model, always_p2p_blind, "EMPA-9.2-01 EMPA-10-04",
	"sends only Requests of the peer-to-peer model, whatever its agent is "
	"asked for",
	form_sent)
{
	chosen(self);
	return peer_to_peer(form);
}

VARIANT(model, always_p2p_untold, "EMPA-9.2-01 EMPA-10-04",
	"sends only Requests of the peer-to-peer model, which its agent cannot "
	"report",
	form_sent)
{
	chosen(self);
	return peer_to_peer(form);
}

VARIANT(model, always_enhanced_untold, "EMPA-6-01 EMPA-9.2-25",
	"sends only enhanced Requests of the client-server model, which its "
	"agent cannot report",
	form_sent)
{
	chosen(self);
	return (struct request_form){.rev = 2, .enhanced = true};
}

VARIANT(model, always_plain_untold, "EMPA-6-04",
	"sends only plain Requests, which its agent cannot report", form_sent)
{
	chosen(self);
	form.rev = 1;
	form.rtr = 0;
	return form;
}

static uint32_t rounded_up(uint32_t depth, uint32_t most)
{
	uint32_t power = 1;

	if (depth == NOT_NEGOTIATED)
		return depth;
	while (power < depth)
		power *= 2;
	return power < most ? power : most;
}

VARIANT(request_depths, request_depths_rounded_up, "EMPA-9-01",
	"rounds IRD and ORD of its Requests up to a power of two",
	requested_depth)
{
	chosen(self);
	return rounded_up(OTHERWISE(requested_depth), most);
}

VARIANT(request_depths, request_depths_of_twelve, "EMPA-9-01",
	"has 12 as IRD and ORD in its Requests, or less if it cannot have so "
	"many",
	requested_depth)
{
	chosen(self);
	return most < 12 ? OTHERWISE(requested_depth) : 12;
}

VARIANT(crc, crc_always, "MPA-7.1.1-10",
	"always uses CRCs, and its agent refuses to turn them off",
	crc_may_be_off)
{
	return !chosen(self);
}

VARIANT(crc, always_crc, "MPA-7.1.1-10",
	"always uses CRCs, which its agent cannot report", crc_may_be_off)
{
	((struct params *)params)->crc = chosen(self);
	return OTHERWISE(crc_may_be_off);
}

/* What the ULP learns */

VARIANT(reject_reported, reject_told_as_error, "SCTPX-5.2.3-10 MPA-7.1.2-14",
	"reports to its ULP as an error that the responder rejects, with IRD, "
	"ORD and private data",
	reported_state)
{
	state = OTHERWISE(reported_state);
	return c->initiator && state == CONN_REJECTED && chosen(self)
		       ? CONN_ERROR
		       : state;
}
