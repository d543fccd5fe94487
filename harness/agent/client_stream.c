/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs of connections, of work and of its completions. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/agent/client_session.h"

/* ------------------------------------------------------------------ *
 * Connections
 * ------------------------------------------------------------------ */

static void put_number(struct agent *a, const char *key, struct agent_number v)
{
	if (v.given)
		request_put(a, " %s=%" PRIu64, key, v.value);
}

static void put_rtr(struct agent *a, unsigned rtr)
{
	if (!rtr)
		return;
	request_put(a, " rtr=");
	request_bits(a, agent_rtr_names, AGENT_RTR_BITS, rtr);
}

static void put_params(struct agent *a, const struct agent_params *p)
{
	if (p->pd)
		request_put(a, " pd=%" PRIu32, p->pd);
	put_number(a, "ird", p->ird);
	put_number(a, "ord", p->ord);
	if (p->private_octets)
		request_hex(a, "private", p->private_data, p->private_octets);
	if (p->markers)
		request_put(a, " markers=1");
	if (p->crc_off)
		request_put(a, " crc=0");
	if (p->rq)
		request_put(a, " rq=%" PRIu32, p->rq);
	put_number(a, "rqlen", p->rqlen);
	if (p->sctp)
		request_put(a, " proto=sctp");
	if (p->udp)
		request_put(a, " udp=%u", p->udp);
	put_number(a, "stream", p->stream);
	if (p->mpa)
		request_put(a, " mpa=%u", p->mpa);
	if (p->plain)
		request_put(a, " enhanced=0");
	put_rtr(a, p->rtr);
	put_number(a, "need-ord", p->need_ord);
	put_number(a, "msn", p->msn);
}

static bool take_listen(struct agent *a, const struct pending *p,
			const struct line *l)
{
	struct agent_listener *out = p->out;
	uint64_t port = 0;

	if (!value_need_text(a, p, l, "listener", out->listener, AGENT_NAME) ||
	    !value_need_number(a, p, l, "port", UINT16_MAX, &port))
		return false;
	out->port = (uint16_t)port;
	return true;
}

void agent_begin_listen(struct agent *a, uint16_t port,
			const struct agent_params *p,
			struct agent_listener *out)
{
	*out = (struct agent_listener){0};
	request_start(a, "listen");
	if (port)
		request_put(a, " port=%u", port);
	put_params(a, p);
	if (p->reject)
		request_put(a, " reject=1");
	request_end_as(a, "listen", take_listen, out);
}

/* What accept and state report of the peer's startup frame. */
static bool take_startup(struct agent *a, const struct pending *p,
			 const struct line *l, struct agent_state *s)
{
	const struct line_token *t = line_find(l, "private");

	s->has_private = t != NULL;
	if (t && !value_hex_of(a, p, t, s->private_data, AGENT_PRIVATE,
			       &s->private_octets, &s->private_told))
		return false;
	s->has_ird = line_get(l, "ird") || line_get(l, "ord");
	return !s->has_ird || (value_need_32(a, p, l, "ird", &s->ird) &&
			       value_need_32(a, p, l, "ord", &s->ord));
}

static bool take_accept(struct agent *a, const struct pending *p,
			const struct line *l)
{
	static const char *const states[] = {"established", "rejected"};
	struct agent_state *s = p->out;
	uint64_t stream = 0;
	size_t state;

	if (!value_need_text(a, p, l, "conn", s->conn, AGENT_NAME) ||
	    !value_need_name(a, p, l, "state", states, 2, &state) ||
	    !value_need_text(a, p, l, "peer", s->peer, AGENT_NAME) ||
	    !value_may_number(a, p, l, "stream", UINT16_MAX, &stream))
		return false;
	s->has_stream = line_get(l, "stream");
	s->stream = (uint16_t)stream;
	s->state = state == 0 ? AGENT_ESTABLISHED : AGENT_REJECTED;
	return take_startup(a, p, l, s);
}

void agent_begin_accept(struct agent *a, const char *listener,
			uint32_t timeout_ms, struct agent_state *out)
{
	*out = (struct agent_state){0};
	request_start(a, "accept");
	request_put(a, " listener=%s timeout-ms=%" PRIu32, listener,
		    timeout_ms);
	request_end_as(a, "accept", take_accept, out);
}

