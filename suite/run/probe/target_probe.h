/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is behind the port of a device without an agent: found out before the
 * first case, instead of an agent's claims.
 */
#ifndef SUITE_RUN_TARGET_PROBE_H
#define SUITE_RUN_TARGET_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/testbed.h"

#define TARGET_LINES 11u

struct target_seen {
	char line[TARGET_LINES][160];
	size_t lines;
};

/* Fill in claims and what the ULP does. False: there is nothing to test, one
 * line in why. */
bool target_probe(struct testbed *bed, double timeout_scale,
		  struct target_seen *seen, char *why, size_t cap);

/* Once streams have ended by an error of the peer: false if the port takes no
 * further one, one line in why. */
bool target_goes_on(struct testbed *bed, char *why, size_t cap);

/* Of these instances leave those that are judged without an agent on this
 * device, which is behind the port: each runs once, and nobody is blamed. */
struct run_options;
bool target_reach(struct testbed *bed, const struct run_options *o,
		  bool *selected, char *why, size_t cap);

#endif
