/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A peer on a stream of an SCTP association (RFC 5043): peer.h applies to it as
 * well, with chunks instead of FPDUs, and session control instead of startup
 * frames.
 *
 *   peer_send             refused: peer_control sends what starts a session
 *   peer_receive_startup  the next chunk, a message of session control: its
 *                         user data, DDP-SSN included
 *   peer_frame            a DDP segment behind its DDP-SSN; frame->chunk tells
 *                         the chunk, frame->fpdu the ULPDU alone
 *   peer_flush            a chunk for each; cuts are TCP's, and not looked at;
 *                         a chunk of which octets are kept back is kept whole
 *   peer_receive          the next chunk, a segment. A Session Terminate is
 *                         logged, and PEER_FIN; so is a SHUTDOWN
 *   peer_close_sending    a Session Terminate, once all is acknowledged
 *   peer_reset            ABORT, which ends all streams
 *
 * "Next" is by DDP-SSN, as RFC 5043 s6.1 requires; a chunk ahead of its turn
 * waits. A chunk without a turn - a number that was used before, a payload
 * protocol that is not DDP's, an incomplete DDP-SSN - is logged as octets seen,
 * and skipped. A chunk of the other kind stays where it is: PEER_OUT_OF_TURN.
 */
#ifndef HARNESS_PEER_SESSION_H
#define HARNESS_PEER_SESSION_H

#include "harness/peer/association.h"
#include "harness/peer/peer.h"
#include "harness/wire/session.h"

/* Take over stream `sid` of an association, which stays the caller's and
 * outlives the peer. False: no memory. */
bool peer_init_session(struct peer *p, struct association *a, uint16_t sid,
		       struct observe *log, unsigned stream);

/* Send a message of session control; faults may be NULL. A second one waits
 * until all is acknowledged (RFC 5043 s6.6), unless faults->at_once. */
enum peer_status peer_control(struct peer *p, uint16_t function,
			      const uint8_t *private_data, size_t n,
			      const struct peer_chunk_faults *faults,
			      uint64_t deadline);

/* The held chunks are sent in reverse order: a later DDP-SSN has a lower
 * TSN. */
void peer_reverses(struct peer *p, bool on);
/* The DDP-SSN of the peer's next chunk. */
uint16_t peer_next_ssn(const struct peer *p);
/* Chunks that wait for another one that does not arrive have waited long
 * enough: they are logged as octets seen, in the order of their numbers, and
 * skipped. False: nothing waits, or this is not a stream of SCTP. */
bool peer_passes_over(struct peer *p);

#endif
