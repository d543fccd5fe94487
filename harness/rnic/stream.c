/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/rnic/stream.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/rnic/events.h"
#include "harness/rnic/params.h"
#include "harness/rnic/wait.h"
#include "harness/rnic/work.h"

enum { CONNS = 4096 }; /* of a session, until reset */

/* One `listen`, until its connection was already reported by `accept`. */
struct verbs_listen {
	struct verbs_listen *next;
	uint64_t number;
	struct verbs_port *port;
	struct verbs_params params;
	bool taken;
	struct verbs_conn *conn; /* once its Request has come */
	enum line_code failed;   /* the device could not answer it */
	char why[VERBS_WHY];
};

static struct verbs_conn *conn_new(struct verbs_session *s,
				   const struct verbs_params *p)
{
	struct verbs_conn *c = s->nconns < CONNS ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	c->session = s;
	c->params = *p;
	c->early_end = &c->early;
	c->events_end = &c->events;
	c->next = s->conns;
	s->conns = c;
	s->nconns++;
	return c;
}

/* Releases it at the device too. */
static void conn_free(struct verbs_conn *c)
{
	struct verbs_session *s = c->session;
	struct verbs_conn **at = &s->conns;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	s->nconns--;
	if (c->handle)
		s->device->ops->release(s->device, c);
	verbs_work_drop(c);
	verbs_events_drop(c);
	free(c);
}

void verbs_release_streams(struct verbs_session *s)
{
	while (s->ports) {
		struct verbs_port *p = s->ports;

		s->ports = p->next;
		if (p->handle)
			s->device->ops->unlisten(s->device, p);
		free(p);
	}
	while (s->conns)
		conn_free(s->conns);
	while (s->listens) {
		struct verbs_listen *listen = s->listens;

		s->listens = listen->next;
		free(listen);
	}
	s->listens_end = &s->listens;
}

/* --- listen ------------------------------------------------------------------ */

static struct verbs_port *port_for(struct verbs_session *s, uint16_t number)
{
	struct verbs_port *p = s->ports;
	enum line_code code;

	while (p && (!number || p->number != number))
		p = p->next;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p) {
			verbs_refuse(s, LINE_DEVICE, "no memory");
			return NULL;
		}
		p->session = s;
		p->number = number;
		p->next = s->ports;
		s->ports = p;
	}
	code = p->handle ? LINE_NO_ERROR : s->device->ops->listen(s->device, p);
	if (code == LINE_NO_ERROR)
		return p;
	verbs_refused(s, code);
	if (s->ports == p && !p->pending) {
		s->ports = p->next;
		free(p);
	}
	return NULL;
}

static void verb_listen(struct verbs_session *s, const struct line *l)
{
	struct verbs_listen *listen;
	struct verbs_params params;
	struct verbs_port *port;
	uint64_t number = 0;

	if (!verbs_number(s, l, "port", UINT16_MAX, &number) ||
	    !verbs_params_of(s, l, true, &params))
		return;
	port = port_for(s, (uint16_t)number);
	if (!port)
		return;
	listen = calloc(1, sizeof(*listen));
	if (!listen) {
		verbs_refuse(s, LINE_DEVICE, "no memory");
		return;
	}
	listen->number = ++s->listen_ordinal;
	listen->port = port;
	listen->params = params;
	*s->listens_end = listen;
	s->listens_end = &listen->next;
	port->pending++;
	fprintf(s->out, "OK listener=l%" PRIu64 " port=%u\n", listen->number,
		port->number);
}

static void post_first_receives(struct verbs_conn *c)
{
	if (c->params.receives)
		verbs_receives(c->session, c, c->params.receives,
			       c->params.receive_len);
}

void verbs_request_came(struct verbs_port *port, void *request,
			const struct verbs_frame *frame)
{
	struct verbs_session *s = port->session;
	struct verbs_device *d = s->device;
	struct verbs_listen *l = s->listens;
	struct verbs_conn *c;

	while (l && (l->port != port || l->conn || l->failed))
		l = l->next;
	c = l ? conn_new(s, &l->params) : NULL;
	if (!c) {
		d->ops->reject(d, request, NULL);
		return;
	}
	/* No listen is left: connections are refused. */
	if (--port->pending == 0) {
		d->ops->unlisten(d, port);
		port->handle = NULL;
	}
	c->frame = *frame;
	if (c->params.reject) {
		l->failed = d->ops->reject(d, request, c);
		c->state = AGENT_REJECTED;
	} else {
		l->failed = d->ops->accept(d, request, c, post_first_receives);
		if (c->state == AGENT_CONNECTING)
			c->state = AGENT_ESTABLISHED;
	}
	if (l->failed != LINE_NO_ERROR) {
		snprintf(l->why, sizeof(l->why), "%s", d->why);
		conn_free(c);
		return;
	}
	l->conn = c;
	verbs_work_go_on(c);
}

static void put_frame(struct verbs_session *s, const struct verbs_frame *f)
{
	char hex[2 * VERBS_PRIVATE_MAX + 1];

	line_hex_encode(hex, f->private_data, f->private_octets);
	fprintf(s->out, " private=%s", hex);
	if (f->has_depths)
		fprintf(s->out, " ird=%u ord=%u", f->ird, f->ord);
}

static bool has_come(void *arg)
{
	const struct verbs_listen *l = arg;

	return l->conn || l->failed;
}

