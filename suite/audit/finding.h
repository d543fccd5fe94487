/* SPDX-License-Identifier: BSD-2-Clause */
/* The model's objections, kept for the report. */
#ifndef SUITE_AUDIT_FINDING_H
#define SUITE_AUDIT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/model/outcome/objection.h"

/* At most this many are kept: for one requirement and side; for a stream. */
enum { FINDINGS_OF_ONE = 8, FINDINGS_MOST = 32 };

struct finding {
	struct finding *next;
	unsigned end; /* the side of the connection at fault */
	unsigned short req;
	size_t number; /* among all of the stream, from 1 */
	size_t event;  /* of the trace, plus one; 0: none */
	char text[];   /* due and seen values */
};

struct findings {
	struct finding *first, **last;
	size_t count;
	bool more; /* not all are kept */
	bool failed;
};

/* `about` has the octets concerned, in one line. Returns the finding, or NULL
 * if it is not kept. */
struct finding *findings_add(struct findings *f, unsigned end,
			     const struct model_objection *o,
			     const char *about);
void findings_free(struct findings *f);

#endif
