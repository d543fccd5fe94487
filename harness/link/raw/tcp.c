/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening, what comes in, what is offered, and time. */
#include "harness/link/raw/tcp.h"

#include <stdlib.h>
#include <string.h>

#include "harness/link/raw/tcp_internal.h"

enum { TCP_MSS_UNTOLD = 536, TCP_DUPLICATES = 3, TCP_SCALE_MOST = 14 };

struct tcp *tcp_new(void)
{
	struct tcp *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->out = malloc(TCP_SEND_BUFFER);
	t->in = malloc(TCP_RECEIVE_BUFFER);
	t->pieces = malloc(TCP_PIECES * sizeof(*t->pieces));
	if (t->out && t->in && t->pieces)
		return t;
	tcp_free(t);
	return NULL;
}

void tcp_free(struct tcp *t)
{
	if (!t)
		return;
	free(t->out);
	free(t->in);
	free(t->pieces);
	free(t);
}

static void start(struct tcp *t, const struct tcp_config *c)
{
	*t = (struct tcp){.c = *c,
			  .out = t->out,
			  .in = t->in,
			  .pieces = t->pieces,
			  .in_cap = TCP_RECEIVE_BUFFER,
			  .peer_mss = TCP_MSS_UNTOLD,
			  .times = c->times,
			  .window_set = -1,
			  .rto = TCP_RTO_FIRST};
	if (c->rcvbuf && c->rcvbuf < TCP_RECEIVE_BUFFER)
		t->in_cap = c->rcvbuf;
	if (t->c.scale > TCP_SCALE_MOST)
		t->c.scale = TCP_SCALE_MOST;
}

/* What a SYN tells. An option that one side leaves out is used by neither. */
static void take_syn(struct tcp *t, const struct segment *s)
{
	t->peer_isn = s->seq;
	if (s->mss)
		t->peer_mss = s->mss;
	if (s->has_scale && !t->c.no_scale)
		t->peer_scale =
			s->scale > TCP_SCALE_MOST ? TCP_SCALE_MOST : s->scale;
	else
		t->c.no_scale = true;
	t->times = t->times && s->has_times;
	t->peer_time = s->time;
	t->peer_window = s->window; /* never scaled in a SYN */
	t->window_seq = s->seq;
	t->window_ack = s->ack;
}

void tcp_open(struct tcp *t, const struct tcp_config *c, uint64_t now)
{
	start(t, c);
	t->state = TCP_SYN_SENT;
	send_segment(t, SEGMENT_SYN, t->c.isn, NULL, 0, now);
	send_timer(t, now);
}

void tcp_accept(struct tcp *t, const struct tcp_config *c,
		const struct segment *syn, uint64_t now)
{
	start(t, c);
	take_syn(t, syn);
	t->state = TCP_SYN_RECEIVED;
	send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL, 0, now);
	send_timer(t, now);
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
	return t->again;
}

uint64_t tcp_torn(const struct tcp *t)
{
	return t->torn;
}

/* --- what comes in ---------------------------------------- */

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
	t->tries = 0;
	t->rto = TCP_RTO_FIRST;
	if (!acks) { /* both at once */
		t->state = TCP_SYN_RECEIVED;
		send_segment(t, SEGMENT_SYN | SEGMENT_ACK, t->c.isn, NULL, 0,
			     now);
		send_timer(t, now);
		return;
	}
	t->state = TCP_SYNCHRONIZED;
	t->ends.opened = true;
	send_ack(t, now);
}

/* RFC 9293 s3.10.7.4, first: does it touch the window? */
static bool is_acceptable(const struct tcp *t, const struct segment *s,
			  int64_t at)
{
	int64_t next = (int64_t)t->next, edge = (int64_t)t->edge;
	int64_t n = (int64_t)s->n + !!(s->flags & SEGMENT_FIN);

	/* The FIN took a number, and nothing can follow it. */
	if (t->ends.fin_in)
		return n == 0 && at >= next && at <= next + 1;
	if (n == 0)
		return at == next || (at > next && at < edge);
	return edge > next ? at < edge && at + n > next : false;
}

/* RFC 7323 s5.3: older than what has come already. */
static bool is_old(const struct tcp *t, const struct segment *s)
{
	return t->times && s->has_times && !(s->flags & SEGMENT_RST) &&
	       seq_before(s->time, t->peer_time);
}

static void take_window(struct tcp *t, const struct segment *s)
{
	if (!seq_before(t->window_seq, s->seq) &&
	    (t->window_seq != s->seq || seq_before(s->ack, t->window_ack)))
		return;
	t->peer_window = (uint32_t)s->window << t->peer_scale;
	t->window_seq = s->seq;
	t->window_ack = s->ack;
}

