/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half. What was written is a row of pieces; each goes out as
 * one segment, is marked as sent, and goes out again alike if need be.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

uint32_t send_seq(const struct tcp *t, uint64_t offset)
{
	return t->c.isn + 1 + (uint32_t)offset;
}

static struct piece *piece_at(const struct tcp *t, size_t i)
{
	return &t->pieces[(t->piece_first + i) % TCP_PIECES];
}

static const uint8_t *octets_at(const struct tcp *t, uint64_t offset)
{
	return t->out + (offset - t->out_base);
}

/* The sequence number after all that was sent. */
static uint32_t seq_after(const struct tcp *t)
{
	if (t->state == TCP_SYN_RECEIVED)
		return t->c.isn + 1;
	return send_seq(t, t->highest) +
	       (t->ends.fin_out && t->highest == t->end);
}

void send_segment(struct tcp *t, unsigned flags, uint32_t seq,
		  const uint8_t *octets, size_t n, uint64_t now)
{
	struct segment s = {
		.seq = seq, .flags = (uint8_t)flags, .octets = octets, .n = n};

	if (t->silent)
		return;
	if (flags & SEGMENT_ACK) {
		receive_window(t);
		s.ack = receive_ack(t);
		s.window = (uint16_t)receive_window_field(t);
		t->ack_due = false;
		t->ack_at = 0;
	} else if (flags & SEGMENT_SYN) {
		receive_window(t);
		s.window = (uint16_t)receive_window_field(t);
	}
	if (flags & SEGMENT_SYN) {
		s.mss = (uint16_t)t->c.mss;
		s.has_scale = !t->c.no_scale;
		s.scale = t->c.scale;
	}
	s.has_times = t->times && !(flags & SEGMENT_RST);
	if (s.has_times) {
		s.time = (uint32_t)(now / CLOCK_NS_PER_MS);
		s.echo = t->peer_time;
	}
	t->c.emit(t->c.user, &s);
}

void send_ack(struct tcp *t, uint64_t now)
{
	send_segment(t, SEGMENT_ACK, seq_after(t), NULL, 0, now);
}

bool send_in_flight(const struct tcp *t)
{
	return t->una < t->highest || (t->ends.fin_out && !t->ends.fin_acked);
}

/* What comes first is kept back: nothing behind it can be acknowledged. */
static bool is_held_up(const struct tcp *t)
{
	return t->piece_count && piece_at(t, 0)->held;
}

/* It runs while an answer is due, and while a shut window is in the way. */
void send_timer(struct tcp *t, uint64_t now)
{
	bool waits = t->state == TCP_SYN_SENT || t->state == TCP_SYN_RECEIVED ||
		     (t->state == TCP_SYNCHRONIZED && !is_held_up(t) &&
		      (send_in_flight(t) || t->unsent < t->piece_count));

	if (!waits)
		t->rto_at = 0;
	else if (!t->rto_at)
		t->rto_at = now + t->rto;
}

static void send_piece(struct tcp *t, struct piece *p, uint64_t now)
{
	if (p->sent)
		t->again++;
	p->sent = true;
	if (t->highest < p->at + p->n)
		t->highest = p->at + p->n;
	send_segment(t, SEGMENT_ACK | SEGMENT_PSH, send_seq(t, p->at),
		     octets_at(t, p->at), p->n, now);
}

static void send_fin(struct tcp *t, uint64_t now)
{
	t->ends.fin_out = true;
	t->highest = t->end;
	send_segment(t, SEGMENT_FIN | SEGMENT_ACK, send_seq(t, t->end), NULL, 0,
		     now);
}

/* Piece i becomes two, the first with n octets. False: no room. */
static bool split(struct tcp *t, size_t i, uint32_t n)
{
	if (t->piece_count == TCP_PIECES)
		return false;
	for (size_t k = t->piece_count; k > i; k--)
		*piece_at(t, k) = *piece_at(t, k - 1);
	t->piece_count++;
	piece_at(t, i)->n = n;
	piece_at(t, i + 1)->at += n;
	piece_at(t, i + 1)->n -= n;
	return true;
}

/* The most octets of a segment with data. */
static uint32_t emss_out(const struct tcp *t)
{
	uint32_t most = t->c.most < t->peer_mss ? t->c.most : t->peer_mss;
	uint32_t options = t->times ? TCP_TIMES_OCTETS : 0;

	return most > options ? most - options : 1;
}

