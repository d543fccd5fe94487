/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress of an exploration, as a file for resuming it: the first line of
 * a run's journal, with everything that determines the programs; the findings,
 * a record each; and one line with the position. It is rewritten each time,
 * completely or not at all, and does not grow with the programs.
 */
#include "suite/explore/exploration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/link/clock.h"
#include "harness/text/json_memory.h"
#include "suite/run/journal/record.h"

enum { MET_MOST = 256 << 10 };

/* --- written ------------------------------------------------------------------ */

static json_t *avoided_list(const struct generate_options *how)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < how->avoids; i++) {
		char text[AVOIDED_TEXT];

		avoided_write(&how->avoided[i], text);
		json_array_append_new(list, json_string(text));
	}
	return list;
}

static char *state_line(const struct exploration *e)
{
	static struct dimensions_met met;
	static char text[MET_MOST];

	met = e->met;
	crew_met(&met);
	dimensions_format(&met, text, sizeof(text));
	json_t *o = json_pack(
		"{s:i, s:I, s:I, s:I, s:I, s:I, s:s, s:o, s:s}", "state", 1,
		"programs", (json_int_t)e->programs, "operations",
		(json_int_t)e->operations, "skipped", (json_int_t)e->skipped,
		"again", (json_int_t)e->again, "ns",
		(json_int_t)(e->before_ns + clock_now_ns() - e->began), "skip",
		e->first_skip, "avoids", avoided_list(&e->how), "met", text);
	char *line = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	json_decref(o);
	return line;
}

void resume_save(struct exploration *e, bool now)
{
	char *lines[FINDINGS_MOST + 2], why[512] = "out of memory";
	uint64_t at = clock_now_ns();
	size_t n = 0;
	bool fine = true;

	if (!e->journal || (!now && at - e->saved < CLOCK_NS_PER_S))
		return;
	e->saved = at;
	lines[n++] = identity_line(e->identity);
	for (unsigned i = 0; i < e->findings; i++) {
		const struct record r = {.result = e->finding[i].result,
					 .note = ""};

		lines[n++] = record_line(&r);
	}
	lines[n++] = state_line(e);
	for (size_t i = 0; i < n; i++)
		fine &= lines[i] != NULL;
	fine = fine && journal_replace(e->journal, (const char *const *)lines,
				       n, why, sizeof(why));
	while (n)
		free(lines[--n]);
	if (fine)
		return;
	/* The last one that could be written stays. */
	e->suite_failed = true;
	explore_note(e, why);
}

/* --- read --------------------------------------------------------------------- */

struct reading_in {
	struct exploration *e;
	bool checks;  /* only whether it is of this one */
	bool has_all; /* its last line was read */
};

static bool take_head(void *user, const char *line, size_t n, char *why,
		      size_t cap)
{
	struct reading_in *in = user;
	char otherwise[512];

	return identity_is(in->e->identity, line, n, otherwise,
			   sizeof(otherwise), why, cap);
}

static bool take_finding(void *user, struct record *r, const char *line,
			 size_t n)
{
	struct reading_in *in = user;

	(void)line, (void)n;
	/* The caller keeps it for the rest of the process. */
	return !in->checks && r->result.verdict < VERDICT_COUNT &&
	       finding_taken(in->e, &r->result);
}

static bool number_of(const json_t *o, const char *key, uint64_t *v)
{
	const json_t *n = json_object_get(o, key);

	*v = (uint64_t)json_integer_value(n);
	return json_is_integer(n) && json_integer_value(n) >= 0;
}

static bool take_avoided(struct generate_options *how, const json_t *list)
{
	size_t i;
	json_t *text;
	char why[128];

	how->avoids = 0;
	json_array_foreach(list, i, text)
	{
		const char *s = json_string_value(text);

		if (how->avoids == AVOIDED_MOST || !s ||
		    !avoided_read(s, &how->avoided[how->avoids], why,
				  sizeof(why)))
			return false;
		how->avoids++;
	}
	return json_is_array(list);
}

