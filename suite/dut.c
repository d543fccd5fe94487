/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device's side of a case: what its agent is asked, and what it told.
 */
#include "suite/test.h"

#include <stdio.h>
#include <string.h>

#include "harness/link/clock.h"

#define EVENT_BATCH 64
#define EVENT_ROOM  (512u << 10)

/* An agent's reply takes its own time on top of the wait it was asked for. */
static uint64_t agent_deadline(const struct test *t)
{
	return test_deadline(t) + t->env->wait_ns;
}

static unsigned wait_ms(const struct test *t)
{
	return (unsigned)(t->env->wait_ns / 1000000u);
}

/*
 * What came of a request that the case needs to go on. An agent that cannot
 * do what a key asks makes the case not applicable (agent protocol, last
 * paragraph); one that is gone, slow or speaks garbage makes it an ERROR.
 */
static void check(struct test *t, enum agent_result r, const char *verb)
{
	struct agent *a = t->env->agent;

	if (r == AGENT_OK)
		return;
	if (r == AGENT_REFUSED && agent_code(a) == LINE_UNSUPPORTED)
		not_applicable(t, "the agent cannot do it: %s: unsupported %s",
			       verb, agent_text(a));
	if (r == AGENT_REFUSED)
		test_error(t, CAUSE_DEVICE, "agent refused %s: %s %s", verb,
			   line_code_name(agent_code(a)), agent_text(a));
	test_error(t, CAUSE_DEVICE, "agent %s at %s: %s", agent_result_name(r),
		   verb, agent_why(a));
}

void dut_begin(struct test *t)
{
	if (!t->env->agent)
		test_error(t, CAUSE_DEVICE, "the agent is gone");
	agent_begin_reset(t->env->agent);
}

void dut_is_there(struct test *t)
{
	/* Any answer will do. */
	enum agent_result r = agent_raw(t->env->agent, "state conn=nothing",
					agent_deadline(t));

	if (r != AGENT_REFUSED)
		check(t, r, "state");
}

void dut_has_its_turn(struct test *t)
{
	struct agent *a = t->env->agent;
	struct agent_region r;

	agent_begin_reg(a, &(struct agent_reg){.name = "turn", .len = 8}, &r);
	agent_begin_dereg(a, "turn");
	check(t, agent_finish(a, agent_deadline(t)), "reg");
}

void dut_round_trip(struct test *t)
{
	struct stream *s = the_stream(t);
	struct agent_state state;

	if (s->conn[0])
		check(t,
		      agent_state(t->env->agent, s->conn, 0, AGENT_STREAMS,
				  &state, agent_deadline(t)),
		      "state");
}

/* --- memory ------------------------------------------------------------ */

static const char *region_name(struct test *t, unsigned number)
{
	return test_format(t, "r%u", number);
}

static unsigned model_access(unsigned access)
{
	return (access & LOCAL_WRITE ? MODEL_LW : 0) |
	       (access & REMOTE_READ ? MODEL_RR : 0) |
	       (access & REMOTE_WRITE ? MODEL_RW : 0) |
	       (access & REMOTE_ATOMIC ? MODEL_RA : 0);
}

static unsigned agent_rights(unsigned access)
{
	return (access & LOCAL_WRITE ? AGENT_LW : 0) |
	       (access & REMOTE_READ ? AGENT_RR : 0) |
	       (access & REMOTE_WRITE ? AGENT_RW : 0) |
	       (access & REMOTE_ATOMIC ? AGENT_RA : 0);
}

/* Where the first octet of a zero-based region stands, modulo 8. */
static uint8_t residue(const struct region_opts *o)
{
	return o->zero_based ? (uint8_t)(o->skew % 8) : 0;
}

void dut_tell_region(struct test *t, struct stream *s, struct test_region *r)
{
	(void)t;
	model_region_add(s->model,
			 &(struct model_region){
				 .stag = r->r.stag,
				 .to = r->r.to,
				 .len = r->r.len,
				 .access = model_access(r->opts.access),
				 .pd = r->opts.pd,
				 .stream = r->bound_to,
				 .shared = r->opts.shared,
				 .residue = residue(&r->opts),
				 .shadow = r->shadow,
			 });
}

static struct test_region *region_of(struct test *t, struct region r)
{
	if (r.number >= t->regions)
		test_error(t, CAUSE_SUITE, "there is no region %u", r.number);
	return &t->region[r.number];
}

