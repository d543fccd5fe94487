/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report reaches its place completely or not at all: it is written to a file
 * next to that place, flushed to the disk, and renamed over the old file.
 * Anything but a regular file (a terminal, a pipe, /dev/fd/3) is written to
 * directly.
 *
 * A format of two parts (report.h) writes one to standard output; the other is
 * appended to the file that its environment variable names, if there is no path
 * and the variable is set.
 *
 * A path of NULL or "-" is standard output. On an error the functions return
 * -1, with one line in `why`, "path: reason", cut to the given size.
 */
#ifndef REPORTS_PUBLISH_H
#define REPORTS_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/format/formats.h"

/*
 * Check whether a report can be published at `path`, before anything runs.
 * Creates nothing, and leaves existing files unchanged.
 */
int report_check_path(const char *path, char *why, size_t why_size);

/* The same for a report of this format, which may be a folder of pages, or have
 * another place of its own. */
int report_check_place(const struct report_format *format, const char *path,
		       char *why, size_t why_size);

/* True if one of two reports would overwrite the other: both paths lead to the
 * same file. */
bool report_same_place(const char *one, const char *other);

/* True if `path` is in this folder of pages, whether or not the folder exists:
 * a file there would prevent the next publication. */
bool report_is_inside(const char *folder, const char *path);

/* True if `out` is a terminal with colours and NO_COLOR is not set. */
bool report_colours(FILE *out);

/*
 * 0 once the report is complete at `path`. On failure the old file is still
 * there, and no other file is.
 */
int report_publish(const struct report_format *format,
		   const struct run_result *run, bool verbose, const char *path,
		   char *why, size_t why_size);

/* The same for anything that has a writer. */
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
