/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a connection's startup (RFC 5044 s7.1.2, RFC 6581 s5, s7, s9.2). */
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/mpa/conn_startup_decisions.h"
#include "harness/refdut/mpa/negotiation_decisions.h"

#include <string.h>

/* Octets sent before the Reply has arrived */

MUTANT(request_never_sent, "MPA-7.1.2-01", "connects but sends no Request",
       request_is_sent)
{
	return c->sctp && OTHERWISE(request_is_sent);
}

MUTANT(initiate_never_sent, "SCTPX-5.2.3-01",
       "sends no Initiate if it is plain and has no private data",
       request_is_sent)
{
	bool plain = !c->params.enhanced && !c->params.private_len;

	return !(c->sctp && plain) && OTHERWISE(request_is_sent);
}

MUTANT(fpdu_before_reply, "MPA-7.1.2-01 SCTPX-6.6-02",
       "sends queued work right after its Request", request_is_followed)
{
	OTHERWISE(request_is_followed);
	c->released = true;
	c->tx.crc = true;
	c->mulpdu = MULPDU_MIN;
	tx_pump(c);
}

ALSO(fpdu_before_reply, tx_origin)
{
	return c->tx.at;
}

MUTANT(segment_behind_unacknowledged_initiate, "SCTPX-6.6-02",
       "sends segments while its Initiate is neither acknowledged nor answered",
       request_is_followed)
{
	OTHERWISE(request_is_followed);
	if (!c->sctp)
		return;
	c->released = true;
	c->mulpdu = MULPDU_MIN;
}

MUTANT(reply_sent_unasked, "MPA-7.1.2-03",
       "sends its Reply as soon as TCP is open, before any Request",
       reply_is_sent)
{
	return false;
}

/* As in answer to a Request of revision 1. */
ALSO(reply_sent_unasked, responder_begins)
{
	uint8_t frame[STARTUP_ROOM];

	OTHERWISE(responder_begins);
	c->their_frame = (struct startup_frame){.rev = 1, .crc = true};
	startup_answer(&c->agreed, &c->params, &c->their_frame);
	buf_put(&c->out, frame,
		startup_reply(frame, &c->params, &c->agreed, &c->their_frame));
	conn_flush(c);
}

/* Reactions to a bad frame */

MUTANT(bad_request_rejected,
       "MPA-7.1.2-04 MPA-7.1.2-05 MPA-7.1.2-22 MPA-7.1.1-03",
       "answers a bad Request with a rejecting Reply", bad_frame_is_answered)
{
	uint8_t frame[STARTUP_ROOM];

	OTHERWISE(bad_frame_is_answered);
	if (reply)
		return;
	c->agreed = (struct agreement){.rev = 1, .rejected = true};
	buf_put(&c->out, frame,
		startup_reply(frame, &c->params, &c->agreed, &c->their_frame));
	conn_flush(c);
}

MUTANT(bad_reply_terminated, "MPA-7.1.2-12 MPA-7.1.2-20 MPA-7.1.1-04",
       "answers a bad Reply with a Terminate of MPA code 4",
       bad_frame_is_answered)
{
	static const uint8_t invalid_reply[] = {0x20, 0x04, 0, 0};

	OTHERWISE(bad_frame_is_answered);
	if (!reply)
		return;
	c->tx.crc = true;
	tx_terminate(c, invalid_reply, sizeof(invalid_reply));
	conn_flush(c);
}

static bool kept_open(struct conn *c, const char *why)
{
	if (strcmp(why, "timeout") == 0)
		return false;
	c->rx_over = true;
	return true;
}

MUTANT(bad_request_awaits_timeout, "MPA-8-06",
       "keeps TCP open after a bad Request until the startup timeout",
       startup_failure_closes)
{
	if (!c->initiator && kept_open(c, why))
		return false;
	return OTHERWISE(startup_failure_closes);
}