static bool take_connect(struct agent *a, const struct pending *p,
			 const struct line *l)
{
	return value_need_text(a, p, l, "conn", p->out, AGENT_NAME);
}

void agent_begin_connect(struct agent *a, const char *addr, uint16_t port,
			 const struct agent_params *p, char conn[AGENT_NAME])
{
	conn[0] = '\0';
	request_start(a, "connect");
	request_put(a, " addr=%s port=%u", addr, port);
	put_params(a, p);
	request_end_as(a, "connect", take_connect, conn);
}

static bool take_terminate(struct agent *a, const struct pending *p,
			   const struct line *l, struct agent_state *s)
{
	static const char *const sides[] = {"local", "remote"};
	const struct line_token *t = line_find(l, "term-hex");
	uint32_t layer, etype, code;
	size_t side = 0;

	if (!line_get(l, "term-layer"))
		return true;
	s->has_terminate_from = line_get(l, "term-from");
	if (!value_need_32(a, p, l, "term-layer", &layer) ||
	    !value_need_32(a, p, l, "term-etype", &etype) ||
	    !value_need_32(a, p, l, "term-code", &code) ||
	    (s->has_terminate_from &&
	     !value_need_name(a, p, l, "term-from", sides, 2, &side)))
		return false;
	s->has_terminate = true;
	s->terminate_remote = side == 1;
	s->layer = layer;
	s->etype = etype;
	s->code = code;
	return !t || value_hex_of(a, p, t, s->term, AGENT_TERM, &s->term_octets,
				  &s->term_told);
}

static bool take_state(struct agent *a, const struct pending *p,
		       const struct line *l)
{
	struct agent_state *s = p->out;
	size_t state;

	if (!value_need_name(a, p, l, "state", agent_stream_names,
			     AGENT_STREAMS, &state))
		return false;
	s->state = (enum agent_stream)state;
	return take_terminate(a, p, l, s) && take_startup(a, p, l, s);
}

void agent_begin_state(struct agent *a, const char *conn, uint32_t timeout_ms,
		       enum agent_stream until, struct agent_state *out)
{
	*out = (struct agent_state){0};
	request_start(a, "state");
	request_put(a, " conn=%s", conn);
	if (timeout_ms)
		request_put(a, " timeout-ms=%" PRIu32, timeout_ms);
	if (until < AGENT_STREAMS)
		request_put(a, " until=%s", agent_stream_name(until));
	request_end_as(a, "state", take_state, out);
}

void agent_begin_close(struct agent *a, const char *conn, enum agent_closing h)
{
	static const char *const how[] = {"", " abort=1", " half=1"};

	request_start(a, "close");
	request_put(a, " conn=%s%s", conn, how[h]);
	request_end_as(a, "close", NULL, NULL);
}

void agent_begin_provoke(struct agent *a, const char *conn, unsigned layer,
			 unsigned etype, unsigned code)
{
	request_start(a, "provoke");
	request_put(a, " conn=%s layer=%u etype=%u code=%u", conn, layer, etype,
		    code);
	request_end_as(a, "provoke", NULL, NULL);
}

/* ------------------------------------------------------------------ *
 * Work and completions
 * ------------------------------------------------------------------ */

void agent_begin_recv(struct agent *a, const struct agent_recv *r)
{
	request_start(a, "recv");
	request_put(a, " conn=%s", r->conn);
	if (r->count)
		request_put(a, " count=%" PRIu32, r->count);
	if (r->local)
		request_put(a, " local=%s off=%" PRIu64, r->local, r->off);
	request_put(a, " len=%" PRIu64, r->len);
	put_number(a, "id", r->id);
	request_end_as(a, "recv", NULL, NULL);
}

void agent_begin_post(struct agent *a, const struct agent_post *p)
{
	assert(p->op != AGENT_RECV && p->op != AGENT_RECV_IMM);
	request_start(a, "post");
	request_put(a, " conn=%s id=%" PRIu64 " op=%s", p->conn, p->id,
		    agent_op_name(p->op));
	if (p->local)
		request_put(a, " local=%s off=%" PRIu64 " len=%" PRIu64,
			    p->local, p->off, p->len);
	if (p->inline_octets)
		request_hex(a, "hex", p->octets, p->n);
	put_number(a, "rstag", p->rstag);
	put_number(a, "rto", p->rto);
	put_number(a, "inv", p->inv);
	if (p->imm)
		request_hex(a, "imm", p->imm, 8);
	put_number(a, "add", p->add);
	put_number(a, "mask", p->mask);
	put_number(a, "swap", p->swap);
	put_number(a, "swap-mask", p->swap_mask);
	put_number(a, "compare", p->compare);
	put_number(a, "compare-mask", p->compare_mask);
	if (p->se)
		request_put(a, " se=1");
	if (p->fence)
		request_put(a, " fence=1");
	request_end_as(a, "post", NULL, NULL);
}

