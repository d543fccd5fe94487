/* SPDX-License-Identifier: BSD-2-Clause */
/* What results come to together, by the same rules wherever they are from. */
#ifndef SUITE_JUDGE_WHOLE_H
#define SUITE_JUDGE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

/* What is blocked by a known deviation is known, too. */
void whole_know_blocks(struct result *results, size_t n);

/* Whether one is blocked by something that no deviation is listed for. */
bool whole_is_blocked(const struct run_result *run);

/* Those that a verdict was found for. */
size_t whole_executed(const struct run_result *run);

/* Whether a case failed, so that others which could not be judged (it was late,
 * the agent was gone) do not say how the run ended. A device that went down,
 * and broke no requirement by it, says so only where the run went on. */
bool whole_is_told_by_a_failure(const struct run_result *run);

/* Whether anything in it fails the run. */
bool whole_fails(const struct run_result *run);

#endif
