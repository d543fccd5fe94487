/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by all reports of a run: their options, and their common statements
 * about a run and its cases. format/formats.h has the formats.
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
 * A case's id in two: "mpa/crc/name" is the case "name" of the file
 * "mpa/crc". The length of the file's part, without the slash; 0 if none.
 */
size_t report_file_length(const char *id);

/* The part after the file's name and its slash. */
const char *report_case_name(const char *id);

/* One past the last result of the file that results[first] belongs to. */
size_t report_file_end(const struct run_result *run, size_t first);

/* Whether this case fails the run: a SHOULD does if requested. */
bool report_fails(const struct run_result *run, const struct result *r);

/* Two cases that are reported together: they are blocked by the same case, or
 * have the same reason why they could not be judged, and nothing else to
 * report. */
bool report_is_like(const struct result *a, const struct result *b);

/* The cases like this one, itself too, if it is the first of them; else 0. */
size_t report_alike(const struct run_result *run, size_t at);

/* To be run again: not all of a run on a device that was not there. */
bool report_is_again(const struct run_result *run, const struct result *r);

/*
 * The command that runs again what failed in so many cases, where these are
 * too many to be named, by the report of this run; for the caller to free().
 * NULL: name them.
 */
char *report_rerun(const struct run_result *run, size_t cases);

/*
 * Whether the run did not end well and nothing else in a report shows it: no
 * case, finding or deviation. The run itself then reports it, so that nobody
 * sees green with an exit status that is not 0.
 */
bool report_is_untold(const struct run_result *run);

/* Why, in one line. */
void report_untold(const struct run_result *run, char *line, size_t cap);

/* How many cases were given up with the run, before they began. */
size_t report_not_run(const struct run_result *run);

#define REPORT_URI_SIZE 96

/* Where "RFC 5044 s4.4" can be read. False: it is not a section of an RFC. */
bool report_section_uri(char uri[REPORT_URI_SIZE], const char *section);

#define REPORT_TIME_SIZE 40

/* "2026-11-21T02:31:19.042Z": RFC 3339, always UTC. */
void report_time(char text[REPORT_TIME_SIZE], const struct timespec *t);

#endif
