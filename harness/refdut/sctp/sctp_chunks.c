/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Incoming chunks: each is put in order, and processed in its turn (RFC 5043
 * s6, s10).
 *
 * Where the RFCs leave a choice: a chunk outside a legal sequence on a stream
 * without a session is answered with one Terminate; private data of more than
 * 512 octets is refused together with its session.
 */
#include "harness/refdut/control.h"
#include "harness/refdut/sctp/assoc_internal.h"
#include "harness/refdut/sctp/chunk_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <stdlib.h>
#include <string.h>

/* --- the meaning of a chunk --------------------------------------------- */

/* RFC 5043 s6.4: with a Terminate, because no ULP has rejected it. */
RULE(refuse_session)
{
	stream_begin_session(s, SESSION_CLOSING);
	stream_begin_terminate(s);
}

RULE(long_data_is)
{
	return LONG_DATA_REFUSED;
}

RULE(stray_counts)
{
	return true;
}

RULE(stray_is_answered)
{
	return true;
}

RULE(session_refused)
{
	stream_free(s, false);
	conn_stream_refused(s->conn);
}

static void end_association(struct ddp_stream *s, struct conn *c)
{
	stream_begin_session(s, SESSION_CLOSING);
	conn_stream_refused(c);
	stream_leave(s, true);
}

static void asked(struct ddp_stream *s, const struct control_message *m)
{
	struct assoc *a = s->assoc;
	/* At most one for each listen may be pending. */
	struct conn *c = a->port ? a->port->take(a->port) : NULL;
	enum long_data what = LONG_DATA_CUT;

	if (c && m->private_len > CONTROL_MAX - CONTROL_HEADER)
		what = long_data_is(s);
	if (what == LONG_DATA_ENDS_ASSOCIATION) {
		end_association(s, c);
		return;
	}
	if (!c || what == LONG_DATA_REFUSED) {
		if (c)
			conn_stream_refused(c);
		refuse_session(s);
		return;
	}
	stream_begin_session(s, SESSION_ASKED);
	s->conn = c;
	conn_stream_asked(c, s, m);
}

static void stray(struct ddp_stream *s, const struct control_message *m)
{
	if (!stray_counts(s, m))
		return;
	if (s->conn) {
		conn_stream_stray(s->conn);
	} else if (s->phase == SESSION_NONE && !stray_is_answered(s)) {
		stream_free(s, true);
	} else if (s->phase == SESSION_NONE) {
		stream_begin_session(s, SESSION_CLOSING);
		stream_begin_terminate(s);
	}
}

static void act(struct ddp_stream *s, const struct chunk *chunk)
{
	const uint8_t *octets = chunk->octets + SSN_SIZE;
	size_t n = chunk->n - SSN_SIZE;
	struct control_message m = {0};

	if (chunk->ppid == PPID_CONTROL)
		control_message_read(&m, octets, n);
	switch (session_judge(s->phase, s->enhanced, chunk->ppid, octets, n)) {
	case NEWS_INITIATE:
		asked(s, &m);
		break;
	case NEWS_ACCEPT:
		s->phase = SESSION_OPEN;
		conn_stream_answered(s->conn, false, &m);
		break;
	case NEWS_REJECT:
		stream_free(s, false);
		conn_stream_answered(s->conn, true, &m);
		break;
	case NEWS_REFUSED:
		session_refused(s, &m);
		break;
	case NEWS_SEGMENT:
		conn_stream_segment(s->conn, octets, n);
		break;
	case NEWS_TERMINATE:
		s->phase = SESSION_LEFT;
		if (s->conn)
			conn_stream_terminated(s->conn);
		break;
	case NEWS_STRAY:
		stray(s, &m);
		break;
	case NEWS_NOTHING:
		break;
	}
}

/* --- the order of chunks ------------------------------------------------ */

RULE(put_in_order)
{
	return order_put(&s->in, m->ppid, m->octets, m->n);
}

/* It may have been sent twice. */
RULE(past_ssn_counts)
{
	return false;
}

/* RFC 5043 s6.6 holds for the responder, too: it sends nothing of a session
 * while a chunk of the previous one is in flight. */
void chunks_take_in_turn(struct ddp_stream *s)
{
	struct chunk *chunk;

	while (!s->assoc->gone &&
	       (s->phase != SESSION_NONE || stream_is_settled(s)) &&
	       (chunk = order_take(&s->in))) {
		act(s, chunk);
		free(chunk);
	}
}

static bool begins_a_session(const struct stack_message *m)
{
	struct control_message c;

	return m->ppid == PPID_CONTROL && m->n >= CONTROL_HEADER &&
	       be16(m->octets) == 0 &&
	       control_message_read(&c, m->octets + SSN_SIZE,
				    m->n - SSN_SIZE) &&
	       (c.code == CODE_INITIATE || c.code == CODE_ENHANCED_INITIATE);
}

/* Chunks of a session that is over on our side, up to the peer's Terminate. */
static void take_last(struct ddp_stream *s, const struct stack_message *m)
{
	struct chunk *chunk;

	order_put(&s->in, m->ppid, m->octets, m->n);
	while (s->lingers && (chunk = order_take(&s->in))) {
		s->lingers = chunk->ppid != PPID_CONTROL ||
			     chunk->n < CONTROL_HEADER ||
			     be16(chunk->octets + SSN_SIZE) != CODE_TERMINATE;
		free(chunk);
	}
	if (!s->lingers)
		order_reset(&s->in);
}

/* We have ended the session: the peer's half may still arrive, or the peer
 * begins anew. */
static bool is_of_the_past(struct ddp_stream *s, const struct stack_message *m)
{
	bool anew = begins_a_session(m);

	if (s->lingers) {
		if (anew)
			stream_free(s, false);
		else
			take_last(s, m);
		return !anew;
	}
	if (!anew || !s->in.next || (s->phase != SESSION_CLOSING && !s->ended))
		return false;
	if (s->conn) {
		struct conn *c = s->conn;

		s->phase = SESSION_LEFT;
		conn_stream_terminated(c);
	}
	stream_free(s, false);
	return false;
}

static void answer_as_control(struct assoc *a, const struct stack_message *m)
{
	uint8_t *octets = alloc_zeroed(m->n ? m->n : 1);
	struct stack_message answer = *m;

	if (m->n)
		memcpy(octets, m->octets, m->n);
	control_message(octets, m->n);
	answer.octets = octets;
	stack_send(&a->wire, &answer);
	free(octets);
}

/* A chunk of a session, in any order. */
static void take_chunk(struct ddp_stream *s, const struct stack_message *m)
{
	static const struct control_message none;

	switch (put_in_order(s, m)) {
	case SSN_TAKEN:
		chunks_take_in_turn(s);
		return;
	case SSN_PAST:
		if (!past_ssn_counts(s))
			return;
		break;
	case SSN_TOO_MANY:
	case SSN_NOT_THERE:
		break;
	}
	if (s->conn)
		stray(s, &none);
}

void chunk_came(struct assoc *a, const struct stack_message *m)
{
	static const struct control_message none;
	struct ddp_stream *s;

	if (a->controls) {
		answer_as_control(a, m);
		return;
	}
	/* Without the indication, no DDP procedures apply. */
	if (!a->ddp || m->stream >= a->wire.streams)
		return;
	s = stream_of(a, m->stream);
	if (is_of_the_past(s, m))
		return;
	if (m->ppid == PPID_SEGMENT || m->ppid == PPID_CONTROL)
		take_chunk(s, m);
	else if (s->conn)
		stray(s, &none);
}
