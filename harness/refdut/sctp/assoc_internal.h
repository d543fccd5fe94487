/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of an association:
 *
 *   sctp_assoc.c   associations: how they begin and end
 *   sctp_stream.c  outgoing chunks, and how a session begins and ends on a
 *                  stream
 *   sctp_chunks.c  incoming chunks
 */
#ifndef HARNESS_REFDUT_SCTP_ASSOC_INTERNAL_H
#define HARNESS_REFDUT_SCTP_ASSOC_INTERNAL_H

#include "harness/refdut/sctp/sctp_assoc.h"

struct assoc {
	struct stack_wire wire;
	struct assoc *next;
	const void *owner;
	struct sctp_port *port; /* NULL: we opened it */
	bool ddp;
	bool controls; /* a control device answers on it */
	bool gone;
	unsigned nstreams;
	struct ddp_stream *stream[STREAMS];
};

/* sctp_assoc.c */

/* End all its sessions as lost, and free it. */
void assoc_forget(struct assoc *assoc);

/* sctp_stream.c */

/* Find the stream of this number, or create it. */
struct ddp_stream *stream_of(struct assoc *assoc, uint16_t number);
void stream_begin_session(struct ddp_stream *stream, enum session_phase phase);
/* The session of the stream is over, at least on our side. */
void stream_free(struct ddp_stream *stream, bool lingers);
/* End the session with our Terminate, as soon as it may be sent. */
void stream_begin_terminate(struct ddp_stream *stream);
/* Send the Terminate that is due, if it may be sent now. */
void stream_terminate(struct ddp_stream *stream);

/* sctp_chunks.c */

void chunk_came(struct assoc *assoc, const struct stack_message *message);
/* Process the received chunks in the order of their DDP-SSNs. */
void chunks_take_in_turn(struct ddp_stream *stream);

#endif
