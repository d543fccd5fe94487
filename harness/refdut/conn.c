/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a connection.
 *
 * Where the texts leave a choice: a peer's FIN inside an FPDU or a message is
 * an error; at a message boundary it closes the stream, but what is queued and needs no
 * answer is sent first. After our FIN input is read and dropped, so that the
 * close stays graceful, for LINGER_MS at most.
 */
#include "harness/refdut/conn.h"
#include "harness/refdut/conn_sctp.h"
#include "harness/refdut/control.h"
#include "harness/refdut/mutants.h"
#include "harness/refdut/shared_word.h"
#include "harness/refdut/variants.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	LINGER_MS = 1000, /* for the peer's FIN after ours */
	STUCK_MS = 10000, /* for a peer that reads nothing */
	READ_SMALL = 16 << 10,
	READ_LARGE = 128 << 10,
	READS_PER_ROUND = 8,
};

unsigned startup_timeout_ms = 1000;

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
	if (!conn_is_final(c) && !c->untold)
		c->state = state;
}

struct before_of_all before_of_all;

bool conn_is_beside(const struct conn *c, const struct conn *other)
{
	return other && other != c && other->domain.owner == c->domain.owner;
}

static bool reads_nothing(const struct conn *c)
{
	return c->held_back || c->deaf || c->unanswered;
}

static void want(struct conn *c)
{
	uint32_t events = c->peer_fin || reads_nothing(c) ? 0 : EPOLLIN;

	if (c->out_blocked || c->phase == PHASE_TCP)
		events |= EPOLLOUT;
	loop_want(&c->watch, events);
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
	conn_final(c, mutant(MUTANT_reset_told_as_close) ? CONN_CLOSED
							 : CONN_ERROR);
	conn_drop(c, false);
	conn_flush_all(c);
}

void conn_drain(struct conn *c)
{
	if (c->phase == PHASE_GONE)
		return;
	c->phase = PHASE_DRAIN;
	c->rx_over = true;
	c->fin_due = true;
	timer_arm(&c->timer, STUCK_MS);
	conn_kick(c);
}

/* RFC 5043 s6.6: a Terminate of the session waits for what it might overtake.
 */
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

static void send_fin(struct conn *c)
{
	if (mutant(MUTANT_stream_left_open) && c->terminate.known)
		return;
	if (c->terminate.known &&
	    (mutant(MUTANT_reset_after_terminate) ||
	     (!c->sctp && variant(VARIANT_reset_behind_a_terminate)))) {
		conn_drop(c, true);
		return;
	}
	if (c->terminate.known && !c->sctp &&
	    variant(VARIANT_close_without_draining)) {
		conn_drop(c, false);
		return;
	}
	if (mutant(MUTANT_reset_after_received_terminate) &&
	    c->terminate.known && !c->terminate.local) {
		conn_drop(c, true);
		return;
	}
	if (mutant(MUTANT_close_resets) && !c->terminate.known) {
		conn_drop(c, true);
		return;
	}
	if (c->sctp) {
		end_session(c);
		return;
	}
	if (mutant(MUTANT_stray_octets_before_fin))
		send(c->watch.fd, "\0\0\0", 3, MSG_NOSIGNAL);
	c->fin_sent = true;
	shutdown(c->watch.fd, SHUT_WR);
	if ((c->peer_fin || !c->half) &&
	    !(c->peer_fin && mutant(MUTANT_peer_close_untold)))
		conn_final(c, CONN_CLOSED);
	if (c->peer_fin) {
		conn_drop(c, false);
		return;
	}
	if (c->phase == PHASE_DRAIN)
		timer_arm(&c->timer, LINGER_MS);
	else
		timer_cancel(&c->timer);
}

/* Octets were handed over: what ended with them is done. */
static void account(struct conn *c)
{
	while (c->requests && c->requests->issued &&
	       c->requests->end <= c->handed) {
		struct request *request = c->requests;
		bool kept = c->before.handed_atomic && !request->atomic &&
			    !be32(request->header + 12) &&
			    mutant(COINCIDENCE_read_credit_lost_behind_atomic);

		c->before.handed_atomic = request->atomic;
		c->requests = request->next;
		if (!c->requests)
			c->requests_end = &c->requests;
		if (!kept && !mutant(MUTANT_request_buffer_kept) &&
		    !(mutant(MUTANT_atomic_buffer_kept) && request->atomic)) {
			c->inbound--;
			requests_inbound--;
		}
		request_free(request);
	}
	if (c->unanswered && !c->requests)
		conn_kick(c);
	work_complete_done(c);
}