MUTANT(later_revision_left_unanswered, "MPA-7.1.1-22",
       "neither answers a Request of a later revision nor closes TCP",
       startup_failure_closes)
{
	static const char key[] = "MPA ID Req Frame";
	enum { REV_AT = 17, LATEST = 2 };
	const uint8_t *frame = buf_head(&c->in);
	bool *left = remember(&c->remembered, self, sizeof(*left));

	*left |= !c->initiator && buf_len(&c->in) > REV_AT &&
		 memcmp(frame, key, sizeof(key) - 1) == 0 &&
		 frame[REV_AT] > LATEST;
	c->rx_over |= *left;
	return !*left && OTHERWISE(startup_failure_closes);
}

MUTANT(bad_reply_awaits_timeout, "MPA-8-07",
       "keeps TCP open after a bad Reply until the startup timeout",
       startup_failure_closes)
{
	if (c->initiator && kept_open(c, why))
		return false;
	return OTHERWISE(startup_failure_closes);
}

/* The Reply */

MUTANT(depths_refused_by_terminate, "SCTPX-6581.7-01",
       "answers an Enhanced Initiate whose depths it cannot serve with a "
       "Session Terminate",
       request_answer)
{
	enum request_answer answer = OTHERWISE(request_answer);

	if (c->sctp && c->agreed.enhanced && answer == ANSWER_REJECT &&
	    !c->params.reject)
		return ANSWER_CLOSE;
	return answer;
}

ALSO(enhanced_private_data_of_512, reply_has_room)
{
	return c->sctp || OTHERWISE(reply_has_room);
}

ALSO(plain_accept_of_enhanced_taken, reply_form_fits)
{
	return true;
}

ALSO(enhanced_accept_of_plain_taken, reply_form_fits)
{
	return true;
}

MUTANT(rejected_stream_served, "MPA-7.1.2-37",
       "serves FPDUs on a connection it rejected", reject_ends_startup)
{
	if (c->initiator || reject_closes(c))
		return OTHERWISE(reject_ends_startup);
	conn_full_operation(c, our_frame, their_frame);
	c->state = CONN_REJECTED;
	return false;
}

MUTANT(fpdu_behind_reject, "MPA-7.1.2-37",
       "sends an empty Write behind its rejecting Reply", reject_ends_startup)
{
	if (!c->initiator && !c->sctp)
		tx_rtr(c, RTR_WRITE);
	return OTHERWISE(reject_ends_startup);
}

MUTANT(rtr_sent_without_a, "EMPA-9.2-28",
       "sends the RTR that flag B of a Reply names although A is 0",
       opening_message)
{
	bool named = c->agreed.enhanced && !c->agreed.rejected &&
		     !c->agreed.peer_to_peer && c->their_frame.rtr & RTR_SEND;

	return named ? RTR_SEND : OTHERWISE(opening_message);
}

MUTANT(rtr_after_reject, "EMPA-9.2-32",
       "sends an RTR message after a rejecting Reply", opening_message)
{
	if (c->agreed.rejected && c->agreed.rtr)
		return rtr_type(&c->agreed);
	return OTHERWISE(opening_message);
}

/* The end */

MUTANT(responder_half_closes_at_once, "MPA-7.2-02",
       "closes its half of TCP after its Reply, and continues reading",
       responder_may_speak)
{
	c->fin_due = c->half = !c->sctp;
	return OTHERWISE(responder_may_speak);
}

MUTANT(initiator_half_closes_at_once, "MPA-7.2-02",
       "closes its half of TCP when the Reply has arrived, and continues "
       "reading",
       initiator_may_speak)
{
	c->fin_due = c->half = !c->sctp;
	return OTHERWISE(initiator_may_speak);
}

/* Markers and CRCs in full operation */

MUTANT(markers_off_with_crc_off, "MPA-4.3-26",
       "sends no markers when CRCs are off", tx_markers_used)
{
	return c->agreed.crc && OTHERWISE(tx_markers_used);
}

MUTANT(markers_expected_only_where_sent, "MPA-4.3-23",
       "expects markers only if it has to send them, too", rx_markers_used)
{
	return c->agreed.tx_markers && OTHERWISE(rx_markers_used);
}

MUTANT(markers_expected_where_sent, "MPA-4.3-23",
       "also expects markers if it has to send them, except before the first "
       "FPDU",
       rx_markers_used)
{
	return c->tx.markers || OTHERWISE(rx_markers_used);
}

