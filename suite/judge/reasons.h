/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why cases were not applicable, in few words: the reasons of a run's SKIPs,
 * each with the number of its cases. A case that lacks several features counts
 * for the one that most of such cases lack.
 */
#ifndef SUITE_JUDGE_REASONS_H
#define SUITE_JUDGE_REASONS_H

#include <stddef.h>

#include "suite/judge/result.h"

/* What a reason begins with that names features, joined by ", ". */
#define REASON_UNCLAIMED "the device does not claim "

/* Most cases first, then by name. *n of them, to be freed as one block; NULL
 * where there is none, or no memory. */
struct result_reason *reasons_of(const struct result *results, size_t count,
				 size_t *n);

#endif
