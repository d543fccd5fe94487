/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/link.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/link/provider.h"

enum { LINK_DRAIN_CHUNK = 16384 };

void link_trouble(struct link *link, const char *call)
{
	switch (errno) {
	case EAGAIN:
	case ECONNREFUSED: /* an ICMP message */
	case EHOSTUNREACH:
	case ENETUNREACH:
	case EMSGSIZE:
	case EPERM: /* a packet filter */
		return;
	default:
		break;
	}
	if (!link->trouble[0])
		snprintf(link->trouble, sizeof(link->trouble),
			 "this host: %s: %s", call, strerror(errno));
}

int link_fail(char why[LINK_WHY], int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, LINK_WHY, fmt, ap);
	va_end(ap);
	return status;
}

const char *link_status_name(int status)
{
	switch (status) {
	case LINK_TIMEOUT:
		return "timeout";
	case LINK_RESET:
		return "reset";
	case LINK_REFUSED:
		return "refused";
	case LINK_ERROR:
		return "error";
	default:
		return status >= 0 ? "ok" : "?";
	}
}

bool link_end_parse(struct link_end *end, const char *addr, uint16_t port)
{
	*end = (struct link_end){.port = port};
	if (inet_pton(AF_INET, addr, end->addr) == 1) {
		end->family = 4;
		return true;
	}
	char text[INET6_ADDRSTRLEN];
	const char *scope = strchr(addr, '%');
	size_t n = scope ? (size_t)(scope - addr) : strlen(addr);
	if (n >= sizeof(text))
		return false;
	memcpy(text, addr, n);
	text[n] = '\0';
	if (inet_pton(AF_INET6, text, end->addr) != 1)
		return false;
	if (scope && (end->scope = if_nametoindex(scope + 1)) == 0)
		return false;
	end->family = 6;
	return true;
}

int link_end_text(const struct link_end *end, char out[LINK_END_TEXT])
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(end->family == 6 ? AF_INET6 : AF_INET, end->addr, text,
		  sizeof(text));
	return snprintf(out, LINK_END_TEXT,
			end->family == 6 ? "[%s]:%u" : "%s:%u", text,
			end->port);
}

void link_close_provider(struct link *link)
{
	if (link)
		link->ops->destroy(link);
}

static void conn_start(struct link *link, struct link_conn *conn, bool active)
{
	conn->link = link;
	conn->flow = -1;
	if (!link->ops->sniffs && (active || !link->ops->both_ends))
		conn->flow = capture_flow(link->capture, &conn->local,
					  &conn->remote, active);
}

int link_connect(struct link *link, const char *addr, uint16_t port,
		 uint64_t deadline, struct link_conn **conn)
{
	struct link_end to;

	*conn = NULL;
	if (!link_end_parse(&to, addr, port))
		return link_fail(link->why, LINK_ERROR,
				 "connect: %.60s is not a numeric address",
				 addr);
	int status = link->ops->connect(link, &to, deadline, conn);
	if (status == LINK_OK) {
		conn_start(link, *conn, true);
		(*conn)->narrow = link->options.rcvbuf;
	}
	return status;
}

int link_listen(struct link *link, const char *addr, uint16_t *port,
		struct link_listener **listener)
{
	struct link_end at;

	*listener = NULL;
	if (!link_end_parse(&at, addr, *port))
		return link_fail(link->why, LINK_ERROR,
				 "listen: %.60s is not a numeric address",
				 addr);
	int status = link->ops->listen(link, &at, listener);
	if (status == LINK_OK) {
		(*listener)->link = link;
		(*listener)->narrow = link->options.rcvbuf;
		*port = (*listener)->local.port;
	}
	return status;
}

int link_accept(struct link_listener *listener, uint64_t deadline,
		struct link_conn **conn)
{
	struct link *link = listener->link;
	struct link_wait w = {.listener = listener, .want = LINK_READ};

	*conn = NULL;
	for (;;) {
		int status = link->ops->accept_now(listener, conn);
		if (status == LINK_OK) {
			conn_start(link, *conn, false);
			(*conn)->narrow = listener->narrow;
		}
		if (status != LINK_TIMEOUT)
			return status;
		status = link_wait(link, &w, 1, deadline);
		if (status == LINK_TIMEOUT)
			return link_fail(link->why, LINK_TIMEOUT,
					 "accept: nobody connected to port %u",
					 listener->local.port);
		if (status < 0)
			return status;
	}
}

void link_listener_close(struct link_listener *listener)
{
	if (listener)
		listener->link->ops->listener_close(listener);
}

static int conn_wait(struct link_conn *conn, unsigned want, uint64_t deadline)
{
	struct link_wait w = {.conn = conn, .want = want};
	int status = link_wait(conn->link, &w, 1, deadline);

	if (status == LINK_ERROR)
		return link_fail(conn->why, status, "%.150s", conn->link->why);
	return status;
}

/* In the order of the stream: a RST that a send has met is recorded when the
 * octets before it have been read, or at the end. */
