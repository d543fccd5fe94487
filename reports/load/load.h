/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a past run from its JSON report (schema.json). Everything that json.c
 * writes is read, so that writing it again gives the same octets; a document
 * that json.c would not write is refused: another schema number, an unknown
 * key, a value of another type, totals that do not match the cases. The file is
 * untrusted: it has to be a regular one, and is limited in size and depth
 * before it is parsed.
 */
#ifndef REPORTS_LOAD_H
#define REPORTS_LOAD_H

#include <stddef.h>

#include "suite/judge/result.h"

/* The number of the shape that is written and read. */
#define REPORT_SCHEMA 2

/* NULL: one line of why, "path: place: what". */
const struct run_result *report_load(const char *path, char *why, size_t cap);

/* The same of a report in memory; `name` is for messages. */
const struct run_result *report_load_octets(const char *octets, size_t n,
					    const char *name, char *why,
					    size_t cap);

/* With all that it refers to. NULL is nothing. */
void report_unload(const struct run_result *run);

#endif
