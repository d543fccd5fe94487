/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of an association, and what SCTP says of it between them.
 */
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "harness/link/sctp/sctp_internal.h"

enum { IN_FIRST = 4096 };

/* --- receiving ----------------------------------------------------------- */

static void association_changed(struct link_sctp_conn *c,
				const struct sctp_assoc_change *change)
{
	switch (change->sac_state) {
	case SCTP_COMM_UP:
		c->up = true;
		break;
	case SCTP_COMM_LOST:
		c->lost = true;
		break;
	case SCTP_CANT_STR_ASSOC:
		c->refused = true;
		break;
	case SCTP_SHUTDOWN_COMP:
		c->ended = true;
		break;
	}
}

/* n octets of a notification; a truncated one is ignored. */
static void notified(struct link_sctp_conn *c, const uint8_t *octets, size_t n)
{
	union sctp_notification what;

	memset(&what, 0, sizeof(what));
	memcpy(&what, octets, n < sizeof(what) ? n : sizeof(what));
	switch (what.sn_header.sn_type) {
	case SCTP_ASSOC_CHANGE:
		if (n >= sizeof(what.sn_assoc_change))
			association_changed(c, &what.sn_assoc_change);
		break;
	case SCTP_ADAPTATION_INDICATION:
		if (n < sizeof(what.sn_adaptation_event))
			break;
		c->adaptation = true;
		c->indication = what.sn_adaptation_event.sai_adaptation_ind;
		break;
	case SCTP_SHUTDOWN_EVENT:
		c->ended = true;
		break;
	}
}

/* Room for more of the message; beyond its limit, octets are dropped. */
static bool in_room(struct link_sctp_conn *c)
{
	if (c->in_octets < c->in_cap)
		return true;
	size_t cap = c->in_cap ? 2 * c->in_cap : IN_FIRST;
	uint8_t *more =
		cap > LINK_SCTP_MESSAGE_MAX ? NULL : realloc(c->in, cap);

	if (!more && cap <= LINK_SCTP_MESSAGE_MAX) {
		errno = ENOMEM;
		link_trouble(c->conn.link, "realloc");
	}
	if (!more)
		return false;
	c->in = more;
	c->in_cap = cap;
	return true;
}

/* What an error of usrsctp means for the association. */
static void ended_by(struct link_sctp_conn *c, int error)
{
	if (error == ECONNREFUSED)
		c->refused = true;
	else
		c->lost = true;
}

/* One piece of a message or of a notification. False: nothing is there. */
static bool take(struct link_sctp_conn *c)
{
	uint8_t dropped[IN_FIRST];
	bool room = in_room(c);
	uint8_t *at = room ? c->in + c->in_octets : dropped;
	size_t cap = room ? c->in_cap - c->in_octets : sizeof(dropped);
	struct sctp_rcvinfo info = {0};
	socklen_t size = sizeof(info), none = 0;
	unsigned type = SCTP_RECVV_NOINFO;
	int flags = 0;
	ssize_t n = usrsctp_recvv(c->so, at, cap, NULL, &none, &info, &size,
				  &type, &flags);

	if (n < 0) {
		if (errno != EWOULDBLOCK && errno != EAGAIN &&
		    errno != ENOTCONN)
			ended_by(c, errno);
		return false;
	}
	if (n == 0) {
		c->ended = true;
		return false;
	}
	if (c->in_octets == 0 && !(flags & MSG_NOTIFICATION))
		c->m = (struct link_message){
			.stream = info.rcv_sid,
			.ppid = ntohl(info.rcv_ppid),
			.ordered = !(info.rcv_flags & SCTP_UNORDERED),
			.tsn = info.rcv_tsn,
			.ssn = info.rcv_ssn,
		};
	if (room)
		c->in_octets += (size_t)n;
	else
		c->m.cut = true;
	if (!(flags & MSG_EOR))
		return true;
	if (flags & MSG_NOTIFICATION) {
		notified(c, c->in, c->in_octets);
		c->in_octets = 0;
	} else {
		c->in_whole = true;
	}
	return true;
}

void sctp_fill(struct link_sctp_conn *c)
{
	while (c->so && !c->in_whole && take(c))
		;
}

bool sctp_readable(struct link_sctp_conn *c)
{
	sctp_fill(c);
	return c->in_whole || c->lost || c->ended || c->refused;
}

/* 1, 0 or a status; nothing is waited for. */
static int message_now(struct link_sctp_conn *c, struct link_message *m)
{
	struct link_conn *conn = &c->conn;

	sctp_fill(c);
	if (c->in_whole) {
		c->m.octets = c->in;
		c->m.n = c->in_octets;
		*m = c->m;
		c->in_whole = false;
		c->in_octets = 0;
		conn->received += m->n;
		return 1;
	}
	if (c->lost || conn->reset_sent) {
		conn->reset_seen |= !conn->reset_sent;
		return link_fail(conn->why, LINK_RESET,
				 "receive: the association is aborted");
	}
	if (c->ended) {
		conn->fin_seen = true;
		return 0;
	}
	return LINK_TIMEOUT;
}

