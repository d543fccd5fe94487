/* SPDX-License-Identifier: BSD-2-Clause */
/* The text for a fault of a session over SCTP, and the field that it is
 * about. */
#ifndef SUITE_LANGUAGE_SESSION_TEXT_H
#define SUITE_LANGUAGE_SESSION_TEXT_H

#include "suite/language/execution/execution.h"

/* "it is not unordered", then the due and the seen value; the same after "of a
 * chunk: ". */
const char *session_fault_words(struct test *t,
				const struct model_session_verdict *v,
				const struct model_chunk *c);
const char *session_fault_text(struct test *t,
			       const struct model_session_verdict *v,
			       const struct model_chunk *c);
/* "Session Accept, DDP-SSN 0, 4 octets of private data". */
const char *session_chunk_text(struct test *t, const struct model_chunk *c);
/* The name of the chunk's field at fault, or NULL. */
const char *session_fault_field(enum model_session_fault fault);

#endif
