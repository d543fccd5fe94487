/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdicts of a past run, derived again from its captures: `warpspec
 * rejudge`. The device's side is audited, and the result is compared with that
 * of the run.
 */
#ifndef SUITE_AUDIT_REJUDGE_H
#define SUITE_AUDIT_REJUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/audit/memory.h"
#include "suite/judge/result.h"
#include "suite/model/model.h"

/*
 * `memory`: as for audit(). `past` remains the caller's, and has to live as long as *out: the whole
 * process. False: none of its cases has a readable capture; one line in why. A
 * case is
 *   PASS   if neither found anything,
 *   FAIL   (WARN) if the capture shows a fault, whatever the run found,
 *   SKIP   if the capture does not show enough; the reason says what.
 */
bool rejudge(const struct run_result *past, enum model_profile profile,
	     struct memory_place *memory, struct run_result *out, char *why,
	     size_t cap);

#endif
