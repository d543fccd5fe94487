/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about associations (RFC 5043 s5.1, s7, s8, s11). */
#ifndef HARNESS_REFDUT_SCTP_ASSOC_DECISIONS_H
#define HARNESS_REFDUT_SCTP_ASSOC_DECISIONS_H

#include "harness/refdut/decision/decision.h"
#include "harness/refdut/sctp/assoc_internal.h"

/* The contents of the INIT, or of the listener's INIT ACK (RFC 5043 s5.1,
 * s8). */
#define DECISION_init_says struct stack_options, (bool listening), (listening)
DECISION(init_says)

/* Whether the adaptation indication is that of DDP (RFC 5043 s7.1, s11.1). */
#define DECISION_is_of_ddp                                                     \
	bool, (bool indicated, uint32_t indication), (indicated, indication)
DECISION(is_of_ddp)

/* Whether an association that is not for DDP is refused (RFC 5043 s7.1,
 * s11.1). */
#define DECISION_other_is_refused bool, (bool indicated), (indicated)
DECISION(other_is_refused)

/* Whether an association stays up in its current state (RFC 5043 s11.3). */
#define DECISION_association_stays bool, (const struct assoc *a), (a)
DECISION(association_stays)

/* Whether a new session uses this existing association with its peer, or a new
 * one (RFC 5043 s6, s8). */
#define DECISION_association_is_used_again bool, (const struct assoc *a), (a)
DECISION(association_is_used_again)

/* A stream loses its association: the session on it is over (RFC 5043 s11.3,
 * RFC 5041 s6.2.2). */
#define DECISION_stream_lost                                                   \
	void, (unsigned number, struct conn *c), (number, c)
DECISION(stream_lost)

/* When a free stream is needed: the stream to check at step i, out of `most`
 * streams (RFC 5043 s8). */
#define DECISION_stream_in_line                                                \
	unsigned, (const struct assoc *a, unsigned most, unsigned i),          \
		(a, most, i)
DECISION(stream_in_line)

/* Whether no more chunks of an earlier session of a stream can arrive (RFC 5043
 * s6.6). */
#define DECISION_stream_is_unused bool, (const struct ddp_stream *s), (s)
DECISION(stream_is_unused)

#endif
