/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the reports that are lines for people. */
#ifndef REPORTS_PLAIN_H
#define REPORTS_PLAIN_H

#include <stdio.h>

#include "suite/judge/result.h"

/* The name of a verdict in a list, in the closing line, and its colour. */
struct plain_look {
	const char *word, *counted, *colour;
};

extern const struct plain_look plain_looks[VERDICT_COUNT];

/* Any text, as one line's. */
void plain_put(FILE *out, const char *s);

#define PLAIN_WIDTH 80

/*
 * A line for a terminal of that width: text that does not fit continues below,
 * from column `indent` on. It breaks at blanks only. Errors are left to
 * ferror().
 */
struct plain_line {
	FILE *out;
	size_t column, indent;
	size_t blanks; /* not written yet: a line may end before them */
	char *word;    /* neither is this: more of it may come */
	size_t octets, room;
};

struct plain_line plain_begin(FILE *out, size_t indent);
/* For a line of which `column` columns are written. */
struct plain_line plain_go_on(FILE *out, size_t column, size_t indent);
void plain_add(struct plain_line *l, const char *text); /* any text */
void plain_end(struct plain_line *l);

/* Text as lines, each after `indent` blanks; continued lines are indented
 * more. */
void plain_lines(FILE *out, const char *text, size_t indent);

/* Suite, device, link, and what of the suite was run. */
void plain_head(const struct run_result *run, FILE *out);

/* The device's encoding of its fields, and how many cases were judged
 * accordingly. */
void plain_readings(const struct run_result *run, FILE *out);
/* That the run ended early, if it did, and why: once, for all cases. */
void plain_not_run(const struct run_result *run, FILE *out);

/* How many ran, why no more did, and the findings without a case. */
void plain_brief(const struct run_result *run, FILE *out);
/* The same, and why some were not applicable, how streams ended. */
void plain_totals(const struct run_result *run, FILE *out);

/* The counts of verdicts, with other failures of the run: the last line. */
void plain_counts(const struct run_result *run, FILE *out);

#endif
