/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of what startup frames agree on (RFC 5044 s7.1.2, RFC 6581 s9, s10). */
#include "harness/refdut/agent/limits.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/negotiation_decisions.h"
#include "harness/refdut/mpa/startup_decisions.h"

static uint32_t one_at_most(uint32_t depth)
{
	return depth > 1 ? 1 : depth;
}

/* Markers */

MUTANT(markers_by_own_wish, "MPA-4.3-23 MPA-7.1.1-07",
       "sends markers only if it asked for them itself, whatever the peer asks "
       "for",
       markers_agreed)
{
	return params->markers;
}

MUTANT(markers_always, "MPA-7.1.1-07",
       "sends markers whatever the peer asks for", markers_agreed)
{
	return true;
}

MUTANT(markers_refused, "MPA-4.3-01", "closes when the peer asks for markers",
       request_refused)
{
	return request->markers || OTHERWISE(request_refused);
}

MUTANT(own_markers_wanted_of_peer, "MPA-4.3-23",
       "closes if it asks for markers itself and the peer does not",
       request_refused)
{
	return (params->markers && !request->markers) ||
	       OTHERWISE(request_refused);
}

MUTANT(own_markers_wanted_or_rejected, "MPA-4.3-23 MPA-7.1.2-09",
       "rejects a Request without markers if it asks for them itself",
       request_rejected)
{
	return (params->markers && !request->markers) ||
	       OTHERWISE(request_rejected);
}

MUTANT(own_crc_wanted_of_peer, "MPA-7.1.1-10",
       "closes if it asks for CRCs itself and the peer does not",
       request_refused)
{
	return (params->crc && !request->crc) || OTHERWISE(request_refused);
}

MUTANT(requests_unanswered, "MPA-7.1.2-09", "closes on every Request",
       request_refused)
{
	return true;
}

/* Which Requests the responder answers */

MUTANT(enhanced_request_taken_as_plain, "EMPA-10-06",
       "answers an enhanced Request in plain form although it supports only "
       "revision 1",
       request_refused)
{
	struct startup_frame plain = *request;

	if (params->rev != 1 || !request->enhanced)
		return OTHERWISE(request_refused);
	plain.rev = 1;
	plain.enhanced = false;
	return request_refused_otherwise(self, params, &plain);
}

ALSO(enhanced_request_taken_as_plain, reply_revision)
{
	return params->rev == 1 ? 1 : OTHERWISE(reply_revision);
}

MUTANT(revision_two_without_s_refused, "EMPA-6-14 MPA-7.1.1-32",
       "refuses a Request of revision 2 without the S bit", request_refused)
{
	return (request->rev == 2 && !request->enhanced) ||
	       OTHERWISE(request_refused);
}

MUTANT(client_server_model_refused, "EMPA-10-01 EMPA-9.2-26",
       "as responder, closes on a Request of the client-server model",
       request_refused)
{
	bool enhanced = request->enhanced && params->rev != 1;

	return (enhanced && !request->peer_to_peer) ||
	       OTHERWISE(request_refused);
}

/* The model and its RTR types, in the Reply */

MUTANT(reply_without_a, "EMPA-9.2-04",
       "clears A in the Reply to a peer-to-peer Request", reply_a)
{
	return false;
}

MUTANT(reply_a_always, "EMPA-9.2-26",
       "sets A in the Reply to a client-server Request", reply_a)
{
	return true;
}

ALSO(reply_a_always, reply_rtr)
{
	return params->rtr;
}

MUTANT(no_rtr_offered_answered_without_a, "EMPA-9.2-09",
       "answers A=1 without any RTR type with A=0", reply_a)
{
	return request->rtr && OTHERWISE(reply_a);
}

ALSO(no_rtr_offered_answered_without_a, reply_rtr)
{
	return request->rtr ? OTHERWISE(reply_rtr) : 0;
}

MUTANT(reply_lists_common_rtr_only, "EMPA-9.2-08",
       "lists no RTR type when none is common", reply_rtr)
{
	return OTHERWISE(reply_rtr) & request->rtr;
}

MUTANT(reply_lists_no_rtr, "EMPA-9.2-03",
       "sets A in its Reply and lists no RTR type", reply_rtr)
{
	return 0;
}