/* False: it acknowledges what was never sent. */
static bool take_ack(struct tcp *t, const struct segment *s, uint64_t now)
{
	uint64_t sent = t->highest + t->ends.fin_out;
	int64_t at = (int64_t)t->una + (int32_t)(s->ack - send_seq(t, t->una));

	if (at > (int64_t)sent)
		return false;
	if (at < (int64_t)t->una)
		return true;
	t->tries = 0; /* it is there, if only with a shut window */
	bool fin = t->ends.fin_out && at == (int64_t)t->end + 1;
	uint64_t offset = fin ? t->end : (uint64_t)at;

	if (offset > t->una || (fin && !t->ends.fin_acked)) {
		take_window(t, s);
		send_acked(t, offset, fin, now);
		return true;
	}
	bool same = (uint32_t)s->window << t->peer_scale == t->peer_window;

	take_window(t, s);
	if (s->n == 0 && same && send_in_flight(t) &&
	    !(s->flags & SEGMENT_FIN) && ++t->duplicates == TCP_DUPLICATES)
		send_again(t, now);
	return true;
}

static void synchronized(struct tcp *t, const struct segment *s)
{
	bool syn = s->flags & SEGMENT_SYN;

	t->state = TCP_SYNCHRONIZED;
	t->ends.opened = true;
	t->peer_window = (uint32_t)s->window << (syn ? 0 : t->peer_scale);
	t->tries = 0;
	t->rto_at = 0;
	t->rto = TCP_RTO_FIRST;
}

static void input_synchronized(struct tcp *t, const struct segment *s,
			       uint64_t now)
{
	int64_t at = receive_offset(t, s->seq);
	bool text = true;

	if (s->n && t->losing) {
		t->losing--;
		return;
	}
	receive_arrival(t, at, s->n);
	/* Our ACK of its SYN, or of its SYN and ACK, got lost. */
	if (s->flags & SEGMENT_SYN && s->seq == t->peer_isn && !s->n) {
		bool answered =
			s->flags & SEGMENT_ACK && s->ack == t->c.isn + 1;

		if (t->state == TCP_SYN_RECEIVED && answered)
			synchronized(t, s);
		if (t->state == TCP_SYN_RECEIVED)
			send_again(t, now);
		else
			send_ack(t, now);
		return;
	}
	if (!is_acceptable(t, s, at) || is_old(t, s)) {
		if (s->flags & SEGMENT_RST)
			return;
		send_ack(t, now);
		/* At a shut window its ACK still counts. */
		if (at != (int64_t)t->next || is_old(t, s))
			return;
		text = false;
	}
	/* RFC 5961 s3.2 and s4.2: what might be forged is asked about. */
	if (s->flags & SEGMENT_RST) {
		if (at != (int64_t)t->next + t->ends.fin_in &&
		    at != (int64_t)t->next) {
			send_ack(t, now);
			return;
		}
		t->ends.reset_in = true;
		t->state = TCP_CLOSED;
		t->rto_at = t->ack_at = 0;
		t->ack_due = false;
		return;
	}
	if (s->flags & SEGMENT_SYN) {
		send_ack(t, now);
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
	if (s->has_times && at <= (int64_t)t->told)
		t->peer_time = s->time;
	if (!take_ack(t, s, now)) {
		send_ack(t, now);
		return;
	}
	if (text && (s->n || s->flags & SEGMENT_FIN) &&
	    receive_octets(t, at, s->octets, s->n, s->flags & SEGMENT_FIN, now))
		send_ack(t, now);
	send_more(t, now);
}

void tcp_fall_silent(struct tcp *t)
{
	t->silent = true;
	t->rto_at = t->ack_at = 0;
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

/* --- what is offered ---------------------------------------- */

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

/* --- time ---------------------------------------- */

uint64_t tcp_deadline(const struct tcp *t)
{
	uint64_t at = t->rto_at ? t->rto_at : UINT64_MAX;

	return t->ack_at && t->ack_at < at ? t->ack_at : at;
}

void tcp_tick(struct tcp *t, uint64_t now)
{
	if (t->ack_at && now >= t->ack_at)
		send_ack(t, now);
	if (!t->rto_at || now < t->rto_at)
		return;
	if (++t->tries > TCP_TRIES) {
		t->ends.gave_up = true;
		t->state = TCP_CLOSED;
		t->rto_at = 0;
		return;
	}
	t->rto = t->rto * 2 < TCP_RTO_MOST ? t->rto * 2 : TCP_RTO_MOST;
	t->rto_at = now + t->rto;
	t->duplicates = 0;
	send_again(t, now);
}

void tcp_flush(struct tcp *t, uint64_t now)
{
	if (!t->ack_due || t->state != TCP_SYNCHRONIZED || t->ack_at)
		return;
	/* Nothing would be told that was not told before. */
	if (t->c.acks == LINK_ACKS_WITHHELD) {
		t->ack_due = false;
		return;
	}
	send_ack(t, now);
}
