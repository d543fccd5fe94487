/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection's startup: it sends and receives the frames of startup.c on its
 * TCP stream, up to full operation (RFC 5044 s7.1, RFC 6581).
 *
 * Where the RFCs leave a choice: octets that follow a Request before the Reply
 * make it a bad frame (the initiator has to wait); octets that follow a Reply
 * are FPDUs; among the RTR types that both sides list, Write has priority over
 * Read, and Read over Send.
 */
#include "harness/refdut/mpa/conn_startup_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

/* --- A startup that fails ----------------------------------------------- */

RULE(startup_failure_closes)
{
	return true;
}

void conn_startup_failed(struct conn *c, const char *why)
{
	c->failure = why;
	if (!startup_failure_closes(c, why))
		return;
	conn_final(c, CONN_ERROR);
	conn_drop(c, false);
	conn_flush_all(c);
}

RULE(bad_frame_is_answered) {}

/* --- Full operation ----------------------------------------------------- */

RULE(tx_markers_used)
{
	return c->agreed.tx_markers;
}

RULE(rx_markers_used)
{
	return c->params.markers;
}

RULE(tx_origin)
{
	return 0;
}

RULE(rx_origin)
{
	return 0;
}

RULE(tx_crc_used)
{
	return c->agreed.crc;
}

RULE(rx_crc_used)
{
	return c->agreed.crc;
}

void conn_full_operation(struct conn *c, size_t our_frame, size_t their_frame)
{
	timer_cancel(&c->timer);
	c->phase = PHASE_FULL;
	if (!c->untold)
		c->state = CONN_ESTABLISHED;
	c->was_established = true;
	c->tx = (struct framing){.markers = tx_markers_used(c),
				 .crc = tx_crc_used(c),
				 .at = tx_origin(c, our_frame),
				 .remembered = &c->remembered};
	c->rx = (struct framing){.markers = rx_markers_used(c),
				 .crc = rx_crc_used(c),
				 .at = rx_origin(c, their_frame),
				 .remembered = &c->remembered};
	loop_post(c->notify);
}

/* --- A Reply that rejects ----------------------------------------------- */

RULE(reject_ends_startup)
{
	return true;
}

RULE(reject_closes)
{
	return false;
}

/* Both sides have then left MPA. The ULP decides what happens to TCP. */
static void rejected(struct conn *c, size_t our_frame, size_t their_frame)
{
	conn_flush_all(c);
	c->closing = false;
	if (reject_ends_startup(c, our_frame, their_frame))
		c->phase = PHASE_REJECTED;
	if (reject_closes(c))
		conn_drain(c);
}

/* --- Outgoing frames ---------------------------------------------------- */

RULE(startup_first_piece)
{
	return n;
}

static void put_frame(struct conn *c, const uint8_t *frame, size_t n)
{
	size_t first = startup_first_piece(c, n);

	buf_put(&c->out, frame, first);
	if (first < n)
		conn_flush(c);
	buf_put(&c->out, frame + first, n - first);
}

RULE(request_is_sent)
{
	return true;
}

RULE(request_is_followed) {}

void conn_send_request(struct conn *c)
{
	uint8_t frame[STARTUP_ROOM];
	size_t n = startup_request(frame, &c->params);
	bool sent = request_is_sent(c);

	if (sent && c->sctp) {
		conn_put_initiate(c);
	} else if (sent) {
		put_frame(c, frame, n);
		c->generated += n;
	}
	request_is_followed(c);
	c->phase = PHASE_REPLY;
	conn_flush(c);
}

/* --- An incoming Request (RFC 5044 s7.1.2, the responder's rules) ------- */

RULE(request_answered_now)
{
	return true;
}

RULE(request_answer)
{
	if (c->agreed.refused)
		return ANSWER_CLOSE;
	return c->agreed.rejected ? ANSWER_REJECT : ANSWER_ACCEPT;
}

RULE(reply_has_room)
{
	return !c->agreed.enhanced ||
	       c->params.private_len <= STARTUP_PRIVATE_MAX - ENHANCED_SIZE;
}

RULE(reply_is_sent)
{
	return true;
}

/* Over SCTP either side may begin (RFC 6581 s7). */
RULE(responder_may_speak)
{
	return c->sctp && !c->agreed.peer_to_peer;
}

