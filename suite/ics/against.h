/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks a statement for consistency: in itself, with its device, and with the
 * observed traffic. Contradictions are reported like findings of a run: one
 * line, and an indented one for each contradiction.
 */
#ifndef SUITE_ICS_AGAINST_H
#define SUITE_ICS_AGAINST_H

#include "suite/ics/ics.h"
#include "suite/judge/result.h"

/* Each returns a text to be freed, or NULL: no contradiction. */

/* X.296's static conformance: mandatory items are stated, and no item
 * contradicts another. */
char *ics_against_itself(const struct ics *s);

/* The facts about a run that a statement covers. */
struct ics_run {
	const struct device *device;
	const struct agent_hello *hello;
	uint64_t claims; /* the agent's, as the device file overrides them */
	const char *spec, *link;
	bool destructive;
};
char *ics_against_device(const struct ics *s, const struct ics_run *r);

/* A past run, with fewer known facts. */
char *ics_against_run(const struct ics *s, const struct run_result *run);

/*
 * The results of the cases. *notes gets lines that are not contradictions, to
 * be freed, too, or NULL.
 */
char *ics_against_wire(const struct ics *s, uint64_t claims,
		       const struct result *results, size_t count,
		       char **notes);

#endif
