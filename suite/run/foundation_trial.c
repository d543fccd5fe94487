/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What cases stand on is tried before them, floor by floor: each case that
 * founds something once, and twice more where it did not hold, so that what
 * happens by chance is a failure of that case and no more. It falls where none
 * of its cases has ever held.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MORE_TRIES 2

enum { UNTRIED, FELL, HELD }; /* struct run.trial, by instance */

static const struct instance *instance_at(size_t index)
{
	return &registry()->instances[index];
}

static bool same_section(const struct req *a, const struct req *b)
{
	return strcmp(a->spec, b->spec) == 0 &&
	       strcmp(a->section, b->section) == 0;
}

/* What it was that did not hold, by a line of the case. */
static void tells(struct ground *ground, enum foundation f,
		  const struct result *r)
{
	for (size_t i = 0; i < r->broken_count; i++) {
		const struct req *broken = req_table;

		if (r->broken[i].by_model)
			continue;
		while (broken < req_table + REQ_COUNT &&
		       strcmp(broken->id, r->broken[i].requirement) != 0)
			broken++;
		for (unsigned q = 0; q < REQ_COUNT; q++)
			ground->told[f][q] |=
				broken == &req_table[q] ||
				(foundation_broad(f) &&
				 broken < req_table + REQ_COUNT &&
				 same_section(broken, &req_table[q]));
	}
}

bool trial_takes(struct run *run, const struct pending *p)
{
	uint8_t *trial = &run->trial[p->index];
	const struct result *r = &p->record.result;
	bool first = !run->on_trial[p->index];

	if (!run->trying)
		return false;
	run->on_trial[p->index] = true;
	if (record_fell(r)) {
		if (*trial != HELD)
			*trial = FELL;
		tells(run->ground, instance_at(p->index)->desc->founds, r);
		if (r->blocked_by)
			run->blocker[p->index] = r->blocked_by;
	} else if (r->verdict != VERDICT_SKIP && r->verdict != VERDICT_ERROR) {
		*trial = HELD;
	}
	return !first || !run->plan.selected[p->index] || run->done[p->index];
}

/* The id of a case, as it lives with the registry. */
static const char *lasting(const char *id)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (strcmp(instance_at(i)->id, id) == 0)
			return instance_at(i)->id;
	return id;
}

static bool is_tried(const struct run *run, size_t index, unsigned floor)
{
	const struct instance *in = instance_at(index);

	return in->desc->founds &&
	       foundation_floor(in->desc->founds) == floor &&
	       !plan_is_alone(run->o, in) &&
	       plan_is_applicable(run->o, in, run->bed->claims,
				  run->bed->link->caps);
}

/* What the tries came to, for one more of the ways of a foundation. */
static void settle(struct run *run, size_t index)
{
	const struct case_desc *d = instance_at(index)->desc;
	struct footing *at =
		&run->ground->at[instance_at(index)->role][d->founds];
	bool held = run->trial[index] == HELD;
	bool stands = at->told_by && !at->fallen;
	const char *by = !held && run->blocker[index]
				 ? lasting(run->blocker[index])
				 : instance_at(index)->id;

	if (run->trial[index] == UNTRIED ||
	    (held == stands && at->told_by && d->way >= at->way))
		return;
	if (stands && !held) {
		if (d->way < at->way)
			at->better_by = by;
		return;
	}
	if (held && at->fallen && at->way < d->way)
		at->better_by = at->told_by;
	at->way = (uint8_t)d->way;
	at->fallen = !held;
	at->told_by = by;
}

bool trial_open(struct run *run)
{
	size_t n = registry()->count;

	run->ground = mmap(NULL, sizeof(*run->ground), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run->trial = calloc(n, sizeof(*run->trial));
	run->on_trial = calloc(n, sizeof(*run->on_trial));
	run->blocker = calloc(n, sizeof(*run->blocker));
	if (run->ground == MAP_FAILED)
		run->ground = NULL;
	return run->ground && run->trial && run->on_trial && run->blocker;
}

void trial_queue(struct run *run, unsigned floor)
{
	run->trying = true;
	for (size_t i = 0; i < registry()->count; i++)
		if (is_tried(run, i, floor))
			pool_queue(run, i);
}

void trial_queue_again(struct run *run, unsigned floor)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (is_tried(run, i, floor) && run->trial[i] == FELL &&
		    !run->blocker[i])
			for (unsigned k = 0; k < MORE_TRIES; k++)
				pool_queue(run, i);
}

void trial_settle(struct run *run, unsigned floor)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (is_tried(run, i, floor))
			settle(run, i);
	run->trying = false;
}
