/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associations for DDP (RFC 5043 s5.1, s7, s8, s11) and their streams, each
 * with one session at a time (s6). The contents of a session belong to its
 * connection (conn_sctp.c).
 */
#ifndef HARNESS_REFDUT_SCTP_ASSOC_H
#define HARNESS_REFDUT_SCTP_ASSOC_H

#include "harness/refdut/sctp/sctp_session.h"
#include "harness/refdut/sctp/sctp_stack.h"

enum {
	INDICATION_DDP = 1,
	STREAMS = 1024, /* the number to request for an association */
};

struct conn;
struct assoc;

/* A pair of SCTP streams. */
struct ddp_stream {
	struct assoc *assoc;
	struct conn *conn; /* the owner of its session, or NULL */
	uint16_t number;
	enum session_phase phase;
	bool enhanced;
	bool lingers; /* the peer may still send chunks of a finished session */
	struct ssn_order in;
	uint16_t ssn;          /* of the next outgoing chunk */
	uint64_t submitted;    /* messages sent in total */
	uint64_t acknowledged; /* messages acknowledged */
	uint64_t control;      /* messages submitted up to the last control
			        * message */
	bool terminate_due;
	bool ended; /* our Terminate was sent */
};

/* An SCTP port that accepts associations, and sessions on them. */
struct sctp_port {
	struct stack_door door;
	void *owner;
	/* A session is requested: returns its connection, or NULL. */
	struct conn *(*take)(struct sctp_port *port);
};

/* Returns 0, or -1 with errno. The port is then port->door.port. */
int assoc_listen(struct sctp_port *port);
void assoc_close_port(struct sctp_port *port);

/* End all associations of this owner with an ABORT. */
void assoc_release(const void *owner);

/*
 * Begin a session for the connection on a stream to this SCTP port at a UDP
 * address, on the existing association or on a new one. conn_stream_up follows
 * when it may begin. If the stream is below 0, the device chooses it. NULL with
 * errno: EBUSY if the stream has a session.
 */
struct ddp_stream *assoc_open(const void *owner, const struct address *udp,
			      uint16_t port, int stream, struct conn *conn);

void assoc_peer_text(const struct ddp_stream *stream, char text[ADDRESS_TEXT]);
/* The largest DDP segment (RFC 5043 s9). */
uint32_t stream_mulpdu(const struct ddp_stream *stream);

/* Send a chunk with these octets after its DDP-SSN. 1: accepted; 0: there is no
 * room now; -1: the association is over. */
int stream_put(struct ddp_stream *stream, uint32_t ppid, const uint8_t *octets,
	       size_t n);

/* Whether all sent messages are acknowledged. */
bool stream_is_settled(const struct ddp_stream *stream);

/* Begin the session of the stream's connection, if it may begin now. */
void stream_begin(struct ddp_stream *stream);

/* Send the Terminate of the session. False: it has to wait for earlier chunks;
 * the connection is notified of progress. */
bool stream_end(struct ddp_stream *stream);

/*
 * The connection releases its stream. A session that is not over ends with a
 * Session Terminate, as soon as this may be sent. If `cut` is set, the
 * association ends with an ABORT instead.
 */
void stream_leave(struct ddp_stream *stream, bool cut);

/* The connection has answered an Initiate: it has accepted the session, or
 * rejected it. */
void stream_is_answered(struct ddp_stream *stream, bool accepted);

#endif