static bool take_state(void *user, const char *line, size_t n, char *why,
		       size_t cap)
{
	struct reading_in *in = user;
	struct exploration *e = in->e;
	json_t *o = json_memory_load(line, n, JSON_REJECT_DUPLICATES, NULL);
	bool is_short = !o && errno == ENOMEM;
	const char *skip = json_string_value(json_object_get(o, "skip"));
	const char *met = json_string_value(json_object_get(o, "met"));
	bool fine = false;

	if (in->checks) {
		fine = true;
	} else if (!in->has_all) {
		fine = number_of(o, "programs", &e->programs) &&
		       number_of(o, "operations", &e->operations) &&
		       number_of(o, "skipped", &e->skipped) &&
		       number_of(o, "again", &e->again) &&
		       number_of(o, "ns", &e->before_ns) && skip && met &&
		       take_avoided(&e->how, json_object_get(o, "avoids")) &&
		       dimensions_add(&e->met, met);
		if (fine)
			snprintf(e->first_skip, sizeof(e->first_skip), "%s",
				 skip);
	}
	in->has_all |= fine;
	json_decref(o);
	if (!fine)
		snprintf(why, cap, "%s",
			 is_short ? "out of memory"
				  : "not the progress of an exploration");
	return fine;
}

/* --- opened ----------------------------------------------------------------------- */

/* What decides which programs there are. */
static void add_how(struct exploration *e)
{
	const struct explore_options *o = e->o;
	char text[2048];
	int n = snprintf(text, sizeof(text),
			 "seed %" PRIu64
			 ", steps %u, streams %u, weights %.512s",
			 o->run->seed, e->how.steps, e->how.streams,
			 o->weights ? o->weights : "-");

	for (size_t i = 0; i < o->dimension_count; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", %.64s",
			      o->dimensions[i]);
	identity_add(e->identity, "exploration", text);
}

static bool read_in(struct exploration *e, struct journal *from, bool checks,
		    char *why, size_t cap)
{
	struct reading_in in = {.e = e, .checks = checks};
	const struct journal_reader reader = {.head = take_head,
					      .take = take_finding,
					      .other = take_state,
					      .user = &in};

	if (!journal_read(from, &reader, why, cap))
		return false;
	if (in.has_all || !journal_has_head(from))
		return true;
	snprintf(why, cap,
		 "journal: it does not say how far the exploration is; start a "
		 "new one with --journal");
	return false;
}

bool resume_open(struct exploration *e, char *why, size_t cap)
{
	const struct run_options *o = e->o->run;
	const char *from = o->resumes ? o->resume[0] : NULL;
	const char *to = o->journal ? o->journal : from;

	if (!to)
		return true;
	if (o->resumes > 1 || (from && strcmp(from, to) != 0)) {
		snprintf(why, cap,
			 "--resume: an exploration resumes from one journal, "
			 "and appends to it");
		return false;
	}
	e->identity = identity_of(o, e->bed.link->name);
	if (!e->identity) {
		snprintf(why, cap, "out of memory");
		return false;
	}
	add_how(e);
	e->goes_on = from;
	e->journal = journal_open(to, from ? JOURNAL_GO_ON : JOURNAL_WRITE, why,
				  cap);
	return e->journal &&
	       (!e->goes_on || read_in(e, e->journal, true, why, cap));
}

bool resume_begin(struct exploration *e, char *why, size_t cap)
{
	if (!e->journal)
		return true;
	identity_add_agent(e->identity, &e->bed);
	if (!e->goes_on)
		return true;
	if (!read_in(e, e->journal, false, why, cap))
		return false;
	e->taken = e->findings;
	explore_says(e, "continuing after %" PRIu64 " programs", e->programs);
	return true;
}

void resume_close(struct exploration *e)
{
	journal_close(e->journal);
	identity_free(e->identity);
	e->journal = NULL;
	e->identity = NULL;
}
