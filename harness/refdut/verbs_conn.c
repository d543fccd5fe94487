/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/refdut/session.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/features.h"
#include "harness/refdut/limits.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/variants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The RTR types that the device claims; all where it claims none, as an
 * enhanced responder has to support one (RFC 6581 s9.2). */
static unsigned claimed_rtr(void)
{
	unsigned rtr = (feature(FEATURE_RTR_SEND) ? RTR_SEND : 0u) |
		       (feature(FEATURE_RTR_WRITE) ? RTR_WRITE : 0u) |
		       (feature(FEATURE_RTR_READ) ? RTR_READ : 0u);

	return rtr ? rtr : RTR_ALL;
}

static bool is_sctp(const struct line *line)
{
	const char *proto = line_get(line, "proto");

	return proto && strcmp(proto, "sctp") == 0;
}

static bool parse_rtr(struct session *s, const struct line *line, unsigned *rtr)
{
	static const char *const names[] = {"send", "write", "read"};
	const char *at = line_get(line, "rtr");

	if (!at)
		return true;
	*rtr = 0;
	for (;;) {
		size_t len = strcspn(at, ",");
		unsigned i = 0;

		while (i < 3 && (strlen(names[i]) != len ||
				 strncmp(at, names[i], len) != 0))
			i++;
		if (i == 3 || *rtr & 1u << i)
			break;
		*rtr |= 1u << i;
		if (at[len] == '\0' && (*rtr & ~claimed_rtr())) {
			refuse(s, LINE_UNSUPPORTED, "rtr");
			return false;
		}
		if (at[len] == '\0')
			return true;
		at += len + 1;
	}
	refuse(s, LINE_BAD_ARGUMENT, "rtr is of send,write,read");
	return false;
}

static bool parse_depth(struct session *s, const struct line *line,
			const char *key, uint32_t most, uint32_t *depth)
{
	uint64_t n = *depth;

	if (!number(s, line, key, NOT_NEGOTIATED, &n))
		return false;
	if (n > most && n != NOT_NEGOTIATED) {
		refuse(s, LINE_LIMIT, "%s is at most %u", key, most);
		return false;
	}
	*depth = (uint32_t)n;
	return true;
}

static bool parse_private(struct session *s, const struct line *line,
			  bool enhanced, struct params *p)
{
	const struct line_token *t = line_find(line, "private");
	size_t max = STARTUP_PRIVATE_MAX - (enhanced ? ENHANCED_SIZE : 0);

	if (!t)
		return true;
	if (max > limit_private())
		max = limit_private();
	if (is_sctp(line) && enhanced &&
	    mutant(MUTANT_enhanced_private_data_of_512))
		max = STARTUP_PRIVATE_MAX;
	if (is_sctp(line) && mutant(MUTANT_private_data_of_516_sent))
		max = STARTUP_PRIVATE_ROOM;
	if (t->value_len / 2 > max) {
		refuse(s, LINE_LIMIT, "private data is at most %zu", max);
		return false;
	}
	if (!line_hex_decode(t->value, t->value_len, p->private_data,
			     STARTUP_PRIVATE_ROOM)) {
		refuse(s, LINE_BAD_ARGUMENT, "private is no hex");
		return false;
	}
	p->private_len = (uint32_t)(t->value_len / 2);
	return true;
}

static bool parse_receives(struct session *s, const struct line *line,
			   struct params *p)
{
	uint64_t rq = 0, rqlen = 4096;

	if (!number(s, line, "rq", UINT64_MAX, &rq) ||
	    !number(s, line, "rqlen", UINT64_MAX, &rqlen))
		return false;
	if (rq > limit_receives() || rqlen > limit_message()) {
		refuse(s, LINE_LIMIT, "too many or too long receives");
		return false;
	}
	p->rq = (uint32_t)rq;
	p->rqlen = (uint32_t)rqlen;
	return true;
}

