/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/memory.h"

#include <stdlib.h>

#include "harness/text/memstream.h"
#include "suite/device/target.h"
#include "suite/model/startup/negotiate.h"

/* For a buffer of more octets, only the bounds are judged. */
enum { CONTENTS_MOST = 4 << 20 };

/* A domain that no stream has. */
enum { OTHER_DOMAIN = 1 };

static bool begin(struct memory_use *u, struct memory_place *place,
		  struct model *responder, const struct device_buffer *b)
{
	struct model_region *r = &u->region;

	*r = (struct model_region){.stag = b->stag,
				   .to = b->to,
				   .len = b->len,
				   .access = place->access,
				   .pd = place->foreign ? OTHER_DOMAIN : 0,
				   .shared = place->shared,
				   .by_address = place->by_address,
				   .doubtful = place->invalidated};
	u->used = true;
	if (b->where == BUFFER_GIVEN && place->users++)
		place->turns++;
	u->turn = place->turns;
	if (place->untouched && !place->invalidated &&
	    b->len <= CONTENTS_MOST && place->users <= 1) {
		r->shadow = text_held(calloc(b->len, 1));
		r->known = text_held(calloc(b->len, 1));
		r->operands =
			text_held(calloc(MODEL_REQUESTS, sizeof(*r->operands)));
		if (!r->shadow || !r->known || !r->operands)
			return false;
	}
	model_region_add(responder, r);
	return true;
}

static bool begin_place(struct memory_use *u, struct memory_place *place,
			struct model *responder,
			const struct mpa_startup *reply)
{
	struct device_buffer b;
	struct mpa_enhanced e;
	size_t own = model_enhanced(reply, &e) ? MPA_ENHANCED_OCTETS : 0;

	if (place->buffer.where == BUFFER_GIVEN)
		return begin(u, place, responder, &place->buffer);
	return place->buffer.where != BUFFER_PRIVATE_DATA ||
	       !device_buffer_of(&place->buffer, reply->private_data + own,
				 reply->private_octets - own, &b) ||
	       begin(u, place, responder, &b);
}

bool memory_begins(struct memory *mem, struct memory_places *places,
		   struct model *responder, const struct mpa_startup *reply)
{
	bool ok = true;

	*mem = (struct memory){.places = places};
	if (!places || !places->n)
		return true;
	mem->use = text_held(calloc(places->n, sizeof(*mem->use)));
	if (!mem->use)
		return false;
	responder->config.regions_known = places->all;
	for (size_t i = 0; i < places->n; i++)
		ok = begin_place(&mem->use[i], &places->place[i], responder,
				 reply) &&
		     ok;
	return ok;
}

bool memory_told(struct memory *mem, struct model *responder,
		 const struct ddp_segment *seg)
{
	bool ok = true;

	for (size_t i = 0; mem->use && i < mem->places->n; i++) {
		struct memory_place *p = &mem->places->place[i];
		struct device_buffer b;

		if (!mem->use[i].used && p->buffer.where == BUFFER_SEND &&
		    !seg->short_header && !seg->ddp.tagged &&
		    seg->ddp.opcode == RDMAP_SEND &&
		    device_buffer_of(&p->buffer, seg->payload,
				     seg->payload_octets, &b))
			ok = begin(&mem->use[i], p, responder, &b) && ok;
	}
	return ok;
}

/* The place of this region in the model, or -1. */
static int region_of(const struct model *m, const struct memory_use *u)
{
	for (unsigned i = 0; u->used && i < m->regions; i++)
		if (m->region[i].stag == u->region.stag)
			return (int)i;
	return -1;
}

static void lose(struct memory_use *u, struct model *responder)
{
	int i = region_of(responder, u);

	if (i >= 0)
		responder->region[i].shadow = responder->region[i].known = NULL;
}

void memory_lost(struct memory *mem, struct model *responder)
{
	for (size_t i = 0; mem->use && i < mem->places->n; i++)
		lose(&mem->use[i], responder);
}

/* Another stream has invalidated the STag: whether before or after what comes on
 * this one, only the device knows. */
static void doubt(struct memory_use *u, struct model *responder)
{
	int i = region_of(responder, u);

	if (i < 0 || responder->dead[i])
		return;
	responder->region[i].doubtful = true;
	lose(u, responder);
}

void memory_shared(struct memory *mem, struct model *responder)
{
	for (size_t i = 0; mem->use && i < mem->places->n; i++) {
		struct memory_place *p = &mem->places->place[i];
		struct memory_use *u = &mem->use[i];
		int at = region_of(responder, u);

		if (!u->used || p->buffer.where != BUFFER_GIVEN)
			continue;
		if (p->invalidated)
			doubt(u, responder);
		else if (at >= 0 && responder->dead[at])
			p->invalidated = true;
		if (u->turn != p->turns)
			lose(u, responder);
	}
}

void memory_ends(struct memory *mem)
{
	for (size_t i = 0; mem->use && i < mem->places->n; i++) {
		struct memory_place *p = &mem->places->place[i];
		struct model_region *r = &mem->use[i].region;

		if (mem->use[i].used && p->buffer.where == BUFFER_GIVEN)
			p->users--;
		free(r->shadow);
		free(r->known);
		free(r->operands);
	}
	free(mem->use);
	*mem = (struct memory){.places = NULL};
}
