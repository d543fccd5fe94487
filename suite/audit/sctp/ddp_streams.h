/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DDP streams of one SCTP association (RFC 5043), while it is read: each
 * session of a stream is a conversation. The messages of a direction are judged
 * in the order of their DDP-SSNs: by the golden model of sessions, and segments
 * by the observer.
 *
 * An association without a message of DDP has no sessions.
 */
#ifndef SUITE_AUDIT_SCTP_DDP_STREAMS_H
#define SUITE_AUDIT_SCTP_DDP_STREAMS_H

#include <stdbool.h>

#include "suite/audit/sctp/associations.h"
#include "suite/audit/conversation.h"

struct ddp_streams;

/* `concludes` gets each conversation that is over, before it is freed.
 * `memory`: of responders, or NULL. NULL: no memory. */
struct ddp_streams *ddp_streams_new(
	const struct association_flow *f, enum model_profile profile,
	struct memory_places *memory,
	void (*concludes)(void *user, struct conversation *c), void *user);
/* The events of associations.h. False: no memory. */
bool ddp_streams_message(struct ddp_streams *s, unsigned from, bool received,
			 const struct association_data *m,
			 const struct assembly_at *at);
void ddp_streams_gap(struct ddp_streams *s, unsigned from,
		     const struct assembly_at *at);
void ddp_streams_abort(struct ddp_streams *s, unsigned from, bool received,
		       const struct assembly_at *at);
/* The association is over: judge the messages that still wait, and conclude all
 * conversations. */
void ddp_streams_end(struct ddp_streams *s);

#endif
