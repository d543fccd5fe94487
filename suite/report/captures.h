/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The captures of a bundle against the run that they are of: run.json has the
 * SHA-256 of each as the suite wrote it.
 */
#ifndef SUITE_REPORT_CAPTURES_H
#define SUITE_REPORT_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/bundle/bundle.h"
#include "suite/report/objections.h"

/* Those that a bundle has, in the order of their names. */
struct captures {
	struct capture_member {
		char *name;
		char sum[BUNDLE_SUM];
		bool is_named; /* by a case of the run */
	} * of;
	size_t count, room;
};

/* A member of a bundle; others than captures are left out. False: no memory. */
bool captures_add(struct captures *c, const char *name, const char *sum);
void captures_free(struct captures *c);
/* They were added in another order. */
void captures_sort(struct captures *c);

/* Is each the one that a case of the run names, and is none missing? */
void captures_check(struct captures *c, struct objections *o,
		    const struct run_result *run);

#endif
