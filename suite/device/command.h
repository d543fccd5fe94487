/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command that makes a device without an agent open a connection. It runs
 * for one case and ends with it.
 */
#ifndef SUITE_DEVICE_COMMAND_H
#define SUITE_DEVICE_COMMAND_H

#include <stdint.h>
#include <sys/types.h>

/* Run it with /bin/sh, in a process group of its own and without output, with
 * WARPSPEC_HOST and WARPSPEC_PORT in its environment. It ends with this process
 * at the latest. -1 with errno: it did not start. */
pid_t command_start(const char *command, const char *folder, const char *host,
		    uint16_t port);
/* End it and all processes that it has started: SIGTERM, and SIGKILL after a
 * second. */
void command_end(pid_t pid);

#endif
