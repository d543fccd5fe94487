/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `--buffer`: memory of a responder that its ULP leaves to its peers and does not
 * change itself. Its bounds are known, and its content is learnt from Writes, Read
 * Responses and Atomic Responses. Whoever names it vouches for the ULP.
 *
 * If several connections share it, its content is compared only for a stream that
 * has it alone: no rule orders the operations of several streams.
 */
#ifndef SUITE_AUDIT_MEMORY_H
#define SUITE_AUDIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/mpa.h"
#include "suite/device/device.h"
#include "suite/model/model.h"

/* The memory as the command line names it; one for all streams. */
struct memory_place {
	struct device_buffer buffer;
	unsigned users;      /* streams that have it */
	unsigned long turns; /* how often one has come to another */
};

/* The memory as one stream knows it. */
struct memory {
	struct memory_place *place; /* NULL: none */
	bool used;
	unsigned long turn;
	struct model_region region;
};

/* The responder has sent this Reply. False: no memory of ours for it. */
bool memory_begins(struct memory *mem, struct memory_place *place,
		   struct model *responder, const struct mpa_startup *reply);
/* A right segment from the responder, before the model has it. */
bool memory_told(struct memory *mem, struct model *responder,
		 const struct ddp_segment *seg);
/* Before each segment from either side: another stream may use the memory by
 * now. */
void memory_shared(struct memory *mem, struct model *responder);
/* What it holds is not known any more, nor compared. */
void memory_lost(struct memory *mem, struct model *responder);
void memory_ends(struct memory *mem);

#endif
