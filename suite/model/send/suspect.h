/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The messages of the peer that may be at fault, and which of them a Terminate
 * of the DUT is about. For the files of this folder.
 */
#ifndef SUITE_MODEL_SEND_SUSPECT_H
#define SUITE_MODEL_SEND_SUSPECT_H

#include "suite/model/internal.h"

/* Whether its numbers are among these outcomes. */
bool suspect_fits(const struct model *m, const struct model_outcomes *o,
		  const struct rdmap_terminate *t);
/* Whether it returns the DDP header of this suspect. */
bool suspect_has_header(const struct rdmap_terminate *t,
			const struct model_suspect *s);
/* All of the following return NULL if there is no such suspect. */

/*
 * The suspect that its numbers fit. If they fit several, the returned header
 * decides; if it belongs to several of them or to none, the returned length;
 * without one, the earliest suspect.
 */
const struct model_suspect *suspect_of_terminate(
	const struct model *m, const struct rdmap_terminate *t);
/* The suspect whose header it returns. */
const struct model_suspect *suspect_named(const struct model *m,
					  const struct rdmap_terminate *t);
/* The same, with a number that is due for it. Several segments may have the
 * same header: then the one of the returned length. */
const struct model_suspect *suspect_answered(const struct model *m,
					     const struct rdmap_terminate *t);
/* The suspect that has to be refused, else the first. */
const struct model_suspect *suspect_culprit(const struct model *m);

/* An objection, with the set that was due, and the fault that it answers; NULL:
 * from the startup. */
void suspect_object(const struct model_suspect *s,
		    const struct model_outcomes *allowed, unsigned short req,
		    enum model_fault fault, uint64_t seen,
		    struct model_objections *out);

/* The row that the Terminate breaks because what the model knows rules out its
 * cause in the message with this header; MODEL_REQ_NONE: nothing is ruled
 * out. */
unsigned short model_cause_ruled_out(const struct model *m,
				     const struct rdmap_terminate *t,
				     const struct ddp *d);

#endif
