/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/link/raw/stream.h"

#include "harness/link/raw/connections.h"
#include "harness/link/raw/input.h"

/* The state after everything that has arrived. */
static struct raw_conn *current(struct link_conn *conn)
{
	struct raw_conn *c = raw_conn_of(conn);

	raw_process(c->raw);
	return c;
}

/* LINK_OK, or what keeps octets from going either way. */
static int status_of(struct raw_conn *c)
{
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.reset_in)
		return link_fail(c->conn.why, LINK_RESET,
				 "the peer has reset the connection");
	if (c->raw->link.down)
		return link_fail(c->conn.why, LINK_ERROR, "%.150s",
				 c->raw->link.why);
	if (e.gave_up)
		return link_fail(c->conn.why, LINK_ERROR,
				 "the peer no longer acknowledges");
	return LINK_OK;
}

/* --- octets ---------------------------------------- */

long raw_send_now(struct link_conn *conn, const void *octets, size_t n)
{
	struct raw_conn *c = current(conn);
	int status = status_of(c);

	if (status != LINK_OK)
		return status;
	size_t taken = tcp_write(c->tcp, octets, n, c->raw->now);

	conn->torn = tcp_torn(c->tcp);
	return (long)taken;
}

long raw_recv_now(struct link_conn *conn, void *octets, size_t cap)
{
	struct raw_conn *c = raw_conn_of(conn);
	size_t n = tcp_read(c->tcp, octets, cap);

	if (n)
		return (long)n;
	if (conn->reset_sent)
		return LINK_RESET;
	raw_process(c->raw);
	n = tcp_read(c->tcp, octets, cap);
	if (n)
		return (long)n;
	struct tcp_ends e = tcp_ends(c->tcp);

	if (e.fin_in && !conn->fin_seen)
		return 0;
	int status = status_of(c);

	if (status != LINK_OK)
		return status;
	return e.fin_in ? 0 : LINK_TIMEOUT;
}

/* --- ends ---------------------------------------- */

int raw_half_close(struct link_conn *conn)
{
	struct raw_conn *c = current(conn);
	int status = status_of(c);

	if (status == LINK_OK)
		tcp_fin(c->tcp, c->raw->now);
	return status;
}

bool raw_reset(struct link_conn *conn)
{
	struct raw_conn *c = current(conn);
	struct tcp_ends e = tcp_ends(c->tcp);
	/* After both FINs there is no connection left to reset. */
	bool there =
		tcp_state(c->tcp) != TCP_CLOSED && !(e.fin_in && e.fin_acked);

	if (there)
		tcp_reset(c->tcp, c->raw->now);
	return there;
}

bool raw_close(struct link_conn *conn)
{
	struct raw_conn *c = current(conn);

	if (tcp_state(c->tcp) == TCP_CLOSED) {
		raw_conn_drop(c);
		return false;
	}
	/* Octets that were never read. */
	if (tcp_readable(c->tcp)) {
		tcp_reset(c->tcp, c->raw->now);
		raw_conn_drop(c);
		return true;
	}
	tcp_release(c->tcp, c->raw->now);
	tcp_fin(c->tcp, c->raw->now);
	tcp_flush_ack(c->tcp, c->raw->now);
	raw_conn_orphan(c);
	return false;
}

/* --- functions for cases about segments -------------------------------- */

bool raw_send_segments(struct link_conn *conn, const void *octets, size_t n,
		       const struct link_segment *plan, size_t count)
{
	struct raw_conn *c = current(conn);

	return tcp_write_segments(c->tcp, octets, n, plan, count, c->raw->now);
}

void raw_release(struct link_conn *conn)
{
	struct raw_conn *c = current(conn);

	tcp_release(c->tcp, c->raw->now);
}

void raw_send_stray(struct link_conn *conn, uint32_t back, const void *octets,
		    size_t n)
{
	struct raw_conn *c = current(conn);

	tcp_send_stray(c->tcp, back, octets, n, c->raw->now);
}

void raw_set_acks(struct link_conn *conn, enum link_acks acks)
{
	struct raw_conn *c = current(conn);

	tcp_set_acks(c->tcp, acks, c->raw->now);
}

void raw_set_window(struct link_conn *conn, long octets)
{
	struct raw_conn *c = current(conn);

	tcp_set_window(c->tcp, octets, c->raw->now);
}

void raw_lose(struct link_conn *conn, unsigned n)
{
	tcp_lose(current(conn)->tcp, n);
}

void raw_fall_silent(struct link_conn *conn)
{
	tcp_fall_silent(current(conn)->tcp);
}

void raw_tell_path_mtu(struct link_conn *conn, uint32_t mtu)
{
	struct raw_conn *c = current(conn);
	uint32_t headers = packet_tcp_headers(c->path.to.family);
	uint32_t seq =
		tcp_lower_peer_mss(c->tcp, mtu > headers ? mtu - headers : 1);
	uint8_t frame[PACKET_HEADERS];

	frames_send(&c->raw->frames, frame,
		    packet_too_big(frame, sizeof(frame), &c->path, seq, mtu));
}

size_t raw_arrivals(const struct link_conn *conn, struct link_segment *out,
		    size_t cap)
{
	return tcp_arrivals(raw_conn_of(conn)->tcp, out, cap);
}

bool raw_make_room(struct link_conn *conn)
{
	struct raw_conn *c = current(conn);

	return tcp_make_room(c->tcp, c->raw->now);
}

uint64_t raw_lost(const struct link_conn *conn)
{
	return tcp_lost(raw_conn_of(conn)->tcp);
}

uint64_t raw_unacknowledged(const struct link_conn *conn)
{
	return tcp_unacknowledged(raw_conn_of(conn)->tcp);
}

uint32_t raw_emss(const struct link_conn *conn)
{
	return tcp_emss_in(raw_conn_of(conn)->tcp);
}

uint32_t raw_mss(const struct link_conn *conn)
{
	return tcp_mss_in(raw_conn_of(conn)->tcp);
}

uint32_t raw_emss_out(const struct link_conn *conn)
{
	return tcp_emss_out(raw_conn_of(conn)->tcp);
}
