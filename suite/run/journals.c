/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journals of a run: the one that it resumes, and the one that it writes,
 * which may be the same. Nothing is taken from one, and nothing written, before
 * the agent has told that it is the one it was.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/run/identity.h"

static bool take_head(void *user, const char *line, size_t n, char *why,
		      size_t cap)
{
	struct journals *j = user;

	return identity_is(j->run->identity, line, n, j->otherwise,
			   sizeof(j->otherwise), why, cap);
}

static bool take_resumed(void *user, struct record *r, const char *line,
			 size_t n)
{
	struct journals *j = user;
	struct run *run = j->run;
	const struct registry *reg = registry();

	for (size_t i = 0; i < reg->count; i++)
		if (strcmp(reg->instances[i].id, r->result.id) == 0) {
			/* What could not be told is tried again. */
			if (!run->plan.selected[i] ||
			    r->result.verdict == VERDICT_ERROR ||
			    r->result.verdict == VERDICT_BLOCKED)
				return false;
			run_forget(run, i); /* the last word counts */
			r->from_journal = true;
			run_keep(run, i, r, NULL, 0);
			if (j->copies && !j->why[0])
				journal_write(j->to, line, n, j->why,
					      sizeof(j->why));
			return true;
		}
	return false;
}

void journals_close(struct journals *j)
{
	if (j->from != j->to)
		journal_close(j->from);
	journal_close(j->to);
	j->run->journal = NULL;
	j->from = j->to = NULL;
}

bool journals_open(struct run *run, struct journals *j, char *why, size_t cap)
{
	const struct run_options *o = run->o;
	const char *to = o->journal ? o->journal : o->resume;
	const struct journal_reader reader = {.head = take_head, .user = j};

	*j = (struct journals){.run = run};
	if (!to)
		return true;
	run->identity = identity_of(o, run->bed->link->name);
	if (!run->identity) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	/* One that is not there yet is not made where it is to be read. */
	if (o->resume && o->journal && strcmp(o->resume, o->journal) != 0 &&
	    !(j->from = journal_open(o->resume, JOURNAL_READ, why, cap)))
		return false;
	if (j->from && journal_is(j->from, o->journal)) {
		journal_close(j->from);
		j->from = NULL;
	}
	j->to = journal_open(
		to, o->resume && !j->from ? JOURNAL_GO_ON : JOURNAL_WRITE, why,
		cap);
	if (o->resume && !j->from)
		j->from = j->to;
	if (j->to && (!j->from || journal_read(j->from, &reader, why, cap)))
		return true;
	journals_close(j);
	return false;
}

bool journals_begin(struct run *run, struct journals *j, char *why, size_t cap)
{
	struct journal_reader reader = {.head = take_head, .user = j};
	size_t before = run->finished;

	if (!j->to)
		return true;
	identity_add_agent(run->identity, run->bed);
	if (j->from && !journal_read(j->from, &reader, why, cap))
		return false;
	bool goes_on = j->from == j->to && journal_has_head(j->to);
	char *line = goes_on ? NULL : identity_line(run->identity);

	if (!goes_on && !line)
		snprintf(j->why, sizeof(j->why), "out of memory");
	else if (!goes_on)
		journal_begin(j->to, line, strlen(line), j->why,
			      sizeof(j->why));
	free(line);
	j->copies = j->from != j->to;
	reader.take = take_resumed;
	if (j->from && journal_has_head(j->from) &&
	    !journal_read(j->from, &reader, why, cap))
		return false;
	if (j->otherwise[0])
		run_says(run,
			 "the journal was begun with another choice of cases: "
			 "%s; %zu of this run's are in it",
			 j->otherwise, run->finished - before);
	if (j->why[0]) {
		run->suite_failed = true;
		run_note(run, j->why);
		return true;
	}
	run->journal = j->to;
	return true;
}
