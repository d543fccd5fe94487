/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why cases were not applicable, in short: the reasons of a run's SKIPs, each
 * with the number of its cases. A case that lacks several features counts for
 * the one that most such cases lack.
 */
#ifndef SUITE_JUDGE_REASONS_H
#define SUITE_JUDGE_REASONS_H

#include <stddef.h>

#include "suite/judge/result.h"

/* The beginning of a reason that names features, joined by ", ". */
#define REASON_UNCLAIMED "the device does not claim "

/* Most cases first, then by name. *n reasons, to be freed as one block. NULL:
 * none, or no memory. */
struct result_reason *reasons_of(const struct result *results, size_t count,
				 size_t *n);

#endif
