/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of a responder that its ULP lets its peers use, and leaves alone itself:
 * `--buffer`. Its bounds are known, then, and what it holds is learnt from Writes,
 * Read Responses and Atomic Responses. Whoever names it vouches for the ULP.
 *
 * Where it is the same for all connections, only a stream that has it alone is
 * compared with what it holds: no text orders the operations of several.
 */
#ifndef SUITE_AUDIT_MEMORY_H
#define SUITE_AUDIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/mpa.h"
#include "suite/device/device.h"
#include "suite/model/model.h"

/* As the command line names it; one for all streams. */
struct memory_place {
	struct device_buffer buffer;
	unsigned users;      /* streams that have it */
	unsigned long turns; /* how often one has come to another */
};

/* As one stream has it. */
struct memory {
	struct memory_place *place; /* NULL: none */
	bool used;
	unsigned long turn;
	struct model_region region;
};

/* The responder has sent this Reply. False: no memory of ours for it. */
bool memory_begins(struct memory *mem, struct memory_place *place,
		   struct model *responder, const struct mpa_startup *reply);
/* A right segment of the responder's, before the model has it. */
bool memory_told(struct memory *mem, struct model *responder,
		 const struct ddp_segment *seg);
/* Before each segment of either side: another stream may have come to it. */
void memory_shared(struct memory *mem, struct model *responder);
/* What it holds is not known any more, nor compared. */
void memory_lost(struct memory *mem, struct model *responder);
void memory_ends(struct memory *mem);

#endif
