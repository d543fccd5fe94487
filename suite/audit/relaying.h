/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two devices that connect through us, judged while they talk: `warpspec
 * relay`. Each side is judged by what it has received and sent itself: what a
 * fault on the way has changed, only the side that gets it sees.
 *
 *   harness/link/relay.c   connections, and octets in the order of each end
 *   fault.c                one fault on the way
 *   conversation.c, ...    as for a capture (audit.h)
 */
#ifndef SUITE_AUDIT_RELAYING_H
#define SUITE_AUDIT_RELAYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/audit/memory.h"
#include "suite/judge/result.h"
#include "suite/model/model.h"

struct relay_options {
	const char *listen, *to;      /* HOST:PORT */
	const char *fault;            /* NAME[:ARG], or NULL */
	struct memory_places *memory; /* of responders, or NULL */
	uint64_t max_time_ns;         /* 0: until SIGINT or SIGTERM */
	enum model_profile profile;
	const char *spec; /* its name */
	bool strict;      /* a SHOULD not followed fails the audit */
	/* Where it listens; called once. */
	void (*listens)(const char *place);
};

/* False: nothing was relayed, one line in why. Otherwise as audit(). */
bool relaying(const struct relay_options *o, struct run_result *out, char *why,
	      size_t cap);

#endif
