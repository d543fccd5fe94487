/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long packets wait for a processor of this host. On a busy one the kernel
 * leaves them to ksoftirqd, a thread of each processor that waits like a
 * process: longer than a device's startup timeout, at worst. The suite and the
 * device sleep meanwhile, so that schedstat reports nothing of it for them.
 */
#ifndef SUITE_RUN_PACKETS_H
#define SUITE_RUN_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#define PACKETS_THREADS 64u /* that are watched */

struct packets {
	int fd[PACKETS_THREADS]; /* their schedstat */
	uint64_t waited[PACKETS_THREADS];
	unsigned count;
};

/* Find these threads. Where none is to be seen, packets never wait. */
void packets_open(struct packets *p);
void packets_close(struct packets *p);
/* Watch the thread with this schedstat. False: it cannot be read. */
bool packets_watch(struct packets *p, const char *path);
/* The longest that one of the threads has waited since the last look, in ns:
 * several waits count together, so that it is never too small. */
uint64_t packets_look(struct packets *p);

#endif