static bool send_out(struct conn *c)
{
	size_t n = buf_len(&c->out);
	ssize_t sent;

	if (c->sctp)
		return conn_hand_over(c);
	if (c->watch.fd < 0)
		return false;
	if (n > 700 && variant(VARIANT_fpdus_cut))
		n = 700;
	sent = send(c->watch.fd, buf_head(&c->out), n, MSG_NOSIGNAL);
	if (sent < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			conn_lost(c);
			return false;
		}
		sent = 0;
	}
	c->emss = 0; /* the path may have answered */
	buf_take(&c->out, (size_t)sent);
	c->handed += (uint64_t)sent;
	c->out_blocked = (size_t)sent < n;
	if (c->out_blocked && mutant(MUTANT_short_write_taken_for_whole)) {
		c->handed += buf_len(&c->out);
		buf_take(&c->out, buf_len(&c->out));
	}
	return !c->out_blocked;
}

static bool finished_sending(const struct conn *c)
{
	return !c->unsent && !c->answering;
}

static bool goes_with_the_initiate(const struct conn *c)
{
	return c->stream && !stream_is_settled(c->stream) &&
	       mutant(MUTANT_segment_behind_unacknowledged_initiate);
}

void conn_flush(struct conn *c)
{
	for (;;) {
		if (c->phase == PHASE_FULL ||
		    (c->phase == PHASE_REPLY &&
		     (mutant(MUTANT_fpdu_before_reply) ||
		      goes_with_the_initiate(c))))
			tx_pump(c);
		if (c->phase == PHASE_GONE || c->phase == PHASE_TCP)
			return;
		if (!buf_len(&c->out))
			break;
		if (!send_out(c))
			break;
		account(c);
	}
	if (c->phase == PHASE_GONE)
		return;
	account(c);
	c->turn_over = false;
	if (c->closing && c->phase == PHASE_FULL && finished_sending(c))
		c->fin_due = true;
	if (c->fin_due && !c->fin_sent && !buf_len(&c->out))
		send_fin(c);
	if (c->phase == PHASE_FULL && c->fin_sent && !c->half)
		conn_drain(c);
	/* A session that was rejected leaves nothing behind. */
	if (c->phase == PHASE_REJECTED && c->sctp && !buf_len(&c->out))
		conn_drop(c, false);
	if (c->phase != PHASE_GONE)
		want(c);
}

void conn_kick(struct conn *c)
{
	if (variant(VARIANT_last_stream_first))
		loop_post_first(&c->kick);
	else
		loop_post(&c->kick);
}

static void run_kick(struct job *job)
{
	struct conn *c =
		(struct conn *)((char *)job - offsetof(struct conn, kick));

	if (c->held_back && c->receives) {
		c->held_back = false;
		conn_input(c);
	}
	if (c->unanswered && !c->requests) {
		c->unanswered = false;
		conn_input(c);
	}
	conn_flush(c);
}

/* What waits for an answer from a peer that will give none. */
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
		break;
	default:
		return;
	}
	if (c->closing && (half || !c->half))
		return;
	c->closing = true;
	c->half = half;
	if (!c->released)
		work_flush(c);
	if (mutant(MUTANT_close_drops_queued_work))
		work_flush(c);
	give_up_answers(c, half);
	if (half) {
		c->rx_over = mutant(MUTANT_half_close_ends_both);
		conn_kick(c);
		return;
	}
	c->rx_over = true;
	conn_final(c, CONN_CLOSED);
	receive_flush(c);
	timer_arm(&c->timer, STUCK_MS);
	conn_kick(c);
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
	/* A stream still in use is cut; one that is over needs no reset. */
	conn_drop(c, !c->fin_sent || !c->peer_fin);
	timer_cancel(&c->timer);
	timer_cancel(&c->bundle);
	timer_cancel(&c->their_end);
	work_flush(c);
	receive_flush(c);
	request_free_all(c);
	while (c->events) {
		struct event *event = c->events;

		c->events = event->next;
		event_free(event);
	}
	free(c->late);
	free(c->again);
	shared_word_forget(c);
	if (before_of_all.atomic_by == c)
		before_of_all.atomic_by = NULL;
	if (before_of_all.answered_by == c)
		before_of_all.answered_by = NULL;
	if (before_of_all.invalidated_by == c)
		before_of_all.invalidated_by = NULL;
	c->kick.queued = true; /* never run again */
	loop_free(c);
}

