/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work for the device and its completions: receive buffers, work requests, and
 * the events that its agent reports.
 */
#include "suite/language/execution/execution.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"
#include "suite/language/execution/meets.h"

#define EVENT_BATCH 64
#define AHEAD_MOST  128 /* requests without an answer so far, */
#define KEPT_MOST   16u /* or that were not even sent */
#define EVENT_ROOM  (512u << 10)

/* --- receives -------------------------------------------------------------- */

static void post_recv(struct test *t, struct stream *s,
		      const struct pending_recv *p)
{
	unsigned first = s->receives + 1;

	agent_begin_recv(
		t->bed->agent,
		&(struct agent_recv){
			.conn = s->conn,
			.count = p->local ? 0 : p->count,
			.len = p->len,
			.local = p->local ? dut_region_name(t, p->region.number)
					  : NULL,
			.off = p->off,
			.id = p->local ? agent_number(first)
				       : (struct agent_number){0},
		});
	meets_receives(t, p->len);
	s->receives += p->count;
	s->last_receive = p->len;
	for (unsigned i = 0; s->model && i < p->count; i++) {
		if (p->local)
			model_recv_posted_in(s->model, p->region.stag,
					     p->region.to + p->off,
					     (uint32_t)p->len);
		else
			model_recv_posted(s->model, (uint32_t)p->len,
					  test_alloc(t, p->len));
	}
}

/* Posted on a stream, and not completed as far as is known. */
static unsigned outstanding(const struct stream *s, bool receive)
{
	return receive ? s->receives - s->received : s->posts - s->done_posts;
}

/* The new and the earlier ones together are within the device's limits. */
static void check_receives(struct test *t, const struct stream *s)
{
	const struct agent_hello *h = &t->bed->hello;
	uint64_t n = outstanding(s, true);

	for (const struct pending_recv *p = t->pending; p; p = p->next) {
		n += p->count;
		test_within(t, p->len, h->max_message, "octets in a message");
	}
	test_within(t, n, h->max_recvs, "receives at once");
}

void dut_post_pending(struct test *t, struct stream *s)
{
	if (!t->pending)
		return;
	test_acts(t);
	/* The ULP has receives of its own, or none. */
	if (test_alone(t)) {
		for (struct pending_recv *p = t->pending; p; p = p->next)
			s->receives += p->count;
		t->pending = t->pending_last = NULL;
		return;
	}
	check_receives(t, s);
	bool without_room = false;
	for (struct pending_recv *p = t->pending; p; p = p->next) {
		post_recv(t, s, p);
		without_room |= !p->len;
	}
	t->pending = t->pending_last = NULL;
	enum agent_result r =
		agent_finish(t->bed->agent, dut_deadline(t, "recv"));

	/* No RFC requires an interface to have such receives. */
	if (r == AGENT_REFUSED && without_room)
		not_applicable(t,
			       "the device's interface does not accept a "
			       "receive of length zero: %s",
			       agent_text(t->bed->agent));
	dut_check(t, r, "recv");
}

static struct sink take_recv(struct test *t, struct pending_recv p)
{
	struct stream *s =
		t->current < t->streams ? &t->stream[t->current] : NULL;
	/* After dut_works() they belong to the next stream. */
	bool later = s && s->done;
	bool now = s && !later && s->conn[0] && s->full;
	unsigned first = now ? s->receives + 1 : 1;

	for (struct pending_recv *q = t->pending; !now && q; q = q->next)
		first += q->count;
	struct sink sink = {.first = first,
			    .count = p.count,
			    .len = p.len,
			    .stream = later ? t->streams : t->current};
	struct pending_recv *kept = test_alloc(t, sizeof(*kept));

	*kept = p;
	kept->next = NULL;
	if (t->pending_last)
		t->pending_last->next = kept;
	else
		t->pending = kept;
	t->pending_last = kept;
	if (now)
		dut_post_pending(t, s);
	return sink;
}

struct sink dut_posts_recvs(struct test *t, unsigned count, size_t len)
{
	return take_recv(t, (struct pending_recv){.count = count, .len = len});
}

struct sink dut_posts_recv(struct test *t, size_t len)
{
	return dut_posts_recvs(t, 1, len);
}

struct sink dut_posts_recv_in(struct test *t, struct region r, size_t off,
			      size_t len)
{
	return take_recv(t, (struct pending_recv){.count = 1,
						  .len = len,
						  .local = true,
						  .region = r,
						  .off = off});
}