static void record_reset(struct link_conn *conn)
{
	if (!conn->reset_recorded)
		capture_reset(conn->link->capture, conn->flow,
			      CAPTURE_RECEIVED);
	conn->reset_recorded = true;
}

uint64_t link_unacknowledged(const struct link_conn *conn)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->unacknowledged ? ops->unacknowledged(conn) : 0;
}

uint32_t link_emss(const struct link_conn *conn)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->emss ? ops->emss(conn) : 0;
}

uint32_t link_mss(const struct link_conn *conn)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->mss ? ops->mss(conn) : 0;
}

uint32_t link_emss_out(const struct link_conn *conn)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->emss_out ? ops->emss_out(conn) : 0;
}

long link_send_now(struct link_conn *conn, const void *octets, size_t n)
{
	assert(!conn->fin_sent && !conn->reset_sent);
	if (conn->reset_seen)
		return link_fail(conn->why, LINK_RESET,
				 "send: the peer has reset the connection");
	long k = conn->link->ops->send_now(conn, octets, n);
	if (k > 0) {
		conn->sent += (uint64_t)k;
		capture_data(conn->link->capture, conn->flow, CAPTURE_SENT,
			     octets, (size_t)k);
	} else if (k == LINK_RESET) {
		conn->reset_seen = true;
	}
	return k;
}

/* One piece: a write of its own as long as the window lets it be one. */
static int send_piece(struct link_conn *conn, const uint8_t *at, size_t n,
		      uint64_t deadline)
{
	size_t off = 0;

	while (off < n) {
		long k = link_send_now(conn, at + off, n - off);
		if (k < 0)
			return (int)k;
		if (k == 0) {
			int status = conn_wait(conn, LINK_WRITE, deadline);
			if (status == LINK_TIMEOUT)
				return link_fail(
					conn->why, status,
					"send: the window stayed shut, "
					"%zu octets of a write left",
					n - off);
			if (status < 0)
				return status;
			continue;
		}
		if (off == 0 && (size_t)k < n)
			conn->torn++;
		off += (size_t)k;
	}
	return LINK_OK;
}

int link_send(struct link_conn *conn, const void *octets, size_t n,
	      const size_t *cuts, size_t ncuts, uint64_t deadline)
{
	const uint8_t *at = octets;
	size_t from = 0;

	for (size_t i = 0; i <= ncuts; i++) {
		size_t to = i < ncuts ? cuts[i] : n;
		assert(to <= n && (to > from || n == 0));
		int status = send_piece(conn, at + from, to - from, deadline);
		if (status != LINK_OK)
			return status;
		from = to;
	}
	return LINK_OK;
}

/* The effect of the script on the connection as a whole. */
static void script_ends(struct link_conn *conn, const struct link_segment *plan,
			size_t count)
{
	for (size_t i = 0; i < count && !conn->reset_sent; i++) {
		conn->fin_sent |= plan[i].fin;
		conn->reset_sent = plan[i].rst;
	}
}

int link_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count)
{
	const struct link_ops *ops = conn->link->ops;

	assert(!conn->fin_sent && !conn->reset_sent);
	assert(count <= LINK_SEGMENTS_MAX);
	if (conn->reset_seen)
		return link_fail(conn->why, LINK_RESET,
				 "send: the peer has reset the connection");
	if (!ops->send_segments)
		return link_fail(conn->why, LINK_ERROR,
				 "send: the %s link chooses its segments",
				 conn->link->name);
	if (!ops->send_segments(conn, octets, n, plan, count))
		return link_fail(conn->why, LINK_ERROR,
				 "send: no room for %zu octets in %zu segments",
				 n, count);
	conn->sent += n;
	script_ends(conn, plan, count);
	return LINK_OK;
}

int link_release(struct link_conn *conn)
{
	if (conn->reset_seen)
		return link_fail(conn->why, LINK_RESET,
				 "send: the peer has reset the connection");
	if (conn->link->ops->release && !conn->reset_sent)
		conn->link->ops->release(conn);
	return LINK_OK;
}

int link_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n)
{
	const struct link_ops *ops = conn->link->ops;

	if (conn->reset_seen || conn->reset_sent)
		return link_fail(conn->why, LINK_RESET,
				 "send: the connection is reset");
	if (!ops->send_stray)
		return link_fail(conn->why, LINK_ERROR,
				 "send: the %s link chooses its segments",
				 conn->link->name);
	ops->send_stray(conn, back, octets, n);
	return LINK_OK;
}

bool link_set_acks(struct link_conn *conn, enum link_acks acks)
{
	if (conn->link->ops->set_acks)
		conn->link->ops->set_acks(conn, acks);
	return conn->link->ops->set_acks != NULL;
}

bool link_set_window(struct link_conn *conn, long octets)
{
	if (conn->link->ops->set_window)
		conn->link->ops->set_window(conn, octets);
	return conn->link->ops->set_window != NULL;
}

bool link_make_room(struct link_conn *conn)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->make_room && ops->make_room(conn);
}

