/* SPDX-License-Identifier: BSD-2-Clause */
/* Network namespaces that other programs have made, as ip-netns(8) names
 * them. */
#ifndef HARNESS_LAB_NETNS_H
#define HARNESS_LAB_NETNS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Moves this process, and the processes that it starts from now on, into the
 * namespace with this name. Needs CAP_SYS_ADMIN, unless the process is already
 * there. Only for a process with one thread. False: one line in why.
 */
bool netns_join(const char *name, char *why, size_t cap);

#endif
