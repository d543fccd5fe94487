/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/collection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/audit/outcome.h"

/* Results kept of sides without a finding, and of those with one. */
enum { CLEAN_MOST = 16384, FOUND_MOST = 8192 };

static bool add_result(struct collection *l, const struct result *r)
{
	if (l->count == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct result *more =
			text_held(realloc(l->results, cap * sizeof(*more)));

		if (!more)
			return false;
		l->results = more;
		l->cap = cap;
	}
	l->results[l->count++] = *r;
	return true;
}

static bool has_finding(const struct conversation *c, unsigned end)
{
	for (const struct finding *f = c->findings.first; f; f = f->next)
		if (f->end == end)
			return true;
	return false;
}

void collection_add(struct collection *l, const struct conversation *c,
		    unsigned end, const char *place)
{
	bool found = has_finding(c, end);
	struct result r;

	l->failed |=
		c->findings.failed || c->from[0].failed || c->from[1].failed;
	if (found ? l->count - l->clean >= FOUND_MOST
		  : l->clean >= CLEAN_MOST) {
		l->left_out++;
		l->broken |= found;
		return;
	}
	if (!outcome_of(c, end, place, &r) || !add_result(l, &r))
		l->failed = true;
	else
		l->clean += !found;
}

void collection_note(struct collection *l, const char *about, const char *what)
{
	size_t n = strlen(l->note);

	snprintf(l->note + n, sizeof(l->note) - n, "%s%.300s: %s",
		 n ? "; " : "", about, what);
}

void collection_begin(struct run_result *out, const char *device,
		      const char *link, const char *spec, bool strict)
{
	*out = (struct run_result){
		.suite_name = "warpspec",
		.suite_version = WARPSPEC_VERSION,
		.suite_build = "",
		.device_name = device,
		.device_agent = "",
		.device_impl = "",
		.host_name = "",
		.host_release = "",
		.host_machine = "",
		.link = link,
		.link_note = "",
		.spec = spec,
		.jobs = 1,
		.strict = strict,
		.again = "",
		.journal = "",
	};
	clock_gettime(CLOCK_REALTIME, &out->started);
}

static int status_of(const struct collection *l, const struct run_result *r)
{
	enum { FAILED = 1, SUITE = 4, PARTIAL = 5 };

	if (r->totals[VERDICT_FAIL] || (r->strict && r->totals[VERDICT_WARN]))
		return FAILED;
	if (l->failed)
		return SUITE;
	return r->count == r->totals[VERDICT_SKIP] || l->broken ? PARTIAL : 0;
}

static int by_id(const void *x, const void *y)
{
	return strcmp(((const struct result *)x)->id,
		      ((const struct result *)y)->id);
}

void collection_end(struct collection *l, struct run_result *out,
		    const char *about, const char *none)
{
	if (l->count)
		qsort(l->results, l->count, sizeof(*l->results), by_id);
	out->results = l->results;
	out->count = out->planned = l->count;
	for (size_t i = 0; i < l->count; i++)
		out->totals[l->results[i].verdict]++;
	if (l->left_out) {
		char line[128];

		snprintf(line, sizeof(line),
			 "%" PRIu64 " sides more were judged than are listed",
			 l->left_out);
		collection_note(l, "audit", line);
	}
	if (l->failed)
		collection_note(l, about,
				"not everything was judged: out of memory");
	if (!l->count && !*l->note)
		collection_note(l, about, none);
	out->note = l->note;
	clock_gettime(CLOCK_REALTIME, &out->finished);
	out->exit_status = status_of(l, out);
}
