/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands and their options, as a table: parsing, help, and suggestions
 * for misspelt words all use it. */
#ifndef SUITE_CLI_OPTIONS_H
#define SUITE_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "suite/cli/cli.h"

enum option_id {
	OPT_DEVICE = 'd',
	OPT_HELP = 'h',
	OPT_VERBOSE = 'v',
	OPT_REFDUT = 256,
	OPT_CONTROL,
	OPT_WITHOUT,
	OPT_LINK,
	OPT_FAMILY,
	OPT_SPEC,
	OPT_JOBS,
	OPT_SHARD,
	OPT_SEED,
	OPT_REPORT,
	OPT_CAPTURES,
	OPT_CAPTURES_OF,
	OPT_CAPTURES_MAX,
	OPT_EVIDENCE,
	OPT_MAX_TIME,
	OPT_RESULTS,
	OPT_VERDICT,
	OPT_CASE_TIMEOUT,
	OPT_JOURNAL,
	OPT_RESUME,
	OPT_RERUN,
	OPT_DEVIATIONS,
	OPT_UPDATE,
	OPT_DESTRUCTIVE,
	OPT_STRICT,
	OPT_FAIL_FAST,
	OPT_SCALE,
	OPT_FORCE,
	OPT_QUIET,
	OPT_JSON,
	OPT_UNCOVERED,
	OPT_AXES,
	OPT_SECOND,
	OPT_READINGS,
	OPT_SEGMENTATION,
	OPT_JUDGE_PEER,
	OPT_KEYS,
	OPT_CONFINEMENT,
	OPT_NO_CRC,
	OPT_MARKERS,
	OPT_OPS,
	OPT_TIME,
	OPT_STEPS,
	OPT_STREAMS,
	OPT_WEIGHTS,
	OPT_DIMENSION,
	OPT_FINDINGS,
	OPT_PROGRAMS,
	OPT_REPLAY,
	OPT_AS_CASE,
	OPT_ICS,
	OPT_TARGET,
	OPT_PRIVATE_DATA,
	OPT_BUFFER,
	OPT_MEMORY,
	OPT_CONNECT_WITH,
	OPT_MAX_CONNECTIONS,
	OPT_TARGET_ONLY,
	OPT_LISTEN,
	OPT_TO,
	OPT_FAULT,
	OPT_STREAM,
	OPT_FOLLOW,
	OPT_OF_TARGET,
	OPT_OUTPUT = 'o',
};

struct cli_command {
	const char *name;
	enum command command;
	const char *usage; /* its arguments */
	const char *text;  /* its description */
	bool selects;      /* takes selectors */
	bool has_status;   /* more than 0, 2 and 4 */
};

struct cli_option {
	const char *name;
	int argument; /* as in struct option */
	int id;
	unsigned of;       /* commands: 1 << enum command */
	const char *value; /* its value, as in help */
	const char *text;
	bool repeats; /* may be given more than once */
	bool once;    /* left out of the command that runs cases again */
};

/* NULL: no such one. */
const struct cli_command *cli_command_find(const char *name);
const struct cli_option *cli_option_by_id(int id);

/* The short and the long options of a command, for getopt_long(). */
const char *cli_short_options(enum command c);
const struct option *cli_long_options(enum command c);

/* Apply an option with its value to c (cli_take.c). False: one line in why. */
bool cli_take(struct cli *c, int id, char *value, char *why, size_t cap);

/* Appends a suggestion to a line. */
void cli_meant_command(const char *word, char *line, size_t cap);
void cli_meant_option(const char *word, enum command c, char *line, size_t cap);

/* For help: put words from this column on, continue lines at `indent`, and end
 * with a newline. */
void cli_put_words(const char *text, size_t column, size_t indent);
void cli_put_entry(const char *left, const char *text);

#endif
