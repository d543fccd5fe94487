/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Legal choices on purpose, the mirror of mutants.h. A variant is the
 * reference device taking, of what the texts leave to a device, another choice
 * than it takes by itself; nobody may accuse it. Several may be taken at once,
 * but only one of each *matter*: two answers to one question exclude each
 * other. `if (variant(VARIANT_x))` marks the place.
 *
 * variant() is asked last of all conditions, so that a yes is a device that
 * does otherwise: that is noted. A variant that was never asked is no proof.
 */
#ifndef HARNESS_REFDUT_VARIANTS_H
#define HARNESS_REFDUT_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define VARIANT(matter, name, reqs, sentence) VARIANT_##name,
enum variant {
#include "harness/refdut/variants.def"
	VARIANTS
};
#undef VARIANT

extern bool variants_taken[VARIANTS];

/* The choice was made. The first time the file that the environment names as
 * REFDUT_CHOICES gets a line with the variant's name. Always true. */
bool variants_note(enum variant v);

static inline bool variant(enum variant v)
{
	return variants_taken[v] && variants_note(v);
}

/*
 * Take those of a list of names, separated by commas. False: one line in why;
 * a name that is none, or a second one of the same matter.
 */
bool variants_take(const char *list, char *why, size_t cap);

/* Name, matter, requirement ids, sentence: one line each, separated by tabs. */
void variants_list(FILE *to);

#endif
