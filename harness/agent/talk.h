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
	TALK_SILENT,  /* no whole line by the deadline */
	TALK_ENDLESS, /* more than 1 MiB and no end of line */
};

/* NULL: one line in why. */
struct talk *talk_open(const char *host, uint16_t port, uint64_t deadline,
		       char *why, size_t cap);
void talk_close(struct talk *t); /* NULL is fine */

/* Send raw octets; input that arrives meanwhile is kept. False: they could not
 * all be sent. */
bool talk_put(struct talk *t, const void *octets, size_t n, uint64_t deadline);

/*
 * The next line, its '\n' replaced by a NUL, and how many octets it has. It
 * may be changed, and lives until the next call.
 */
enum talk_result talk_get(struct talk *t, uint64_t deadline, char **line,
			  size_t *n);

#endif
