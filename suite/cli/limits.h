/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process may use of its host, before it needs it. */
#ifndef SUITE_LIMITS_H
#define SUITE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* The stack suffices for any command, and the file descriptors for a run with
 * one worker. The soft limit on descriptors is raised to the hard one. False:
 * `why` names the limit, and the least that does. */
bool limits_suffice(char *why, size_t cap);

#endif
