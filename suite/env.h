/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the cases of one process share: the agent's session, the link, the
 * event log, how long an answer may take.
 */
#ifndef SUITE_ENV_H
#define SUITE_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/test.h"

#define ENV_WAIT_NS 2000000000ull /* before calibration and scale */

/* The link (NULL: there was no memory for it) is closed by env_close, also
 * after a failure. False: no memory, or an unreadable token file; one line in
 * why. */
bool env_open(struct env *e, const struct device *d, struct link *link,
	      enum model_profile p, double timeout_scale, char *why,
	      size_t cap);
void env_close(struct env *e);

/* Open the agent's session (again). False: one line in why. */
bool env_reach_agent(struct env *e, char *why, size_t cap);
/* Close it, if there is one. */
void env_leave_agent(struct env *e);

/* From now on what is asked of the agent, and told, goes into the log. */
void env_trace(struct env *e);

/* Have the agent answer anything. False: it does not, one line in why. */
bool env_hear_agent(struct env *e, char *why, size_t cap);

/* Whether the session has to be opened again; between cases, when nothing is
 * asked, also what the agent did unasked ends it. */
bool env_agent_lost(const struct env *e);

/* Whether the agent keeps its own promises: an unknown verb is refused, a
 * buffer reads back what was filled in, what was removed is refused. */
bool env_check_agent(struct env *e, char *why, size_t cap);

/*
 * Known-answer exchanges on the wire; wait_ns follows the shortest of them.
 * False only where the device sent no octet at all: it is not reachable.
 */
bool env_calibrate(struct env *e, double timeout_scale, char *why, size_t cap);

#endif
