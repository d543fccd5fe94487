/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The captures of a bundle against the run that they are of: run.json has the
 * SHA-256 of each as the suite wrote it, and no capture may show a fault that
 * the run does not report.
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
		const struct result *of_case; /* that names it; or NULL */
	} * of;
	size_t count, room;
	/* Verdicts derived again; captures that do not show enough for that. */
	size_t judged, unshown;
	size_t contradicting; /* of those judged */
};

/* A member of a bundle; others than captures are left out. False: no memory. */
bool captures_add(struct captures *c, const char *name, const char *sum);
void captures_free(struct captures *c);
/* They were added in another order. */
void captures_sort(struct captures *c);

/* Is each the one that a case of the run names, and is none missing? */
void captures_check(struct captures *c, struct objections *o,
		    const struct run_result *run);

/*
 * Derive the verdict of a case again from the octets of its capture, after
 * captures_check(). An objection where it shows a MUST broken that the run
 * reports nowhere.
 */
void captures_judge(struct captures *c, struct objections *o,
		    const struct run_result *run, const char *name,
		    const void *octets, size_t n);
/* What came of that, in one line. */
void captures_conclude(const struct captures *c, char *line, size_t cap);

#endif
