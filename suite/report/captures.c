/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/report/captures.h"

#include <stdlib.h>
#include <string.h>

#include "harness/text/digest.h"
#include "suite/audit/rejudge.h"
#include "suite/report/report_certificate.h"
#include "suite/run/plan/runner.h"

#define LINE 512

bool captures_add(struct captures *c, const char *name, const char *sum)
{
	struct capture_member m = {0};

	if (strncmp(name, CERTIFICATE_CAPTURES, strlen(CERTIFICATE_CAPTURES)) !=
	    0)
		return true;
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 256;
		struct capture_member *more =
			realloc(c->of, room * sizeof(*more));

		if (!more)
			return false;
		c->of = more;
		c->room = room;
	}
	m.name = strdup(name);
	if (!m.name)
		return false;
	snprintf(m.sum, sizeof(m.sum), "%s", sum);
	c->of[c->count++] = m;
	return true;
}

void captures_free(struct captures *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->of[i].name);
	free(c->of);
	*c = (struct captures){0};
}

static int by_names(const void *a, const void *b)
{
	return strcmp(((const struct capture_member *)a)->name,
		      ((const struct capture_member *)b)->name);
}

void captures_sort(struct captures *c)
{
	if (c->count)
		qsort(c->of, c->count, sizeof(*c->of), by_names);
}

static int by_name(const void *name, const void *member)
{
	return strcmp(name, ((const struct capture_member *)member)->name);
}

static struct capture_member *find(struct captures *c, const char *name)
{
	return c->count
		       ? bsearch(name, c->of, c->count, sizeof(*c->of), by_name)
		       : NULL;
}

static void check_case(struct captures *c, struct objections *o,
		       const struct result *r)
{
	char name[BUNDLE_NAME], line[LINE];
	struct capture_member *m;

	if (!r->capture || !*r->capture || !certificate_capture(r, name))
		return;
	m = find(c, name);
	if (m)
		m->of_case = r;
	if (!m)
		snprintf(line, sizeof(line), "%s: missing", name);
	else if (!r->capture_sha256)
		snprintf(line, sizeof(line),
			 "%s: " CERTIFICATE_RUN
			 " has no SHA-256 of it, so that nothing shows that it "
			 "belongs to this run",
			 name);
	else if (strcmp(m->sum, r->capture_sha256) != 0)
		snprintf(line, sizeof(line),
			 "%s: not the capture that the run wrote: its SHA-256 "
			 "is not the one in " CERTIFICATE_RUN,
			 name);
	else
		return;
	objections_add(o, line);
}

void captures_check(struct captures *c, struct objections *o,
		    const struct run_result *run)
{
	char line[LINE];

	/* They may all be left out. */
	if (!c->count)
		return;
	for (size_t i = 0; i < run->count; i++)
		check_case(c, o, &run->results[i]);
	for (size_t i = 0; i < c->count; i++) {
		if (c->of[i].of_case)
			continue;
		snprintf(line, sizeof(line),
			 "%s: it belongs to no case of " CERTIFICATE_RUN,
			 c->of[i].name);
		objections_add(o, line);
	}
}

/* --- verdicts ---------------------------------------------------------------- */

static bool reports(const struct run_result *run, const char *requirement)
{
	for (size_t i = 0; i < run->count; i++)
		for (size_t k = 0; k < run->results[i].broken_count; k++)
			if (strcmp(run->results[i].broken[k].requirement,
				   requirement) == 0)
				return true;
	return false;
}

/* A SHOULD is reported once of many cases, and refuses no certificate. */
static bool contradicts(const struct rejudged_case *now,
			const struct run_result *run)
{
	return now->what == REJUDGED_DIFFERS &&
	       strncmp(now->other->level, "MUST", 4) == 0 &&
	       !reports(run, now->other->requirement);
}

void captures_judge(struct captures *c, struct objections *o,
		    const struct run_result *run, const char *name,
		    const void *octets, size_t n)
{
	struct capture_member *m = find(c, name);
	enum model_profile profile;
	struct rejudged_case now;
	char sum[DIGEST_HEX], line[LINE];

	if (!m || !m->of_case)
		return;
	if (!digest_sha256(octets, n, sum) || strcmp(sum, m->sum) != 0) {
		snprintf(line, sizeof(line),
			 "%s: altered while the bundle was read", name);
		objections_add(o, line);
		return;
	}
	if (!runner_profile(run->spec, &profile)) {
		c->unshown++;
		return;
	}
	rejudge_octets(m->of_case, octets, n, profile, &now);
	c->unshown += now.what == REJUDGED_UNSHOWN;
	c->judged += now.what != REJUDGED_UNSHOWN;
	if (!contradicts(&now, run))
		return;
	c->contradicting++;
	snprintf(line, sizeof(line),
		 "%s: shows %s broken (%s), which " CERTIFICATE_RUN
		 " does not report",
		 name, now.other->requirement, now.other->statement);
	objections_add(o, line);
}

void captures_conclude(const struct captures *c, char *line, size_t cap)
{
	if (!c->count)
		snprintf(line, cap,
			 "verdicts: not derived again: the bundle has no "
			 "captures");
	else
		snprintf(line, cap,
			 "verdicts: derived again from %zu of %zu captures, "
			 "%zu of which contradict " CERTIFICATE_RUN
			 "; %zu do not show enough. No capture shows memory "
			 "and completions: for these, the verdicts rest on "
			 "what the device's agent reported",
			 c->judged, c->count, c->contradicting, c->unshown);
}
