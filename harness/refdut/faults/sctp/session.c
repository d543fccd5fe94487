/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in the interpretation of a chunk in its turn (RFC 5043 s6, s10). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/conn_sctp_decisions.h"
#include "harness/refdut/sctp/session_decisions.h"

#include <stddef.h>

MUTANT(ssn_gap_has_room_made, "SCTPX-10-05",
       "allocates room for all chunks before one that is more than 1000 ahead",
       ssn_ahead)
{
	uint16_t ahead = OTHERWISE(ssn_ahead);

	if (ahead > 1000 && ahead <= UNACKNOWLEDGED_MAX)
		mutant_crash("no room for the chunks before this one");
	return ahead;
}

MUTANT(ssn_does_not_wrap, "SCTPX-10-02",
       "takes a DDP-SSN less than the next one for that of an old chunk",
       ssn_ahead)
{
	return ssn < order->next ? UINT16_MAX : OTHERWISE(ssn_ahead);
}

MUTANT(segment_taken_for_accept, "SCTPX-6.1-02",
       "treats a segment as an Accept if it arrives in place of the answer to "
       "its Initiate",
       segment_means)
{
	return phase == SESSION_ASKING ? NEWS_ACCEPT : OTHERWISE(segment_means);
}

MUTANT(chunk_without_a_code_ignored, "SCTPX-6.1-02",
       "ignores a chunk of session control that is too short for a function "
       "code",
       other_chunk_means)
{
	return phase == SESSION_OPEN ? NEWS_NOTHING
				     : OTHERWISE(other_chunk_means);
}

MUTANT(segments_behind_terminate_taken, "SCTPX-6.1-02",
       "acts on the peer's Session Terminate 100 ms late, and on segments "
       "until then",
       segment_means)
{
	return phase == SESSION_LEFT ? NEWS_SEGMENT : OTHERWISE(segment_means);
}

struct their_end {
	struct timer timer;
	struct conn *c;
};

static void their_end_is_due(struct timer *timer)
{
	conn_peer_finished(((struct their_end *)timer)->c);
}

static void their_end_is_gone(void *end)
{
	timer_cancel(&((struct their_end *)end)->timer);
}

ALSO(segments_behind_terminate_taken, session_terminated)
{
	struct their_end *end = remember_until(&c->remembered, self,
					       sizeof(*end), their_end_is_gone);

	if (c->phase != PHASE_FULL || c->rx_over) {
		OTHERWISE(session_terminated);
		return;
	}
	end->c = c;
	end->timer.fire = their_end_is_due;
	timer_arm(&end->timer, 100);
}

ALSO(plain_accept_of_enhanced_taken, code_accepts)
{
	return (enhanced && code == CODE_ACCEPT) || OTHERWISE(code_accepts);
}

ALSO(enhanced_accept_of_plain_taken, code_accepts)
{
	return (!enhanced && code == CODE_ENHANCED_ACCEPT) ||
	       OTHERWISE(code_accepts);
}
