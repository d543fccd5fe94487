/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of an event log (observe.h), for callers that cannot continue
 * without memory: if the log is full, `full` is called and does not return.
 */
#ifndef HARNESS_OBSERVE_ARENA_H
#define HARNESS_OBSERVE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct observe;

struct arena {
	struct observe *log;
	void (*full)(void *user);
	void *user;
};

/* Zeroed memory, valid until the log's next reset; never NULL. */
void *arena_alloc(const struct arena *a, size_t n);

/* Formatted text in this memory. */
const char *arena_format(const struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* "de ad be ef ... (28 octets)", at most `max` of the n octets. */
const char *arena_hex(const struct arena *a, const uint8_t *octets, size_t n,
		      size_t max);

#endif
