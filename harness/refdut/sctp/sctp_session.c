/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the RFCs leave a choice: a DDP-SSN that was already received is
 * ignored, and so is one more than 32767 ahead, which cannot be distinguished
 * from it; a Terminate without a session is ignored; private data of a
 * Terminate is not read.
 */
#include "harness/refdut/sctp/sctp_session.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/sctp/session_decisions.h"

#include <stdlib.h>
#include <string.h>

/* RFC 5043 s5.2.1: they wrap like an SSN of SCTP. */
RULE(ssn_ahead)
{
	return (uint16_t)(ssn - order->next);
}

/* RFC 5043 s6.1: only between Accept and Terminate. */
RULE(segment_means)
{
	switch (phase) {
	case SESSION_OPEN:
		return NEWS_SEGMENT;
	case SESSION_CLOSING:
		return NEWS_NOTHING;
	default:
		return NEWS_STRAY;
	}
}

RULE(other_chunk_means)
{
	return phase == SESSION_CLOSING ? NEWS_NOTHING : NEWS_STRAY;
}

/* RFC 6581 s7: an Enhanced Initiate is answered with an enhanced message. */
RULE(code_accepts)
{
	return code == (enhanced ? CODE_ENHANCED_ACCEPT : CODE_ACCEPT);
}

enum ssn_place order_put(struct ssn_order *order, uint32_t ppid,
			 const uint8_t *octets, size_t n)
{
	struct chunk **at = &order->held;
	struct chunk *chunk;
	uint16_t ssn, ahead;

	if (n < SSN_SIZE)
		return SSN_NOT_THERE;
	ssn = be16(octets);
	ahead = ssn_ahead(order, ssn);
	if (ahead > UNACKNOWLEDGED_MAX)
		return SSN_PAST;
	while (*at && (uint16_t)((*at)->ssn - order->next) < ahead)
		at = &(*at)->next;
	if (*at && (*at)->ssn == ssn)
		return SSN_PAST;
	if (order->nheld == HELD_CHUNKS_MAX ||
	    order->octets + n > HELD_OCTETS_MAX)
		return SSN_TOO_MANY;
	chunk = alloc_zeroed(sizeof(*chunk) + n);
	chunk->ssn = ssn;
	chunk->ppid = ppid;
	chunk->n = (uint32_t)n;
	memcpy(chunk->octets, octets, n);
	chunk->next = *at;
	*at = chunk;
	order->nheld++;
	order->octets += n;
	return SSN_TAKEN;
}

struct chunk *order_take(struct ssn_order *order)
{
	struct chunk *chunk = order->held;

	if (!chunk || chunk->ssn != order->next)
		return NULL;
	order->held = chunk->next;
	order->nheld--;
	order->octets -= chunk->n;
	order->next++;
	return chunk;
}

void order_reset(struct ssn_order *order)
{
	while (order->held) {
		struct chunk *chunk = order->held;

		order->held = chunk->next;
		free(chunk);
	}
	*order = (struct ssn_order){0};
}

bool control_message_read(struct control_message *m, const uint8_t *octets,
			  size_t n)
{
	if (n < CODE_SIZE)
		return false;
	m->code = be16(octets);
	m->private_data = octets + CODE_SIZE;
	m->private_len = n - CODE_SIZE;
	return true;
}

static enum session_news judge_control(enum session_phase phase, bool enhanced,
				       unsigned code)
{
	bool initiate = code == CODE_INITIATE || code == CODE_ENHANCED_INITIATE;

	switch (phase) {
	case SESSION_NONE:
		return initiate                 ? NEWS_INITIATE
		       : code == CODE_TERMINATE ? NEWS_NOTHING
						: NEWS_STRAY;
	case SESSION_ASKING:
		if (code == CODE_TERMINATE)
			return NEWS_REFUSED;
		if (code_accepts(enhanced, code))
			return NEWS_ACCEPT;
		if (code == (enhanced ? CODE_ENHANCED_REJECT : CODE_REJECT))
			return NEWS_REJECT;
		return NEWS_STRAY;
	case SESSION_ASKED:
	case SESSION_OPEN:
		return code == CODE_TERMINATE ? NEWS_TERMINATE : NEWS_STRAY;
	case SESSION_CLOSING:
		return code == CODE_TERMINATE ? NEWS_TERMINATE : NEWS_NOTHING;
	default:
		return NEWS_STRAY;
	}
}

enum session_news session_judge(enum session_phase phase, bool enhanced,
				uint32_t ppid, const uint8_t *octets, size_t n)
{
	struct control_message m;

	if (ppid == PPID_SEGMENT)
		return segment_means(phase);
	if (ppid != PPID_CONTROL || !control_message_read(&m, octets, n))
		return other_chunk_means(phase);
	return judge_control(phase, enhanced, m.code);
}
