/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The features that the device claims, and therefore has: all features of the
 * agent protocol, except those that --without removes. SCTP requires a UDP port
 * for it; Swap requires a draft that has it. On the wire, the device refuses a
 * removed operation in the same way as an unknown one.
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
/* RFC 7306 s5: does the device have any atomic, and with it queue 3? */
bool feature_atomics(void);

/* The device speaks a draft that has Swap. */
void feature_add_swap(void);

/* Remove a list of features, separated by commas. False: *bad is a name of *n
 * characters that the agent protocol does not know. */
bool feature_remove(const char *list, const char **bad, size_t *n);

/* The names of the claimed features, separated by commas: a static string. */
const char *feature_names(void);

#endif
