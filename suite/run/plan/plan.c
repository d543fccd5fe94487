/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/run/plan/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/agent/client.h"
#include "harness/link/link.h"
#include "suite/judge/reasons.h"
#include "suite/run/plan/rerun.h"

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p) {
		fputs("warpspec: out of memory\n", stderr);
		exit(4);
	}
	return p;
}

bool plan_select(struct plan *p, const struct run_options *o, char *why,
		 size_t cap)
{
	const struct registry *r = registry();
	size_t nth = 0;

	*p = (struct plan){
		.selected = zeroed(r->count, sizeof(*p->selected)),
		.skip = zeroed(r->count, sizeof(*p->skip)),
		.order = zeroed(r->count, sizeof(*p->order)),
	};
	if (!registry_select(o->selectors, o->selector_count, p->selected, why,
			     cap))
		return false;
	for (size_t i = 0; i < r->count; i++) {
		if (!p->selected[i])
			continue;
		if (o->rerun && !rerun_wants(o, r->instances[i].id)) {
			p->selected[i] = false;
			continue;
		}
		if (o->shards && nth++ % o->shards != o->shard - 1)
			p->selected[i] = false;
		else
			p->selected_count++;
	}
	return true;
}

/* The features of a mask, by name: "imm, imm-se". */
static const char *feature_list(uint64_t mask)
{
	static char text[1024];

	text[0] = '\0';

	for (unsigned i = 0; i < AGENT_FEATURES; i++)
		if (mask >> i & 1) {
			if (text[0])
				strcat(text, ", ");
			strcat(text, agent_feature_name(i));
		}
	return text;
}

static char *reason(const char *before, const char *what)
{
	char *s;

	if (asprintf(&s, "%s%s", before, what) < 0)
		s = zeroed(1, 1);
	return s;
}

static unsigned spec_bit(enum model_profile p)
{
	return 1u << p;
}

static const char *why_not(const struct instance *in,
			   const struct run_options *o, uint64_t claims,
			   unsigned link_caps)
{
	bool sctp = link_caps & LINK_CAP_MESSAGES;
	uint64_t missing =
		(in->needs | (sctp ? NEED_SCTP : 0)) & ~(claims | NEED_MPA);
	uint64_t there = in->desc->lacks & claims;

	if (in->desc->spec && !(in->desc->spec & spec_bit(o->profile)))
		return reason("not a rule of ", o->spec);
	if (missing)
		return reason(REASON_UNCLAIMED, feature_list(missing));
	if (sctp && in->needs & NEED_MPA)
		return "the case is about MPA or TCP; this link is SCTP";
	if (!sctp && in->needs & NEED_SCTP)
		return "this link is TCP; the case needs --link sctp";
	if (there)
		return reason("for devices that do not claim ",
			      feature_list(there));
	if (in->desc->segments && !(link_caps & LINK_CAP_SEGMENTS))
		return "this link cannot choose TCP segments; the case needs "
		       "--link raw";
	if (in->desc->destructive && !o->destructive)
		return "may bring a device down; run it with --destructive";
	return NULL;
}

bool plan_is_applicable(const struct run_options *o, const struct instance *in,
			uint64_t claims, unsigned link_caps)
{
	return !why_not(in, o, claims, link_caps);
}

/* xorshift64*: the same order for the same seed, on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

static void shuffle(uint32_t *order, size_t n, uint64_t seed)
{
	uint64_t state = seed * 2 + 1;

	for (size_t i = n; i > 1; i--) {
		size_t k = next_random(&state) % i;
		uint32_t was = order[i - 1];

		order[i - 1] = order[k];
		order[k] = was;
	}
}

bool plan_knows_crash(const struct run_options *o, const struct instance *in)
{
	return o->deviations &&
	       deviations_crash(o->deviations, in->id, time(NULL));
}

bool plan_is_alone(const struct run_options *o, const struct instance *in)
{
	return in->desc->destructive || plan_knows_crash(o, in);
}

/* 0: waits, first; 1: the rest; 2: alone, last. */
static unsigned rank(const struct run_options *o, const struct instance *in)
{
	return plan_is_alone(o, in) ? 2 : in->desc->waits ? 0 : 1;
}

void plan_order(struct plan *p, const struct run_options *o, uint64_t claims,
		unsigned link_caps)
{
	const struct registry *r = registry();
	uint32_t *sorted = zeroed(r->count, sizeof(*sorted));
	size_t n = 0;

	static_assert(SPEC_RFC7306 == 1 << MODEL_RFC7306 &&
			      SPEC_DRAFT_10 == 1 << MODEL_DRAFT_10 &&
			      SPEC_DRAFT_03 == 1 << MODEL_DRAFT_03 &&
			      SPEC_DRAFT_01 == 1 << MODEL_DRAFT_01,
		      "a profile's bit in case_desc.spec");
	for (size_t i = 0; i < r->count; i++) {
		if (!p->selected[i])
			continue;
		p->skip[i] = why_not(&r->instances[i], o, claims, link_caps);
		if (p->skip[i])
			p->skipped++;
		else
			p->order[p->count++] = (uint32_t)i;
	}
	if (o->shuffle)
		shuffle(p->order, p->count, o->seed);
	for (unsigned k = 0; k < 3; k++)
		for (size_t i = 0; i < p->count; i++)
			if (rank(o, &r->instances[p->order[i]]) == k)
				sorted[n++] = p->order[i];
	free(p->order);
	p->order = sorted;
}

void plan_print(const struct plan *p, const struct run_options *o,
		const char *link)
{
	char skipped[64] = "";

	if (p->skipped)
		snprintf(skipped, sizeof(skipped),
			 "; at least %zu more are not applicable", p->skipped);
	fprintf(stderr, "warpspec: %zu case%s on %s, link %s, %u job%s%s\n",
		p->count, p->count == 1 ? "" : "s", o->device->name, link,
		o->jobs, o->jobs == 1 ? "" : "s", skipped);
}
