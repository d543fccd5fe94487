/* SPDX-License-Identifier: BSD-2-Clause */
/* Decisions about the order of messages (RFC 5040 s5.5). */
#ifndef HARNESS_REFDUT_RDMAP_TX_DECISIONS_H
#define HARNESS_REFDUT_RDMAP_TX_DECISIONS_H

#include "harness/refdut/conn.h"
#include "harness/refdut/decision/decision.h"

/* Whether more may be queued after the octets that the LLP has not accepted
 * yet: the amount passed at once is open (RFC 5044 s5.1). */
#define DECISION_more_may_be_put bool, (struct conn * c), (c)
DECISION(more_may_be_put)

/* Queue one segment of the next message. A message that has begun continues;
 * otherwise a Response precedes a work request. RFC 5040 s5.5 leaves this order
 * open. False: nothing can be sent now. */
#define DECISION_put_next bool, (struct conn * c), (c)
DECISION(put_next)

/* Whether it is the turn of other streams after a segment of a Response was
 * queued: the order of streams is open (RFC 5040 s5.5). */
#define DECISION_turn_is_over bool, (struct conn * c), (c)
DECISION(turn_is_over)

#endif
