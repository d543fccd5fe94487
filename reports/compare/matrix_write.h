/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the devices side by side. The page has all requirements, cases and
 * choices; lines and Markdown have only those in which devices differ.
 */
#ifndef REPORTS_MATRIX_WRITE_H
#define REPORTS_MATRIX_WRITE_H

#include <stdio.h>

#include "reports/compare/document.h"
#include "reports/compare/matrix.h"
#include "reports/report.h"

#define MATRIX_KIND "matrix" /* of its folder (tree.h) */

struct matrix_report {
	const struct matrix *matrix;
	enum document_format format;
	const struct background *background; /* sentences; NULL: only ids */
};

/* A writer of struct matrix_report, for publish.h: 0, or -1 with errno. */
int matrix_write(const void *what, const struct report_options *options,
		 FILE *out);

#endif
