/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that peer.c calls if a peer is on an SCTP stream. */
#ifndef HARNESS_PEER_MESSAGES_H
#define HARNESS_PEER_MESSAGES_H

#include "harness/peer/peer.h"

/* Convert a status of the link. If a send returns PEER_RESET, peer.reset_seen
 * is not set yet: octets that the device sent before the reset still have to be
 * received, especially a Terminate or a FIN. */
static inline enum peer_status peer_from_link(int status)
{
	switch (status) {
	case LINK_OK:
		return PEER_OK;
	case LINK_TIMEOUT:
		return PEER_TIMEOUT;
	case LINK_RESET:
		return PEER_RESET;
	default:
		return PEER_BROKEN;
	}
}

enum peer_status messages_frame(struct peer *p, const uint8_t *ulpdu, size_t n,
				const struct peer_faults *f,
				const struct frame **frame);
enum peer_status messages_hold(struct peer *p, enum observe_kind kind,
			       const uint8_t *octets, size_t n);
enum peer_status messages_flush(struct peer *p, size_t keep, uint64_t deadline);
enum peer_status messages_receive(struct peer *p, uint64_t deadline,
				  const struct frame **frame);
enum peer_status messages_receive_control(struct peer *p, uint64_t deadline,
					  const uint8_t **octets, size_t *n);
bool messages_waiting(struct peer *p);
enum peer_status messages_terminate(struct peer *p);
void messages_end(struct peer *p);

#endif
