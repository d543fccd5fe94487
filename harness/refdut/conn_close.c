/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a stream ends in order: by the ULP's close, by the peer's FIN, or after a
 * Terminate (RFC 5040 s6.2, RFC 5041 s6.2, RFC 5044 s7.2).
 *
 * Where the RFCs leave a choice: a peer's FIN inside an FPDU or a message is an
 * error. At a message boundary it closes the stream, but queued messages that
 * need no answer are sent first. After our FIN, input is read and dropped for
 * at most LINGER_MS, so that the close stays graceful. A peer that keeps
 * reading has all the time it needs, however small its window and long its
 * path.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_close_decisions.h"
#include "harness/refdut/sctp/conn_sctp.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
	LINGER_MS = 1000, /* for the peer's FIN after ours */
	STUCK_MS = 10000, /* for a peer that does not read */
};

/* --- time for the peer -------------------------------------------------- */

/* What the peer has acknowledged: octets of TCP, or chunks of SCTP, which may
 * hold many of them long after it was handed the last; *left: there is more. */
static uint64_t acknowledged(const struct conn *c, int *left)
{
	*left = 0;
	if (c->stream) {
		*left = buf_len(&c->out) || !stream_is_settled(c->stream);
		return c->stream->acknowledged;
	}
	if (c->watch.fd >= 0)
		ioctl(c->watch.fd, SIOCOUTQ, left);
	return c->handed - (uint64_t)*left;
}

static void give_time(struct conn *c, unsigned ms)
{
	int left;

	c->patience_ms = ms;
	c->read_before = acknowledged(c, &left);
	timer_arm(&c->timer, ms);
}

bool conn_gives_more_time(struct conn *c)
{
	int left;
	uint64_t read = acknowledged(c, &left);

	if (!c->patience_ms || !left || read <= c->read_before)
		return false;
	give_time(c, c->patience_ms);
	return true;
}

/* --- our FIN ------------------------------------------------------------ */

/* RFC 5040 s6.2.1: after a Terminate, too. */
RULE(stream_ends_by)
{
	return END_IN_ORDER;
}

RULE(send_fin)
{
	shutdown(c->watch.fd, SHUT_WR);
}

/* If the peer has closed before, or no half is to stay open. */
RULE(fin_ends_stream)
{
	return c->peer_fin || !c->half;
}

void conn_drain(struct conn *c)
{
	if (c->phase == PHASE_GONE)
		return;
	c->phase = PHASE_DRAIN;
	c->rx_over = true;
	c->fin_due = true;
	give_time(c, STUCK_MS);
	conn_kick(c);
}

/* RFC 5043 s6.6: a Terminate of the session waits for the chunks that it might
 * overtake. */
static void end_session(struct conn *c)
{
	if (c->stream && !stream_end(c->stream))
		return;
	c->fin_sent = true;
	if (c->peer_fin || !c->half) {
		conn_final(c, CONN_CLOSED);
		conn_drop(c, false);
	} else {
		timer_cancel(&c->timer);
	}
}

static void end_tcp(struct conn *c)
{
	send_fin(c);
	c->fin_sent = true;
	if (fin_ends_stream(c))
		conn_final(c, CONN_CLOSED);
	if (c->peer_fin)
		conn_drop(c, false);
	else if (c->phase == PHASE_DRAIN)
		give_time(c, LINGER_MS);
	else
		timer_cancel(&c->timer);
}

void conn_end(struct conn *c)
{
	switch (stream_ends_by(c)) {
	case END_IN_ORDER:
		if (c->sctp)
			end_session(c);
		else
			end_tcp(c);
		return;
	case END_AT_ONCE:
		conn_drop(c, false);
		return;
	case END_BY_RESET:
		conn_drop(c, true);
		return;
	case END_NOT_AT_ALL:
		return;
	}
}

/* --- the ULP's close ---------------------------------------------------- */