/* Returns the length of the Reply; there is no such frame over SCTP. */
static size_t send_answer(struct conn *c)
{
	uint8_t frame[STARTUP_ROOM];
	size_t n;

	if (c->sctp) {
		conn_put_answer(c);
		return 0;
	}
	n = startup_reply(frame, &c->params, &c->agreed, &c->their_frame);
	if (reply_is_sent(c))
		put_frame(c, frame, n);
	c->generated += n;
	return n;
}

static void answer_request(struct conn *c, size_t used)
{
	enum request_answer answer;
	size_t n;

	c->their_frame_known = true;
	startup_answer(&c->agreed, &c->params, &c->their_frame);
	answer = request_answer(c);
	if (answer == ANSWER_CLOSE) {
		conn_startup_failed(c, "revision");
		return;
	}
	c->agreed.rejected = answer == ANSWER_REJECT;
	if (!reply_has_room(c)) {
		conn_startup_failed(c, "private-data");
		return;
	}
	n = send_answer(c);
	buf_take(&c->in, used);
	if (c->agreed.rejected) {
		timer_cancel(&c->timer);
		conn_final(c, CONN_REJECTED);
		rejected(c, n, used);
	} else {
		conn_full_operation(c, n, used);
		c->released = responder_may_speak(c);
	}
	conn_flush(c);
}

/* --- An incoming Reply (RFC 5044 s7.1.2, the initiator's rules) --------- */

RULE(reply_form_fits)
{
	return !c->sctp || c->params.enhanced == c->their_frame.enhanced;
}

RULE(startup_tail_accepted)
{
	return c->initiator || !tail;
}

RULE(initiator_may_speak)
{
	return true;
}

/* Write first: it requires nothing from the peer. */
RULE(rtr_type)
{
	if (agreement->rtr & RTR_WRITE)
		return RTR_WRITE;
	return agreement->rtr & RTR_READ ? RTR_READ : RTR_SEND;
}

RULE(opening_message)
{
	if (c->agreed.rejected || !c->agreed.peer_to_peer)
		return 0;
	return rtr_type(&c->agreed);
}

static void open_stream(struct conn *c)
{
	unsigned rtr = opening_message(c);

	if (rtr)
		tx_rtr(c, rtr);
}

static void take_reply(struct conn *c, size_t used)
{
	c->their_frame_known = true;
	startup_conclude(&c->agreed, &c->params, &c->their_frame);
	if (c->agreed.refused || !reply_form_fits(c) ||
	    !startup_tail_accepted(c, buf_len(&c->in) - used)) {
		conn_startup_failed(c, "bad-frame");
		return;
	}
	buf_take(&c->in, used);
	if (c->agreed.rejected) {
		timer_cancel(&c->timer);
		conn_final(c, CONN_REJECTED);
		open_stream(c);
		rejected(c, (size_t)c->generated, used);
		conn_flush(c);
		return;
	}
	conn_full_operation(c, (size_t)c->generated, used);
	c->released = initiator_may_speak(c);
	if (c->agreed.terminate) {
		fault(c, ERR_MPA, c->agreed.terminate, NULL, 0, NULL);
		return;
	}
	open_stream(c);
	conn_kick(c);
}

/* --- Either frame ------------------------------------------------------- */

void conn_startup_input(struct conn *c)
{
	bool reply = c->phase == PHASE_REPLY;
	size_t used = 0;

	if (c->rx_over)
		return;
	/* Over SCTP it was read from a control chunk, which arrived
	 * complete. */
	switch (c->sctp ? STARTUP_DONE
			: startup_read(&c->their_frame, reply, buf_head(&c->in),
				       buf_len(&c->in), &used)) {
	case STARTUP_MORE:
		return;
	case STARTUP_BAD:
		bad_frame_is_answered(c, reply);
		conn_startup_failed(c, "bad-frame");
		return;
	case STARTUP_BAD_PRIVATE:
		conn_startup_failed(c, "private-data");
		return;
	case STARTUP_DONE:
		break;
	}
	if (reply)
		take_reply(c, used);
	else if (!request_answered_now(c))
		return;
	else if (!startup_tail_accepted(c, buf_len(&c->in) - used))
		conn_startup_failed(c, "bad-frame");
	else
		answer_request(c, used);
}
