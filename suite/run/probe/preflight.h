/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks before the cases that agent and device can be reached, and measures
 * how long an answer takes.
 */
#ifndef SUITE_RUN_PREFLIGHT_H
#define SUITE_RUN_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/testbed.h"

/* True if the agent passes some plain checks: it refuses an unknown verb, a
 * buffer returns the octets that were filled in, and it refuses a removed
 * region. */
bool preflight_check_agent(struct testbed *bed, char *why, size_t cap);

/*
 * Known-answer exchanges on the wire; wait_ns is derived from the shortest one.
 * False only if the device sent no octet at all: it cannot be reached.
 */
bool preflight_calibrate(struct testbed *bed, double timeout_scale, char *why,
			 size_t cap);
/* One such exchange. False: no octet was received in answer. */
bool preflight_exchange(struct testbed *bed, char *why, size_t cap);

#endif
