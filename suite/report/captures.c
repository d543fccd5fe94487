/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/report/captures.h"

#include <stdlib.h>
#include <string.h>

#include "suite/report/report_certificate.h"

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
		m->is_named = true;
	if (!m)
		snprintf(line, sizeof(line), "%s: missing", name);
	else if (!r->capture_sha256)
		snprintf(line, sizeof(line),
			 "%s: " CERTIFICATE_RUN
			 " has no SHA-256 of it, which would show that it "
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
		if (c->of[i].is_named)
			continue;
		snprintf(line, sizeof(line),
			 "%s: no case of " CERTIFICATE_RUN " has it",
			 c->of[i].name);
		objections_add(o, line);
	}
}
