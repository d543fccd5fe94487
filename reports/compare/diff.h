/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has changed from one run to another.
 *
 * A case fails that is FAIL, ERROR or BLOCKED, the latter but for a known
 * deviation; under --strict of the new run, one that is WARN. A regression is
 *
 *   - a case that did not fail and does: one that passed, warned, was observed
 *     or a known deviation;
 *   - a case that failed and does, with a requirement broken that was not;
 *   - a case that passed and is not there any more, or not applicable any
 *     more, where both runs selected alike: the same selectors, specification,
 *     link and shard;
 *   - what no case accounts for and was not found before.
 *
 * How long a case takes is no judgement: one that takes at least twice as long,
 * and notably longer, is listed, and is no regression.
 *
 * What was not there before is none, whatever came of it: there is nothing
 * that it was better than.
 */
#ifndef REPORTS_DIFF_H
#define REPORTS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

enum diff_kind {
	DIFF_REGRESSION,
	DIFF_MENDED,  /* failed or was known, and passes, warns, is observed */
	DIFF_FAILURE, /* fails as it did, or as ERROR and such, otherwise */
	DIFF_NEW,
	DIFF_GONE,
	DIFF_VERDICT, /* another one, and nothing of the above */
	DIFF_CHOICE,  /* something else chosen, where it may */
	DIFF_KINDS,
};

struct diff_case {
	enum diff_kind kind;
	const struct result *was, *is; /* NULL: not there */
	char *why;                     /* lines */
};

/* What differs in the runs themselves: "link", "socket", "raw". */
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
	bool alike; /* in what was selected */
	struct diff_fact *facts;
	size_t fact_count;
	struct diff_fact *claims; /* and readings */
	size_t claim_count;
	struct diff_case *cases; /* by kind, then by id */
	size_t case_count;
	size_t counts[DIFF_KINDS];
	const char **findings; /* of no case, and new */
	size_t finding_count;
	size_t same;                /* cases of which there is nothing to say */
	struct diff_slower *slower; /* by what they take more, most first */
	size_t slower_count;
};

/* For diff_free(). False: no memory. */
bool diff_runs(const struct run_result *was, const struct run_result *is,
	       struct diff *out);
void diff_free(struct diff *d);

/* Whether there is a regression. */
bool diff_regresses(const struct diff *d);

#endif