void send_more(struct tcp *t, uint64_t now)
{
	uint64_t limit = t->una + t->peer_window;

	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out)
		return;
	for (; t->unsent < t->piece_count; t->unsent++) {
		struct piece *p = piece_at(t, t->unsent);

		if (p->sent || p->held)
			continue;
		if (p->at + p->n > limit) {
			/* Only a window that never gets wider tears it. */
			if (p->at >= limit || p->at != t->una ||
			    !split(t, t->unsent, (uint32_t)(limit - p->at)))
				break;
			p = piece_at(t, t->unsent);
			t->torn++;
		}
		send_piece(t, p, now);
	}
	if (t->fin_asked && !t->ends.fin_out && t->unsent == t->piece_count &&
	    !tcp_withheld(t))
		send_fin(t, now);
	send_timer(t, now);
}

/* What the peer has not acknowledged first. */
void send_again(struct tcp *t, uint64_t now)
{
	if (t->state == TCP_SYN_SENT) {
		t->again++;
		send_segment(t, SEGMENT_SYN, t->c.isn, NULL, 0, now);
		return;
	}
	if (t->state == TCP_SYN_RECEIVED) {
		t->again++;
		send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL, 0,
			     now);
		return;
	}
	if (is_held_up(t))
		return;
	if (t->piece_count && piece_at(t, 0)->sent) {
		send_piece(t, piece_at(t, 0), now);
		return;
	}
	if (t->ends.fin_out && !t->ends.fin_acked) {
		t->again++;
		send_fin(t, now);
		return;
	}
	/* Nothing but a shut window: an octet of the past asks how it is. */
	if (t->unsent < t->piece_count)
		send_segment(t, SEGMENT_ACK, send_seq(t, t->una) - 1, NULL, 0,
			     now);
}

void send_acked(struct tcp *t, uint64_t offset, bool fin, uint64_t now)
{
	while (t->piece_count) {
		struct piece *p = piece_at(t, 0);

		if (p->at >= offset)
			break;
		if (p->at + p->n > offset) {
			p->n -= (uint32_t)(offset - p->at);
			p->at = offset;
			break;
		}
		t->piece_first = (t->piece_first + 1) % TCP_PIECES;
		t->piece_count--;
		if (t->unsent)
			t->unsent--;
	}
	t->una = offset;
	t->ends.fin_acked |= fin;
	t->duplicates = 0;
	t->tries = 0;
	t->rto = TCP_RTO_FIRST;
	t->rto_at = 0;
	send_timer(t, now);
}

/* --- writing ---------------------------------------- */

static size_t room(struct tcp *t)
{
	size_t used = (size_t)(t->end - t->una);

	/* What was acknowledged makes room once there is much of it. */
	if (t->una - t->out_base >= TCP_SEND_QUEUE || !used) {
		memmove(t->out, octets_at(t, t->una), used);
		t->out_base = t->una;
	}
	return TCP_SEND_BUFFER - (size_t)(t->end - t->out_base);
}

bool tcp_can_write(const struct tcp *t)
{
	return t->state == TCP_SYNCHRONIZED && t->piece_count < TCP_PIECES &&
	       t->end - t->una < TCP_SEND_QUEUE / 2;
}

static void append(struct tcp *t, const uint8_t *octets, size_t n)
{
	memcpy(t->out + (t->end - t->out_base), octets, n);
	t->end += n;
}

static struct piece *add_piece(struct tcp *t, uint64_t at, size_t n)
{
	struct piece *p = piece_at(t, t->piece_count++);

	*p = (struct piece){.at = at, .n = (uint32_t)n};
	return p;
}

size_t tcp_write(struct tcp *t, const void *octets, size_t n, uint64_t now)
{
	const uint8_t *at = octets;
	uint32_t most = emss_out(t);
	size_t taken = 0;

	assert(!t->fin_asked);
	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out)
		return 0;
	size_t left = room(t), queued = (size_t)(t->end - t->una);

	if (queued >= TCP_SEND_QUEUE)
		left = 0;
	else if (left > TCP_SEND_QUEUE - queued)
		left = TCP_SEND_QUEUE - queued;
	while (taken < n && left && t->piece_count < TCP_PIECES) {
		size_t k = n - taken < most ? n - taken : most;

		if (k > left)
			k = left;
		add_piece(t, t->end, k);
		append(t, at + taken, k);
		taken += k;
		left -= k;
	}
	send_more(t, now);
	return taken;
}

/* --- the script ---------------------------------------- */

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_carried(const struct link_segment *plan, size_t count,
		       size_t from, size_t to)
{
	for (size_t i = 0; i < count; i++)
		if (!plan[i].rst && plan[i].from <= from && to <= plan[i].to)
			return true;
	return false;
}

/* Pieces between all the places where a segment of the plan starts or ends:
 * each is carried by a segment as a whole, or not at all. */