MUTANT(reply_leaves_out_offered_rtr, "EMPA-9.2-05 EMPA-9.2-06",
       "lists only those of its RTR types that the peer did not offer",
       reply_rtr)
{
	unsigned rtr = OTHERWISE(reply_rtr);

	if (request->peer_to_peer && rtr != request->rtr)
		rtr &= ~request->rtr;
	return rtr;
}

MUTANT(rtr_flags_heeded_without_a, "EMPA-9.2-27",
       "copies RTR flags into the Reply although A is 0", reply_rtr)
{
	return request->rtr ? request->rtr : OTHERWISE(reply_rtr);
}

/* IRD and ORD, of the responder */

MUTANT(reply_ird_too_low, "EMPA-9.1-03",
       "announces an IRD of 1 although the initiator's ORD is higher and it "
       "has room",
       reply_ird)
{
	return reply_ird_otherwise(self, one_at_most(ird), request);
}

MUTANT(reply_ird_overstated, "EMPA-9.1-02",
       "announces an IRD that is eight higher than the one it serves",
       reply_ird)
{
	return reply_ird_otherwise(self, ird + 8, request);
}

MUTANT(reply_ord_above_ird, "EMPA-9.1-01 SCTPX-6581.9-01 RDMAP-6.1-02",
       "answers with its own ORD although the initiator's IRD is lower",
       responder_ord)
{
	return ord;
}

MUTANT(reply_ord_understated, "EMPA-9.1-02",
       "announces an ORD in its Reply and uses four more than that",
       responder_ord)
{
	uint32_t in_force = OTHERWISE(responder_ord);

	return request->ird == NOT_NEGOTIATED ? in_force : in_force + 4;
}

ALSO(reply_ord_understated, reply_ord)
{
	return reply_ord_otherwise(
		self, request->ird == NOT_NEGOTIATED ? ord : ord - 4, request);
}

MUTANT(large_depth_not_negotiated, "EMPA-9.1-21",
       "treats an IRD beyond its own limit as 3fff", reply_ord)
{
	return request->ird > limit_ord() ? NOT_NEGOTIATED
					  : OTHERWISE(reply_ord);
}

MUTANT(unnegotiated_ord_answered_with_ird, "EMPA-9.1-14",
       "answers an ORD of 3fff with an IRD of its own", reply_ird)
{
	return request->ord == NOT_NEGOTIATED ? ird : OTHERWISE(reply_ird);
}

MUTANT(unnegotiated_ird_answered_with_ord, "EMPA-9.1-15",
       "answers an IRD of 3fff with an ORD of its own", reply_ord)
{
	return request->ird == NOT_NEGOTIATED ? ord : OTHERWISE(reply_ord);
}

MUTANT(unnegotiated_ord_leaves_one_read, "EMPA-9.1-16",
       "serves one Read at a time if the initiator's ORD is 3fff",
       responder_ird)
{
	uint32_t in_force = OTHERWISE(responder_ird);

	return request->ord == NOT_NEGOTIATED ? one_at_most(in_force)
					      : in_force;
}

MUTANT(unnegotiated_ird_lifts_ord, "EMPA-9.1-17 EMPA-9.1-18",
       "treats an IRD of 3fff as permission to use its largest ORD",
       responder_ord)
{
	return request->ird == NOT_NEGOTIATED ? limit_ord()
					      : OTHERWISE(responder_ord);
}

ALSO(unnegotiated_ird_lifts_ord, initiator_ord)
{
	return reply->ird == NOT_NEGOTIATED ? limit_ord()
					    : OTHERWISE(initiator_ord);
}

static bool one_not_negotiated(const struct startup_frame *request)
{
	return request->ird == NOT_NEGOTIATED || request->ord == NOT_NEGOTIATED;
}

MUTANT(reply_ird_not_named, "EMPA-9.1-22", "has 3fff as the IRD of every Reply",
       reply_ird)
{
	return NOT_NEGOTIATED;
}

MUTANT(unnegotiated_values_coupled, "EMPA-9.1-20",
       "answers both values with 3fff when one was 3fff", reply_ird)
{
	return one_not_negotiated(request) ? NOT_NEGOTIATED
					   : OTHERWISE(reply_ird);
}

ALSO(unnegotiated_values_coupled, reply_ord)
{
	return one_not_negotiated(request) ? NOT_NEGOTIATED
					   : OTHERWISE(reply_ord);
}

