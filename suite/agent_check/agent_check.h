/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wrong with an agent: `warpspec check-agent`. Whoever writes an agent
 * asks this before a run. It holds sessions with the agent, with streams from
 * a peer of the suite's own to its device, and reports of each sentence of
 * harness/agent/PROTOCOL.md whether it holds; of one that does not, what was
 * sent, what came, what is due, and which section says so.
 *
 *   agent_check.c   all checks, one after the other, and their lines
 *   framing.c hello.c session.c memory.c streams.c ends.c receives.c work.c
 *   promises.c limits.c
 *                   the checks, by what they are about
 *   wire.c          streams between the device and the suite's peer
 *   checker.c       what a check is written in: sessions, requests, replies
 *
 * Nothing of a device's conformance is judged here, only whether its agent
 * can be believed; no golden model, and no case, is asked.
 */
#ifndef SUITE_AGENT_CHECK_AGENT_CHECK_H
#define SUITE_AGENT_CHECK_AGENT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "suite/device/device.h"

struct agent_check_options {
	double timeout_scale;
	bool quiet; /* report only what failed */
};

struct agent_check_counts {
	size_t passed, failed;
	size_t skipped;     /* do not apply to what the device claims */
	size_t not_reached; /* the time for all of them was over */
};

/*
 * Check the agent of a device. False: it cannot be reached, or says nothing,
 * or wants a token that is not there; one line in why.
 */
bool agent_check(const struct device *d, const struct agent_check_options *o,
		 FILE *out, struct agent_check_counts *counts, char *why,
		 size_t cap);

#endif
