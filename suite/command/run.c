/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdlib.h>

#include "reports/load/load.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/complain.h"
#include "suite/ics/ics.h"
#include "suite/judge/deviations/deviations.h"

/* What to run on the device: cases, or programs. */
static bool work_on(struct cli *c, struct run_result *out, char *why,
		    size_t cap)
{
	if (c->command != COMMAND_EXPLORE)
		return runner_run(&c->run, out, why, cap);
	c->explore.run = &c->run;
	if (!c->run.max_time_ns && !c->explore.operations)
		c->explore.operations = EXPLORE_OPERATIONS;
	return explore(&c->explore, out, why, cap);
}

int run_on_device(struct cli *c, struct run_result *out)
{
	static struct device device;
	char why[512];
	int status = start_device(c, &device);

	if (status)
		return status;
	c->run.device = &device;
	bool ok = work_on(c, out, why, sizeof(why));

	builtin_stop();
	if (c->device_file)
		hooks_close(c->run.hooks);
	if (!ok)
		return complain(EXIT_USAGE, why);
	publish_note(out);
	return 0;
}

static int run_and_publish(struct cli *c)
{
	static struct run_result run;
	int status = run_on_device(c, &run);

	if (!status)
		status = c->command == COMMAND_EXPLORE && c->explore.as_case
				 ? run.exit_status
				 : publish_run(c, &run);
	/* The results refer to them: they go last. */
	deviations_free(c->run.deviations);
	return status;
}

/* Known deviations: of cases, and of findings by exploration. False: one line
 * in why. */
static bool load_deviations(struct cli *c, char *why, size_t cap)
{
	size_t n;
	const char *const *ids;

	if (!c->run.deviations_path)
		return true;
	ids = explore_ids(registry_ids(), registry()->count, &n);
	snprintf(why, cap, "out of memory");
	c->run.deviations = ids ? deviations_load(c->run.deviations_path,
						  c->run.update_deviations, ids,
						  n, why, cap)
				: NULL;
	return c->run.deviations;
}

int command_explore(struct cli *c)
{
	char why[512];

	if (!publish_check(c, why, sizeof(why)) ||
	    !load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	return run_and_publish(c);
}

static int run_selected(struct cli *c)
{
	static struct ics statement;
	char why[512];
	bool *selected = select_cases(c, why, sizeof(why));

	if (!selected)
		return complain(EXIT_USAGE, why);
	free(selected);
	if (!load_deviations(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->statement) {
		if (!ics_load(&statement, c->statement, why, sizeof(why))) {
			deviations_free(c->run.deviations);
			return complain(EXIT_USAGE, why);
		}
		c->run.statement = &statement;
	}
	return run_and_publish(c);
}

int command_run(struct cli *c)
{
	char why[512];
	int status;

	if (!publish_check(c, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->run.rerun_path &&
	    !(c->run.rerun = report_load(c->run.rerun_path, why, sizeof(why))))
		return complain(EXIT_USAGE, why);
	status = run_selected(c);
	report_unload(c->run.rerun);
	return status;
}
