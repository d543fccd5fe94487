/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection's startup: the frames of startup.c put on and taken off its
 * TCP stream, up to full operation (RFC 5044 s7.1, RFC 6581).
 *
 * Where the texts leave a choice: octets that follow a Request before the
 * Reply make it a bad frame (the initiator has to wait); octets that follow a
 * Reply are FPDUs; among the RTR types both sides list, Write goes before
 * Read before Send.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <string.h>

/* Startup has failed: RFC 5044 s7.1.2 rules 3, 5 and 6 want TCP closed. */
void conn_startup_failed(struct conn *c, const char *why)
{
	c->failure = why;
	if (mutant(c->initiator ? MUTANT_bad_reply_awaits_timeout
				: MUTANT_bad_request_awaits_timeout) &&
	    strcmp(why, "timeout") != 0) {
		c->rx_over = true;
		return;
	}
	conn_final(c, CONN_ERROR);
	conn_drop(c, false);
	conn_flush_all(c);
}

static void full_operation(struct conn *c, size_t our_frame, size_t their_frame)
{
	timer_cancel(&c->timer);
	c->phase = PHASE_FULL;
	if (!c->untold)
		c->state = CONN_ESTABLISHED;
	c->was_established = true;
	c->tx.markers = c->agreed.tx_markers;
	c->rx.markers = c->params.markers;
	if (mutant(MUTANT_markers_expected_only_where_sent) && !c->tx.markers)
		c->rx.markers = false;
	if (mutant(MUTANT_markers_off_with_crc_off) && !c->agreed.crc)
		c->tx.markers = false;
	c->tx.crc = c->rx.crc = c->agreed.crc;
	if (mutant(MUTANT_crc_sent_only_if_peer_asked))
		c->tx.crc = c->their_frame.crc;
	if (mutant(MUTANT_crc_sent_only_if_own_wish))
		c->tx.crc = c->params.crc;
	if (mutant(MUTANT_rx_crc_checked_only_if_peer_asked))
		c->rx.crc_unchecked = !c->their_frame.crc;
	if (mutant(MUTANT_rx_crc_checked_only_if_own_wish))
		c->rx.crc_unchecked = !c->params.crc;
	if (mutant(MUTANT_markers_expected_where_sent) && c->tx.markers &&
	    !c->rx.markers) {
		c->rx.markers = true;
		c->rx.at = 4;
	}
	if (mutant(MUTANT_marker_phase_from_startup_frame))
		c->tx.at = our_frame;
	if (mutant(MUTANT_rx_marker_phase_from_startup_frame))
		c->rx.at = their_frame;
	loop_post(c->notify);
}

/* A Reply before there is a Request: to one of revision 1. */
void conn_send_reply(struct conn *c)
{
	uint8_t frame[STARTUP_ROOM];

	c->their_frame = (struct startup_frame){.rev = 1, .crc = true};
	startup_answer(&c->agreed, &c->params, &c->their_frame);
	buf_put(&c->out, frame,
		startup_reply(frame, &c->params, &c->agreed, &c->their_frame));
	conn_flush(c);
}

/* A startup frame on its way; in pieces, for TCP is a stream. */
static void put_frame(struct conn *c, const uint8_t *frame, size_t n)
{
	size_t first = variant(VARIANT_startup_frames_in_pieces) ? 10 : 0;

	buf_put(&c->out, frame, first);
	if (first)
		conn_flush(c);
	buf_put(&c->out, frame + first, n - first);
}

/* RFC 6581 s7: no need to ask the ULP where no RTR is common to both. */
static void refuse_other_rtr(struct conn *c)
{
	if (!c->agreed.enhanced || !c->their_frame.peer_to_peer ||
	    c->agreed.rtr & c->their_frame.rtr)
		return;
	if (variant(VARIANT_no_common_rtr_rejected))
		c->agreed.rejected = true;
	if (variant(VARIANT_no_common_rtr_refused))
		c->agreed.refused = true;
}

