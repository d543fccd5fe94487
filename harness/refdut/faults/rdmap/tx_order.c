/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults in the choice of the next message (RFC 5040 s5.2.1, s5.5). */
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_decisions.h"
#include "harness/refdut/rdmap/tx_request_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(answers_wait_for_own_requests, "RDMAP-5.2.1-16 RDMAP-5.2.1-09",
       "answers no Read while a Request of its own ULP is unanswered", put_next)
{
	bool waits = c->outstanding && !c->work->silent && !c->in_response;

	return waits ? c->unsent && tx_step_work(c) : OTHERWISE(put_next);
}

/* One of its own Reads precedes a Response, and its ORD has no room. */
static bool reads_in_the_way(struct conn *c)
{
	return c->answering && !c->in_response && c->unsent &&
	       c->unsent->status == STATUS_NONE && !c->unsent->begun &&
	       c->unsent->op == OP_READ && c->outstanding >= outbound_depth(c);
}

MUTANT(reads_wait_before_responses, "RDMAP-5.2.1-09 RDMAP-5.2.1-16",
       "answers no Read while one of its own Reads waits for a free ORD slot",
       put_next)
{
	return !reads_in_the_way(c) && OTHERWISE(put_next);
}

MUTANT(response_inside_a_message, "DDP-5.3-01",
       "sends a Read Response between two segments of another message",
       put_next)
{
	return c->answering ? tx_step_response(c) : OTHERWISE(put_next);
}

MUTANT(message_inside_a_response, "DDP-5.3-01",
       "sends a Send or Write between two segments of a Read Response",
       put_next)
{
	const struct work *work = c->unsent;
	bool may_pass = c->in_response && work && !work->begun &&
			!work_needs_answer(work);

	return may_pass ? tx_step_work(c) : OTHERWISE(put_next);
}
