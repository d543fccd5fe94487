/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: subcommands and their options, which are a table
 * (cli_options.h). Nothing is carried out here, and nothing is opened.
 */
#ifndef SUITE_CLI_H
#define SUITE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/audit/named.h"
#include "suite/device/builtin.h"
#include "suite/explore/explore.h"
#include "suite/run/plan/runner.h"

enum command {
	COMMAND_RUN,
	COMMAND_LIST,
	COMMAND_SHOW,
	COMMAND_COVERAGE,
	COMMAND_EXPLORE,
	COMMAND_CHECK_AGENT,
	COMMAND_ICS,
	COMMAND_DEVICE,
	COMMAND_REPORT,
	COMMAND_DECODE,
	COMMAND_AUDIT,
	COMMAND_REJUDGE,
	COMMAND_RELAY,
	COMMAND_HELP,
	COMMAND_VERSION,
};

#define CLI_REPORTS 16

struct cli_report {
	const char *format, *path; /* NULL: standard output */
};

struct cli {
	enum command command;
	const char *device_file; /* or NULL: the built-in one */
	/* For a device without an agent; NULL, NULL, 0: not given. */
	const char *target, *private_data, *buffer, *connect;
	unsigned connections;
	const char *link; /* "socket", "raw", "sctp", or NULL: the device's */
	bool ipv6;        /* the built-in device's address */
	struct builtin builtin;
	struct run_options run;
	struct explore_options explore;
	char *dimension[CLI_REPORTS];
	struct cli_report report[CLI_REPORTS];
	size_t reports;
	bool jobs_said;
	const char *evidence;            /* of which cases, or NULL: not
					  * given */
	const char *statement, *output;  /* files, or NULL */
	bool no_crc, markers;            /* of decode */
	const char *listen, *to, *fault; /* of relay */
	const char *memory;              /* a file, or NULL */
	const char *follow;              /* an interface, or NULL: files */
	struct named_stream stream[NAMED_MOST]; /* of audit */
	size_t streams;
	bool target_only, of_target;      /* of list; of coverage */
	const char *results[CLI_REPORTS]; /* of both; several with --axes */
	size_t result_count;
	const char *verdict; /* likewise, or NULL */
	bool json, uncovered, axes, readings, keys, confinement, verbose;
	char again[4096]; /* the command, without its selectors and output
			   * files */
	char **words;     /* report: its arguments */
	int word_count;
	const char *help_about; /* a command, or NULL: all */
};

/* False: one line in why. */
bool cli_parse(struct cli *c, int argc, char **argv, char *why, size_t cap);
/* These print on standard output. */
void cli_help(const char *about);
void cli_device_keys(void);

#endif
