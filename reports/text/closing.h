/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a run ends on a terminal: its verdicts by layer, the worst of what it
 * found with the command that shows it again, one grade, and the totals. Where
 * all reports go to files this is all that a person sees.
 */
#ifndef REPORTS_TEXT_CLOSING_H
#define REPORTS_TEXT_CLOSING_H

#include <stdio.h>

#include "reports/report.h"

/* In a text report: layers and the worst; and before the last line, the
 * grade. */
void closing_put(const struct run_result *run,
		 const struct report_options *options, FILE *out);

void closing_grade(const struct run_result *run,
		   const struct report_options *options, FILE *out);

/* Without a text report: the same, with what the run came to beside its
 * cases. */
void closing_alone(const struct run_result *run,
		   const struct report_options *options, FILE *out);

#endif
