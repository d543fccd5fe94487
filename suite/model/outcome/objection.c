/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/model/outcome/objection.h"

#include <string.h>

void model_object_to(struct model_objections *out,
		     const struct model_objection *o)
{
	struct model_objection *to;
	unsigned i;

	if (o->req >= REQ_COUNT || req_table[o->req].kind == REQ_KIND_may ||
	    req_table[o->req].kind == REQ_KIND_open)
		return;
	for (i = 0; i < out->n; i++)
		if (out->list[i].fault == o->fault &&
		    out->list[i].req == o->req)
			return;
	if (out->n == MODEL_OBJECTIONS) {
		out->more = true;
		return;
	}
	to = &out->list[out->n++];
	*to = *o;
	if (to->due_max < to->due)
		to->due_max = to->due;
}

void model_object(struct model_objections *out, unsigned short req,
		  enum model_fault fault, uint64_t seen, uint64_t due)
{
	model_object_to(out, &(struct model_objection){.req = req,
						       .fault = fault,
						       .seen = seen,
						       .due = due});
}

void model_octets_put(struct model_octets *to, const uint8_t *octets, size_t n)
{
	to->n = (uint8_t)(n < MODEL_OCTETS ? n : MODEL_OCTETS);
	memcpy(to->octet, octets, to->n);
}

bool model_octets_differ(struct model_objection *o, const uint8_t *seen,
			 const uint8_t *due, size_t n)
{
	size_t i = 0;

	if (n == 0 || memcmp(seen, due, n) == 0)
		return false;
	while (seen[i] == due[i])
		i++;
	o->at = i;
	model_octets_put(&o->seen_octets, seen + i, n - i);
	model_octets_put(&o->due_octets, due + i, n - i);
	return true;
}
