/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Associations for DDP (RFC 5043 s5.1, s7, s8, s11) and the streams of them,
 * each with one session at a time (s6). What a session carries is its
 * connection's (conn_sctp.c).
 */
#ifndef HARNESS_REFDUT_SCTP_ASSOC_H
#define HARNESS_REFDUT_SCTP_ASSOC_H

#include "harness/refdut/sctp/sctp_session.h"
#include "harness/refdut/sctp/sctp_stack.h"

enum {
	INDICATION_DDP = 1,
	STREAMS = 1024, /* that an association is asked for */
};

struct conn;
struct assoc;

/* A pair of SCTP streams. */
struct ddp_stream {
	struct assoc *assoc;
	struct conn *conn; /* whose session it is; NULL: nobody's */
	uint16_t number;
	enum session_phase phase;
	bool enhanced;
	bool lingers; /* they may still send of a session that is over */
	struct ssn_order in;
	uint16_t ssn;          /* of the next chunk out */
	uint64_t submitted;    /* messages ever */
	uint64_t acknowledged; /* of these */
	uint64_t control;      /* submitted, when a control message was last */
	bool terminate_due;
	bool ended; /* our Terminate is out */
};

/* A port that takes associations, and sessions on them. */
struct sctp_port {
	struct stack_door door;
	void *owner;
	/* A session is asked for: the connection that is to have it, or NULL.
	 */
	struct conn *(*take)(struct sctp_port *port);
};

/* 0, or -1 with errno. The port is port->door.port. */
int assoc_listen(struct sctp_port *port);
void assoc_close_port(struct sctp_port *port);

/* All that this owner has ends by an ABORT. */
void assoc_release(const void *owner);

/*
 * A stream to the port of SCTP at a UDP address, for the connection to begin a
 * session on: of the association there is, or of a new one. conn_stream_up
 * follows when it may begin. A stream below 0 is the device's choice. NULL
 * with errno: EBUSY where the stream has a session.
 */
struct ddp_stream *assoc_open(const void *owner, const struct address *udp,
			      uint16_t port, int stream, struct conn *conn);

void assoc_peer_text(const struct ddp_stream *stream, char text[ADDRESS_TEXT]);
/* The largest DDP segment (RFC 5043 s9). */
uint32_t stream_mulpdu(const struct ddp_stream *stream);

/* A chunk from behind its DDP-SSN on. 1: taken; 0: no room now; -1: the
 * association is over. */
int stream_put(struct ddp_stream *stream, uint32_t ppid, const uint8_t *octets,
	       size_t n);

/* All that was sent was acknowledged. */
bool stream_is_settled(const struct ddp_stream *stream);

/* Begin the session of the stream's connection, if it may. */
void stream_begin(struct ddp_stream *stream);

/* Send the Terminate of the session. False: it has to wait for what was sent
 * before; the connection learns of progress. */
bool stream_end(struct ddp_stream *stream);

/*
 * The connection is done with its stream: a session that is not over ends by a
 * Session Terminate as soon as that may be sent, the association by an ABORT
 * where it is to be cut.
 */
void stream_leave(struct ddp_stream *stream, bool cut);

/* The connection has taken up a session that was asked for, or not. */
void stream_is_answered(struct ddp_stream *stream, bool accepted);

#endif
