/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objections to a certificate, one line each: `report verify` prints them,
 * and `report bundle` creates no bundle that would not verify.
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

/* Print a line that is safe on a terminal; `text` may have any octets. */
void objections_note(struct objections *o, const char *text);
/* The same, and count it as an objection. Returns false, for the caller to
 * return. */
bool objections_add(struct objections *o, const char *text);

/*
 * The required results that a run lacks, and contradictions between the run and
 * its statement. Of similar cases the first 20 are named, and the others are
 * counted.
 */
void objections_of_campaign(struct objections *o, const struct campaign *c,
			    const struct run_result *run);

#endif
