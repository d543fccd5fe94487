/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections of the ULP: listen, accept, connect, state, close, and provoked
 * errors. verbs/setup.c reads their parameters.
 */
#include "harness/refdut/agent/features.h"
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/verbs/setup.h"
#include "harness/refdut/verbs/setup_decisions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first listen on the port that has no connection yet. */
static struct listener *pending_listener(struct session *s, bool sctp,
					 uint16_t port)
{
	struct listener *listener = s->listeners;

	while (listener && (listener->sctp != sctp || listener->port != port ||
			    listener->conn))
		listener = listener->next;
	return listener;
}

/* A device without the feature multi-stream has one connection at a time. */
static bool has_room_for_another(const struct session *s)
{
	if (feature(FEATURE_MULTI_STREAM))
		return true;
	for (const struct conn *c = s->conns; c; c = c->next)
		if (c->watch.fd >= 0 && !conn_is_final(c))
			return false;
	return true;
}

static void port_ready(struct watch *watch, uint32_t events)
{
	struct port *port = (struct port *)watch;
	struct session *s = port->session;
	struct listener *listener;
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct address peer;
	struct conn *conn;

	(void)events;
	if (fd < 0) {
		loop_complain("accept");
		return;
	}
	listener = pending_listener(s, false, port->number);
	if (!listener || !has_room_for_another(s)) {
		close(fd);
		return;
	}
	if (--port->pending == 0) {
		int socket_fd = watch->fd;

		/* No listen is left: refuse connections. */
		loop_unwatch(watch);
		close(socket_fd);
	}
	conn = conn_accept(fd, &listener->params, s, &s->job);
	listener->conn = conn;
	session_adopt(s, conn);
	if (conn->watch.fd >= 0 && address_peer(fd, &peer))
		address_text(&peer, conn->peer);
}

/* Listen at the address that the session connected to. */
static int open_port(struct session *s, uint16_t number, struct port *port)
{
	struct address at;

	if (!address_own(s->watch.fd, &at))
		return -1;
	address_set_port(&at, number);
	if (address_listen(&at, 16, &port->watch) < 0)
		return -1;
	tcp_is_prepared(port->watch.fd);
	port->number = address_port(&at);
	return 0;
}

static struct port *port_for(struct session *s, uint16_t number)
{
	struct port *port = s->ports;

	while (number && port && port->number != number)
		port = port->next;
	if (!number || !port) {
		port = alloc_zeroed(sizeof(*port));
		port->watch.fd = -1;
		port->watch.ready = port_ready;
		port->session = s;
		if (open_port(s, number, port) < 0) {
			free(port);
			return NULL;
		}
		port->next = s->ports;
		s->ports = port;
	} else if (port->pending == 0 && open_port(s, number, port) < 0) {
		return NULL;
	}
	port->pending++;
	return port;
}

RULE(session_taken)
{
	struct listener *listener = pending_listener(s, true, port);

	if (!listener)
		return NULL;
	listener->conn = conn_invite(&listener->params, s, &s->job);
	session_adopt(s, listener->conn);
	return listener->conn;
}

static struct conn *take_session(struct sctp_port *port)
{
	return session_taken(port->owner, port->door.port);
}

/* The first listen of a session opens an SCTP port, which stays open as long as
 * the session. */
static int sctp_port_for(struct session *s, uint16_t *number)
{
	struct sctp_port_of *port = s->sctp_ports;

	while (*number && port && port->port.door.port != *number)
		port = port->next;
	if (*number && port)
		return 0;
	port = alloc_zeroed(sizeof(*port));
	port->port.door.port = *number;
	port->port.owner = s;
	port->port.take = take_session;
	if (assoc_listen(&port->port) < 0) {
		free(port);
		return -1;
	}
	port->next = s->sctp_ports;
	s->sctp_ports = port;
	*number = port->port.door.port;
	return 0;
}

static int tcp_port_for(struct session *s, uint16_t *number)
{
	struct port *port = port_for(s, *number);

	if (!port)
		return -1;
	*number = port->number;
	return 0;
}

void verb_listen(struct session *s, const struct line *line)
{
	struct listener *listener;
	struct params params;
	uint64_t number_wanted = 0;
	uint16_t port;

	if (!number(s, line, "port", UINT16_MAX, &number_wanted) ||
	    !setup_parse(s, line, true, &params))
		return;
	port = (uint16_t)number_wanted;
	if ((setup_is_sctp(line) ? sctp_port_for(s, &port)
				 : tcp_port_for(s, &port)) < 0) {
		refuse(s, LINE_DEVICE, "port: %s", strerror(errno));
		return;
	}
	listener = alloc_zeroed(sizeof(*listener));
	listener->number = ++s->listener_ordinal;
	listener->port = port;
	listener->sctp = setup_is_sctp(line);
	listener->params = params;
	*s->listeners_end = listener;
	s->listeners_end = &listener->next;
	reply(s, "OK listener=l%llu port=%u",
	      (unsigned long long)listener->number, port);
}

