/* SPDX-License-Identifier: BSD-2-Clause */
#include "suite/model/send/suspect.h"

#include <string.h>

bool suspect_has_header(const struct rdmap_terminate *t,
			const struct model_suspect *s)
{
	uint8_t header[DDP_UNTAGGED_OCTETS];
	size_t n = ddp_header_encode(&s->ddp, header);

	return t->ddp_header && t->ddp_header_octets == n &&
	       memcmp(t->ddp_header, header, n) == 0;
}

static bool has_length_of(const struct rdmap_terminate *t,
			  const struct model_suspect *s)
{
	return t->m && t->has_segment_length &&
	       t->segment_length == s->ulpdu_length;
}

bool suspect_fits(const struct model *m, const struct model_outcomes *o,
		  const struct rdmap_terminate *t)
{
	return model_outcomes_terminate(o, t->layer, t->etype, t->code) ||
	       (m->config.unspecified &&
		model_outcomes_unspecified(o, t->layer, t->etype, t->code));
}

/* What it returns is of this suspect: above all the header, then the length. */
static unsigned likeness(const struct rdmap_terminate *t,
			 const struct model_suspect *s)
{
	return 2u * suspect_has_header(t, s) + has_length_of(t, s);
}

const struct model_suspect *suspect_of_terminate(
	const struct model *m, const struct rdmap_terminate *t)
{
	const struct model_suspect *found = NULL;
	unsigned i;

	for (i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (suspect_fits(m, &s->outcomes, t) &&
		    (!found || likeness(t, s) > likeness(t, found)))
			found = s;
	}
	return found;
}

const struct model_suspect *suspect_culprit(const struct model *m)
{
	unsigned i;

	for (i = 0; i < m->suspects; i++)
		if (!model_outcomes_has(&m->suspect[i].outcomes, MODEL_PROCESS))
			return &m->suspect[i];
	return m->suspects ? &m->suspect[0] : NULL;
}

const struct model_suspect *suspect_named(const struct model *m,
					  const struct rdmap_terminate *t)
{
	for (unsigned i = 0; i < m->suspects; i++)
		if (suspect_has_header(t, &m->suspect[i]) &&
		    !m->suspect[i].no_header)
			return &m->suspect[i];
	return NULL;
}

const struct model_suspect *suspect_answered(const struct model *m,
					     const struct rdmap_terminate *t)
{
	const struct model_suspect *found = NULL;

	for (unsigned i = 0; i < m->suspects; i++) {
		const struct model_suspect *s = &m->suspect[i];

		if (!s->no_header && suspect_has_header(t, s) &&
		    suspect_fits(m, &s->outcomes, t) &&
		    (!found || likeness(t, s) > likeness(t, found)))
			found = s;
	}
	return found;
}

void suspect_object(const struct model_suspect *s,
		    const struct model_outcomes *allowed, unsigned short req,
		    enum model_fault fault, uint64_t seen,
		    struct model_objections *out)
{
	model_object_to(out,
			&(struct model_objection){
				.req = req,
				.fault = fault,
				.seen = seen,
				.stimulus = s ? s->stimulus : MODEL_STIM_NONE,
				.allowed = *allowed,
			});
}
