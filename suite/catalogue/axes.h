/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The points of the axes (suite/dimension/axes.h) at which the cases of a run
 * have judged each requirement, and its gaps with their reasons: the points
 * that the requirement has and that are not covered.
 *
 * A point is covered if a case had met it when it judged the requirement. An
 * edge of a quantity is a gap only if no requirement of its section has met it,
 * because these requirements are about the same field. The layer, the actor and
 * the words of a requirement's sentence determine its axes (axes_words.def).
 * axes_gaps.def has the reasons.
 */
#ifndef SUITE_CATALOGUE_AXES_H
#define SUITE_CATALOGUE_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/dimension/axes.h"
#include "suite/judge/result.h"
#include "suite/req/req.h"

/* The points at which the rule of this row can be tested. */
struct axes axes_of_requirement(const struct req *r);

/* Print the axes of the requirements that one of these runs has judged.
 * `requirements` has REQ_COUNT flags: the requirements to print. False: writing
 * failed. */
bool catalogue_axes(const bool *requirements,
		    const struct run_result *const *runs, size_t n, bool json,
		    FILE *out);

#endif
