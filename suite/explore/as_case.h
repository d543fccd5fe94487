/* SPDX-License-Identifier: BSD-2-Clause */
/* A program as the source of a case, which a person then names and shortens. */
#ifndef SUITE_EXPLORE_AS_CASE_H
#define SUITE_EXPLORE_AS_CASE_H

#include <stdio.h>

#include "suite/explore/program.h"

/* The contents of each region at the end, if all of it is determined. */
struct as_case_due {
	uint8_t *octets[PROGRAM_REGIONS]; /* NULL: not known */
	unsigned short req[PROGRAM_REGIONS];
	unsigned short broken; /* the broken requirement, if there was a
			        * fault */
};

/* False: writing failed. */
bool as_case_write(const struct program *p, const struct as_case_due *due,
		   FILE *out);

#endif
