/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cases that the linker collected, as instances. They are sorted by id, and
 * are the same in every process of a run, so that an index identifies an
 * instance.
 */
#ifndef SUITE_CATALOGUE_REGISTRY_H
#define SUITE_CATALOGUE_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/language/execution/instance.h"

struct registry {
	const struct instance *instances;
	size_t count;
};

/*
 * Built once; never NULL. Exits the process with status 4 and one line if the
 * collected cases contradict each other (two of one name, an expectation
 * outside any case): that is a bug in a case file.
 */
const struct registry *registry(void);

/* Their ids, in the same order. */
const char *const *registry_ids(void);

/* "mpa/crc" of "mpa/crc/name": length of the file part of an id. */
size_t registry_file_part(const char *id);

/*
 * Selects cases: an empty list selects everything. selected[] (one for each
 * instance) is set for the chosen instances. Returns false with one line in why
 * (cap octets) if a selector is malformed or matches nothing, or if the
 * exclusions leave nothing; then the line suggests similar names.
 */
bool registry_select(char *const *selectors, size_t n, bool *selected,
		     char *why, size_t cap);

/* The same for requirements, REQ_COUNT of them, with req: and rfc:. */
bool registry_select_requirements(char *const *selectors, size_t n,
				  bool *selected, char *why, size_t cap);

#endif
