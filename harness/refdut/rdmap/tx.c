/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides what is sent next (RFC 5040 s5.5). Messages leave one after the
 * other, never interleaved. Octets are collected in one buffer up to OUT_HIGH
 * and handed to the LLP together; a Terminate follows the octets in it.
 *
 * Where the RFCs leave a choice: a Response goes before waiting work requests,
 * because it frees a slot of the peer.
 */
#include "harness/refdut/rdmap/tx.h"
#include "harness/refdut/rdmap/tx_decisions.h"

enum { OUT_HIGH = 128 << 10 };

RULE(more_may_be_put)
{
	return buf_len(&c->out) < OUT_HIGH;
}

RULE(turn_is_over)
{
	return false;
}

RULE(put_next)
{
	bool work_begun = c->unsent && c->unsent->begun;

	if (c->in_response || (c->answering && !work_begun))
		return tx_step_response(c) && !turn_is_over(c);
	return c->unsent && tx_step_work(c);
}

void tx_pump(struct conn *c)
{
	/* The path may have changed in the middle of a message (RFC 5044
	 * s4.5). */
	if (c->in_response || (c->unsent && c->unsent->begun))
		tx_refresh_mulpdu(c);
	while (c->released && c->phase != PHASE_DRAIN && !c->turn_over &&
	       more_may_be_put(c) && put_next(c))
		continue;
}
