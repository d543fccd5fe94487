/* SPDX-License-Identifier: BSD-2-Clause */
/* The parameters of a connection, from the keys of a request. */
#ifndef HARNESS_REFDUT_VERBS_SETUP_H
#define HARNESS_REFDUT_VERBS_SETUP_H

#include "harness/refdut/agent/session.h"

/* Whether the connection is over SCTP instead of TCP. */
bool setup_is_sctp(const struct line *line);

/* The RTR types that the device claims. If it claims none: all, because an
 * enhanced responder has to support one (RFC 6581 s9.2). */
unsigned setup_claimed_rtr(void);

/* Fill in *params. False: the request is refused. */
bool setup_parse(struct session *s, const struct line *line, bool listening,
		 struct params *params);

#endif
