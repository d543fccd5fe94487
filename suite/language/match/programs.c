/* SPDX-License-Identifier: BSD-2-Clause */
/* The statements for programs, beyond the language of case.h. */
#include "suite/language/case_program.h"

#include "suite/language/execution/execution.h"

#define HEX_SHOWN 64

struct sink dut_posts_recv_each(struct test *t, const struct recv_wanted *want,
				unsigned count)
{
	struct stream *s = live_stream(t);
	struct sink sink = {
		.first = s->receives + 1, .count = count, .stream = t->current};
	struct pending_recv *p = NULL;

	/* Consecutive receives of the same length are one request. */
	for (unsigned i = 0; i < count; i++) {
		const struct recv_wanted *w = &want[i];

		if (p && p->len == w->len && !p->local && !w->in) {
			p->count++;
			continue;
		}
		p = test_alloc(t, sizeof(*p));
		*p = (struct pending_recv){.count = 1, .len = w->len};
		if (w->in) {
			p->local = true;
			p->region = *w->in;
			p->off = w->off;
		}
		if (t->pending_last)
			t->pending_last->next = p;
		else
			t->pending = p;
		t->pending_last = p;
	}
	dut_post_pending(t, s);
	return sink;
}

bool something_is_held(struct test *t)
{
	return live_stream(t)->peer.held_octets != 0;
}

struct mpa_enhanced enhanced_data_sent(struct test *t)
{
	struct mpa_enhanced e = {0};

	model_enhanced(&live_stream(t)->sent_frame, &e);
	return e;
}

void dut_gets_work(struct test *t)
{
	dut_hands_over(t);
}

static unsigned no_more_than(uint32_t told, unsigned most)
{
	return told && told < most ? told : most;
}

unsigned dut_max_recvs(struct test *t, unsigned most)
{
	return no_more_than(t->bed->hello.max_recvs, most);
}

unsigned dut_max_posts(struct test *t, unsigned most)
{
	return no_more_than(t->bed->hello.max_posts, most);
}

unsigned answers_due(struct test *t)
{
	struct model_owes owes = model_owes(live_stream(t)->model);

	return owes.reads + owes.atomics;
}

unsigned works_unsent(struct test *t)
{
	return model_owes(live_stream(t)->model).works;
}

bool twin_is_due(struct test *t)
{
	return !has_ended(t) && live_stream(t)->model->tx_lent;
}

void awaits_twin(struct test *t, unsigned id)
{
	/* More of the device's own may come first, but not without end. */
	for (unsigned i = 0; i < STREAM_UNASKED && twin_is_due(t) &&
			     !dut_has_completed(t, id).came;
	     i++)
		if (!stream_pull_any(t, live_stream(t)))
			return;
}

bool has_ended(struct test *t)
{
	return stream_over(live_stream(t));
}

bool may_send(struct test *t)
{
	const struct stream *s = live_stream(t);

	return s->full && !stream_over(s) && !s->peer_terminated &&
	       !s->peer.fin_sent && !s->peer.reset_sent;
}

bool was_opened_by_send(struct test *t)
{
	const struct stream *s = live_stream(t);

	return s->role == RESPONDER && s->model->rtr_used_receive;
}

bool agent_tells_private_data(struct test *t)
{
	return !(t->bed->hello.untold & AGENT_UNTOLD_PRIVATE_DATA);
}

bool agent_tells_invalidated(struct test *t)
{
	return !(t->bed->hello.untold & AGENT_UNTOLD_INVALIDATED);
}

bool agent_tells_startup_errors(struct test *t)
{
	return !(t->bed->hello.untold & AGENT_UNTOLD_STARTUP_ERRORS);
}

/* A missing message contradicts nothing. */
static bool are_none_left(struct test *t, const struct expect *e)
{
	if (e->a)
		test_seen(t, "%s: %u", e->what, (unsigned)e->a);
	return !e->a;
}

struct expect none_left(const char *what, unsigned left)
{
	return (struct expect){.holds = are_none_left,
			       .due = "nothing more is due",
			       .what = what,
			       .a = left};
}

/* --- memory ---------------------------------------------------------------- */

static bool is_certain(struct test *t, struct region r, size_t off, size_t n)
{
	for (unsigned i = 0; i < t->streams; i++) {
		const struct model *m = t->stream[i].model;

		if (m && !model_region_certain(m, r.stag, r.to + off, n))
			return false;
	}
	return true;
}

void all_settle(struct test *t)
{
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].live && t->stream[i].full)
			stream_settle(t, &t->stream[i]);
}

const uint8_t *octets_due(struct test *t, struct region r, size_t off, size_t n)
{
	uint8_t *copy = test_alloc(t, n);

	return memcpy(copy, t->region[r.number].shadow + off, n);
}

void octets_are_open(struct test *t, struct region r, size_t off, size_t n)
{
	for (unsigned i = 0; i < t->streams; i++)
		if (t->stream[i].model)
			model_region_doubt(t->stream[i].model, r.stag,
					   r.to + off, n);
}

static size_t differs(struct test *t, struct region r, const uint8_t *now)
{
	const uint8_t *due = t->region[r.number].shadow;
	bool certain = is_certain(t, r, 0, r.len);
	size_t at = 0;

	while (at < r.len &&
	       (now[at] == due[at] || (!certain && !is_certain(t, r, at, 1))))
		at++;
	return at;
}

void memories_differ(struct test *t, const struct region *r, unsigned n,
		     size_t *at)
{
	uint8_t *now[TEST_REGIONS];

	dut_memories(t, r, n, now);
	for (unsigned i = 0; i < n; i++)
		at[i] = differs(t, r[i], now[i]);
}

const uint8_t *memory_due(struct test *t, struct region r)
{
	return is_certain(t, r, 0, r.len) ? t->region[r.number].shadow : NULL;
}

static bool is_as_due(struct test *t, const struct expect *e)
{
	struct region r = t->region[e->a].r;
	size_t at = e->b, from = at < 8 ? 0 : at - 8;
	const uint8_t *due = t->region[e->a].shadow, *now;

	if (at == r.len)
		return true;
	now = dut_memory(t, r, 0, r.len);
	t->contradicted = true;
	look_at_memory(t, r, from, due + from, now + from, r.len - from);
	test_due(t, "at octet %zu of region %u: %s", from, r.number,
		 test_hex(t, due + from, r.len - from, HEX_SHOWN));
	test_seen(t,
		  "at octet %zu of region %u: %s; the first that differs is "
		  "octet %zu",
		  from, r.number,
		  test_hex(t, now + from, r.len - from, HEX_SHOWN), at);
	return false;
}

struct expect memory_as_due(struct region r, size_t differs)
{
	return (struct expect){.holds = is_as_due, .a = r.number, .b = differs};
}

/* --- faults ------------------------------------------------------------------ */

static bool has_to_end(const struct model_outcomes *o)
{
	for (unsigned i = 0; i < o->n; i++)
		if (o->outcome[i].kind != MODEL_TERMINATE &&
		    o->outcome[i].kind != MODEL_END)
			return false;
	return o->n && !o->open;
}

void judge_fault(struct test *t)
{
	const struct model *m = live_stream(t)->model;

	if (!m->suspects)
		return;
	const struct model_outcomes *o = &m->suspect[m->suspects - 1].outcomes;

	if (!has_to_end(o) || o->req == MODEL_REQ_NONE)
		return;
	if (req_table[o->req].kind == REQ_KIND_must)
		case_must(t, (struct req_must){o->req}, stream_ends());
	else if (req_table[o->req].kind == REQ_KIND_should)
		case_should(t, (struct req_should){o->req}, stream_ends());
}
