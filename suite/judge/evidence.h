/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The evidence of a case (struct result) as JSON, and back: the one form in
 * which it stands in a report, in a journal, and on its way from a worker.
 * reports/schema/schema.json says what it is.
 */
#ifndef SUITE_JUDGE_EVIDENCE_H
#define SUITE_JUDGE_EVIDENCE_H

#include <stdbool.h>

#include <jansson.h>

#include "suite/judge/result.h"

/* Whether there is any. */
bool evidence_is_there(const struct result *r);

/* To be released by the caller; NULL: no memory. */
json_t *evidence_json(const struct result *r);

/*
 * Fill in the evidence of *r. What it refers to is *owned, for
 * evidence_release(); `o` is needed no longer. False: it is not of that form,
 * or there is no memory: *r has none then, and why is one line.
 */
bool evidence_parse(struct result *r, const json_t *o, void **owned,
		    const char **why);
void evidence_release(void *owned);

#endif
