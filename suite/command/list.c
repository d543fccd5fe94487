/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/command/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/load/load.h"
#include "suite/catalogue/catalogue.h"
#include "suite/catalogue/registry.h"
#include "suite/cli/complain.h"

/* The columns of this terminal; 0: it is none. */
static unsigned columns_of(int fd)
{
	struct winsize w;

	if (!isatty(fd))
		return 0;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

static int list_selected(struct cli *c, bool *selected)
{
	const struct run_result *run = NULL;
	char why[512];
	int status;

	if (!registry_select(c->run.selectors, c->run.selector_count, selected,
			     why, sizeof(why)) ||
	    !select_asked(c, selected, &run, why, sizeof(why))) {
		report_unload(run);
		return complain(EXIT_USAGE, why);
	}
	status = c->target_only ? select_alone(c, selected) : 0;
	if (!status)
		status = printed(catalogue_list(selected, run, c->json,
						columns_of(STDOUT_FILENO),
						stdout));
	report_unload(run);
	return status;
}

int command_list(struct cli *c)
{
	if (c->readings)
		return printed(catalogue_readings(stdout));
	bool *selected = calloc(registry()->count + 1, sizeof(*selected));
	int status = selected ? list_selected(c, selected)
			      : complain(EXIT_SUITE, "out of memory");

	free(selected);
	return status;
}
