/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formats a run can be reported in. A writer is a pure function of the
 * run: same run, same octets. It neither opens nor closes anything; how a
 * report gets to its place whole is publish.h.
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/judge/result.h"

struct report_options {
	bool verbose; /* text: every case, not only what went wrong */
	bool colour;  /* text: mark verdicts with terminal colours */
};

struct report_tree; /* reports/tree.h */

struct report_format {
	const char *name;    /* as in --report NAME=PATH */
	const char *summary; /* one line for the help */
	/* 0, or -1 with errno; `out` is then in an undefined state. NULL: it
	 * is a folder of pages, for report_write_tree(). */
	int (*write)(const struct run_result *run,
		     const struct report_options *options, FILE *out);
	/*
	 * A format of two parts, or NULL: this one goes to the path, or is
	 * appended to the file that this variable of the environment names;
	 * what write() has goes to standard output.
	 */
	int (*page)(const struct run_result *run,
		    const struct report_options *options, FILE *out);
	const char *page_variable;
};

/* 0, or -1 with errno; the tree is then to be given up. */
int report_write_tree(const struct report_format *format,
		      const struct run_result *run,
		      const struct report_options *options,
		      struct report_tree *tree);

/* The format of this name, or NULL. */
const struct report_format *report_format_find(const char *name);

/* All formats in the order of the help; NULL behind the last. */
const struct report_format *report_format_at(size_t i);

int report_text(const struct run_result *run,
		const struct report_options *options, FILE *out);
int report_summary(const struct run_result *run,
		   const struct report_options *options, FILE *out);
int report_json(const struct run_result *run,
		const struct report_options *options, FILE *out);
int report_junit(const struct run_result *run,
		 const struct report_options *options, FILE *out);
int report_tap(const struct run_result *run,
	       const struct report_options *options, FILE *out);
int report_sarif(const struct run_result *run,
		 const struct report_options *options, FILE *out);
int report_github(const struct run_result *run,
		  const struct report_options *options, FILE *out);

/*
 * A case's id in two: "mpa/crc/name" is the case "name" of the file
 * "mpa/crc". The length of the file's part, without the slash; 0 if none.
 */
size_t report_file_length(const char *id);

/* What follows the file's part and its slash. */
const char *report_case_name(const char *id);

/* One past the last result of the file that results[first] belongs to. */
size_t report_file_end(const struct run_result *run, size_t first);

/* Whether this case fails the run: a SHOULD does where that is asked for. */
bool report_fails(const struct run_result *run, const struct result *r);

/* Two cases that are told as one: the same blocks them, or the same is all there
 * is to say of why they could not be told. */
bool report_is_like(const struct result *a, const struct result *b);

/* The cases like this one, itself too, if it is the first of them; else 0. */
size_t report_alike(const struct run_result *run, size_t at);

/* To be run again: not all of a run on a device that was not there. */
bool report_is_again(const struct run_result *run, const struct result *r);

/*
 * Whether the run did not end well and nothing else that a report tells says
 * so: no case, finding or deviation. That is told of the run itself, so that
 * nobody sees green beside an exit status that is not 0.
 */
bool report_is_untold(const struct run_result *run);

/* Why, in one line. */
void report_untold(const struct run_result *run, char *line, size_t cap);

/* How many cases were given up with the run, before they began. */
size_t report_not_run(const struct run_result *run);

#define REPORT_TIME_SIZE 40

/* "2026-11-21T02:31:19.042Z": RFC 3339, always UTC. */
void report_time(char text[REPORT_TIME_SIZE], const struct timespec *t);

#endif
