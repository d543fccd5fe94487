/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An instance of a case. Each row of CASE_EACH is an instance, and a case of
 * role EITHER has one for each role. The registry (suite/catalogue) makes the
 * instances from the cases that the linker collected.
 */
#ifndef SUITE_LANGUAGE_INSTANCE_H
#define SUITE_LANGUAGE_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "suite/language/words/case_register.h"

struct instance {
	const char *id; /* mpa/crc/name[/row][@initiator] */
	const char *title;
	const struct case_desc *desc;
	const void *row;            /* NULL unless CASE_EACH */
	enum case_role role;        /* RESPONDER or INITIATOR */
	uint64_t needs;             /* with the role's own */
	const unsigned short *reqs; /* judged, in catalogue order */
	const char *const *req_ids; /* their names */
	size_t req_count;
	const char *level; /* the strongest: "MUST", ..., "OPEN" */
};

/* "initiator" or "responder". */
static inline const char *instance_role(const struct instance *in)
{
	return in->role == INITIATOR ? "initiator" : "responder";
}

#endif
