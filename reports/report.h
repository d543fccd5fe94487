/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions for all reports of a run: their options, and facts about a run and
 * its cases that several reports need. format/formats.h has the formats.
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

struct report_options {
	bool verbose; /* text: every case, not only failures */
	bool colour;  /* text: mark verdicts with terminal colours */
};

/*
 * The length of the file's part of a case's id, without the slash; 0 if none:
 * "mpa/crc/name" is the case "name" of the file "mpa/crc".
 */
size_t report_file_length(const char *id);

/* The part after the file's name and its slash. */
const char *report_case_name(const char *id);

/* One past the last result of the file that results[first] belongs to. */
size_t report_file_end(const struct run_result *run, size_t first);

/* True if this case fails the run: a SHOULD does if the run is strict. */
bool report_fails(const struct run_result *run, const struct result *r);

/* True if two cases are reported together: they are blocked by the same case,
 * or the suite could not judge them for the same reason. */
bool report_is_like(const struct result *a, const struct result *b);

/* The number of cases like this one, itself included, if it is the first of
 * them; else 0. */
size_t report_alike(const struct run_result *run, size_t at);

/* True if the case should run again: it failed, or the suite could not judge
 * it, unless the device was unreachable. */
bool report_is_again(const struct run_result *run, const struct result *r);

enum { REPORT_NAMED = 24 }; /* cases, in a command */

/*
 * The command that runs the failed cases again by the report of this run, if
 * there are too many of them to be named; to be freed. NULL: name the cases.
 */
char *report_rerun(const struct run_result *run, size_t cases);

/*
 * True if the exit status is not 0 and nothing else in a report shows why: no
 * case, finding or deviation. The report then has a line about the run itself,
 * so that it never looks like a success.
 */
bool report_is_untold(const struct run_result *run);

/* That line. */
void report_untold(const struct run_result *run, char *line, size_t cap);

/* The number of cases that did not begin, because the run ended before. */
size_t report_not_run(const struct run_result *run);

/* Of the cases that the run was to judge: those that apply to the device, and
 * those of them that were carried out. */
size_t report_applicable(const struct run_result *run);
size_t report_ran(const struct run_result *run);

/* The command that writes the deviations file anew, if entries are stale and the
 * command is known; to be freed; or NULL. */
char *report_anew(const struct run_result *run);

#define REPORT_URI_SIZE 96

/* The URI of "RFC 5044 s4.4". False: it is not a section of an RFC. */
bool report_section_uri(char uri[REPORT_URI_SIZE], const char *section);

#define REPORT_TIME_SIZE 40

/* "2026-11-21T02:31:19.042Z": RFC 3339, always UTC. */
void report_time(char text[REPORT_TIME_SIZE], const struct timespec *t);

#endif