static void add_planned(struct tcp *t, const uint8_t *octets, size_t n,
			const struct link_segment *plan, size_t count)
{
	size_t at[2 * TCP_SCRIPT + 2], k = 0;
	uint64_t base = t->end;

	for (size_t i = 0; i < count; i++) {
		at[k++] = plan[i].from;
		if (plan[i].rst)
			continue;
		assert(plan[i].from <= plan[i].to && plan[i].to <= n);
		at[k++] = plan[i].to;
	}
	at[k++] = 0;
	at[k++] = n;
	qsort(at, k, sizeof(at[0]), by_size);
	for (size_t i = 0; i + 1 < k; i++) {
		if (at[i] == at[i + 1])
			continue;
		struct piece *p = add_piece(t, base + at[i], at[i + 1] - at[i]);

		p->sent = is_carried(plan, count, at[i], at[i + 1]);
		p->held = !p->sent;
	}
	append(t, octets, n);
}

static void send_planned(struct tcp *t, uint64_t base,
			 const struct link_segment *p, uint64_t now)
{
	unsigned flags = SEGMENT_ACK;
	uint64_t at = base + p->from;

	if (p->rst) {
		t->ends.reset_out = true;
		t->rto_at = 0;
		send_segment(t, SEGMENT_RST | SEGMENT_ACK, send_seq(t, at),
			     NULL, 0, now);
		return;
	}
	if (p->to > p->from)
		flags |= SEGMENT_PSH;
	if (p->fin) {
		flags |= SEGMENT_FIN;
		t->fin_asked = t->ends.fin_out = true;
	}
	if (t->highest < base + p->to)
		t->highest = base + p->to;
	send_segment(t, flags, send_seq(t, at),
		     p->other ? p->other : octets_at(t, at), p->to - p->from,
		     now);
}

bool tcp_write_segments(struct tcp *t, const void *octets, size_t n,
			const struct link_segment *plan, size_t count,
			uint64_t now)
{
	uint64_t base = t->end;

	assert(count <= TCP_SCRIPT && !t->fin_asked);
	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out ||
	    TCP_PIECES - t->piece_count < 2 * count + 1 || room(t) < n)
		return false;
	send_more(t, now);
	add_planned(t, octets, n, plan, count);
	for (size_t i = 0; i < count && !t->ends.reset_out; i++) {
		assert(!plan[i].fin || plan[i].to == n);
		send_planned(t, base, &plan[i], now);
	}
	send_more(t, now);
	return true;
}

void tcp_send_stray(struct tcp *t, uint32_t back, const void *octets, size_t n,
		    uint64_t now)
{
	if (t->state == TCP_SYNCHRONIZED && !t->ends.reset_out)
		send_segment(t, SEGMENT_ACK | SEGMENT_PSH, seq_after(t) - back,
			     octets, n, now);
}

size_t tcp_withheld(const struct tcp *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->piece_count; i++)
		if (piece_at(t, i)->held)
			n += piece_at(t, i)->n;
	return n;
}

void tcp_release(struct tcp *t, uint64_t now)
{
	for (size_t i = 0; i < t->piece_count; i++)
		piece_at(t, i)->held = false;
	t->unsent = 0;
	send_more(t, now);
}

/* --- ends ---------------------------------------- */

void tcp_fin(struct tcp *t, uint64_t now)
{
	if (t->fin_asked || t->state != TCP_SYNCHRONIZED)
		return;
	t->fin_asked = true;
	send_more(t, now);
}

/* RFC 5961 s3.2: only a RST with the very number it expects ends the peer's
 * connection; that is where the first octet is missing. */
void tcp_reset(struct tcp *t, uint64_t now)
{
	uint32_t seq = seq_after(t);

	if (t->state == TCP_CLOSED || t->ends.reset_out)
		return;
	for (size_t i = 0; i < t->piece_count; i++)
		if (!piece_at(t, i)->sent) {
			seq = send_seq(t, piece_at(t, i)->at);
			break;
		}
	if (t->state == TCP_SYN_SENT)
		seq = t->c.isn + 1;
	t->ends.reset_out = true;
	send_segment(t,
		     t->state == TCP_SYN_SENT ? SEGMENT_RST
					      : SEGMENT_RST | SEGMENT_ACK,
		     seq, NULL, 0, now);
	t->state = TCP_CLOSED;
	t->rto_at = t->ack_at = 0;
	t->ack_due = false;
}

void tcp_path_mtu(struct tcp *t, uint32_t most, uint64_t now)
{
	if (most >= t->c.most || !most)
		return;
	t->c.most = most;
	uint32_t emss = emss_out(t);

	for (size_t i = 0; i < t->piece_count; i++) {
		struct piece *p = piece_at(t, i);

		if (p->n > emss && !split(t, i, emss))
			break;
	}
	/* Whatever was too large was not forwarded: it goes out anew. */
	for (size_t i = 0; i < t->piece_count; i++)
		piece_at(t, i)->sent = false;
	t->unsent = 0;
	send_more(t, now);
}
