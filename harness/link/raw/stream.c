/* SPDX-License-Identifier: BSD-2-Clause */
/* The provider: octets both ways, and what a case has to say about them. */
#include "harness/link/raw/raw_internal.h"

int raw_trouble(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.reset_in)
		return link_fail(conn->why, LINK_RESET,
				 "the peer has reset the connection");
	if (c->raw->link.down)
		return link_fail(conn->why, LINK_ERROR, "%.150s",
				 c->raw->link.why);
	if (e.gave_up)
		return link_fail(conn->why, LINK_ERROR,
				 "the peer has stopped to acknowledge");
	return LINK_OK;
}

long raw_send_now(struct link_conn *conn, const void *octets, size_t n)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	int status = raw_trouble(conn);

	if (status != LINK_OK)
		return status;
	size_t taken = tcp_write(c->tcp, octets, n, c->raw->now);

	conn->torn = tcp_torn(c->tcp);
	return (long)taken;
}

bool raw_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	return tcp_write_segments(c->tcp, octets, n, plan, count, c->raw->now);
}

void raw_release(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	tcp_release(c->tcp, c->raw->now);
}

void raw_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	tcp_send_stray(c->tcp, back, octets, n, c->raw->now);
}

void raw_set_acks(struct link_conn *conn, enum link_acks acks)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	tcp_set_acks(c->tcp, acks, c->raw->now);
}

void raw_set_window(struct link_conn *conn, long octets)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_service(c->raw);
	tcp_set_window(c->tcp, octets, c->raw->now);
}

void raw_lose(struct link_conn *conn, unsigned n)
{
	raw_service(raw_conn_of(conn)->raw);
	tcp_lose(raw_conn_of(conn)->tcp, n);
}

void raw_fall_silent(struct link_conn *conn)
{
	raw_service(raw_conn_of(conn)->raw);
	tcp_fall_silent(raw_conn_of(conn)->tcp);
}

void raw_tell_path_mtu(struct link_conn *conn, uint32_t mtu)
{
	struct raw_conn *c = raw_conn_of(conn);
	uint32_t headers = raw_headers(c->path.to.family);
	uint8_t frame[PACKET_HEADERS];

	raw_service(c->raw);
	uint32_t seq = tcp_narrow_in(c->tcp, mtu > headers ? mtu - headers : 1);

	raw_send(c->raw, frame,
		 packet_too_big(frame, sizeof(frame), &c->path, seq, mtu));
}

size_t raw_arrivals(const struct link_conn *conn, struct link_segment *out,
		    size_t cap)
{
	return tcp_arrivals(raw_conn_of(conn)->tcp, out, cap);
}

long raw_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	struct raw_conn *c = raw_conn_of(conn);
	size_t n = tcp_read(c->tcp, octets, cap);

	if (n)
		return (long)n;
	if (conn->reset_sent)
		return LINK_RESET;
	raw_service(c->raw);
	n = tcp_read(c->tcp, octets, cap);
	if (n)
		return (long)n;
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.fin_in && !conn->fin_seen)
		return 0;
	int status = raw_trouble(conn);

	if (status != LINK_OK)
		return status;
	return e.fin_in ? 0 : LINK_TIMEOUT;
}

uint32_t raw_emss(const struct link_conn *conn)
{
	return tcp_emss_in(raw_conn_of(conn)->tcp);
}

uint32_t raw_mss(const struct link_conn *conn)
{
	return tcp_mss_in(raw_conn_of(conn)->tcp);
}
