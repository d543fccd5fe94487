/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What cases stand on is tried before them: each case that founds something
 * once, and twice more where it did not hold, so that what happens by chance
 * is a failure of that case and no more. It falls where none of its cases has
 * ever held.
 *
 * It goes floor by floor, with what has fallen below known. From the fifth
 * floor on there is a round before that, which tries all of them side by side,
 * as if everything stood, so that a device which leaves much unanswered is
 * waited for once; when as many have waited in vain as there is room for, it
 * begins nothing more. What is seen to have fallen below it then, it did not
 * know, and all of it is tried anew in the role that it has fallen in.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MORE_TRIES 2

enum { UNTRIED, FELL, HELD };

struct trial {
	uint8_t came; /* what its tries came to */
	bool has_run;
	bool is_due;         /* to be tried again, whatever it came to */
	bool counted;        /* a result of the run has come of them */
	bool is_held_back;   /* until it is known what has fallen below: */
	struct record first; /* what came of the first round */
	const char *blocker; /* which case it was BLOCKED by */
};

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

/* The id of a case, as it lives with the registry: that of a record does not
 * outlive it. NULL: there is none. */
static const char *lasting(const char *id)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (strcmp(instance_at(i)->id, id) == 0)
			return instance_at(i)->id;
	return NULL;
}

/* What it came to is the case's result. */
static bool counts(const struct run *run, size_t index)
{
	return !run->trial[index].counted && run->plan.selected[index] &&
	       !run->done[index];
}

static const struct req *row_of(const char *id)
{
	const struct req *r = req_table;

	while (r < req_table + REQ_COUNT && strcmp(r->id, id) != 0)
		r++;
	return r < req_table + REQ_COUNT ? r : NULL;
}

/* A value that is wrong in each startup frame is no news from then on. It has
 * to be in the run's results to be known. */
static void is_so_always(struct run *run, size_t index, const struct result *r)
{
	const struct instance *in = instance_at(index);

	for (size_t i = 0;
	     founds_startup(in->desc->founds) && i < r->broken_count; i++) {
		const struct req *row = row_of(r->broken[i].requirement);

		if (r->broken[i].by_model && row)
			run->ground->always[in->role][row - req_table] = true;
	}
}

/* With what has fallen below known: false, if it is no result of the run. */
static bool believe(struct run *run, const struct pending *p)
{
	struct trial *trial = &run->trial[p->index];
	const struct result *r = &p->record.result;
	bool result = counts(run, p->index);

	if (record_fell(r)) {
		tells(run->ground, instance_at(p->index)->desc->founds, r);
		if (r->blocked_by)
			trial->blocker = lasting(r->blocked_by);
	}
	if (result)
		is_so_always(run, p->index, r);
	trial->counted = true;
	return result;
}

bool trial_takes(struct run *run, struct pending *p)
{
	struct trial *trial = &run->trial[p->index];
	const struct result *r = &p->record.result;

	if (run->trying == NO_TRIAL)
		return false;
	trial->has_run = true;
	if (record_fell(r) && trial->came != HELD)
		trial->came = FELL;
	else if (!record_fell(r) && r->verdict != VERDICT_SKIP &&
		 r->verdict != VERDICT_ERROR)
		trial->came = HELD;
	if (run->trying == FIRST_ROUND) {
		/* As a suspect of a crash it runs again. */
		if (trial->is_held_back)
			record_release(&trial->first);
		trial->is_held_back = true;
		trial->first = p->record;
		run->vain +=
			record_fell(r) && r->duration_ns >= run->wo.wait_ns;
		if (run->vain >= run->most)
			pool_forget_queued(run);
		return true;
	}
	bool result = believe(run, p);

	if (!result)
		record_release(&p->record);
	return !result;
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
	const struct trial *trial = &run->trial[index];
	struct footing *at =
		&run->ground->at[instance_at(index)->role][d->founds];
	bool held = trial->came == HELD;
	bool stands = at->told_by && !at->fallen;
	const char *by = !held && trial->blocker ? trial->blocker
						 : instance_at(index)->id;

	if (trial->came == UNTRIED ||
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

/* Something that a first round could not know of, in the role of these. */
static bool has_fallen_since(const struct footing *at)
{
	for (unsigned f = STANDS_ALONE + 1; f < FOUNDATION_COUNT; f++)
		if (foundation_floor(f) >= FLOORS_APART &&
		    (at[f].fallen || at[f].better_by))
			return true;
	return false;
}

bool trial_open(struct run *run)
{
	run->ground = mmap(NULL, sizeof(*run->ground), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run->trial = calloc(registry()->count, sizeof(*run->trial));
	if (run->ground == MAP_FAILED)
		run->ground = NULL;
	return run->ground && run->trial;
}

void trial_queue_all(struct run *run)
{
	run->trying = FIRST_ROUND;
	for (unsigned f = FLOORS_APART; f < FOUNDATION_FLOORS; f++)
		for (size_t i = 0; i < registry()->count; i++)
			if (is_tried(run, i, f))
				pool_queue(run, i);
}

/* What the first round came to, now that it is known what has fallen. */
static void reconsider(struct run *run, size_t index)
{
	struct trial *trial = &run->trial[index];
	const struct pending p = {index, trial->first};

	if (!trial->is_held_back)
		return;
	trial->is_held_back = false;
	if (has_fallen_since(run->ground->at[instance_at(index)->role])) {
		/* What fell has been waited for: the next is one more try. */
		trial->has_run = trial->is_due = trial->came == FELL;
		trial->came = UNTRIED;
		record_release(&trial->first);
	} else if (believe(run, &p)) {
		run_accept(run, &p);
	} else {
		record_release(&trial->first);
	}
}

void trial_queue_floor(struct run *run, unsigned floor)
{
	run->trying = BY_FLOORS;
	for (size_t i = 0; i < registry()->count; i++) {
		if (!is_tried(run, i, floor))
			continue;
		reconsider(run, i);
		if (!run->trial[i].has_run)
			pool_queue(run, i);
	}
}

void trial_queue_again(struct run *run, unsigned floor)
{
	run->ground->again = true;
	for (size_t i = 0; i < registry()->count; i++)
		if (is_tried(run, i, floor) && !run->trial[i].blocker &&
		    (run->trial[i].is_due || run->trial[i].came == FELL))
			for (unsigned k = 0; k < MORE_TRIES; k++)
				pool_queue(run, i);
}

void trial_settle(struct run *run, unsigned floor)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (is_tried(run, i, floor))
			settle(run, i);
	run->ground->again = false;
}

void trial_close(struct run *run)
{
	/* Of a run that was ended meanwhile. */
	for (size_t i = 0; i < registry()->count; i++)
		if (run->trial[i].is_held_back)
			record_release(&run->trial[i].first);
	run->trying = NO_TRIAL;
}
