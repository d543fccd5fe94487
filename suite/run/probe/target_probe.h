/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Examines a device without an agent, and the ULP behind its port, before the
 * first case. The results replace an agent's claims.
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

/* Fill in the claims, and the habits of the ULP. False: there is nothing to
 * test, one line in why. */
bool target_probe(struct testbed *bed, double timeout_scale,
		  struct target_seen *seen, char *why, size_t cap);

/* After streams that ended because of an error of the peer: false if the port
 * accepts no further connection, one line in why. */
bool target_goes_on(struct testbed *bed, char *why, size_t cap);

/* Keep only those of the selected instances that can be judged without an
 * agent. To find out, each runs once on this device, which is behind the port.
 * No failure counts. */
struct run_options;
bool target_reach(struct testbed *bed, const struct run_options *o,
		  bool *selected, char *why, size_t cap);

#endif
