/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a connection, from its socket to its end. conn_input.c handles
 * incoming octets, conn_output.c outgoing octets, and conn_close.c the close in
 * order.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_decisions.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/control.h"
#include "harness/refdut/decision/overrides.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

unsigned startup_timeout_ms = 1000;

/* RFC 5041 s4.3: the first message of a queue has MSN 1. */
RULE(tcp_is_prepared) {}

RULE(first_msn_sent)
{
	return params->first_msn;
}

/* The responder waits for the Request. */
RULE(responder_begins)
{
	c->phase = PHASE_REQUEST;
}

RULE(startup_times_out)
{
	return true;
}

RULE(state_when_lost)
{
	return CONN_ERROR;
}

RULE(ulp_hears_of)
{
	return true;
}

RULE(goes_first)
{
	return false;
}

const char *conn_state_name(enum conn_state state)
{
	static const char *const names[] = {
		"connecting", "established", "rejected",
		"terminated", "closed",      "error",
	};

	return names[state];
}

bool conn_is_final(const struct conn *c)
{
	return c->state >= CONN_REJECTED;
}

bool conn_is_dead(const struct conn *c)
{
	return conn_is_final(c) && !c->work && !c->receives;
}

void conn_final(struct conn *c, enum conn_state state)
{
	loop_post(c->notify);
	if (!conn_is_final(c) && !c->untold && ulp_hears_of(c, state))
		c->state = state;
}

bool conn_is_beside(const struct conn *c, const struct conn *other)
{
	return other && other != c && other->domain.owner == c->domain.owner;
}

void conn_drop(struct conn *c, bool reset)
{
	static const struct linger hard = {.l_onoff = 1, .l_linger = 0};
	int fd = c->watch.fd;

	timer_cancel(&c->timer);
	c->phase = PHASE_GONE;
	c->released = false;
	buf_free(&c->in);
	buf_free(&c->out);
	loop_post(c->notify);
	if (c->stream) {
		struct ddp_stream *stream = c->stream;

		c->stream = NULL;
		stream_leave(stream, reset);
	}
	if (fd < 0)
		return;
	loop_unwatch(&c->watch);
	if (reset)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(fd);
}

void conn_flush_all(struct conn *c)
{
	c->closing = true;
	c->half = false;
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
}

void conn_lost(struct conn *c)
{
	c->failure = "peer-closed";
	conn_final(c, state_when_lost(c));
	conn_drop(c, false);
	conn_flush_all(c);
}

void conn_kick(struct conn *c)
{
	if (goes_first(c))
		loop_post_first(&c->kick);
	else
		loop_post(&c->kick);
}

static void run_kick(struct job *job)
{
	struct conn *c =
		(struct conn *)((char *)job - offsetof(struct conn, kick));

	/* The awaited input may have arrived. */
	if (c->held_back) {
		c->held_back = false;
		conn_input(c);
	}
	conn_flush(c);
}

void conn_abort(struct conn *c)
{
	if (c->phase == PHASE_GONE)
		return;
	conn_final(c, CONN_CLOSED);
	conn_drop(c, true);
	conn_flush_all(c);
}

void conn_destroy(struct conn *c)
{
	/* A stream in use is reset; a finished one needs no reset. */
	conn_drop(c, !c->fin_sent || !c->peer_fin);
	timer_cancel(&c->timer);
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	while (c->events) {
		struct event *event = c->events;

		c->events = event->next;
		event_free(event);
	}
	remembered_free(&c->remembered);
	c->kick.queued = true; /* never run again */
	loop_free(c);
}