/* What there is only over one of the two. */
static bool parse_protocol(struct session *s, const struct line *line,
			   const struct params *p)
{
	const char *proto = line_get(line, "proto");

	if (proto && strcmp(proto, "tcp") != 0 && !is_sctp(line)) {
		refuse(s, LINE_BAD_ARGUMENT, "proto is tcp or sctp");
		return false;
	}
	if (!is_sctp(line)) {
		if (!line_get(line, "udp") && !line_get(line, "stream"))
			return true;
		refuse(s, LINE_UNSUPPORTED, "%s",
		       line_get(line, "udp") ? "udp" : "stream");
		return false;
	}
	if (!feature(FEATURE_SCTP) || !stack_udp_port())
		refuse(s, LINE_UNSUPPORTED, "proto");
	else if (p->markers)
		refuse(s, LINE_UNSUPPORTED, "markers");
	else if (!p->crc)
		refuse(s, LINE_UNSUPPORTED, "crc");
	else
		return true;
	return false;
}

/* The one Request of a device that has no other, whatever its agent asks. */
static void only_form(struct params *p, uint64_t *rev, bool *enhanced)
{
	if (variant(VARIANT_always_p2p_blind) ||
	    variant(VARIANT_always_p2p_untold)) {
		*rev = 2;
		*enhanced = true;
		p->rtr = p->rtr ? p->rtr : claimed_rtr();
	} else if (variant(VARIANT_always_enhanced_untold)) {
		*rev = 2;
		*enhanced = true;
		p->rtr = 0;
	} else if (variant(VARIANT_always_plain_untold)) {
		*rev = 1;
		p->rtr = 0;
	}
}

/* How a connect's revision and enhanced data follow from its keys. */
static bool parse_setup(struct session *s, const struct line *line,
			bool listening, struct params *p)
{
	bool wanted = line_get(line, "ird") || line_get(line, "ord") ||
		      line_get(line, "rtr");
	uint64_t rev = listening || wanted ? 2 : 1;
	bool enhanced = true;

	p->rtr = listening ? claimed_rtr() : 0;
	if (!feature(FEATURE_MPA_V2))
		rev = 1;
	if (!number(s, line, "mpa", 2, &rev) ||
	    !flag(s, line, "enhanced", &enhanced) ||
	    !parse_rtr(s, line, &p->rtr))
		return false;
	if (rev == 0) {
		refuse(s, LINE_BAD_ARGUMENT, "mpa is 1 or 2");
		return false;
	}
	/* A listener without Revision 1 is not offered. */
	if ((rev == 2 && !feature(FEATURE_MPA_V2)) ||
	    (rev == 1 && !listening && !feature(FEATURE_MPA_V1))) {
		refuse(s, LINE_UNSUPPORTED, "mpa");
		return false;
	}
	if (!listening && (rev == 1 || !enhanced || !p->rtr) &&
	    variant(VARIANT_always_p2p)) {
		refuse(s, LINE_UNSUPPORTED,
		       rev == 1 || !enhanced ? "mpa" : "rtr");
		return false;
	}
	if (!listening)
		only_form(p, &rev, &enhanced);
	if (is_sctp(line) && rev == 2 && !enhanced) {
		refuse(s, LINE_UNSUPPORTED, "enhanced");
		return false;
	}
	p->rev = (unsigned)rev;
	p->enhanced = !listening && rev == 2 && enhanced;
	p->peer_to_peer = p->enhanced && p->rtr;
	return true;
}

static uint32_t rounded_up(uint32_t depth, uint32_t most)
{
	uint32_t power = 1;

	if (depth == NOT_NEGOTIATED)
		return depth;
	while (power < depth)
		power *= 2;
	return power < most ? power : most;
}

