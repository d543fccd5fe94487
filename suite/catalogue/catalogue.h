/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The catalogue: the contents of the suite, without running it. The registry
 * (registry.h) has the linked cases and selects among them. This header has
 * their listings (`list`, `show`), and for each requirement the cases that
 * judge it and the mutants that break it (`coverage`).
 */
#ifndef SUITE_CATALOGUE_CATALOGUE_H
#define SUITE_CATALOGUE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/catalogue/registry.h"
#include "suite/judge/background.h"
#include "suite/judge/result.h"

/* Keep only the selected instances that can run on this link; `link` is the
 * word of --link. */
void catalogue_on_link(bool *selected, const char *link);
/* Keep only the cases with one of these verdicts in this run: words separated
 * by commas, as in reports. False: a word is not a verdict, or no case of the
 * run has it; one line in why. */
bool catalogue_with_verdict(bool *selected, const struct run_result *run,
			    const char *verdicts, char *why, size_t cap);

/* selected: by instance; run: the run whose verdicts are shown, or NULL;
 * columns: of the terminal, 0: not a terminal, and each case has one line.
 * False: writing failed. */
bool catalogue_list(const bool *selected, const struct run_result *run,
		    bool json, unsigned columns, FILE *out);
bool catalogue_show(const struct instance *in, FILE *out);
/* The known readings (suite/reading/reading.h): name, section, note. */
bool catalogue_readings(FILE *out);
/* The options of coverage. */
struct coverage_of {
	const bool *requirements, *cases; /* only these, by their numbers */
	const struct run_result *run; /* its verdicts are counted; or NULL */
	bool judged_only;             /* only if one of these cases judges it */
	bool json, uncovered;
};

bool catalogue_coverage(const struct coverage_of *of, FILE *out);

/* The same for requirements judged without an agent, by layer and requirement;
 * applicable: by instance. */
bool catalogue_reach(const bool *selected, const bool *applicable, bool json,
		     FILE *out);

/* Everything that a report may contain in addition to the results. */
const struct background *catalogue_background(void);

/* The numbers of mutants and variants of the built-in device. */
size_t catalogue_mutants(void);
size_t catalogue_variants(void);

/* The digest of the kill matrix that was published with this program, which
 * records the faults that its cases found; "": unknown. */
const char *catalogue_kill_matrix(void);

#endif