struct region case_registers(struct test *t, const struct region_opts *o)
{
	if (t->regions == TEST_REGIONS)
		test_error(t, CAUSE_SUITE, "more than %u regions",
			   TEST_REGIONS);
	struct test_region *r = &t->region[t->regions];
	struct agent_region told;
	struct stream *bound = o->bound ? the_stream(t) : NULL;

	*r = (struct test_region){.opts = *o};
	if (!o->access)
		r->opts.access = ALL_ACCESS;
	check(t,
	      agent_reg(t->env->agent,
			&(struct agent_reg){
				.name = region_name(t, t->regions),
				.len = o->len,
				.access = agent_rights(r->opts.access),
				.pd = o->pd,
				.align = o->align,
				.skew = o->skew,
				.zero_based = o->zero_based,
				.shared = o->shared,
				.conn = bound ? bound->conn : NULL,
			},
			&told, agent_deadline(t)),
	      "reg");
	r->r = (struct region){.number = t->regions++,
			       .stag = told.stag,
			       .to = told.to,
			       .len = o->len};
	r->shadow = o->raced ? NULL : test_alloc(t, o->len);
	r->kept = test_alloc(t, o->len);
	r->bound_to = bound ? (uint32_t)(bound - t->stream) + 1 : 0;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			dut_tell_region(t, &t->stream[i], r);
	return r->r;
}

void dut_fills(struct test *t, struct region r, size_t off, const void *octets,
	       size_t n)
{
	struct test_region *tr = region_of(t, r);

	for (size_t at = 0; at < n; at += LINE_MAX_HEX_BYTES)
		check(t,
		      agent_fill(t->env->agent, region_name(t, r.number),
				 off + at, (const uint8_t *)octets + at,
				 n - at < LINE_MAX_HEX_BYTES
					 ? n - at
					 : LINE_MAX_HEX_BYTES,
				 agent_deadline(t)),
		      "fill");
	memcpy(tr->kept + off, octets, n);
	if (tr->shadow)
		memcpy(tr->shadow + off, octets, n);
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_changed(t->stream[i].model, r.stag,
					     r.to + off, n);
}

void dut_sets_word(struct test *t, struct region r, size_t off, uint64_t value)
{
	uint8_t octets[8];

	model_word_store(octets, value, t->env->hello.big_endian);
	dut_fills(t, r, off, octets, sizeof(octets));
}

const uint8_t *dut_memory(struct test *t, struct region r, size_t off, size_t n)
{
	uint8_t *octets = test_alloc(t, n);

	/* The agent protocol carries so much in one reply and no more. */
	for (size_t at = 0; at < n; at += LINE_MAX_HEX_BYTES)
		check(t,
		      agent_dump(
			      t->env->agent, region_name(t, r.number), off + at,
			      n - at < LINE_MAX_HEX_BYTES ? n - at
							  : LINE_MAX_HEX_BYTES,
			      octets + at, agent_deadline(t)),
		      "dump");
	return octets;
}

void dut_sets_access(struct test *t, struct region r, unsigned access)
{
	region_of(t, r)->opts.access = access;
	check(t,
	      agent_access(t->env->agent, region_name(t, r.number),
			   agent_rights(access), agent_deadline(t)),
	      "access");
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_access(t->stream[i].model, r.stag,
					    model_access(access));
}

void dut_invalidates(struct test *t, struct region r)
{
	check(t,
	      agent_inval(t->env->agent, region_name(t, r.number),
			  agent_deadline(t)),
	      "inval");
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_invalidate(t->stream[i].model, r.stag);
}

void dut_deregisters(struct test *t, struct region r)
{
	check(t,
	      agent_dereg(t->env->agent, region_name(t, r.number),
			  agent_deadline(t)),
	      "dereg");
	region_of(t, r)->gone = true;
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_remove(t->stream[i].model, r.stag);
}

/* --- connections --------------------------------------------------------- */

static struct agent_number depth(unsigned v)
{
	return v == ZERO_DEPTH ? agent_number(0)
	       : v             ? agent_number(v)
			       : (struct agent_number){0};
}

static struct agent_params params_of(const struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	unsigned rtr = o->dut_rtr ? o->dut_rtr : o->rtr;

	return (struct agent_params){
		.pd = o->pd,
		.ird = depth(o->dut_ird),
		.ord = depth(o->dut_ord),
		.private_data = o->dut_private_data,
		.private_octets = o->dut_private_octets,
		.markers = o->dut_markers,
		.crc_off = o->dut_crc == OFF,
		.mpa = o->dut_mpa      ? o->dut_mpa
		       : o->plain_rev2 ? 2
		       : s->role == INITIATOR && (o->enhanced || rtr) ? 2
								      : 0,
		.plain = s->role == INITIATOR && o->plain_rev2,
		.rtr = rtr,
		.need_ord = o->need_ord ? agent_number(o->need_ord)
					: (struct agent_number){0},
		.msn = o->dut_msn ? agent_number(o->dut_msn)
				  : (struct agent_number){0},
		.reject = o->reject && s->role == RESPONDER,
	};
}

