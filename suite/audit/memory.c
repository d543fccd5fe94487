/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/audit/memory.h"

#include <stdlib.h>

#include "harness/text/memstream.h"
#include "suite/device/target.h"
#include "suite/model/startup/negotiate.h"

/* For a buffer of more octets, only the bounds are judged. */
enum { CONTENTS_MOST = 4 << 20 };

static bool begin(struct memory *mem, struct model *responder,
		  const struct device_buffer *b)
{
	struct model_region *r = &mem->region;

	*r = (struct model_region){.stag = b->stag,
				   .to = b->to,
				   .len = b->len,
				   .access = MODEL_LW | MODEL_RR | MODEL_RW |
					     MODEL_RA};
	mem->used = true;
	if (b->where == BUFFER_GIVEN && mem->place->users++)
		mem->place->turns++;
	mem->turn = mem->place->turns;
	if (b->len <= CONTENTS_MOST && mem->place->users <= 1) {
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

bool memory_begins(struct memory *mem, struct memory_place *place,
		   struct model *responder, const struct mpa_startup *reply)
{
	struct device_buffer b;
	struct mpa_enhanced e;
	size_t own = model_enhanced(reply, &e) ? MPA_ENHANCED_OCTETS : 0;

	mem->place = place;
	if (!place)
		return true;
	if (place->buffer.where == BUFFER_GIVEN)
		return begin(mem, responder, &place->buffer);
	return place->buffer.where != BUFFER_PRIVATE_DATA ||
	       !device_buffer_of(&place->buffer, reply->private_data + own,
				 reply->private_octets - own, &b) ||
	       begin(mem, responder, &b);
}

bool memory_told(struct memory *mem, struct model *responder,
		 const struct ddp_segment *seg)
{
	struct device_buffer b;

	return !mem->place || mem->used ||
	       mem->place->buffer.where != BUFFER_SEND || seg->short_header ||
	       seg->ddp.tagged || seg->ddp.opcode != RDMAP_SEND ||
	       !device_buffer_of(&mem->place->buffer, seg->payload,
				 seg->payload_octets, &b) ||
	       begin(mem, responder, &b);
}

void memory_lost(struct memory *mem, struct model *responder)
{
	for (unsigned i = 0; mem->used && i < responder->regions; i++)
		if (responder->region[i].stag == mem->region.stag)
			responder->region[i].shadow =
				responder->region[i].known = NULL;
}

void memory_shared(struct memory *mem, struct model *responder)
{
	if (mem->used && mem->turn != mem->place->turns)
		memory_lost(mem, responder);
}

void memory_ends(struct memory *mem)
{
	if (mem->used && mem->place->buffer.where == BUFFER_GIVEN)
		mem->place->users--;
	free(mem->region.shadow);
	free(mem->region.known);
	free(mem->region.operands);
	*mem = (struct memory){.place = NULL};
}