/* What the initiator accepts as a Reply */

MUTANT(plain_accept_of_enhanced_taken, "SCTPX-6581.7-11",
       "accepts a plain Accept as the answer to its Enhanced Initiate",
       reply_refused)
{
	return (!params->enhanced || reply->enhanced) &&
	       OTHERWISE(reply_refused);
}

MUTANT(enhanced_accept_of_plain_taken, "SCTPX-6581.7-11",
       "accepts an Enhanced Accept as the answer to its plain Initiate",
       reply_refused)
{
	return (params->enhanced || !reply->enhanced) &&
	       OTHERWISE(reply_refused);
}

MUTANT(reject_ignored, "MPA-7.1.2-14 SCTPX-6.3-03",
       "enters Full Operation although the Reply rejects", reply_rejects)
{
	return false;
}

MUTANT(reject_with_private_data_ignored, "MPA-7.1.2-14",
       "enters Full Operation although the Reply rejects, if it has private "
       "data and no enhanced data",
       reply_rejects)
{
	return OTHERWISE(reply_rejects) &&
	       (reply->enhanced || !reply->private_len);
}

MUTANT(enhanced_reject_with_private_data_ignored, "MPA-7.1.2-14",
       "enters Full Operation although the Reply rejects, if it has private "
       "data behind its enhanced data",
       reply_rejects)
{
	return OTHERWISE(reply_rejects) &&
	       !(reply->enhanced && reply->private_len);
}

/* IRD and ORD, of the initiator */

MUTANT(initiator_ord_not_lowered, "EMPA-9.1-11",
       "keeps its own ORD although the responder's IRD is lower", initiator_ord)
{
	return ord;
}

MUTANT(responder_ird_zero_ignored, "EMPA-9.1-12",
       "treats a responder's IRD of 0 as no limit", initiator_ord)
{
	return reply->ird == 0 ? ord : OTHERWISE(initiator_ord);
}

MUTANT(unnegotiated_ord_zeroes_ird, "EMPA-9.1-19",
       "treats a responder's ORD of 3fff as no Reads at all", initiator_ird)
{
	return reply->ord == NOT_NEGOTIATED ? 0 : OTHERWISE(initiator_ird);
}

MUTANT(initiator_ird_follows_own_ord, "EMPA-9.1-10",
       "serves as many Reads as it may issue, instead of as many as its IRD "
       "says",
       initiator_ird)
{
	return ord;
}

MUTANT(insufficient_ird_ignored, "EMPA-9.1-13",
       "continues although the responder's ORD exceeds its IRD",
       ird_insufficient)
{
	return false;
}

MUTANT(ord_of_a_reply_in_8_bits, "EMPA-9.1-13",
       "compares the low 8 bits of the responder's ORD with its IRD",
       ird_insufficient)
{
	struct startup_frame low = *reply;

	if (low.ord != NOT_NEGOTIATED)
		low.ord &= 0xff;
	return ird_insufficient_otherwise(self, ird, &low);
}

/* The RTR types, of the initiator */

MUTANT(rtr_type_not_listed, "EMPA-9.2-14",
       "sends an RTR message of a type the responder did not list",
       initiator_rtr)
{
	return params->rtr;
}

MUTANT(no_matching_rtr_ignored, "EMPA-9.2-16 EMPA-9.2-31",
       "continues although no RTR type is common", no_matching_rtr)
{
	return false;
}

MUTANT(flag_a_taken_for_b, "EMPA-9.2-16 EMPA-9.2-31",
       "takes flag A of a Reply for flag B, too", initiator_rtr)
{
	return OTHERWISE(initiator_rtr) | (params->rtr & RTR_SEND);
}

MUTANT(flag_c_taken_for_d, "EMPA-9.2-16",
       "takes flag C of a Reply for flag D, too", initiator_rtr)
{
	return OTHERWISE(initiator_rtr) |
	       (reply->rtr & RTR_WRITE ? params->rtr & RTR_READ : 0);
}

MUTANT(no_matching_rtr_wrong_code, "EMPA-9.2-16",
       "reports a missing RTR type as a local catastrophic error",
       setup_terminate)
{
	return no_matching_rtr(params, rtr, reply) ? 0x05
						   : OTHERWISE(setup_terminate);
}
