/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outgoing RDMA Messages (RFC 5040 s5, RFC 7306).
 *
 *   tx_request.c    the messages of work requests, and RTRs
 *   tx_response.c   Responses to Reads and atomics
 *   tx_terminate.c  Terminates
 *   tx.c            chooses the next message
 */
#ifndef HARNESS_REFDUT_RDMAP_TX_H
#define HARNESS_REFDUT_RDMAP_TX_H

#include "harness/refdut/ddp/message.h"

/* tx_request.c */

/* Queue one segment of the work request that is due. False: it has to wait. */
bool tx_step_work(struct conn *c);

/* tx_response.c */

/* Queue one segment of the Response that is due. False: the stream has
 * ended. */
bool tx_step_response(struct conn *c);

#endif