struct sink sink_at(struct sink s, unsigned i)
{
	return (struct sink){.first = s.first + i,
			     .count = 1,
			     .len = s.len,
			     .stream = s.stream};
}

/* --- work requests ---------------------------------------------------------- */

static bool needs_answer(enum post_op op)
{
	return op == POST_OP_READ || op == POST_OP_FETCHADD ||
	       op == POST_OP_CMPSWAP || op == POST_OP_SWAP;
}

static void tell_work(struct test *t, struct stream *s, const struct post *p,
		      unsigned id, const uint8_t *data)
{
	static const enum model_work_op ops[] = {
		[POST_OP_SEND] = MODEL_WORK_SEND,
		[POST_OP_WRITE] = MODEL_WORK_WRITE,
		[POST_OP_READ] = MODEL_WORK_READ,
		[POST_OP_FETCHADD] = MODEL_WORK_FETCHADD,
		[POST_OP_CMPSWAP] = MODEL_WORK_CMPSWAP,
		[POST_OP_SWAP] = MODEL_WORK_SWAP,
		[POST_OP_IMM] = MODEL_WORK_IMM,
		[POST_OP_WRITE_IMM] = MODEL_WORK_WRITE_IMM,
	};
	struct model_work w = {
		.op = ops[p->op],
		.id = id,
		.len = p->len,
		.data = data,
		.stag = p->rstag,
		.to = p->rto,
		.se = p->se,
		.inv = p->invalidate,
		.inv_stag = p->inv,
		.add = p->add,
		.mask = p->mask,
		.swap = p->swap,
		.swap_mask = p->masks ? p->swap_mask : ~0ull,
		.compare = p->compare,
		.compare_mask = p->masks ? p->compare_mask : ~0ull,
	};
	uint32_t index;

	if (p->imm)
		memcpy(w.imm, p->imm, sizeof(w.imm));
	if (p->local) {
		w.local = true;
		w.local_stag = p->local->stag;
		w.local_to = p->local->to + p->off;
	}
	w.no_room = p->local && needs_answer(p->op) &&
		    !(dut_region(t, *p->local)->opts.access & LOCAL_WRITE);
	model_post(s->model, &w, &index);
}

/* Before the golden model exists. */
static void posted_early(struct stream *s, const struct post *p)
{
	s->posted_early = true;
	s->empty_early |=
		!p->len && (p->op == POST_OP_WRITE || p->op == POST_OP_READ);
}

/* What the device said that it can do, and what the stream allows. */
static void must_be_postable(struct test *t, struct stream *s,
			     const struct post *p)
{
	if (needs_answer(p->op) && !t->bed->hello.max_ord)
		not_applicable(t, "the device has ORD 0, and sends no Read or "
				  "Atomic Requests");
	if (!s->conn[0])
		test_fail(t, MPA_7_1_2_09.index,
			  "due:  a connection to post work on\n"
			  "seen: none");
	test_within(t, p->len, t->bed->hello.max_message,
		    "octets in a message");
	test_within(t, outstanding(s, false) + 1, t->bed->hello.max_posts,
		    "posts at once");
}

/* The request to the agent; it refers to the octets of p. */
static struct agent_post post_request(struct test *t, struct stream *s,
				      const struct post *p, unsigned id)
{
	static const enum agent_op ops[] = {
		[POST_OP_SEND] = AGENT_SEND,
		[POST_OP_WRITE] = AGENT_WRITE,
		[POST_OP_READ] = AGENT_READ,
		[POST_OP_FETCHADD] = AGENT_FETCHADD,
		[POST_OP_CMPSWAP] = AGENT_CMPSWAP,
		[POST_OP_SWAP] = AGENT_SWAP,
		[POST_OP_IMM] = AGENT_IMM,
		[POST_OP_WRITE_IMM] = AGENT_WRITE_IMM,
	};
	struct agent_post ask = {
		.conn = s->conn,
		.id = id,
		.op = ops[p->op],
		.local = p->local ? dut_region_name(t, p->local->number) : NULL,
		.off = p->off,
		.len = p->len,
		.inline_octets = !p->local && p->op != POST_OP_IMM,
		.octets = p->octets,
		.n = p->len,
		.imm = p->imm,
		.se = p->se,
		.fence = p->fence,
	};

	if (p->op != POST_OP_SEND && p->op != POST_OP_IMM) {
		ask.rstag = agent_number(p->rstag);
		ask.rto = agent_number(p->rto);
	}
	if (p->invalidate)
		ask.inv = agent_number(p->inv);
	if (p->op == POST_OP_FETCHADD) {
		ask.add = agent_number(p->add);
		ask.mask = agent_number(p->mask);
	}
	if (p->op == POST_OP_SWAP || p->op == POST_OP_CMPSWAP)
		ask.swap = agent_number(p->swap);
	if (p->op == POST_OP_CMPSWAP)
		ask.compare = agent_number(p->compare);
	if (p->masks) {
		ask.swap_mask = agent_number(p->swap_mask);
		ask.compare_mask = agent_number(p->compare_mask);
	}
	return ask;
}