/* RFC 6581 s10: the peer may know revision 1 alone. The same again, plain. */
static void fall_back(struct conn *c)
{
	int fd = socket(c->to.ss_family,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	conn_drop(c, false);
	c->fell_back = true;
	c->peer_fin = false;
	c->params.enhanced = c->params.peer_to_peer = false;
	c->params.rev = 1;
	c->params.rtr = 0;
	c->generated = c->handed = 0;
	c->phase = PHASE_TCP;
	timer_arm(&c->timer, startup_timeout_ms);
	if (fd < 0 || (connect(fd, (struct sockaddr *)&c->to, c->to_len) < 0 &&
		       errno != EINPROGRESS)) {
		if (fd >= 0)
			close(fd);
		conn_startup_failed(c, "refused");
	} else if (loop_watch(&c->watch, fd, EPOLLIN | EPOLLOUT) < 0) {
		close(fd);
		conn_startup_failed(c, "resources");
	}
}

void conn_peer_finished(struct conn *c)
{
	bool whole = !buf_len(&c->in) && !c->tagged_open;

	c->peer_fin = true;
	if (c->phase == PHASE_FULL && mutant(MUTANT_peer_fin_ignored)) {
		want(c);
		return;
	}
	for (int qn = 0; qn < QUEUES; qn++)
		whole &= !c->queue[qn].open;
	if (c->phase == PHASE_FULL && !c->rx_over && !whole &&
	    !mutant(MUTANT_fin_inside_message_is_orderly)) {
		c->untold = !buf_len(&c->in) &&
			    variant(VARIANT_fin_inside_a_message_untold);
		conn_final(c, CONN_ERROR);
		conn_flush_all(c);
		conn_drain(c);
		return;
	}
	if (c->phase == PHASE_FULL) {
		if (c->fin_sent) {
			conn_final(c, CONN_CLOSED);
			conn_drop(c, false);
			conn_flush_all(c);
			return;
		}
		c->closing = true;
		c->half = false;
		receive_flush(c);
		give_up_answers(c, false);
		if (!c->released || mutant(MUTANT_peer_fin_drops_queued_work)) {
			work_flush(c);
			request_free_all(c);
		}
		timer_arm(&c->timer, STUCK_MS);
		conn_flush(c);
		return;
	}
	if (c->phase == PHASE_REJECTED) {
		conn_drain(c);
		return;
	}
	if (c->phase == PHASE_DRAIN && !c->fin_sent) {
		conn_flush(c);
		return;
	}
	if (c->phase == PHASE_REPLY && c->params.enhanced && !c->fell_back &&
	    !c->sctp && !buf_len(&c->in) &&
	    variant(VARIANT_plain_after_a_refusal)) {
		fall_back(c);
		return;
	}
	if (c->phase == PHASE_DRAIN || c->phase == PHASE_CONTROL) {
		conn_final(c, CONN_CLOSED);
		conn_drop(c, false);
		conn_flush_all(c);
		return;
	}
	conn_startup_failed(c, "peer-closed");
}

/* A broken FPDU: what the stack above would have made of it first. */
static void bad_crc(struct conn *c, const struct ulpdu *ulpdu)
{
	if (mutant(MUTANT_bad_fpdu_skipped))
		return;
	if (mutant(MUTANT_placed_before_crc_check))
		ddp_receive(c, ulpdu->octets, ulpdu->len);
	if (mutant(MUTANT_bad_first_fpdu_releases) && !c->released) {
		c->released = true;
		conn_flush(c);
	}
	fault(c, ERR_MPA, mutant(MUTANT_crc_error_as_marker_error) ? 3 : 2,
	      NULL, ulpdu->len, NULL);
}

static bool releases(const struct ulpdu *ulpdu)
{
	bool empty_write = ulpdu->len == TAGGED_HEADER &&
			   (ulpdu->octets[1] & 0x0f) == OPCODE_WRITE;

	return !(empty_write && mutant(MUTANT_empty_write_releases_nothing));
}

/*
 * RFC 5044 s8: a TCP segment with a broken FPDU in it may be dropped as if it
 * had been lost. TCP is the kernel's here, so that what was read at once
 * stands for a segment, and nothing comes behind it: it would be sent again
 * as it was for ever.
 */
static bool drop_bad_segment(struct conn *c, size_t fresh)
{
	struct framing rx = c->rx;
	size_t at = 0;
	enum framing_result result;
	struct ulpdu ulpdu;

	if (c->phase != PHASE_FULL || c->rx_over ||
	    !variants_taken[VARIANT_bad_segment_dropped])
		return false;
	while ((result = framing_get(&rx, buf_head(&c->in) + at,
				     buf_len(&c->in) - at, &ulpdu)) ==
	       FRAMING_ULPDU)
		at += ulpdu.raw;
	if ((result != FRAMING_BAD_CRC && result != FRAMING_BAD_MARKER) ||
	    !variant(VARIANT_bad_segment_dropped))
		return false;
	c->in.end -= fresh;
	c->deaf = true;
	return true;
}

/* RFC 5041 s7.1 item 2: the lack of a buffer may be left to TCP. */
static bool waits_for_buffer(struct conn *c, const struct ulpdu *ulpdu)
{
	const uint8_t *u = ulpdu->octets;

	c->held_back = ulpdu->len >= UNTAGGED_HEADER && !(u[0] & 0x80) &&
		       (u[1] & 0x0f) != OPCODE_TERMINATE && be32(u + 6) == 0 &&
		       !c->receives && !c->rx_over && !c->fin_due &&
		       !conn_is_final(c) &&
		       variant(VARIANT_messages_wait_for_a_buffer);
	return c->held_back;
}

/* Whoever does one thing after the other takes nothing behind a Request until
 * its Response is handed over; but a Terminate, which has a queue of its own. */
static bool waits_for_answers(struct conn *c, const struct ulpdu *ulpdu)
{
	bool terminate =
		ulpdu->len > 1 && (ulpdu->octets[1] & 0x0f) == OPCODE_TERMINATE;

	c->unanswered = c->requests && !terminate && !c->rx_over &&
			!c->fin_due && !conn_is_final(c) &&
			variant(VARIANT_nothing_taken_before_the_answer);
	return c->unanswered;
}

static bool is_too_long(const struct conn *c, const struct ulpdu *ulpdu)
{
	return (ulpdu->len > MULPDU_MAX &&
		variant(VARIANT_ulpdus_above_64768_refused)) ||
	       (!c->sctp && ulpdu->len > c->mulpdu &&
		variant(VARIANT_ulpdus_above_mulpdu_refused));
}

/* In the peer-to-peer model: not one of the RTRs that were listed by both. */
static bool is_wrong_rtr(const struct conn *c, const struct ulpdu *ulpdu)
{
	unsigned opcode = ulpdu->len > 1 ? ulpdu->octets[1] & 0x0f : 0;
	unsigned agreed = c->agreed.rtr & c->their_frame.rtr;

	if (c->initiator || !c->agreed.peer_to_peer ||
	    opcode == OPCODE_TERMINATE)
		return false;
	switch (opcode) {
	case OPCODE_SEND:
		return !(agreed & RTR_SEND) || ulpdu->len != UNTAGGED_HEADER;
	case OPCODE_WRITE:
		return !(agreed & RTR_WRITE) || ulpdu->len != TAGGED_HEADER;
	case OPCODE_READ_REQUEST:
		return !(agreed & RTR_READ) ||
		       ulpdu->len < UNTAGGED_HEADER + READ_REQUEST_HEADER ||
		       be32(ulpdu->octets + UNTAGGED_HEADER + 12) != 0;
	default:
		return true;
	}
}

/* Is the next FPDU here, with a wrong CRC? */
static bool bad_crc_follows(const struct conn *c, size_t at)
{
	struct framing rx = c->rx;
	struct ulpdu next;

	return !rx.markers && buf_len(&c->in) > at &&
	       framing_get(&rx, buf_head(&c->in) + at, buf_len(&c->in) - at,
			   &next) == FRAMING_BAD_CRC;
}

static enum framing_result next_ulpdu(struct conn *c, struct ulpdu *ulpdu)
{
	bool ended = false;

	if (!c->sctp)
		return framing_get(&c->rx, buf_head(&c->in), buf_len(&c->in),
				   ulpdu);
	if (!conn_next_segment(c, ulpdu, &ended))
		return FRAMING_MORE;
	if (!ended)
		return FRAMING_ULPDU;
	buf_take(&c->in, ulpdu->raw);
	conn_peer_finished(c);
	return FRAMING_MORE;
}

static void fpdu_input(struct conn *c)
{
	struct ulpdu ulpdu;
	unsigned n = 0;

	while (!c->rx_over && buf_len(&c->in)) {
		struct framing before = c->rx;
		enum framing_result result = next_ulpdu(c, &ulpdu);

		if (result == FRAMING_ULPDU && (waits_for_buffer(c, &ulpdu) ||
						waits_for_answers(c, &ulpdu))) {
			c->rx = before;
			return;
		}
		if (result == FRAMING_MORE) {
			if (mutant(MUTANT_incomplete_fpdu_releases))
				c->released = true;
			if (mutant(MUTANT_reassembly_of_1024_octets) &&
			    buf_len(&c->in) > 1024)
				c->in.end = c->in.start + 1024;
			if (mutant(MUTANT_rx_split_fpdu_lost))
				buf_take(&c->in, buf_len(&c->in));
			return;
		}
		if (result == FRAMING_BAD_CRC) {
			bad_crc(c, &ulpdu);
		} else if (result == FRAMING_BAD_MARKER) {
			fault(c, ERR_MPA,
			      mutant(MUTANT_marker_error_as_crc_error) ? 2 : 3,
			      NULL, ulpdu.len, NULL);
		} else {
			bool lost_one = !c->released && !c->initiator &&
					mutant(MUTANT_first_fpdu_lost);

			if (!c->released && is_wrong_rtr(c, &ulpdu) &&
			    variant(VARIANT_rtr_strict)) {
				c->released = true;
				fault(c, ERR_MPA, 5, NULL, 0, NULL);
				return;
			}
			c->released |= releases(&ulpdu);
			tx_look_at_path(c);
			if (is_too_long(c, &ulpdu)) {
				fault(c, ERR_DDP_CATASTROPHIC, 0, NULL, 0,
				      NULL);
				return;
			}
			c->bad_crc_next =
				mutant(MUTANT_crc_error_named_first) &&
				bad_crc_follows(c, ulpdu.raw);
			if (!lost_one && !control_fpdu(c))
				ddp_receive(c, ulpdu.octets, ulpdu.len);
		}
		if (c->phase == PHASE_GONE)
			return;
		if (buf_len(&c->in))
			buf_take(&c->in, ulpdu.raw);
		if (mutant(MUTANT_one_fpdu_per_read) ||
		    (mutant(MUTANT_hundred_fpdus_per_read) && ++n == 100))
			buf_take(&c->in, buf_len(&c->in));
	}
	if (c->rx_over && c->phase != PHASE_GONE)
		buf_take(&c->in, buf_len(&c->in));
}

void conn_input(struct conn *c)
{
	if (c->phase == PHASE_REQUEST || c->phase == PHASE_REPLY)
		conn_startup_input(c);
	if (c->phase == PHASE_FULL)
		fpdu_input(c);
	if (c->phase == PHASE_CONTROL)
		control_input(c, buf_head(&c->in), buf_len(&c->in));
	if (c->phase == PHASE_DRAIN || c->phase == PHASE_REJECTED ||
	    c->phase == PHASE_CONTROL || (c->rx_over && c->phase != PHASE_GONE))
		buf_take(&c->in, buf_len(&c->in));
}

static void readable(struct conn *c)
{
	for (int i = 0;
	     i < READS_PER_ROUND && c->phase != PHASE_GONE && !reads_nothing(c);
	     i++) {
		size_t room = i || buf_len(&c->in) ? READ_LARGE : READ_SMALL;
		uint8_t *at = buf_room(&c->in, room);
		ssize_t n = recv(c->watch.fd, at, room, 0);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				conn_lost(c);
			break;
		}
		if (n == 0) {
			conn_flush(c);
			if (c->phase != PHASE_GONE)
				conn_peer_finished(c);
			break;
		}
		if (!buf_len(&c->in) &&
		    mutant(MUTANT_rx_marker_phase_from_read))
			c->rx.at = 0;
		buf_grow(&c->in, (size_t)n);
		if (drop_bad_segment(c, (size_t)n))
			break;
		conn_input(c);
		if ((size_t)n < room)
			break;
	}
	if (c->phase == PHASE_GONE)
		return;
	/* When all streams have been read from. */
	if (c->answering && (variant(VARIANT_streams_in_turn) ||
			     variant(VARIANT_last_stream_first)))
		conn_kick(c);
	else
		conn_flush(c);
}

