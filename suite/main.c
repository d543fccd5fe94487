/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program: checks the host, parses the command line, and calls the command.
 */
#include <stdio.h>
#include <string.h>

#include "harness/crc/crc.h"
#include "harness/text/digest.h"
#include "harness/text/memstream.h"
#include "suite/cli/cli.h"
#include "suite/cli/complain.h"
#include "suite/cli/limits.h"
#include "suite/command/command.h"
#include "suite/device/confined.h"
#include "suite/report/report_command.h"

static int command(struct cli *c)
{
	switch (c->command) {
	case COMMAND_RUN:
		return command_run(c);
	case COMMAND_LIST:
		return command_list(c);
	case COMMAND_SHOW:
		return command_show(c);
	case COMMAND_COVERAGE:
		return command_coverage(c);
	case COMMAND_EXPLORE:
		return command_explore(c);
	case COMMAND_CHECK_AGENT:
		return command_check_agent(c);
	case COMMAND_REPORT:
		return report_command(c->word_count, c->words);
	case COMMAND_ICS:
		return command_ics(c);
	case COMMAND_HELP:
		if (c->help_about && strcmp(c->help_about, "report") == 0)
			return report_command_help(c->run.selector_count > 1
							   ? c->run.selectors[1]
							   : NULL);
		cli_help(c->help_about);
		return flushed(0);
	case COMMAND_DECODE:
		return command_decode(c);
	case COMMAND_AUDIT:
		return command_audit(c);
	case COMMAND_REJUDGE:
		return command_rejudge(c);
	case COMMAND_RELAY:
		return command_relay(c);
	case COMMAND_DEVICE:
		if (c->confinement)
			return printed(confined_print(stdout));
		cli_device_keys();
		return flushed(0);
	case COMMAND_VERSION:
		printf("warpspec %s\n", WARPSPEC_VERSION);
		return flushed(0);
	}
	return EXIT_USAGE;
}

/* Output that looks complete and is not is worse than none. Errors other than
 * those of usage have been reported. */
static int whole(int status)
{
	if (!text_lost() || status == EXIT_DEVICE || status == EXIT_SUITE)
		return status;
	return status == EXIT_USAGE ? EXIT_SUITE
				    : complain(EXIT_SUITE, "out of memory");
}

int main(int argc, char **argv)
{
	static struct cli c;
	char why[512];
	const char *crc_fault;

	if (!limits_suffice(why, sizeof(why)))
		return complain(EXIT_SUITE, why);
	digest_watches_memory();
	if (!cli_parse(&c, argc, argv, why, sizeof(why)))
		return complain(EXIT_USAGE, why);
	if (crc_init(&crc_fault) < 0)
		return complain(EXIT_SUITE, crc_fault);
	return whole(command(&c));
}
