/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The detail of a case, in parts: a finding or a choice is a line with its
 * requirement, and indented lines with what was due and seen. Other lines, for
 * example the meaning of fields under a reading or the program of an
 * exploration, are parts without a requirement.
 */
#ifndef REPORTS_HTML_DETAIL_H
#define REPORTS_HTML_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/judge/result.h"

/* The card among r->broken that has this text of this requirement, or
 * r->broken_count. */
size_t detail_card(const struct result *r, const char *requirement,
		   const char *text);

/* True if detail_put() shows this text of this requirement. */
bool detail_shows(const struct result *r, const char *requirement,
		  const char *text);

/* The parts that neither a card nor a failed line of the case has, each once.
 * After `heading`, if there are any. */
void detail_put(const struct result *r, const char *heading, FILE *out);

#endif