static void keep_event(struct test *t, struct stream *s,
		       const struct agent_event *e);

unsigned dut_posts(struct test *t, struct post p)
{
	struct stream *s = the_stream(t);
	unsigned id = t->next_post++;
	const uint8_t *data = p.octets;
	struct agent_post ask;
	enum agent_result r;

	alone_asks(t, "to post work");
	if (!p.ahead)
		dut_hears(t);
	test_stands_on_work(t, s, &p);
	must_be_postable(t, s, &p);
	if (p.local && (p.op == POST_OP_SEND || p.op == POST_OP_WRITE))
		data = dut_region(t, *p.local)->kept + p.off;
	s->posts++;
	meets_work(t, s, &p);
	test_acts(t);
	if (s->model)
		tell_work(t, s, &p, id, data);
	else
		posted_early(s, &p);
	ask = post_request(t, s, &p, id);
	agent_begin_post(t->bed->agent, &ask);
	if (p.ahead && agent_outstanding(t->bed->agent) < AHEAD_MOST) {
		t->ahead = true;
		if (++t->kept == KEPT_MOST)
			dut_hands_over(t);
		return id;
	}
	r = agent_finish(t->bed->agent, dut_deadline(t, "post"));
	/* An error at once: with it, this work request is over. */
	if (r == AGENT_REFUSED && p.if_taken) {
		keep_event(t, s,
			   &(struct agent_event){.id = id,
						 .op = ask.op,
						 .status = AGENT_FLUSHED});
		return id;
	}
	if (r == AGENT_REFUSED && p.may_refuse)
		not_applicable(t,
			       "the device's interface does not accept it: %s",
			       agent_text(t->bed->agent));
	dut_check(t, r, "post");
	return id;
}

unsigned dut_sends_tagged(struct test *t, struct region r, size_t off, size_t n,
			  uint32_t stag, uint64_t to)
{
	if (test_alone(t)) {
		dut_region(t, r)->opts.access |= REMOTE_READ;
		peer_sends(t, READ(r, off, (uint32_t)n, .read.sink_stag = stag,
				   .read.sink_to = to));
		return RDMAP_READ_RESPONSE;
	}
	dut_posts(t, POST_WRITE_FROM(r, off, n, stag, to));
	return RDMAP_WRITE;
}

unsigned dut_sends(struct test *t, const void *octets, size_t n)
{
	if (test_alone(t)) {
		struct region r =
			dut_registers(t, .len = n, .access = FOR_READS);

		dut_fills(t, r, 0, octets, n);
		return dut_sends_tagged(t, r, 0, n, PEER_SINK_STAG,
					PEER_SINK_TO);
	}
	dut_posts(t, POST_SEND_N(octets, n));
	return RDMAP_SEND;
}

/* --- completions -------------------------------------------------------------- */

static void keep_event(struct test *t, struct stream *s,
		       const struct agent_event *e)
{
	struct dut_event *event = test_alloc(t, sizeof(*event));
	struct completion *c = &event->c;

	event->id = (unsigned)e->id;
	event->receive = e->op == AGENT_RECV || e->op == AGENT_RECV_IMM;
	*c = (struct completion){
		.came = true,
		.ok = e->status == AGENT_DONE,
		.flushed = e->status == AGENT_FLUSHED,
		.len = e->len,
		.n = e->n,
		.has_inv = e->has_inv,
		.has_se = e->has_se,
		.se = e->has_se && e->se,
		.has_value = e->has_value,
		.inv = e->inv,
		.value = e->value,
		.order = s->event_count++,
		.place = event->receive ? s->received : s->done_posts,
	};
	snprintf(c->op, sizeof(c->op), "%s", agent_op_name(e->op));
	snprintf(c->status, sizeof(c->status), "%s",
		 agent_status_name(e->status));
	memcpy(c->imm, e->imm, sizeof(c->imm));
	c->has_sha256 = e->has_sha256;
	memcpy(c->sha256, e->sha256, sizeof(c->sha256));
	if (e->octets) {
		uint8_t *copy = test_alloc(t, e->n);

		memcpy(copy, e->octets, e->n);
		c->octets = copy;
	}
	if (s->last_event)
		s->last_event->next = event;
	else
		s->events = event;
	s->last_event = event;
	s->received += event->receive;
	s->done_posts += !event->receive;

	struct dut_event **at = &s->by_id[event->id % DUT_EVENT_SLOTS];

	while (*at)
		at = &(*at)->same;
	*at = event;
}

