/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of responders, as the user describes it. The user vouches for the
 * ULP.
 *
 *   --buffer PLACE   one region that the ULP leaves to its peers and does not
 *                    change itself
 *   --memory FILE    all regions that responders have registered, with the
 *                    rights of peers: the device has to refuse an access to any
 *                    other STag
 *
 * The audit learns the contents of a region that the ULP does not change from
 * Writes, Read Responses and Atomic Responses. If several connections share a
 * region, its contents are compared only while one stream has it alone: no rule
 * orders the operations of several streams.
 */
#ifndef SUITE_AUDIT_MEMORY_H
#define SUITE_AUDIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/wire/mpa.h"
#include "suite/device/device.h"
#include "suite/model/model.h"

/* A region as the user describes it; one for all streams. */
struct memory_place {
	struct device_buffer buffer;
	unsigned access;     /* enum model_access */
	bool foreign;        /* of another stream, or of another domain */
	bool shared;         /* remote invalidation has to be refused */
	bool by_address;     /* its TOs are addresses of the host */
	bool untouched;      /* the ULP does not change it */
	bool invalidated;    /* one of the streams seems to have done so */
	unsigned users;      /* streams that have it */
	unsigned long turns; /* how often a further stream joined them */
};

struct memory_places {
	size_t n;
	struct memory_place place[MODEL_REGIONS];
	bool all; /* responders have no other memory for their peers */
};

/* The region that --buffer names. False: one line in why. */
bool memory_buffer(struct memory_places *p, const char *text, char *why,
		   size_t cap);
/*
 * The regions in the file of --memory. A line has STAG:TO:LENGTH and words: the
 * rights of peers as in PROTOCOL.md (rr, rw, ra, or none), and foreign, shared,
 * zero-based or untouched. A semicolon begins a comment. False: one line in
 * why.
 */
bool memory_file(struct memory_places *p, const char *path, char *why,
		 size_t cap);

/* A region as one stream knows it. */
struct memory_use {
	bool used;
	unsigned long turn;
	struct model_region region;
};

/* The memory as one stream knows it. */
struct memory {
	struct memory_places *places; /* NULL: none */
	struct memory_use *use;       /* one for each place */
};

/* The responder has sent this Reply. `places` may be NULL. False: out of
 * memory. */
bool memory_begins(struct memory *mem, struct memory_places *places,
		   struct model *responder, const struct mpa_startup *reply);
/* A correct segment from the responder, before the model gets it: it may
 * advertise a region. False: out of memory. */
bool memory_told(struct memory *mem, struct model *responder,
		 const struct ddp_segment *seg);
/* Call it before each segment from either side, and at the end: meanwhile
 * another stream may use the memory, or may have invalidated its STag. */
void memory_shared(struct memory *mem, struct model *responder);
/* The contents are no longer known, and no longer compared. */
void memory_lost(struct memory *mem, struct model *responder);
void memory_ends(struct memory *mem);

#endif
