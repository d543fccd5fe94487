/* SPDX-License-Identifier: BSD-2-Clause */
/* The evidence against a side: the frames before each finding, and the wrong
 * octets in them. */
#ifndef SUITE_AUDIT_LADDER_H
#define SUITE_AUDIT_LADDER_H

#include <stdbool.h>

#include "suite/audit/conversation.h"
#include "suite/judge/result.h"

/* Put it into *out; it lives as long as the process. False: out of memory. */
bool ladder_of(const struct conversation *c, unsigned end, struct result *out);

#endif
