/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The differences between two runs.
 *
 * A case fails if it is FAIL, ERROR or BLOCKED, except BLOCKED by a known
 * deviation; with --strict of the new run, also if it is WARN. A regression is
 *
 *   - a case that fails and did not fail before: it passed, warned, was
 *     observed or was a known deviation;
 *   - a case that failed before and now breaks another requirement, too;
 *   - a case that passed and is now missing or not applicable, if both runs
 *     have the same selectors, specification, link and shard;
 *   - a finding without a case that was not found before.
 *
 * The duration of a case is not judged: a case that takes at least twice as
 * long, and notably longer, is listed, but is not a regression.
 *
 * A new case is never a regression, because it was not better before.
 */
#ifndef REPORTS_DIFF_H
#define REPORTS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

enum diff_kind {
	DIFF_REGRESSION,
	DIFF_FIXED,   /* failed or was known, and passes, warns, is observed */
	DIFF_FAILURE, /* failed and fails, in another way; no regression */
	DIFF_NEW,
	DIFF_GONE,
	DIFF_VERDICT, /* another verdict, and none of the above */
	DIFF_CHOICE,  /* another choice of the device */
	DIFF_KINDS,
};

struct diff_case {
	enum diff_kind kind;
	const struct result *was, *is; /* NULL: not there */
	char *why;                     /* lines */
};

/* A difference between the runs themselves: "link", "socket", "raw". */
struct diff_fact {
	const char *what;
	char *was, *is; /* "": nothing */
};

/* A case that ran in both and took longer. */
struct diff_slower {
	const struct result *was, *is;
};

struct diff {
	const struct run_result *was, *is;
	bool alike; /* within the selection */
	struct diff_fact *facts;
	size_t fact_count;
	struct diff_fact *claims; /* and readings */
	size_t claim_count;
	struct diff_case *cases; /* by kind, then by id */
	size_t case_count;
	size_t counts[DIFF_KINDS];
	const char **findings; /* of no case, and new */
	size_t finding_count;
	size_t same;                /* cases without a difference */
	struct diff_slower *slower; /* by the increase, the largest first */
	size_t slower_count;
};

/* For diff_free(). False: no memory. */
bool diff_runs(const struct run_result *was, const struct run_result *is,
	       struct diff *out);
void diff_free(struct diff *d);

/* True if there is a regression. */
bool diff_regresses(const struct diff *d);

#endif
