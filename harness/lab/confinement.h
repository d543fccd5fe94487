/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confines a process that reads what a device sends, so that a fault of the
 * suite does not become the device's access to the host. It has opened what it
 * needs, except:
 *
 *   captures                     written to one folder
 *   /proc                        how late this host is
 *   /usr, /lib*, parts of /etc   libraries load parts of themselves late
 *   /dev/null and the like       the same
 *   sockets                      to the device and to its agent
 *
 * Landlock denies all other files, and, where the suite's own stack carries the
 * streams, TCP to any port but the agent's. seccomp denies programs, and calls
 * for administration and for other processes. Without them, where the kernel
 * has neither, a process works as before: nothing here can fail. Capabilities
 * are given up in any case, except the one to write into anybody's folder.
 *
 * What it does not limit: which hosts the process sends to, where the kernel's
 * TCP or UDP carries the streams. A device chooses its ports as it runs.
 */
#ifndef HARNESS_LAB_CONFINEMENT_H
#define HARNESS_LAB_CONFINEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds that are in force. */
enum {
	CONFINES_FILES = 1u << 0,
	CONFINES_PORTS = 1u << 1,
	CONFINES_SIGNALS = 1u << 2, /* and abstract sockets of others */
	CONFINES_CALLS = 1u << 3,
	CONFINES_ALL = (1u << 4) - 1,
};

struct confinement {
	const char *folder; /* that it writes to, or NULL */
	uint16_t tcp_port;  /* the only one to connect to; 0: any */
};

/* Confine this process and all that it starts, for good. Returns the kinds that
 * are in force; for those that are not, one line in why, else "". */
unsigned confine(const struct confinement *c, char *why, size_t cap);

#endif
