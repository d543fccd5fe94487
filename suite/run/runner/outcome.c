/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The outcome of a run: its results with known deviations applied, totals,
 * findings, readings, and the exit status.
 */
#include "suite/run/runner/met.h"
#include "suite/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/text/memstream.h"
#include "suite/judge/reasons.h"
#include "suite/judge/whole.h"

/* Apply known deviations: before the totals, after everything ran. */
static void apply_deviations(struct run *run, struct result *results, size_t n,
			     struct run_result *out)
{
	const struct run_options *o = run->o;
	struct deviations_written w;
	char why[512];

	if (!o->deviations)
		return;
	if (o->update_deviations &&
	    !deviations_update(o->deviations, o->deviations_path, results, n,
			       &w, why, sizeof(why))) {
		run->suite_failed = true;
		run_note(run, why);
	} else if (o->update_deviations) {
		run_says(run,
			 "%s: entries: %zu added, %zu changed, %zu removed, "
			 "%zu kept%s",
			 o->deviations_path, w.added, w.changed, w.removed,
			 w.kept,
			 w.added ? "; write a reason into each new one" : "");
	}
	out->stale_count = deviations_apply(o->deviations, results, n,
					    time(NULL), &out->stale);
	if (o->update_deviations)
		out->stale_count = 0;
	if (!out->stale_count)
		return;
	snprintf(why, sizeof(why), "%s: %zu stale deviation%s",
		 o->deviations_path, out->stale_count,
		 out->stale_count == 1 ? "" : "s");
	run_note(run, why);
}

/* A crash is not new if one of its suspects is known for it. */
static const char *known_finding(const struct run *run,
				 const struct run_finding *f)
{
	const char *reason = NULL;

	for (size_t i = 0;
	     run->o->deviations && !reason && i < f->suspect_count; i++)
		reason = deviations_crash(
			run->o->deviations,
			registry()->instances[f->suspects[i]].id, time(NULL));
	return reason;
}

static void tell_findings(struct run *run, struct run_result *out)
{
	static const char *news[RUN_FINDINGS + RUN_STATEMENTS],
		*known[RUN_FINDINGS];

	for (size_t i = 0; i < run->finding_count; i++) {
		const struct run_finding *f = &run->findings[i];
		const char *reason = known_finding(run, f);
		char *text;

		if (reason &&
		    asprintf(&text, "%s  known: %s\n", f->text, reason) >= 0)
			known[out->known_count++] = text;
		else
			news[out->finding_count++] = f->text;
	}
	out->findings = news;
	out->known = known;
}

static void collect(struct run *run, struct run_result *out)
{
	size_t n = registry()->count, kept = 0;
	struct result *results = text_held(calloc(n ? n : 1, sizeof(*results)));

	for (size_t i = 0; results && i < n; i++)
		if (run->done[i])
			results[kept++] = run->records[i].result;
	apply_deviations(run, results, kept, out);
	whole_know_blocks(results, kept);
	for (size_t i = 0; i < kept; i++)
		out->totals[results[i].verdict]++;
	for (size_t i = 0; i < n; i++)
		out->from_journal +=
			run->done[i] && run->records[i].from_journal;
	out->results = results;
	out->count = kept;
	out->reasons = reasons_of(results, kept, &out->reason_count);
	out->planned = run->plan.selected_count;
	out->note = run->note;
	statement_and_wire(run, out);
	tell_findings(run, out);
}

static void tell_readings(const struct readings *in_force,
			  struct run_result *out)
{
	static struct result_reading told[READING_GROUPS];
	size_t n = 0;

	for (unsigned g = 0; g < READING_GROUPS; g++) {
		const struct reading *r = in_force->of[g];

		if (r)
			told[n++] = (struct result_reading){
				r->name, reading_group(g)->name,
				reading_group(g)->section, r->note};
	}
	out->readings = told;
	out->reading_count = n;
}

/* --- dimensions ------------------------------------------------------- */

static bool met_in_all(const struct run *run, struct dimensions_met *met,
		       struct run_result *out)
{
	bool any = false;

	for (size_t i = 0; i < registry()->count; i++) {
		const struct record *r = &run->records[i];

		if (!run->done[i])
			continue;
		any |= r->met != NULL;
		if (r->met ? !dimensions_add(met, r->met) : r->from_journal)
			out->unknown_met++;
	}
	return any;
}

static void tell_dimensions(const struct run *run, struct run_result *out)
{
	static struct dimensions_met met;
	const struct dimension_limits limits = testbed_limits(run->bed);

	met = (struct dimensions_met){{0}};
	if (met_in_all(run, &met, out))
		met_tell(&met, &limits, out);
}

static bool was_any(const struct run *run, enum error_cause cause)
{
	for (size_t i = 0; i < registry()->count; i++)
		if (run->done[i] && run->records[i].cause == cause)
			return true;
	return false;
}

static int status_of(const struct run *run, const struct run_result *out)
{
	bool broken = whole_is_told_by_a_failure(out);

	/* What was found is a part of it, and perhaps not the worst. */
	if (run->suite_failed && text_lost())
		return 4;
	if (!broken && (run->device_died || was_any(run, CAUSE_DEVICE)))
		return 3;
	if (!broken && (run->suite_failed || out->totals[VERDICT_ERROR]))
		return 4;
	if (!broken &&
	    (run_signalled || (out->count < out->planned && !run->stopped)))
		return 5;
	if (broken || whole_fails(out))
		return 1;
	return whole_executed(out) ? 0 : 5;
}

void run_comes_to(struct run *run, struct run_result *out)
{
	collect(run, out);
	tell_readings(&run->bed->readings, out);
	tell_dimensions(run, out);
	/* A lost part may be a finding. */
	if (text_lost()) {
		run->suite_failed = true;
		run_note(run, "out of memory: a part of what was found is "
			      "missing");
	}
	out->exit_status = status_of(run, out);
}
