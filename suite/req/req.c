/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "suite/req/req.h"

/* clang-format off */
const struct req req_table[REQ_COUNT] = {
#define REQ(KIND, LEVEL, IDENT, ID, SPEC, SECTION, LAYER, ACTOR, DESC, \
	    REQUIREMENT, STIMULUS, EXPECTED)                            \
	[REQ_INDEX_##IDENT] = {                                         \
		.id = ID,                                               \
		.spec = SPEC,                                           \
		.section = SECTION,                                     \
		.kind = REQ_KIND_##KIND,                                \
		.level = REQ_LEVEL_##LEVEL,                             \
		.desc = DESC,                                           \
		.layer = #LAYER,                                        \
		.actor = #ACTOR,                                        \
		.requirement = REQUIREMENT,                             \
		.stimulus = STIMULUS,                                   \
		.expected = EXPECTED,                                   \
	},
#include "suite/req/all.def"
#undef REQ
};
/* clang-format on */

/*
 * A linear search: it serves selectors and reports, a handful of times a run.
 * What cases name is an index already.
 */
const struct req *req_find(const char *id)
{
	for (size_t i = 0; i < REQ_COUNT; i++)
		if (strcmp(req_table[i].id, id) == 0)
			return &req_table[i];
	return NULL;
}

const char *req_level_name(enum req_level level)
{
	switch (level) {
	case REQ_LEVEL_MUST:
		return "MUST";
	case REQ_LEVEL_MUST_NOT:
		return "MUST NOT";
	case REQ_LEVEL_SHOULD:
		return "SHOULD";
	case REQ_LEVEL_SHOULD_NOT:
		return "SHOULD NOT";
	case REQ_LEVEL_MAY:
		return "MAY";
	}
	return "";
}
