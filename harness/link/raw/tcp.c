/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, input, the offered window, and time. */
#include "harness/link/raw/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

enum { TCP_DUPLICATES = 3, TCP_SCALE_MAX = 14 };

struct tcp *tcp_new(void)
{
	struct tcp *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->snd_buf = malloc(TCP_SEND_BUFFER);
	t->rcv_buf = malloc(TCP_RECEIVE_BUFFER);
	t->pieces = malloc(TCP_PIECES * sizeof(*t->pieces));
	if (t->snd_buf && t->rcv_buf && t->pieces)
		return t;
	tcp_free(t);
	return NULL;
}

void tcp_free(struct tcp *t)
{
	if (!t)
		return;
	free(t->snd_buf);
	free(t->rcv_buf);
	free(t->pieces);
	free(t);
}

static void start(struct tcp *t, const struct tcp_config *c)
{
	*t = (struct tcp){.c = *c,
			  .snd_buf = t->snd_buf,
			  .rcv_buf = t->rcv_buf,
			  .pieces = t->pieces,
			  .rcv_buf_size = TCP_RECEIVE_BUFFER,
			  .peer_mss = TCP_MSS_DEFAULT,
			  .timestamps = c->timestamps,
			  .window_set = -1,
			  .chosen = c->acks == LINK_ACKS_WITHHELD,
			  .rto = TCP_RTO_INITIAL};
	if (c->rcvbuf && c->rcvbuf < TCP_RECEIVE_BUFFER)
		t->rcv_buf_size = c->rcvbuf;
	if (t->c.scale > TCP_SCALE_MAX)
		t->c.scale = TCP_SCALE_MAX;
}

/* The options of a SYN. An option that one side leaves out is used by
 * neither. */
static void take_syn(struct tcp *t, const struct segment *s)
{
	t->peer_isn = s->seq;
	if (s->mss)
		t->peer_mss = s->mss;
	if (s->has_scale && !t->c.no_scale)
		t->peer_scale =
			s->scale > TCP_SCALE_MAX ? TCP_SCALE_MAX : s->scale;
	else
		t->c.no_scale = true;
	t->timestamps = t->timestamps && s->has_timestamps;
	t->ts_recent = s->tsval;
	t->snd_wnd = s->window; /* never scaled in a SYN */
	t->snd_wl1 = s->seq;
	t->snd_wl2 = s->ack;
}

void tcp_open(struct tcp *t, const struct tcp_config *c, uint64_t now)
{
	start(t, c);
	t->state = TCP_SYN_SENT;
	tcp_send_segment(t, SEGMENT_SYN, t->c.isn, NULL, 0, now);
	tcp_set_timer(t, now);
}

void tcp_accept(struct tcp *t, const struct tcp_config *c,
		const struct segment *syn, uint64_t now)
{
	start(t, c);
	take_syn(t, syn);
	t->state = TCP_SYN_RECEIVED;
	tcp_send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL, 0, now);
	tcp_set_timer(t, now);
}

enum tcp_state tcp_state(const struct tcp *t)
{
	return t->state;
}

struct tcp_ends tcp_ends(const struct tcp *t)
{
	return t->ends;
}

uint64_t tcp_retransmitted(const struct tcp *t)
{
	return t->retransmitted;
}

uint64_t tcp_torn(const struct tcp *t)
{
	return t->torn;
}

uint64_t tcp_lost(const struct tcp *t)
{
	return t->chosen ? 0 : t->retransmitted + t->beyond;
}

/* --- input ------------------------------------------------ */

/* RFC 9293 s3.10.7.1: what belongs to no connection gets a RST. */
static void refuse(struct tcp *t, const struct segment *s)
{
	struct segment r = {.seq = s->ack, .flags = SEGMENT_RST};

	if (!(s->flags & SEGMENT_RST))
		t->c.emit(t->c.user, &r);
}

/* RFC 9293 s3.10.7.3 */
static void input_syn_sent(struct tcp *t, const struct segment *s, uint64_t now)
{
	bool acks = s->flags & SEGMENT_ACK;

	if (acks && s->ack != t->c.isn + 1) {
		refuse(t, s);
		return;
	}
	if (s->flags & SEGMENT_RST) {
		if (acks) {
			t->ends.refused = true;
			t->state = TCP_CLOSED;
			t->rto_at = 0;
		}
		return;
	}
	if (!(s->flags & SEGMENT_SYN))
		return;
	if (acks && s->seq < t->c.peer_isn_least) {
		refuse(t, s);
		t->ends.unwanted = true;
		t->state = TCP_CLOSED;
		t->rto_at = 0;
		return;
	}
	take_syn(t, s);
	t->rto_at = 0;
	t->retries = 0;
	t->rto = TCP_RTO_INITIAL;
	if (!acks) { /* both at once */
		t->state = TCP_SYN_RECEIVED;
		tcp_send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL,
				 0, now);
		tcp_set_timer(t, now);
		return;
	}
	t->state = TCP_SYNCHRONIZED;
	t->ends.opened = true;
	tcp_send_ack(t, now);
}

