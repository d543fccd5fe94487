/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a session's requests, in order, and calls the verb of each.
 */
#ifndef HARNESS_RNIC_LINES_H
#define HARNESS_RNIC_LINES_H

#include "harness/rnic/request.h"

/* The verbs for a client. */
struct verbs_offer {
	const struct verb *const *tables; /* NULL ends it */
	/* Whether the verb is allowed now. False: it has refused the
	 * request. */
	bool (*admits)(struct verbs_session *s, const struct verb *v);
};

/* Serve requests until the client is gone, or the session ends. */
void verbs_serve_lines(struct verbs_session *s,
		       const struct verbs_offer *offer);

#endif
