/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cases the linker collected, as instances: a row of CASE_EACH is one,
 * and a case of role EITHER makes two. Sorted by id; the same in every
 * process of a run, so that an index names an instance.
 */
#ifndef SUITE_REGISTRY_H
#define SUITE_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/case.h"

struct instance {
	const char *id; /* mpa/crc/name[/row][@initiator] */
	const char *title;
	const struct case_desc *desc;
	const void *row;            /* NULL unless CASE_EACH */
	enum case_role role;        /* RESPONDER or INITIATOR */
	uint64_t needs;             /* with the role's own */
	const unsigned short *reqs; /* what it judges, in catalogue order */
	size_t req_count;
	const char *level; /* the strongest: "MUST", ..., "OPEN" */
};

struct registry {
	const struct instance *instances;
	size_t count;
};

/*
 * Built once; never NULL. Exits the process with status 4 and one line when
 * the collected cases contradict each other (two of one name, an expectation
 * outside any case): that is a bug in a case file.
 */
const struct registry *registry(void);

/* "mpa/crc" of "mpa/crc/name": length of the file part of an id. */
size_t registry_file_part(const char *id);

/*
 * Select: an empty list selects everything. selected[] (one for each instance) is set for the chosen
 * instances. Returns false with one line in why (cap octets) when a selector
 * is malformed or matches nothing.
 */
bool registry_select(char *const *selectors, size_t n, bool *selected,
		     char *why, size_t cap);

#endif
