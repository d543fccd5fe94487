/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suggests a name for an unknown word: the name that differs least from it, if
 * the difference is small enough.
 */
#ifndef SUITE_DEVICE_SPELLING_H
#define SUITE_DEVICE_SPELLING_H

#include <stddef.h>

struct spelling {
	const char *word, *nearest; /* NULL: none is close */
	unsigned distance;
};

struct spelling spelling_of(const char *word);
/* Of several names that are equally near, the first one stays. `name` has to
 * live as long as the spelling. */
void spelling_offer(struct spelling *s, const char *name);

/* The number of octets left out, put in, replaced, or exchanged with their
 * neighbour. */
unsigned spelling_distance(const char *a, const char *b);

/* Append "; did you mean NAME?" to a line, if there is a name, and room. */
void spelling_say(const struct spelling *s, char *line, size_t cap);

#endif
