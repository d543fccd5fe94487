/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiving half: the window, and octets back into their order. It sends
 * nothing: its callers learn that an ACK is due.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

int64_t tcp_offset_of(const struct tcp *t, uint32_t seq)
{
	uint32_t expected = t->peer_isn + 1 + (uint32_t)t->rcv_nxt;

	return (int64_t)t->rcv_nxt + (int32_t)(seq - expected);
}

uint32_t tcp_ack_number(struct tcp *t)
{
	if (t->c.acks != LINK_ACKS_WITHHELD) {
		t->last_ack_sent = t->rcv_nxt;
		t->fin_in_acked = t->ends.fin_in;
	}
	return t->peer_isn + 1 + (uint32_t)t->last_ack_sent + t->fin_in_acked;
}

/* RFC 9293 s3.8.6.2.2: small steps are not announced; and an offered window is
 * not taken back, unless a case asks for that. */
void tcp_update_window(struct tcp *t)
{
	uint64_t room = t->rcv_buf_size - (t->rcv_nxt - t->rcv_read);
	uint64_t step =
		t->rcv_buf_size / 2 < t->c.mss ? t->rcv_buf_size / 2 : t->c.mss;

	if (t->window_set >= 0) {
		if (room > (uint64_t)t->window_set)
			room = (uint64_t)t->window_set;
		t->rcv_edge = t->rcv_nxt + room;
		return;
	}
	if (room > t->c.max_window)
		room = t->c.max_window;
	if (t->rcv_nxt + room >= t->rcv_edge + step || t->rcv_edge < t->rcv_nxt)
		t->rcv_edge = t->rcv_nxt + room;
}

uint32_t tcp_window_field(const struct tcp *t)
{
	uint64_t window = t->rcv_edge > t->last_ack_sent
				  ? t->rcv_edge - t->last_ack_sent
				  : 0;

	if (t->state == TCP_SYNCHRONIZED && !t->c.no_scale)
		window >>= t->c.scale;
	return window > UINT16_MAX ? UINT16_MAX : (uint32_t)window;
}

static void store(struct tcp *t, uint64_t at, const uint8_t *octets, size_t n)
{
	size_t from = (size_t)((at - t->rcv_buf_base) % t->rcv_buf_size);
	size_t part = t->rcv_buf_size - from < n ? t->rcv_buf_size - from : n;

	memcpy(t->rcv_buf + from, octets, part);
	memcpy(t->rcv_buf, octets + part, n - part);
}

/* Existing octets move: their places were those of a smaller ring. */
bool tcp_widen(struct tcp *t)
{
	size_t n = t->rcv_buf_size;
	uint8_t *old = malloc(n);

	if (!old)
		return false;
	memcpy(old, t->rcv_buf, n);
	for (size_t i = 0; i < n; i++)
		t->rcv_buf[i] = old[(t->rcv_read + i - t->rcv_buf_base) % n];
	free(old);
	t->rcv_buf_base = t->rcv_read;
	t->rcv_buf_size = TCP_RECEIVE_BUFFER;
	return true;
}

static void drop_range(struct tcp *t, size_t i)
{
	t->out_of_order_count--;
	memmove(&t->out_of_order[i], &t->out_of_order[i + 1],
		(t->out_of_order_count - i) * sizeof(t->out_of_order[0]));
}

/* Remember that [from, to) is there. False: too many holes; it is not. */
static bool add_range(struct tcp *t, uint64_t from, uint64_t to)
{
	size_t i = 0;

	while (i < t->out_of_order_count && t->out_of_order[i].to < from)
		i++;
	while (i < t->out_of_order_count && t->out_of_order[i].from <= to) {
		if (t->out_of_order[i].from < from)
			from = t->out_of_order[i].from;
		if (t->out_of_order[i].to > to)
			to = t->out_of_order[i].to;
		drop_range(t, i);
	}
	if (t->out_of_order_count == TCP_OUT_OF_ORDER)
		return false;
	memmove(&t->out_of_order[i + 1], &t->out_of_order[i],
		(t->out_of_order_count - i) * sizeof(t->out_of_order[0]));
	t->out_of_order[i] = (struct range){from, to};
	t->out_of_order_count++;
	return true;
}

/* What closes up with the octets in order. */
static void advance(struct tcp *t)
{
	while (t->out_of_order_count && t->out_of_order[0].from <= t->rcv_nxt) {
		if (t->out_of_order[0].to > t->rcv_nxt)
			t->rcv_nxt = t->out_of_order[0].to;
		drop_range(t, 0);
	}
	if (t->fin_known && t->rcv_nxt == t->fin_at)
		t->ends.fin_in = true;
}

