/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue: the contents of the suite, without running it. The registry
 * (registry.h) has the linked cases and selects among them; here are their
 * listings (`list`, `show`), and which case judges and which mutant breaks a
 * requirement (`coverage`).
 */
#ifndef SUITE_CATALOGUE_CATALOGUE_H
#define SUITE_CATALOGUE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/catalogue/registry.h"
#include "suite/judge/background.h"

/* selected: by instance; columns: of the terminal, 0: not a terminal, and each
 * case has one line. False: writing failed. */
bool catalogue_list(const bool *selected, bool json, unsigned columns,
		    FILE *out);
bool catalogue_show(const struct instance *in, FILE *out);
/* The known readings (suite/reading/reading.h): name, section, note. */
bool catalogue_readings(FILE *out);
/* selected: by requirement. */
bool catalogue_coverage(const bool *selected, bool json, bool uncovered,
			FILE *out);

/* The same for requirements judged without an agent, by layer and requirement;
 * applicable: by instance. */
bool catalogue_reach(const bool *selected, const bool *applicable, bool json,
		     FILE *out);

/* Everything that a report may contain in addition to the results. */
const struct background *catalogue_background(void);

/* How many mutants and variants of the built-in device there are. */
size_t catalogue_mutants(void);
size_t catalogue_variants(void);

/* The digest of the kill matrix that was published with this program, which
 * records the faults that its cases found; "": unknown. */
const char *catalogue_kill_matrix(void);

#endif