bool link_lose(struct link_conn *conn, unsigned n)
{
	if (conn->link->ops->lose)
		conn->link->ops->lose(conn, n);
	return conn->link->ops->lose != NULL;
}

bool link_fall_silent(struct link_conn *conn)
{
	if (conn->link->ops->fall_silent)
		conn->link->ops->fall_silent(conn);
	return conn->link->ops->fall_silent != NULL;
}

bool link_tell_path_mtu(struct link_conn *conn, uint32_t mtu)
{
	if (conn->link->ops->tell_path_mtu)
		conn->link->ops->tell_path_mtu(conn, mtu);
	return conn->link->ops->tell_path_mtu != NULL;
}

size_t link_arrivals(const struct link_conn *conn, struct link_segment *out,
		     size_t cap)
{
	const struct link_ops *ops = conn->link->ops;

	return ops->arrivals ? ops->arrivals(conn, out, cap) : 0;
}

int link_fd(const struct link *link)
{
	return link->ops->fd ? link->ops->fd(link) : -1;
}

uint64_t link_serve(struct link *link)
{
	return link->ops->serve ? link->ops->serve(link) : UINT64_MAX;
}

uint64_t link_dropped(const struct link *link)
{
	return link->ops->dropped ? link->ops->dropped(link) : 0;
}

long link_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	assert(cap > 0);
	long k = conn->link->ops->recv_now(conn, octets, cap);
	if (k > 0) {
		conn->received += (uint64_t)k;
		capture_data(conn->link->capture, conn->flow, CAPTURE_RECEIVED,
			     octets, (size_t)k);
	} else if (k == 0 && !conn->fin_seen) {
		conn->fin_seen = true;
		capture_fin(conn->link->capture, conn->flow, CAPTURE_RECEIVED);
	} else if (k == LINK_RESET) {
		if (!conn->reset_sent)
			conn->reset_seen = true;
		record_reset(conn);
	}
	return k;
}

long link_recv(struct link_conn *conn, void *octets, size_t cap,
	       uint64_t deadline)
{
	for (;;) {
		long k = link_recv_now(conn, octets, cap);
		if (k != LINK_TIMEOUT)
			return k;
		int status = conn_wait(conn, LINK_READ, deadline);
		if (status == LINK_TIMEOUT)
			return link_fail(conn->why, status,
					 "receive: nothing came");
		if (status < 0)
			return status;
	}
}

int link_drain(struct link_conn *conn, uint64_t deadline)
{
	uint8_t dropped[LINK_DRAIN_CHUNK];

	for (;;) {
		long k = link_recv(conn, dropped, sizeof(dropped), deadline);
		if (k <= 0)
			return (int)k;
		/* One who never stops sending is still bounded by time. */
		if (deadline != CLOCK_NOW && clock_now_ns() >= deadline)
			return link_fail(conn->why, LINK_TIMEOUT,
					 "drain: the peer went on sending");
	}
}

int link_half_close(struct link_conn *conn)
{
	if (conn->fin_sent || conn->reset_sent)
		return LINK_OK;
	if (conn->reset_seen)
		return link_fail(conn->why, LINK_RESET,
				 "close: the peer has reset the connection");
	int status = conn->link->ops->half_close(conn);
	if (status == LINK_RESET)
		conn->reset_seen = true;
	if (status != LINK_OK)
		return status;
	conn->fin_sent = true;
	capture_fin(conn->link->capture, conn->flow, CAPTURE_SENT);
	return LINK_OK;
}

static void count_lost(struct link_conn *conn)
{
	struct link *link = conn->link;

	if (!link->ops->lost)
		return;
	link->lost += link->ops->lost(conn);
	if (conn->narrow && link->ops->unproven)
		link->unproven += link->ops->unproven(conn);
}

int link_reset(struct link_conn *conn)
{
	if (conn->reset_sent)
		return LINK_OK;
	count_lost(conn);
	bool seen = conn->reset_seen;
	bool sent = conn->link->ops->reset(conn);
	conn->reset_sent = true;
	if (seen)
		record_reset(conn);
	else if (sent)
		capture_reset(conn->link->capture, conn->flow, CAPTURE_SENT);
	conn->reset_recorded = true;
	return LINK_OK;
}

void link_close(struct link_conn *conn)
{
	if (!conn)
		return;
	struct capture *capture = conn->link->capture;
	int flow = conn->flow;
	bool over = conn->reset_seen || conn->reset_sent;
	bool fin_sent = conn->fin_sent;
	if (!conn->reset_sent)
		count_lost(conn);
	if (conn->reset_seen)
		record_reset(conn);
	bool reset = conn->link->ops->close(conn);
	if (over)
		return;
	if (reset)
		capture_reset(capture, flow, CAPTURE_SENT);
	else if (!fin_sent)
		capture_fin(capture, flow, CAPTURE_SENT);
}

int link_wait(struct link *link, struct link_wait *waits, size_t n,
	      uint64_t deadline)
{
	assert(n > 0 && n <= LINK_WAIT_MAX);
	return link->ops->wait(link, waits, n, deadline);
}
