/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity of the run of a journal. A run may take over a verdict only if
 * everything that it depends on is the same: suite and build, device, link,
 * specification, the claims of the device, and its description by the agent.
 * The selection of cases (selectors, shard, seed) may differ.
 */
#ifndef SUITE_RUN_IDENTITY_H
#define SUITE_RUN_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/testbed.h"
#include "suite/run/plan/runner.h"

struct identity;

/* The facts that are known before the agent answers. NULL: out of memory. */
struct identity *identity_of(const struct run_options *o, const char *link);
/* Add the agent's answer. */
void identity_add_agent(struct identity *id, const struct testbed *bed);
/* Add one more key that has to be the same. */
void identity_add(struct identity *id, const char *key, const char *value);
void identity_free(struct identity *id); /* NULL is fine */

/* The first line of a journal, to be freed; NULL: out of memory. */
char *identity_line(const struct identity *id);

/*
 * True if the first line of another journal belongs to the same run, as far as
 * this one is known. False: why gets one line with the difference. `otherwise`
 * gets a few words about a different selection of cases, or "".
 */
bool identity_is(const struct identity *id, const char *line, size_t n,
		 char *otherwise, size_t otherwise_cap, char *why, size_t cap);

#endif
