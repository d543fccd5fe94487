/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults on purpose. A mutant is the reference device with one fault of
 * mutants.def, planted where a real device would have it; at most one is
 * active in a process. `if (mutant(MUTANT_x))` marks the place.
 */
#ifndef HARNESS_REFDUT_MUTANTS_H
#define HARNESS_REFDUT_MUTANTS_H

#include <stdbool.h>
#include <stdio.h>

#define MUTANT(name, reqs, sentence) MUTANT_##name,
enum mutant {
	MUTANT_none,
#include "harness/refdut/mutants.def"
	MUTANTS
};
#undef MUTANT

extern enum mutant mutant_planted;

static inline bool mutant(enum mutant m)
{
	return mutant_planted == m;
}

/* The fault is one that no device survives: end this process at once. */
void mutant_crash(const char *where) __attribute__((noreturn));

/* Plant one by name; false where there is none of that name. */
bool mutant_plant(const char *name);

/* Name, requirement ids, sentence: one line each, separated by tabs. */
void mutant_list(FILE *to);

#endif