static void describe_device(struct test *t, struct stream *s)
{
	const struct stream_opts *o = &s->opts;
	const struct agent_hello *h = &t->env->hello;
	uint64_t c = t->env->claims;
	uint16_t ird = h->max_ird < 16 ? (uint16_t)h->max_ird : 16;
	uint16_t ord = h->max_ord < 16 ? (uint16_t)h->max_ord : 16;
	unsigned rtr = o->dut_rtr ? o->dut_rtr : o->rtr;

	if (!rtr)
		rtr = (c & NEED_RTR_SEND ? RTR_SEND : 0) |
		      (c & NEED_RTR_WRITE ? RTR_WRITE : 0) |
		      (c & NEED_RTR_READ ? RTR_READ : 0);
	s->as_device = (struct model_device){
		.enhanced = (c & NEED_MPA_V2) && o->dut_mpa != 1,
		.asks_enhanced = s->role == INITIATOR &&
				 (o->enhanced || o->rtr || o->dut_rtr),
		.asks_revision_2 = s->role == INITIATOR && o->plain_rev2,
		.markers = o->dut_markers,
		.crc = o->dut_crc != OFF,
		.ird = o->dut_ird == ZERO_DEPTH ? 0
		       : o->dut_ird             ? (uint16_t)o->dut_ird
						: ird,
		.ord = o->dut_ord == ZERO_DEPTH ? 0
		       : o->dut_ord             ? (uint16_t)o->dut_ord
						: ord,
		.ird_max =
			(uint16_t)(h->max_ird > 0x3ffe ? 0x3ffe : h->max_ird),
		.rtr = (uint8_t)rtr,
		.p2p = s->role == INITIATOR && (o->rtr || o->dut_rtr),
		.rejects = o->reject && s->role == RESPONDER,
		.need_ord = (uint16_t)o->need_ord,
		.private_known = true,
		.private_data = o->dut_private_data,
		.private_octets = (uint16_t)o->dut_private_octets,
	};
}

void stream_startup_seen(struct test *t, struct stream *s,
			 const struct mpa_startup *f)
{
	struct model_objections o = {0};

	s->saw_startup = true;
	s->seen_frame = *f;
	if (s->role == INITIATOR)
		model_request_check(&s->as_device, f, &o);
	else if (s->sent_startup)
		model_reply_check(&s->as_device, &s->sent_frame, f, &o);
	test_objections(t, &o,
			s->role == INITIATOR ? "the device's Request"
					     : "the device's Reply");
}

void dut_listen(struct test *t, struct stream *s)
{
	struct agent_params p = params_of(s);
	struct agent_listener told;

	check(t, agent_listen(t->env->agent, 0, &p, &told, agent_deadline(t)),
	      "listen");
	snprintf(s->listener, sizeof(s->listener), "%s", told.listener);
	s->dut_port = told.port;
	describe_device(t, s);
}

void dut_connect(struct test *t, struct stream *s, uint16_t port)
{
	struct agent_params p = params_of(s);
	struct link_end end = s->peer_listener->local;
	char text[LINK_END_TEXT], *colon;
	char conn[AGENT_NAME];

	describe_device(t, s);
	link_end_text(&end, text);
	colon = strrchr(text, ':');
	*colon = '\0';
	/* "[::1]" is written without its brackets. */
	size_t n = strlen(text);
	const char *addr = text;

	if (text[0] == '[') {
		text[n - 1] = '\0';
		addr = text + 1;
	}
	check(t,
	      agent_connect(t->env->agent, addr, port, &p, conn,
			    agent_deadline(t)),
	      "connect");
	snprintf(s->conn, sizeof(s->conn), "%s", conn);
}

struct accept_seen dut_accepts(struct test *t)
{
	struct stream *s = the_stream(t);
	struct agent_state told = {0};
	struct accept_seen seen = {0};
	enum agent_result r =
		agent_accept(t->env->agent, s->listener, wait_ms(t), &told,
			     agent_deadline(t));

