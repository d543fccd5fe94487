/* SPDX-License-Identifier: BSD-2-Clause */
/* Network namespaces that others have made, as ip-netns(8) names them. */
#ifndef HARNESS_LAB_NETNS_H
#define HARNESS_LAB_NETNS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Move this process, and what it starts from now on, into the namespace of
 * that name. Takes CAP_SYS_ADMIN, unless it is there already. Only for a
 * process with one thread. False: one line in why.
 */
bool netns_join(const char *name, char *why, size_t cap);

#endif