int link_recv_message(struct link_conn *conn, struct link_message *m,
		      uint64_t deadline)
{
	struct link_wait w = {.conn = conn, .want = LINK_READ};

	for (;;) {
		int status = message_now(sctp_conn(conn), m);

		if (status != LINK_TIMEOUT)
			return status;
		status = link_wait(conn->link, &w, 1, deadline);
		if (status == LINK_TIMEOUT)
			return link_fail(conn->why, status,
					 "receive: no message came");
		if (status < 0)
			return link_fail(conn->why, status, "%.150s",
					 conn->link->why);
	}
}

long sctp_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	struct link_message m = {0};
	int status = message_now(sctp_conn(conn), &m);

	if (status != 1)
		return status;
	/* link.c counts only its own octets. */
	conn->received -= m.n;
	size_t n = m.n < cap ? m.n : cap;

	memcpy(octets, m.octets, n);
	return (long)n;
}

/* --- sending ------------------------------------------------------------- */

long sctp_send_now(struct link_conn *conn, const void *octets, size_t n)
{
	(void)octets;
	return link_fail(
		conn->why, LINK_ERROR,
		"send: %zu octets of no stream; this link has messages", n);
}

/* Zeros if the association is gone. */
static struct sctp_status status_of(const struct link_sctp_conn *c)
{
	struct sctp_status status = {0};
	socklen_t n = sizeof(status);

	if (c->so && usrsctp_getsockopt(c->so, IPPROTO_SCTP, SCTP_STATUS,
					&status, &n) != 0)
		memset(&status, 0, sizeof(status));
	return status;
}

uint64_t sctp_unacknowledged(const struct link_conn *conn)
{
	const struct sctp_status status =
		status_of((const struct link_sctp_conn *)conn);

	return (uint64_t)status.sstat_unackdata + status.sstat_penddata;
}

struct link_sctp_state link_sctp_state(struct link_conn *conn)
{
	struct link_sctp_conn *c = sctp_conn(conn);

	sctp_serve(sctp_link(conn->link));
	sctp_fill(c);

	const struct sctp_status status = status_of(c);

	return (struct link_sctp_state){
		.adaptation = c->adaptation,
		.indication = c->indication,
		.outbound = status.sstat_outstrms,
		.inbound = status.sstat_instrms,
		.unacknowledged = (uint16_t)(status.sstat_unackdata +
					     status.sstat_penddata),
		.largest_message = status.sstat_fragmentation_point,
	};
}

/* usrsctp's own limit is that of the packet, without the headers around the
 * message. */
static bool too_large(struct link_sctp_conn *c, size_t n)
{
	uint32_t most;

	if (c->fragments)
		return false;
	most = status_of(c).sstat_fragmentation_point;
	if (!most || n <= most)
		return false;
	link_fail(c->conn.why, LINK_ERROR,
		  "send: %zu octets do not fit into one packet, which has room "
		  "for %u",
		  n, most);
	return true;
}

int link_send_message(struct link_conn *conn, const struct link_message *m,
		      const void *octets, size_t n, uint64_t deadline)
{
	struct link_sctp_conn *c = sctp_conn(conn);
	struct link_wait w = {.conn = conn, .want = LINK_WRITE};
	struct sctp_sndinfo info = {
		.snd_sid = m->stream,
		.snd_flags = m->ordered ? 0 : SCTP_UNORDERED,
		.snd_ppid = htonl(m->ppid),
	};

	assert(n > 0 && !conn->fin_sent && !conn->reset_sent);
	if (too_large(c, n))
		return LINK_ERROR;
	for (;;) {
		/* Its ABORT, if one came, goes first. */
		sctp_serve(sctp_link(conn->link));
		sctp_fill(c);
		if (c->lost)
			return link_fail(
				conn->why, LINK_RESET,
				"send: the peer has aborted the association");
		stack_tick();
		if (usrsctp_sendv(c->so, octets, n, NULL, 0, &info,
				  sizeof(info), SCTP_SENDV_SNDINFO, 0) >= 0) {
			conn->sent += n;
			return LINK_OK;
		}
		if (errno == ECONNRESET || errno == EPIPE)
			return link_fail(conn->why, LINK_RESET,
					 "send: the association is over");
		if (errno != EWOULDBLOCK && errno != EAGAIN)
			return link_fail(
				conn->why, LINK_ERROR,
				"send: %zu octets on stream %u of SCTP: %s", n,
				m->stream, strerror(errno));
		int status = link_wait(conn->link, &w, 1, deadline);

		if (status == LINK_TIMEOUT)
			return link_fail(conn->why, status,
					 "send: no room for %zu octets", n);
		if (status < 0)
			return link_fail(conn->why, status, "%.150s",
					 conn->link->why);
	}
}
