/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the peer: its messages, right or with one fault. */
#include "suite/explore/perform/performer.h"

#include <assert.h>
#include <string.h>

#include "suite/explore/perform/fault.h"

static struct recv_wanted buffer_for(const struct performer *w,
				     const struct step *s)
{
	struct recv_wanted r = {.len = (uint32_t)step_buffer(s)};

	if (s->n[STEP_INTO]) {
		r.in = &w->region[s->n[STEP_INTO] - 1];
		r.off = s->n[STEP_OFF];
	}
	return r;
}

static bool takes_receive(const struct step *s)
{
	return s->op == PEER_SENDS || s->op == PEER_IMMEDIATE;
}

/* Buffers for the messages that arrive on this stream before it is checked
 * again. */
static void post_ahead(struct performer *w, struct on_one *s, unsigned from)
{
	struct recv_wanted want[PERFORM_BATCH];
	unsigned n = 0, stream = (unsigned)(s - w->stream);
	bool writes = s->writes;

	for (unsigned i = from; i < w->p->steps && n < w->batch - s->receives;
	     i++) {
		const struct step *next = &w->p->step[i];

		if (next->n[STEP_STREAM] != stream)
			continue;
		/* Before other messages into regions, Writes are shown. */
		if (next->op == SETTLE ||
		    (n && writes &&
		     (next->n[STEP_INTO] || next->op == DUT_READS)))
			break;
		writes |= next->op == PEER_WRITES;
		if (takes_receive(next))
			want[n++] = buffer_for(w, next);
	}
	s->sinks = dut_posts_recv_each(w->t, want, n);
	s->posted = n;
	s->next = 0;
}

static struct sink next_sink(struct performer *w, struct on_one *s, unsigned at)
{
	if (s->receives == w->batch)
		perform_settle(w, s);
	if (s->next == s->posted)
		post_ahead(w, s, at);
	return sink_at(s->sinks, s->next++);
}

static struct msg message_of(struct performer *w, struct on_one *on,
			     const struct step *s, const uint8_t *octets,
			     size_t n)
{
	static const uint8_t sends[2][2] = {{RDMAP_SEND, RDMAP_SEND_INV},
					    {RDMAP_SEND_SE, RDMAP_SEND_SE_INV}};
	struct region r =
		s->n[STEP_SHARED] ? w->shared : w->region[s->n[STEP_REGION]];
	uint64_t inv = s->n[STEP_INV];
	size_t segment = perform_segment(w, on, s->n[STEP_SEGMENT]);
	struct msg m;

	switch (s->op) {
	case PEER_SENDS:
		return SEND_KIND(sends[s->n[STEP_SE]][inv != 0], octets, n,
				 .inval = inv ? w->region[inv - 1].stag : 0,
				 .segment = segment);
	case PEER_WRITES:
		return WRITE(r, s->n[STEP_OFF], octets, n, .segment = segment);
	case PEER_READS:
		m = READ(r, s->n[STEP_OFF], (uint32_t)n);
		if (s->n[STEP_TO])
			m.read.sink_to = s->n[STEP_TO];
		return m;
	case PEER_ADDS:
		return FETCHADD(r, s->n[STEP_OFF], s->n[STEP_A],
				s->n[STEP_A_MASK]);
	case PEER_SWAPS:
		return CMPSWAP_MASKED(r, s->n[STEP_OFF], s->n[STEP_A],
				      s->n[STEP_A_MASK], s->n[STEP_B],
				      s->n[STEP_B_MASK]);
	default:
		if (s->n[STEP_SE])
			return IMM_SE(octets);
		return IMM(octets);
	}
}

/* The octets that it carries. */
static const uint8_t *payload_of(struct performer *w, const struct step *s,
				 size_t *n)
{
	uint8_t imm[8];

	*n = s->n[STEP_LEN];
	if (s->op != PEER_IMMEDIATE)
		return s->op == PEER_READS ? NULL
					   : pattern(w->t, *n, w->salt++);
	*n = 8;
	for (unsigned i = 0; i < 8; i++)
		imm[i] = (uint8_t)(s->n[STEP_B] >> (56 - 8 * i));
	return memcpy((void *)(uintptr_t)pattern(w->t, 8, 0), imm, 8);
}

/* Small pieces only once, at the beginning: cutting a whole write costs more
 * than it shows. */
static struct cuts cuts_of(const struct step *s)
{
	enum { LARGE = 256 };

