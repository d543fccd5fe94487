/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A peer on a stream of an SCTP association (RFC 5043). The functions of peer.h
 * work on it, with chunks instead of FPDUs, and session control messages
 * instead of startup frames:
 *
 *   peer_send             fails: use peer_control() to start a session
 *   peer_receive_startup  returns the user data of the next chunk, a session
 *                         control message, including its DDP-SSN
 *   peer_frame            makes a DDP segment with its DDP-SSN; frame->chunk
 *                         describes the chunk, frame->fpdu only the ULPDU
 *   peer_flush            sends a chunk for each segment; cuts belong to TCP,
 *                         and are ignored; if octets of a chunk are kept, the
 *                         whole chunk is kept
 *   peer_receive          returns the next chunk, a segment; a Session
 *                         Terminate or a SHUTDOWN is logged, and is PEER_FIN
 *   peer_close_sending    sends a Session Terminate, after everything before
 *                         it is acknowledged
 *   peer_reset            sends ABORT, which ends all streams
 *
 * The next chunk is the one with the next DDP-SSN, as RFC 5043 s6.1 requires;
 * chunks with later ones wait. Some chunks are logged as octets seen, and
 * skipped: those with a DDP-SSN that was used before, with a payload protocol
 * that is not DDP's, or with an incomplete DDP-SSN. If the next chunk is a
 * segment instead of session control, or the reverse, the function returns
 * PEER_OUT_OF_TURN, and the chunk can still be received.
 */
#ifndef HARNESS_PEER_SESSION_H
#define HARNESS_PEER_SESSION_H

#include "harness/peer/association.h"
#include "harness/peer/peer.h"
#include "harness/wire/session.h"

/* Take over stream `sid` of an association. The caller still owns the
 * association, and frees it after the peer. False: no memory. */
bool peer_init_session(struct peer *p, struct association *a, uint16_t sid,
		       struct observe *log, unsigned stream);

/* Send a session control message; faults may be NULL. Any but the first one
 * waits until everything is acknowledged (RFC 5043 s6.6), unless
 * faults->at_once is set. */
enum peer_status peer_control(struct peer *p, uint16_t function,
			      const uint8_t *private_data, size_t n,
			      const struct peer_chunk_faults *faults,
			      uint64_t deadline);

/* Whether to send the held chunks in reverse order: a later DDP-SSN then has a
 * lower TSN. */
void peer_reverses(struct peer *p, bool on);
/* The DDP-SSN of the peer's next chunk. */
uint16_t peer_next_ssn(const struct peer *p);
/* Stop waiting for a chunk that does not arrive: the chunks with later DDP-SSNs
 * are logged as octets seen, in the order of their DDP-SSNs, and skipped.
 * False: no chunks wait, or this is not an SCTP stream. */
bool peer_passes_over(struct peer *p);

#endif
