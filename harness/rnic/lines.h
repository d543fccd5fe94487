/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session's requests, in order, each to the verb that it names.
 */
#ifndef HARNESS_RNIC_LINES_H
#define HARNESS_RNIC_LINES_H

#include "harness/rnic/request.h"

/* The verbs for a client. */
struct verbs_offer {
	const struct verb *const *tables; /* NULL ends it */
	/* Whether the verb is allowed now; if not, it has refused. */
	bool (*admits)(struct verbs_session *s, const struct verb *v);
};

/* Until the client is gone or the session leaves. */
void verbs_serve_lines(struct verbs_session *s,
		       const struct verbs_offer *offer);

#endif
