/* SPDX-License-Identifier: BSD-2-Clause */
/* The objections of the models, kept for the report. */
#ifndef SUITE_AUDIT_FINDING_H
#define SUITE_AUDIT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/model/outcome/objection.h"
#include "suite/model/startup/session.h"

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
	bool sctp; /* they are about messages of SCTP */
};

/* `about` has the octets concerned, in one line. Returns the finding, or NULL
 * if it is not kept. */
struct finding *findings_add(struct findings *f, unsigned end,
			     const struct model_objection *o,
			     const char *about);
/* The same for the model of sessions, about a chunk; and for a text of the
 * caller. */
struct finding *findings_add_session(struct findings *f, unsigned end,
				     const struct model_session_verdict *v,
				     const struct model_chunk *c,
				     const char *about);
struct finding *findings_add_text(struct findings *f, unsigned end,
				  unsigned short req, const char *about,
				  const char *text);
void findings_free(struct findings *f);

#endif
