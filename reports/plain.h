/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reports that are lines for a person have in common. */
#ifndef REPORTS_PLAIN_H
#define REPORTS_PLAIN_H

#include <stdio.h>

#include "suite/judge/result.h"

/* What a verdict is called in a list, in the closing line, and its colour. */
struct plain_look {
	const char *word, *counted, *colour;
};

extern const struct plain_look plain_looks[VERDICT_COUNT];

/* Any text, as one line's. */
void plain_put(FILE *out, const char *s);

/* Suite, device, link. */
void plain_head(const struct run_result *run, FILE *out);

/* What the device does to its fields, and how many cases were judged so. */
void plain_readings(const struct run_result *run, FILE *out);

/* How many ran, why no more did, why some were not applicable, how streams
 * ended, the verdicts' counts. */
void plain_totals(const struct run_result *run, FILE *out);

#endif
