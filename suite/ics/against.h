/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A statement held against itself, against the device that it is about, and
 * against what the wire showed of it. What contradicts is reported as a finding
 * of a run is: one line, and one for each contradiction, indented below it.
 */
#ifndef SUITE_ICS_AGAINST_H
#define SUITE_ICS_AGAINST_H

#include "suite/ics/ics.h"
#include "suite/judge/result.h"

/* Each returns what is to be freed, or NULL: nothing contradicts. */

/* X.296's static conformance: what is mandatory is stated, and no item
 * contradicts another. */
char *ics_against_itself(const struct ics *s);

/* What a run is of, as far as a statement is about it. */
struct ics_run {
	const struct device *device;
	const struct agent_hello *hello;
	uint64_t claims; /* the agent's, as the device file overrides them */
	const char *spec, *link;
	bool destructive;
};
char *ics_against_device(const struct ics *s, const struct ics_run *r);

/* A run of the past, which knows less. */
char *ics_against_run(const struct ics *s, const struct run_result *run);

/*
 * What came of the cases. Notes, if there are any, are lines that contradict
 * nothing by themselves: NULL, or to be freed too.
 */
char *ics_against_wire(const struct ics *s, uint64_t claims,
		       const struct result *results, size_t count,
		       char **notes);

#endif
