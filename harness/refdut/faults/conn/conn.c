/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of a connection's beginning, and of one that breaks. */
#include <string.h>

#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(msn_starts_at_zero, "DDP-4.3-05", "numbers its messages from 0",
       first_msn_sent)
{
	return 0;
}

MUTANT(no_reply_timeout, "MPA-7.1.2-29 MPA-7.1.2-30",
       "waits for a Reply forever", startup_times_out)
{
	return !c->initiator && OTHERWISE(startup_times_out);
}

MUTANT(no_request_timeout, "MPA-7.1.2-28 MPA-7.1.2-21",
       "waits for a Request forever", startup_times_out)
{
	return c->initiator && OTHERWISE(startup_times_out);
}

MUTANT(loss_of_tcp_untold, "MPA-8-01 MPA-8-12 DDP-6.2.2-01",
       "does not report to its ULP that TCP is lost", ulp_hears_of)
{
	return !(c->failure && strcmp(c->failure, "peer-closed") == 0) &&
	       OTHERWISE(ulp_hears_of);
}

MUTANT(reset_flushes_what_was_delivered, "DDP-5.4-01",
       "reports the Sends that its ULP has not fetched as flushed when TCP is "
       "lost",
       state_when_lost)
{
	for (struct event *event = c->events; event; event = event->next)
		if (event->op == OP_RECV && event->status == STATUS_OK)
			event->status = STATUS_FLUSHED;
	return OTHERWISE(state_when_lost);
}

MUTANT(reset_told_as_close, "MPA-8-01 DDP-6.2.2-01 MPA-8-12",
       "reports a reset of TCP to its ULP as an orderly close", state_when_lost)
{
	return CONN_CLOSED;
}