ALSO(markers_expected_where_sent, rx_origin)
{
	if (c->tx.markers && !c->params.markers)
		return MARKER_SIZE;
	return OTHERWISE(rx_origin);
}

MUTANT(markers_wanted_as_sent, "MPA-4.3-23",
       "also expects markers if the peer has asked for them", rx_markers_used)
{
	return c->agreed.tx_markers || OTHERWISE(rx_markers_used);
}

MUTANT(markers_sent_as_wanted, "MPA-4.3-23 MPA-7.1.1-07",
       "also sends markers if it has asked for them itself", tx_markers_used)
{
	return c->params.markers || OTHERWISE(tx_markers_used);
}

MUTANT(markers_in_both_directions, "MPA-4.3-23 MPA-7.1.1-07",
       "uses markers in both directions if either side asks for them",
       rx_markers_used)
{
	return c->agreed.tx_markers || OTHERWISE(rx_markers_used);
}

ALSO(markers_in_both_directions, tx_markers_used)
{
	return c->params.markers || OTHERWISE(tx_markers_used);
}

MUTANT(marker_phase_from_startup_frame, "MPA-4.3-05",
       "counts its marker positions from the start of its startup frame",
       tx_origin)
{
	return our_frame;
}

MUTANT(rx_marker_phase_from_startup_frame, "MPA-4.3-28",
       "expects markers counted from the start of the peer's startup frame",
       rx_origin)
{
	return their_frame;
}

MUTANT(crc_sent_only_if_peer_asked, "MPA-7.1.1-10",
       "generates CRCs only if the peer asked for them", tx_crc_used)
{
	return c->their_frame.crc;
}

MUTANT(crc_sent_only_if_own_wish, "MPA-4.4-04 MPA-7.1.1-10",
       "generates CRCs only if it asked for them itself", tx_crc_used)
{
	return c->params.crc;
}

MUTANT(rx_crc_checked_only_if_peer_asked, "MPA-4.4-21",
       "checks CRCs only if the peer asked for them", rx_crc_used)
{
	return c->their_frame.crc;
}

MUTANT(rx_crc_checked_only_if_own_wish, "MPA-4.4-05",
       "checks CRCs only if it asked for them itself", rx_crc_used)
{
	return c->params.crc;
}

/* Who sends first, and what */

MUTANT(responder_speaks_first, "MPA-7.1.2-16 EMPA-5-04",
       "sends FPDUs before the initiator's first one", responder_may_speak)
{
	return true;
}

/* Streams that are older, of the same ULP. */
MUTANT(responder_released_by_another_stream, "MPA-7.1.2-16",
       "sends FPDUs before the initiator's first one if another stream has "
       "received one",
       responder_may_speak)
{
	for (const struct conn *o = c->next; o; o = o->next)
		if (o->phase == PHASE_FULL && !o->initiator && o->released)
			return true;
	return OTHERWISE(responder_may_speak);
}

MUTANT(responder_marker_early, "MPA-7.1.2-17",
       "sends its first marker right after the Reply", responder_may_speak)
{
	static const uint8_t marker[MARKER_SIZE];

	if (c->tx.markers) {
		buf_put(&c->out, marker, sizeof(marker));
		c->generated += sizeof(marker);
		c->tx.at += sizeof(marker);
	}
	return OTHERWISE(responder_may_speak);
}

MUTANT(initiator_awaits_fpdu, "MPA-7.1.2-15",
       "sends nothing after the Reply until it has received an FPDU",
       initiator_may_speak)
{
	return false;
}

ALSO(queued_work_waits, initiator_may_speak)
{
	return !(c->unsent && c->their_frame.private_len) &&
	       OTHERWISE(initiator_may_speak);
}

MUTANT(rtr_missing, "EMPA-5-02 EMPA-9.2-12", "sends no RTR message",
       opening_message)
{
	return c->agreed.peer_to_peer ? 0 : OTHERWISE(opening_message);
}

/* After an enhanced startup the wishes count as after a plain one (RFC 6581
 * s6). */

