/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `report`: works on the reports of past runs, without a device.
 * Its subcommands are a table, each with its options; report_NAME.c has the
 * code of one, based on reports/.
 */
#ifndef SUITE_REPORT_COMMAND_H
#define SUITE_REPORT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

#define REPORT_OPTIONS 16

/* An option of a subcommand; one without a name follows the last. */
struct report_option {
	const char *name;
	char letter;       /* '\0': it has no short form */
	const char *value; /* its value, as in help; NULL: none */
	const char *text;
};

/* A call of a subcommand. */
struct report_call {
	const struct report_subcommand *subcommand;
	const char *name; /* as written */
	char **files;     /* the arguments that are not options */
	size_t file_count;
	const char *value[REPORT_OPTIONS]; /* in the order of the options */
};

struct report_subcommand {
	const char *name;
	const char *usage; /* its arguments */
	const char *text;  /* its description */
	const char *exit;  /* the meaning of its status; NULL: 0, 2 and 4 */
	const struct report_option *options;
	size_t files_least, files_most;
	int (*perform)(const struct report_call *call); /* exit status */
};

/* The option's value, "" if it takes none; NULL: not given. */
const char *report_option(const struct report_call *call, const char *name);

/* For a --format that does not exist; returns the status. */
int report_no_format(const struct report_call *call, const char *format);

/* The report in this file; NULL: it cannot be read, and a message says why. */
const struct run_result *report_read(const char *path);

/* argv[0] is the word after `warpspec report`; returns the exit status. */
int report_command(int argc, char **argv);
/* Print help about all subcommands, or about one; returns the exit status. */
int report_command_help(const char *subcommand);

extern const struct report_subcommand report_as_format, report_diff,
	report_merge, report_matrix, report_bundle, report_verify,
	report_certificate, report_certified;

#endif
