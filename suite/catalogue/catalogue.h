/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue: what the suite holds, without running it. The registry
 * (registry.h) has the cases that were linked and selects among them; here are
 * the listings of them (`list`, `show`), and which requirement is judged by
 * which case and broken by which mutant (`coverage`).
 */
#ifndef SUITE_CATALOGUE_CATALOGUE_H
#define SUITE_CATALOGUE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/catalogue/registry.h"
#include "suite/judge/background.h"

/* selected: by instance; columns: of the terminal, 0: it is none, and each case
 * has one line. False: writing failed. */
bool catalogue_list(const bool *selected, bool json, unsigned columns,
		    FILE *out);
bool catalogue_show(const struct instance *in, FILE *out);
/* The readings there are (suite/reading/reading.h): name, section, note. */
bool catalogue_readings(FILE *out);
/* selected: by requirement. */
bool catalogue_coverage(const bool *selected, bool json, bool uncovered,
			FILE *out);

/* The same of what is judged without an agent, by layer and requirement;
 * applicable: by instance. */
bool catalogue_reach(const bool *selected, const bool *applicable, bool json,
		     FILE *out);

/* All of it that a report may hold beside what was run. */
const struct background *catalogue_background(void);

/* How many mutants and variants of the built-in device there are. */
size_t catalogue_mutants(void);
size_t catalogue_variants(void);

/* The digest of the kill matrix that was published with this program: what its
 * cases were seen to find; "": it is not known. */
const char *catalogue_kill_matrix(void);

#endif
