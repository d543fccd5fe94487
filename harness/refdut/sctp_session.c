/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the texts leave a choice: a DDP-SSN that has been is passed over, as is
 * one more than 32767 ahead, which cannot be told from it; a Terminate without
 * a session says nothing; private data of a Terminate is not looked at.
 */
#include "harness/refdut/sctp_session.h"
#include "harness/refdut/buf.h"
#include "harness/refdut/mutants.h"

#include <stdlib.h>
#include <string.h>

enum ssn_place order_put(struct ssn_order *order, uint32_t ppid,
			 const uint8_t *octets, size_t n)
{
	struct chunk **at = &order->held;
	struct chunk *chunk;
	uint16_t ssn, ahead;

	if (n < SSN_SIZE)
		return SSN_NOT_THERE;
	ssn = be16(octets);
	ahead = (uint16_t)(ssn - order->next);
	if (ahead > UNACKNOWLEDGED_MAX)
		return SSN_PAST;
	if (ahead > 1000 && mutant(MUTANT_ssn_gap_has_room_made))
		mutant_crash("no room for the chunks before this one");
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
		if (code == (enhanced ? CODE_ENHANCED_ACCEPT : CODE_ACCEPT) ||
		    (enhanced && code == CODE_ACCEPT &&
		     mutant(MUTANT_plain_accept_of_enhanced_taken)) ||
		    (!enhanced && code == CODE_ENHANCED_ACCEPT &&
		     mutant(MUTANT_enhanced_accept_of_plain_taken)))
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

	if (ppid == PPID_SEGMENT &&
	    (phase == SESSION_OPEN ||
	     (phase == SESSION_LEFT &&
	      mutant(MUTANT_segments_behind_terminate_taken))))
		return NEWS_SEGMENT;
	if (ppid == PPID_SEGMENT && phase == SESSION_ASKING &&
	    mutant(MUTANT_segment_taken_for_accept))
		return NEWS_ACCEPT;
	if (ppid != PPID_CONTROL || !control_message_read(&m, octets, n))
		return phase == SESSION_CLOSING ? NEWS_NOTHING : NEWS_STRAY;
	return judge_control(phase, enhanced, m.code);
}
