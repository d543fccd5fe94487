/* SPDX-License-Identifier: BSD-2-Clause */
/* Which values of a dimension a run has met, and which never, in few words. */
#ifndef REPORTS_DIMENSIONS_H
#define REPORTS_DIMENSIONS_H

#include <stdio.h>

#include "suite/judge/result.h"

#define DIMENSIONS_RANGE 48 /* octets of its text, with NUL */

/*
 * The next range of values that occurred, or did not, from *at on: in "0-9"
 * each value occurred, in "10..14" at least one; of values that never occurred,
 * "10-62" means each. False: there is none left.
 */
bool dimensions_next(const struct result_dimension *d, bool met, size_t *at,
		     char text[DIMENSIONS_RANGE]);

/* A value, or a class of them. */
void dimensions_say(const struct result_values *v, char text[DIMENSIONS_RANGE]);

/* How many values and classes of them, and how many of them were met. */
size_t dimensions_met_of(const struct result_dimension *d);

/* All of them, for a person. */
void dimensions_put(const struct run_result *run, FILE *out);

#endif