MUTANT(rx_crc_of_the_peer_in_enhanced_startup, "MPA-4.4-21",
       "after an enhanced startup, checks CRCs only if the peer asked for them",
       rx_crc_used)
{
	return OTHERWISE(rx_crc_used) &&
	       (!c->agreed.enhanced || c->their_frame.crc);
}

MUTANT(rx_crc_of_its_own_in_enhanced_startup, "MPA-4.4-05",
       "after an enhanced startup, checks CRCs only if it asked for them "
       "itself",
       rx_crc_used)
{
	return OTHERWISE(rx_crc_used) && (!c->agreed.enhanced || c->params.crc);
}

MUTANT(tx_crc_of_the_peer_in_enhanced_startup, "MPA-7.1.1-10",
       "after an enhanced startup, generates CRCs only if the peer asked for "
       "them",
       tx_crc_used)
{
	return OTHERWISE(tx_crc_used) &&
	       (!c->agreed.enhanced || c->their_frame.crc);
}

MUTANT(tx_crc_of_its_own_in_enhanced_startup, "MPA-4.4-04 MPA-7.1.1-10",
       "after an enhanced startup, generates CRCs only if it asked for them "
       "itself",
       tx_crc_used)
{
	return OTHERWISE(tx_crc_used) && (!c->agreed.enhanced || c->params.crc);
}

MUTANT(rx_crc_of_the_peer_in_peer_to_peer, "MPA-4.4-21",
       "in the peer-to-peer model, checks CRCs only if the peer asked for them",
       rx_crc_used)
{
	return OTHERWISE(rx_crc_used) &&
	       (!c->agreed.peer_to_peer || c->their_frame.crc);
}

MUTANT(rx_crc_of_its_own_in_peer_to_peer, "MPA-4.4-05",
       "in the peer-to-peer model, checks CRCs only if it asked for them "
       "itself",
       rx_crc_used)
{
	return OTHERWISE(rx_crc_used) &&
	       (!c->agreed.peer_to_peer || c->params.crc);
}

MUTANT(tx_crc_of_the_peer_in_peer_to_peer, "MPA-7.1.1-10",
       "in the peer-to-peer model, generates CRCs only if the peer asked for "
       "them",
       tx_crc_used)
{
	return OTHERWISE(tx_crc_used) &&
	       (!c->agreed.peer_to_peer || c->their_frame.crc);
}

MUTANT(tx_crc_of_its_own_in_peer_to_peer, "MPA-4.4-04 MPA-7.1.1-10",
       "in the peer-to-peer model, generates CRCs only if it asked for them "
       "itself",
       tx_crc_used)
{
	return OTHERWISE(tx_crc_used) &&
	       (!c->agreed.peer_to_peer || c->params.crc);
}

MUTANT(marker_phase_from_enhanced_data, "MPA-4.3-05 MPA-4.3-02",
       "counts its marker positions from the enhanced data of its startup "
       "frame",
       tx_origin)
{
	return OTHERWISE(tx_origin) + (c->agreed.enhanced ? ENHANCED_SIZE : 0);
}

MUTANT(rx_marker_phase_from_enhanced_data, "MPA-4.3-28",
       "expects markers counted from the enhanced data of the peer's startup "
       "frame",
       rx_origin)
{
	return OTHERWISE(rx_origin) + (c->agreed.enhanced ? ENHANCED_SIZE : 0);
}

MUTANT(rtr_missing_behind_private_data, "EMPA-5-02",
       "sends no RTR message if the Reply has private data", opening_message)
{
	return c->their_frame.private_len ? 0 : OTHERWISE(opening_message);
}

MUTANT(rtr_only_where_all_are_listed, "EMPA-5-02",
       "sends an RTR message only if both sides listed all three types",
       opening_message)
{
	if (c->agreed.peer_to_peer && c->agreed.rtr != RTR_ALL)
		return 0;
	return OTHERWISE(opening_message);
}

MUTANT(rtr_after_queued_work, "EMPA-5-01",
       "sends queued work ahead of the RTR message", opening_message)
{
	if (!c->agreed.rejected)
		tx_pump(c);
	return OTHERWISE(opening_message);
}