static void answer_request(struct conn *c, size_t used)
{
	uint8_t frame[STARTUP_ROOM];
	size_t n;

	c->their_frame_known = true;
	startup_answer(&c->agreed, &c->params, &c->their_frame);
	if (c->sctp)
		refuse_other_rtr(c);
	if (c->sctp && c->agreed.enhanced && c->agreed.rejected &&
	    !c->params.reject && mutant(MUTANT_depths_refused_by_terminate))
		c->agreed.refused = true;
	if (c->agreed.refused) {
		conn_startup_failed(c, "revision");
		return;
	}
	/* What the ULP gave fits a plain Reply, but not this one. */
	if (c->agreed.enhanced &&
	    !(c->sctp && mutant(MUTANT_enhanced_private_data_of_512)) &&
	    c->params.private_len > STARTUP_PRIVATE_MAX - ENHANCED_SIZE) {
		conn_startup_failed(c, "private-data");
		return;
	}
	if (c->sctp) {
		n = 0;
		conn_put_answer(c);
	} else {
		n = startup_reply(frame, &c->params, &c->agreed,
				  &c->their_frame);
		if (!mutant(MUTANT_reply_sent_unasked))
			put_frame(c, frame, n);
		c->generated += n;
		buf_take(&c->in, used);
	}
	if (c->agreed.rejected) {
		timer_cancel(&c->timer);
		conn_final(c, CONN_REJECTED);
		conn_flush_all(c);
		c->closing = false;
		if (!c->sctp && variant(VARIANT_reject_closes_tcp)) {
			c->phase = PHASE_REJECTED;
			conn_drain(c);
		} else if (mutant(MUTANT_rejected_stream_served)) {
			full_operation(c, n, used);
			c->state = CONN_REJECTED;
		} else {
			c->phase = PHASE_REJECTED;
		}
	} else {
		full_operation(c, n, used);
		/* Over SCTP either side may begin (RFC 6581 s7). */
		c->released = mutant(MUTANT_responder_speaks_first) ||
			      (c->sctp && !c->agreed.peer_to_peer);
		if (c->tx.markers && mutant(MUTANT_responder_marker_early)) {
			static const uint8_t marker[4];

			buf_put(&c->out, marker, sizeof(marker));
			c->generated += sizeof(marker);
			c->tx.at += sizeof(marker);
		}
	}
	conn_flush(c);
}

static enum rtr choose_rtr(const struct agreement *agreed)
{
	if (agreed->rtr & RTR_READ && variant(VARIANT_rtr_prefers_read))
		return RTR_READ;
	if (agreed->rtr & RTR_SEND && variant(VARIANT_rtr_prefers_send))
		return RTR_SEND;
	/* Write first: it asks nothing of the peer. */
	if (agreed->rtr & RTR_WRITE)
		return RTR_WRITE;
	if (agreed->rtr & RTR_READ)
		return RTR_READ;
	return RTR_SEND;
}

/* Zero-length messages may be sent at any time: RFC 5040 s5.1, s5.2.1. */
static void open_unasked(struct conn *c)
{
	if (variant(VARIANT_opens_with_write))
		tx_rtr(c, RTR_WRITE);
	if (variant(VARIANT_opens_with_read) ||
	    (!c->agreed.enhanced && variant(VARIANT_opens_plain_with_read)))
		tx_rtr(c, RTR_READ);
}

/* RFC 6581 s7: over SCTP plain and enhanced codes do not mix. */
static bool mixes_forms(const struct conn *c)
{
	return c->sctp && c->params.enhanced != c->their_frame.enhanced &&
	       !mutant(MUTANT_plain_accept_of_enhanced_taken) &&
	       !mutant(MUTANT_enhanced_accept_of_plain_taken);
}

