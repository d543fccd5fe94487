/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half. Written octets are a row of pieces; each is sent as one
 * segment, is marked as sent, and is retransmitted with the same boundaries.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

uint32_t tcp_seq_of(const struct tcp *t, uint64_t offset)
{
	return t->c.isn + 1 + (uint32_t)offset;
}

static struct piece *piece_at(const struct tcp *t, size_t i)
{
	return &t->pieces[(t->piece_first + i) % TCP_PIECES];
}

static const uint8_t *octets_at(const struct tcp *t, uint64_t offset)
{
	return t->snd_buf + (offset - t->snd_buf_base);
}

/* The sequence number after all that was sent. */
static uint32_t snd_nxt(const struct tcp *t)
{
	if (t->state == TCP_SYN_RECEIVED)
		return t->c.isn + 1;
	return tcp_seq_of(t, t->snd_max) +
	       (t->ends.fin_out && t->snd_max == t->snd_end);
}

void tcp_send_segment(struct tcp *t, unsigned flags, uint32_t seq,
		      const uint8_t *octets, size_t n, uint64_t now)
{
	struct segment s = {
		.seq = seq, .flags = (uint8_t)flags, .octets = octets, .n = n};

	if (t->silent)
		return;
	if (flags & SEGMENT_ACK) {
		tcp_update_window(t);
		s.ack = tcp_ack_number(t);
		s.window = (uint16_t)tcp_window_field(t);
		t->ack_due = false;
		t->delayed_ack_at = 0;
	} else if (flags & SEGMENT_SYN) {
		tcp_update_window(t);
		s.window = (uint16_t)tcp_window_field(t);
	}
	if (flags & SEGMENT_SYN) {
		s.mss = (uint16_t)t->c.mss;
		s.has_scale = !t->c.no_scale;
		s.scale = t->c.scale;
	}
	s.has_timestamps = t->timestamps && !(flags & SEGMENT_RST);
	if (s.has_timestamps) {
		s.tsval = (uint32_t)(now / CLOCK_NS_PER_MS);
		s.tsecr = t->ts_recent;
	}
	t->c.emit(t->c.user, &s);
}

void tcp_send_ack(struct tcp *t, uint64_t now)
{
	tcp_send_segment(t, SEGMENT_ACK, snd_nxt(t), NULL, 0, now);
}

uint64_t tcp_unacknowledged(const struct tcp *t)
{
	return t->snd_end - t->snd_una;
}

bool tcp_in_flight(const struct tcp *t)
{
	return t->snd_una < t->snd_max ||
	       (t->ends.fin_out && !t->ends.fin_acked);
}

/* The first octets are held back: nothing after them can be acknowledged. */
static bool is_held_up(const struct tcp *t)
{
	return t->piece_count && piece_at(t, 0)->withheld;
}

/* It runs while an answer is due, and while a shut window is in the way. */
void tcp_set_timer(struct tcp *t, uint64_t now)
{
	bool waits = t->state == TCP_SYN_SENT || t->state == TCP_SYN_RECEIVED ||
		     (t->state == TCP_SYNCHRONIZED && !is_held_up(t) &&
		      (tcp_in_flight(t) || t->first_unsent < t->piece_count));

	if (!waits)
		t->rto_at = 0;
	else if (!t->rto_at)
		t->rto_at = now + t->rto;
}

static void send_piece(struct tcp *t, struct piece *p, uint64_t now)
{
	if (p->sent)
		t->retransmitted++;
	p->sent = true;
	if (t->snd_max < p->at + p->n)
		t->snd_max = p->at + p->n;
	tcp_send_segment(t, SEGMENT_ACK | SEGMENT_PSH, tcp_seq_of(t, p->at),
			 octets_at(t, p->at), p->n, now);
}

static void send_fin(struct tcp *t, uint64_t now)
{
	t->ends.fin_out = true;
	t->snd_max = t->snd_end;
	tcp_send_segment(t, SEGMENT_FIN | SEGMENT_ACK,
			 tcp_seq_of(t, t->snd_end), NULL, 0, now);
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

/* RFC 9293 s3.7.1: the most octets of a segment of ours. */
static uint32_t eff_snd_mss(const struct tcp *t)
{
	uint32_t mss =
		t->c.path_mss < t->peer_mss ? t->c.path_mss : t->peer_mss;
	uint32_t options = t->timestamps ? TCP_TIMESTAMPS_OCTETS : 0;

	return mss > options ? mss - options : 1;
}

uint32_t tcp_emss_out(const struct tcp *t)
{
	return eff_snd_mss(t);
}

void tcp_output(struct tcp *t, uint64_t now)
{
	uint64_t limit = t->snd_una + t->snd_wnd;

	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out)
		return;
	for (; t->first_unsent < t->piece_count; t->first_unsent++) {
		struct piece *p = piece_at(t, t->first_unsent);

		if (p->sent || p->withheld)
			continue;
		if (p->at + p->n > limit) {
			/* Only a window that never gets wider tears it. */
			if (p->at >= limit || p->at != t->snd_una ||
			    !split(t, t->first_unsent,
				   (uint32_t)(limit - p->at)))
				break;
			p = piece_at(t, t->first_unsent);
			t->torn++;
		}
		send_piece(t, p, now);
	}
	if (t->fin_queued && !t->ends.fin_out &&
	    t->first_unsent == t->piece_count && !tcp_withheld(t))
		send_fin(t, now);
	tcp_set_timer(t, now);
}

