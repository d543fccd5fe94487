/* SPDX-License-Identifier: BSD-2-Clause */
/* The sides that were judged, as the results of one run. */
#ifndef SUITE_AUDIT_COLLECTION_H
#define SUITE_AUDIT_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/audit/conversation.h"
#include "suite/judge/result.h"

struct collection {
	struct result *results;
	size_t count, cap, clean;
	uint64_t left_out; /* sides that are not listed */
	char note[768];    /* one line on things that could not be judged */
	bool broken;       /* not everything was judged */
	bool failed;       /* out of memory */
};

/* Add end `end` of a conversation that is over; `place` names the capture. */
void collection_add(struct collection *l, const struct conversation *c,
		    unsigned end, const char *place);
/* Append to the note. */
void collection_note(struct collection *l, const char *about, const char *what);

/* Begin a run: only its name is known. */
void collection_begin(struct run_result *out, const char *device,
		      const char *link, const char *spec, bool strict);
/* Put everything into *out, which refers to *l. `none` is the note if there is
 * neither a result nor another note. */
void collection_end(struct collection *l, struct run_result *out,
		    const char *about, const char *none);

#endif