static bool parse_params(struct session *s, const struct line *line,
			 bool listening, struct params *p)
{
	uint64_t msn = 1, need = 0;

	*p = (struct params){.ird = limit_ird() < 16 ? limit_ird() : 16,
			     .ord = limit_ord() < 16 ? limit_ord() : 16,
			     .crc = true};
	if (!parse_setup(s, line, listening, p) ||
	    !number(s, line, "pd", UINT64_MAX, &p->domain) ||
	    !parse_depth(s, line, "ird", limit_ird(), &p->ird) ||
	    !parse_depth(s, line, "ord", limit_ord(), &p->ord) ||
	    !parse_private(s, line, listening ? false : p->enhanced, p) ||
	    !flag(s, line, "markers", &p->markers) ||
	    !flag(s, line, "crc", &p->crc) || !parse_protocol(s, line, p) ||
	    !parse_receives(s, line, p) ||
	    !number(s, line, "msn", UINT32_MAX, &msn) ||
	    !flag(s, line, "reject", &p->reject) ||
	    !number(s, line, "need-ord", DEPTH_MAX, &need))
		return false;
	if (!p->crc && variant(VARIANT_crc_always)) {
		refuse(s, LINE_UNSUPPORTED, "crc");
		return false;
	}
	if (!listening && variant(VARIANT_request_depths_rounded_up)) {
		p->ird = rounded_up(p->ird, limit_ird());
		p->ord = rounded_up(p->ord, limit_ord());
	}
	p->first_msn = (uint32_t)msn;
	p->need_ord = (uint32_t)need;
	p->has_need_ord = line_get(line, "need-ord");
	return true;
}

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

static void port_ready(struct watch *watch, uint32_t events)
{
	struct port *port = (struct port *)watch;
	struct session *s = port->session;
	struct listener *listener;
	int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct address peer;
	struct conn *conn;

	(void)events;
	if (fd < 0)
		return;
	listener = pending_listener(s, false, port->number);
	if (!listener) {
		close(fd);
		return;
	}
	if (--port->pending == 0) {
		int socket_fd = watch->fd;

		/* Nobody waits any more: connections are refused. */
		loop_unwatch(watch);
		close(socket_fd);
	}
	conn = conn_accept(fd, &listener->params, s, &s->job);
	listener->conn = conn;
	session_adopt(s, conn);
	if (conn->watch.fd >= 0 && address_peer(fd, &peer))
		address_text(&peer, conn->peer);
}

/* Listen at the address the session came to. */
static int open_port(struct session *s, uint16_t number, struct port *port)
{
	struct address at;

	if (!address_own(s->watch.fd, &at))
		return -1;
	address_set_port(&at, number);
	if (address_listen(&at, 16, &port->watch) < 0)
		return -1;
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

static struct conn *take_session(struct sctp_port *port)
{
	struct session *s = port->owner;
	struct listener *listener = pending_listener(s, true, port->door.port);

	if (!listener && s->listeners &&
	    mutant(MUTANT_excess_initiate_accepted)) {
		struct conn *c = conn_invite(&s->listeners->params, s, &s->job);

		session_adopt(s, c);
		return c;
	}
	if (!listener)
		return NULL;
	listener->conn = conn_invite(&listener->params, s, &s->job);
	session_adopt(s, listener->conn);
	return listener->conn;
}

/* Its first listen opens a port of SCTP, for as long as the session lives. */
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
	    !parse_params(s, line, true, &params))
		return;
	port = (uint16_t)number_wanted;
	if ((is_sctp(line) ? sctp_port_for(s, &port) : tcp_port_for(s, &port)) <
	    0) {
		refuse(s, LINE_DEVICE, "port: %s", strerror(errno));
		return;
	}
	listener = alloc_zeroed(sizeof(*listener));
	listener->number = ++s->listener_ordinal;
	listener->port = port;
	listener->sctp = is_sctp(line);
	listener->params = params;
	*s->listeners_end = listener;
	s->listeners_end = &listener->next;
	reply(s, "OK listener=l%llu port=%u",
	      (unsigned long long)listener->number, port);
}

/* What the peer's startup frame held, as a reply tells it. */
static size_t frame_text(const struct conn *c, char *text)
{
	size_t n = (size_t)sprintf(text, " private=");

	n += line_hex_encode(text + n, c->their_frame.private_data,
			     c->their_frame.private_len);
	if (c->their_frame.enhanced && mutant(MUTANT_own_depths_told_as_theirs))
		n += (size_t)sprintf(text + n, " ird=%u ord=%u", c->params.ird,
				     c->params.ord);
	else if (c->their_frame.enhanced)
		n += (size_t)sprintf(text + n, " ird=%u ord=%u",
				     c->their_frame.ird, c->their_frame.ord);
	return n;
}

