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

enum rejudged {
	REJUDGED_SAME,    /* no fault is visible that the run did not find */
	REJUDGED_DIFFERS, /* such a fault is visible */
	REJUDGED_UNSHOWN, /* the capture does not show enough */
};

struct rejudged_case {
	enum rejudged what;
	const struct result *now; /* the device's side; NULL: not captured */
	const char *reason;       /* of REJUDGED_UNSHOWN */
	/* Of REJUDGED_DIFFERS: a requirement that the run did not find broken,
	 * a MUST if there is one. */
	const struct result_broken *other;
};

/* The verdict of one case, derived again from the octets of its capture. The
 * data that *out refers to lives until the process ends. */
void rejudge_octets(const struct result *live, const void *octets, size_t n,
		    enum model_profile profile, struct rejudged_case *out);

/*
 * The verdicts of a whole run, from the files that it names. `memory`: as for
 * audit().
 *
 * `past` remains the caller's, and has to live as long as *out: the whole
 * process. False: none of its cases has a readable capture; one line in why. A
 * case is
 *   PASS   if neither the run nor the capture shows a fault,
 *   FAIL   (WARN) if the capture shows a fault, even if the run found none,
 *   SKIP   if the capture does not show enough; the reason says why.
 */
bool rejudge(const struct run_result *past, enum model_profile profile,
	     struct memory_places *memory, struct run_result *out, char *why,
	     size_t cap);

#endif
