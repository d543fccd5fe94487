/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outgoing octets: queued octets are handed to TCP or to a stream of SCTP, and
 * whatever ended with the accepted octets is completed.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_input_decisions.h"
#include "harness/refdut/conn_output_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

RULE(octets_handed_over)
{
	return n;
}

RULE(octets_done_with)
{
	return taken;
}

RULE(request_buffer_is_free)
{
	return true;
}

RULE(sends_unanswered)
{
	return false;
}

void conn_want(struct conn *c)
{
	uint32_t events = !c->peer_fin && reads_from_tcp(c) ? EPOLLIN : 0;

	if (c->out_blocked || c->phase == PHASE_TCP)
		events |= EPOLLOUT;
	loop_want(&c->watch, events);
}

/* Octets were handed over: whatever ended with them is done. */
static void account(struct conn *c)
{
	while (c->requests && c->requests->issued &&
	       c->requests->end <= c->handed) {
		struct request *request = c->requests;

		c->requests = request->next;
		if (!c->requests)
			c->requests_end = &c->requests;
		if (request_buffer_is_free(c, request)) {
			c->inbound--;
			requests_inbound--;
		}
		request_free(request);
		/* Input may be waiting for this. */
		if (c->held_back)
			conn_kick(c);
	}
	work_complete_done(c);
}

static bool send_out(struct conn *c)
{
	size_t n, done;
	ssize_t sent;

	if (c->sctp)
		return conn_hand_over(c);
	if (c->watch.fd < 0)
		return false;
	n = octets_handed_over(c, buf_len(&c->out));
	if (!n)
		return false; /* not yet */
	sent = send(c->watch.fd, buf_head(&c->out), n, MSG_NOSIGNAL);
	if (sent < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			loop_complain("send");
			conn_lost(c);
			return false;
		}
		sent = 0;
	}
	c->emss = 0; /* the path may have answered */
	c->out_blocked = (size_t)sent < n;
	done = octets_done_with(c, n, (size_t)sent);
	buf_take(&c->out, done);
	c->handed += done;
	return !c->out_blocked;
}

static bool finished_sending(const struct conn *c)
{
	return !c->unsent && !c->answering;
}

/* Give the LLP everything that may be sent. */
static void pump(struct conn *c)
{
	for (;;) {
		if (c->phase == PHASE_FULL ||
		    (c->phase == PHASE_REPLY && sends_unanswered(c)))
			tx_pump(c);
		if (c->phase == PHASE_GONE || c->phase == PHASE_TCP)
			return;
		if (!buf_len(&c->out) || !send_out(c))
			return;
		account(c);
	}
}

void conn_flush(struct conn *c)
{
	pump(c);
	if (c->phase == PHASE_GONE || c->phase == PHASE_TCP)
		return;
	account(c);
	c->turn_over = false;
	if (c->closing && c->phase == PHASE_FULL && finished_sending(c))
		c->fin_due = true;
	if (c->fin_due && !c->fin_sent && !buf_len(&c->out))
		conn_end(c);
	if (c->phase == PHASE_FULL && c->fin_sent && !c->half)
		conn_drain(c);
	/* A rejected session leaves nothing to do. */
	if (c->phase == PHASE_REJECTED && c->sctp && !buf_len(&c->out))
		conn_drop(c, false);
	if (c->phase != PHASE_GONE)
		conn_want(c);
}