/* An octet of the past: the peer has to answer (RFC 9293 s3.10.7.4, first). */
static void probe(struct tcp *t, uint64_t now)
{
	tcp_send_segment(t, SEGMENT_ACK, tcp_seq_of(t, t->snd_una) - 1, NULL, 0,
			 now);
}

void tcp_retransmit(struct tcp *t, uint64_t now)
{
	if (t->state == TCP_SYN_SENT) {
		t->retransmitted++;
		tcp_send_segment(t, SEGMENT_SYN, t->c.isn, NULL, 0, now);
		return;
	}
	if (t->state == TCP_SYN_RECEIVED) {
		t->retransmitted++;
		tcp_send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL,
				 0, now);
		return;
	}
	if (is_held_up(t))
		return;
	if (t->piece_count && piece_at(t, 0)->sent) {
		t->recover = t->snd_max;
		send_piece(t, piece_at(t, 0), now);
		return;
	}
	if (t->ends.fin_out && !t->ends.fin_acked) {
		t->retransmitted++;
		send_fin(t, now);
		return;
	}
	/* Nothing but a shut window. */
	if (t->first_unsent < t->piece_count)
		probe(t, now);
}

void tcp_acknowledged(struct tcp *t, uint64_t offset, bool fin, uint64_t now)
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
		if (t->first_unsent)
			t->first_unsent--;
	}
	t->snd_una = offset;
	t->asked = false;
	t->holes = 0;
	t->ends.fin_acked |= fin;
	t->duplicate_acks = 0;
	t->retries = 0;
	t->rto = TCP_RTO_INITIAL;
	t->rto_at = 0;
	/* RFC 6582 s3.2: the next segment was lost, too. */
	if (offset < t->recover && t->piece_count && piece_at(t, 0)->sent &&
	    !piece_at(t, 0)->withheld)
		send_piece(t, piece_at(t, 0), now);
	tcp_set_timer(t, now);
}

/* --- writing ---------------------------------------- */

static size_t room(struct tcp *t)
{
	size_t used = (size_t)(t->snd_end - t->snd_una);

	/* Acknowledged octets make room once there are many. */
	if (t->snd_una - t->snd_buf_base >= TCP_SEND_QUEUE || !used) {
		memmove(t->snd_buf, octets_at(t, t->snd_una), used);
		t->snd_buf_base = t->snd_una;
	}
	return TCP_SEND_BUFFER - (size_t)(t->snd_end - t->snd_buf_base);
}

bool tcp_can_write(const struct tcp *t)
{
	return t->state == TCP_SYNCHRONIZED && t->piece_count < TCP_PIECES &&
	       t->snd_end - t->snd_una < TCP_SEND_QUEUE / 2;
}

static void append(struct tcp *t, const uint8_t *octets, size_t n)
{
	memcpy(t->snd_buf + (t->snd_end - t->snd_buf_base), octets, n);
	t->snd_end += n;
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
	uint32_t mss = eff_snd_mss(t);
	size_t taken = 0;

	assert(!t->fin_queued);
	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out)
		return 0;
	size_t left = room(t), queued = (size_t)(t->snd_end - t->snd_una);

	if (queued >= TCP_SEND_QUEUE)
		left = 0;
	else if (left > TCP_SEND_QUEUE - queued)
		left = TCP_SEND_QUEUE - queued;
	while (taken < n && left && t->piece_count < TCP_PIECES) {
		size_t k = n - taken < mss ? n - taken : mss;

		if (k > left)
			k = left;
		add_piece(t, t->snd_end, k);
		append(t, at + taken, k);
		taken += k;
		left -= k;
	}
	tcp_output(t, now);
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

/* Pieces between all the places where a segment of the plan starts or ends: a
 * segment carries a piece completely, or not at all. */
static void add_planned(struct tcp *t, const uint8_t *octets, size_t n,
			const struct link_segment *plan, size_t count)
{
	size_t at[2 * TCP_SCRIPT + 2], k = 0;
	uint64_t base = t->snd_end;

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
		p->withheld = !p->sent;
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
		tcp_send_segment(t, SEGMENT_RST | SEGMENT_ACK,
				 tcp_seq_of(t, at), NULL, 0, now);
		return;
	}
	if (p->to > p->from)
		flags |= SEGMENT_PSH;
	if (p->fin) {
		flags |= SEGMENT_FIN;
		t->fin_queued = t->ends.fin_out = true;
	}
	if (t->snd_max < base + p->to)
		t->snd_max = base + p->to;
	tcp_send_segment(t, flags, tcp_seq_of(t, at),
			 p->other ? p->other : octets_at(t, at),
			 p->to - p->from, now);
}

