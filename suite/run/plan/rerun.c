/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/plan/rerun.h"

#include <stdio.h>
#include <string.h>

#include "harness/agent/client.h"
#include "suite/catalogue/registry.h"

static bool failed(const struct run_options *o, const struct result *r)
{
	return r->verdict == VERDICT_FAIL || r->verdict == VERDICT_ERROR ||
	       (r->verdict == VERDICT_BLOCKED && !r->block_known) ||
	       (r->verdict == VERDICT_WARN && o->strict);
}

bool rerun_wants(const struct run_options *o, const char *id)
{
	const struct result *r = result_find(o->rerun, id);

	return r && failed(o, r);
}

static bool is_of_suite(const char *id)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (strcmp(registry()->instances[i].id, id) == 0)
			return true;
	return false;
}

bool rerun_fits(const struct run_options *o, char *untold, size_t untold_cap,
		char *why, size_t cap)
{
	const struct run_result *run = o->rerun;
	const char *gone = NULL;
	size_t all = 0, missing = 0;

	*untold = '\0';
	if (strcmp(run->spec, o->spec) != 0) {
		snprintf(why, cap,
			 "--rerun %s: that run was with --spec %s, this one is "
			 "with --spec %s",
			 o->rerun_path, run->spec, o->spec);
		return false;
	}
	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (!failed(o, r))
			continue;
		all++;
		if (is_of_suite(r->id))
			continue;
		missing++;
		if (!gone)
			gone = r->id;
	}
	if (missing)
		snprintf(untold, untold_cap,
			 "--rerun %s: %zu failed case%s not in this version "
			 "of the suite, such as %s",
			 o->rerun_path, missing, missing == 1 ? " is" : "s are",
			 gone);
	else if (run->count < run->planned)
		snprintf(untold, untold_cap,
			 "--rerun %s: that run ended before %zu of its cases; "
			 "this run leaves them out: run them with --resume and "
			 "its journal",
			 o->rerun_path, run->planned - run->count);
	if (all > missing)
		return true;
	snprintf(why, cap, "--rerun %s: %s: there is nothing to run again",
		 o->rerun_path,
		 all ? "no case of this suite failed in it"
		     : "no case failed in it");
	return false;
}

static bool claimed(const struct run_result *run, const char *feature)
{
	for (size_t i = 0; i < run->claim_count; i++)
		if (strcmp(run->claims[i].name, feature) == 0)
			return true;
	return false;
}

bool rerun_fits_device(const struct run_options *o, uint64_t claims, char *why,
		       size_t cap)
{
	const char *here = NULL, *there = NULL;

	/* Older reports do not have this feature: it was not claimed. */
	if (!o->rerun || !o->rerun->claim_count)
		return true;
	for (unsigned i = 0; i < AGENT_FEATURES; i++) {
		const char *name = agent_feature_name((enum agent_feature)i);
		bool is = claims >> i & 1, was = claimed(o->rerun, name);

		if (is && !was)
			here = name;
		if (was && !is)
			there = name;
	}
	if (!here && !there)
		return true;
	snprintf(why, cap,
		 "--rerun %s: of a device with other features: %s is claimed "
		 "%s: run all of it",
		 o->rerun_path, there ? there : here,
		 there ? "there, and not here" : "here, and not there");
	return false;
}
