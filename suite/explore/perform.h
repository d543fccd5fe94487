/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program is performed as a case is: on a device, in step with the golden
 * model, judged by requirement.
 */
#ifndef SUITE_EXPLORE_PERFORM_H
#define SUITE_EXPLORE_PERFORM_H

#include "suite/explore/program.h"
#include "suite/language/instance.h"

/* What it was performed as, and how far: filled in by that. */
struct performance {
	const struct program *program;
	unsigned operations; /* done, and compared */
};

/* An instance that performs it; `id` and the performance outlive it. */
struct instance perform_as(struct performance *p, const char *id);

#endif
