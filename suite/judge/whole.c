/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/judge/whole.h"

void whole_know_blocks(struct result *results, size_t n)
{
	const struct run_result all = {.results = results, .count = n};

	for (size_t i = 0; i < n; i++) {
		const char *by = results[i].blocked_by;
		const struct result *r = by ? result_find(&all, by) : NULL;

		if (r && r->verdict == VERDICT_XFAIL)
			results[i].block_known = true;
	}
}

bool whole_is_blocked(const struct run_result *run)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->results[i].verdict == VERDICT_BLOCKED &&
		    !run->results[i].block_known)
			return true;
	return false;
}

size_t whole_executed(const struct run_result *run)
{
	return run->count - run->totals[VERDICT_SKIP] -
	       run->totals[VERDICT_BLOCKED] - run->totals[VERDICT_ERROR];
}

bool whole_is_told_by_a_failure(const struct run_result *run)
{
	bool given_up = false;

	for (size_t i = 0; i < run->count; i++) {
		const struct result *r = &run->results[i];

		if (r->verdict == VERDICT_FAIL && r->broken_count)
			return true;
		given_up |= r->not_run;
	}
	return run->totals[VERDICT_FAIL] && !given_up;
}

bool whole_fails(const struct run_result *run)
{
	return run->totals[VERDICT_FAIL] || whole_is_blocked(run) ||
	       run->stale_count || run->finding_count ||
	       (run->strict && run->totals[VERDICT_WARN]);
}