/* RFC 9293 s3.10.7.4, first: does it touch the window? */
static bool is_acceptable(const struct tcp *t, const struct segment *s,
			  int64_t at)
{
	int64_t next = (int64_t)t->rcv_nxt, edge = (int64_t)t->rcv_edge;
	int64_t n = (int64_t)s->n + !!(s->flags & SEGMENT_FIN);

	/* The FIN took a number, and nothing can follow it. */
	if (t->ends.fin_in)
		return n == 0 && at >= next && at <= next + 1;
	if (n == 0)
		return at == next || (at > next && at < edge);
	return edge > next ? at < edge && at + n > next : false;
}

/* RFC 7323 s5.3: older than the data that has already arrived. */
static bool is_old(const struct tcp *t, const struct segment *s)
{
	return t->timestamps && s->has_timestamps &&
	       !(s->flags & SEGMENT_RST) && seq_before(s->tsval, t->ts_recent);
}

static void take_window(struct tcp *t, const struct segment *s)
{
	if (!seq_before(t->snd_wl1, s->seq) &&
	    (t->snd_wl1 != s->seq || seq_before(s->ack, t->snd_wl2)))
		return;
	t->snd_wnd = (uint32_t)s->window << t->peer_scale;
	t->snd_wl1 = s->seq;
	t->snd_wl2 = s->ack;
}

/* False: it acknowledges octets that were never sent; or octets that are longer
 * gone than any segment still on its way, as only a guess does (RFC 5961 s5.2,
 * where a window is what is here the most that can be in flight). */
static bool take_ack(struct tcp *t, const struct segment *s, uint64_t now)
{
	uint64_t sent = t->snd_max + t->ends.fin_out;
	int64_t at = (int64_t)t->snd_una +
		     (int32_t)(s->ack - tcp_seq_of(t, t->snd_una));

	if (at > (int64_t)sent || at + TCP_SEND_BUFFER < (int64_t)t->snd_una)
		return false;
	if (at < (int64_t)t->snd_una)
		return true;
	t->retries = 0; /* it is there, if only with a shut window */
	bool fin = t->ends.fin_out && at == (int64_t)t->snd_end + 1;
	uint64_t offset = fin ? t->snd_end : (uint64_t)at;

	if (offset > t->snd_una || (fin && !t->ends.fin_acked)) {
		take_window(t, s);
		tcp_acknowledged(t, offset, fin, now);
		return true;
	}
	bool same = (uint32_t)s->window << t->peer_scale == t->snd_wnd;

	take_window(t, s);
	if (s->n == 0 && t->asked)
		tcp_small_arrived(t, now);
	if (s->n == 0 && same && tcp_in_flight(t) &&
	    !(s->flags & SEGMENT_FIN) && ++t->duplicate_acks == TCP_DUPLICATES)
		tcp_retransmit(t, now);
	return true;
}

static void synchronized(struct tcp *t, const struct segment *s)
{
	bool syn = s->flags & SEGMENT_SYN;

	t->state = TCP_SYNCHRONIZED;
	t->ends.opened = true;
	t->snd_wnd = (uint32_t)s->window << (syn ? 0 : t->peer_scale);
	t->retries = 0;
	t->rto_at = 0;
	t->rto = TCP_RTO_INITIAL;
}

/* Our ACK of its SYN, or of its SYN and ACK, got lost. */
static void input_syn_again(struct tcp *t, const struct segment *s,
			    uint64_t now)
{
	bool answered = s->flags & SEGMENT_ACK && s->ack == t->c.isn + 1;

	if (t->state == TCP_SYN_RECEIVED && answered)
		synchronized(t, s);
	if (t->state == TCP_SYN_RECEIVED)
		tcp_retransmit(t, now);
	else
		tcp_send_ack(t, now);
}

/* RFC 5961 s3.2: what might be forged is asked about. */
static void input_reset(struct tcp *t, int64_t at, uint64_t now)
{
	if (at != (int64_t)t->rcv_nxt + t->ends.fin_in &&
	    at != (int64_t)t->rcv_nxt) {
		tcp_send_ack(t, now);
		return;
	}
	t->ends.reset_in = true;
	t->state = TCP_CLOSED;
	t->rto_at = t->delayed_ack_at = 0;
	t->ack_due = false;
}

