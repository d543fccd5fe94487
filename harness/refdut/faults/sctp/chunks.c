/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults as chunks arrive (RFC 5043 s5.2.3, s6, s10). */
#include "harness/refdut/buf.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/chunk_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"
#include "harness/refdut/sctp/conn_sctp_decisions.h"

#include <stdlib.h>

/* Their order */

/* A Write that later chunks have waited for. */
static bool is_late_write(const struct ddp_stream *s,
			  const struct stack_message *m)
{
	return s->in.held && m->ppid == PPID_SEGMENT && m->n > SSN_SIZE + 1 &&
	       be16(m->octets) == s->in.next && m->octets[SSN_SIZE] & 0x80 &&
	       !(m->octets[SSN_SIZE + 1] & 0x0f);
}

MUTANT(late_write_lost, "SCTPX-10-02",
       "loses a Write that arrives after the chunk that follows it",
       put_in_order)
{
	if (!is_late_write(s, m))
		return OTHERWISE(put_in_order);
	s->in.next++;
	return SSN_TAKEN;
}

MUTANT(judged_as_they_come, "SCTPX-6.1-03 SCTPX-10-02",
       "processes chunks in the order in which SCTP delivers them",
       put_in_order)
{
	if (m->n >= SSN_SIZE)
		s->in.next = be16(m->octets);
	return OTHERWISE(put_in_order);
}

/* Chunks in no legal sequence */

static bool is_known(unsigned code)
{
	return code >= CODE_INITIATE && code <= CODE_ENHANCED_REJECT;
}

MUTANT(unknown_code_ignored, "SCTPX-5.2.3-13 IANA-3.5-02",
       "ignores function codes that it does not know", stray_counts)
{
	return (!m->private_data || is_known(m->code)) &&
	       OTHERWISE(stray_counts);
}

MUTANT(stray_control_ignored, "SCTPX-6.1-02",
       "ignores control messages that are out of turn in a session",
       stray_counts)
{
	return (!m->private_data || !is_known(m->code)) &&
	       OTHERWISE(stray_counts);
}

MUTANT(early_segment_passed_over, "SCTPX-6.1-02",
       "drops a segment before the Initiate, and accepts the Initiate after it",
       stray_counts)
{
	return (m->private_data || s->phase != SESSION_NONE) &&
	       OTHERWISE(stray_counts);
}

/* Initiates that nobody waits for */

MUTANT(excess_initiate_unanswered, "SCTPX-5.2.3-12 SCTPX-6.4-02",
       "keeps Initiates that its ULP does not wait for without answering them",
       refuse_session)
{
	stream_begin_session(s, SESSION_ASKED);
}

MUTANT(excess_initiate_rejected, "SCTPX-5.2.3-12 SCTPX-6.3-02",
       "answers Initiates that its ULP does not wait for with a Reject",
       refuse_session)
{
	static const uint8_t reject[CODE_SIZE] = {0, CODE_REJECT};

	stream_put(s, PPID_CONTROL, reject, sizeof(reject));
	stream_free(s, false);
}

MUTANT(refusal_taken_for_accept, "SCTPX-6.4-04",
       "treats a Terminate in answer to its Initiate as an Accept",
       session_refused)
{
	struct control_message accept = *m;

	s->phase = SESSION_OPEN;
	accept.code = s->enhanced ? CODE_ENHANCED_ACCEPT : CODE_ACCEPT;
	conn_stream_answered(s->conn, false, &accept);
}

MUTANT(fifth_chunk_ahead_lost, "SCTPX-10-02",
       "holds four chunks that arrived ahead of another, and loses further "
       "ones",
       put_in_order)
{
	bool ahead = m->n >= SSN_SIZE && be16(m->octets) != s->in.next;

	return ahead && s->in.nheld >= 4 ? SSN_PAST : OTHERWISE(put_in_order);
}

/* Those of streams that were opened before, which suffices. */
MUTANT(held_chunks_lost_at_an_end, "SCTPX-10-02",
       "loses the chunks that are held on other streams when a session ends",
       session_terminated)
{
	for (struct conn *o = c->next; o; o = o->next)
		while (o->stream && o->stream->in.held) {
			struct chunk *chunk = o->stream->in.held;

			o->stream->in.held = chunk->next;
			o->stream->in.nheld--;
			o->stream->in.octets -= chunk->n;
			free(chunk);
		}
	OTHERWISE(session_terminated);
}
