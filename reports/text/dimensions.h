/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of a dimension that occurred in a run, and those that never did,
 * in short. */
#ifndef REPORTS_DIMENSIONS_H
#define REPORTS_DIMENSIONS_H

#include <stdio.h>

#include "suite/judge/result.h"

#define DIMENSIONS_RANGE 48 /* octets of the text of a range, with a NUL */

/*
 * The next range of values that occurred (`met`), or did not, from *at on. In
 * "0-9" each value occurred, in "10..14" at least one did. For values that
 * never occurred, "10-62" means all of them. False: there is no further range.
 */
bool dimensions_next(const struct result_dimension *d, bool met, size_t *at,
		     char text[DIMENSIONS_RANGE]);

/* A value, or a class of them. */
void dimensions_say(const struct result_values *v, char text[DIMENSIONS_RANGE]);

/* The number of values, and classes of values, that occurred. */
size_t dimensions_met_of(const struct result_dimension *d);

/* Print all dimensions. */
void dimensions_put(const struct run_result *run, FILE *out);

#endif
