/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/relaying.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/text/memstream.h"
#include "harness/link/relay.h"
#include "suite/audit/audit.h"
#include "suite/audit/collection.h"
#include "suite/audit/conversation.h"
#include "suite/audit/fault.h"

struct relaying {
	const struct relay_options *o;
	struct fault fault;
	struct collection collection;
	uint64_t began;
	unsigned streams;
};

/* One stream, as each of its ends sees it. */
struct stream {
	struct relaying *r;
	struct relay_pair *pair;
	struct assembly_flow flow;
	struct conversation *seen_by[2];
	struct faulty faulty;
	unsigned number;
};

static struct assembly_at now(const struct relaying *r)
{
	return (struct assembly_at){.at_ns = clock_now_ns() - r->began};
}

static void begins(void *user, struct relay_pair *p)
{
	struct relaying *r = user;
	struct stream *s = text_held(calloc(1, sizeof(*s)));

	p->user = s;
	r->streams++;
	if (!s) {
		r->collection.failed = true;
		return;
	}
	s->r = r;
	s->pair = p;
	s->number = r->streams;
	s->faulty.fault = &r->fault;
	s->flow.opened = s->flow.anchored[0] = s->flow.anchored[1] = true;
	memcpy(s->flow.end, p->end, sizeof(s->flow.end));
	memcpy(s->flow.mss, p->mss, sizeof(s->flow.mss));
	for (unsigned i = 0; i < 2; i++) {
		s->seen_by[i] = conversation_new(&s->flow, r->o->profile);
		r->collection.failed |= !s->seen_by[i];
	}
	/* Only whoever listens is told of memory that it has. */
	if (s->seen_by[1])
		s->seen_by[1]->memory = r->o->memory;
}

static void pass(void *user, unsigned from, const uint8_t *octets, size_t n,
		 unsigned long after_ms)
{
	struct stream *s = user;

	s->r->collection.failed |=
		!relay_pass(s->pair, !from, octets, n,
			    after_ms ? clock_after_ms(after_ms) : CLOCK_NOW);
}

static void sees(struct stream *s, unsigned end, unsigned from,
		 const uint8_t *octets, size_t n)
{
	const struct assembly_at at = now(s->r);

	if (s->seen_by[end])
		conversation_octets(s->seen_by[end], from, octets, n, &at);
}

static void came(void *user, struct relay_pair *p, unsigned from,
		 const uint8_t *octets, size_t n)
{
	struct relaying *r = user;
	struct stream *s = p->user;

	if (!s) {
		r->collection.failed |=
			!relay_pass(p, !from, octets, n, CLOCK_NOW);
		return;
	}
	sees(s, from, from, octets, n);
	r->collection.failed |=
		!faulty_octets(&s->faulty, from, octets, n, pass, s);
}

static void passed(void *user, struct relay_pair *p, unsigned to,
		   const uint8_t *octets, size_t n)
{
	(void)user;
	if (p->user)
		sees(p->user, to, !to, octets, n);
}

static void ended(void *user, struct relay_pair *p, unsigned from, bool reset,
		  bool acked)
{
	struct relaying *r = user;
	struct stream *s = p->user;
	const struct assembly_at at = now(r);

	if (!s)
		return;
	for (unsigned i = 0; i < 2; i++)
		if (s->seen_by[i])
			conversation_ends(s->seen_by[i], from, reset,
					  acked && i == from, &at);
	faulty_end(&s->faulty, from, reset, pass, s);
}

/* Which end has sent the Request. */
static unsigned initiator_of(const struct stream *s)
{
	const struct conversation *c = s->seen_by[0];

	return c->request ? c->initiator : 0;
}

static void conclude(struct relaying *r, struct stream *s)
{
	char about[32], line[512];

	snprintf(about, sizeof(about), "stream %u", s->number);
	if (r->fault.kind) {
		faulty_line(&s->faulty, line, sizeof(line));
		collection_note(&r->collection, about, line);
	}
	for (unsigned i = 0; i < 2; i++) {
		unsigned end = i ^ initiator_of(s);
		struct conversation *c = s->seen_by[end];

		c->number = s->number;
		if (r->fault.kind)
			c->remark = line;
		if (c->recognised)
			collection_add(&r->collection, c, end, "relay");
	}
}

static void over(void *user, struct relay_pair *p)
{
	struct relaying *r = user;
	struct stream *s = p->user;

	if (!s)
		return;
	if (s->seen_by[0] && s->seen_by[1])
		conclude(r, s);
	conversation_free(s->seen_by[0]);
	conversation_free(s->seen_by[1]);
	faulty_free(&s->faulty);
	free(s);
	p->user = NULL;
}

static void refused(void *user, const char *why)
{
	struct relaying *r = user;

	collection_note(&r->collection, r->o->to, why);
	r->collection.broken = true;
}

/* --- all of it ---------------------------------------------------------------- */

static bool serve(struct relaying *r, char why[RELAY_WHY])
{
	static const struct relay_events events = {begins, came, passed,
						   ended,  over, refused};
	int stop = audit_ends();
	struct relay *relay =
		relay_open(r->o->listen, r->o->to, &events, r, why);
	bool ok = relay;

	if (relay) {
		if (r->o->listens)
			r->o->listens(relay_place(relay));
		ok = relay_run(relay,
			       r->o->max_time_ns ? r->began + r->o->max_time_ns
						 : UINT64_MAX,
			       stop, why);
		relay_close(relay);
	}
	if (stop >= 0)
		close(stop);
	return ok;
}

bool relaying(const struct relay_options *o, struct run_result *out, char *why,
	      size_t cap)
{
	static struct relaying r;
	char line[RELAY_WHY];

	r = (struct relaying){.o = o, .began = clock_now_ns()};
	if (o->fault && !fault_parse(&r.fault, o->fault, why, cap))
		return false;
	collection_begin(out, o->to, "relay", o->spec, o->strict);
	if (!serve(&r, line)) {
		snprintf(why, cap, "%s", line);
		return false;
	}
	collection_end(&r.collection, out, o->listen,
		       "no iWARP stream came through");
	out->duration_ns = clock_now_ns() - r.began;
	return true;
}
