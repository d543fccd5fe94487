/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checks of an untagged segment before its payload is placed (RFC 5041
 * s7.1).
 *
 * Where the RFCs leave a choice:
 * - TCP keeps the order, so the only MSN in range is the one expected;
 * - the order of checks is queue, MSN, buffer, MO, length;
 * - a Send without a posted buffer is an error at once;
 * - Immediate Data needs a posted buffer of at least its eight octets.
 */
#include "harness/refdut/ddp/untagged_decisions.h"

#include "harness/refdut/agent/features.h"

/* Item 1. RFC 5040 s4.1 has queues 0 to 2, RFC 7306 s5.2.2 queue 3. */
static bool qn_is_valid(uint32_t qn)
{
	return qn < QUEUES && (qn != 3 || feature_atomics());
}

/* Item 5. */
RULE(msn_is_due)
{
	return msn == c->queue[qn].msn;
}

bool msn_is_ahead(const struct conn *c, uint32_t qn, uint32_t msn)
{
	uint32_t buffers = qn == 0   ? c->nreceives
			   : qn == 1 ? c->agreed.ird
			   : qn == 2 ? 2
				     : 0;

	return msn - c->queue[qn].msn < buffers;
}

static unsigned atomics_outstanding(const struct conn *c)
{
	unsigned n = 0;

	for (const struct work *work = c->work; work && work != c->unsent;
	     work = work->next)
		n += work_needs_answer(work) && work->op != OP_READ &&
		     work->begun && !work->answered;
	return n;
}

/* Item 2. The ULP posts receives; IRD limits Requests (RFC 5040 s6.1); a
 * Terminate always has its buffer. */
RULE(buffer_posted)
{
	switch (qn) {
	case 0:
		return c->receives;
	case 1:
		/* A Read may be the RTR even if IRD is 0 (RFC 6581 s9.2). */
		return c->inbound < c->agreed.ird ||
		       (first && c->agreed.peer_to_peer);
	case 2:
		return true;
	default:
		return atomics_outstanding(c);
	}
}

RULE(buffer_size)
{
	if (qn_of(u) != 0)
		return OWN_BUFFER;
	return c->receives ? c->receives->len : 0;
}

/* Items 3 and 4. */
RULE(mo_flaw)
{
	if (mo > size || (mo == size && n))
		return INVALID_MO;
	return mo + n > size ? MESSAGE_TOO_LONG : UNTAGGED_FINE;
}

RULE(untagged_range_flaw)
{
	return mo_flaw(mo_of(u), n, size);
}

RULE(untagged_error_code)
{
	return error;
}

RULE(untagged_refused)
{
	fault(c, ERR_DDP_UNTAGGED, untagged_error_code(c, error, u), u, len,
	      NULL);
}

static enum untagged_error untagged_flaw_of(const struct conn *c,
					    const uint8_t *u, uint32_t len,
					    bool first)
{
	uint32_t qn = qn_of(u);

	if (!qn_is_valid(qn))
		return INVALID_QN;
	if (!msn_is_due(c, qn, msn_of(u)))
		return MSN_OUT_OF_RANGE;
	if (!c->queue[qn].open && !buffer_posted(c, qn, first))
		return NO_BUFFER;
	return untagged_range_flaw(c, u, len - UNTAGGED_HEADER,
				   buffer_size(c, u));
}

bool untagged_checked(struct conn *c, const uint8_t *u, uint32_t len,
		      bool first)
{
	enum untagged_error error = untagged_flaw_of(c, u, len, first);

	if (error == UNTAGGED_FINE)
		return true;
	untagged_refused(c, error, u, len);
	return false;
}

/* DDP does not compare the segments of a message: the header of the last one
 * counts (RFC 5041 s4.3). */
RULE(segments_agree)
{
	return true;
}
