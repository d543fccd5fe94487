/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of the past, in any format that a run is reported in. */
#include "reports/load/load.h"
#include "reports/publish/publish.h"
#include "suite/catalogue/catalogue.h"
#include "suite/cli/complain.h"
#include "suite/report/report_command.h"

static int perform(const struct report_call *c)
{
	const struct report_format *format = report_format_find(c->name);
	const char *path = report_option(c, "output");
	const struct run_result *run;
	char why[512];
	int status = 0;

	if (report_check_place(format, path, why, sizeof(why)) < 0)
		return complain(EXIT_USAGE, why);
	run = report_read(c->files[0]);
	if (!run)
		return EXIT_USAGE;
	struct run_result told = *run;

	told.background = catalogue_background();
	if (report_publish(format, &told, report_option(c, "verbose"), path,
			   why, sizeof(why)) < 0)
		status = complain(EXIT_SUITE, why);
	report_unload(run);
	return status;
}

static const struct report_option options[] = {
	{"output", 'o', "PATH",
	 "output file (default: standard output); html: output folder"},
	{"verbose", 'v', NULL,
	 "text: also list each case that is PASS, INFO, SKIP or BLOCKED"},
	{0},
};

const struct report_subcommand report_as_format = {
	.name = "FORMAT",
	.usage = "RUN.json [-o PATH]",
	.text = "Write the report of a past run in another format.",
	.options = options,
	.files_least = 1,
	.files_most = 1,
	.perform = perform,
};
