/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All faults and choices of the reference device, by name. A process has none,
 * one, or several at once.
 */
#ifndef HARNESS_REFDUT_DECISION_OVERRIDES_H
#define HARNESS_REFDUT_DECISION_OVERRIDES_H

#include "harness/refdut/decision/decision.h"

#include <stdio.h>

/*
 * Plant these faults, separated by commas, and no others. False: one of them is
 * unknown, and nothing is planted.
 */
bool mutants_plant(const char *list);

/*
 * Make these choices, separated by commas, in addition to those already made.
 * False with one line in why: an unknown name, or a second choice of the same
 * matter.
 */
bool variants_take(const char *list, char *why, size_t cap);

/* The fault or choice whose name is most similar to an unknown one; NULL: no
 * name is similar enough. */
const struct override *override_meant(const char *name);

/* Remove all faults and choices: the clean device. */
void overrides_clear(void);

/* Name, requirement ids, sentence: one line each, separated by tabs. */
void mutant_list(FILE *to);
void coincidence_list(FILE *to);
/* Name, matter, requirement ids, sentence: one line each, as above. */
void variants_list(FILE *to);

/* Overrides and decisions, as collected by the linker, in the order of the
 * files. */
struct override *override_at(size_t i); /* NULL at the end */
struct decision *decision_at(size_t i); /* NULL at the end */

/* Free the memory that faults have for an object. */
struct remembered;
void remembered_free(struct remembered **of);

#endif