RULE(reported_depths)
{
	return (struct depths){c->their_frame.ird, c->their_frame.ord};
}

RULE(reported_facts)
{
	(void)c;
	return FACTS_ALL;
}

/* The peer's startup frame, in the form of a reply. */
static size_t frame_text(const struct conn *c, char *text)
{
	unsigned facts = reported_facts(c);
	size_t n = 0;

	*text = '\0';
	if (facts & FACT_PRIVATE_DATA) {
		n = (size_t)sprintf(text, " private=");
		n += line_hex_encode(text + n, c->their_frame.private_data,
				     c->their_frame.private_len);
	}
	if (facts & FACT_DEPTHS && c->their_frame.enhanced) {
		struct depths depths = reported_depths(c);

		n += (size_t)sprintf(text + n, " ird=%u ord=%u", depths.ird,
				     depths.ord);
	}
	return n;
}

enum { FRAME_TEXT = 2 * STARTUP_PRIVATE_MAX + 64 };

static void put_text(struct session *s, const char *text)
{
	buf_put(&s->out, text, strlen(text));
}

RULE(reported_state)
{
	return state;
}

static const char *state_text(const struct conn *c, enum conn_state state)
{
	return conn_state_name(reported_state(c, state));
}

RULE(connection_is_reported)
{
	return (c->was_established || c->state == CONN_REJECTED) && !c->untold;
}

RULE(failed_startup_is_reported)
{
	(void)c;
	return true;
}

static void reply_accepted(struct session *s, struct conn *c)
{
	char text[FRAME_TEXT + 160];

	snprintf(text, sizeof(text), "OK conn=c%llu state=%s peer=%s",
		 (unsigned long long)c->number,
		 c->was_established && c->state != CONN_REJECTED
			 ? state_text(c, CONN_ESTABLISHED)
			 : "rejected",
		 c->peer);
	put_text(s, text);
	if (c->sctp) {
		snprintf(text, sizeof(text), " stream=%u", c->stream_number);
		put_text(s, text);
	}
	frame_text(c, text);
	put_text(s, text);
	put_text(s, "\n");
}

static bool poll_accept(struct session *s, bool timed_out)
{
	struct listener *listener = s->wait_listener;
	struct conn *c = listener->conn;

	if (c && connection_is_reported(c)) {
		listener->taken = true;
		c->number = ++s->conn_ordinal;
		reply_accepted(s, c);
		return true;
	}
	if (c && conn_is_final(c) && failed_startup_is_reported(c)) {
		listener->taken = true;
		refuse(s, LINE_DEVICE, "%s",
		       c->failure ? c->failure : "closed");
		return true;
	}
	if (timed_out)
		refuse(s, LINE_TIMEOUT, "no connection");
	return timed_out;
}

void verb_accept(struct session *s, const struct line *line)
{
	const char *name = line_get(line, "listener");
	struct listener *listener = s->listeners;
	uint64_t timeout = 0;
	uint64_t n = 0;

	if (!name || !line_get(line, "timeout-ms")) {
		refuse(s, LINE_BAD_ARGUMENT, "listener or timeout-ms missing");
		return;
	}
	if (!number(s, line, "timeout-ms", TIMEOUT_MAX_MS, &timeout))
		return;
	if (name[0] != 'l' || name[1] == '0' || !line_number(name + 1, &n))
		listener = NULL;
	while (listener && listener->number != n)
		listener = listener->next;
	if (!listener) {
		refuse(s, LINE_NO_SUCH_NAME, "no such listener");
		return;
	}
	if (listener->taken) {
		refuse(s, LINE_BAD_STATE,
		       "accept has already reported its connection");
		return;
	}
	s->wait_listener = listener;
	session_wait(s, poll_accept, timeout);
}

/* NULL if it was refused. */
static struct conn *connect_sctp(struct session *s, const struct line *line,
				 struct address *to, uint16_t port,
				 const struct params *params)
{
	uint64_t udp = 0, stream = 0;
	struct conn *c;

	if (!number(s, line, "udp", UINT16_MAX, &udp) ||
	    !number(s, line, "stream", UINT16_MAX, &stream))
		return NULL;
	/* SCTP directly over IP is not supported. */
	if (!udp) {
		refuse(s, LINE_UNSUPPORTED, "udp");
		return NULL;
	}
	address_set_port(to, (uint16_t)udp);
	c = conn_connect_sctp(to, port,
			      line_get(line, "stream") ? (int)stream : -1,
			      params, s, &s->job);
	if (!c && (errno == EBUSY || errno == ECHRNG))
		refuse(s, LINE_UNSUPPORTED, "stream");
	else if (!c)
		refuse(s, LINE_DEVICE, "socket: %s", strerror(errno));
	return c;
}

static struct conn *connect_tcp(struct session *s, const struct address *to,
				const struct params *params)
{
	struct conn *c = conn_connect((const struct sockaddr *)&to->at, to->len,
				      params, s, &s->job);

	if (!c)
		refuse(s, LINE_DEVICE, "socket: %s", strerror(errno));
	return c;
}

