/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the device claims, and so has: all the features of the agent
 * protocol, SCTP where it has a UDP port for it, Swap only where a draft that has it was chosen, and less what
 * --without takes away. An operation that is taken away is refused on the
 * wire as a device refuses what it has never heard of.
 */
#ifndef HARNESS_REFDUT_FEATURES_H
#define HARNESS_REFDUT_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

enum feature {
#define AGENT_FEATURE(ident, name) FEATURE_##ident,
#include "harness/agent/features.def"
#undef AGENT_FEATURE
	FEATURES
};

bool feature(enum feature f);
/* RFC 7306 s5: is there any atomic at all, and with it queue 3? */
bool feature_atomics(void);

/* A draft is spoken that has Swap. */
void feature_add_swap(void);

/* Take away a list of names, separated by commas. False: *bad is one that
 * the agent protocol does not know, of *n characters. */
bool feature_remove(const char *list, const char **bad, size_t *n);

/* The names of what is claimed, separated by commas: a static string. */
const char *feature_names(void);

#endif
