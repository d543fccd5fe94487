/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The formats of a run's report. A writer is a pure function of the run: same
 * run, same octets. It neither opens nor closes anything; publish.h moves a
 * complete report to its place.
 */
#ifndef REPORTS_FORMAT_FORMATS_H
#define REPORTS_FORMAT_FORMATS_H

#include <stdio.h>

#include "reports/report.h"

struct report_tree; /* reports/tree.h */

struct report_format {
	const char *name;    /* as in --report NAME=PATH */
	const char *summary; /* one line for the help */
	/* 0, or -1 with errno; `out` is then in an undefined state. NULL: the
	 * report is a folder of pages, for report_write_tree(). */
	int (*write)(const struct run_result *run,
		     const struct report_options *options, FILE *out);
	/*
	 * The second part of a format with two parts, or NULL. It goes to the
	 * path, or is appended to the file that this variable of the
	 * environment names; the output of write() goes to standard output.
	 */
	int (*page)(const struct run_result *run,
		    const struct report_options *options, FILE *out);
	const char *page_variable;
};

/* 0, or -1 with errno; then the caller gives up the tree. */
int report_write_tree(const struct report_format *format,
		      const struct run_result *run,
		      const struct report_options *options,
		      struct report_tree *tree);

/* The format of this name, or NULL. */
const struct report_format *report_format_find(const char *name);

/* All formats in the order of the help; NULL after the last. */
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

#endif
