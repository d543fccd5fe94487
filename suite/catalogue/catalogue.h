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
#include "suite/judge/result.h"

/* Leave those of these instances that this link can carry, by --link's word for
 * it. */
void catalogue_on_link(bool *selected, const char *link);
/* Leave those that came to one of these verdicts in this run: words with commas
 * between them, as reports have them. False: one of them is none, or no case of
 * the run came to it; one line in why. */
bool catalogue_with_verdict(bool *selected, const struct run_result *run,
			    const char *verdicts, char *why, size_t cap);

/* selected: by instance; run: whose verdicts are shown, or NULL; columns: of
 * the terminal, 0: it is none, and each case has one line. False: writing
 * failed. */
bool catalogue_list(const bool *selected, const struct run_result *run,
		    bool json, unsigned columns, FILE *out);
bool catalogue_show(const struct instance *in, FILE *out);
/* The readings there are (suite/reading/reading.h): name, section, note. */
bool catalogue_readings(FILE *out);
/* What coverage is asked for. */
struct coverage_of {
	const bool *requirements, *cases; /* only these, by their numbers */
	const struct run_result *run; /* whose verdicts are counted, or NULL */
	bool judged_only;             /* only what one of these cases judges */
	bool json, uncovered;
};

bool catalogue_coverage(const struct coverage_of *of, FILE *out);

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
