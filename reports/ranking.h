/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each requirement that the run found broken, once, in a useful order. First
 * come those that block other cases; the one that explains most cases is the
 * first: fix it first. After that a MUST comes before a SHOULD, and a
 * requirement that more cases show, by their own lines or by the golden model,
 * comes before one that fewer cases show.
 */
#ifndef REPORTS_RANKING_H
#define REPORTS_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/judge/result.h"

struct ranked {
	const struct result_broken *example;
	const struct result *in;   /* the case of the example */
	size_t cases, known;       /* cases that show it; known ones of these */
	size_t own;                /* cases that show it by their own lines */
	size_t blocks;             /* cases that are BLOCKED because of it */
	const struct result *last; /* the last case counted in `cases` */
	const struct result *last_own;
};

/* In that order, to be freed; NULL: out of memory. */
struct ranked *report_ranking(const struct run_result *run, size_t *n);

#define RANKING_LEVELS 96

/* Their number by level: "84 MUST, 11 SHOULD", or "none". */
void report_levels(char text[RANKING_LEVELS], const struct ranked *of,
		   size_t n);

/* A MUST or MUST NOT. */
bool report_is_must(const struct result_broken *b);

/* The number of cases that are BLOCKED by this one. */
size_t report_blocked_by(const struct run_result *run, const char *id);

#endif
