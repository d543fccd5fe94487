/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each requirement that the run found broken, once, and which to read first.
 * What other cases rest on stands first, that which explains most before all:
 * it is what to mend first. Behind it a MUST stands before a SHOULD, and what
 * more cases show, themselves or by the golden model, before what fewer do.
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
