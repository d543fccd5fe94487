/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The test campaign: the cases that a statement requires, their results in a
 * run, and the protocol conformance test report (PCTR, X.291) about it.
 */
#ifndef SUITE_ICS_CAMPAIGN_H
#define SUITE_ICS_CAMPAIGN_H

#include "suite/ics/due.h"
#include "suite/judge/result.h"

enum campaign_end {
	CAMPAIGN_PASSED,       /* passed, also with observations */
	CAMPAIGN_ALIKE,        /* the responder's case judges it, and passed */
	CAMPAIGN_FAILED,       /* failed, also as a known deviation, and whether
				* it is required or not */
	CAMPAIGN_INCONCLUSIVE, /* it has no result, or could not run */
	CAMPAIGN_NOT_RUN,      /* it is required, and not in the run */
	CAMPAIGN_NOT_SELECTED, /* the statement does not require it */
	CAMPAIGN_ENDS
};

struct campaign_case {
	const struct due_case *due;
	const struct result *result; /* NULL: none */
	enum campaign_end end;
	enum due required;
	char why[DUE_WHY]; /* why it is not required */
};

struct campaign {
	struct campaign_case *cases; /* in the order of their ids */
	size_t count;
	size_t ends[CAMPAIGN_ENDS];
	size_t of[DUE_KINDS]; /* required, and not required for this reason */
	size_t unasked;       /* failed, although not required */
	char *itself, *run;   /* contradictions in the statement, and between it
			     * and the run; or NULL */
};

/* The whole campaign; the data that it refers to has to live as long. False: no
 * memory. */
bool campaign_of(struct campaign *c, const struct ics *s,
		 const struct due_list *due, const struct run_result *run);
void campaign_free(struct campaign *c);

/*
 * Find the next inconsistency within a run, from *at on (0 at first): a verdict
 * that does not match the reported failures, an exit status that does not match
 * the verdicts. True: one line in why, and *at is after it. False: no more.
 */
bool campaign_disagrees(const struct run_result *run, size_t *at, char *why,
			size_t cap);

/* The documents that a run of this statement is about, as text. */
const char *campaign_texts(const struct ics *s, const struct run_result *run);

/* True if no result is missing, and no case has failed. */
bool campaign_is_good(const struct campaign *c, const struct run_result *run);

/* The subject of a report, besides the run. Strings are one line each. */
struct campaign_report {
	const char *suite, *build, *catalogue, *kill_matrix; /* digests */
	size_t requirements, mutants, captures;
	const char *number; /* of the certificate */
	const char *log;    /* digest of the results */
};

/* The supplier's statement about an open requirement; "": none. */
const char *campaign_stated(const struct ics *s, const char *requirement);

#define CAMPAIGN_OBSERVED    8 /* for one requirement, each once */
#define CAMPAIGN_OBSERVATION 512

/* The observed choices for such a requirement. Returns their number. */
size_t campaign_observed(const struct run_result *run, const char *requirement,
			 char text[CAMPAIGN_OBSERVED][CAMPAIGN_OBSERVATION]);

/* The PCTR, as text. False: `out` failed. */
bool campaign_write(const struct campaign *c, const struct ics *s,
		    const struct run_result *run,
		    const struct campaign_report *about, FILE *out);

#endif