	return s->n[STEP_CUT] < LARGE ? CUT_AFTER(s->n[STEP_CUT])
				      : CUT_EVERY(s->n[STEP_CUT]);
}

/* The last segment stays last; the others are sent in reverse order. */
static void send_backwards(struct performer *w, const struct send_opts *o,
			   bool tagged)
{
	const struct msg *m = &o->msg;
	/* program_fit() leaves only messages of several segments backwards. */
	assert(m->segment);
	size_t last = (m->n - 1) / m->segment;

	for (size_t i = 0; i <= last; i++) {
		size_t at = (i < last ? last - 1 - i : last) * m->segment;
		struct send_opts part = *o;

		part.msg.octets = (const uint8_t *)m->octets + at;
		part.msg.n = m->n - at < m->segment ? m->n - at : m->segment;
		part.msg.keeps_msn = !tagged && i < last;
		if (i < last)
			part.msg.l = IS(0);
		if (tagged)
			part.msg.to += at;
		else
			part.msg.mo = IS(at);
		case_peer_sends(w->t, &part);
	}
}

/* After a fault it is unknown which octets of the message are in its buffer;
 * the octets around it do not change. */
static void open_buffer(struct performer *w, const struct step *s)
{
	if (s->n[STEP_INTO])
		octets_are_open(w->t, w->region[s->n[STEP_INTO] - 1],
				s->n[STEP_OFF], step_buffer(s));
}

/* Octets that a Write has changed before its fault need never be seen. */
static void open_changed(struct performer *w, struct region r,
			 const uint8_t *before)
{
	const uint8_t *now = octets_due(w->t, r, 0, r.len);
	size_t from = 0, to = r.len;

	while (from < to && now[from] == before[from])
		from++;
	while (to > from && now[to - 1] == before[to - 1])
		to--;
	if (from < to)
		octets_are_open(w->t, r, from, to - from);
}

/* What its message will leave of a buffer in a region. */
static void note_rest(struct performer *w, struct on_one *on,
		      const struct step *s)
{
	size_t filled = s->op == PEER_IMMEDIATE ? 0 : s->n[STEP_LEN];
	size_t off = s->n[STEP_OFF] + filled, n = step_buffer(s) - filled;
	struct region r;

	if (!s->n[STEP_INTO] || s->n[STEP_FAULT] || !n)
		return;
	r = w->region[s->n[STEP_INTO] - 1];
	on->rest[on->rests++] =
		(struct refill){.r = r,
				.off = off,
				.n = n,
				.octets = octets_due(w->t, r, off, n)};
}

void perform_peer_step(struct performer *w, struct on_one *on, unsigned at)
{
	const struct step *s = &w->p->step[at];
	struct due_receive due = {.step = s};
	const uint8_t *before = NULL;
	bool faulty = s->n[STEP_FAULT];

	if (s->n[STEP_SHARED] && !w->history)
		return;

	/* A region is not used any more when its STag is invalidated. */
	if (s->n[STEP_INV] || faulty) {
		perform_settle(w, on);
		if (has_ended(w->t))
			return;
	}
	if (faulty)
		perform_show_or_open(w, on);
	if (faulty && s->op == PEER_WRITES)
		before = octets_due(w->t, w->region[s->n[STEP_REGION]], 0,
				    w->region[s->n[STEP_REGION]].len);
	if (takes_receive(s))
		due.sink = next_sink(w, on, at);
	note_rest(w, on, s);
	due.octets = payload_of(w, s, &due.n);
	struct send_opts o = {.msg = message_of(w, on, s, due.octets, due.n),
			      .hold = s->n[STEP_HOLD],
			      .cuts = cuts_of(s)};

	if (faulty)
		fault_put(w->t,
			  &(struct fault_place){
				  .step = s,
				  .region = &w->region[s->n[STEP_REGION]],
				  .others = w->region,
				  .count = w->p->regions},
			  &o.msg);
	if (s->n[STEP_SHARED])
		case_peer_asks(w->t, w->history, &o);
	else if (s->n[STEP_BACKWARDS])
		send_backwards(w, &o, s->op == PEER_WRITES);
	else
		case_peer_sends(w->t, &o);
	if (faulty) {
		open_buffer(w, s);
		judge_fault(w->t);
		if (before)
			open_changed(w, w->region[s->n[STEP_REGION]], before);
		on->over = true;
	} else if (takes_receive(s)) {
		on->receive[on->receives++] = due;
	}
	on->writes |= !faulty && s->op == PEER_WRITES && s->n[STEP_LEN];
}
