/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verdicts of a past run, derived again from its captures: `warpspec
 * rejudge`. The side that was the device is audited; what that comes to stands
 * beside what the run came to.
 */
#ifndef SUITE_AUDIT_REJUDGE_H
#define SUITE_AUDIT_REJUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"
#include "suite/model/model.h"

/*
 * `past` stays the caller's, and has to live as long as *out: the whole
 * process. False: none of its cases has a capture that can be read; one line in
 * why. A case is
 *   PASS   where both found nothing,
 *   FAIL   (WARN) where the capture shows what is wrong, whatever the run said,
 *   SKIP   where it does not show enough, the reason says what.
 */
bool rejudge(const struct run_result *past, enum model_profile profile,
	     struct run_result *out, char *why, size_t cap);

#endif
