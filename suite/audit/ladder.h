/* SPDX-License-Identifier: BSD-2-Clause */
/* The evidence against a side: what crossed the wire before, and which octets
 * are wrong. */
#ifndef SUITE_AUDIT_LADDER_H
#define SUITE_AUDIT_LADDER_H

#include <stdbool.h>

#include "suite/audit/conversation.h"
#include "suite/judge/result.h"

/* Into *out, for as long as the process lives. False: no memory. */
bool ladder_of(const struct conversation *c, unsigned end, struct result *out);

#endif
