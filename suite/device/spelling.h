/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a word that nobody knows may have been meant for: of all names that are
 * offered the one from which it differs least, if that is little enough.
 */
#ifndef SUITE_DEVICE_SPELLING_H
#define SUITE_DEVICE_SPELLING_H

#include <stddef.h>

struct spelling {
	const char *word, *nearest; /* NULL: none is near */
	unsigned distance;
};

struct spelling spelling_of(const char *word);
/* The first of those that are equally near stays. Name lives as long as the
 * spelling. */
void spelling_offer(struct spelling *s, const char *name);

/* Octets left out, put in, replaced, or exchanged with their neighbour. */
unsigned spelling_distance(const char *a, const char *b);

/* Append "; did you mean NAME?" to a line, if there is a name, and room. */
void spelling_say(const struct spelling *s, char *line, size_t cap);

#endif