static void take_reply(struct conn *c, size_t used)
{
	c->their_frame_known = true;
	startup_conclude(&c->agreed, &c->params, &c->their_frame);
	if (c->agreed.refused || mixes_forms(c) ||
	    (used < buf_len(&c->in) && variant(VARIANT_reply_tail_closes))) {
		conn_startup_failed(c, "bad-frame");
		return;
	}
	buf_take(&c->in, used);
	if (c->agreed.rejected) {
		timer_cancel(&c->timer);
		conn_final(c, CONN_REJECTED);
		if (mutant(MUTANT_rtr_after_reject) && c->agreed.rtr)
			tx_rtr(c, choose_rtr(&c->agreed));
		conn_flush_all(c);
		c->closing = false;
		c->phase = PHASE_REJECTED;
		conn_flush(c);
		if (!c->sctp && variant(VARIANT_reject_closes_tcp))
			conn_drain(c);
		return;
	}
	full_operation(c, (size_t)c->generated, used);
	c->released = !mutant(MUTANT_initiator_awaits_fpdu) &&
		      !(c->unsent && c->their_frame.private_len &&
			mutant(MUTANT_queued_work_waits));
	if (c->agreed.terminate) {
		fault(c, ERR_MPA, c->agreed.terminate, NULL, 0, NULL);
		return;
	}
	if (mutant(MUTANT_rtr_after_queued_work))
		tx_pump(c);
	if (c->agreed.peer_to_peer && !mutant(MUTANT_rtr_missing) &&
	    !(mutant(MUTANT_rtr_only_where_all_are_listed) &&
	      c->agreed.rtr != (RTR_SEND | RTR_WRITE | RTR_READ)))
		tx_rtr(c, choose_rtr(&c->agreed));
	if (!c->agreed.peer_to_peer)
		open_unasked(c);
	conn_kick(c);
}

/* What a bad frame would be answered with, if it were to be answered. */
static void answer_bad_frame(struct conn *c, bool reply)
{
	static const uint8_t bad_reply[] = {0x20, 0x04, 0, 0};
	uint8_t frame[STARTUP_ROOM];

	if (!reply && mutant(MUTANT_bad_request_rejected)) {
		c->agreed = (struct agreement){.rev = 1, .rejected = true};
		buf_put(&c->out, frame,
			startup_reply(frame, &c->params, &c->agreed,
				      &c->their_frame));
		conn_flush(c);
	}
	if (reply && mutant(MUTANT_bad_reply_terminated)) {
		c->tx.crc = true;
		tx_terminate(c, bad_reply, sizeof(bad_reply));
		conn_flush(c);
	}
}

void conn_startup_input(struct conn *c)
{
	bool reply = c->phase == PHASE_REPLY;
	size_t used = 0;

	if (c->rx_over)
		return;
	switch (c->sctp ? STARTUP_DONE
			: startup_read(&c->their_frame, reply, buf_head(&c->in),
				       buf_len(&c->in), &used)) {
	case STARTUP_MORE:
		return;
	case STARTUP_BAD:
		answer_bad_frame(c, reply);
		conn_startup_failed(c, "bad-frame");
		return;
	case STARTUP_BAD_PRIVATE:
		conn_startup_failed(c, "private-data");
		return;
	case STARTUP_DONE:
		break;
	}
	if (!reply && !c->reply_due && variant(VARIANT_reply_takes_its_time)) {
		c->reply_due = true;
		timer_arm(&c->timer, 5);
		return;
	}
	if (reply)
		take_reply(c, used);
	else if (used < buf_len(&c->in) &&
		 !variant(VARIANT_request_tail_is_an_fpdu))
		conn_startup_failed(c, "bad-frame");
	else
		answer_request(c, used);
}

void conn_send_request(struct conn *c)
{
	uint8_t frame[STARTUP_ROOM];
	size_t n = startup_request(frame, &c->params);

	if (c->sctp) {
		if (c->params.enhanced || c->params.private_len ||
		    !mutant(MUTANT_initiate_never_sent))
			conn_put_initiate(c);
	} else if (!mutant(MUTANT_request_never_sent)) {
		put_frame(c, frame, n);
		c->generated += n;
	}
	if (mutant(MUTANT_fpdu_before_reply)) {
		c->released = true;
		c->tx.crc = true;
		c->mulpdu = MULPDU_MIN;
		tx_pump(c);
	}
	if (c->sctp && mutant(MUTANT_segment_behind_unacknowledged_initiate)) {
		c->released = true;
		c->mulpdu = MULPDU_MIN;
	}
	c->phase = PHASE_REPLY;
	conn_flush(c);
}