static void tcp_up(struct conn *c)
{
	int one = 1;

	setsockopt(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (control_connected(c))
		return;
	if (c->initiator) {
		conn_send_request(c);
		return;
	}
	c->phase = PHASE_REQUEST;
	if (mutant(MUTANT_reply_sent_unasked))
		conn_send_reply(c);
}

static void ready(struct watch *watch, uint32_t events)
{
	struct conn *c = (struct conn *)watch;

	if (c->phase == PHASE_TCP) {
		int error = 0;
		socklen_t len = sizeof(error);

		getsockopt(watch->fd, SOL_SOCKET, SO_ERROR, &error, &len);
		if (error) {
			conn_startup_failed(c, "refused");
			return;
		}
		if (events & EPOLLOUT)
			tcp_up(c);
		if (c->phase != PHASE_GONE)
			want(c);
		return;
	}
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
		if ((c->peer_fin || reads_nothing(c)) &&
		    (events & (EPOLLERR | EPOLLHUP)))
			conn_lost(c);
		else
			readable(c);
	}
	if ((events & EPOLLOUT) && c->phase != PHASE_GONE)
		conn_flush(c);
}

static void expired(struct timer *timer)
{
	struct conn *c =
		(struct conn *)((char *)timer - offsetof(struct conn, timer));

	switch (c->phase) {
	case PHASE_TCP:
	case PHASE_REQUEST:
	case PHASE_REPLY:
		if (c->reply_due) {
			conn_startup_input(c);
			conn_flush(c);
			return;
		}
		if (!c->failure &&
		    (mutant(c->initiator ? MUTANT_no_reply_timeout
					 : MUTANT_no_request_timeout) ||
		     variant(VARIANT_startup_never_times_out)))
			return;
		conn_startup_failed(c, c->failure ? "bad-frame" : "timeout");
		return;
	case PHASE_CONTROL:
		c->failure = "timeout";
		conn_final(c, CONN_ERROR);
		conn_flush_all(c);
		return;
	default:
		/* A peer that neither reads nor closes. */
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
	for (int qn = 0; qn < QUEUES; qn++)
		c->queue[qn].msn = c->tx_msn[qn] = params->first_msn;
	if (mutant(MUTANT_msn_starts_at_zero))
		memset(c->tx_msn, 0, sizeof(c->tx_msn));
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

	if (fd < 0)
		return NULL;
	c = conn_new(params, owner, notify);
	memcpy(&c->to, to, len);
	c->to_len = len;
	c->initiator = true;
	c->phase = PHASE_TCP;
	timer_arm(&c->timer, startup_timeout_ms);
	if (connect(fd, to, len) < 0 && errno != EINPROGRESS) {
		close(fd);
		conn_startup_failed(c, "refused");
		return c;
	}
	if (loop_watch(&c->watch, fd, EPOLLIN | EPOLLOUT) < 0) {
		close(fd);
		conn_startup_failed(c, "resources");
	}
	return c;
}
