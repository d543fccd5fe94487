/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of a run on a link that loses packets. */
#ifndef SUITE_LANGUAGE_LOSSY_FIXTURE_H
#define SUITE_LANGUAGE_LOSSY_FIXTURE_H

#include <stdio.h>

#include "harness/agent/client.h"
#include "harness/link/clock.h"
#include "suite/language/execution/execution.h"

/* As if the connections of the case had reported this many lost packets. */
static inline void link_loses(struct test *t, unsigned packets)
{
	t->bed->link->lost += packets;
}

/* As if this many packets had arrived and the case had had no room for them. */
static inline void link_drops(struct test *t, unsigned packets)
{
	t->bed->link->lost += packets;
	t->bed->link->unproven += packets;
}

/* As if the interface to the device had lost its carrier in the case. */
static inline void path_is_interrupted(struct test *t)
{
	t->bed->carrier.changes++;
}

/* As if the interface itself had failed, for good. */
static inline void link_goes_down(struct test *t)
{
	t->bed->link->down = true;
	snprintf(t->bed->link->why, sizeof(t->bed->link->why),
		 "interface: it is gone");
}

/* The agent does not reply before its deadline. */
static inline void agent_is_silent(struct test *t)
{
	char line[128];

	snprintf(line, sizeof(line), "events conn=%s timeout-ms=1000 min=99",
		 t->stream[0].conn);
	agent_raw(t->bed->agent, line, clock_after_ms(1));
}

/* As if the case had waited for a connection of the device that never came. */
static inline void connection_is_missing(struct test *t)
{
	t->bed->unconnected = true;
}

#endif
