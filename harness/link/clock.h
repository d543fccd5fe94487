/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only clock of the harness: nanoseconds, monotonic. A deadline is an
 * absolute value of this clock. Deadlines only bound a failure; nothing is
 * judged by the time it took.
 */
#ifndef HARNESS_LINK_CLOCK_H
#define HARNESS_LINK_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCK_NS_PER_MS 1000000u
#define CLOCK_NS_PER_S  1000000000u

/* A deadline that has always passed: do not wait. */
#define CLOCK_NOW ((uint64_t)0)

/* Without a clock the suite cannot judge anything: exit status 4. */
__attribute__((noreturn, unused)) static void clock_is_lost(void)
{
	fprintf(stderr, "%s: the clock cannot be read: %s\n",
		program_invocation_short_name, strerror(errno));
	_Exit(4);
}

static inline uint64_t clock_now_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) < 0)
		clock_is_lost();
	return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline uint64_t clock_after_ms(uint64_t ms)
{
	return clock_now_ns() + ms * CLOCK_NS_PER_MS;
}

/*
 * The time until a deadline, for poll(2): in milliseconds, rounded up so that a
 * wait never ends before its deadline; 0: the deadline has passed.
 */
static inline int clock_poll_ms(uint64_t deadline)
{
	if (deadline == CLOCK_NOW)
		return 0;
	uint64_t now = clock_now_ns();
	if (deadline <= now)
		return 0;
	uint64_t ms = (deadline - now + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

#endif
