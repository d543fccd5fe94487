/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/load/load.h"
#include "suite/catalogue/axes.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/complain.h"

/* One flag for each instance, set; for free(). NULL: out of memory. */
static bool *all_cases(void)
{
	size_t n = registry()->count;
	bool *cases = malloc(n + 1);

	if (cases)
		memset(cases, true, n);
	return cases;
}

static int target_coverage(struct cli *c, const bool *requirements)
{
	bool *applicable = all_cases();
	int status;

	if (!applicable)
		return complain(EXIT_SUITE, "out of memory");
	status = select_alone(c, applicable);
	if (!status)
		status = printed(catalogue_reach(requirements, applicable,
						 c->json, stdout));
	free(applicable);
	return status;
}

static int coverage_by_cases(struct cli *c, const bool *requirements)
{
	bool *cases = all_cases();
	const struct run_result *run = NULL;
	char why[512];
	int status = 0;

	if (!cases)
		return complain(EXIT_SUITE, "out of memory");
	if (!select_asked(c, cases, &run, why, sizeof(why)))
		status = complain(EXIT_USAGE, why);
	const struct coverage_of of = {
		.requirements = requirements,
		.cases = cases,
		.run = run,
		.judged_only = c->verdict != NULL,
		.json = c->json,
		.uncovered = c->uncovered,
	};

	if (!status)
		status = printed(catalogue_coverage(&of, stdout));
	report_unload(run);
	free(cases);
	return status;
}

/* All cases, on the built-in device. The run lives as long as the process. */
static int run_for_axes(struct cli *c, struct run_result *run)
{
	c->run.selector_count = 0;
	c->run.quiet = true;
	int status = run_on_device(c, run);

	return status ? status : run->exit_status;
}

static int coverage_of_axes(struct cli *c, const bool *requirements)
{
	static struct run_result run;
	const struct run_result *runs[CLI_REPORTS] = {&run};
	char why[512];
	size_t n = 0;
	int status = 0;

	if (c->verdict || c->uncovered || c->of_target)
		return complain(EXIT_USAGE, "--axes: not with --verdict, "
					    "--uncovered or --target");
	if (!c->result_count)
		status = run_for_axes(c, &run);
	while (n < c->result_count &&
	       (runs[n] = report_load(c->results[n], why, sizeof(why))))
		n++;
	if (n < c->result_count)
		status = complain(EXIT_USAGE, why);
	else if ((n || run.count) &&
		 printed(catalogue_axes(requirements, runs, n ? n : 1, c->json,
					stdout)) != 0)
		status = EXIT_SUITE;
	while (n)
		report_unload(runs[--n]);
	return status;
}

int command_coverage(struct cli *c)
{
	static bool selected[REQ_COUNT];
	char why[512];

	if (!registry_select_requirements(c->run.selectors,
					  c->run.selector_count, selected, why,
					  sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (c->axes)
		return coverage_of_axes(c, selected);
	if (c->of_target)
		return target_coverage(c, selected);
	return coverage_by_cases(c, selected);
}
