/* SPDX-License-Identifier: BSD-2-Clause */
/* One side of a conversation, as a result of a report. */
#ifndef SUITE_AUDIT_OUTCOME_H
#define SUITE_AUDIT_OUTCOME_H

#include <stdbool.h>

#include "suite/audit/conversation.h"
#include "suite/judge/result.h"

/* `place` names the capture. The strings of *out live as long as the process.
 * False: out of memory. */
bool outcome_of(const struct conversation *c, unsigned end, const char *place,
		struct result *out);

#endif
