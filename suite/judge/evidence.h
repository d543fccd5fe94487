/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The evidence of a case (struct result) as JSON, and back: this form is used
 * in reports, in journals, and between a worker and the run.
 * reports/schema/schema.json describes it.
 */
#ifndef SUITE_JUDGE_EVIDENCE_H
#define SUITE_JUDGE_EVIDENCE_H

#include <stdbool.h>

#include <jansson.h>

#include "suite/judge/result.h"

/* True if there is any evidence. */
bool evidence_is_there(const struct result *r);

/* To be released by the caller. NULL: out of memory. */
json_t *evidence_json(const struct result *r);

/*
 * Fill in the evidence of *r. *owned gets the memory that it refers to, for
 * evidence_release(); `o` is not needed any more. False: the form is wrong, or
 * there is no memory; then *r has no evidence, and *why is one line.
 */
bool evidence_parse(struct result *r, const json_t *o, void **owned,
		    const char **why);
void evidence_release(void *owned);

#endif