bool tcp_receive(struct tcp *t, int64_t at, const uint8_t *octets, size_t n,
		 bool fin, uint64_t now)
{
	int64_t end = at + (int64_t)n;
	bool in_order = at <= (int64_t)t->rcv_nxt && end >= (int64_t)t->rcv_nxt;

	/* A FIN stays at its first place. */
	if (fin && !t->fin_known && end >= (int64_t)t->rcv_nxt &&
	    end <= (int64_t)t->rcv_edge) {
		t->fin_known = true;
		t->fin_at = (uint64_t)end;
	}
	int64_t from = at < (int64_t)t->rcv_nxt ? (int64_t)t->rcv_nxt : at;
	int64_t to = end < (int64_t)t->rcv_edge ? end : (int64_t)t->rcv_edge;

	if (t->fin_known && to > (int64_t)t->fin_at)
		to = (int64_t)t->fin_at;
	if (to > from && from == (int64_t)t->rcv_nxt &&
	    !t->out_of_order_count) {
		store(t, (uint64_t)from, octets + (from - at),
		      (size_t)(to - from));
		t->rcv_nxt = (uint64_t)to;
	} else if (to > from && add_range(t, (uint64_t)from, (uint64_t)to)) {
		store(t, (uint64_t)from, octets + (from - at),
		      (size_t)(to - from));
	}
	advance(t);
	t->beyond += n && at > (int64_t)t->rcv_nxt;
	t->ack_due = true;
	if (t->c.acks == LINK_ACKS_DELAYED && in_order && !t->ends.fin_in &&
	    !t->delayed_ack_at)
		t->delayed_ack_at = now + TCP_ACK_DELAY;
	return !in_order; /* the sender has to hear of a hole */
}

size_t tcp_readable(const struct tcp *t)
{
	return (size_t)(t->rcv_nxt - t->rcv_read);
}

size_t tcp_read(struct tcp *t, void *octets, size_t cap)
{
	size_t n = tcp_readable(t);
	uint64_t edge = t->rcv_edge;
	uint8_t *to = octets;

	if (n > cap)
		n = cap;
	if (!n)
		return 0;
	size_t from =
		(size_t)((t->rcv_read - t->rcv_buf_base) % t->rcv_buf_size);
	size_t part = t->rcv_buf_size - from < n ? t->rcv_buf_size - from : n;

	memcpy(to, t->rcv_buf + from, part);
	memcpy(to + part, t->rcv_buf, n - part);
	t->rcv_read += n;
	/* Empty, it starts anew: no more of it is used than is unread. */
	if (t->rcv_read == t->rcv_nxt && !t->out_of_order_count)
		t->rcv_buf_base = t->rcv_nxt;
	/* A sender that has stopped at the window's end has to hear of it. */
	tcp_update_window(t);
	if (t->rcv_edge != edge && edge - t->rcv_nxt < t->c.mss)
		t->ack_due = true;
	return n;
}

void tcp_note_arrival(struct tcp *t, int64_t at, size_t n)
{
	size_t emss = tcp_emss_in(t);

	while (n && at >= 0) {
		size_t k = emss && n > emss ? emss : n;

		t->arrival[t->arrivals++ % TCP_ARRIVALS] =
			(struct link_segment){.from = (size_t)at,
					      .to = (size_t)at + k};
		at += (int64_t)k;
		n -= k;
	}
}

size_t tcp_arrivals(const struct tcp *t, struct link_segment *out, size_t cap)
{
	uint64_t i =
		t->arrivals < TCP_ARRIVALS ? 0 : t->arrivals - TCP_ARRIVALS;
	size_t n = 0;

	while (i < t->arrivals && n < cap)
		out[n++] = t->arrival[i++ % TCP_ARRIVALS];
	return n;
}

void tcp_lose(struct tcp *t, unsigned n)
{
	t->to_lose = n;
	t->chosen = true;
}

uint32_t tcp_lower_peer_mss(struct tcp *t, uint32_t mss)
{
	t->chosen = true;
	if (t->c.mss > mss)
		t->c.mss = mss;
	/* It has not been acknowledged, so it is in flight. */
	return t->peer_isn + 1 + (uint32_t)t->last_ack_sent;
}

uint32_t tcp_mss_in(const struct tcp *t)
{
	return t->c.mss;
}

uint32_t tcp_emss_in(const struct tcp *t)
{
	uint32_t options = t->timestamps ? TCP_TIMESTAMPS_OCTETS : 0;

	return t->c.mss > options ? t->c.mss - options : 0;
}