static void verb_accept(struct verbs_session *s, const struct line *line)
{
	struct verbs_listen *l = s->listens;
	uint64_t timeout = 0, n;
	struct verbs_conn *c;

	if (!verbs_needs(s, line, "listener") ||
	    !verbs_needs(s, line, "timeout-ms") ||
	    !verbs_number(s, line, "timeout-ms", UINT32_MAX, &timeout))
		return;
	n = verbs_name_number(line_get(line, "listener"), 'l');
	while (l && (!n || l->number != n))
		l = l->next;
	if (!l) {
		verbs_refuse(s, LINE_NO_SUCH_NAME, "no such listener");
		return;
	}
	if (l->taken) {
		verbs_refuse(s, LINE_BAD_STATE,
			     "its connection was already reported");
		return;
	}
	if (!verbs_wait(s, has_come, l, timeout))
		return;
	if (!has_come(l)) {
		verbs_refuse(s, LINE_TIMEOUT, "no connection");
		return;
	}
	l->taken = true;
	if (l->failed) {
		verbs_refuse(s, l->failed, "%s", l->why);
		return;
	}
	c = l->conn;
	c->number = ++s->conn_ordinal;
	fprintf(s->out, "OK conn=c%" PRIu64 " state=%s peer=%s", c->number,
		c->state == AGENT_REJECTED ? "rejected" : "established",
		c->frame.peer);
	put_frame(s, &c->frame);
	fputc('\n', s->out);
}

/* --- connect ------------------------------------------------------------------- */

static void verb_connect(struct verbs_session *s, const struct line *l)
{
	uint8_t octets[sizeof(struct in6_addr)];
	const char *addr = line_get(l, "addr");
	struct verbs_params params;
	struct verbs_conn *c;
	enum line_code code;
	uint64_t port = 0;

	if (!verbs_needs(s, l, "addr") || !verbs_needs(s, l, "port") ||
	    !verbs_number(s, l, "port", UINT16_MAX, &port))
		return;
	if (port == 0 || (inet_pton(AF_INET, addr, octets) != 1 &&
			  inet_pton(AF_INET6, addr, octets) != 1)) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "addr or port");
		return;
	}
	if (!verbs_params_of(s, l, false, &params))
		return;
	c = conn_new(s, &params);
	if (!c) {
		verbs_refuse(s, LINE_LIMIT, "too many connections");
		return;
	}
	code = s->device->ops->connect(s->device, c, addr, (uint16_t)port);
	if (code != LINE_NO_ERROR) {
		verbs_refused(s, code);
		conn_free(c);
		return;
	}
	c->number = ++s->conn_ordinal;
	post_first_receives(c);
	fprintf(s->out, "OK conn=c%" PRIu64 "\n", c->number);
}

void verbs_conn_is(struct verbs_conn *c, enum agent_stream state,
		   const struct verbs_frame *frame)
{
	if (verbs_is_final(c->state))
		return;
	c->state = state;
	if (frame)
		c->frame = *frame;
	verbs_work_go_on(c);
}

/* --- state ---------------------------------------------------------------------- */

struct awaited {
	const struct verbs_conn *conn;
	enum agent_stream until; /* AGENT_STREAMS: any but connecting */
};

static bool has_state(void *arg)
{
	const struct awaited *a = arg;
	enum agent_stream is = a->conn->state;

	return verbs_is_final(is) || is == a->until ||
	       (a->until == AGENT_STREAMS && is != AGENT_CONNECTING);
}

static void verb_state(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = verbs_conn_of(s, l);
	const char *until = line_get(l, "until");
	struct awaited a = {.conn = c, .until = AGENT_STREAMS};
	uint64_t timeout = 0;

	if (!c || !verbs_number(s, l, "timeout-ms", UINT32_MAX, &timeout))
		return;
	if (until)
		a.until = (enum agent_stream)agent_place_of(
			agent_stream_names, AGENT_STREAMS, until);
	if (until && a.until == AGENT_STREAMS) {
		verbs_refuse(s, LINE_BAD_ARGUMENT, "until is not a state");
		return;
	}
	if (!verbs_wait(s, has_state, &a, timeout))
		return;
	fprintf(s->out, "OK state=%s", agent_stream_name(c->state));
	if (c->frame.known)
		put_frame(s, &c->frame);
	fputc('\n', s->out);
}

/* --- close ---------------------------------------------------------------------- */

static void verb_close(struct verbs_session *s, const struct line *l)
{
	struct verbs_conn *c = verbs_conn_of(s, l);
	bool aborts = false, half = false;

	if (!c || !verbs_flag(s, l, "abort", &aborts) ||
	    !verbs_flag(s, l, "half", &half))
		return;
	if (half) {
		verbs_unsupported(s, "half");
		return;
	}
	if (aborts && s->facts->probed && !s->facts->abort_resets) {
		verbs_unsupported(s, "abort");
		return;
	}
	/* Verbs end a stream at once, whatever is still to be sent. */
	s->device->ops->serve(s->device);
	if (c->handle && !verbs_is_final(c->state)) {
		c->closing = !aborts && verbs_has_to_send(c);
		if (!c->closing)
			s->device->ops->close(s->device, c, aborts);
	}
	verbs_conn_is(c, AGENT_CLOSED, NULL);
	fputs("OK\n", s->out);
}

static void verb_provoke(struct verbs_session *s, const struct line *l)
{
	if (verbs_conn_of(s, l))
		verbs_unsupported(s, "provoke");
}

const struct verb verbs_of_streams[] = {
	{"listen", VERBS_PARAMS "reject ", verb_listen},
	{"accept", " listener timeout-ms ", verb_accept},
	{"connect", VERBS_PARAMS "addr enhanced ", verb_connect},
	{"state", " conn timeout-ms until ", verb_state},
	{"close", " conn abort half ", verb_close},
	{"provoke", " conn layer etype code ", verb_provoke},
	{0},
};
