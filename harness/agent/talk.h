/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of the agent protocol as octets and lines: for callers that need
 * exactly the octets sent and received, correct or not. client.h is for callers
 * that need the meaning of replies.
 */
#ifndef HARNESS_AGENT_TALK_H
#define HARNESS_AGENT_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct talk;

enum talk_result {
	TALK_LINE,
	TALK_CLOSED,  /* the agent closed or reset the session */
	TALK_SILENT,  /* no complete line before the deadline */
	TALK_ENDLESS, /* more than 1 MiB without an end of line */
};

/* NULL: one line in why. */
struct talk *talk_open(const char *host, uint16_t port, uint64_t deadline,
		       char *why, size_t cap);
void talk_close(struct talk *t); /* NULL is fine */

/* Send raw octets. Input that arrives meanwhile is kept. False: some octets
 * could not be sent. */
bool talk_put(struct talk *t, const void *octets, size_t n, uint64_t deadline);

/*
 * The next line and its length; a NUL replaces its '\n'. The caller may change
 * it. It is valid until the next call.
 */
enum talk_result talk_get(struct talk *t, uint64_t deadline, char **line,
			  size_t *n);

#endif
