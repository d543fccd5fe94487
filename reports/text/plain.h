/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions for the reports that are lines of plain text. */
#ifndef REPORTS_PLAIN_H
#define REPORTS_PLAIN_H

#include <stdio.h>

#include "suite/judge/result.h"

/* The name of a verdict in a list, in the closing line, and its colour. */
struct plain_look {
	const char *word, *counted, *colour;
};

extern const struct plain_look plain_looks[VERDICT_COUNT];

/* Any text, as part of one line. */
void plain_put(FILE *out, const char *s);

#define PLAIN_WIDTH 80

/*
 * A line for a terminal of that width: text that does not fit continues on the
 * next line, from column `indent` on. It breaks only at blanks. The caller
 * checks for errors with ferror().
 */
struct plain_line {
	FILE *out;
	size_t column, indent;
	size_t blanks; /* not written yet: a line may end before them */
	char *word;    /* not written yet: more of it may follow */
	size_t octets, room;
};

struct plain_line plain_begin(FILE *out, size_t indent);
/* For a line whose first `column` columns are already written. */
struct plain_line plain_go_on(FILE *out, size_t column, size_t indent);
void plain_add(struct plain_line *l, const char *text); /* any text */
void plain_end(struct plain_line *l);

/* Text as lines, each after `indent` blanks; continued lines are indented
 * more. */
void plain_lines(FILE *out, const char *text, size_t indent);

/* Suite, device, link, and the part of the suite that ran. */
void plain_head(const struct run_result *run, FILE *out);

/* The readings of the device's fields, and the number of cases that were judged
 * accordingly. */
void plain_readings(const struct run_result *run, FILE *out);
/* If the run ended early, a line with the reason: once, for all cases. */
void plain_not_run(const struct run_result *run, FILE *out);

/* The number of cases that ran, why no more did, and the findings without a
 * case. */
void plain_brief(const struct run_result *run, FILE *out);
/* The same, with the reasons why cases were not applicable, and how streams
 * ended. */
void plain_totals(const struct run_result *run, FILE *out);

/* How a stream ended, in words. */
const char *plain_teardown(enum teardown t);

/* The number of findings that contradict the statement. */
size_t plain_contradictions(const struct run_result *run);

/* The counts of verdicts, with other failures of the run: the last line; and as
 * a text without a line end, to be freed; NULL: out of memory. */
void plain_counts(const struct run_result *run, FILE *out);
char *plain_counts_text(const struct run_result *run);

#endif
