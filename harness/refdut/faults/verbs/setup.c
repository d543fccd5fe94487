/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults of what the ULP may ask of a connection, and learns of it (RFC 6581
 * s9.1, RFC 5043 s5.2.3, s6). */
#include "harness/refdut/verbs/setup_decisions.h"
#include "harness/refdut/decision/override.h"

MUTANT(enhanced_private_data_of_512, "SCTPX-6581.7-05",
       "accepts 512 octets of private data from its ULP in addition to the "
       "enhanced data",
       private_data_limit)
{
	return sctp && enhanced ? STARTUP_PRIVATE_MAX
				: OTHERWISE(private_data_limit);
}

MUTANT(private_data_of_516_sent, "SCTPX-5.2.3-08",
       "accepts up to 516 octets of private data from its ULP, and sends them",
       private_data_limit)
{
	return sctp ? STARTUP_PRIVATE_ROOM : OTHERWISE(private_data_limit);
}

MUTANT(excess_initiate_accepted, "SCTPX-5.2.3-12 SCTPX-6.4-01 SCTPX-6.4-02",
       "accepts Initiates that its ULP does not wait for as it accepted the "
       "last one",
       session_taken)
{
	struct conn *c = OTHERWISE(session_taken);

	if (c || !s->listeners)
		return c;
	c = conn_invite(&s->listeners->params, s, &s->job);
	session_adopt(s, c);
	return c;
}

MUTANT(own_depths_told_as_theirs, "EMPA-9.1-04 EMPA-9.1-05 EMPA-9.1-06",
       "reports its own IRD and ORD to its ULP as the peer's", reported_depths)
{
	return (struct depths){c->params.ird, c->params.ord};
}

MUTANT(accepted_session_told_as_rejected, "SCTPX-6.2-04",
       "reports a session that was accepted to its ULP as rejected",
       reported_state)
{
	state = OTHERWISE(reported_state);
	return c->sctp && state == CONN_ESTABLISHED ? CONN_REJECTED : state;
}

MUTANT(enhanced_session_told_as_rejected, "SCTPX-6.2-04",
       "reports an enhanced session that was accepted to its ULP as rejected",
       reported_state)
{
	state = OTHERWISE(reported_state);
	return c->sctp && c->agreed.enhanced && state == CONN_ESTABLISHED
		       ? CONN_REJECTED
		       : state;
}

MUTANT(enhanced_initiate_untold, "SCTPX-6581.7-09",
       "accepts an Enhanced Initiate and does not report it to its ULP",
       connection_is_reported)
{
	return !(c->sctp && c->agreed.enhanced) &&
	       OTHERWISE(connection_is_reported);
}
