/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time that packets wait for a processor of this host. On a busy host the
 * kernel leaves packets to ksoftirqd. This thread of each processor waits like
 * any process, at worst longer than a device's startup timeout. Meanwhile the
 * suite and the device sleep, so their schedstat does not show this delay.
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

/* Find these threads. If none is visible, packets count as never late. */
void packets_open(struct packets *p);
void packets_close(struct packets *p);
/* Watch the thread with this schedstat. False: it cannot be read. */
bool packets_watch(struct packets *p, const char *path);
/* The longest time, in ns, that one of the threads has waited since the last
 * call. Several waits of a thread count together, so that the result is never
 * too small. */
uint64_t packets_look(struct packets *p);

#endif
