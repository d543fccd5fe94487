/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests an agent: `warpspec check-agent`. The author of an agent runs it before
 * a run. It opens sessions with the agent, and streams between a peer of the
 * suite's own and the device. For each sentence of harness/agent/PROTOCOL.md it
 * reports whether the agent keeps it; if not, it reports the messages sent and
 * received, the message that was due, and the section.
 *
 *   agent_check.c   all checks, one after another, and their lines
 *   framing.c hello.c session.c memory.c streams.c ends.c receives.c work.c
 *   promises.c limits.c
 *                   the checks, by subject
 *   wire.c          streams between the device and the suite's peer
 *   checker.c       the language of a check: sessions, requests, replies
 *
 * It judges only whether the agent is reliable, not whether its device
 * conforms: neither the golden model nor a case is used.
 */
#ifndef SUITE_AGENT_CHECK_AGENT_CHECK_H
#define SUITE_AGENT_CHECK_AGENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/device/device.h"

struct agent_check_options {
	double timeout_scale;
	bool quiet; /* report only failed checks */
};

struct agent_check_counts {
	size_t passed, failed;
	size_t skipped;     /* not applicable to the device's claims */
	size_t not_reached; /* not run, because the time was up */
};

/*
 * Checks the agent of a device. False: the agent cannot be reached, does not
 * answer, or requires a token that is missing; one line in why.
 */
bool agent_check(const struct device *d, const struct agent_check_options *o,
		 FILE *out, struct agent_check_counts *counts, char *why,
		 size_t cap);

#endif
