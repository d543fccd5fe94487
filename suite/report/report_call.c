/* SPDX-License-Identifier: BSD-2-Clause */
/* What subcommands of `report` ask of their call. */
#include <stdio.h>
#include <string.h>

#include "reports/load/load.h"
#include "suite/cli/complain.h"
#include "suite/report/report_command.h"

const char *report_option(const struct report_call *call, const char *name)
{
	const struct report_option *options = call->subcommand->options;

	for (size_t i = 0; options[i].name; i++)
		if (strcmp(options[i].name, name) == 0)
			return call->value[i];
	return NULL;
}

int report_no_format(const struct report_call *call, const char *format)
{
	char why[256];

	snprintf(why, sizeof(why),
		 "report %s: --format %.60s: no such format; 'warpspec report "
		 "%s --help' lists them",
		 call->name, format, call->name);
	return complain(EXIT_USAGE, why);
}

const struct run_result *report_read(const char *path)
{
	char why[512];
	const struct run_result *run = report_load(path, why, sizeof(why));

	if (!run)
		complain(EXIT_USAGE, why);
	return run;
}
