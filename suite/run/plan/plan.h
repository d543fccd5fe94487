/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a run sets out to do: which instances, in which order, and which are
 * not applicable to this device and why.
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
	uint32_t *order;   /* what is to be executed, in this order */
	size_t count;
	size_t selected_count, skipped;
};

/* False: usage error, one line in why. Memory lives with the process. */
bool plan_select(struct plan *p, const struct run_options *o, char *why,
		 size_t cap);

/* Take out what the device's claims, the link or the spec rule out, and put
 * the rest in order: cases that wait first, so that their waits overlap. */
void plan_order(struct plan *p, const struct run_options *o, uint64_t claims,
		unsigned link_caps);

/* The deviations say that this case brings the device down. */
bool plan_knows_crash(const struct run_options *o, const struct instance *in);
/* It runs with nothing beside it, after all others: so, or destructive. */
/* Whether the case is one for this device, spec and link. */
bool plan_is_applicable(const struct run_options *o, const struct instance *in,
			uint64_t claims, unsigned link_caps);
bool plan_is_alone(const struct run_options *o, const struct instance *in);

/* The first line of a run, on stderr: how many cases, on which device and
 * link, and how many more are not applicable to it. */
void plan_print(const struct plan *p, const struct run_options *o,
		const char *link);

#endif
