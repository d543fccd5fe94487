/* SPDX-License-Identifier: BSD-2-Clause */
/* What is decided about the order of messages (RFC 5040 s5.5). */
#ifndef HARNESS_REFDUT_RDMAP_TX_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TX_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether more may be put behind what the LLP has not taken yet: how much of
 * it is handed over at once is open (RFC 5044 s5.1). */
#define DECISION_more_may_be_put bool, (struct conn * c), (c)
DECISION(more_may_be_put)

/* Put one segment of the message whose turn it is. A message that has begun
 * goes on, else a Response goes before a work request: RFC 5040 s5.5 leaves
 * that order open. False: nothing can go now. */
#define DECISION_put_next bool, (struct conn * c), (c)
DECISION(put_next)

/* Whether other streams come next, when a segment of a Response was put: the
 * order of streams is open (RFC 5040 s5.5). */
#define DECISION_turn_is_over bool, (struct conn * c), (c)
DECISION(turn_is_over)

#endif