static void input_synchronized(struct tcp *t, const struct segment *s,
			       uint64_t now)
{
	int64_t at = tcp_offset_of(t, s->seq);
	bool text = true;

	if (s->n && t->to_lose) {
		t->to_lose--;
		return;
	}
	tcp_note_arrival(t, at, s->n);
	if (s->flags & SEGMENT_SYN && s->seq == t->peer_isn && !s->n) {
		input_syn_again(t, s, now);
		return;
	}
	if (!is_acceptable(t, s, at) || is_old(t, s)) {
		if (s->flags & SEGMENT_RST)
			return;
		tcp_send_ack(t, now);
		/* At a shut window its ACK still counts. */
		if (at != (int64_t)t->rcv_nxt || is_old(t, s))
			return;
		text = false;
	}
	if (s->flags & SEGMENT_RST) {
		input_reset(t, at, now);
		return;
	}
	/* RFC 5961 s4.2: so is this. */
	if (s->flags & SEGMENT_SYN) {
		tcp_send_ack(t, now);
		return;
	}
	if (!(s->flags & SEGMENT_ACK))
		return;
	if (t->state == TCP_SYN_RECEIVED) {
		if (s->ack != t->c.isn + 1) {
			refuse(t, s);
			return;
		}
		synchronized(t, s);
	}
	if (s->has_timestamps && at <= (int64_t)t->last_ack_sent)
		t->ts_recent = s->tsval;
	if (!take_ack(t, s, now)) {
		tcp_send_ack(t, now);
		return;
	}
	if (text && (s->n || s->flags & SEGMENT_FIN) &&
	    tcp_receive(t, at, s->octets, s->n, s->flags & SEGMENT_FIN, now))
		tcp_send_ack(t, now);
	tcp_output(t, now);
}

void tcp_fall_silent(struct tcp *t)
{
	t->silent = t->chosen = true;
	t->rto_at = t->delayed_ack_at = 0;
}

void tcp_input(struct tcp *t, const struct segment *s, uint64_t now)
{
	if (t->silent)
		return;
	switch (t->state) {
	case TCP_CLOSED:
		return;
	case TCP_SYN_SENT:
		input_syn_sent(t, s, now);
		return;
	case TCP_SYN_RECEIVED:
	case TCP_SYNCHRONIZED:
		if (!t->ends.reset_out)
			input_synchronized(t, s, now);
		return;
	}
}

/* --- the offered window ------------------------------------- */

void tcp_set_acks(struct tcp *t, enum link_acks acks, uint64_t now)
{
	t->c.acks = acks;
	t->chosen |= acks == LINK_ACKS_WITHHELD;
	t->delayed_ack_at = 0;
	if (t->state == TCP_SYNCHRONIZED && acks == LINK_ACKS_AT_ONCE &&
	    (t->last_ack_sent != t->rcv_nxt ||
	     t->fin_in_acked != t->ends.fin_in))
		tcp_send_ack(t, now);
}

void tcp_set_window(struct tcp *t, long octets, uint64_t now)
{
	t->window_set = octets;
	t->chosen = true;
	if (octets < 0)
		t->rcv_edge = t->rcv_nxt;
	tcp_update_window(t);
	if (t->state == TCP_SYNCHRONIZED)
		tcp_send_ack(t, now);
}

bool tcp_make_room(struct tcp *t, uint64_t now)
{
	if (!tcp_widen(t))
		return false;
	tcp_update_window(t);
	if (t->state == TCP_SYNCHRONIZED)
		tcp_send_ack(t, now);
	return true;
}

/* --- time ---------------------------------------- */

uint64_t tcp_deadline(const struct tcp *t)
{
	uint64_t at = t->rto_at ? t->rto_at : UINT64_MAX;

	return t->delayed_ack_at && t->delayed_ack_at < at ? t->delayed_ack_at
							   : at;
}

void tcp_tick(struct tcp *t, uint64_t now)
{
	if (t->delayed_ack_at && now >= t->delayed_ack_at)
		tcp_send_ack(t, now);
	if (!t->rto_at || now < t->rto_at)
		return;
	if (++t->retries > TCP_RETRIES) {
		t->ends.gave_up = true;
		t->state = TCP_CLOSED;
		t->rto_at = 0;
		return;
	}
	t->rto = t->rto * 2 < TCP_RTO_MAX ? t->rto * 2 : TCP_RTO_MAX;
	t->rto_at = now + t->rto;
	t->duplicate_acks = 0;
	tcp_retransmit(t, now);
	tcp_ask_about_size(t, now);
}

void tcp_flush_ack(struct tcp *t, uint64_t now)
{
	if (!t->ack_due || t->state != TCP_SYNCHRONIZED || t->delayed_ack_at)
		return;
	/* It would announce nothing new. */
	if (t->c.acks == LINK_ACKS_WITHHELD) {
		t->ack_due = false;
		return;
	}
	tcp_send_ack(t, now);
}
