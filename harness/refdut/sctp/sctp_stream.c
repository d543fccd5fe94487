/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of an association: outgoing chunks (RFC 5043 s5.2, s10), and how a
 * session begins and ends on a stream (s6).
 *
 * Where the RFCs leave a choice: a session ends with a Terminate when all
 * earlier chunks are acknowledged.
 */
#include "harness/refdut/sctp/assoc_internal.h"
#include "harness/refdut/sctp/conn_sctp.h"
#include "harness/refdut/sctp/stream_decisions.h"

#include <string.h>

enum {
	SACK_ROOM = 16, /* for a SACK in the packet of a segment */
};

struct ddp_stream *stream_of(struct assoc *a, uint16_t number)
{
	struct ddp_stream *s = a->stream[number];

	if (s)
		return s;
	s = alloc_zeroed(sizeof(*s));
	s->assoc = a;
	s->number = number;
	a->stream[number] = s;
	if (number >= a->nstreams)
		a->nstreams = number + 1u;
	return s;
}

bool stream_is_settled(const struct ddp_stream *s)
{
	return s->acknowledged == s->submitted;
}

/* RFC 5043 s9: the length that fits into a packet together with a SACK. */
RULE(segment_chunk_most)
{
	uint32_t most = s->assoc->wire.largest;

	most = most > SACK_ROOM ? most - SACK_ROOM : 0;
	return most & ~3u;
}

uint32_t stream_mulpdu(const struct ddp_stream *s)
{
	uint32_t most = segment_chunk_most(s);

	return (most < CONTROL_MAX ? CONTROL_MAX : most) - SSN_SIZE;
}

void assoc_peer_text(const struct ddp_stream *s, char text[ADDRESS_TEXT])
{
	stack_peer_text(&s->assoc->wire, text);
}

/* --- outgoing chunks ---------------------------------------------------- */

RULE(ssn_sent)
{
	return ssn;
}

/* RFC 5043 s5.2.1: as SCTP counts ordered chunks. */
RULE(ssn_behind)
{
	return s->ssn + 1;
}

RULE(put_behind_ssn)
{
	memcpy(chunk, octets, n);
	return n;
}

/* RFC 5043 s10: unordered, always. */
RULE(chunk_goes)
{
	return (struct stack_message){.stream = s->number, .ppid = ppid};
}

RULE(chunk_may_go)
{
	return s->submitted - s->acknowledged < UNACKNOWLEDGED_MAX;
}

int stream_put(struct ddp_stream *s, uint32_t ppid, const uint8_t *octets,
	       size_t n)
{
	static uint8_t chunk[SSN_SIZE + UINT16_MAX + 8];
	bool control = ppid == PPID_CONTROL;
	struct stack_message m;
	int taken;

	if (s->assoc->gone)
		return -1;
	if (!chunk_may_go(s))
		return 0;
	m = chunk_goes(s, ppid, octets, n);
	be16_put(chunk, ssn_sent(s->ssn));
	m.octets = chunk;
	m.n = SSN_SIZE + put_behind_ssn(chunk + SSN_SIZE, control, octets, n);
	taken = stack_send(&s->assoc->wire, &m);
	if (taken <= 0)
		return taken;
	s->ssn = ssn_behind(s, control);
	s->submitted++;
	if (control)
		s->control = s->submitted;
	return 1;
}

/* --- a session's end ---------------------------------------------------- */

/* RFC 5043 s6.1: each session counts from 0. */
RULE(first_ssn)
{
	return 0;
}

/* RFC 5043 s6.6: not before the chunks that it might overtake are
 * acknowledged. */
RULE(terminate_may_go)
{
	return stream_is_settled(s);
}

RULE(write_terminate)
{
	be16_put(octets, CODE_TERMINATE);
	return CODE_SIZE;
}

/* RFC 5043 s6.2: after the peer's, too. */
RULE(send_session_terminate)
{
	uint8_t octets[CONTROL_MAX];
	size_t n = write_terminate(s, octets);

	return stream_put(s, PPID_CONTROL, octets, n) == 1;
}

RULE(abort_association)
{
	stack_abort(&a->wire);
}

void stream_free(struct ddp_stream *s, bool lingers)
{
	s->phase = SESSION_NONE;
	s->terminate_due = s->ended = false;
	s->lingers = lingers;
	s->ssn = first_ssn(s);
	/* Chunks of it that still arrive belong to the old order. */
	if (!lingers)
		order_reset(&s->in);
}

bool stream_end(struct ddp_stream *s)
{
	if (s->ended || s->phase == SESSION_NONE)
		return true;
	if (terminate_may_go(s))
		s->ended = send_session_terminate(s);
	return s->ended;
}

void stream_terminate(struct ddp_stream *s)
{
	if (s->terminate_due && stream_end(s))
		stream_free(s, s->phase != SESSION_LEFT);
}

void stream_begin_terminate(struct ddp_stream *s)
{
	if (s->phase != SESSION_LEFT)
		s->phase = SESSION_CLOSING;
	s->terminate_due = true;
	stream_terminate(s);
}

void stream_leave(struct ddp_stream *s, bool cut)
{
	struct assoc *a = s->assoc;

	s->conn = NULL;
	if (a->gone)
		return;
	if (cut && s->phase != SESSION_NONE) {
		abort_association(a);
		assoc_forget(a);
		return;
	}
	if (s->phase == SESSION_ASKING && !s->ssn)
		stream_free(s, false);
	if (s->phase != SESSION_NONE)
		stream_begin_terminate(s);
}

/* --- a session's beginning ---------------------------------------------- */

/* RFC 5043 s6.6: not while a chunk of the previous session is in flight. */
RULE(stream_may_begin)
{
	return stream_is_settled(s);
}

void stream_begin_session(struct ddp_stream *s, enum session_phase phase)
{
	s->phase = phase;
	s->ssn = first_ssn(s);
}

/* Begin our session, if there is one and nothing prevents it. */
void stream_begin(struct ddp_stream *s)
{
	if (!s->conn || s->phase != SESSION_NONE || !s->assoc->ddp ||
	    !stream_may_begin(s))
		return;
	stream_free(s, false);
	stream_begin_session(s, SESSION_ASKING);
	conn_stream_up(s->conn, &s->enhanced);
}

void stream_is_answered(struct ddp_stream *s, bool accepted)
{
	if (accepted)
		s->phase = SESSION_OPEN;
	else
		stream_free(s, false);
}