/* But nothing is sent before the first FPDU has arrived (RFC 5044 s7.1.2 rule
 * 4). */
RULE(queued_work_is_sent)
{
	return c->released;
}

/* RFC 5041 s6.2.1: closing one half leaves the other open. */
RULE(close_ends_input)
{
	return !half;
}

/* The work that waits for an answer from a peer that will not answer. */
static void give_up_answers(struct conn *c, bool unsent_only)
{
	for (struct work *work = c->work; work; work = work->next)
		if (work_needs_answer(work) && !work->answered &&
		    work->status == STATUS_NONE &&
		    !(unsent_only && work->begun))
			work->status = STATUS_FLUSHED;
	while (c->unsent && c->unsent->status != STATUS_NONE)
		c->unsent = c->unsent->next;
	if (!unsent_only)
		c->outstanding = 0;
	work_complete_done(c);
}

static void close_full_operation(struct conn *c, bool half)
{
	if (c->closing && (half || !c->half))
		return;
	c->closing = true;
	c->half = half;
	if (!queued_work_is_sent(c, false))
		work_flush(c);
	give_up_answers(c, half);
	c->rx_over = close_ends_input(c, half);
	if (!half) {
		conn_final(c, CONN_CLOSED);
		receive_flush(c);
		give_time(c, STUCK_MS);
	}
	conn_kick(c);
}

void conn_close(struct conn *c, bool half)
{
	switch (c->phase) {
	case PHASE_TCP:
	case PHASE_REQUEST:
	case PHASE_REPLY:
	case PHASE_CONTROL:
		conn_final(c, CONN_CLOSED);
		conn_drop(c, false);
		conn_flush_all(c);
		return;
	case PHASE_REJECTED:
		conn_drain(c);
		return;
	case PHASE_FULL:
		close_full_operation(c, half);
		return;
	default:
		return;
	}
}

/* --- the peer's FIN ----------------------------------------------------- */

RULE(peer_fin_counts)
{
	return true;
}

/* A device that no longer reads does not check where the FIN arrived. */
RULE(peer_fin_is_orderly)
{
	return c->rx_over || conn_is_between_messages(c);
}

/* RFC 6581 s10 allows the initiator to try again, but does not require it. */
RULE(startup_survives_fin)
{
	return false;
}

bool conn_is_between_messages(const struct conn *c)
{
	bool between = !buf_len(&c->in) && !c->tagged_open;

	for (int qn = 0; qn < QUEUES; qn++)
		between &= !c->queue[qn].open;
	return between;
}

/* Both halves are closed. */
static void is_closed(struct conn *c)
{
	conn_final(c, CONN_CLOSED);
	conn_drop(c, false);
	conn_flush_all(c);
}

static void peer_closes_stream(struct conn *c)
{
	if (!peer_fin_counts(c)) {
		conn_want(c);
		return;
	}
	if (!peer_fin_is_orderly(c)) {
		conn_final(c, CONN_ERROR);
		conn_flush_all(c);
		conn_drain(c);
		return;
	}
	if (c->fin_sent) {
		is_closed(c);
		return;
	}
	c->closing = true;
	c->half = false;
	receive_flush(c);
	give_up_answers(c, false);
	if (!queued_work_is_sent(c, true)) {
		work_flush(c);
		request_free_all(c);
	}
	give_time(c, STUCK_MS);
	conn_flush(c);
}

void conn_peer_finished(struct conn *c)
{
	c->peer_fin = true;
	switch (c->phase) {
	case PHASE_FULL:
		peer_closes_stream(c);
		return;
	case PHASE_REJECTED:
		conn_drain(c);
		return;
	case PHASE_DRAIN:
		if (c->fin_sent)
			is_closed(c);
		else
			conn_flush(c);
		return;
	case PHASE_CONTROL:
		is_closed(c);
		return;
	default:
		if (!startup_survives_fin(c))
			conn_startup_failed(c, "peer-closed");
	}
}
