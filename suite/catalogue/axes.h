/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which points of which axes (suite/dimension/axes.h) the cases of each
 * requirement have covered in a run, and which of those that it has are left:
 * its gaps, with their reasons.
 *
 * What was covered is what the cases had met when they judged the requirement.
 * An edge of a quantity is a gap only if no requirement of its section has met
 * it: they are about the same field. Which axes a requirement has follows from its layer, its actor and the words
 * of its sentence (axes_words.def). Reasons are in axes_gaps.def.
 */
#ifndef SUITE_CATALOGUE_AXES_H
#define SUITE_CATALOGUE_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/dimension/axes.h"
#include "suite/judge/result.h"
#include "suite/req/req.h"

/* The points that a rule of this row can be tested at. */
struct axes axes_of_requirement(const struct req *r);

/* Print the axes of the requirements that one of these runs has judged.
 * `requirements` has REQ_COUNT flags: which of them to print. False: writing
 * failed. */
bool catalogue_axes(const bool *requirements,
		    const struct run_result *const *runs, size_t n, bool json,
		    FILE *out);

#endif
