/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of a run as a whole. The rules are the same for a run, a merged
 * report, and a report that was read. */
#ifndef SUITE_JUDGE_WHOLE_H
#define SUITE_JUDGE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

/* Mark the cases that are blocked by a known deviation (block_known). */
void whole_know_blocks(struct result *results, size_t n);

/* True if a case is blocked by a failure that no deviation lists. */
bool whole_is_blocked(const struct run_result *run);

/* The number of cases other than SKIP, BLOCKED and ERROR. */
size_t whole_executed(const struct run_result *run);

/* True if failed cases determine the result of the run, and not the cases that
 * could not be judged (the host was late, the agent was gone). A case that
 * brought the device down without breaking a requirement counts only if the run
 * continued after it. */
bool whole_is_told_by_a_failure(const struct run_result *run);

/* True if anything in it fails the run. */
bool whole_fails(const struct run_result *run);

#endif
