/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shards of a run as the run that they are of. They have to be all of it,
 * each once, and of one suite, one device and one selection: what differs is
 * named. Where they ran and when is kept of all of them.
 */
#ifndef SUITE_JUDGE_MERGE_H
#define SUITE_JUDGE_MERGE_H

#include <stddef.h>

#include "suite/judge/result.h"

/*
 * The n runs, called by these names; what they refer to has to live as long.
 * For merge_free(); NULL: one line of why.
 */
const struct run_result *merge_shards(const struct run_result *const *runs,
				      const char *const *names, size_t n,
				      char *why, size_t cap);
void merge_free(const struct run_result *merged);

#endif
