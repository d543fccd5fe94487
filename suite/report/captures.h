/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the captures of a bundle against their run: run.json has the SHA-256
 * of each capture as the suite wrote it, and no capture may show a fault that
 * the run does not report.
 */
#ifndef SUITE_REPORT_CAPTURES_H
#define SUITE_REPORT_CAPTURES_H

#include <stdbool.h>
#include <stddef.h>

#include "reports/bundle/bundle.h"
#include "suite/report/objections.h"

/* The captures in a bundle, in the order of their names. */
struct captures {
	struct capture_member {
		char *name;
		char sum[BUNDLE_SUM];
		const struct result *of_case; /* names it; or NULL */
	} * of;
	size_t count, room;
	/* Verdicts derived again; captures that do not show enough for that. */
	size_t judged, unshown;
	size_t contradicting; /* of those judged */
};

/* Add a member of a bundle, if it is a capture. False: no memory. */
bool captures_add(struct captures *c, const char *name, const char *sum);
void captures_free(struct captures *c);
/* Call it if they were added in another order. */
void captures_sort(struct captures *c);

/* Check that a case of the run names each capture, and that none is missing. */
void captures_check(struct captures *c, struct objections *o,
		    const struct run_result *run);

/*
 * Derive the verdict of a case again from the octets of its capture, after
 * captures_check(). It is an objection if the capture shows a broken MUST that
 * the run does not report anywhere.
 */
void captures_judge(struct captures *c, struct objections *o,
		    const struct run_result *run, const char *name,
		    const void *octets, size_t n);
/* The result of these judgements, in one line. */
void captures_conclude(const struct captures *c, char *line, size_t cap);

#endif
