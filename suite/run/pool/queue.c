/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases that run at another time than planned, in their order. */
#include "suite/run/pool/pool.h"

#include <assert.h>
#include <stdlib.h>

bool queue_is_empty(const struct case_queue *q)
{
	return q->from == q->to;
}

void queue_add(struct run *run, struct case_queue *q, size_t index)
{
	if (q->to == q->cap) {
		size_t cap = q->cap ? 2 * q->cap : RUN_WORKERS;
		uint32_t *grown = realloc(q->index, cap * sizeof(*grown));

		if (!grown) {
			run_settle(run, index, VERDICT_ERROR, CAUSE_SUITE,
				   "out of memory");
			return;
		}
		q->index = grown;
		q->cap = cap;
	}
	q->index[q->to++] = (uint32_t)index;
}

size_t queue_take(struct case_queue *q)
{
	return q->index[q->from++];
}

void pool_queue(struct run *run, size_t index)
{
	queue_add(run, &run->again, index);
}

void pool_queue_calm(struct run *run, size_t index)
{
	queue_add(run, &run->calm, index);
}

void pool_forget_queued(struct run *run)
{
	run->again.from = run->again.to;
}

void pool_queue_alone(struct run *run, size_t index)
{
	queue_add(run, &run->alone, index);
}

void pool_queue_again(struct run *run, size_t index)
{
	assert(run->alone.from > 0);
	run->alone.index[--run->alone.from] = (uint32_t)index;
}

bool pool_has_more(const struct run *run)
{
	return !queue_is_empty(&run->alone);
}
