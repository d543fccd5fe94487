/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a past run from its JSON report (schema.json). It reads everything that
 * json.c writes, so that writing it again gives the same octets. It refuses a
 * document that json.c would not write: another schema number, an unknown key,
 * a value of another type, totals that do not match the cases. The file is
 * untrusted: it has to be a regular one, and its size and depth are limited
 * before it is parsed.
 */
#ifndef REPORTS_LOAD_H
#define REPORTS_LOAD_H

#include <stddef.h>

#include "suite/judge/result.h"

/* The number of the schema that the suite writes and reads. */
#define REPORT_SCHEMA 2

/* NULL: one line of why, "path: place: what". */
const struct run_result *report_load(const char *path, char *why, size_t cap);

/* The same for a report in memory; `name` is for messages. */
const struct run_result *report_load_octets(const char *octets, size_t n,
					    const char *name, char *why,
					    size_t cap);

/* Free the run and all data that it refers to. NULL is fine. */
void report_unload(const struct run_result *run);

#endif
