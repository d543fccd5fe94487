/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults as octets are handed to TCP. */
#include "harness/refdut/conn_output_decisions.h"
#include "harness/refdut/decision/override.h"
#include "harness/refdut/rdmap/fields.h"
#include "harness/refdut/sctp/conn_sctp.h"

MUTANT(short_write_taken_for_whole, "DDP-3-05",
       "loses the octets of a write that TCP does not take at once",
       octets_done_with)
{
	return taken < n ? buf_len(&c->out) : OTHERWISE(octets_done_with);
}

MUTANT(request_buffer_kept, "RDMAP-5.2.1-02",
       "never frees the buffer of a Read Request", request_buffer_is_free)
{
	return false;
}

MUTANT(rtr_read_buffer_kept, "RDMAP-6.1-05",
       "does not free the buffer of the Read that was the RTR",
       request_buffer_is_free)
{
	bool *kept = remember(&c->remembered, self, sizeof(*kept));

	if (*kept || !c->agreed.peer_to_peer || request->atomic ||
	    read_size(request->header))
		return OTHERWISE(request_buffer_is_free);
	*kept = true;
	return false;
}

MUTANT(atomic_buffer_kept, "RDMAPX-5.2.1-20",
       "does not free the buffer of an Atomic Request", request_buffer_is_free)
{
	return !request->atomic && OTHERWISE(request_buffer_is_free);
}

ALSO(fpdu_before_reply, sends_unanswered)
{
	return true;
}

ALSO(segment_behind_unacknowledged_initiate, sends_unanswered)
{
	return (c->stream && !stream_is_settled(c->stream)) ||
	       OTHERWISE(sends_unanswered);
}