void dut_events(struct test *t, struct stream *s, unsigned min,
		uint64_t deadline)
{
	static struct agent_event event[EVENT_BATCH];
	static uint8_t room[EVENT_ROOM];
	uint64_t now = clock_now_ns();
	unsigned ms = min && deadline > now
			      ? (unsigned)((deadline - now) / 1000000)
			      : 0;
	struct agent_events batch = {
		.event = event,
		.cap = EVENT_BATCH,
		.room = room,
		.room_octets = sizeof(room),
	};

	if (!s->conn[0])
		return;
	do {
		batch.n = batch.room_used = 0;
		dut_check(
			t,
			agent_events(t->bed->agent, s->conn, ms, min ? min : 1,
				     &batch,
				     dut_reply_deadline(t, deadline, "events")),
			"events");
		for (size_t i = 0; i < batch.n; i++)
			keep_event(t, s, &batch.event[i]);
		ms = 0;
	} while (batch.n == batch.cap);
}

static const struct completion *find(const struct stream *s, bool receive,
				     unsigned id)
{
	for (const struct dut_event *e = s->by_id[id % DUT_EVENT_SLOTS]; e;
	     e = e->same)
		if (e->receive == receive && e->id == id)
			return &e->c;
	return NULL;
}

/* The message that has completed this receive; NULL: the model knows of none. */
static const struct model_delivery *delivery_of(const struct stream *s,
						unsigned id)
{
	const struct model_delivery *d;

	for (uint32_t i = s->model ? model_deliveries(s->model) : 0;
	     i && (d = model_delivery(s->model, i - 1)); i--)
		if (d->ordinal == id)
			return d;
	return NULL;
}

/* An STag that a Send has invalidated is invalid on all streams when the Send is
 * delivered (RFC 5040 s5.3). Before that, other streams may still use it. */
static void invalid_on_all(struct test *t, const struct stream *s, unsigned id)
{
	const struct model_delivery *d = delivery_of(s, id);

	if (!d || !d->inv)
		return;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_invalidate(t->stream[i].model,
						d->inv_stag);
}

static struct completion look(struct test *t, struct stream *s, bool receive,
			      unsigned id, bool wait)
{
	const struct completion *c;
	uint64_t deadline;

	if (alone_asks(t, receive ? "to know what was delivered"
				  : "to know what was completed"))
		return (struct completion){0};
	deadline = test_deadline(t);

	/* The agent may have been about to report it. */
	for (unsigned i = 0; i < 2 && !(c = find(s, receive, id)); i++)
		dut_events(t, s, 0, deadline);
	const unsigned had = s->event_count;

	struct arrival arrival = arrival_begins(t, s);

	wait &= arrival.deadline != CLOCK_NOW;
	while (!(c = find(s, receive, id)) && wait) {
		unsigned before = s->event_count;

		uint64_t look_at = arrival_look_at(t, &arrival);

		dut_events(t, s, 1, look_at);
		wait = s->event_count != before ||
		       (!wait_was_cut(look_at) &&
			arrival_goes_on(t, s, &arrival));
	}
	if (!c && s->event_count == had)
		wait_in_vain(t, arrival.deadline);
	if (c && receive && c->ok &&
	    (stream_over(s) || s->peer.fin_sent || s->peer.reset_sent))
		test_rests_on(t, s->role, FOUNDATION_RECEIVES_LEFT);
	if (c && receive && c->ok)
		invalid_on_all(t, s, id);
	return c ? *c : (struct completion){0};
}

struct completion dut_completes(struct test *t, unsigned id)
{
	return look(t, the_stream(t), false, id, true);
}

struct completion dut_has_completed(struct test *t, unsigned id)
{
	return look(t, the_stream(t), false, id, false);
}

struct completion dut_receives(struct test *t, struct sink s)
{
	return look(t, &t->stream[s.stream], true, s.first, true);
}

struct completion dut_has_received(struct test *t, struct sink s)
{
	return look(t, &t->stream[s.stream], true, s.first, false);
}
