/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions when a Terminate is sent (RFC 5040 s4.8). */
#ifndef HARNESS_REFDUT_RDMAP_TX_TERMINATE_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TX_TERMINATE_DECISIONS_H

#include "harness/refdut/ddp/message.h"
#include "harness/refdut/decision/decision.h"

/* The Terminate Message: the only message on queue 2 (RFC 5040 s4.1, s4.8). */
#define DECISION_terminate_message                                             \
	struct message,                                                        \
		(struct conn * c, const uint8_t *octets, uint32_t len),        \
		(c, octets, len)
DECISION(terminate_message)

/* Its MULPDU: a Terminate is a single segment, however small the MULPDU of the
 * path (RFC 5040 s4.8). */
#define DECISION_terminate_mulpdu uint32_t, (struct conn * c), (c)
DECISION(terminate_mulpdu)

#endif
