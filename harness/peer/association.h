/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An SCTP association shared by several peers, each with a stream of its own:
 * messages on the other streams wait here until their peers read.
 */
#ifndef HARNESS_PEER_ASSOCIATION_H
#define HARNESS_PEER_ASSOCIATION_H

#include <stdbool.h>

#include "harness/link/sctp/sctp.h"
#include "harness/observe/observe.h"

/* Messages that wait for a peer that does not look; then it is a flood. */
#define ASSOCIATION_WAITING 4096

struct association;

/* Takes the connection over. NULL: no memory, and it is the caller's still. */
struct association *association_new(struct link_conn *conn);
/* Close and free; NULL is fine. */
void association_free(struct association *a, bool abort);
struct link_conn *association_conn(const struct association *a);

enum association_status {
	ASSOCIATION_MESSAGE,
	ASSOCIATION_TIMEOUT,
	ASSOCIATION_SHUTDOWN, /* by the device; no message is left */
	ASSOCIATION_ABORTED,
	ASSOCIATION_FLOOD,
	ASSOCIATION_BROKEN, /* the environment failed: conn->why */
};

/* A message as it came; octets are in the log's memory. */
struct association_message {
	struct link_message m;
	unsigned arrival; /* the how many-th of the association, from 0 */
};

/* The next message of a stream. */
enum association_status association_next(struct association *a, uint16_t stream,
					 struct observe *log, uint64_t deadline,
					 struct association_message *out);

/* Which stream the first message is on that waits on none of these n. */
enum association_status association_other(struct association *a,
					  const uint16_t *known, size_t n,
					  struct observe *log,
					  uint64_t deadline, uint16_t *stream);

/* Until all that was sent is acknowledged: TIMEOUT, or MESSAGE. */
enum association_status association_acknowledged(struct association *a,
						 struct observe *log,
						 uint64_t deadline);

#endif
