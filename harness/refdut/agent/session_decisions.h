/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the contents of the agent's reports. */
#ifndef HARNESS_REFDUT_AGENT_SESSION_DECISIONS_H
#define HARNESS_REFDUT_AGENT_SESSION_DECISIONS_H

#include "harness/refdut/agent/session.h"
#include "harness/refdut/decision/decision.h"

/* The octet order of a word that atomics work on (RFC 7306 s5.1). */
#define DECISION_word_order const char *, (const struct session *s), (s)
DECISION(word_order)

/* The facts about a connection that the agent does not know: `untold` in its
 * hello. */
#define DECISION_not_reported const char *, (const struct session *s), (s)
DECISION(not_reported)

#endif
