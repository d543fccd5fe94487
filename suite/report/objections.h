/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What speaks against a certificate, a line each: for `report verify`, which
 * prints it, and `report bundle`, which seals nothing that would not verify.
 */
#ifndef SUITE_REPORT_OBJECTIONS_H
#define SUITE_REPORT_OBJECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/ics/campaign.h"

struct objections {
	FILE *out;
	size_t count;
};

/* A line that is fit for a terminal, whatever is in `text`. */
void objections_note(struct objections *o, const char *text);
/* The same, and it counts. False, for the caller to return. */
bool objections_add(struct objections *o, const char *text);

/*
 * The required results that a run lacks, and contradictions between the run and
 * its statement. Of similar cases the first 20 are named, and the others are
 * counted.
 */
void objections_of_campaign(struct objections *o, const struct campaign *c,
			    const struct run_result *run);

#endif
