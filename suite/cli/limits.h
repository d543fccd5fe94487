/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the resource limits of this process before it needs the resources. */
#ifndef SUITE_LIMITS_H
#define SUITE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

/* True if the stack suffices for any command, and the file descriptors for a
 * run with one worker. Raises the soft limit on descriptors to the hard one.
 * False: `why` names the limit, and the smallest value that suffices. */
bool limits_suffice(char *why, size_t cap);

#endif