	if (r == AGENT_REFUSED && (agent_code(t->env->agent) == LINE_DEVICE ||
				   agent_code(t->env->agent) == LINE_TIMEOUT)) {
		snprintf(seen.error, sizeof(seen.error), "%s",
			 agent_code(t->env->agent) == LINE_TIMEOUT
				 ? "timeout"
				 : agent_text(t->env->agent));
		seen.silent = agent_code(t->env->agent) == LINE_TIMEOUT;
		return seen;
	}
	check(t, r, "accept");
	snprintf(s->conn, sizeof(s->conn), "%s", told.conn);
	seen.ok = true;
	snprintf(seen.state, sizeof(seen.state), "%s",
		 agent_stream_name(told.state));
	seen.private_octets = told.private_octets;
	seen.private_data = test_alloc(t, told.private_octets);
	memcpy((uint8_t *)(uintptr_t)seen.private_data, told.private_data,
	       told.private_octets);
	seen.has_ird = told.has_ird;
	seen.ird = told.ird;
	seen.ord = told.ord;
	return seen;
}

void dut_accept(struct test *t, struct stream *s)
{
	if (!s->conn[0] && s->role == RESPONDER) {
		struct accept_seen seen = dut_accepts(t);

		if (!seen.ok)
			test_fail(t, MPA_7_1_2_09.index,
				  "due:  the agent sees the connection that "
				  "its device has accepted\n"
				  "seen: accept: %s",
				  seen.error);
	}
	dut_post_pending(t, s);
}

/* --- receives -------------------------------------------------------------- */

static void post_recv(struct test *t, struct stream *s,
		      const struct pending_recv *p)
{
	unsigned first = s->receives + 1;

	agent_begin_recv(
		t->env->agent,
		&(struct agent_recv){
			.conn = s->conn,
			.count = p->local ? 0 : p->count,
			.len = p->len,
			.local = p->local ? region_name(t, p->region.number)
					  : NULL,
			.off = p->off,
			.id = p->local ? agent_number(first)
				       : (struct agent_number){0},
		});
	s->receives += p->count;
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

void dut_post_pending(struct test *t, struct stream *s)
{
	if (!t->pending)
		return;
	for (struct pending_recv *p = t->pending; p; p = p->next)
		post_recv(t, s, p);
	t->pending = t->pending_last = NULL;
	check(t, agent_finish(t->env->agent, agent_deadline(t)), "recv");
}

static struct sink take_recv(struct test *t, struct pending_recv p)
{
	struct stream *s = t->streams ? &t->stream[t->current] : NULL;
	/* After dut_works() they are for the stream that comes next. */
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
	(void)t;
	model_post(s->model, &w, &index);
}

unsigned dut_posts(struct test *t, struct post p)
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
	struct stream *s = the_stream(t);
	unsigned id = t->next_post++;
	bool remote = p.op != POST_OP_SEND && p.op != POST_OP_IMM;
	bool inlined = !p.local && p.op != POST_OP_IMM;
	const uint8_t *data = p.octets;

	if (p.local && (p.op == POST_OP_SEND || p.op == POST_OP_WRITE))
		data = region_of(t, *p.local)->kept + p.off;
	if (s->model)
		tell_work(t, s, &p, id, data);
	else
		s->posted_early = true;
	struct agent_post ask = {
		.conn = s->conn,
		.id = id,
		.op = ops[p.op],
		.local = p.local ? region_name(t, p.local->number) : NULL,
		.off = p.off,
		.len = p.len,
		.inline_octets = inlined,
		.octets = p.octets,
		.n = p.len,
		.rstag = remote ? agent_number(p.rstag)
				: (struct agent_number){0},
		.rto = remote ? agent_number(p.rto) : (struct agent_number){0},
		.inv = p.invalidate ? agent_number(p.inv)
				    : (struct agent_number){0},
		.imm = p.imm,
		.se = p.se,
		.fence = p.fence,
	};

	if (p.op == POST_OP_FETCHADD) {
		ask.add = agent_number(p.add);
		ask.mask = agent_number(p.mask);
	}
	if (p.op == POST_OP_SWAP || p.op == POST_OP_CMPSWAP)
		ask.swap = agent_number(p.swap);
	if (p.op == POST_OP_CMPSWAP)
		ask.compare = agent_number(p.compare);
	if (p.masks) {
		ask.swap_mask = agent_number(p.swap_mask);
		ask.compare_mask = agent_number(p.compare_mask);
	}
	enum agent_result r =
		agent_post(t->env->agent, &ask, agent_deadline(t));

	if (r == AGENT_REFUSED && p.may_refuse)
		not_applicable(t, "the device's interface does not take it: %s",
			       agent_text(t->env->agent));
	check(t, r, "post");
	return id;
}

/* --- completions -------------------------------------------------------------- */

