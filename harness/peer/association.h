/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An SCTP association that several peers share, each with a stream of its own.
 * Messages wait here until the peer of their stream receives them.
 */
#ifndef HARNESS_PEER_ASSOCIATION_H
#define HARNESS_PEER_ASSOCIATION_H

#include <stdbool.h>

#include "harness/link/sctp/sctp.h"
#include "harness/observe/observe.h"

/* The most messages that can wait. One more is ASSOCIATION_FLOOD. */
#define ASSOCIATION_WAITING 4096

struct association;

/* Takes over the connection. NULL: no memory; the caller still owns it. */
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

/* A received message; its octets are in the log's memory. */
struct association_message {
	struct link_message m;
	unsigned arrival; /* its place among all messages received, from 0 */
};

/* The next message of a stream. */
enum association_status association_next(struct association *a, uint16_t stream,
					 struct observe *log, uint64_t deadline,
					 struct association_message *out);

/* Wait for a message on any stream except these n. *stream is the stream of the
 * first one; the message keeps waiting. */
enum association_status association_other(struct association *a,
					  const uint16_t *known, size_t n,
					  struct observe *log,
					  uint64_t deadline, uint16_t *stream);

/* Wait until everything that was sent is acknowledged: ASSOCIATION_MESSAGE.
 * Messages that arrive meanwhile wait. Otherwise the reason why the wait
 * ended. */
enum association_status association_acknowledged(struct association *a,
						 struct observe *log,
						 uint64_t deadline);

#endif