static bool take_events(struct agent *a, const struct pending *p,
			const struct line *l)
{
	struct agent_events *e = p->out;

	return value_need_number(a, p, l, "n", e->cap, &a->events_left);
}

void agent_begin_events(struct agent *a, const char *conn, uint32_t timeout_ms,
			uint32_t min, struct agent_events *out)
{
	struct pending p = {.verb = "events", .take = take_events, .out = out};

	assert(out->cap > 0 && strlen(conn) < AGENT_NAME);
	memcpy(p.name, conn, strlen(conn) + 1);
	out->n = out->room_used = 0;
	request_start(a, "events");
	request_put(a, " conn=%s max=%zu", conn, out->cap);
	if (timeout_ms)
		request_put(a, " timeout-ms=%" PRIu32, timeout_ms);
	if (min)
		request_put(a, " min=%" PRIu32, min);
	request_end(a, &p);
}

/* Octets that don't fit are left out as a whole. */
static bool take_event_octets(struct agent *a, const struct pending *p,
			      const struct line *l, struct agent_event *ev)
{
	struct agent_events *e = p->out;
	const struct line_token *t = line_find(l, "hex");
	size_t left = e->room_octets - e->room_used;
	size_t n = 0, told = 0;

	if (!t)
		return true;
	ev->cut = t->value_len / 2 > left;
	/* Never a NULL for octets that were reported, even for none. */
	uint8_t *room = e->room ? e->room + e->room_used : (uint8_t *)"";
	if (!value_hex_of(a, p, t, room, ev->cut ? 0 : left, &n, &told))
		return false;
	if (ev->cut)
		return true;
	ev->octets = room;
	ev->n = n;
	e->room_used += n;
	return true;
}

static bool take_event_rest(struct agent *a, const struct pending *p,
			    const struct line *l, struct agent_event *ev)
{
	uint64_t se = 0;

	ev->has_sha256 = line_get(l, "sha256") != NULL;
	ev->has_se = line_get(l, "se") != NULL;
	ev->has_inv = line_get(l, "inv") != NULL;
	ev->has_imm = line_get(l, "imm") != NULL;
	ev->has_value = line_get(l, "value") != NULL;
	if (!value_may_number(a, p, l, "se", 1, &se) ||
	    !value_may_number(a, p, l, "value", UINT64_MAX, &ev->value))
		return false;
	ev->se = se == 1;
	return (!ev->has_sha256 ||
		value_need_octets(a, p, l, "sha256", ev->sha256, 32)) &&
	       (!ev->has_inv || value_need_32(a, p, l, "inv", &ev->inv)) &&
	       (!ev->has_imm || value_need_octets(a, p, l, "imm", ev->imm, 8));
}

bool take_event(struct agent *a, const struct pending *p, const struct line *l)
{
	struct agent_events *e = p->out;
	struct agent_event *ev = &e->event[e->n];
	size_t op, status;

	*ev = (struct agent_event){0};
	if (!value_need_text(a, p, l, "conn", ev->conn, AGENT_NAME) ||
	    !value_need_number(a, p, l, "id", UINT64_MAX, &ev->id) ||
	    !value_need_name(a, p, l, "op", agent_op_names, AGENT_WRITE_IMM,
			     &op) ||
	    !value_need_name(a, p, l, "status", agent_status_names,
			     AGENT_STATUSES, &status) ||
	    !value_need_number(a, p, l, "len", UINT64_MAX, &ev->len))
		return false;
	if (strcmp(ev->conn, p->name) != 0)
		return session_garbage(a, p->verb, "an event of %.60s",
				       ev->conn);
	ev->op = (enum agent_op)op;
	ev->status = (enum agent_status)status;
	if (!take_event_octets(a, p, l, ev) || !take_event_rest(a, p, l, ev))
		return false;
	e->n++;
	return true;
}
