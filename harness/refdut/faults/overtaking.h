/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that overtakes the work posted before it (RFC 5040 s5.5 item 13). */
#ifndef HARNESS_REFDUT_FAULTS_OVERTAKING_H
#define HARNESS_REFDUT_FAULTS_OVERTAKING_H

#include "harness/refdut/conn.h"

/* Exchange the work that waits and the work posted after it. False: the latter
 * does not exist, needs an answer, or must not overtake. */
static inline bool let_pass(struct conn *c)
{
	struct work *work = c->unsent, *next = work->next;
	struct work **at = &c->work;

	if (!next || next->fence || work->paired || next->paired ||
	    work_needs_answer(next) || next->status != STATUS_NONE)
		return false;
	while (*at != work)
		at = &(*at)->next;
	if (c->work_end == &next->next)
		c->work_end = &work->next;
	work->next = next->next;
	next->next = work;
	*at = c->unsent = next;
	return true;
}

#endif