bool tcp_write_segments(struct tcp *t, const void *octets, size_t n,
			const struct link_segment *plan, size_t count,
			uint64_t now)
{
	uint64_t base = t->snd_end;

	t->chosen = true;
	assert(count <= TCP_SCRIPT && !t->fin_queued);
	if (t->state != TCP_SYNCHRONIZED || t->ends.reset_out ||
	    TCP_PIECES - t->piece_count < 2 * count + 1 || room(t) < n)
		return false;
	tcp_output(t, now);
	add_planned(t, octets, n, plan, count);
	for (size_t i = 0; i < count && !t->ends.reset_out; i++) {
		assert(!plan[i].fin || plan[i].to == n);
		send_planned(t, base, &plan[i], now);
	}
	tcp_output(t, now);
	return true;
}

void tcp_send_stray(struct tcp *t, uint32_t back, const void *octets, size_t n,
		    uint64_t now)
{
	t->chosen = true;
	if (t->state == TCP_SYNCHRONIZED && !t->ends.reset_out)
		tcp_send_segment(t, SEGMENT_ACK | SEGMENT_PSH,
				 snd_nxt(t) - back, octets, n, now);
}

size_t tcp_withheld(const struct tcp *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->piece_count; i++)
		if (piece_at(t, i)->withheld)
			n += piece_at(t, i)->n;
	return n;
}

void tcp_release(struct tcp *t, uint64_t now)
{
	for (size_t i = 0; i < t->piece_count; i++)
		piece_at(t, i)->withheld = false;
	t->first_unsent = 0;
	tcp_output(t, now);
}

/* --- ends ---------------------------------------- */

void tcp_fin(struct tcp *t, uint64_t now)
{
	if (t->fin_queued || t->state != TCP_SYNCHRONIZED)
		return;
	t->fin_queued = true;
	tcp_output(t, now);
}

/* RFC 5961 s3.2: only a RST with exactly the number that it expects ends the
 * peer's connection; that is where the first octet is missing. */
void tcp_reset(struct tcp *t, uint64_t now)
{
	uint32_t seq = snd_nxt(t);

	if (t->state == TCP_CLOSED || t->ends.reset_out)
		return;
	for (size_t i = 0; i < t->piece_count; i++)
		if (!piece_at(t, i)->sent) {
			seq = tcp_seq_of(t, piece_at(t, i)->at);
			break;
		}
	if (t->state == TCP_SYN_SENT)
		seq = t->c.isn + 1;
	t->ends.reset_out = true;
	tcp_send_segment(t,
			 t->state == TCP_SYN_SENT ? SEGMENT_RST
						  : SEGMENT_RST | SEGMENT_ACK,
			 seq, NULL, 0, now);
	t->state = TCP_CLOSED;
	t->rto_at = t->delayed_ack_at = 0;
	t->ack_due = false;
}

bool tcp_has_in_flight(const struct tcp *t, uint32_t seq)
{
	return seq - tcp_seq_of(t, t->snd_una) <
	       (uint32_t)(t->snd_max - t->snd_una);
}

void tcp_lower_path_mss(struct tcp *t, uint32_t mss, uint64_t now)
{
	if (mss >= t->c.path_mss || !mss)
		return;
	t->c.path_mss = mss;
	uint32_t most = eff_snd_mss(t);

	for (size_t i = 0; i < t->piece_count; i++) {
		struct piece *p = piece_at(t, i);

		if (p->n > most && !split(t, i, most))
			break;
	}
	/* Whatever was too large was not forwarded: it goes out anew. */
	for (size_t i = 0; i < t->piece_count; i++)
		piece_at(t, i)->sent = false;
	t->first_unsent = 0;
	tcp_output(t, now);
}

/* --- black holes ---------------------------------------- */

/* What a path takes that takes less than its interfaces say: the MTU that IPv6
 * guarantees, and the MSS that every TCP accepts. */
static uint32_t next_mss(const struct tcp *t)
{
	uint32_t now =
		t->c.path_mss < t->peer_mss ? t->c.path_mss : t->peer_mss;

	return now > TCP_MSS_IPV6 ? TCP_MSS_IPV6 : TCP_MSS_DEFAULT;
}

/* It follows the large segment: if both arrive, the large one's ACK is first. */
void tcp_ask_about_size(struct tcp *t, uint64_t now)
{
	const struct piece *p = piece_at(t, 0);

	t->asked = !t->chosen && t->state == TCP_SYNCHRONIZED &&
		   t->piece_count && p->sent && p->n > TCP_MSS_DEFAULT;
	if (t->asked)
		probe(t, now);
}

/* Twice: a lossy path may drop the large one of a pair, once. A peer without
 * room for it drops it itself. */
void tcp_small_arrived(struct tcp *t, uint64_t now)
{
	uint32_t mss = next_mss(t);

	t->asked = false;
	if (t->snd_wnd < piece_at(t, 0)->n || ++t->holes < TCP_HOLES)
		return;
	t->holes = 0;
	tcp_lower_path_mss(t, mss, now);
	if (t->c.narrowed)
		t->c.narrowed(t->c.user, mss);
}
