/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a case waits. What has to come, comes within bed->wait_ns of what
 * it answers. So once a wait has passed for nothing, and the case has done
 * nothing since and nothing has come, all that could come is there already: no
 * second wait tells more, and a failure costs one.
 *
 * Where it can blame nobody, or the like has not come before, a case is not
 * waited for in full: a part of the wait is enough for what comes at all. And
 * one that rests on what has fallen ends with the first wait in vain.
 *
 * On a link that loses packets each wait is a full one: whoever sends again
 * what was lost needs the time.
 *
 * An agent that has left a verb unanswered in case after case, and answered it
 * in none between, is not waited for in full again until it does: what rests
 * on that verb is an ERROR, which accuses nobody, and a cheap one.
 *
 * A wait begins when it is begun, whatever happened to this process before;
 * only one that was waited to its end counts as in vain.
 */
#include "suite/language/execution/execution.h"

#include "harness/link/clock.h"

/* Of a wait, in a case that rests on what has fallen, or on an agent's answer
 * that does not come. */
#define RESTING_PART 16u

/* Grows with all that the case does, and all that comes on the wire. */
static uint64_t happened(const struct test *t)
{
	uint64_t n = t->acts + t->streams;

	for (unsigned i = 0; i < t->streams; i++) {
		const struct stream *s = &t->stream[i];
		const struct peer *p = &s->peer;

		if (s->live)
			n += 1 + p->conn->sent + p->conn->received +
			     p->fin_sent + p->reset_sent + p->fin_seen +
			     p->reset_seen;
	}
	return n;
}

/* The same, with all that the agent tells. */
static uint64_t happened_or_told(const struct test *t)
{
	uint64_t n = happened(t) + t->told;

	for (unsigned i = 0; i < t->streams; i++)
		n += t->stream[i].event_count;
	return n;
}

/* Begins a wait of so many ns. */
static uint64_t until(const struct test *t, uint64_t ns)
{
	const struct testbed *bed = t->bed;
	uint64_t deadline = clock_now_ns() + ns;

	/* An agent, and a startup that fails, may take as long again. */
	if (bed->waiting)
		bed->waiting->until =
			deadline + bed->wait_ns +
			bed->hello.startup_timeout_ms * 1000000ull;
	return deadline;
}

uint64_t test_deadline(const struct test *t)
{
	return until(t, t->bed->wait_ns);
}

uint64_t impatient_deadline(const struct test *t)
{
	return until(t, t->bed->wait_ns / RESTING_PART);
}

uint64_t wait_lasts(const struct test *t)
{
	const struct testbed *bed = t->bed;
	bool brief = bed->brief || t->shaken_by ||
		     (t->in->desc->founds && t->in_vain) ||
		     (bed->ground && bed->ground->again);

	/* What was lost is sent again after a second, at worst. */
	brief &= !bed->patience || !bed->patience->lost;
	return bed->wait_ns / (test_rests_on_fallen(t) ? RESTING_PART
			       : brief                 ? WAIT_BRIEF_PART
						       : 1);
}

uint64_t wait_deadline(const struct test *t)
{
	return until(t, wait_lasts(t));
}

void test_acts(struct test *t)
{
	t->acts++;
}

void wait_at_ease(const struct test *t)
{
	if (t->bed->waiting)
		t->bed->waiting->at_ease = true;
}

uint64_t wait_begins(const struct test *t)
{
	/* So may whoever waits for what has come to nothing several times. */
	if (test_rests_on_fallen(t) || stream_left_unread(t))
		wait_at_ease(t);
	return t->in_vain && t->in_vain_at == happened_or_told(t)
		       ? CLOCK_NOW
		       : wait_deadline(t);
}

void wait_in_vain(struct test *t, uint64_t deadline)
{
	/* Agents wait for whole milliseconds. */
	if (deadline == CLOCK_NOW ||
	    clock_now_ns() + 2 * CLOCK_NS_PER_MS < deadline)
		return;
	t->in_vain = true;
	t->in_vain_at = happened_or_told(t);
	if (!test_rests_on_fallen(t))
		return;
	test_blames_its_ground(t);
	longjmp(t->out, 1);
}

/* What is told now may have been so before the question: only what comes on
 * the wire makes it worth another. */
void stream_is_deaf(const struct test *t, struct stream *s)
{
	s->deaf = true;
	s->deaf_at = happened(t);
}

bool stream_was_deaf(const struct test *t, const struct stream *s)
{
	return s->deaf && s->deaf_at == happened(t);
}
