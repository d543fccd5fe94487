/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a run on a terminal: its verdicts by layer, the worst findings,
 * each with the command that shows it again, one grade, and the totals. If all
 * reports go to files, nothing else is printed.
 */
#ifndef REPORTS_TEXT_CLOSING_H
#define REPORTS_TEXT_CLOSING_H

#include <stdio.h>

#include "reports/report.h"

/* In a text report: the layers and the worst findings; the grade, before the
 * last line. */
void closing_put(const struct run_result *run,
		 const struct report_options *options, FILE *out);

void closing_grade(const struct run_result *run,
		   const struct report_options *options, FILE *out);

/* Without a text report: the same, with the results that belong to no case. */
void closing_alone(const struct run_result *run,
		   const struct report_options *options, FILE *out);

#endif
