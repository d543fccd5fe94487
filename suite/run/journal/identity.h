/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which run a journal is of. What a verdict rests on has to be the same for
 * it to be taken over: suite and build, device, link, specification, what the
 * device claims, what its agent says of itself. What only chooses among the
 * cases - selectors, shard, seed - may differ.
 */
#ifndef SUITE_RUN_IDENTITY_H
#define SUITE_RUN_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/testbed.h"
#include "suite/run/plan/runner.h"

struct identity;

/* What is known before the agent was asked. NULL: no memory. */
struct identity *identity_of(const struct run_options *o, const char *link);
/* And what it says. */
void identity_add_agent(struct identity *id, const struct testbed *bed);
/* And what else has to be the same. */
void identity_add(struct identity *id, const char *key, const char *value);
void identity_free(struct identity *id); /* NULL is fine */

/* The first line of a journal, to be freed; NULL: no memory. */
char *identity_line(const struct identity *id);

/*
 * Whether the first line of another journal is of such a run, as far as it is
 * known. False: one line in why that tells what differs. What was chosen in
 * another way goes to `otherwise`: a few words, or "".
 */
bool identity_is(const struct identity *id, const char *line, size_t n,
		 char *otherwise, size_t otherwise_cap, char *why, size_t cap);

#endif