void verb_connect(struct session *s, const struct line *line)
{
	const char *addr = line_get(line, "addr");
	struct address to;
	struct params params;
	uint64_t port = 0;
	struct conn *c;

	if (!addr || !line_get(line, "port")) {
		refuse(s, LINE_BAD_ARGUMENT, "addr or port is missing");
		return;
	}
	if (!number(s, line, "port", UINT16_MAX, &port) ||
	    !setup_parse(s, line, false, &params))
		return;
	if (port == 0 || !address_parse(addr, (uint16_t)port, &to)) {
		refuse(s, LINE_BAD_ARGUMENT, "addr or port");
		return;
	}
	c = setup_is_sctp(line)
		    ? connect_sctp(s, line, &to, (uint16_t)port, &params)
		    : connect_tcp(s, &to, &params);
	if (!c)
		return;
	c->number = ++s->conn_ordinal;
	session_adopt(s, c);
	reply(s, "OK conn=c%llu", (unsigned long long)c->number);
}

static void reply_state(struct session *s, const struct conn *c)
{
	const struct terminate *t = &c->terminate;
	char text[FRAME_TEXT];

	put_text(s, "OK state=");
	put_text(s, state_text(c, c->state));
	if (t->known && reported_facts(c) & FACT_TERMINATE) {
		sprintf(text,
			" term-layer=%u term-etype=%u term-code=%u"
			" term-from=%s term-hex=",
			t->octets[0] >> 4, t->octets[0] & 15, t->octets[1],
			t->local ? "local" : "remote");
		put_text(s, text);
		line_hex_encode(text, t->octets, t->len);
		put_text(s, text);
	}
	if (c->their_frame_known) {
		frame_text(c, text);
		put_text(s, text);
	}
	put_text(s, "\n");
}

static bool poll_state(struct session *s, bool timed_out)
{
	const struct conn *c = s->wait_conn;

	if (!timed_out && !conn_is_final(c) &&
	    (s->wait_any ? c->state == CONN_CONNECTING
			 : c->state != s->wait_state))
		return false;
	reply_state(s, c);
	return true;
}

void verb_state(struct session *s, const struct line *line)
{
	const char *until = line_get(line, "until");
	struct conn *c = conn_named(s, line);
	uint64_t timeout = 0;
	int state = CONN_CONNECTING;

	if (!c || !number(s, line, "timeout-ms", TIMEOUT_MAX_MS, &timeout))
		return;
	while (until && state <= CONN_ERROR &&
	       strcmp(conn_state_name((enum conn_state)state), until) != 0)
		state++;
	if (state > CONN_ERROR) {
		refuse(s, LINE_BAD_ARGUMENT, "until is not a state");
		return;
	}
	conn_flush(c);
	s->wait_conn = c;
	s->wait_any = !until;
	s->wait_state = (enum conn_state)state;
	session_wait(s, poll_state, timeout);
}

void verb_close(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	bool abortive = false, half = false;

	if (!c || !flag(s, line, "abort", &abortive) ||
	    !flag(s, line, "half", &half))
		return;
	if (abortive && half) {
		refuse(s, LINE_BAD_ARGUMENT, "abort and half");
		return;
	}
	conn_flush(c);
	if (abortive)
		conn_abort(c);
	else
		conn_close(c, half);
	reply(s, "OK");
}

/* The local errors that a device can have. */
static bool local_error(uint64_t layer, uint64_t etype, uint64_t code)
{
	switch (layer << 4 | etype) {
	case ERR_RDMA_CATASTROPHIC:
		return true;
	case ERR_RDMA_OPERATION:
		return code == 7 || code == 8 || code == 0xff;
	case ERR_DDP_CATASTROPHIC:
		return code == 0;
	case ERR_MPA:
		return code == 5;
	default:
		return false;
	}
}

void verb_provoke(struct session *s, const struct line *line)
{
	struct conn *c = conn_named(s, line);
	uint64_t layer = 0, etype = 0, code = 0;

	if (!c)
		return;
	if (!line_get(line, "layer") || !line_get(line, "etype") ||
	    !line_get(line, "code")) {
		refuse(s, LINE_BAD_ARGUMENT, "layer, etype or code is missing");
		return;
	}
	if (!number(s, line, "layer", 15, &layer) ||
	    !number(s, line, "etype", 15, &etype) ||
	    !number(s, line, "code", 255, &code))
		return;
	if (!local_error(layer, etype, code)) {
		refuse(s, LINE_UNSUPPORTED, "code");
		return;
	}
	if (c->phase != PHASE_FULL || conn_is_final(c)) {
		refuse(s, LINE_BAD_STATE, "the stream is not established");
		return;
	}
	fault(c, (unsigned)(layer << 4 | etype), (unsigned)code, NULL, 0, NULL);
	conn_flush(c);
	reply(s, "OK");
}
