/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges two devices that connect through the suite, while they communicate:
 * `warpspec relay`. Each side is judged by the octets that it has received and
 * sent itself: only the receiver of a changed frame has seen the change.
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
	/* Called once, with the address on which the relay listens. */
	void (*listens)(const char *place);
};

/* False: nothing was relayed, one line in why. Otherwise like audit(). */
bool relaying(const struct relay_options *o, struct run_result *out, char *why,
	      size_t cap);

#endif
