/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection over SCTP: a session replaces MPA's startup and framing, and
 * TCP's FIN and RST.
 */
#ifndef HARNESS_REFDUT_CONN_SCTP_H
#define HARNESS_REFDUT_CONN_SCTP_H

#include "harness/refdut/conn.h"
#include "harness/refdut/sctp/sctp_assoc.h"

/* --- called by verbs ---------------------------------------------------- */

/* A connection for the next requested session. */
struct conn *conn_invite(const struct params *params, const void *owner,
			 struct job *notify);

/* Begin a session with assoc_open(). NULL with errno. */
struct conn *conn_connect_sctp(const struct address *udp, uint16_t port,
			       int stream, const struct params *params,
			       const void *owner, struct job *notify);

/* --- events of a stream -------------------------------------------------- */

/* The association is up and the stream is free: begin the session. *enhanced is
 * set to whether it is enhanced. */
void conn_stream_up(struct conn *conn, bool *enhanced);
void conn_stream_asked(struct conn *conn, struct ddp_stream *stream,
		       const struct control_message *message);
void conn_stream_answered(struct conn *conn, bool rejected,
			  const struct control_message *message);
void conn_stream_refused(struct conn *conn);
void conn_stream_segment(struct conn *conn, const uint8_t *octets, size_t n);
void conn_stream_terminated(struct conn *conn);
void conn_stream_stray(struct conn *conn);
void conn_stream_lost(struct conn *conn);
void conn_stream_moves(struct conn *conn);

/* --- called by conn.c and its files ------------------------------------- */

/* Append a segment to conn->out. */
void conn_put_segment(struct conn *conn, const uint8_t *header,
		      size_t header_len, const uint8_t *payload, size_t len);
/* Queue the Initiate, or the answer to an Initiate. */
void conn_put_initiate(struct conn *conn);
void conn_put_answer(struct conn *conn);

/* Pass the contents of conn->out to SCTP. False: a part remains. */
bool conn_hand_over(struct conn *conn);

/* The next segment in conn->in. False: there is no segment. *ended is set when
 * the session's Terminate follows the last segment. */
bool conn_next_segment(struct conn *conn, struct ulpdu *ulpdu, bool *ended);

#endif
