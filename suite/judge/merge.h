/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the shards of a run into that run. They have to be complete, each
 * present once, and from one suite, one device and one selection: differences
 * are reported. The places and times of all of them are kept.
 */
#ifndef SUITE_JUDGE_MERGE_H
#define SUITE_JUDGE_MERGE_H

#include <stddef.h>

#include "suite/judge/result.h"

/*
 * The n runs, with these names; the data that they refer to has to live as
 * long. Result for merge_free(). NULL: one line in why.
 */
const struct run_result *merge_shards(const struct run_result *const *runs,
				      const char *const *names, size_t n,
				      char *why, size_t cap);
void merge_free(const struct run_result *merged);

#endif
