/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confines a process that reads data from a device, so that the device cannot
 * use a fault of the suite to get access to the host. The process has already
 * opened everything that it needs, except:
 *
 *   captures                     files in one folder
 *   /proc                        to measure how busy this host is
 *   /usr, /lib*, parts of /etc   libraries load parts of themselves late
 *   /dev/null and the like       libraries need them
 *   sockets                      to the device and to its agent
 *
 * Landlock denies all other files. If the suite's own stack carries the
 * streams, it also denies TCP to all ports but the agent's. seccomp denies
 * programs, and system calls for administration and for other processes. If the
 * kernel lacks one of them, the process works without it: nothing here can
 * fail. Capabilities are dropped in any case, except the one to write into
 * anybody's folder.
 *
 * If the kernel's TCP or UDP carries the streams, the process can still send to
 * any host, because a device chooses its ports at run time.
 */
#ifndef HARNESS_LAB_CONFINEMENT_H
#define HARNESS_LAB_CONFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of confinement. */
enum {
	CONFINES_FILES = 1u << 0,
	CONFINES_PORTS = 1u << 1,
	CONFINES_SIGNALS = 1u << 2, /* and abstract sockets of others */
	CONFINES_CALLS = 1u << 3,
	CONFINES_ALL = (1u << 4) - 1,
};

struct confinement {
	const char *folder; /* the one that it writes to, or NULL */
	uint16_t tcp_port;  /* the only one to connect to; 0: any */
};

/* Confine this process, and all processes that it starts, permanently. Returns
 * the kinds that are in force. `why` is one line if Landlock or seccomp is
 * missing, otherwise "". */
unsigned confine(const struct confinement *c, char *why, size_t cap);

#endif
