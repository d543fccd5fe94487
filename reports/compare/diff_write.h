/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison of two runs, for people. */
#ifndef REPORTS_DIFF_WRITE_H
#define REPORTS_DIFF_WRITE_H

#include <stdio.h>

#include "reports/compare/diff.h"
#include "reports/compare/document.h"
#include "reports/report.h"

struct diff_report {
	const struct diff *diff;
	enum document_format format;
};

/* A writer of struct diff_report, for publish.h: 0, or -1 with errno. */
int diff_write(const void *what, const struct report_options *options,
	       FILE *out);

#endif
