/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before the cases that depend on them, the run tries the foundations: each
 * case that tests a foundation runs once, and twice more if it fails, so that a
 * chance failure is a failure of this case and no more. A foundation has fallen
 * if none of its cases ever passed.
 *
 * The trial goes floor by floor, with the fallen foundations below known. From
 * the fifth floor on, a round before that tries all floors side by side, as if
 * every foundation held, so that the waits for a device that leaves much
 * unanswered overlap. The round starts no more cases once as many have waited
 * in vain as there are workers. It did not know the foundations that fell below
 * it: these cases are tried again in the role in which a foundation has fallen.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MORE_TRIES 2

enum { UNTRIED, FELL, HELD };

struct trial {
	uint8_t came; /* the results of its tries */
	bool has_run;
	bool is_due;         /* to be tried again, whatever its result */
	bool counted;        /* the case already has a result of the run */
	bool is_held_back;   /* kept until the lower floors are settled: */
	struct record first; /* the result of the first round */
	const char *blocker; /* the case that BLOCKED it */
	bool is_aside;       /* nobody selected it: */
	struct record aside; /* its first result, which may block others */
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

/* Record which of the case's lines failed. */
static void tells(struct ground *ground, enum foundation f,
		  const struct result *r)
{
	for (size_t i = 0; i < r->broken_count; i++) {
		const struct req *broken = req_find(r->broken[i].requirement);

		for (unsigned q = 0;
		     broken && !r->broken[i].by_model && q < REQ_COUNT; q++)
			ground->told[f][q] |=
				broken == &req_table[q] ||
				(foundation_broad(f) &&
				 same_section(broken, &req_table[q]));
	}
}

/* The id of a case in the registry, which outlives that of a record. NULL:
 * none. */
static const char *lasting(const char *id)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (strcmp(instance_at(i)->id, id) == 0)
			return instance_at(i)->id;
	return NULL;
}

/* This result becomes the case's result. */
static bool counts(const struct run *run, size_t index)
{
	return !run->trial[index].counted && run->plan.selected[index] &&
	       !run->done[index];
}

/* What is wrong in every stream is known from then on. It has to be in the run's
 * results for that. */
static void is_so_always(struct run *run, size_t index, const struct result *r)
{
	const struct instance *in = instance_at(index);

	for (size_t i = 0; i < r->broken_count; i++) {
		const struct req *row = req_find(r->broken[i].requirement);

		if (r->broken[i].by_model && row &&
		    founds_always(in->desc->founds,
				  (unsigned short)(row - req_table)))
			run->ground->always[in->role][row - req_table] = true;
	}
}

/* A result that does not count, unless the case turns out to block others. */
static void put_aside(struct run *run, const struct pending *p)
{
	struct trial *trial = &run->trial[p->index];
	struct record r = p->record;

	if (run->plan.selected[p->index] || trial->is_aside) {
		record_release(&r);
		return;
	}
	trial->is_aside = true;
	trial->aside = r;
}

/* With the fallen foundations below known. False: not a result of the run. */
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
		/* A suspect of a crash runs again. */
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
		put_aside(run, p);
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

/* The results of the tries, for one more way to test a foundation. */
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

/* Something in the role of these that the first round could not know. */
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

/* Use the results of the first round, now that the fallen foundations are
 * known. */
static void reconsider(struct run *run, size_t index)
{
	struct trial *trial = &run->trial[index];
	const struct pending p = {index, trial->first};

	if (!trial->is_held_back)
		return;
	trial->is_held_back = false;
	if (has_fallen_since(run->ground->at[instance_at(index)->role])) {
		/* The case has waited in full; the next run is one more try. */
		trial->has_run = trial->is_due = trial->came == FELL;
		trial->came = UNTRIED;
		record_release(&trial->first);
	} else if (believe(run, &p)) {
		run_accept(run, &p);
	} else {
		put_aside(run, &p);
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

static bool blocks(const struct run *run, const char *id)
{
	for (size_t i = 0; i < registry()->count; i++) {
		const struct result *r = &run->records[i].result;

		if (run->done[i] && r->blocked_by &&
		    strcmp(r->blocked_by, id) == 0)
			return true;
	}
	return false;
}

/* Its result belongs to the run. */
static void show(struct run *run, size_t index)
{
	struct trial *trial = &run->trial[index];

	trial->is_aside = false;
	run->plan.selected[index] = true;
	run->plan.selected_count++;
	run->plan.order[run->plan.count++] = (uint32_t)index;
	run_accept(run, &(const struct pending){index, trial->aside});
}

void trial_show_blockers(struct run *run)
{
	bool more = !run->o->shards;

	/* What is shown may be BLOCKED itself. */
	while (more) {
		more = false;
		for (size_t i = 0; i < registry()->count; i++)
			if (run->trial[i].is_aside &&
			    blocks(run, instance_at(i)->id)) {
				show(run, i);
				more = true;
			}
	}
}

void trial_close(struct run *run)
{
	/* The run was ended meanwhile. */
	for (size_t i = 0; i < registry()->count; i++)
		if (run->trial[i].is_held_back)
			record_release(&run->trial[i].first);
	run->trying = NO_TRIAL;
}
