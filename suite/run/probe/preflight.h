/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What precedes the cases: whether agent and device are there at all, and how
 * long an answer takes.
 */
#ifndef SUITE_RUN_PREFLIGHT_H
#define SUITE_RUN_PREFLIGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/testbed.h"

/* Whether the agent keeps its own promises: an unknown verb is refused, a
 * buffer reads back what was filled in, what was removed is refused. */
bool preflight_check_agent(struct testbed *bed, char *why, size_t cap);

/*
 * Known-answer exchanges on the wire; wait_ns follows the shortest of them.
 * False only where the device sent no octet at all: it is not reachable.
 */
bool preflight_calibrate(struct testbed *bed, double timeout_scale, char *why,
			 size_t cap);
/* One such exchange. False: no octet came in answer. */
bool preflight_exchange(struct testbed *bed, char *why, size_t cap);

#endif