static void tcp_up(struct conn *c)
{
	int one = 1;

	setsockopt(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (control_connected(c))
		return;
	if (c->initiator)
		conn_send_request(c);
	else
		responder_begins(c);
}

static void tcp_answered(struct conn *c, uint32_t events)
{
	int error = 0;
	socklen_t len = sizeof(error);

	getsockopt(c->watch.fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		conn_startup_failed(c, "refused");
		return;
	}
	if (events & EPOLLOUT)
		tcp_up(c);
	if (c->phase != PHASE_GONE)
		conn_want(c);
}

static void ready(struct watch *watch, uint32_t events)
{
	struct conn *c = (struct conn *)watch;

	if (c->phase == PHASE_TCP) {
		tcp_answered(c, events);
		return;
	}
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
		if ((c->peer_fin || !reads_from_tcp(c)) &&
		    (events & (EPOLLERR | EPOLLHUP)))
			conn_lost(c);
		else
			conn_readable(c);
	}
	if ((events & EPOLLOUT) && c->phase != PHASE_GONE)
		conn_flush(c);
}

static void startup_expired(struct conn *c)
{
	if (c->failure)
		conn_startup_failed(c, "bad-frame");
	else if (startup_times_out(c))
		conn_startup_failed(c, "timeout");
}

static void expired(struct timer *timer)
{
	struct conn *c =
		(struct conn *)((char *)timer - offsetof(struct conn, timer));

	switch (c->phase) {
	case PHASE_TCP:
	case PHASE_REQUEST:
	case PHASE_REPLY:
		startup_expired(c);
		return;
	case PHASE_CONTROL:
		c->failure = "timeout";
		conn_final(c, CONN_ERROR);
		conn_flush_all(c);
		return;
	default:
		if (conn_gives_more_time(c))
			return;
		/* The peer neither reads nor closes. */
		conn_final(c, CONN_ERROR);
		conn_drop(c, !c->sctp && buf_len(&c->out) > 0);
		conn_flush_all(c);
	}
}

struct conn *conn_new(const struct params *params, const void *owner,
		      struct job *notify)
{
	struct conn *c = alloc_zeroed(sizeof(*c));

	c->watch.fd = -1;
	c->watch.ready = ready;
	c->timer.fire = expired;
	c->kick.run = run_kick;
	c->notify = notify;
	c->params = *params;
	c->domain = (struct domain){.owner = owner, .number = params->domain};
	c->work_end = &c->work;
	c->requests_end = &c->requests;
	c->receives_end = &c->receives;
	c->events_end = &c->events;
	for (int qn = 0; qn < QUEUES; qn++) {
		c->queue[qn].msn = params->first_msn;
		c->tx_msn[qn] = first_msn_sent(params);
	}
	for (uint32_t i = 0; i < params->rq; i++) {
		struct receive *receive = alloc_zeroed(sizeof(*receive));

		receive->id = ++c->receive_ordinal;
		receive->len = params->rqlen;
		receive_post(c, receive);
	}
	return c;
}

struct conn *conn_accept(int fd, const struct params *params, const void *owner,
			 struct job *notify)
{
	struct conn *c = conn_new(params, owner, notify);

	if (loop_watch(&c->watch, fd, EPOLLIN) < 0) {
		loop_complain("epoll_ctl");
		close(fd);
		conn_startup_failed(c, "resources");
		return c;
	}
	timer_arm(&c->timer, startup_timeout_ms);
	c->phase = PHASE_REQUEST;
	tcp_up(c);
	return c;
}

struct conn *conn_connect(const struct sockaddr *to, socklen_t len,
			  const struct params *params, const void *owner,
			  struct job *notify)
{
	int fd = socket(to->sa_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct conn *c;

	if (fd < 0) {
		loop_complain("socket");
		return NULL;
	}
	c = conn_new(params, owner, notify);
	memcpy(&c->to, to, len);
	c->to_len = len;
	c->initiator = true;
	c->phase = PHASE_TCP;
	timer_arm(&c->timer, startup_timeout_ms);
	tcp_is_prepared(fd);
	if (connect(fd, to, len) < 0 && errno != EINPROGRESS) {
		bool is_refused = errno == ECONNREFUSED;

		loop_complain("connect");
		close(fd);
		conn_startup_failed(c, is_refused ? "refused" : "resources");
		return c;
	}
	if (loop_watch(&c->watch, fd, EPOLLIN | EPOLLOUT) < 0) {
		loop_complain("epoll_ctl");
		close(fd);
		conn_startup_failed(c, "resources");
	}
	return c;
}
