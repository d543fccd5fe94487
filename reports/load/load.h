/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of the past, out of the JSON report that it left (schema.json). What
 * json.c writes is all read, so that writing it again gives the same octets;
 * what it would not write is no report and refused: another schema number, a
 * key that is not known, a value of another type, totals that do not count the
 * cases. The file is anybody's: it is a regular one, bounded in size and depth
 * before it is taken apart.
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
