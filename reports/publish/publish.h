/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report reaches its place completely or not at all: it is written next to
 * it, flushed to the disk, and renamed over the old file. Anything but a
 * regular file (a terminal, a pipe, /dev/fd/3) is written to directly.
 *
 * A format of two parts (report.h) writes one to standard output; the other is
 * appended to the file that its environment variable names, if there is no path
 * and the variable is set.
 *
 * A path of NULL or "-" is standard output. Errors come back as -1 and one
 * line of `why`, "path: what went wrong", cut to the size given.
 */
#ifndef REPORTS_PUBLISH_H
#define REPORTS_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/format/formats.h"

/*
 * Whether a report could be published at `path`, for use before anything runs.
 * Creates nothing, and leaves existing files unchanged.
 */
int report_check_path(const char *path, char *why, size_t why_size);

/* The same of a report of this format, which may be a folder of pages, or have
 * another place of its own. */
int report_check_place(const struct report_format *format, const char *path,
		       char *why, size_t why_size);

/* Whether one of two reports would take the other's place: both go to one
 * file, whatever it is called. */
bool report_same_place(const char *one, const char *other);

/* Whether `path` lies in this folder of pages, existing or not: it would
 * prevent the next publication. */
bool report_is_inside(const char *folder, const char *path);

/* Only on a terminal, and not where NO_COLOR is set. */
bool report_colours(FILE *out);

/*
 * 0 once the report is complete at `path`. On failure the old file is still
 * there, and no other file is.
 */
int report_publish(const struct report_format *format,
		   const struct run_result *run, bool verbose, const char *path,
		   char *why, size_t why_size);

/* The same of anything that has a writer. */
struct report_content {
	/* 0, or -1 with errno. */
	int (*write)(const void *what, const struct report_options *options,
		     FILE *out);
	const void *what;
	bool verbose;
};

int report_publish_content(const struct report_content *c, const char *path,
			   char *why, size_t why_size);

#endif
