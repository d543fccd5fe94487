/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plan of a run: the instances to run, in their order, and those that are
 * not applicable to this device, with the reason.
 */
#ifndef SUITE_RUN_PLAN_H
#define SUITE_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/catalogue/registry.h"
#include "suite/run/plan/runner.h"

struct plan {
	bool *selected;    /* by instance, after selectors and shard */
	const char **skip; /* by instance: why not applicable, or NULL */
	uint32_t *order;   /* the instances to run, in this order */
	size_t count;
	size_t selected_count, skipped;
};

/* False: usage error, one line in why. Memory lives with the process. */
bool plan_select(struct plan *p, const struct run_options *o, char *why,
		 size_t cap);

/* Remove instances that the device's claims, the link or the spec rule out, and
 * sort the rest: cases that wait come first, so that their waits overlap. */
void plan_order(struct plan *p, const struct run_options *o, uint64_t claims,
		unsigned link_caps);

/* The deviations say that this case brings the device down. */
bool plan_knows_crash(const struct run_options *o, const struct instance *in);
/* The case runs alone, after all others: it is destructive, or known to crash
 * the device. */
bool plan_is_alone(const struct run_options *o, const struct instance *in);
/* True if the case is applicable to this device, spec and link. */
bool plan_is_applicable(const struct run_options *o, const struct instance *in,
			uint64_t claims, unsigned link_caps);

/* Print the first line of a run on stderr: the number of cases, the device, the
 * link, and the number of cases that are not applicable. */
void plan_print(const struct plan *p, const struct run_options *o,
		const char *link);

#endif
