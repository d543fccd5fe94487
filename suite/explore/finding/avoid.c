/* SPDX-License-Identifier: BSD-2-Clause */
/* What the shortest program needs for its fault: later programs leave it out. */
#include "suite/explore/finding/finding.h"

#include <string.h>

/* Numbers of a step that do not characterize it: its stream and region, and
 * those that every step may have. */
static bool says_something(enum step_number n)
{
	return n != STEP_STREAM && n != STEP_REGION && n != STEP_OFF &&
	       n != STEP_LEN;
}

static struct avoided of_step(const struct step *s)
{
	struct avoided a = {.op = s->op, .fault = s->n[STEP_FAULT]};

	for (unsigned n = 0; n < STEP_NUMBERS; n++)
		if (s->n[n] && says_something(n))
			a.numbers |= 1u << n;
	return a;
}

/* A stream that nothing was done on yet. */
static struct avoided of_stream(const uint64_t *s)
{
	struct avoided a = {.stream = true, .fault = s[STREAM_FAULT]};

	for (unsigned n = 0; n < STREAM_NUMBERS; n++)
		if (s[n])
			a.numbers |= 1u << n;
	return a;
}

bool avoid_essence_of(const struct program *p, struct avoided *a)
{
	const struct step *s = NULL;

	for (unsigned i = 0; i < p->streams; i++)
		if (p->stream[i][STREAM_FAULT] || !p->steps) {
			*a = of_stream(p->stream[i]);
			return true;
		}
	for (unsigned i = 0, most = 0; i < p->steps; i++) {
		unsigned says_so = 1;

		for (unsigned n = 0; n < STEP_NUMBERS; n++)
			says_so += p->step[i].n[n] != 0;
		if (p->step[i].op != SETTLE && says_so >= most) {
			most = says_so;
			s = &p->step[i];
		}
	}
	if (s)
		*a = of_step(s);
	return s;
}

/* Whether it needs a step of no octets. */
static bool is_about_nothing(const struct program *p, shows_fn *does,
			     struct showing *s, const struct avoided *a)
{
	enum { SOME = 8 };
	static struct program trial;
	bool any = false;

	if (a->stream || !step_has(a->op, STEP_LEN))
		return false;
	memcpy(&trial, p, sizeof(trial));
	for (unsigned i = 0; i < trial.steps; i++)
		if (trial.step[i].op == a->op && !trial.step[i].n[STEP_LEN])
			trial.step[i].n[STEP_LEN] = SOME, any = true;
	program_fit(&trial);
	return any && !does(s, &trial);
}

void avoid_program(struct exploration *e, const struct program *p,
		   shows_fn *does, struct showing *s)
{
	struct avoided a;

	/* A step that could not be reduced does not show what it needs. */
	if (explore_ended || e->device_gone)
		return;
	if (!avoid_essence_of(p, &a) || e->how.avoids == AVOIDED_MOST) {
		e->at_an_end = true;
		return;
	}
	a.empty = is_about_nothing(p, does, s, &a);
	e->how.avoided[e->how.avoids++] = a;
}