static void keep_event(struct test *t, struct stream *s,
		       const struct agent_event *e)
{
	struct told *told = test_alloc(t, sizeof(*told));
	struct completion *c = &told->c;

	told->id = (unsigned)e->id;
	told->receive = e->op == AGENT_RECV || e->op == AGENT_RECV_IMM;
	*c = (struct completion){
		.came = true,
		.ok = e->status == AGENT_DONE,
		.flushed = e->status == AGENT_FLUSHED,
		.len = e->len,
		.n = e->n,
		.has_inv = e->has_inv,
		.se = e->has_se && e->se,
		.has_value = e->has_value,
		.inv = e->inv,
		.value = e->value,
		.order = s->told_count++,
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
	if (s->told_last)
		s->told_last->next = told;
	else
		s->told = told;
	s->told_last = told;
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
		check(t,
		      agent_events(t->env->agent, s->conn, ms, min ? min : 1,
				   &batch, deadline + t->env->wait_ns),
		      "events");
		for (size_t i = 0; i < batch.n; i++)
			keep_event(t, s, &batch.event[i]);
		ms = 0;
	} while (batch.n == batch.cap);
}

static const struct completion *find(const struct stream *s, bool receive,
				     unsigned id)
{
	for (const struct told *e = s->told; e; e = e->next)
		if (e->receive == receive && e->id == id)
			return &e->c;
	return NULL;
}

static struct completion look(struct test *t, struct stream *s, bool receive,
			      unsigned id, bool wait)
{
	const struct completion *c = find(s, receive, id);
	uint64_t deadline = test_deadline(t);

	if (!c)
		dut_events(t, s, 0, deadline);
	while (!(c = find(s, receive, id)) && wait) {
		unsigned had = s->told_count;

		dut_events(t, s, 1, deadline);
		wait = s->told_count != had;
	}
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

/* --- state ---------------------------------------------------------------------- */

static struct dut_state state_of(struct test *t, struct stream *s,
				 unsigned timeout_ms, enum agent_stream until)
{
	struct agent_state told = {0};

	if (!s->conn[0])
		test_error(t, CAUSE_SUITE, "no connection at the agent yet");
	check(t,
	      agent_state(t->env->agent, s->conn, timeout_ms, until, &told,
			  agent_deadline(t)),
	      "state");
	struct dut_state d = {
		.has_terminate = told.has_terminate,
		.terminate_remote = told.terminate_remote,
		.layer = told.layer,
		.etype = told.etype,
		.code = told.code,
		.private_octets = told.private_octets,
		.has_ird = told.has_ird,
		.ird = told.ird,
		.ord = told.ord,
	};
	uint8_t *pd = test_alloc(t, told.private_octets);

	memcpy(pd, told.private_data, told.private_octets);
	d.private_data = pd;
	snprintf(d.state, sizeof(d.state), "%s", agent_stream_name(told.state));
	if (told.state != AGENT_CONNECTING && told.state != AGENT_ESTABLISHED) {
		s->final_known = true;
		s->final = d;
	}
	return d;
}

void dut_wait_final(struct test *t, struct stream *s)
{
	if (!s->final_known && s->conn[0])
		state_of(t, s, wait_ms(t), AGENT_CLOSED);
}

struct dut_state dut_ends(struct test *t)
{
	struct stream *s = the_stream(t);

	return s->final_known ? s->final
			      : state_of(t, s, wait_ms(t), AGENT_CLOSED);
}

struct dut_state dut_starts(struct test *t)
{
	return state_of(t, the_stream(t), wait_ms(t), AGENT_STREAMS);
}

struct dut_state dut_state(struct test *t)
{
	return state_of(t, the_stream(t), 0, AGENT_STREAMS);
}

static void stop(struct test *t, enum agent_closing how)
{
	check(t,
	      agent_stop(t->env->agent, the_stream(t)->conn, how,
			 agent_deadline(t)),
	      "close");
}

void dut_closes(struct test *t)
{
	stop(t, AGENT_CLOSE);
}

void dut_aborts(struct test *t)
{
	stop(t, AGENT_CLOSE_ABORT);
}

void dut_half_closes(struct test *t)
{
	stop(t, AGENT_CLOSE_HALF);
}

void dut_provokes(struct test *t, unsigned layer, unsigned etype, unsigned code)
{
	struct stream *s = the_stream(t);

	if (s->model)
		model_provoked(s->model);
	check(t,
	      agent_provoke(t->env->agent, s->conn, layer, etype, code,
			    agent_deadline(t)),
	      "provoke");
}
