/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of linear.h: linear.c searches for an order; linear_count.c finds
 * contradictions without a search; linear_why.c finds the reason if there is no
 * order.
 */
#ifndef SUITE_MODEL_LINEAR_INTERNAL_H
#define SUITE_MODEL_LINEAR_INTERNAL_H

#include "suite/model/linear/linear.h"

#define LINEAR_PROBES 16u

struct linear_search {
	const struct linear_history *h;

	/* The question. */
	unsigned orders;
	uint64_t horizon; /* operations sent later do not exist; operations
			   * answered later need not be performed so far */
	uint64_t ends;    /* the words whose last values count, as a set */
	uint32_t early;   /* this operation counts as sent at early_at */
	uint64_t early_at;
	uint64_t steps; /* at most */

	/* About the history: its operations in the order of their answers,
	 * those without one last; the previous one in its stream, counted from
	 * one. */
	uint64_t *by_answer, *before;
	uint64_t *result; /* the values that the answered ones have left */

	/* The position of the search. */
	uint64_t *done, *value;        /* a set; words */
	uint64_t *path, *saved, *only; /* at each depth */
	unsigned due;                  /* reported and not performed */
	uint64_t *memo;
	size_t entry, slots;
	uint64_t round; /* entries of other searches are old */
	uint64_t taken; /* steps */
};

/* False: the room is not sufficient. */
bool linear_furnish(struct linear_search *s, const struct linear_history *h,
		    uint64_t steps, uint64_t *room, size_t numbers);

enum linear_answer linear_look(struct linear_search *s);

/*
 * A property of every order, by counting alone: a value is not found by more
 * operations that change it than the word had it. True: violated, with the
 * reason.
 */
bool linear_miscounts(const struct linear_history *h, struct linear_verdict *v);

/* The shortest beginning without an order, and the reason. */
void linear_explain(struct linear_search *s, struct linear_verdict *v);

#endif
