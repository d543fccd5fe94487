/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `report`: what is made of the reports of past runs, without a
 * device. Its subcommands are a table, each with its options; what one does is
 * in a file of its own, report_NAME.c, and what it rests on in reports/.
 */
#ifndef SUITE_REPORT_COMMAND_H
#define SUITE_REPORT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

#define REPORT_OPTIONS 16

/* An option of a subcommand; the one without a name is behind the last. */
struct report_option {
	const char *name;
	char letter;       /* '\0': it has no short form */
	const char *value; /* what it takes, as help says it; NULL: nothing */
	const char *text;
};

/* A subcommand as it was called. */
struct report_call {
	const struct report_subcommand *subcommand;
	const char *name; /* as written */
	char **files;     /* what is no option */
	size_t file_count;
	const char *value[REPORT_OPTIONS]; /* by the options' order */
};

struct report_subcommand {
	const char *name;
	const char *usage; /* what follows the name */
	const char *text;  /* what it does */
	const char *exit;  /* what its status says; NULL: 0, 2 and 4 */
	const struct report_option *options;
	size_t files_least, files_most;
	int (*perform)(const struct report_call *call); /* exit status */
};

/* Its value, "" where it takes none; NULL: not given. */
const char *report_option(const struct report_call *call, const char *name);

/* Of a --format that is none; returns the status. */
int report_no_format(const struct report_call *call, const char *format);

/* The report in this file; NULL: it was complained. */
const struct run_result *report_read(const char *path);

/* argv[0] is what follows `warpspec report`; returns the exit status. */
int report_command(int argc, char **argv);
/* On all subcommands, or on one; returns the exit status. */
int report_command_help(const char *subcommand);

extern const struct report_subcommand report_as_format, report_diff,
	report_merge, report_matrix, report_bundle, report_verify,
	report_certificate, report_certified;

#endif