enum { FRAME_TEXT = 2 * STARTUP_PRIVATE_MAX + 64 };

static void put_text(struct session *s, const char *text)
{
	buf_put(&s->out, text, strlen(text));
}

static const char *told_state(const struct conn *c, enum conn_state state)
{
	if (c->sctp && state == CONN_ESTABLISHED &&
	    (mutant(MUTANT_accepted_session_told_as_rejected) ||
	     (c->agreed.enhanced &&
	      mutant(MUTANT_enhanced_session_told_as_rejected))))
		state = CONN_REJECTED;
	return conn_state_name(state);
}

static bool poll_accept(struct session *s, bool timed_out)
{
	struct listener *listener = s->wait_listener;
	struct conn *c = listener->conn;
	char text[FRAME_TEXT + 160];

	if (c && (c->was_established || c->state == CONN_REJECTED) &&
	    !c->untold &&
	    !(c->sctp && c->agreed.enhanced &&
	      mutant(MUTANT_enhanced_initiate_untold))) {
		listener->taken = true;
		c->number = ++s->conn_ordinal;
		put_text(s, "OK conn=");
		snprintf(text, sizeof(text), "c%llu state=%s peer=%s",
			 (unsigned long long)c->number,
			 c->was_established && c->state != CONN_REJECTED
				 ? told_state(c, CONN_ESTABLISHED)
				 : "rejected",
			 c->peer);
		put_text(s, text);
		if (c->sctp) {
			snprintf(text, sizeof(text), " stream=%u",
				 c->stream_number);
			put_text(s, text);
		}
		frame_text(c, text);
		put_text(s, text);
		put_text(s, "\n");
		return true;
	}
	if (c && conn_is_final(c)) {
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
		refuse(s, LINE_BAD_STATE, "its connection was told");
		return;
	}
	s->wait_listener = listener;
	session_wait(s, poll_accept, timeout);
}

void verb_connect(struct session *s, const struct line *line)
{
	const char *addr = line_get(line, "addr");
	struct address to;
	struct params params;
	uint64_t port = 0, udp = 0, stream = 0;
	struct conn *c;

	if (!addr || !line_get(line, "port")) {
		refuse(s, LINE_BAD_ARGUMENT, "addr or port is missing");
		return;
	}
	if (!number(s, line, "port", UINT16_MAX, &port) ||
	    !parse_params(s, line, false, &params))
		return;
	if (port == 0 || !address_parse(addr, (uint16_t)port, &to)) {
		refuse(s, LINE_BAD_ARGUMENT, "addr or port");
		return;
	}
	if (is_sctp(line)) {
		/* IP alone needs what the device does not have. */
		if (!number(s, line, "udp", UINT16_MAX, &udp) ||
		    !number(s, line, "stream", UINT16_MAX, &stream))
			return;
		if (!udp) {
			refuse(s, LINE_UNSUPPORTED, "udp");
			return;
		}
		address_set_port(&to, (uint16_t)udp);
		c = conn_connect_sctp(&to, (uint16_t)port,
				      line_get(line, "stream") ? (int)stream
							       : -1,
				      &params, s, &s->job);
	} else {
		c = conn_connect((struct sockaddr *)&to.at, to.len, &params, s,
				 &s->job);
	}
	if (!c && (errno == EBUSY || errno == ECHRNG)) {
		refuse(s, LINE_UNSUPPORTED, "stream");
		return;
	}
	if (!c) {
		refuse(s, LINE_DEVICE, "socket: %s", strerror(errno));
		return;
	}
	c->number = ++s->conn_ordinal;
	session_adopt(s, c);
	reply(s, "OK conn=c%llu", (unsigned long long)c->number);
}

static void tell_state(struct session *s, const struct conn *c)
{
	const struct terminate *t = &c->terminate;
	char text[FRAME_TEXT];

	put_text(s, "OK state=");
	put_text(s, told_state(c, c->state));
	if (t->known) {
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
	tell_state(s, c);
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
		refuse(s, LINE_BAD_ARGUMENT, "until is no state");
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

/* The errors that a device can meet on its own account. */
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
