/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/peer/association.h"

#include <stdlib.h>

enum { LOOK_MS = 5 }; /* how often, whether the last SACK has come */

struct association {
	struct link_conn *conn;
	unsigned arrived;
	struct association_message waiting[ASSOCIATION_WAITING];
	size_t count;
};

struct association *association_new(struct link_conn *conn)
{
	struct association *a = calloc(1, sizeof(*a));

	if (a)
		a->conn = conn;
	return a;
}

void association_free(struct association *a, bool abort)
{
	if (!a)
		return;
	if (abort && !a->conn->reset_sent && !a->conn->reset_seen)
		link_reset(a->conn);
	link_close(a->conn);
	free(a);
}

struct link_conn *association_conn(const struct association *a)
{
	return a->conn;
}

static bool take(struct association *a, uint16_t stream,
		 struct association_message *out)
{
	for (size_t i = 0; i < a->count; i++) {
		if (a->waiting[i].m.stream != stream)
			continue;
		*out = a->waiting[i];
		a->count--;
		for (; i < a->count; i++)
			a->waiting[i] = a->waiting[i + 1];
		return true;
	}
	return false;
}

/* One message more that waits. */
static enum association_status receive(struct association *a,
				       struct observe *log, uint64_t deadline)
{
	struct association_message *w = &a->waiting[a->count];

	if (a->count == ASSOCIATION_WAITING)
		return ASSOCIATION_FLOOD;
	switch (link_recv_message(a->conn, &w->m, deadline)) {
	case 1:
		break;
	case 0:
		return ASSOCIATION_SHUTDOWN;
	case LINK_TIMEOUT:
		return ASSOCIATION_TIMEOUT;
	case LINK_RESET:
		return ASSOCIATION_ABORTED;
	default:
		return ASSOCIATION_BROKEN;
	}
	w->m.octets = observe_copy(log, w->m.octets, w->m.n);
	if (!w->m.octets)
		return ASSOCIATION_FLOOD;
	w->arrival = a->arrived++;
	a->count++;
	return ASSOCIATION_MESSAGE;
}

enum association_status association_next(struct association *a, uint16_t stream,
					 struct observe *log, uint64_t deadline,
					 struct association_message *out)
{
	while (!take(a, stream, out)) {
		enum association_status status = receive(a, log, deadline);

		if (status != ASSOCIATION_MESSAGE)
			return status;
	}
	return ASSOCIATION_MESSAGE;
}

static bool is_among(const uint16_t *list, size_t n, uint16_t stream)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == stream)
			return true;
	return false;
}

enum association_status association_other(struct association *a,
					  const uint16_t *known, size_t n,
					  struct observe *log,
					  uint64_t deadline, uint16_t *stream)
{
	for (size_t i = 0;; i++) {
		while (i >= a->count) {
			enum association_status status =
				receive(a, log, deadline);

			if (status != ASSOCIATION_MESSAGE)
				return status;
		}
		if (is_among(known, n, a->waiting[i].m.stream))
			continue;
		*stream = a->waiting[i].m.stream;
		return ASSOCIATION_MESSAGE;
	}
}

enum association_status association_acknowledged(struct association *a,
						 struct observe *log,
						 uint64_t deadline)
{
	while (link_sctp_state(a->conn).unacknowledged) {
		uint64_t look = clock_after_ms(LOOK_MS);
		enum association_status status =
			receive(a, log, look < deadline ? look : deadline);

		if (status != ASSOCIATION_MESSAGE &&
		    status != ASSOCIATION_TIMEOUT)
			return status;
		if (clock_now_ns() >= deadline)
			return ASSOCIATION_TIMEOUT;
	}
	return ASSOCIATION_MESSAGE;
}
