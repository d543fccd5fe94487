/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of several results together, by the same rules wherever they come
 * from. */
#ifndef SUITE_JUDGE_WHOLE_H
#define SUITE_JUDGE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

/* A case blocked by a known deviation is known, too. */
void whole_know_blocks(struct result *results, size_t n);

/* Whether a case is blocked by a failure that no deviation lists. */
bool whole_is_blocked(const struct run_result *run);

/* The cases that have a verdict. */
size_t whole_executed(const struct run_result *run);

/* Whether a case failed, so that others that could not be judged (the host was
 * late, the agent was gone) do not determine how the run ended. A device that
 * went down without breaking a requirement counts only if the run continued. */
bool whole_is_told_by_a_failure(const struct run_result *run);

/* Whether anything in it fails the run. */
bool whole_fails(const struct run_result *run);

#endif
