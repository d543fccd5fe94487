/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Behind linear.h: linear.c looks for an order, linear_count.c for what can be
 * reported without one, linear_why.c for the reason where there is none.
 */
#ifndef SUITE_MODEL_LINEAR_INTERNAL_H
#define SUITE_MODEL_LINEAR_INTERNAL_H

#include "suite/model/linear/linear.h"

#define LINEAR_PROBES 16u

struct linear_search {
	const struct linear_history *h;

	/* What is asked. */
	unsigned orders;
	uint64_t horizon; /* what was sent later is not there; what was
			   * answered later need not be performed so far */
	uint64_t ends;    /* the words whose last values count, as a set */
	uint32_t early;   /* this operation counts as sent at early_at */
	uint64_t early_at;
	uint64_t steps; /* at most */

	/* Of the history: its operations as they were answered, the others last;
	 * the one before it in its stream, counted from one. */
	uint64_t *by_answer, *before;
	uint64_t *result; /* what those that were answered have left */

	/* Where the search is. */
	uint64_t *done, *value;        /* a set; words */
	uint64_t *path, *saved, *only; /* at each depth */
	unsigned due;                  /* reported and not done */
	uint64_t *memo;
	size_t entry, slots;
	uint64_t round; /* entries of others are old */
	uint64_t taken; /* steps */
};

/* False where the room does not do. */
bool linear_furnish(struct linear_search *s, const struct linear_history *h,
		    uint64_t steps, uint64_t *room, size_t numbers);

enum linear_answer linear_look(struct linear_search *s);

/*
 * What has to hold of any order, by counting alone: a value is found by no more
 * operations that change it than it stood there. True where it does not, with
 * the reason.
 */
bool linear_miscounts(const struct linear_history *h, struct linear_verdict *v);

/* The shortest beginning of it that has no order, and why. */
void linear_explain(struct linear_search *s, struct linear_verdict *v);

#endif
