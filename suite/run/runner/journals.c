/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The journals of a run: those that it resumes, and the one that it writes,
 * which may be one of them. Nothing is taken over or written before the agent
 * has confirmed that the run is the same.
 */
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "suite/run/journal/identity.h"

static bool take_head(void *user, const char *line, size_t n, char *why,
		      size_t cap)
{
	struct journals *j = user;
	char otherwise[sizeof(j->otherwise) / 2];
	size_t at = strlen(j->otherwise);

	if (!identity_is(j->run->identity, line, n, otherwise,
			 sizeof(otherwise), why, cap))
		return false;
	if (!strstr(j->otherwise, otherwise))
		snprintf(j->otherwise + at, sizeof(j->otherwise) - at, "%s%s",
			 at ? ", " : "", otherwise);
	return true;
}

static bool take_resumed(void *user, struct record *r, const char *line,
			 size_t n)
{
	struct journals *j = user;
	struct run *run = j->run;
	const struct registry *reg = registry();

	for (size_t i = 0; i < reg->count; i++)
		if (strcmp(reg->instances[i].id, r->result.id) == 0) {
			/* A case that could not be judged runs again. */
			if (!run->plan.selected[i] ||
			    r->result.verdict == VERDICT_ERROR ||
			    r->result.verdict == VERDICT_BLOCKED)
				return false;
			run_forget(run, i); /* the last record counts */
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
	while (j->count)
		journal_close(j->from[--j->count]);
	journal_close(j->to);
	j->run->journal = NULL;
	j->to = NULL;
}

/* Open the journals to read before the other is locked: closing a file drops
 * its locks. A missing journal is created only if it is to be written. */
static bool open_resumed(struct journals *j, const char *path, const char *to,
			 char *why, size_t cap)
{
	struct journal *from;

	if (strcmp(path, to) == 0) {
		j->goes_on = true;
		return true;
	}
	from = journal_open(path, JOURNAL_READ, why, cap);
	if (from && journal_is(from, to)) {
		journal_close(from);
		j->goes_on = true;
	} else if (from) {
		j->from[j->count++] = from;
	}
	return from;
}

static bool read_all(struct journals *j, const struct journal_reader *reader,
		     char *why, size_t cap)
{
	j->copies = false;
	if (j->goes_on && !journal_read(j->to, reader, why, cap))
		return false;
	j->copies = true;
	for (size_t i = 0; i < j->count; i++)
		if (!journal_read(j->from[i], reader, why, cap))
			return false;
	return true;
}

static bool any_head(void *user, const char *line, size_t n, char *why,
		     size_t cap)
{
	(void)user;
	(void)line;
	(void)n;
	(void)why;
	(void)cap;
	return true;
}

static bool count_case(void *user, struct record *r, const char *line, size_t n)
{
	(void)r;
	(void)line;
	(void)n;
	++*(size_t *)user;
	return false;
}

/* A new journal must not overwrite results: the file is empty, or a journal
 * without a verdict. */
static bool may_begin_in(struct journal *to, const char *path, char *why,
			 size_t cap)
{
	size_t cases = 0;
	char said[512];
	struct stat st;
	const struct journal_reader reader = {
		.head = any_head, .take = count_case, .user = &cases};

	if (stat(path, &st) == 0 && st.st_size == 0)
		return true;
	if (!journal_read(to, &reader, said, sizeof(said))) {
		snprintf(why, cap,
			 "--journal %.200s: this file exists, is not a "
			 "complete journal, and is not overwritten; name "
			 "another",
			 path);
		return false;
	}
	if (cases)
		snprintf(why, cap,
			 "--journal %.200s: this journal has the verdicts of "
			 "%zu cases: continue it with --resume, or name "
			 "another",
			 path, cases);
	return cases == 0;
}

bool journals_open(struct run *run, struct journals *j, char *why, size_t cap)
{
	const struct run_options *o = run->o;
	const char *to = o->journal ? o->journal : o->resume[0];
	const struct journal_reader reader = {.head = take_head, .user = j};
	bool fine = true;

	*j = (struct journals){.run = run};
	if (!to)
		return true;
	run->identity = identity_of(o, run->bed->link->name);
	if (!run->identity) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	for (size_t i = 0; fine && i < o->resumes; i++)
		fine = open_resumed(j, o->resume[i], to, why, cap);
	if (fine)
		j->to = journal_open(to,
				     j->goes_on ? JOURNAL_GO_ON : JOURNAL_WRITE,
				     why, cap);
	if (j->to && (j->goes_on || may_begin_in(j->to, to, why, cap)) &&
	    read_all(j, &reader, why, cap))
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
	if (!read_all(j, &reader, why, cap))
		return false;
	bool begins = !j->goes_on || !journal_has_head(j->to);
	char *line = begins ? identity_line(run->identity) : NULL;

	if (begins && !line)
		snprintf(j->why, sizeof(j->why), "out of memory");
	else if (begins)
		journal_begin(j->to, line, strlen(line), j->why,
			      sizeof(j->why));
	free(line);
	j->goes_on = !begins;
	reader.take = take_resumed;
	if (!read_all(j, &reader, why, cap))
		return false;
	if (j->otherwise[0])
		run_says(run,
			 "the journal was started with another selection of "
			 "cases: %s; it has %zu cases of this run",
			 j->otherwise, run->finished - before);
	if (j->why[0]) {
		run->suite_failed = true;
		run_note(run, j->why);
		return true;
	}
	run->journal = j->to;
	return true;
}
