/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that share octets of a region are kept apart. */
#include "suite/explore/perform/performer.h"

/* One that has to be waited for longest. */
static const struct span *overlapped(const struct spans *s, struct span a)
{
	const struct span *found = NULL;

	for (unsigned i = 0; i < s->n; i++) {
		const struct span *b = &s->span[i];

		if (a.from >= b->to || b->from >= a.to)
			continue;
		if (b->received)
			return b;
		if (!found || b->by_device)
			found = b;
	}
	return found;
}

static void add_span(struct spans *s, struct span a)
{
	for (unsigned i = 0; a.atomic && i < s->n; i++)
		if (s->span[i].atomic && s->span[i].from == a.from)
			return;
	s->span[s->n++] = a;
}

void perform_keep_apart(struct performer *w, struct on_one *on,
			const struct step *s)
{
	unsigned region = step_region(s);
	struct span a = {.from = s->n[STEP_OFF],
			 .to = s->n[STEP_OFF] + step_span(s),
			 .by_device = s->op == DUT_READS,
			 .received = s->n[STEP_INTO],
			 .atomic = s->op == PEER_ADDS || s->op == PEER_SWAPS};
	bool places = s->op == PEER_WRITES || a.by_device || a.received;
	const struct span *b;

	if (region == PROGRAM_REGIONS || a.from == a.to)
		return;
	struct spans *writing = &w->writing[region];

	if ((a.received || a.by_device) && on->writes) {
		perform_settle(w, on);
		perform_show_writes(w, on);
	}
	b = overlapped(writing, a);
	/* The same if there is no room for one more. */
	if ((b && (b->received || (places && b->by_device))) ||
	    ((places || a.atomic) && writing->n == PERFORM_SPANS))
		perform_settle(w, on);
	else if (b && places)
		perform_fence(w, on);
	if (places || a.atomic)
		add_span(writing, a);
}
