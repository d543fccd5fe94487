/* SPDX-License-Identifier: BSD-2-Clause */
/* Choices of associations and their streams (RFC 5043 s5.2.3, s6, s8, s10,
 * s11). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/assoc_decisions.h"
#include "harness/refdut/sctp/chunk_decisions.h"
#include "harness/refdut/sctp/stream_decisions.h"

/* Associations */

VARIANT(admission, missing_indication_left_up, "SCTPX-11.1-04",
	"leaves an association without an adaptation indication up but unused",
	other_is_refused)
{
	return !(!indicated && chosen(self)) && OTHERWISE(other_is_refused);
}

/* It has had a session, and no session is left. */
static bool is_idle(const struct assoc *a)
{
	bool had = false;

	for (unsigned i = 0; i < a->nstreams; i++) {
		const struct ddp_stream *s = a->stream[i];

		if (!s)
			continue;
		if (s->conn || s->phase != SESSION_NONE || s->lingers ||
		    s->in.held || !stream_is_settled(s))
			return false;
		had |= s->submitted;
	}
	return had;
}

VARIANT(idle_association, association_ends_with_its_last_session,
	"SCTPX-11.3-02",
	"shuts an association down when its last session is over",
	association_stays)
{
	return !(is_idle(a) && chosen(self)) && OTHERWISE(association_stays);
}

VARIANT(number_of_streams, sctp_one_stream, "SCTPX-8-01 SCTPX-8-03",
	"asks for one stream in each direction in its associations", init_says)
{
	struct stack_options o = OTHERWISE(init_says);

	chosen(self);
	o.outbound = o.inbound = 1;
	return o;
}

static bool has_session(const struct assoc *a)
{
	for (unsigned i = 0; i < a->nstreams; i++)
		if (a->stream[i] && a->stream[i]->conn)
			return true;
	return false;
}

VARIANT(idle_association, sctp_new_assoc, "SCTPX-8-02",
	"opens a new association for a session if the existing one has no free "
	"stream",
	association_is_used_again)
{
	return !(!has_session(a) && chosen(self)) &&
	       OTHERWISE(association_is_used_again);
}

VARIANT(choice_of_stream, streams_from_the_last, "SCTPX-8-02",
	"opens a session on the last free stream of an association that is up",
	stream_in_line)
{
	return a->wire.up && chosen(self) ? most - 1 - i
					  : OTHERWISE(stream_in_line);
}

/* The end of a session */

VARIANT(session_end, session_terminate_behind_data, "SCTPX-6.6-01 DDP-6.2.1-03",
	"sends a Session Terminate while earlier segments are unacknowledged",
	terminate_may_go)
{
	return OTHERWISE(terminate_may_go) ||
	       (s->acknowledged >= s->control && chosen(self));
}

VARIANT(session_end, session_terminate_unanswered, "SCTPX-6.2-02",
	"sends no Session Terminate after the peer's", send_session_terminate)
{
	return (s->phase == SESSION_LEFT && chosen(self)) ||
	       OTHERWISE(send_session_terminate);
}

/* Chunks in */

VARIANT(invalid_ssn, invalid_ssn_ends_the_session, "SCTPX-10-04",
	"ends a session over an impossible DDP-SSN", past_ssn_counts)
{
	return (s->conn && chosen(self)) || OTHERWISE(past_ssn_counts);
}

VARIANT(stray_chunk, stray_chunk_unanswered, "SCTPX-6.1-02",
	"does not answer a stray chunk if there is no session",
	stray_is_answered)
{
	chosen(self);
	return false;
}

VARIANT(long_private_data, long_private_data_cut, "SCTPX-5.2.3-14",
	"cuts private data to 512 octets", long_data_is)
{
	chosen(self);
	return LONG_DATA_CUT;
}

VARIANT(long_private_data, long_private_data_ends_the_association,
	"SCTPX-5.2.3-14",
	"aborts the association over private data of more than 512 octets",
	long_data_is)
{
	chosen(self);
	return LONG_DATA_ENDS_ASSOCIATION;
}
