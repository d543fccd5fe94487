/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each requirement that the run found broken, once, in the order in which to
 * read them. Dependencies of other cases come first, the one that explains most
 * cases before all others: fix it first. After that a MUST comes before a
 * SHOULD, and a requirement that more cases show, themselves or by the golden
 * model, before one that fewer show.
 */
#ifndef REPORTS_RANKING_H
#define REPORTS_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

struct ranked {
	const struct result_broken *example;
	const struct result *in; /* the case of the example */
	size_t cases, known;     /* that show it, of which known */
	size_t own;    /* cases whose own lines broke it, not only the model */
	size_t blocks; /* cases that rest on what breaks it */
	const struct result *last; /* counted */
	const struct result *last_own;
};

/* In that order, for the caller to free(); NULL: no memory. */
struct ranked *report_ranking(const struct run_result *run, size_t *n);

#define RANKING_LEVELS 96

/* How many there are of each level: "84 MUST, 11 SHOULD", or "none". */
void report_levels(char text[RANKING_LEVELS], const struct ranked *of,
		   size_t n);

/* A MUST or MUST NOT. */
bool report_is_must(const struct result_broken *b);

/* How many cases are BLOCKED by this one. */
size_t report_blocked_by(const struct run_result *run, const char *id);

#endif
