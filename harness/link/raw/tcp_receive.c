/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving half: the window, and octets back into their order. */
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

int64_t receive_offset(const struct tcp *t, uint32_t seq)
{
	uint32_t expected = t->peer_isn + 1 + (uint32_t)t->next;

	return (int64_t)t->next + (int32_t)(seq - expected);
}

uint32_t receive_ack(struct tcp *t)
{
	if (t->c.acks != LINK_ACKS_WITHHELD) {
		t->told = t->next;
		t->told_fin = t->ends.fin_in;
	}
	return t->peer_isn + 1 + (uint32_t)t->told + t->told_fin;
}

/* RFC 9293 s3.8.6.2.2: small steps are not told; and what was offered is not
 * taken back, unless a case asks for just that. */
void receive_window(struct tcp *t)
{
	uint64_t room = t->in_cap - (t->next - t->read);
	uint64_t step = t->in_cap / 2 < t->c.mss ? t->in_cap / 2 : t->c.mss;

	if (t->window_set >= 0) {
		if (room > (uint64_t)t->window_set)
			room = (uint64_t)t->window_set;
		t->edge = t->next + room;
		return;
	}
	if (room > t->c.window)
		room = t->c.window;
	if (t->next + room >= t->edge + step || t->edge < t->next)
		t->edge = t->next + room;
}

uint32_t receive_window_field(const struct tcp *t)
{
	uint64_t window = t->edge > t->told ? t->edge - t->told : 0;

	if (t->state == TCP_SYNCHRONIZED && !t->c.no_scale)
		window >>= t->c.scale;
	return window > UINT16_MAX ? UINT16_MAX : (uint32_t)window;
}

static void store(struct tcp *t, uint64_t at, const uint8_t *octets, size_t n)
{
	size_t from = (size_t)((at - t->in_from) % t->in_cap);
	size_t part = t->in_cap - from < n ? t->in_cap - from : n;

	memcpy(t->in + from, octets, part);
	memcpy(t->in, octets + part, n - part);
}

static void drop_range(struct tcp *t, size_t i)
{
	t->ranges--;
	memmove(&t->range[i], &t->range[i + 1],
		(t->ranges - i) * sizeof(t->range[0]));
}

/* Remember that [from, to) is there. False: too many holes; it is not. */
static bool add_range(struct tcp *t, uint64_t from, uint64_t to)
{
	size_t i = 0;

	while (i < t->ranges && t->range[i].to < from)
		i++;
	while (i < t->ranges && t->range[i].from <= to) {
		if (t->range[i].from < from)
			from = t->range[i].from;
		if (t->range[i].to > to)
			to = t->range[i].to;
		drop_range(t, i);
	}
	if (t->ranges == TCP_RANGES)
		return false;
	memmove(&t->range[i + 1], &t->range[i],
		(t->ranges - i) * sizeof(t->range[0]));
	t->range[i] = (struct range){from, to};
	t->ranges++;
	return true;
}

/* What closes up with the octets in order. */
static void advance(struct tcp *t)
{
	while (t->ranges && t->range[0].from <= t->next) {
		if (t->range[0].to > t->next)
			t->next = t->range[0].to;
		drop_range(t, 0);
	}
	if (t->fin_known && t->next == t->fin_at)
		t->ends.fin_in = true;
}

void receive_octets(struct tcp *t, int64_t at, const uint8_t *octets, size_t n,
		    bool fin, uint64_t now)
{
	int64_t end = at + (int64_t)n;
	bool in_order = at <= (int64_t)t->next && end >= (int64_t)t->next;

	/* A FIN stays where it first was. */
	if (fin && !t->fin_known && end >= (int64_t)t->next &&
	    end <= (int64_t)t->edge) {
		t->fin_known = true;
		t->fin_at = (uint64_t)end;
	}
	int64_t from = at < (int64_t)t->next ? (int64_t)t->next : at;
	int64_t to = end < (int64_t)t->edge ? end : (int64_t)t->edge;

	if (t->fin_known && to > (int64_t)t->fin_at)
		to = (int64_t)t->fin_at;
	if (to > from && from == (int64_t)t->next && !t->ranges) {
		store(t, (uint64_t)from, octets + (from - at),
		      (size_t)(to - from));
		t->next = (uint64_t)to;
	} else if (to > from && add_range(t, (uint64_t)from, (uint64_t)to)) {
		store(t, (uint64_t)from, octets + (from - at),
		      (size_t)(to - from));
	}
	advance(t);
	t->ack_due = true;
	if (t->c.acks == LINK_ACKS_DELAYED && in_order && !t->ends.fin_in) {
		if (!t->ack_at)
			t->ack_at = now + TCP_ACK_DELAY;
	} else if (!in_order) {
		send_ack(t, now); /* it tells the sender of a hole */
	}
}

size_t tcp_readable(const struct tcp *t)
{
	return (size_t)(t->next - t->read);
}

size_t tcp_read(struct tcp *t, void *octets, size_t cap)
{
	size_t n = tcp_readable(t);
	uint64_t edge = t->edge;
	uint8_t *to = octets;

	if (n > cap)
		n = cap;
	if (!n)
		return 0;
	size_t from = (size_t)((t->read - t->in_from) % t->in_cap);
	size_t part = t->in_cap - from < n ? t->in_cap - from : n;

	memcpy(to, t->in + from, part);
	memcpy(to + part, t->in, n - part);
	t->read += n;
	/* Empty, it starts anew: no more of it is used than is unread. */
	if (t->read == t->next && !t->ranges)
		t->in_from = t->next;
	/* A sender that has stopped at the window's end has to be told. */
	receive_window(t);
	if (t->edge != edge && edge - t->next < t->c.mss)
		t->ack_due = true;
	return n;
}

void tcp_set_acks(struct tcp *t, enum link_acks acks, uint64_t now)
{
	t->c.acks = acks;
	t->ack_at = 0;
	if (t->state == TCP_SYNCHRONIZED && acks == LINK_ACKS_AT_ONCE &&
	    (t->told != t->next || t->told_fin != t->ends.fin_in))
		send_ack(t, now);
}

void tcp_set_window(struct tcp *t, long octets, uint64_t now)
{
	t->window_set = octets;
	if (octets < 0)
		t->edge = t->next;
	receive_window(t);
	if (t->state == TCP_SYNCHRONIZED)
		send_ack(t, now);
}

void receive_arrival(struct tcp *t, int64_t at, size_t n)
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
	t->losing = n;
}

uint32_t tcp_narrow_in(struct tcp *t, uint32_t most)
{
	if (t->c.mss > most)
		t->c.mss = most;
	/* It has not been acknowledged, so it is in flight. */
	return t->peer_isn + 1 + (uint32_t)t->told;
}

uint32_t tcp_mss_in(const struct tcp *t)
{
	return t->c.mss;
}

uint32_t tcp_emss_in(const struct tcp *t)
{
	uint32_t options = t->times ? TCP_TIMES_OCTETS : 0;

	return t->c.mss > options ? t->c.mss - options : 0;
}
