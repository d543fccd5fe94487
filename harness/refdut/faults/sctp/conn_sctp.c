/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a connection with its session (RFC 5043 s5.2.3, s6; RFC 6581
 * s7). */
#include "harness/refdut/decision/override.h"
#include "harness/refdut/sctp/assoc_internal.h"
#include "harness/refdut/sctp/conn_sctp_decisions.h"

/* Function codes */

MUTANT(initiate_code_byte_swapped, "SCTPX-5.2.3-01 IANA-3.5-03",
       "sends the function code of an Initiate least significant octet first",
       function_code)
{
	return code == CODE_INITIATE ? CODE_INITIATE << 8
				     : OTHERWISE(function_code);
}

MUTANT(accept_code_eight, "SCTPX-5.2.3-02 IANA-3.5-03",
       "sends an Accept with function code 8", function_code)
{
	return code == CODE_ACCEPT ? 8 : OTHERWISE(function_code);
}

MUTANT(accept_sent_as_reject, "SCTPX-5.2.3-02 SCTPX-6.3-02",
       "sends a Reject if its ULP accepts a session and there is no private "
       "data",
       function_code)
{
	return code == CODE_ACCEPT && !private_len &&
			       !c->their_frame.private_len
		       ? CODE_REJECT
		       : OTHERWISE(function_code);
}

MUTANT(reject_sent_as_terminate, "SCTPX-5.2.3-03",
       "sends a Terminate if its ULP rejects a session", function_code)
{
	return code == CODE_REJECT ? CODE_TERMINATE : OTHERWISE(function_code);
}

MUTANT(enhanced_initiate_of_code_one, "SCTPX-6581.7-02",
       "sends an Enhanced Initiate with function code 1", function_code)
{
	return code == CODE_ENHANCED_INITIATE ? CODE_INITIATE
					      : OTHERWISE(function_code);
}

MUTANT(enhanced_accept_of_code_two, "SCTPX-6581.7-03",
       "sends an Enhanced Accept with function code 2", function_code)
{
	return code == CODE_ENHANCED_ACCEPT ? CODE_ACCEPT
					    : OTHERWISE(function_code);
}

/* Private data and enhanced data out */

MUTANT(initiate_private_data_left_out, "SCTPX-5.2.3-05",
       "leaves the ULP's private data out of an Initiate", private_data_sent)
{
	return code == CODE_INITIATE ? 0 : OTHERWISE(private_data_sent);
}

MUTANT(accept_private_data_left_out, "SCTPX-5.2.3-06",
       "leaves the ULP's private data out of an Accept", private_data_sent)
{
	return code == CODE_ACCEPT ? 0 : OTHERWISE(private_data_sent);
}

MUTANT(reject_private_data_left_out, "SCTPX-5.2.3-07",
       "leaves the ULP's private data out of a Reject", private_data_sent)
{
	return code == CODE_REJECT ? 0 : OTHERWISE(private_data_sent);
}

MUTANT(enhanced_private_data_left_out, "SCTPX-6581.7-04",
       "leaves the ULP's private data out of enhanced control messages",
       private_data_sent)
{
	return code >= CODE_ENHANCED_INITIATE ? 0
					      : OTHERWISE(private_data_sent);
}

MUTANT(private_data_before_enhanced, "SCTPX-6581.7-04",
       "puts the ULP's private data before the enhanced data", enhanced_data_at)
{
	return private_len;
}

ALSO(enhanced_reply_plain, session_answer_is_enhanced)
{
	return false;
}

ALSO(enhanced_reject_plain, session_answer_is_enhanced)
{
	return !c->agreed.rejected && OTHERWISE(session_answer_is_enhanced);
}

ALSO(plain_request_answered_enhanced, session_answer_is_enhanced)
{
	return true;
}

/* The data of a control message */

static bool rejects(unsigned code)
{
	return code == CODE_REJECT || code == CODE_ENHANCED_REJECT;
}

static const uint8_t code_nine[] = {0, 9};

MUTANT(control_of_its_own, "SCTPX-6.5-01 IANA-3.5-03",
       "sends a control message of code 9 after its Initiate and its Accept",
       queue_control)
{
	OTHERWISE(queue_control);
	if (!rejects(code))
		queue_control_otherwise(self, c, 9, code_nine,
					sizeof(code_nine));
}

MUTANT(control_behind_its_reject, "SCTPX-6.5-01 IANA-3.5-03",
       "sends a control message of code 9 after its Reject", queue_control)
{
	OTHERWISE(queue_control);
	if (rejects(code))
		queue_control_otherwise(self, c, 9, code_nine,
					sizeof(code_nine));
}

ALSO(control_behind_its_reject, initiate_is_answered)
{
	return !buf_len(&c->out) && OTHERWISE(initiate_is_answered);
}

MUTANT(chunk_of_no_ppid, "SCTPX-5.1-03",
       "sends a chunk with PPID 0 when a session has been accepted",
       hand_over_chunk)
{
	const struct stack_message stray = {
		.stream = c->stream->number,
		.octets = (const uint8_t *)"stray",
		.n = 5,
	};
	struct ddp_stream *s = c->stream;
	int taken = OTHERWISE(hand_over_chunk);

	if (taken > 0 && ppid == PPID_CONTROL && !s->assoc->gone &&
	    stack_send(&s->assoc->wire, &stray) > 0)
		s->submitted++;
	return taken;
}

ALSO(rejected_stream_served, answer_opens_session)
{
	return true;
}

/* Reports to the ULP */

ALSO(enhanced_data_shown_as_private, session_private_data_at)
{
	return 0;
}

MUTANT(control_private_data_cut, "SCTPX-5.2.3-11 SCTPX-6581.7-10",
       "gives its ULP no more than 256 octets of a control message's private "
       "data",
       private_data_given)
{
	n = OTHERWISE(private_data_given);
	return n < 256 ? n : 256;
}

MUTANT(long_private_data_untold, "SCTPX-5.2.3-10 SCTPX-6581.7-09",
       "does not report an Initiate or its answer to its ULP if it has more "
       "than 256 octets of private data",
       private_data_given)
{
	n = OTHERWISE(private_data_given);
	c->untold = n > 256;
	return n;
}

MUTANT(session_terminate_untold, "SCTPX-5.2.3-10",
       "does not inform its ULP of the peer's Session Terminate",
       session_terminated)
{
}

MUTANT(session_end_told_as_error, "SCTPX-6.2-04",
       "reports the orderly end of a session to its ULP as an error",
       session_terminated)
{
	conn_final(c, CONN_ERROR);
	OTHERWISE(session_terminated);
}

MUTANT(session_terminate_ends_all, "SCTPX-6.2-04",
       "ends all sessions of an association at the peer's Session Terminate on "
       "one of its streams",
       session_terminated)
{
	const struct assoc *a = c->stream ? c->stream->assoc : NULL;

	for (unsigned i = 0; a && i < a->nstreams; i++) {
		struct ddp_stream *s = a->stream[i];

		if (!s || !s->conn || s->conn == c || s->phase != SESSION_OPEN)
			continue;
		s->phase = SESSION_LEFT;
		session_terminated_otherwise(self, s->conn);
	}
	OTHERWISE(session_terminated);
}
