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

/* Streams followed at a time, of all associations. */
enum { DDP_STREAMS_MOST = 2048 };

/* What all associations of a capture have in common. */
struct ddp_streams_of_all {
	enum model_profile profile;
	struct memory_places *memory; /* of responders, or NULL */
	/* It gets each conversation that is over, before it is freed. */
	void (*concludes)(void *user, struct conversation *c);
	void *user;
	/* Kept here: the streams that are followed; the octets of messages ahead
	 * of their turn; and the messages on streams that are not followed,
	 * because there are too many. */
	size_t open, ahead_octets;
	uint64_t passed_over;
};

/* NULL: no memory. */
struct ddp_streams *ddp_streams_new(const struct association_flow *f,
				    struct ddp_streams_of_all *all);
/* The events of associations.h. False: no memory. */
bool ddp_streams_message(struct ddp_streams *s, unsigned from, bool received,
			 const struct association_data *m,
			 const struct assembly_at *at);
void ddp_streams_gap(struct ddp_streams *s, unsigned from,
		     const struct assembly_at *at);
void ddp_streams_abort(struct ddp_streams *s, unsigned from, bool received,
		       const struct assembly_at *at);
/* The association is over: judge the messages that still wait, and conclude all
 * conversations. False: no memory for some of it. */
bool ddp_streams_end(struct ddp_streams *s);

#endif
