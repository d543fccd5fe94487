/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/blame/device_log.h"

#include <stdio.h>

#include "harness/link/clock.h"

enum {
	LOGS_MOST = 100, /* of a run */
	VAIN_MOST = 3,   /* failures in a row: the hook does not work */
};

/* What it printed, and how it ended if that was an error. */
static void keep(struct record *r, const struct hook_result *seen)
{
	char text[HOOK_OUTPUT + sizeof(seen->line) + 8];
	bool well = seen->end == HOOK_WELL;

	snprintf(text, sizeof(text), "%s%s%s%s%s", seen->output,
		 seen->output[0] && !well ? "\n" : "", well ? "" : "(",
		 well ? "" : seen->line, well ? "" : ")");
	record_keep_log(r, text);
}

static bool is_wanted(const struct run *run)
{
	return run->o->hooks && run->o->hooks->log && !run_signalled &&
	       run->logs.count < LOGS_MOST && run->logs.vain < VAIN_MOST;
}

void device_log_of_crash(struct run *run, struct record *r)
{
	static struct hook_result seen;
	uint64_t ran = r->result.duration_ns;

	if (!is_wanted(run))
		return;
	run->o->hooks->log(run->o->hooks, r->result.id,
			   (unsigned)(ran / CLOCK_NS_PER_S) + 1, &seen);
	run->logs.count++;
	run->logs.vain = seen.end == HOOK_WELL ? 0 : run->logs.vain + 1;
	keep(r, &seen);
	if (run->logs.vain == VAIN_MOST)
		run_says(run,
			 "%s: the logs of further failed cases are left out",
			 seen.line);
	else if (run->logs.count == LOGS_MOST)
		run_says(run,
			 "the device's log was kept of %d cases: those of "
			 "further ones are left out",
			 LOGS_MOST);
}

void device_log_of_failure(struct run *run, struct record *r)
{
	bool failed = r->result.verdict == VERDICT_FAIL ||
		      (r->result.verdict == VERDICT_ERROR &&
		       r->cause == CAUSE_DEVICE);

	if (failed && !r->unstarted)
		device_log_of_crash(run, r);
}
