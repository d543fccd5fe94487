/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on purpose. A mutant is the reference device with a fault of
 * mutants.def, planted where a real device would have it; a process has none,
 * one, or several at once. `if (mutant(MUTANT_x))` marks the place. Those of
 * coincidences.def need several things at once to show, and no case finds them:
 * `if (mutant(COINCIDENCE_x) && ...)`.
 */
#ifndef HARNESS_REFDUT_MUTANTS_H
#define HARNESS_REFDUT_MUTANTS_H

#include <stdbool.h>
#include <stdio.h>

#define MUTANT(name, reqs, sentence) MUTANT_##name,
enum mutant {
	MUTANT_none,
#include "harness/refdut/mutants.def"
	MUTANTS,
	BEFORE_COINCIDENCES = MUTANTS - 1,
#define COINCIDENCE(name, reqs, sentence) COINCIDENCE_##name,
#include "harness/refdut/coincidences.def"
#undef COINCIDENCE
	FAULTS
};
#undef MUTANT

extern bool mutants_planted[FAULTS];

static inline bool mutant(enum mutant m)
{
	return mutants_planted[m];
}

/* The fault is one that no device survives: end this process at once. */
void mutant_crash(const char *where) __attribute__((noreturn));

/* Plant them by name, several with commas between them; false, with nothing
 * planted, where there is none of such a name. */
bool mutants_plant(const char *list);

/* Name, requirement ids, sentence: one line each, separated by tabs. */
void mutant_list(FILE *to);
void coincidence_list(FILE *to);

#endif
