/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/connect.h"

#include "harness/link/raw/connections.h"
#include "harness/link/raw/input.h"
#include "harness/link/raw/wait.h"

/* How often it is asked again where somebody is. */
#define RAW_ASK_NS (200ull * CLOCK_NS_PER_MS)

/* NULL: there is no answer. */
static const uint8_t *resolve(struct raw_link *r, const struct link_end *to,
			      uint64_t deadline)
{
	const uint8_t *mac = neighbours_mac(&r->neighbours, to);
	uint64_t again = 0;

	while (!mac && !r->link.down) {
		uint64_t now = clock_now_ns();

		if (now >= again) {
			neighbours_ask(&r->neighbours, to, false);
			again = now + RAW_ASK_NS;
		}
		if (now >= deadline)
			break;
		raw_idle(r, again < deadline ? again : deadline);
		mac = neighbours_mac(&r->neighbours, to);
	}
	return mac;
}

static int connect_status(struct raw_link *r, const struct raw_conn *c)
{
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.refused)
		return LINK_REFUSED;
	if (e.reset_in)
		return LINK_RESET;
	return raw_timeout_status(r);
}

static int await_opening(struct raw_conn *c, uint64_t deadline)
{
	struct raw_link *r = c->raw;

	raw_process(r);
	/* The connection reports a RST that follows it directly. */
	while (!tcp_ends(c->tcp).opened) {
		if (tcp_state(c->tcp) == TCP_CLOSED || r->link.down ||
		    clock_now_ns() >= deadline)
			return connect_status(r, c);
		raw_idle(r, deadline);
	}
	return LINK_OK;
}

int raw_connect(struct link *link, const struct link_end *to, uint64_t deadline,
		struct link_conn **conn)
{
	struct raw_link *r = raw_link_of(link);
	struct link_end local = r->address.ip;
	char text[LINK_END_TEXT];

	link->unwanted = 0;
	link_end_text(to, text);
	raw_process(r);
	const struct link_end *hop = address_next_hop(&r->address, to);

	if (!hop)
		return link_fail(link->why, LINK_ERROR,
				 "connect to %s: not on the segment of %s/%u, "
				 "and there is no [link] gateway",
				 text, link->address, r->address.prefix);
	for (;;) {
		const uint8_t *mac = resolve(r, hop, deadline);

		if (!mac && raw_timeout_status(r) == LINK_ERROR)
			return LINK_ERROR;
		if (!mac)
			return link_fail(
				link->why, LINK_TIMEOUT,
				"connect to %s: no host has %s address", text,
				hop == to ? "that" : "the gateway's");
		local.port = raw_ephemeral_port(r);
		struct raw_conn *c = raw_conn_open(r, &local, to, mac);

		if (!c)
			return link_fail(link->why, LINK_ERROR,
					 "out of memory");
		int status = await_opening(c, deadline);

		if (status == LINK_OK) {
			*conn = &c->conn;
			return LINK_OK;
		}
		bool unwanted = tcp_ends(c->tcp).unwanted;

		link->lost += tcp_lost(c->tcp);
		raw_conn_drop(c);
		link->unwanted += unwanted;
		if (unwanted && clock_now_ns() < deadline)
			continue;
		if (status == LINK_ERROR)
			return status;
		/* An unwanted connection was answered. */
		if (status == LINK_TIMEOUT && !unwanted)
			neighbours_forget(&r->neighbours, hop);
		return link_fail(link->why, status, "connect to %s: %s", text,
				 link_status_name(status));
	}
}

int raw_listen(struct link *link, const struct link_end *at,
	       struct link_listener **listener)
{
	struct raw_link *r = raw_link_of(link);

	raw_process(r);
	struct raw_listener *l = raw_listener_new(
		r, at->port ? at->port : raw_ephemeral_port(r));

	if (!l)
		return link_fail(link->why, LINK_ERROR, "out of memory");
	*listener = &l->listener;
	return LINK_OK;
}

int raw_accept_now(struct link_listener *listener, struct link_conn **conn)
{
	struct raw_listener *l = raw_listener_of(listener);
	struct raw_link *r = raw_link_of(listener->link);

	raw_process(r);
	struct raw_conn *c = raw_listener_accept(r, l);

	if (!c)
		return r->link.down ? LINK_ERROR : LINK_TIMEOUT;
	*conn = &c->conn;
	return LINK_OK;
}

void raw_listener_close(struct link_listener *listener)
{
	struct raw_link *r = raw_link_of(listener->link);

	raw_process(r);
	raw_listener_free(r, raw_listener_of(listener));
}
