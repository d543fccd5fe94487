/* SPDX-License-Identifier: BSD-2-Clause */
/* The way to an agent: a TCP connection, made within a deadline. */
#ifndef HARNESS_AGENT_REACH_H
#define HARNESS_AGENT_REACH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Connect to a host (name or number). Returns a non-blocking socket, or -1 with
 * errno (ETIME: the deadline has passed) and one line in `why`.
 */
int agent_reach(const char *host, uint16_t port, uint64_t deadline, char *why,
		size_t cap);

#endif
